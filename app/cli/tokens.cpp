#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/standard_input.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

namespace {

constexpr std::uint64_t largest_texts = 256'000'000;  // bytes

// A JSON list of strings.
Result<std::vector<std::string>> read_texts(const std::filesystem::path& path) {
  HL_TRY(const std::string text, is_standard_input(path) ? read_standard_input() : read_file(path, largest_texts));
  const std::string where = is_standard_input(path) ? standard_input_name : one_line(utf8(path));
  const auto list = read_json(text);
  if (!list) return fail("{}: {}", where, message_line(list.error().message));
  if (!list->is_array()) return fail("{}: is {}: a list of texts is needed", where, kind_of(*list));
  std::vector<std::string> texts;
  for (const Json& one : *list) {
    if (!one.is_string()) return fail("{}: text {} is {}: it must be a string", where, texts.size(), kind_of(one));
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Json json_of(const std::string& text, const Tokens& tokens) {
  return {{"text", text}, {"ids", tokens.ids}, {"tokens", tokens.tokens}, {"offsets", tokens.offsets}};
}

std::size_t width_of(const std::string& text) {  // in characters as a reader counts them
  return grapheme_bounds(text).size() - 1;
}

// A row a token: number, id, token, bytes of the text.
void print_table(const Tokens& tokens) {
  std::size_t widest = 5;
  for (const std::string& token : tokens.tokens) widest = std::max(widest, width_of(one_line(token)));
  fmt::print("{:>6} {:>8}  token{}  bytes\n", "number", "id", std::string(widest - 5, ' '));
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const std::string token = one_line(tokens.tokens[i]);
    const auto [begin, end] = tokens.offsets[i];
    fmt::print("{:>6} {:>8}  {}{}  {}\n", i, tokens.ids[i], token, std::string(widest - width_of(token), ' '),
               begin < 0 ? "-" : fmt::format("{}-{}", begin, end));
  }
}

}  // namespace

int tokens_command(const TokensOptions& options) {
  const auto carry_out = [&]() -> Status {
    std::vector<std::string> texts{options.text};
    if (!options.texts.empty()) {
      HL_TRY(texts, read_texts(options.texts));
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(options.folder, ignored))
      return fail("{}: there is no such folder", utf8(options.folder));
    HL_TRY(const Tokenizer tokenizer, Tokenizer::open(options.folder));
    Json all = Json::array();
    for (const std::string& text : texts) {
      HL_TRY(const Tokens tokens, tokenizer.encode(text));
      if (options.json)
        all.push_back(json_of(text, tokens));
      else
        print_table(tokens);
    }
    if (options.json) fmt::print("{}\n", all.dump(-1, ' ', false, Json::error_handler_t::replace));
    return {};
  };
  return exit_status(carry_out());
}

}  // namespace headlight::app
