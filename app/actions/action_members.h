// How each kind of member of an action is written and read, as words of one line. An action that has a member of
// another kind does not compile until it is said here.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// The names of an enum's values, in their order.
constexpr auto names_of(ThemeName) {
  return theme_names;
}
constexpr auto names_of(Dialog) {
  return std::array{"none",    "open",   "save",    "keys", "leave",   "appearance",
                    "replace", "arrays", "palette", "menu", "history", "save-with-inputs",
                    "notes"};
}
constexpr auto names_of(ParamQuestion) {
  return std::array{"size", "positions", "visible", "keys", "scores-to-weights", "layer"};
}
constexpr auto names_of(MenuOf) {
  return std::array{"cell", "row", "head", "token"};
}
constexpr auto names_of(Decision) {
  return std::array{"save", "discard", "replace", "other-name", "reload", "cancel"};
}
constexpr auto names_of(InputKind) {
  return std::array{"text", "image", "frames", "signal", "array"};
}
constexpr auto names_of(Side) {
  return std::array{"setup", "inspector", "drawer"};
}
constexpr auto names_of(Screen) {
  return std::array{"explore", "figure", "worksheet", "compare", "masks"};
}
constexpr auto names_of(ViewMode) {
  return std::array{"map", "matrix", "lines", "numbers", "heads", "mechanism", "layers"};
}
constexpr auto names_of(ContrastView) {
  return std::array{"difference", "ratio", "blink"};
}
constexpr auto names_of(MaskForm) {
  return std::array{"hidden", "visible", "added"};
}
constexpr auto names_of(Covered) {
  return covered_names;
}
constexpr auto names_of(ModelReads) {
  return std::array{"text", "pair", "ids", "picture", "decoder"};
}
constexpr auto names_of(ModelPart) {
  return std::array{"encoder", "decoder", "cross"};
}
constexpr auto names_of(HeadMarks) {
  return std::array{"ring", "sort", "off"};
}
constexpr auto names_of(LayersView) {
  return std::array{"maps", "token", "rollout", "average", "measure"};
}
// As many names as there are values up to the last.
template <class Enum>
consteval bool names_all(Enum last) {
  return names_of(last).size() == static_cast<std::size_t>(last) + 1;
}
static_assert(names_all(ThemeName::high_contrast) && names_all(Dialog::notes) && names_all(MenuOf::token) &&
              names_all(ParamQuestion::layer) && names_all(Decision::cancel) && names_all(InputKind::array) &&
              names_all(Side::drawer) && names_all(Screen::masks) && names_all(MaskForm::added) &&
              names_all(ViewMode::layers) && names_all(ContrastView::blink) && names_all(Covered::head) &&
              names_all(ModelReads::decoder) && names_all(ModelPart::cross) && names_all(HeadMarks::off) &&
              names_all(LayersView::measure));

template <class T>
concept Named = std::is_enum_v<T> && requires(T value) {
  names_of(value);
};
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
  return names_of(value)[static_cast<std::size_t>(value)];
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
  constexpr auto names = names_of(T());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (word == names[i]) {
      into = static_cast<T>(i);
      return {};
    }
  return fail("{}: \"{}\" must be one of {}", words.verb, word, fmt::join(names, ", "));
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
