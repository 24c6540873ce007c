#include "engine/picture/colormap.h"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>

namespace headlight {

namespace {

// Evenly spaced from 0 to 1, interpolated in CIELAB; each count − 1 divides color_table_size − 1.
constexpr std::array<std::uint32_t, 8> dusk{0xFFFFFF, 0xE0D9F1, 0xC3B0EB, 0xA988E7,
                                            0x8F5EDC, 0x703EBA, 0x4D2886, 0x2C184F};
constexpr std::array<std::uint32_t, 8> beam{0x141519, 0x34275A, 0x5936A1, 0x844ECA,
                                            0xC36FAC, 0xF19571, 0xFFC75F, 0xFFF4C5};
constexpr std::array<std::uint32_t, 9> tide{0x13336B, 0x336CB5, 0x7FB0DA, 0xCFE0ED, 0xFAF9F7,
                                            0xF4D8C1, 0xDE9D6C, 0xAE5019, 0x621F05};
constexpr std::array<std::uint32_t, 9> tide_dark{0xAFD9FF, 0x5F9FE4, 0x3062A2, 0x1C3151, 0x151519,
                                                 0x4A2A19, 0x954E24, 0xDB864A, 0xF9CCA3};
// Nathaniel Smith and Stéfan van der Walt, viridis (2015), CC0; its 256 entries thinned to eighths.
constexpr std::array<std::uint32_t, 9> viridis{0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21908C,
                                               0x27AD81, 0x5DC863, 0xAADC32, 0xFDE725};
// Nuñez, Anderton and Renslow, "Optimizing colormaps with consideration for color vision deficiency", PLoS ONE 13(7),
// 2018: cividis; its 256 entries thinned to eighths.
constexpr std::array<std::uint32_t, 9> cividis{0x00224E, 0x1A386F, 0x434E6C, 0x61656F, 0x7C7B78,
                                               0x9B9376, 0xBBAD6C, 0xDDC958, 0xFEE838};
// Nathaniel Smith and Stéfan van der Walt, magma (2015), CC0; its 256 entries thinned to eighths.
constexpr std::array<std::uint32_t, 9> magma{0x000004, 0x1D1147, 0x51127C, 0x822681, 0xB63679,
                                             0xE65164, 0xFB8861, 0xFEC287, 0xFCFDBF};
constexpr std::array<std::uint32_t, 2> grey{0xFFFFFF, 0x000000};

std::span<const std::uint32_t> stops_of(Colormap map) {
  switch (map) {
    case Colormap::dusk:
      return dusk;
    case Colormap::beam:
      return beam;
    case Colormap::tide:
      return tide;
    case Colormap::tide_dark:
      return tide_dark;
    case Colormap::viridis:
      return viridis;
    case Colormap::cividis:
      return cividis;
    case Colormap::magma:
      return magma;
    case Colormap::grey:
      return grey;
  }
  return grey;
}

}  // namespace

ColorTable color_table(Colormap map) {
  const auto stops = stops_of(map);
  const int entries_per_stop = (color_table_size - 1) / static_cast<int>(stops.size() - 1);
  assert(entries_per_stop * static_cast<int>(stops.size() - 1) == color_table_size - 1);
  ColorTable table;
  for (std::size_t stop = 0; stop + 1 < stops.size(); ++stop) {
    const Lab from = lab_at_color(rgb(stops[stop]));
    const Lab to = lab_at_color(rgb(stops[stop + 1]));
    for (int i = 0; i < entries_per_stop; ++i) {
      const double t = static_cast<double>(i) / entries_per_stop;
      table[stop * static_cast<std::size_t>(entries_per_stop) + static_cast<std::size_t>(i)] = color_at_lab(
          {std::lerp(from.lightness, to.lightness, t), std::lerp(from.a, to.a, t), std::lerp(from.b, to.b, t)});
    }
  }
  table.back() = rgb(stops.back());
  return table;
}

bool is_signed(Colormap map) {
  return map == Colormap::tide || map == Colormap::tide_dark;
}

std::string_view to_string(Colormap map) {
  switch (map) {
    case Colormap::dusk:
      return "dusk";
    case Colormap::beam:
      return "beam";
    case Colormap::tide:
      return "tide";
    case Colormap::tide_dark:
      return "tide_dark";
    case Colormap::viridis:
      return "viridis";
    case Colormap::cividis:
      return "cividis";
    case Colormap::magma:
      return "magma";
    case Colormap::grey:
      return "grey";
  }
  return "";
}

std::optional<Colormap> colormap_named(std::string_view name) {
  for (const Colormap map : all_colormaps) {
    if (to_string(map) == name) return map;
  }
  return std::nullopt;
}

Colormap default_colormap(bool signed_range, bool dark_ground) {
  if (signed_range) return dark_ground ? Colormap::tide_dark : Colormap::tide;
  return dark_ground ? Colormap::beam : Colormap::dusk;
}

}  // namespace headlight
