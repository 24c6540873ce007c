#include "engine/picture/value_range.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

namespace headlight {

namespace {

// Within these, 1 / (2a) and a + a are normal float32 numbers, also where a GPU flushes subnormals to zero.
constexpr float least_bound = 1e-30F;
constexpr float greatest_bound = 1e30F;

// "2e-07" → "2e−7", "-0.5" → "−0.5": no padding, and the minus that is as wide as a plus.
std::string typeset(const std::string& number) {
  std::string text;
  bool exponent_begins = false;
  for (const char c : number) {
    if (exponent_begins && (c == '0' || c == '+')) continue;
    text += c == '-' ? "−" : std::string(1, c);
    if (c != '-') exponent_begins = c == 'e';
  }
  if (text.back() == 'e') text += '0';
  return text;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string tick_text(double value, double step) {
  if (value == 0) return "0";
  const int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  if (exponent >= 5 || step_exponent <= -5) {
    return typeset(fmt::format("{:.{}e}", value, std::max(0, exponent - step_exponent)));
  }
  return typeset(without_trailing_zeros(fmt::format("{:.{}f}", value, std::max(0, -step_exponent))));
}

double coarsest_step(double low, double high, int least_count) {
  constexpr double slack = 1e-6;  // of a step: 0.1 is not a multiple of 0.1 in binary
  for (int exponent = static_cast<int>(std::ceil(std::log10(high - low))) + 1;; --exponent) {
    for (const double mantissa : {5.0, 2.0, 1.0}) {
      const double step = mantissa * std::pow(10.0, exponent);
      if (std::floor(high / step + slack) - std::ceil(low / step - slack) + 1 >= least_count) return step;
    }
  }
}

}  // namespace

Extent extent_of(const MatrixView& matrix) {
  Extent extent;
  const auto columns = static_cast<std::size_t>(matrix.columns);
  std::vector<float> gathered(matrix.column_stride == 1 ? 0 : columns);  // a row whose cells lie apart
  for (Index row = 0; row < matrix.rows; ++row) {
    for (std::size_t column = 0; column < gathered.size(); ++column)
      gathered[column] = matrix.at(row, static_cast<Index>(column));
    const float* cells = gathered.empty() ? matrix.data + row * matrix.row_stride : gathered.data();
    extent = united(extent, extent_of(std::span(cells, columns)));
  }
  return extent;
}

ValueRange value_range(Kind kind, const Extent& extent) {
  const bool from_zero = (kind == Kind::probability || kind == Kind::mask) && (extent.finite == 0 || extent.least >= 0);
  const float greatest = extent.finite == 0 ? 0.0F : extent.greatest;
  if (from_zero) return {0.0F, std::clamp(greatest, 1.0F, greatest_bound)};
  const float magnitude = extent.finite == 0 ? 0.0F : std::max(std::abs(extent.least), std::abs(extent.greatest));
  const float bound = magnitude == 0.0F ? 1.0F : std::clamp(magnitude, least_bound, greatest_bound);
  return {-bound, bound};
}

Normalisation normalisation(const ValueRange& range) {
  assert(range.low < range.high && range.spacing == Spacing::linear);
  const double scale = 1.0 / (static_cast<double>(range.high) - static_cast<double>(range.low));
  return {static_cast<float>(scale), static_cast<float>(-range.low * scale)};
}

float normalise(float value, const ValueRange& range) {
  if (range.spacing == Spacing::logarithmic)
    return value <= range.low ? 0 : std::log(value / range.low) / std::log(range.high / range.low);
  return normalisation(range)(value);
}

std::vector<Tick> ticks(const ValueRange& range, int least_count) {
  assert(range.low < range.high && least_count >= 1);
  const double low = range.low;
  const double high = range.high;
  const double step = coarsest_step(low, high, least_count);
  std::vector<Tick> all;
  const auto first = static_cast<Index>(std::ceil(low / step - 1e-6));
  const auto last = static_cast<Index>(std::floor(high / step + 1e-6));
  for (Index i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    all.push_back({value, tick_text(value, step)});
  }
  return all;
}

Tensor apply_spacing(const MatrixView& cells, const ValueRange& range) {
  Tensor result = Tensor::uninitialized({cells.rows, cells.columns});
  const float decades = std::log(range.high / range.low);
  for (Index row = 0; row < cells.rows; ++row) {
    float greatest = 0;
    for (Index column = 0; column < cells.columns; ++column) {
      const float value = cells.at(row, column);
      if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
    }
    for (Index column = 0; column < cells.columns; ++column) {
      const float value = cells.at(row, column);
      float& place = result[row * cells.columns + column];
      place = value;
      if (!std::isfinite(value)) continue;
      if (range.spacing == Spacing::logarithmic) place = value <= range.low ? 0 : std::log(value / range.low) / decades;
      if (range.spacing == Spacing::row_max) place = greatest > 0 ? value / greatest : 0;
    }
  }
  return result;
}

ValueRange spacing_range(const ValueRange& range) {
  if (range.spacing == Spacing::linear) return range;
  return {range.spacing == Spacing::row_max && range.is_signed() ? -1.0F : 0.0F, 1.0F};
}

namespace {

// "10⁻⁴"
std::string power_text(int exponent) {
  constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : fmt::format("{}", std::abs(exponent))) text += digits[c - '0'];
  return text;
}

}  // namespace

std::vector<ScaleTick> scale_ticks(const ValueRange& range) {
  std::vector<ScaleTick> all;
  if (range.spacing != Spacing::logarithmic) {
    const ValueRange linear = spacing_range(range);
    for (const Tick& tick : ticks(linear)) {
      all.push_back({(tick.value - linear.low) / (static_cast<double>(linear.high) - linear.low), tick.text});
    }
    return all;
  }
  const double low = std::log10(static_cast<double>(range.low));
  const double high = std::log10(static_cast<double>(range.high));
  // Of more than six decades every second or third is named; within two, also 2 and 5 times a power.
  const int step = std::max(1, static_cast<int>((high - low) / 6));
  const bool powers = low < -3 - 1e-6 || high > 4 - 1e-6;  // then all that are not near 1, so that one bar has one way
  for (int decade = static_cast<int>(std::floor(low + 1e-6)); decade <= high + 1e-6; decade += step) {
    for (const double mantissa : {1.0, 2.0, 5.0}) {
      if (mantissa > 1 && high - low > 2) continue;
      const double place = decade + std::log10(mantissa);
      if (place < low - 1e-6 || place > high + 1e-6) continue;
      std::string text = value_text(mantissa * std::pow(10.0, decade));
      if (powers && std::abs(decade) > 1)
        text = (mantissa > 1 ? fmt::format("{}·", mantissa) : "") + power_text(decade);
      all.push_back({(place - low) / (high - low), text});
    }
  }
  return all;
}

std::string value_text(double value) {
  if (value == 0) return "0";
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  const double magnitude = std::abs(value);
  constexpr double least = 1e-4 * (1 - 1e-6);  // the float nearest to 0.0001 is a little less
  if (magnitude >= 99999.5 || magnitude < least) {
    const std::string text = fmt::format("{:.2e}", value);
    const std::size_t e = text.find('e');
    return typeset(without_trailing_zeros(text.substr(0, e)) + text.substr(e));
  }
  const int digits_before = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return typeset(without_trailing_zeros(fmt::format("{:.{}f}", value, std::max(0, 3 - digits_before))));
}

std::string cell_text(float value, const ValueRange& range) {
  if (is_masked(value)) return "";
  if (is_broken(value)) return std::isnan(value) ? "NaN" : "∞";
  const float bound = std::max(std::abs(range.low), std::abs(range.high));
  if (bound < 0.01F || bound >= 10000.0F) return value == 0 ? "0" : typeset(fmt::format("{:.0e}", value));
  const bool shares = bound < 1.005F;  // 1.00 where shares add up to 1 but for the last bit
  const int places = bound < 100.0F ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, shares ? 2 : places);
  // "-0.00" says no more than "0.00".
  if (text.find_first_not_of("-0.") == std::string::npos && text.front() == '-') text.erase(0, 1);
  const std::size_t digits = text.front() == '-' ? 1 : 0;
  if (shares && text[digits] == '0') text.erase(digits, 1);
  return typeset(text);
}

}  // namespace headlight
