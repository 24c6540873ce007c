// Tokenizers of models, held to the answers of tests/reference/make_tokens.py, and what is refused of their files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "engine/io/json_fields.h"
#include "engine/tokens/tokenizer.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

const fs::path cases = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/tokens";

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string text_of(const Json& answer) {
  if (answer.contains("text")) return answer.at("text");
  const std::string hex = answer.at("hex");
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

// What is wrong with a tokenizer's answers; empty where all are right.
std::string complaint(const Tokenizer& tokenizer, const Json& answers) {
  for (const Json& answer : answers) {
    const std::string text = text_of(answer);
    std::optional<std::string> pair;
    if (answer.contains("pair")) pair = answer.at("pair").get<std::string>();
    const auto tokens = tokenizer.encode(text, pair);
    if (!tokens) return tokens.error().message;
    const Json made{
        {"ids", tokens->ids}, {"tokens", tokens->tokens}, {"offsets", tokens->offsets}, {"type_ids", tokens->type_ids}};
    for (const auto& item : made.items())
      if (item.value() != answer.at(item.key())) return answer.dump() + "\n  comes out as " + made.dump();
  }
  return "";
}

Tokenizer opened(const fs::path& folder) {
  auto tokenizer = Tokenizer::open(folder);
  if (!tokenizer) FAIL(tokenizer.error().message);
  return *tokenizer;
}

std::string refusal(const std::string& json) {
  const auto made = Tokenizer::parse(json);
  return made ? "" : made.error().message;
}

// A tokenizer.json of a model and further parts.
std::string json_of(const std::string& more,
                    const std::string& model = R"({"type": "WordPiece", "vocab": {"[UNK]": 0}})") {
  return "{\"model\": " + model + (more.empty() ? "" : ", ") + more + "}";
}

}  // namespace

TEST_CASE("tokens, offsets and types are those of a plain reading of the file") {
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(cases)) {
    const Json answers = Json::parse(contents(entry.path() / "expect.json"));
    const std::string wrong = complaint(opened(entry.path()), answers);
    if (!wrong.empty()) FAIL_CHECK(entry.path().filename().string() << ": " << wrong);
    seen.insert(entry.path().filename().string());
    // The older forms say the same.
    Scratch older;
    fs::create_directories(older / "model");
    for (const char* name : {"vocab.json", "merges.txt", "vocab.txt", "config.json", "special_tokens_map.json"})
      if (fs::exists(entry.path() / name)) fs::copy(entry.path() / name, older / "model" / name);
    if (!has_tokenizer(older / "model")) continue;
    const std::string wrong_older = complaint(opened(older / "model"), answers);
    if (!wrong_older.empty()) FAIL_CHECK(entry.path().filename().string() << ", older form: " << wrong_older);
    seen.insert("older " + entry.path().filename().string());
  }
  CHECK(seen.size() >= 22);
  CHECK(seen.contains("older bert"));
  CHECK(seen.contains("older gpt2"));
  CHECK(seen.contains("older roberta"));
}

TEST_CASE("what is refused is named, in one line") {
  const std::pair<std::string, std::string> refused[] = {
      {"[]", "this is an array, not an object"},
      {"{", "this is not JSON from byte 1 on"},
      {"{}", "it has no \"model\""},
      {std::string(5000, '['), "nested more than 64 deep"},
      {json_of(R"("pre_tokenizer": {"type": "UnicodeScripts"})"),
       "pre_tokenizer UnicodeScripts is not one that Headlight reads: give ids"},
      {json_of(R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+b"}})"), "by the pattern \"(a+)+b\""},
      {json_of(R"("pre_tokenizer": {"type": "Split", "pattern": {"String": "x"}})"), "is not one that Headlight reads"},
      {json_of(R"("normalizer": {"type": "Nmt"})"), "normalizer Nmt is not one"},
      {json_of(R"("normalizer": {"type": "Replace", "pattern": {"Regex": "a|b"}, "content": ""})"), "\"a|b\""},
      {json_of(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA!"})"), "is not base64"},
      {json_of(R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": "/////w=="})"), "its trie would have"},
      {json_of(R"("post_processor": {"type": "BertProcessing", "cls": ["a", 7], "sep": ["b", 0]})"), "the token 7"},
      {json_of(R"("post_processor": {"type": "BertProcessing", "cls": ["a", -1], "sep": ["b", 0]})"), "\"cls\""},
      {json_of(R"("post_processor": {"type": "TemplateProcessing", "single": []})"), "must have A alone once"},
      {json_of(R"("added_tokens": [{"id": -5, "content": "x"}])"), "from 0 to 16777215"},
      {json_of(R"("added_tokens": [{"id": 0, "content": "x"}])"), "the id 0, which is that of another token"},
      {json_of(R"("added_tokens": 3)"), "added_tokens is not a list"},
      {json_of("", R"({"type": "Characters", "vocab": {"a": 0}})"), "model Characters is not one"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": -1}})"), "the id -1"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 16000000}})"), "the id 16000000: of 1 tokens"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 99999999999999999999}})"), "the id"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0, "b": 0}})"), "the id 0 to \"a\" and to \"b\""},
      {json_of("", R"({"type": "BPE", "vocab": {"a": "x"}})"), "the id of \"a\" is no whole number"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": [1]}})"), "the id of \"a\" is no whole number"},
      {json_of("", R"({"type": "BPE", "vocab": {}})"), "the vocabulary has no tokens"},
      {json_of("", R"({"type": "BPE"})"), "the vocabulary has no tokens"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0}, "unk_token": "?"})"), "model.unk_token is \"?\""},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0}, "dropout": 0.5})"), "model.dropout is 0.5"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["a a"]})"), "the vocabulary has no \"aa\""},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0}, "merges": ["aa"]})"), "model.merges[0] is not two tokens"},
      {json_of("", R"({"type": "BPE", "vocab": {"a": 0}, "merges": [["a"]]})"), "is not two tokens"},
      {json_of("", R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 1})"), "model.unk_id is 1"},
      {json_of("", R"({"type": "Unigram", "vocab": [["a", 0, 0]]})"), "is not a token and its score"},
      {json_of("", R"({"type": "Unigram", "vocab": {"a": 3}})"), "is not a list of tokens and scores"},
      {json_of("", R"({"type": "WordPiece", "vocab": {"a": 3}})"), "model.unk_token is \"[UNK]\""},
  };
  for (const auto& [json, words] : refused) {
    const std::string said = refusal(json);
    if (said.find(words) == std::string::npos || said.find('\n') != std::string::npos || said.size() > 1000)
      FAIL_CHECK(json.substr(0, 200) << " should be refused with: " << words << "\n  but: " << said);
  }
  // What the parts make of a text has a limit, too.
  std::string grows = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaaaaaaaa"})";
  for (int i = 0; i < 3; ++i) grows += "," + grows;
  const auto made = Tokenizer::parse(json_of(R"("normalizer": {"type": "Sequence", "normalizers": [)" + grows + "]}"));
  REQUIRE(made);
  CHECK(made->encode("aaaa").error().message.find("the normalizer makes more than") == 0);
  CHECK(made->encode(std::string(8'000'001, 'b')).error().message.find("at most 8000000 are read") !=
        std::string::npos);
  const auto lacking = Tokenizer::parse(json_of("", R"({"type": "Unigram", "vocab": [["a", 0]]})"));
  CHECK(lacking->encode("ab").error().message == "the tokenizer has no token for \"b\", and none for what is unknown");
}

TEST_CASE("files of a folder that do not go together are named") {
  Scratch folder;
  const auto said = [&] {
    const auto made = Tokenizer::open(folder / "");
    return made ? "" : made.error().message;
  };
  CHECK(said().find("has no tokenizer.json, no vocab.json with merges.txt and no vocab.txt: give ids") !=
        std::string::npos);
  write(folder / "vocab.json", R"({"a": 0, "b": 1, "ab": 2})");
  CHECK_FALSE(has_tokenizer(folder / ""));
  write(folder / "merges.txt", "#version: 0.2\r\na b\r\n\r\nb\r\n");
  CHECK(said().find("merges.txt: line 4 is not two tokens") != std::string::npos);
  write(folder / "merges.txt", "#version: 0.2\r\na b\r\n");
  CHECK(opened(folder / "").encode("ab")->ids == std::vector<std::int32_t>{2});
  CHECK(opened(folder / "").kind() == "byte-level BPE");
  write(folder / "config.json", R"({"model_type": "roberta"})");
  CHECK(said().find("vocab.json: the vocabulary has no \"<s>\"") != std::string::npos);
  write(folder / "vocab.json", R"({"a": 0}})");
  CHECK(said().find("vocab.json: this is not JSON") != std::string::npos);
  write(folder / "tokenizer.json", "");
  CHECK(said().find("tokenizer.json: this is not JSON") != std::string::npos);
  std::error_code ignored;
  fs::resize_file(folder / "tokenizer.json", 100'000'000, ignored);  // no byte of it is on the disk
  CHECK(said().find("tokenizer.json: has 100000000 bytes; at most 64000000 are read") != std::string::npos);
}

TEST_CASE("Qwen 2's older files have its pattern and its normal form") {
  Scratch folder;
  write(folder / "vocab.json", R"({"1": 0, "2": 1, "12": 2, "Ã": 3, "©": 4, "Ã©": 5})");
  write(folder / "merges.txt", "1 2\nÃ ©\n");
  CHECK(opened(folder / "").encode("12e\u0301")->ids == std::vector<std::int32_t>{2});
  write(folder / "config.json", R"({"model_type": "qwen2"})");
  CHECK(opened(folder / "").encode("12e\u0301")->ids == std::vector<std::int32_t>{0, 1, 5});
}

TEST_CASE("a token is shown as the text that it stands for where that is whole characters") {
  const Tokenizer gpt2 = opened(cases / "gpt2"), bert = opened(cases / "bert");
  const auto shown = [](const Tokenizer& tokenizer, const std::string& text, std::optional<std::string> pair = {}) {
    std::vector<std::string> words;
    const auto tokens = tokenizer.encode(text, pair);
    for (std::size_t i = 0; i < tokens->ids.size(); ++i)
      words.push_back(display_token(*tokens, i, text, pair.value_or("")));
    return words;
  };
  using Shown = std::vector<std::string>;
  CHECK(shown(gpt2, "the cat at é") == Shown{"t", "he", "·cat", "·", "at", "·", "Ã", "©"});
  CHECK(shown(bert, "Thé CAT", "saté") == Shown{"[CLS]", "Thé", "CAT", "[SEP]", "sat", "é", "[SEP]"});
}

TEST_CASE("tokens go back to the text that they came from") {
  const std::string text = "The cat sat on naïve 注意 mats, it's 1234  <|endoftext|>";
  for (const auto& [name, decoder] :
       {std::pair{"gpt2", R"({"type": "ByteLevel"})"}, std::pair{"llama", R"({"type": "Sequence", "decoders": [
          {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})"}}) {
    Json json = Json::parse(contents(cases / name / "tokenizer.json"));
    json["decoder"] = Json::parse(decoder);
    const auto tokenizer = Tokenizer::parse(json.dump());
    REQUIRE(tokenizer);
    CHECK(tokenizer->decode(tokenizer->encode(text, {}, false)->ids) == text);
    CHECK(tokenizer->decode(std::vector<std::int32_t>{-1, 1 << 30}).empty());
  }
  Json json = Json::parse(contents(cases / "bert/tokenizer.json"));
  json["decoder"] = Json{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  const auto bert = Tokenizer::parse(json.dump());
  CHECK(bert->decode(bert->encode("The cats sat.", {}, false)->ids) == "the cats sat.");
  json["decoder"] = Json{{"type", "Unheard"}};
  CHECK(Tokenizer::parse(json.dump()));
  CHECK(bert->token(-1) == nullptr);
  CHECK(bert->token(static_cast<std::int32_t>(bert->size())) == nullptr);
  CHECK(*bert->token(2) == "[CLS]");
}

TEST_CASE("a word comes out as where its pairs are joined one by one, the first of the lowest rank") {
  std::mt19937 random(5);
  std::vector<std::string> tokens{"a", "b", "c", "d"};
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  Json model{{"type", "BPE"}, {"vocab", Json::object()}, {"merges", Json::array()}};
  while (ranks.size() < 60) {
    const std::string left = tokens[random() % tokens.size()], right = tokens[random() % tokens.size()];
    if (left.size() + right.size() > 12 || ranks.contains({left, right})) continue;
    ranks[{left, right}] = model["merges"].size();
    model["merges"].push_back(Json::array({left, right}));
    if (std::ranges::find(tokens, left + right) == tokens.end()) tokens.push_back(left + right);
  }
  for (const std::string& token : tokens) model["vocab"][token] = model["vocab"].size();
  const auto tokenizer = Tokenizer::parse(Json{{"model", model}}.dump());
  REQUIRE(tokenizer);
  for (int of = 0; of < 500; ++of) {
    std::vector<std::string> word;
    std::string text;
    for (std::size_t letters = 1 + random() % 60; word.size() < letters;)
      text += word.emplace_back(tokens[random() % 4]);
    INFO(text);
    while (true) {
      std::size_t best = ranks.size(), at = 0;
      for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (const auto found = ranks.find({word[i], word[i + 1]}); found != ranks.end() && found->second < best) {
          best = found->second;
          at = i;
        }
      if (best == ranks.size()) break;
      word[at] += word[at + 1];
      word.erase(word.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    CHECK(tokenizer->encode(text)->tokens == word);
  }
}

TEST_CASE("a million letters that all join take no longer than their number asks for") {
  // a + a = aa, aa + aa = aaaa, …: every pair is in the list, and looking at all of them each time would never end.
  Json model{{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", Json::array()}};
  for (std::string token = "a"; token.size() < 64; token += token) {
    model["vocab"][token + token] = model["vocab"].size();
    model["merges"].push_back(Json::array({token, token}));
  }
  const auto tokenizer = Tokenizer::parse(Json{{"model", model}}.dump());
  REQUIRE(tokenizer);
  const auto tokens = tokenizer->encode(std::string(1'000'000, 'a'));
  CHECK(tokens->ids.size() == 1'000'000 / 64);
  CHECK(tokens->offsets.back() == std::array<std::int64_t, 2>{1'000'000 - 64, 1'000'000});
}
