// Colours as bytes, and the measures of lightness that choose between them.
//
// Not for what a colour means: maps are colormap.h, the application's theme is app/platform.
#pragma once

#include <cstdint>

namespace headlight {

// sRGB with straight alpha, 0 to 255.
struct Color {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  std::uint8_t a = 255;
  friend bool operator==(const Color&, const Color&) = default;
};

// rgb(0x1A5FCB) is the opaque colour written #1A5FCB.
constexpr Color rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16 & 0xFF), static_cast<std::uint8_t>(hex >> 8 & 0xFF),
          static_cast<std::uint8_t>(hex & 0xFF), 255};
}

// The transfer function of sRGB (IEC 61966-2-1): light is 0 … 1 in proportion to photons, and clamped to that one way.
double linear_at_byte(std::uint8_t byte);
std::uint8_t byte_at_linear(double linear);

// CIELAB under D65: lightness 0 to 100, and two opponent axes.
struct Lab {
  double lightness = 0;
  double a = 0;
  double b = 0;
};

// Alpha is ignored one way and opaque the other; colours outside sRGB are clipped to it.
Lab lab_at_color(Color color);
Color color_at_lab(const Lab& lab);

// 0 (black) to 1 (white). WCAG 2.1, "relative luminance".
double relative_luminance(Color color);
// 1 to 21. WCAG 2.1, "contrast ratio".
double contrast_ratio(Color a, Color b);

// The luminance at which black and white text contrast equally: (L + 0.05)² = 0.05 · 1.05.
inline constexpr double text_luminance_threshold = 0.179;

// White on dark, black on light: at least 4.5:1 on any colour.
Color readable_text_on(Color background);

// `over` laid over an opaque colour: amount 0 leaves it, 1 replaces it.
Color mixed(Color under, Color over, double amount);

}  // namespace headlight
