#include "app/formula/formula_scanner.h"

#include <algorithm>

#include "engine/core/utf8.h"

namespace headlight {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void FormulaScanner::skip_spaces() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
}

bool FormulaScanner::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::string_view FormulaScanner::next_word() const {
  if (!rest_.starts_with('\\')) return rest_.substr(0, rest_.empty() ? 0 : utf8_step(rest_).size);
  const auto letters = std::find_if_not(rest_.begin() + 1, rest_.end(), is_letter) - rest_.begin();
  return rest_.substr(0, std::max<std::size_t>(2, static_cast<std::size_t>(letters)));
}

std::string_view FormulaScanner::take_word() {
  const std::string_view word = next_word();
  rest_.remove_prefix(word.size());
  return word;
}

bool FormulaScanner::take_command(std::string_view name) {
  return next_word() == name && take(name);
}

bool FormulaScanner::at_end_of_row() const {
  const std::string_view word = next_word();
  return word.empty() || word == "}" || word == "&" || word == "\\\\" || word == "\\end" || word == "\\right";
}

Result<std::string> FormulaScanner::raw_argument(std::string_view of) {
  skip_spaces();
  if (!take("{")) return wrong("{} needs a {{…}} behind it", of);
  const std::size_t end = rest_.find_first_of("{}\\$");
  if (end == std::string_view::npos || rest_[end] != '}')
    return wrong("{} takes words alone, up to the next brace", of);
  std::string found(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return found;
}

}  // namespace headlight
