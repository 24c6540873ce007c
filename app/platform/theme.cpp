#include "app/platform/theme.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight::app {

namespace {

// #RRGGBB in the light, the dark and the high-contrast theme.
using Tones = std::array<std::uint32_t, 3>;

struct Token {
  Color32 Theme::*color;
  Tones tones;
};
constexpr Token tokens[] = {
    {&Theme::canvas, {0xFFFFFF, 0x101114, 0xFFFFFF}},       {&Theme::panel, {0xF6F6F3, 0x16171B, 0xFFFFFF}},
    {&Theme::sunken, {0xEDEDE9, 0x0B0C0E, 0xF0F0F0}},       {&Theme::line, {0xE1E1DC, 0x2A2C32, 0x6B6B6B}},
    {&Theme::line_strong, {0xC4C4BD, 0x44474F, 0x000000}},  {&Theme::text, {0x17181C, 0xF2F2EF, 0x000000}},
    {&Theme::text_muted, {0x4E535D, 0xB4B8C0, 0x1F1F1F}},   {&Theme::text_faint, {0x686D77, 0x8E939D, 0x333333}},
    {&Theme::ink, {0x17181C, 0xF2F2EF, 0x000000}},          {&Theme::on_ink, {0xFFFFFF, 0x16171B, 0xFFFFFF}},
    {&Theme::brand, {0xF2A20C, 0xFFB42E, 0xF2A20C}},        {&Theme::brand_soft, {0xFDF0D2, 0x3A2B0C, 0xFDF0D2}},
    {&Theme::brand_text, {0x7A4A00, 0xFFD27A, 0x4A2C00}},   {&Theme::warning, {0x8A5A00, 0xFFC861, 0x5A3A00}},
    {&Theme::warning_soft, {0xFFF3D6, 0x33270E, 0xFFF3D6}}, {&Theme::error, {0xB42318, 0xFF8F85, 0x7A0C06}},
    {&Theme::ok, {0x0A7350, 0x5FD3A4, 0x00492F}},           {&Theme::hatch_line, {0xB9BCC2, 0x4A4D55, 0xB9BCC2}},
    {&Theme::hatch_ground, {0xF1F1EE, 0x1B1C20, 0xF1F1EE}}, {&Theme::bar_positive, {0xCB7E4A, 0xB16433, 0x8A3F08}},
    {&Theme::bar_negative, {0x6394CB, 0x437ABC, 0x1F4F96}},
};

struct RoleToken {
  Role of;
  RoleColors Theme::*role;
  char badge;
  Tones main, soft;
};
constexpr RoleToken role_tokens[] = {
    {Role::query, &Theme::query, 'Q', {0x1A5FCB, 0x6AA6FF, 0x0B3E91}, {0xE4EDFB, 0x17263F, 0xE4EDFB}},
    {Role::key, &Theme::key, 'K', {0xC03F0A, 0xFF9A6B, 0x7E2600}, {0xFCE9DF, 0x3B2116, 0xFCE9DF}},
    {Role::value, &Theme::value, 'V', {0x0A7350, 0x5FD3A4, 0x00492F}, {0xDDF3EA, 0x12322A, 0xDDF3EA}},
    {Role::score, &Theme::score, 'S', {0xA31A68, 0xFF8CC3, 0x700042}, {0xFAE3EF, 0x3A1A2B, 0xFAE3EF}},
    {Role::weight, &Theme::weight, 'A', {0x4A2496, 0xDCCBFF, 0x2E0F7A}, {0xECE6FA, 0x2A2146, 0xECE6FA}},
    {Role::output, &Theme::output, 'O', {0x0B6E83, 0x6CD3E6, 0x00465A}, {0xDDF1F5, 0x12303A, 0xDDF1F5}},
    {Role::mask, &Theme::mask, 'M', {0x5F6570, 0xA3A8B2, 0x33373D}, {0xECEDEF, 0x26282D, 0xECEDEF}},
};

constexpr Theme make_theme(ThemeId id) {
  const auto at = static_cast<std::size_t>(id);
  Theme made{};
  made.id = id;
  made.dark = id == ThemeId::dark;
  for (const Token& token : tokens) made.*token.color = hex(token.tones[at]);
  for (const RoleToken& token : role_tokens) made.*token.role = {token.badge, hex(token.main[at]), hex(token.soft[at])};
  return made;
}

constexpr Theme themes[] = {make_theme(ThemeId::light), make_theme(ThemeId::dark), make_theme(ThemeId::high_contrast)};

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
  return themes[static_cast<std::size_t>(id)];
}

RoleColors role_colors(const Theme& theme, Role role) {
  if (role == Role::position) role = Role::output;
  for (const RoleToken& token : role_tokens)
    if (token.of == role) return theme.*token.role;
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
