// The colour maps: from a normalised value to a colour, through a table that the window's shader reads too.
//
// Not for normalising: that is value_range.h.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "engine/picture/color.h"

namespace headlight {

// Sequential: dusk, beam, viridis, cividis, magma, grey. Signed, with zero in the middle: tide, tide_dark.
// Zero is the paper: dusk and grey run from light to dark, and beam, which is made for a dark ground, from dark to
// light; so do viridis, cividis and magma, as everybody knows them.
enum class Colormap { dusk, beam, tide, tide_dark, viridis, cividis, magma, grey };

inline constexpr std::array all_colormaps{Colormap::dusk,    Colormap::beam,    Colormap::tide,  Colormap::tide_dark,
                                          Colormap::viridis, Colormap::cividis, Colormap::magma, Colormap::grey};

// Odd, so that a signed map has an entry exactly at zero; 1008 = 7·8·18, so that every stop of every map is an entry;
// and fine enough that neighbours differ by at most 1 in each byte, so that a GPU's rounding cannot show. As a texture
// it fits OpenGL's least width, 1024.
inline constexpr int color_table_size = 1009;
using ColorTable = std::array<Color, color_table_size>;

// Entry i is the colour at i / (color_table_size − 1).
ColorTable color_table(Colormap map);

// The entry nearest to a normalised value, which is clamped to 0…1: floor(t · 1008 + ½). NaN has none: not for it.
inline int table_entry_at(float t) {
  const float clamped = std::clamp(t, 0.0F, 1.0F);
  return static_cast<int>(clamped * static_cast<float>(color_table_size - 1) + 0.5F);
}
inline Color color_at(const ColorTable& table, float t) {
  return table[static_cast<std::size_t>(table_entry_at(t))];
}

// Whether zero is in the middle.
bool is_signed(Colormap map);
// "dusk", "tide_dark": as files and commands write it.
std::string_view to_string(Colormap map);
std::optional<Colormap> colormap_named(std::string_view name);
// The map for a range that is signed or not, on a light or dark ground.
Colormap default_colormap(bool signed_range, bool dark_ground);

}  // namespace headlight
