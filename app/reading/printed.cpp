#include "app/reading/printed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr int most_digits = 9;   // that a float can need
constexpr int float_digits = 6;  // that a float always has
constexpr std::string_view minus_sign = "−";

// As the standard library reads it.
std::string with_hyphens(std::string number) {
  for (std::size_t at = 0; (at = number.find(minus_sign)) != std::string::npos;)
    number.replace(at, minus_sign.size(), "-");
  return number;
}

// Before the point.
int whole_digits(double size) {
  return size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "+∞";
  const double size = std::abs(value);
  if (size == 0) return fmt::format("{:.{}f}", 0.0, digits);  // not −0.000
  if (size < 0.5 * std::pow(10.0, -digits) || size >= 1e6)
    return with_minus_signs(fmt::format("{:.{}e}", value, std::max(2, digits - 1)));
  const int after_point = std::min(digits, std::max(0, std::max(float_digits, digits + 1) - whole_digits(size)));
  return with_minus_signs(fmt::format("{:.{}f}", value, after_point));
}

double round_number_from(double number) {
  const double power = std::pow(10.0, std::floor(std::log10(number)));
  for (const double times : {1.0, 2.0, 5.0})
    if (number <= times * power) return times * power;
  return 10 * power;
}

Printed printed_cell(const Operand& operand, const Trace& trace) {
  const double value = value_of(operand, trace);
  if (operand.array.empty()) return printed_rule(value, operand.label);
  return {number_text(value), value, operand.array, operand.cell, {}};
}

Printed printed_rule(double value, std::string rule) {
  return {number_text(value), value, {}, -1, std::move(rule)};
}

double parsed_number(const std::string& printed) {
  if (printed == "−∞") return -std::numeric_limits<double>::infinity();
  if (printed == "+∞") return std::numeric_limits<double>::infinity();
  const std::string text = with_hyphens(printed);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::numeric_limits<double>::quiet_NaN() : value;
}

double last_digit(const std::string& printed) {
  const std::string text = with_hyphens(printed);
  const auto e = text.find('e'), point = text.find('.');
  const std::string mantissa = text.substr(0, e);
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  const int power = e == std::string::npos ? 0 : std::atoi(text.c_str() + e + 1);
  return std::pow(10.0, power - decimals);
}

namespace {

// How far what the printed numbers give lies from the printed result, in units of its last digit.
double units_off(const std::vector<Printed>& numbers, const Printed& result, Evaluator evaluate) {
  std::vector<double> said;
  for (const Printed& number : numbers) said.push_back(parsed_number(number.text));
  return std::abs(evaluate(said) - parsed_number(result.text)) / last_digit(result.text);
}

// A rule's own constant with few digits is printed whole: "0.021", "576".
std::string constant_text(double value, int digits) {
  const std::string whole = fmt::format("{:.5g}", value);
  const double said = std::strtod(whole.c_str(), nullptr);
  return std::abs(said - value) <= 1e-12 * std::abs(value) ? with_minus_signs(whole) : number_text(value, digits);
}

}  // namespace

void choose_digits(std::vector<Printed>& numbers, Printed& result, Evaluator evaluate, int digits) {
  result.text = number_text(result.value, digits);
  const auto print = [&](int with) {
    for (Printed& number : numbers)
      number.text = number.array.empty() ? constant_text(number.value, with) : number_text(number.value, with);
  };
  // Rounded as it is printed; where the run's own rounding, in single precision, falls on the other side, next to it.
  for (const double most_units : {0.5, 1.0})
    for (int more = digits; more <= most_digits; ++more) {
      print(more);
      if (units_off(numbers, result, evaluate) <= most_units * 1.0001) return;
    }
  for (Printed& number : numbers) number.text = number_text(number.value, digits);
}

std::string fill_in_numbers(const std::string& pattern, const std::vector<Printed>& numbers) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern.compare(at, 2, "{}") != 0) {
      text += pattern[at];
      continue;
    }
    const std::string& number = numbers[next++].text;
    const bool runs_in = number.starts_with(minus_sign) && text.ends_with(' ');
    text += runs_in ? fmt::format("({})", number) : number;
    ++at;
  }
  return text;
}

std::string sum_text(const std::vector<Printed>& numbers) {
  std::string text;
  for (const Printed& number : numbers) {
    const bool takes_off = !text.empty() && number.text.starts_with(minus_sign);
    if (!text.empty()) text += takes_off ? " − " : " + ";
    text += number.text.substr(takes_off ? minus_sign.size() : 0);
  }
  return text;
}

}  // namespace headlight::app
