// Tokenizers of models, held to the answers of tests/reference/make_tokens.py, and what is refused of their files.
#include <chrono>
#include <filesystem>
#include <fstream>
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
