// The names that text forms and files have for the values of enums.
#pragma once

#include <array>

#include "app/actions/action.h"

namespace headlight::app::action_members {

// The names of an enum's values up to the last, in their order.
template <auto last, class... Names>
consteval auto names_up_to(Names... names) {
  static_assert(sizeof...(names) == static_cast<std::size_t>(last) + 1,
                "this enum needs a name for each of its values");
  return std::array<const char*, sizeof...(names)>{names...};
}
template <class Enum>
inline constexpr std::array<const char*, 0> names{};
template <>
inline constexpr auto names<ThemeName> = theme_names;
template <>
inline constexpr auto names<StartWith> = start_names;
template <>
inline constexpr auto names<Covered> = covered_names;
template <>
inline constexpr auto names<Dialog> = names_up_to<Dialog::help>("none", "open", "save", "keys", "leave", "appearance",
                                                                "replace", "arrays", "palette", "menu", "history",
                                                                "save-with-inputs", "notes", "save-training", "help");
template <>
inline constexpr auto names<ParamQuestion> = names_up_to<ParamQuestion::layer>("size", "positions", "visible", "keys",
                                                                               "scores-to-weights", "layer");
template <>
inline constexpr auto names<MenuTarget> = names_up_to<MenuTarget::token>("cell", "row", "head", "token");
template <>
inline constexpr auto names<Decision> = names_up_to<Decision::cancel>("save", "discard", "replace", "other-name",
                                                                      "reload", "cancel");
template <>
inline constexpr auto names<InputKind> = names_up_to<InputKind::array>("text", "image", "frames", "signal", "array");
template <>
inline constexpr auto names<Side> = names_up_to<Side::drawer>("setup", "inspector", "drawer");
template <>
inline constexpr auto names<Screen> = names_up_to<Screen::lessons>("explore", "figure", "worksheet", "compare", "masks",
                                                                   "train", "lessons");
template <>
inline constexpr auto names<ViewMode> = names_up_to<ViewMode::arrows>("map", "matrix", "lines", "numbers", "heads",
                                                                      "mechanism", "layers", "arrows");
template <>
inline constexpr auto names<ContrastView> = names_up_to<ContrastView::blink>("difference", "ratio", "blink");
template <>
inline constexpr auto names<MaskForm> = names_up_to<MaskForm::added>("hidden", "visible", "added");
template <>
inline constexpr auto names<ModelReads> = names_up_to<ModelReads::decoder>("text", "pair", "ids", "picture", "decoder");
template <>
inline constexpr auto names<ModelPart> = names_up_to<ModelPart::vision>("encoder", "decoder", "cross", "text",
                                                                        "vision");
template <>
inline constexpr auto names<HeadMarks> = names_up_to<HeadMarks::off>("ring", "sort", "off");
template <>
inline constexpr auto names<LayersView> = names_up_to<LayersView::relevance>("maps", "token", "rollout", "average",
                                                                             "measure", "rollout-row", "relevance");

template <class T>
concept Named = (names<T>.size() > 0);

}  // namespace headlight::app::action_members
