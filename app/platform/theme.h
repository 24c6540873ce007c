// The design's tokens as plain data: every colour of the window, for each of its three themes.
//
// Not for colour maps of tensors (engine/picture/colormap.h), nor for sizes: those are written where they are drawn.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/axis.h"

namespace headlight::app {

// Red in the lowest byte, then green, blue and alpha: what ImDrawList takes.
using Color32 = std::uint32_t;

// hex(0x17181C) is opaque #17181C.
constexpr Color32 hex(std::uint32_t rgb) {
  return 0xFF000000U | ((rgb & 0xFFU) << 16) | (rgb & 0xFF00U) | ((rgb >> 16) & 0xFFU);
}

// The same colour with another opacity, 0 to 1.
Color32 with_alpha(Color32 color, float alpha);
// `from` at 0, `to` at 1, linear in sRGB bytes: for states and fades, not for data.
Color32 mix(Color32 from, Color32 to, float amount);

enum class ThemeId { light, dark, high_contrast };

struct RoleColors {
  char badge;    // the letter that goes with the colour, so that a role is never colour alone
  Color32 main;  // text, edges, badge
  Color32 soft;  // fills behind
};

// docs: design tables "Colour tokens" and "Roles".
struct Theme {
  ThemeId id;
  bool dark;
  Color32 canvas, panel, sunken;
  Color32 line, line_strong;
  Color32 text, text_muted, text_faint;
  Color32 ink, on_ink;
  Color32 brand, brand_soft, brand_text;
  Color32 warning, warning_soft;
  Color32 error, ok;
  Color32 hatch_line, hatch_ground;
  Color32 bar_positive, bar_negative;  // signed bars beside numbers
  RoleColors query, key, value, score, weight, output, mask;
};

const Theme& theme(ThemeId id);

// Colours of a role; Role::none gets the muted text's colour and no badge, Role::position shares the output's.
RoleColors role_colors(const Theme& theme, Role role);

// Puts the few colours and metrics that Dear ImGui itself draws (popups, text cursor) under the tokens, for a UI scale
// (1 = 100 %). Needs a current ImGui context.
void apply_theme(const Theme& theme, float scale);

}  // namespace headlight::app
