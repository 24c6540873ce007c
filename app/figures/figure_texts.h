// The texts of a figure's settings: what each kind of them may be, as the command line, recipes and the window write
// it.
//
// Not for which settings there are: figure_request.h.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/figures/figure_request.h"
#include "engine/base/words.h"

namespace headlight::app::figure_texts {

// "--width is wide: it must be …"
tl::unexpected<Error> invalid_option(std::string_view key, std::string_view text, std::string_view allowed);

template <class T>
Status set_number(T& target, std::string_view key, std::string_view text, T least, T most, std::string_view what) {
  const auto value = parse_number<T>(text);
  if (!value || !(*value >= least && *value <= most)) return invalid_option(key, text, what);
  target = *value;
  return {};
}

template <class Enum, std::size_t n>
Status set_choice(Enum& target, std::string_view key, std::string_view text,
                  const std::array<std::pair<std::string_view, Enum>, n>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    names.push_back(name);
    if (name != text) continue;
    target = value;
    return {};
  }
  return invalid_option(key, text, fmt::format("one of {}", fmt::join(names, ", ")));
}

template <class Enum, std::size_t n>
std::string choice_text(Enum value, const std::array<std::pair<std::string_view, Enum>, n>& choices) {
  for (const auto& [name, other] : choices)
    if (other == value) return std::string(name);
  return {};
}

inline constexpr std::array<std::pair<std::string_view, Marks>, 3> marks_texts{
    {{"letters", Marks::letters}, {"numbers", Marks::numbers}, {"none", Marks::none}}};
inline constexpr std::array<std::pair<std::string_view, Spacing>, 3> spacing_texts{
    {{"linear", Spacing::linear}, {"log", Spacing::logarithmic}, {"row-max", Spacing::row_max}}};
inline constexpr std::array<std::pair<std::string_view, CellNumbers>, 3> numbers_texts{
    {{"none", CellNumbers::none}, {"top", CellNumbers::top}, {"all", CellNumbers::all}}};

inline constexpr std::array<std::pair<std::string_view, BarPlace>, 4> bar_texts{{{"auto", BarPlace::automatic},
                                                                                 {"beside", BarPlace::beside},
                                                                                 {"below", BarPlace::below},
                                                                                 {"none", BarPlace::none}}};
inline constexpr std::array<std::pair<std::string_view, FigureKind>, 8> kind_texts{{{"auto", FigureKind::automatic},
                                                                                    {"map", FigureKind::map},
                                                                                    {"matrix", FigureKind::matrix},
                                                                                    {"picture", FigureKind::picture},
                                                                                    {"offsets", FigureKind::offsets},
                                                                                    {"bars", FigureKind::bars},
                                                                                    {"lines", FigureKind::lines},
                                                                                    {"layers", FigureKind::layers}}};

Status set_index(std::optional<Index>& target, std::string_view key, std::string_view text);
Status set_flag(bool& target, std::string_view key, std::string_view text);

// Points of "5.5in", "89mm", "14cm", "396pt"; millimetres where no unit is said.
std::optional<double> points_of(std::string_view text);
// The same, or of a venue's name.
std::optional<double> width_points(std::string_view text);
// Keeps the text of a length that comes to `points`.
Status set_length(std::string& target, std::string_view key, std::string_view text, std::optional<double> points);

// "all", "0,3-5"
Status set_heads(std::vector<Index>& heads, std::string_view text);
std::string numbers_text(const std::vector<Index>& numbers);
// "none", "3", or several, "3,17,28"
Status set_queries(FigureRequest& request, std::string_view text);
// "none", "head:2", "step:scores", or a path
Status set_minus(Subtrahend& minus, std::string_view text);
std::string minus_text(const Subtrahend& minus);
// "none", "all" or "0,3-5" of the run itself, or paths with commas; blanks round them mean nothing.
Status set_layers(FigureRequest& request, std::string_view text);
// "auto", "0:1"
Status set_range(std::optional<std::pair<float, float>>& range, std::string_view text);
// "auto", "dusk"
Status set_colors(std::optional<Colormap>& colors, std::string_view text);

}  // namespace headlight::app::figure_texts
