#include "app/platform/theme.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace headlight::app {

namespace {

constexpr RoleColors role(char badge, std::uint32_t main, std::uint32_t soft) {
  return {badge, hex(main), hex(soft)};
}

constexpr Theme light_theme{
    .id = ThemeId::light,
    .dark = false,
    .canvas = hex(0xFFFFFF),
    .panel = hex(0xF6F6F3),
    .sunken = hex(0xEDEDE9),
    .line = hex(0xE1E1DC),
    .line_strong = hex(0xC4C4BD),
    .text = hex(0x17181C),
    .text_muted = hex(0x4E535D),
    .text_faint = hex(0x686D77),
    .ink = hex(0x17181C),
    .on_ink = hex(0xFFFFFF),
    .brand = hex(0xF2A20C),
    .brand_soft = hex(0xFDF0D2),
    .brand_text = hex(0x7A4A00),
    .warning = hex(0x8A5A00),
    .warning_soft = hex(0xFFF3D6),
    .error = hex(0xB42318),
    .ok = hex(0x0A7350),
    .hatch_line = hex(0xB9BCC2),
    .hatch_ground = hex(0xF1F1EE),
    .bar_positive = hex(0xCB7E4A),
    .bar_negative = hex(0x6394CB),
    .query = role('Q', 0x1A5FCB, 0xE4EDFB),
    .key = role('K', 0xC03F0A, 0xFCE9DF),
    .value = role('V', 0x0A7350, 0xDDF3EA),
    .score = role('S', 0xA31A68, 0xFAE3EF),
    .weight = role('A', 0x4A2496, 0xECE6FA),
    .output = role('O', 0x0B6E83, 0xDDF1F5),
    .mask = role('M', 0x5F6570, 0xECEDEF),
};

constexpr Theme dark_theme{
    .id = ThemeId::dark,
    .dark = true,
    .canvas = hex(0x101114),
    .panel = hex(0x16171B),
    .sunken = hex(0x0B0C0E),
    .line = hex(0x2A2C32),
    .line_strong = hex(0x44474F),
    .text = hex(0xF2F2EF),
    .text_muted = hex(0xB4B8C0),
    .text_faint = hex(0x8E939D),
    .ink = hex(0xF2F2EF),
    .on_ink = hex(0x16171B),
    .brand = hex(0xFFB42E),
    .brand_soft = hex(0x3A2B0C),
    .brand_text = hex(0xFFD27A),
    .warning = hex(0xFFC861),
    .warning_soft = hex(0x33270E),
    .error = hex(0xFF8F85),
    .ok = hex(0x5FD3A4),
    .hatch_line = hex(0x4A4D55),
    .hatch_ground = hex(0x1B1C20),
    .bar_positive = hex(0xB16433),
    .bar_negative = hex(0x437ABC),
    .query = role('Q', 0x6AA6FF, 0x17263F),
    .key = role('K', 0xFF9A6B, 0x3B2116),
    .value = role('V', 0x5FD3A4, 0x12322A),
    .score = role('S', 0xFF8CC3, 0x3A1A2B),
    .weight = role('A', 0xDCCBFF, 0x2A2146),
    .output = role('O', 0x6CD3E6, 0x12303A),
    .mask = role('M', 0xA3A8B2, 0x26282D),
};

constexpr Theme high_contrast_theme{
    .id = ThemeId::high_contrast,
    .dark = false,
    .canvas = hex(0xFFFFFF),
    .panel = hex(0xFFFFFF),
    .sunken = hex(0xF0F0F0),
    .line = hex(0x6B6B6B),
    .line_strong = hex(0x000000),
    .text = hex(0x000000),
    .text_muted = hex(0x1F1F1F),
    .text_faint = hex(0x333333),
    .ink = hex(0x000000),
    .on_ink = hex(0xFFFFFF),
    .brand = hex(0xF2A20C),
    .brand_soft = hex(0xFDF0D2),
    .brand_text = hex(0x4A2C00),
    .warning = hex(0x5A3A00),
    .warning_soft = hex(0xFFF3D6),
    .error = hex(0x7A0C06),
    .ok = hex(0x00492F),
    .hatch_line = hex(0xB9BCC2),
    .hatch_ground = hex(0xF1F1EE),
    .bar_positive = hex(0x8A3F08),
    .bar_negative = hex(0x1F4F96),
    .query = role('Q', 0x0B3E91, 0xE4EDFB),
    .key = role('K', 0x7E2600, 0xFCE9DF),
    .value = role('V', 0x00492F, 0xDDF3EA),
    .score = role('S', 0x700042, 0xFAE3EF),
    .weight = role('A', 0x2E0F7A, 0xECE6FA),
    .output = role('O', 0x00465A, 0xDDF1F5),
    .mask = role('M', 0x33373D, 0xECEDEF),
};

ImVec4 to_imvec4(Color32 color) {
  return ImGui::ColorConvertU32ToFloat4(color);
}

}  // namespace

Color32 with_alpha(Color32 color, float alpha) {
  const float old = static_cast<float>(color >> 24);
  const auto now = static_cast<Color32>(std::lround(old * std::clamp(alpha, 0.0F, 1.0F)));
  return (color & 0x00FFFFFFU) | (now << 24);
}

Color32 mix(Color32 from, Color32 to, float amount) {
  const float t = std::clamp(amount, 0.0F, 1.0F);
  Color32 mixed = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto a = static_cast<float>((from >> shift) & 0xFFU);
    const auto b = static_cast<float>((to >> shift) & 0xFFU);
    mixed |= static_cast<Color32>(std::lround(a + (b - a) * t)) << shift;
  }
  return mixed;
}

const Theme& theme(ThemeId id) {
  switch (id) {
    case ThemeId::dark:
      return dark_theme;
    case ThemeId::high_contrast:
      return high_contrast_theme;
    case ThemeId::light:
      break;
  }
  return light_theme;
}

RoleColors role_colors(const Theme& theme, Role role) {
  switch (role) {
    case Role::query:
      return theme.query;
    case Role::key:
      return theme.key;
    case Role::value:
      return theme.value;
    case Role::score:
      return theme.score;
    case Role::weight:
      return theme.weight;
    case Role::output:
    case Role::position:
      return theme.output;
    case Role::mask:
      return theme.mask;
    case Role::none:
      break;
  }
  return {'\0', theme.text_muted, theme.sunken};
}

void apply_theme(const Theme& theme, float scale) {
  ImGuiStyle style;
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = 0;
  style.WindowRounding = 0;
  style.WindowMinSize = {1, 1};
  style.PopupBorderSize = std::max(1.0F, std::round(scale));
  style.PopupRounding = std::round(8 * scale);
  style.FrameBorderSize = 0;
  style.ItemSpacing = {0, 0};
  style.AntiAliasedLinesUseTex = true;
  style.CurveTessellationTol = 0.6F;
  style.CircleTessellationMaxError = 0.15F;
  style.Colors[ImGuiCol_Text] = to_imvec4(theme.text);
  style.Colors[ImGuiCol_WindowBg] = to_imvec4(theme.canvas);
  style.Colors[ImGuiCol_PopupBg] = to_imvec4(theme.canvas);
  style.Colors[ImGuiCol_Border] = to_imvec4(theme.line_strong);
  style.Colors[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
  style.Colors[ImGuiCol_TextSelectedBg] = to_imvec4(with_alpha(theme.query.main, 0.25F));
  style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, theme.dark ? 0.6F : 0.35F};
  ImGui::GetStyle() = style;
}

}  // namespace headlight::app
