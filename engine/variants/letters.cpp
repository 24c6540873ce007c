#include "engine/variants/letters.h"

#include <string_view>
#include <utility>

namespace headlight {

namespace {

constexpr std::pair<std::string_view, std::string_view> letters[] = {
    {"weights", "α"},          {"dropped_weights", "α"}, {"features", "f"},      {"w_score", "w"},
    {"w_concat", "w"},         {"w_theta", "w_θ"},       {"w_phi", "w_φ"},       {"phi", "φ"},
    {"head_outputs", "y"},     {"concat", "concat"},     {"q_input", "x + p"},   {"k_input", "x + p"},
    {"attention_output", "a"}, {"x_norm", "norm"},       {"ffn_norm", "norm"},   {"ffn_hidden", "hidden"},
    {"row_table", "r"},        {"col_table", "r"},       {"row_embedding", "r"}, {"col_embedding", "r"}};

// The non-local block's: what is compared is embedded by θ and φ, or the input as it is.
std::string letter_of_block(const Trace& trace, std::string_view id) {
  const bool embedded = trace.find("w_theta");
  const std::string pooled = trace.find("g") ? " pooled" : "";
  if (id == "q") return embedded ? "θ" : "x";
  if (id == "k") return (embedded ? "φ" : "x") + pooled;
  return id == "v" ? "g" + pooled : "";
}

std::string letter_of(const Trace& trace, std::string_view id) {
  if (trace.variant == "non_local")
    if (std::string letter = letter_of_block(trace, id); !letter.empty()) return letter;
  for (const auto& [known, letter] : letters)
    if (id == known) return std::string(letter);
  return "";
}

}  // namespace

void give_letters(Trace& trace) {
  for (auto* list : {&trace.sources, &trace.steps})
    for (Step& step : *list)
      if (step.info.letter.empty()) step.info.letter = letter_of(trace, step.info.id);
}

}  // namespace headlight
