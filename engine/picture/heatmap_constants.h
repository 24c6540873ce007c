// What the rasterizer and the window's shader must agree on, in one place. Lengths are in logical pixels: times the
// scale of the screen or page they are device pixels.
#pragma once

#include "engine/picture/color.h"

namespace headlight {

// From one hatch line to the next, along a row of pixels. Even, so that a line's middle falls on pixels.
inline constexpr int hatch_period_px = 8;
// Thickness of a hatch line over masked cells, which run up to the right: /
inline constexpr float hatch_width_px = 1.0F;
// Thickness of a stripe over cells that are not a number, which run down to the right: \.
inline constexpr float stripe_width_px = 2.5F;

// Between cells, and the least cell that still has a gap: a smaller one would lose too much of itself.
inline constexpr int gap_px = 1;
inline constexpr float least_cell_with_gap_px = 6.0F;

inline constexpr Color light_canvas = rgb(0xFFFFFF);
inline constexpr Color light_hatch_line = rgb(0xB9BCC2);
inline constexpr Color light_hatch_ground = rgb(0xF1F1EE);
inline constexpr Color light_stripe_line = rgb(0xB42318);
inline constexpr Color light_stripe_ground = rgb(0xFBE4E1);

inline constexpr Color dark_canvas = rgb(0x101114);
inline constexpr Color dark_hatch_line = rgb(0x4A4D55);
inline constexpr Color dark_hatch_ground = rgb(0x1B1C20);
inline constexpr Color dark_stripe_line = rgb(0xFF8F85);
inline constexpr Color dark_stripe_ground = rgb(0x3B1714);

}  // namespace headlight
