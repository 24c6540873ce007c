#include <optional>
#include <system_error>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/tokens/split_patterns.h"
#include "engine/tokens/tokenizer.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_file = 64'000'000;   // bytes; the largest tokenizers in use have half of that
constexpr std::uint64_t largest_config = 4'000'000;  // bytes

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// A small file of JSON; an empty object where it is not there.
Result<Json> config_of(const fs::path& path) {
  if (!is_there(path)) return Json::object();
  HL_TRY(const std::string text, read_file(path, largest_config));
  auto config = read_json(text);
  if (!config) return fail("{}: {}", one_line(utf8(path)), message_line(config.error().message));
  return config->is_object() ? *config : Json::object();
}

// What a folder says beside the vocabulary.
struct Configs {
  Json tokenizer, specials, model;

  static Result<Configs> read(const fs::path& folder) {
    Configs configs;
    HL_TRY(configs.tokenizer, config_of(folder / "tokenizer_config.json"));
    HL_TRY(configs.specials, config_of(folder / "special_tokens_map.json"));
    HL_TRY(configs.model, config_of(folder / "config.json"));
    return configs;
  }
  bool is_model_type(std::string_view type) const {
    const auto says = [&](const Json& config, const char* key) {
      return config.contains(key) && config.at(key).is_string() &&
             lower_case(config.at(key).get<std::string>()).starts_with(type);
    };
    return says(model, "model_type") || says(tokenizer, "tokenizer_class");
  }
  // "mask_token": "<mask>", or an object with its content.
  std::optional<Json> special(const std::string& key) const {
    for (const Json* config : {&specials, &tokenizer}) {
      if (!config->contains(key)) continue;
      const Json& value = config->at(key);
      if (value.is_string()) return Json{{"content", value}};
      if (value.is_object() && value.contains("content") && value.at("content").is_string())
        return std::make_optional<Json>(value);
    }
    return std::nullopt;
  }
};

std::optional<std::int64_t> id_of(const TokenizerFile& file, const std::string& token) {
  for (const VocabularyEntry& entry : file.vocabulary)
    if (entry.token == token) return entry.id;
  return std::nullopt;
}

struct Special {
  const char* key;
  const char* usual;  // its name where nothing says another
};

// The special tokens of an older form, as "added_tokens" of a newer; those that the vocabulary lacks are left out.
Json added_tokens(const TokenizerFile& file, const Configs& configs, const std::vector<Special>& specials,
                  bool strips) {
  Json added = Json::array();
  for (const auto& [key, usual] : specials) {
    Json token = configs.special(key).value_or(Json{{"content", usual}});
    const auto id = id_of(file, token.at("content").get<std::string>());
    if (!id) continue;
    if (strips && std::string_view(key) == "mask_token" && !token.contains("lstrip")) token["lstrip"] = true;
    token["id"] = *id;
    token["special"] = true;
    token["normalized"] = false;
    added.push_back(std::move(token));
  }
  const Json& decoder = configs.tokenizer.contains("added_tokens_decoder")
                            ? configs.tokenizer.at("added_tokens_decoder")
                            : Json::object();
  if (!decoder.is_object()) return added;
  for (const auto& item : decoder.items()) {
    if (!item.value().is_object()) continue;
    Json token = item.value();
    token["id"] = Json::parse(item.key(), nullptr, false);
    added.push_back(std::move(token));
  }
  return added;
}

// "[CLS]" of the special tokens and its id, as post-processors have them.
Result<Json> named(const TokenizerFile& file, const Configs& configs, const Special& special) {
  const Json token = configs.special(special.key).value_or(Json{{"content", special.usual}});
  const auto name = token.at("content").get<std::string>();
  const auto id = id_of(file, name);
  if (!id) return fail("the vocabulary has no \"{}\"", brief(name));
  return Json::array({name, *id});
}

Json byte_level(bool uses_pattern, bool prefixes) {
  return {{"type", "ByteLevel"}, {"use_regex", uses_pattern}, {"add_prefix_space", prefixes}};
}

// vocab.json and merges.txt: byte-level BPE, as GPT-2 has it.
Status describe_byte_pairs(TokenizerFile& file, const Configs& configs) {
  HL_TRY(const bool prefixes, flag_or(configs.tokenizer, "add_prefix_space", "tokenizer_config.json", false));
  Json& parts = file.parts;
  parts = {{"model", {{"type", "BPE"}}}, {"decoder", byte_level(true, true)}};
  parts["pre_tokenizer"] = byte_level(true, prefixes);
  if (configs.is_model_type("qwen2")) {
    const std::string pattern(expression_of(SplitPattern::qwen2));
    parts["normalizer"] = {{"type", "NFC"}};
    parts["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}}, byte_level(false, false)}}};
  }
  if (configs.is_model_type("roberta")) {
    const Special begin{"bos_token", "<s>"}, end{"eos_token", "</s>"};
    HL_TRY(const Json cls, named(file, configs, begin));
    HL_TRY(const Json sep, named(file, configs, end));
    parts["post_processor"] = {{"type", "RobertaProcessing"}, {"cls", cls}, {"sep", sep}};
    parts["added_tokens"] = added_tokens(
        file, configs, {begin, end, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}, {"mask_token", "<mask>"}}, true);
    return {};
  }
  parts["added_tokens"] =
      added_tokens(file, configs, {{"eos_token", "<|endoftext|>"}, {"bos_token", "<|endoftext|>"}}, false);
  return {};
}

// vocab.txt: WordPiece, as BERT has it.
Status describe_word_pieces(TokenizerFile& file, const Configs& configs) {
  const std::string where = "tokenizer_config.json";
  HL_TRY(const bool lowers, flag_or(configs.tokenizer, "do_lower_case", where, true));
  HL_TRY(const bool spaces, flag_or(configs.tokenizer, "tokenize_chinese_chars", where, true));
  HL_TRY(const bool strips, flag_or(configs.tokenizer, "strip_accents", where, lowers));
  const Special begin{"cls_token", "[CLS]"}, end{"sep_token", "[SEP]"}, unknown{"unk_token", "[UNK]"};
  HL_TRY(const Json cls, named(file, configs, begin));
  HL_TRY(const Json sep, named(file, configs, end));
  HL_TRY(const Json unk, named(file, configs, unknown));
  file.parts = {{"model", {{"type", "WordPiece"}, {"unk_token", unk.at(0)}}},
                {"normalizer",
                 {{"type", "BertNormalizer"},
                  {"clean_text", true},
                  {"handle_chinese_chars", spaces},
                  {"strip_accents", strips},
                  {"lowercase", lowers}}},
                {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                {"post_processor", {{"type", "BertProcessing"}, {"cls", cls}, {"sep", sep}}},
                {"decoder", {{"type", "WordPiece"}}}};
  file.parts["added_tokens"] =
      added_tokens(file, configs, {begin, end, unknown, {"pad_token", "[PAD]"}, {"mask_token", "[MASK]"}}, false);
  return {};
}

// vocab.txt of ESM: its tokens wherever they stand, the longest first; what lies between, up to white space, is
// unknown.
Status describe_residues(TokenizerFile& file, const Configs& configs) {
  const Special begin{"cls_token", "<cls>"}, end{"eos_token", "<eos>"}, unknown{"unk_token", "<unk>"};
  HL_TRY(const Json cls, named(file, configs, begin));
  HL_TRY(const Json eos, named(file, configs, end));
  HL_TRY(const Json unk, named(file, configs, unknown));
  const auto once = [](const Json& token) { return Json{{"SpecialToken", {{"id", token.at(0)}, {"type_id", 0}}}}; };
  const Json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, second{{"Sequence", {{"id", "B"}, {"type_id", 0}}}};
  const auto ids = [](const Json& token) {
    return Json{{"id", token.at(0)}, {"ids", {token.at(1)}}, {"tokens", {token.at(0)}}};
  };
  file.parts = {
      {"model", {{"type", "WordLevel"}, {"unk_token", unk.at(0)}}},
      {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {once(cls), text, once(eos)}},
        {"pair", {once(cls), text, once(eos), second, once(eos)}},
        {"special_tokens", {{cls.at(0).get<std::string>(), ids(cls)}, {eos.at(0).get<std::string>(), ids(eos)}}}}}};
  Json added = Json::array();
  for (const VocabularyEntry& entry : file.vocabulary)
    if (!entry.token.empty()) added.push_back({{"content", entry.token}, {"id", entry.id}, {"normalized", false}});
  file.parts["added_tokens"] = std::move(added);
  return {};
}

// Calls each(line) for every line, without what ends it.
template <class Each>
Status for_lines(std::string_view text, Each each) {
  for (std::string_view line : split_lines(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    HL_CHECK(each(line));
  }
  return {};
}

Status read_merges(std::string_view text, std::vector<TokenMerge>& merges) {
  std::size_t number = 0;
  return for_lines(text, [&](std::string_view line) -> Status {
    ++number;
    if (line.empty() || line.starts_with("#version")) return {};
    const auto gap = line.find(' ');
    if (gap == 0 || gap == std::string_view::npos || gap + 1 == line.size() ||
        line.find(' ', gap + 1) != std::string_view::npos)
      return fail("line {} is not two tokens", number);
    merges.push_back({std::string(line.substr(0, gap)), std::string(line.substr(gap + 1))});
    return {};
  });
}

Result<TokenizerFile> read_byte_pairs(const fs::path& vocabulary, const fs::path& merges, const Configs& configs) {
  HL_TRY(const std::string text, read_file(vocabulary, largest_file));
  auto file = read_tokenizer_json("{\"model\": {\"vocab\": " + text + "}}");
  if (!file) return fail_at(one_line(utf8(vocabulary)), file.error());
  HL_TRY(const std::string lines, read_file(merges, largest_file));
  if (const Status read = read_merges(lines, file->merges); !read) return fail_at(one_line(utf8(merges)), read.error());
  file->files = {vocabulary, merges};
  if (const Status described = describe_byte_pairs(*file, configs); !described)
    return fail_at(one_line(utf8(vocabulary)), described.error());
  return file;
}

Result<TokenizerFile> read_word_pieces(const fs::path& vocabulary, const Configs& configs) {
  HL_TRY(const std::string text, read_file(vocabulary, largest_file));
  TokenizerFile file;
  file.files = {vocabulary};
  const bool of_residues = configs.is_model_type("esm");
  const auto add = [&](std::string_view line) -> Status {
    const auto white = [](char c) { return c == ' ' || c == '\t'; };
    while (of_residues && !line.empty() && white(line.front())) line.remove_prefix(1);
    while (of_residues && !line.empty() && white(line.back())) line.remove_suffix(1);
    file.vocabulary.push_back({std::string(line), static_cast<std::int64_t>(file.vocabulary.size()), 0});
    return {};
  };
  HL_CHECK(for_lines(text, add));
  if (const Status described = of_residues ? describe_residues(file, configs) : describe_word_pieces(file, configs);
      !described)
    return fail_at(one_line(utf8(vocabulary)), described.error());
  return file;
}

}  // namespace

Result<TokenizerFile> read_tokenizer_folder(const fs::path& folder) {
  const fs::path json = folder / "tokenizer.json", vocabulary = folder / "vocab.json", merges = folder / "merges.txt",
                 words = folder / "vocab.txt";
  if (is_there(json)) {
    HL_TRY(const std::string text, read_file(json, largest_file));
    auto file = read_tokenizer_json(text);
    if (!file) return fail_at(one_line(utf8(json)), file.error());
    file->files = {json};
    return file;
  }
  HL_TRY(const Configs configs, Configs::read(folder));
  if (is_there(vocabulary) && is_there(merges)) return read_byte_pairs(vocabulary, merges, configs);
  if (is_there(words)) return read_word_pieces(words, configs);
  return fail("{}: has no tokenizer.json, no vocab.json with merges.txt and no vocab.txt: give ids",
              one_line(utf8(folder)));
}

bool has_tokenizer(const fs::path& folder) {
  return is_there(folder / "tokenizer.json") || (is_there(folder / "vocab.json") && is_there(folder / "merges.txt")) ||
         is_there(folder / "vocab.txt");
}

Result<std::string> text_or(const Json& object, const char* key, const std::string& where, std::string fallback) {
  if (!object.contains(key) || object.at(key).is_null()) return fallback;
  return string_at(object, key, where);
}

Result<bool> flag_or(const Json& object, const char* key, const std::string& where, bool fallback) {
  if (!object.contains(key) || object.at(key).is_null()) return fallback;
  return flag_at(object, key, where);
}

std::string type_of(const Json& part) {
  const bool named = part.is_object() && part.contains("type") && part.at("type").is_string();
  return named ? part.at("type").get<std::string>() : "";
}

}  // namespace headlight
