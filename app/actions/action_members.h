// How each kind of member of an action is written and read, as words of one line. An action that has a member of
// another kind does not compile until it is said here.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/actions/action.h"
#include "engine/core/system/paths.h"

namespace headlight::app::action_members {

// Words of one line, taken from the front. The first is the action's.
struct Words {
  std::string_view rest;
  std::string_view verb = {};  // for errors

  std::string_view next();
  std::string_view peek() const { return Words{rest}.next(); }
  std::string remaining();
  // With its spaces, but for the one that parts it from the word before.
  std::string exactly();
  bool at_end() const { return rest.find_first_not_of(' ') == std::string_view::npos; }
};

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
inline constexpr auto names<Covered> = covered_names;
template <>
inline constexpr auto names<Dialog> = names_up_to<Dialog::notes>("none", "open", "save", "keys", "leave", "appearance",
                                                                 "replace", "arrays", "palette", "menu", "history",
                                                                 "save-with-inputs", "notes");
template <>
inline constexpr auto names<ParamQuestion> = names_up_to<ParamQuestion::layer>("size", "positions", "visible", "keys",
                                                                               "scores-to-weights", "layer");
template <>
inline constexpr auto names<MenuOf> = names_up_to<MenuOf::token>("cell", "row", "head", "token");
template <>
inline constexpr auto names<Decision> = names_up_to<Decision::cancel>("save", "discard", "replace", "other-name",
                                                                      "reload", "cancel");
template <>
inline constexpr auto names<InputKind> = names_up_to<InputKind::array>("text", "image", "frames", "signal", "array");
template <>
inline constexpr auto names<Side> = names_up_to<Side::drawer>("setup", "inspector", "drawer");
template <>
inline constexpr auto names<Screen> = names_up_to<Screen::masks>("explore", "figure", "worksheet", "compare", "masks");
template <>
inline constexpr auto names<ViewMode> = names_up_to<ViewMode::layers>("map", "matrix", "lines", "numbers", "heads",
                                                                      "mechanism", "layers");
template <>
inline constexpr auto names<ContrastView> = names_up_to<ContrastView::blink>("difference", "ratio", "blink");
template <>
inline constexpr auto names<MaskForm> = names_up_to<MaskForm::added>("hidden", "visible", "added");
template <>
inline constexpr auto names<ModelReads> = names_up_to<ModelReads::decoder>("text", "pair", "ids", "picture", "decoder");
template <>
inline constexpr auto names<ModelPart> = names_up_to<ModelPart::cross>("encoder", "decoder", "cross");
template <>
inline constexpr auto names<HeadMarks> = names_up_to<HeadMarks::off>("ring", "sort", "off");
template <>
inline constexpr auto names<LayersView> = names_up_to<LayersView::measure>("maps", "token", "rollout", "average",
                                                                           "measure");

template <class T>
concept Named = (names<T>.size() > 0);
template <class T>
concept Number = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

// ---- Writing. Nothing: an empty text.

inline std::string write(bool on) {
  return on ? "on" : "off";
}
template <Number T>
std::string write(T number) {
  return fmt::format("{}", number);
}
inline std::string write(const std::string& text) {
  return text;
}
inline std::string write(const std::filesystem::path& path) {
  return utf8(path);
}
template <Named T>
std::string write(T value) {
  return names<T>[static_cast<std::size_t>(value)];
}
inline std::string write(Language language) {
  return std::string(id_of(language));
}
std::string write(FigureFormat format);
std::string write(const HeadOrder& order);  // "number", "induction"
std::string write(GridSize size);
std::string write(const TokenAt& token);  // "x_q 3"
std::string write(const ParamValue& value);
std::string write(const Scaling& scaling);
std::string write(const Selection& selection);
std::string write(const std::optional<Hover>& hover);
std::string write(const std::optional<Arrangement>& arrangement);
std::string write(const Edit& edit);
std::string write(const InputSpec& spec);
std::string write(const std::vector<std::string>& list);  // "one" for none

// ---- Reading.

template <Number T>
Status read(Words& words, T& into) {
  const auto word = words.next();
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
  if (word.empty() || error != std::errc() || end != word.data() + word.size())
    return fail("{}: \"{}\" is not a number", words.verb, word);
  return {};
}
template <Named T>
Status read(Words& words, T& into) {
  const auto word = words.next();
  const auto found = std::ranges::find(names<T>, word);
  if (found == names<T>.end()) return fail("{}: \"{}\" must be one of {}", words.verb, word, fmt::join(names<T>, ", "));
  into = static_cast<T>(found - names<T>.begin());
  return {};
}
Status read(Words& words, bool& into);
Status read(Words& words, std::string& into);  // all that remains
Status read(Words& words, std::filesystem::path& into);
Status read(Words& words, Language& into);
Status read(Words& words, FigureFormat& into);
Status read(Words& words, HeadOrder& into);
Status read(Words& words, GridSize& into);
Status read(Words& words, TokenAt& into);
Status read(Words& words, ParamValue& into);
Status read(Words& words, Scaling& into);
Status read(Words& words, Selection& into);
Status read(Words& words, std::optional<Hover>& into);
Status read(Words& words, std::optional<Arrangement>& into);
Status read(Words& words, Edit& into);
Status read(Words& words, InputSpec& into);
Status read(Words& words, std::vector<std::string>& into);

}  // namespace headlight::app::action_members
