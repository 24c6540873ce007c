#include "app/figures/figure_texts.h"

#include <fmt/ranges.h>

#include <cmath>

#include "engine/base/words.h"

namespace headlight::app::figure_texts {

namespace {

constexpr Index most_heads = 4096;
constexpr std::size_t most_layers_of_run = 512;
constexpr std::string_view minus_head = "head:", minus_step = "step:";

}  // namespace

tl::unexpected<Error> invalid_option(std::string_view key, std::string_view text, std::string_view allowed) {
  return fail("--{} is {}: it must be {}", key, text.empty() ? "empty" : brief(text), allowed);
}

Status set_index(std::optional<Index>& target, std::string_view key, std::string_view text) {
  target.reset();
  if (text == "none") return {};
  const auto value = parse_number<Index>(text);
  if (!value || *value < 0) return invalid_option(key, text, "a number counted from 0, or none");
  target = *value;
  return {};
}

Status set_flag(bool& target, std::string_view key, std::string_view text) {
  if (text != "true" && text != "false") return invalid_option(key, text, "true or false");
  target = text == "true";
  return {};
}

std::optional<double> points_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"in", points_per_inch}, {"mm", points_per_mm}, {"cm", 10 * points_per_mm}, {"pt", 1}}};
  double unit = points_per_mm;
  for (const auto& [name, points] : units)
    if (text.ends_with(name)) {
      unit = points;
      text.remove_suffix(name.size());
      break;
    }
  const auto value = parse_number<double>(text);
  return value ? std::optional(*value * unit) : std::nullopt;
}

std::optional<double> width_points(std::string_view text) {
  for (const auto& preset : width_presets)
    if (preset.id == text) return preset.points;
  return points_of(text);
}

Status set_length(std::string& target, std::string_view key, std::string_view text, std::optional<double> points) {
  std::vector<std::string_view> presets;
  for (const auto& preset : width_presets) presets.push_back(preset.id);
  if (!points || !(*points >= 72 && *points <= 5760))
    return invalid_option(
        key, text,
        key == "width" ? fmt::format("a length from 1in to 80in such as 89mm (a bare number is mm), or one of {}",
                                     fmt::join(presets, ", "))
                       : std::string("a length from 1in to 80in such as 170mm"));
  target = std::string(text);
  return {};
}

namespace {

// Numbers counted from 0; none: "all". False where that is not what the text is.
bool read_numbers(std::vector<Index>& numbers, std::string_view text) {
  numbers.clear();
  if (text == "all") return true;
  for (const auto part : split(text, ",")) {
    const auto ends = split(part, "-");
    const auto first = parse_number<Index>(ends.front()), last = parse_number<Index>(ends.back());
    if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first || *last - *first > most_heads) return false;
    for (Index number = *first; number <= *last; ++number) numbers.push_back(number);
    if (static_cast<Index>(numbers.size()) > most_heads) return false;
  }
  return true;
}

}  // namespace

Status set_heads(std::vector<Index>& heads, std::string_view text) {
  if (read_numbers(heads, text)) return {};
  return invalid_option("head", text, "all, or numbers counted from 0, such as 2 or 0,3-5");
}

std::string numbers_text(const std::vector<Index>& numbers) {
  return numbers.empty() ? std::string("all") : fmt::format("{}", fmt::join(numbers, ","));
}

Status set_queries(FigureRequest& request, std::string_view text) {
  constexpr std::size_t most = 64;  // in one figure
  request.queries.clear();
  if (text.find_first_of(",-") == std::string_view::npos) return set_index(request.query, "query", text);
  request.query.reset();
  std::vector<Index> queries;
  if (!read_numbers(queries, text) || queries.empty())
    return invalid_option("query", text, "a number counted from 0, or several, such as 3,17,28, or none");
  if (queries.size() > most) return invalid_option("query", text, fmt::format("at most {} queries", most));
  request.query = queries.front();
  if (queries.size() > 1) request.queries = std::move(queries);
  return {};
}

Status set_minus(Subtrahend& minus, std::string_view text) {
  using What = Subtrahend::What;
  minus = {};
  if (text == "none") return {};
  constexpr std::string_view allowed = "none, head:2 (counted from 0), step:scores, or the file of an experiment";
  if (text.starts_with(minus_head)) {
    const auto head = parse_number<Index>(text.substr(minus_head.size()));
    if (!head || *head < 0) return invalid_option("minus", text, allowed);
    minus = {What::head, *head, ""};
    return {};
  }
  const bool step = text.starts_with(minus_step);
  const std::string name(step ? text.substr(minus_step.size()) : text);
  if (name.empty()) return invalid_option("minus", text, allowed);
  minus = {step ? What::step : What::experiment, 0, name};
  return {};
}

std::string minus_text(const Subtrahend& minus) {
  switch (minus.what) {
    case Subtrahend::What::head:
      return fmt::format("{}{}", minus_head, minus.head);
    case Subtrahend::What::step:
      return fmt::format("{}{}", minus_step, minus.name);
    case Subtrahend::What::experiment:
      return minus.name;
    default:
      return "none";
  }
}

Status set_layers(FigureRequest& request, std::string_view text) {
  request.layers.clear();
  request.run_layers.reset();
  if (text == "none") return {};
  if (std::vector<Index> numbers; read_numbers(numbers, text)) {
    if (numbers.size() > most_layers_of_run)
      return invalid_option("layers", text, fmt::format("at most {} layers", most_layers_of_run));
    request.run_layers = std::move(numbers);
    return {};
  }
  for (std::string_view path : split(text, ",")) {
    while (path.starts_with(' ')) path.remove_prefix(1);
    while (path.ends_with(' ')) path.remove_suffix(1);
    if (std::vector<Index> numbers; read_numbers(numbers, path))
      return invalid_option("layers", text,
                            "all or numbers counted from 0, such as 0,3-5, or files of experiments alone");
    if (!path.empty()) request.layers.emplace_back(path);
  }
  constexpr std::size_t most = 64;  // in one figure
  if (request.layers.size() > most) return invalid_option("layers", text, fmt::format("at most {}", most));
  return {};
}

Status set_range(std::optional<std::pair<float, float>>& range, std::string_view text) {
  range.reset();
  if (text == "auto") return {};
  const auto ends = split(text, ":");
  const auto low = parse_number<float>(ends.front()), high = parse_number<float>(ends.back());
  if (ends.size() != 2 || !low || !high || !(*low < *high) || !std::isfinite(*low) || !std::isfinite(*high))
    return invalid_option("range", text, "auto, or LOW:HIGH such as 0:1");
  range = {*low, *high};
  return {};
}

Status set_colors(std::optional<Colormap>& colors, std::string_view text) {
  colors.reset();
  if (text == "auto") return {};
  colors = colormap_named(text);
  if (colors) return {};
  std::vector<std::string_view> names{"auto"};
  for (const Colormap map : all_colormaps) names.push_back(to_string(map));
  return invalid_option("colors", text, fmt::format("one of {}", fmt::join(names, ", ")));
}

}  // namespace headlight::app::figure_texts
