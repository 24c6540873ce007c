#include "engine/picture/color.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {

namespace {

// XYZ of the white point D65, and CIE 15:2004's limits of the cube root.
constexpr std::array<double, 3> white{0.95047, 1.0, 1.08883};
constexpr double epsilon = 216.0 / 24389.0;
constexpr double kappa = 24389.0 / 27.0;

double lab_curve(double t) {
  return t > epsilon ? std::cbrt(t) : (kappa * t + 16) / 116;
}

double lab_curve_inverse(double f) {
  const double cube = f * f * f;
  return cube > epsilon ? cube : (116 * f - 16) / kappa;
}

}  // namespace

double linear_at_byte(std::uint8_t byte) {
  const double c = byte / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t byte_at_linear(double linear) {
  // The light half-way between each byte and the next: a search is several times faster than a power.
  static const auto between = [] {
    std::array<double, 255> light{};
    for (std::size_t byte = 0; byte < light.size(); ++byte) {
      const double c = (static_cast<double>(byte) + 0.5) / 255;
      light[byte] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return light;
  }();
  return static_cast<std::uint8_t>(std::ranges::upper_bound(between, linear) - between.begin());
}

Lab lab_at_color(Color color) {
  const double r = linear_at_byte(color.r);
  const double g = linear_at_byte(color.g);
  const double b = linear_at_byte(color.b);
  const double x = lab_curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / white[0]);
  const double y = lab_curve((0.2126729 * r + 0.7151522 * g + 0.0721750 * b) / white[1]);
  const double z = lab_curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / white[2]);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

Color color_at_lab(const Lab& lab) {
  const double fy = (lab.lightness + 16) / 116;
  const double x = white[0] * lab_curve_inverse(fy + lab.a / 500);
  const double y = white[1] * lab_curve_inverse(fy);
  const double z = white[2] * lab_curve_inverse(fy - lab.b / 200);
  return {byte_at_linear(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
          byte_at_linear(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
          byte_at_linear(0.0556434 * x - 0.2040259 * y + 1.0572252 * z)};
}

double relative_luminance(Color color) {
  return 0.2126 * linear_at_byte(color.r) + 0.7152 * linear_at_byte(color.g) + 0.0722 * linear_at_byte(color.b);
}

double contrast_ratio(Color a, Color b) {
  const double la = relative_luminance(a) + 0.05;
  const double lb = relative_luminance(b) + 0.05;
  return std::max(la, lb) / std::min(la, lb);
}

Color readable_text_on(Color background) {
  return relative_luminance(background) < text_luminance_threshold ? rgb(0xFFFFFF) : rgb(0x000000);
}

Color mixed(Color under, Color over, double amount) {
  const auto blend = [amount](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * amount));
  };
  return {blend(under.r, over.r), blend(under.g, over.g), blend(under.b, over.b), 255};
}

}  // namespace headlight
