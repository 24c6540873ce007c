#include "engine/core/natural_order.h"

#include <algorithm>
#include <cstddef>

#include "engine/base/words.h"

namespace headlight {

namespace {

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

// The digits with which a text ends.
std::string_view digits_before(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return text.substr(begin);
}

}  // namespace

int natural_order(std::string_view a, std::string_view b) {
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::string_view begun = digits_before(a.substr(0, same));  // of a number that both have begun
  const std::string_view rest_a = a.substr(same), rest_b = b.substr(same);
  const std::size_t digits_a = digits_at(rest_a), digits_b = digits_at(rest_b);
  const auto first = [](std::string_view rest) { return rest.empty() ? 0 : static_cast<unsigned char>(rest.front()); };
  const bool nothing_but_zeros = !begun.empty() && begun.find_first_not_of('0') == std::string_view::npos;
  if (nothing_but_zeros && (digits_a > 0) != (digits_b > 0)) return digits_a > 0 ? -1 : 1;
  const bool whole_number = begun.empty() ? digits_a > 0 && digits_b > 0 && first(rest_a) != '0' && first(rest_b) != '0'
                                          : begun.front() != '0';
  if (whole_number && digits_a != digits_b) return digits_a < digits_b ? -1 : 1;
  return first(rest_a) - first(rest_b);
}

}  // namespace headlight
