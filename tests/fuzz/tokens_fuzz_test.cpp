// Damaged tokenizers and any text: each is read, or refused in one line, and offsets stay within the text.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "engine/io/json_fields.h"
#include "engine/tokens/tokenizer.h"
#include "tests/catch.h"
#include "tests/fuzz/damage.h"

using namespace headlight;

namespace {

// Bytes of any kind, and what tokenizers look for.
std::string any_text(std::mt19937& random) {
  constexpr const char* pieces[] = {" ", "the", "\n",  "a", "\u0301", "é", "注", "👩\u200d👩",     "<s>",  "[MASK]",
                                    "▁", "'s",  "123", ".", "ﬁ",      "İ", "각", "\u1100\u1161", "\xFF", "\xE0"};
  std::string text;
  for (auto count = random() % 30; count > 0; --count)
    if (random() % 8 == 0)
      text.push_back(static_cast<char>(random()));
    else
      text += pieces[random() % std::size(pieces)];
  return text;
}

// How many tokens there are; 0 where the text is refused.
std::size_t check_encoding(const Tokenizer& tokenizer, const std::string& text, const std::string& pair) {
  const auto tokens = tokenizer.encode(text, pair);
  if (!tokens) {
    if (!is_one_line(tokens.error().message)) FAIL_CHECK(tokens.error().message);
    return 0;
  }
  for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
    const auto [begin, end] = tokens->offsets[i];
    const auto size = static_cast<std::int64_t>((tokens->texts[i] == 1 ? pair : text).size());
    const bool none = begin == -1 && end == -1 && tokens->texts[i] == -1;
    if (!none && (begin < 0 || begin > end || end > size))
      FAIL_CHECK("bytes " << begin << " to " << end << " of " << size);
    if (!tokenizer.token(tokens->ids[i]) || *tokenizer.token(tokens->ids[i]) != tokens->tokens[i])
      FAIL_CHECK("no token " << tokens->ids[i]);
    if (display_token(*tokens, i, text, pair).empty() && !tokens->tokens[i].empty()) FAIL_CHECK("nothing to show");
  }
  (void)tokenizer.decode(tokens->ids);
  return tokens->ids.size();
}

// One of its values becomes another.
void damage(Json& json, std::mt19937& random) {
  constexpr const char* others[] = {"-1", "0",    "7",     "1e300", "null",         "true",      "[]",
                                    "{}", "\"\"", "\"a\"", "\" \"", "[[\"a\", 1]]", "[\"a a\"]", "\"NFKC\""};
  Json* at = &json;
  while (at->is_structured() && !at->empty() && (at == &json || random() % 8 != 0)) {
    auto inner = at->begin();
    std::advance(inner, static_cast<std::ptrdiff_t>(random() % at->size()));
    at = &*inner;
  }
  *at = Json::parse(others[random() % std::size(others)]);
}

std::vector<Json> sound_files() {
  std::vector<Json> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEADLIGHT_SOURCE_DIR "/tests/reference/tokens")) {
    std::ifstream file(entry.path() / "tokenizer.json", std::ios::binary);
    files.push_back(Json::parse(file));
  }
  return files;
}

}  // namespace

TEST_CASE("damaged tokenizers are read or refused in one line, and offsets lie within the text") {
  std::mt19937 random(14);
  const auto files = sound_files();
  const auto start = std::chrono::steady_clock::now();
  std::size_t read = 0, refused = 0, tokens = 0;
  for (std::size_t i = 0; i < 6000 && std::chrono::steady_clock::now() - start < std::chrono::seconds(8); ++i) {
    Json json = files[random() % files.size()];
    for (auto times = random() % 4; times > 0; --times) damage(json, random);
    const std::string text = json.dump(0);  // a value a line
    const auto made = Tokenizer::parse(i % 4 == 0 ? damaged_text(text, random) : text);
    ++(made ? read : refused);
    if (!made && !is_one_line(made.error().message)) FAIL_CHECK(made.error().message);
    for (int times = 0; made && times < 4; ++times) tokens += check_encoding(*made, any_text(random), any_text(random));
  }
  INFO(read << " read, " << refused << " refused, " << tokens << " tokens");
  CHECK(read > 100);
  CHECK(refused > 10);
  CHECK(tokens > 1000);
}
