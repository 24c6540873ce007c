#include "engine/run/given_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/natural_order.h"
#include "engine/io/file.h"
#include "engine/run/map_positions.h"
#include "engine/run/sparse_maps.h"

namespace headlight {

namespace {

constexpr std::string_view order = "lbhqkyxYXw";

std::string word_of(char letter) {
  constexpr std::array<const char*, order.size()> words{
      "layers", "batch",   "heads",        "queries",         "keys",
      "rows",   "columns", "rows of keys", "columns of keys", "keys of a window"};
  return words[order.find(letter)];
}

}  // namespace

const std::vector<std::string>& map_axes_of_rank(std::size_t rank) {
  static const std::array<std::vector<std::string>, 6> known{{{},
                                                              {},
                                                              {"qk", "kq"},
                                                              {"hqk", "lqk", "bqk", "qkh", "hqw"},
                                                              {"lhqk", "bhqk", "hlqk", "lbqk", "hyxk", "lhqw", "bhqw"},
                                                              {"lbhqk", "blhqk", "lhyxk", "bhyxk", "lbhqw"}}};
  return known[rank < known.size() ? rank : 0];
}

std::string map_axes_in_words(std::string_view axes) {
  std::vector<std::string> words;
  for (const char letter : axes) words.push_back(word_of(letter));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string map_axes_in_words(std::string_view axes, const Shape& shape) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::string word = axes[i] == 'b' ? "items" : word_of(axes[i]);
    if (shape[i] == 1 && order.find(axes[i]) < 5) word = axes[i] == 'q' ? "query" : word.substr(0, word.size() - 1);
    parts.push_back(fmt::format("{} {}", shape[i], word));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string usual_map_axes(const Shape& shape, bool several) {
  constexpr std::array<const char*, 4> alone{"qk", "hqk", "lhqk", "lbhqk"};
  if (shape.size() == 4 && (several || shape[0] == 1)) return "bhqk";
  return shape.size() >= 2 && shape.size() <= 5 && !(several && shape.size() == 5) ? alone[shape.size() - 2] : "";
}

namespace {

// The array as (L, B, M, n_q, n_k), where queries and keys may be rows and columns of a picture.
struct MapsInFile {
  struct Along {
    Index extent = 1, stride = 0;
  };
  struct Places {
    Along rows, columns;
    Index count() const { return rows.extent * columns.extent; }
    Index at(Index i) const { return i / columns.extent * rows.stride + i % columns.extent * columns.stride; }
    std::optional<GridSize> grid;
  };
  const Tensor& array;
  Along layers, items, heads;
  Places queries, keys;

  MapsInFile(const Tensor& given, std::string_view axes) : array(given) {
    const auto along = [&](char letter) {
      const auto found = axes.find(letter);
      if (found == std::string_view::npos) return Along{};
      Along result{given.shape()[found], 1};
      for (std::size_t i = found + 1; i < axes.size(); ++i) result.stride *= given.shape()[i];
      return result;
    };
    const auto places = [&](char one, char row, char column) {
      if (axes.find(row) == std::string_view::npos) return Places{{}, along(one), {}};
      return Places{along(row), along(column), GridSize{along(row).extent, along(column).extent}};
    };
    layers = along('l');
    items = along('b');
    heads = along('h');
    queries = places('q', 'y', 'x');
    keys = places(axes.find('w') == std::string_view::npos ? 'k' : 'w', 'Y', 'X');
  }
  std::shared_ptr<const Tensor> layer(Index l) const {
    auto result =
        std::make_shared<Tensor>(Tensor::uninitialized({items.extent, heads.extent, queries.count(), keys.count()}));
    std::vector<Index> key_at(static_cast<std::size_t>(keys.count()));
    for (std::size_t j = 0; j < key_at.size(); ++j) key_at[j] = keys.at(static_cast<Index>(j));
    Index to = 0;
    for (Index b = 0; b < items.extent; ++b)
      for (Index m = 0; m < heads.extent; ++m)
        for (Index i = 0; i < queries.count(); ++i) {
          const float* row = array.data() + l * layers.stride + b * items.stride + m * heads.stride + queries.at(i);
          for (const Index at : key_at) (*result)[to++] = row[at];
        }
    return result;
  }
};

Status check_shape(const Shape& shape, const std::string& axes, bool several, const std::string& file) {
  if (axes.empty())
    return fail(
        "{} has shape {}: attention has 2 to 5 axes, (queries, keys) to (layers, batch, heads, queries, keys){}", file,
        to_string(shape), several ? ", and 4 where layers are arrays of their own" : "");
  if (axes.size() != shape.size())
    return fail("{} has shape {}, but axes \"{}\" names {}", file, to_string(shape), axes, axes.size());
  if (std::ranges::count(shape, 0) > 0) return fail("{} has shape {}: there is nothing in it", file, to_string(shape));
  return {};
}

bool matches(std::string_view name, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const auto rest = pattern.substr(star + 1);
  for (std::size_t i = star; i <= name.size(); ++i)
    if (matches(name.substr(i), rest)) return true;
  return false;
}

std::vector<std::string> names_in_order(const ReadArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  std::ranges::sort(names, [](const auto& a, const auto& b) { return natural_order(a, b) < 0; });
  return names;
}

constexpr std::string_view of_global_tokens = "global_attentions";

}  // namespace

bool is_global_attention(std::string_view name) {
  return name.find(of_global_tokens) != std::string_view::npos;
}

std::string window_hint(const std::vector<std::pair<std::string, Shape>>& all, const std::string& member) {
  for (const auto& [name, shape] : all) {
    const auto at = name.find(of_global_tokens);
    if (at == std::string::npos || shape.size() < 2) continue;
    const std::string rows = std::string(name).erase(at, std::string_view("global_").size());
    const auto found = std::ranges::find(all, rows, [](const auto& one) { return one.first; });
    if (found == all.end() || !matches(rows, member) || found->second.size() != shape.size() ||
        found->second[shape.size() - 2] != shape[shape.size() - 2] || found->second.back() <= shape.back())
      continue;
    std::string axes = usual_map_axes(shape, rows != member);
    if (!axes.empty()) axes.back() = 'w';
    return fmt::format(
        "{} has {} columns, first those of {} global token{} ({}), then of a window round each query: "
        "give axes \"{}\" (--axes) and their places as global_tokens (--global-tokens), such as 0",
        one_line(rows), found->second.back(), shape.back(), shape.back() == 1 ? "" : "s", one_line(name), axes);
  }
  return {};
}

Result<ReadArrays> members_of(const ReadArrays& arrays, const std::string& member, const std::string& file) {
  if (member.empty()) return arrays;
  ReadArrays found;
  if (std::ranges::count(member, '*') > 4) return fail("member \"{}\" has more than four *", one_line(member));
  for (const auto& [name, array] : arrays)
    if (matches(name, member)) found.emplace(name, array);
  if (found.empty())
    return fail("{} holds no array {}: it has {}", file, one_line(member), brief_list(names_in_order(arrays)));
  return found;
}

namespace {

// "a.0.b.12" → {"a.", ".b.", ""} and {0, 12}. Numbers of more digits than an index has are text.
struct NumberedName {
  std::vector<std::string> text{""};
  std::vector<Index> numbers;

  explicit NumberedName(std::string_view name) {
    while (!name.empty()) {
      Index number = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error == std::errc() && number >= 0 && name.front() != '-') {
        numbers.push_back(number);
        text.emplace_back();
        name.remove_prefix(static_cast<std::size_t>(end - name.data()));
      } else {
        text.back() += name.front();
        name.remove_prefix(1);
      }
    }
  }
};

// Which of the numbers of such names differ between them; nothing where names are not alike but for numbers.
std::optional<std::vector<std::size_t>> varying_numbers(const std::vector<NumberedName>& names) {
  std::vector<std::size_t> varying;
  for (const NumberedName& name : names)
    if (name.text != names.front().text) return std::nullopt;
  for (std::size_t i = 0; i < names.front().numbers.size(); ++i)
    if (std::ranges::any_of(names, [&](const auto& name) { return name.numbers[i] != names.front().numbers[i]; }))
      varying.push_back(i);
  return varying;
}

}  // namespace

std::optional<GeneratedSteps> generated_steps(const std::vector<std::pair<std::string, Shape>>& names) {
  if (names.size() < 2) return std::nullopt;
  std::vector<NumberedName> numbered;
  for (const auto& [name, shape] : names) numbered.emplace_back(name);
  const auto varying = varying_numbers(numbered);
  if (!varying || varying->size() > 2 || varying->empty()) return std::nullopt;
  const std::size_t step_at = varying->front();
  // A model of one layer has one number that differs, and then keys must grow for it to be a step.
  const bool one_layer = varying->size() == 1;
  const auto layer_of = [&](std::size_t i) { return one_layer ? Index{0} : numbered[i].numbers[varying->back()]; };
  GeneratedSteps found;
  Index step = -1, rows = 0, grown = 0, same = 0, count = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Shape& shape = names[i].second;
    if (shape.size() != 4 || shape[0] != names[0].second[0] || shape[1] != names[0].second[1]) return std::nullopt;
    const bool begins = i == 0 || numbered[i].numbers[step_at] != numbered[i - 1].numbers[step_at];
    if (begins) {
      if (numbered[i].numbers[step_at] != ++step || layer_of(i) != 0) return std::nullopt;
      if (i > 0 && layer_of(i - 1) + 1 != static_cast<Index>(found.layers.size())) return std::nullopt;
      rows = shape[2];
      if (step > 0 && rows != 1) return std::nullopt;
      found.queries += rows;
      grown += shape[3] == found.keys + (step == 0 ? shape[3] : rows);
      same += step == 0 || shape[3] == found.keys;
      found.keys = shape[3];
      ++count;
    }
    if (shape[2] != rows || shape[3] != found.keys) return std::nullopt;
    const Index layer = layer_of(i);
    if (step == 0 && layer == static_cast<Index>(found.layers.size())) found.layers.emplace_back();
    if (layer < 0 || layer >= static_cast<Index>(found.layers.size()) ||
        static_cast<Index>(found.layers[static_cast<std::size_t>(layer)].size()) != step)
      return std::nullopt;
    found.layers[static_cast<std::size_t>(layer)].push_back(names[i].first);
  }
  const bool whole =
      std::ranges::all_of(found.layers, [&](const auto& layer) { return static_cast<Index>(layer.size()) == count; });
  if (!whole || count < 2 || (grown != count && (same != count || one_layer))) return std::nullopt;
  return found;
}

namespace {

// One map a layer, a row for each query of each step; keys that a step did not have are 0.
Result<GivenMaps> joined(const ReadArrays& arrays, const GeneratedSteps& steps, float absent, const std::string& file) {
  GivenMaps maps;
  const Shape& first = arrays.find(steps.layers.front().front())->second.values->shape();
  HL_CHECK(check_memory(sizeof(float) * static_cast<double>(steps.layers.size()) *
                            static_cast<double>(first[0] * first[1]) * static_cast<double>(steps.queries) *
                            static_cast<double>(steps.keys),
                        file));
  maps.shape = first;
  maps.axes = map_axes_in_words("bhqk");
  maps.layered = true;
  for (const auto& names : steps.layers) {
    auto layer = std::make_shared<Tensor>(Tensor::uninitialized({first[0], first[1], steps.queries, steps.keys}));
    std::ranges::fill(layer->values(), absent);
    Index before = 0;
    for (const std::string& name : names) {
      const Tensor& step = *arrays.find(name)->second.values;
      const Index rows = step.dim(2), keys = step.dim(3);
      for (Index of = 0; of < first[0] * first[1]; ++of)
        for (Index i = 0; i < rows; ++i)
          std::copy_n(step.data() + (of * rows + i) * keys, keys,
                      layer->data() + (of * steps.queries + before + i) * steps.keys);
      before += rows;
    }
    maps.layers.push_back(std::move(layer));
  }
  maps.notices.push_back(fmt::format(
      "{}: the {} steps of a generated text are joined to one map a layer, {} × {}: a row for each query of "
      "each step, and {} for keys that a step did not have yet",
      file, steps.layers.front().size(), steps.queries, steps.keys, absent == 0 ? "0" : "no score"));
  return maps;
}

// Cross-attention, and that of the other stack, are no further layers.
Status check_one_kind(const std::vector<std::string>& names, const std::string& file) {
  for (const std::string_view kind :
       {std::string_view("cross"), std::string_view("encoder"), std::string_view("decoder"), of_global_tokens}) {
    const auto is_of_kind = [&](const std::string& name) { return name.find(kind) != std::string::npos; };
    const auto one = std::ranges::find_if(names, is_of_kind), other = std::ranges::find_if_not(names, is_of_kind);
    if (one != names.end() && other != names.end())
      return fail("{}: {} and {} are attention of two kinds: name one with \"member\"", file, one_line(*one),
                  one_line(*other));
  }
  return {};
}

// Several numbers in names that are no steps say more than which layer it is.
void note_several_numbers(GivenMaps& maps, const std::vector<std::string>& names, const std::string& file) {
  std::vector<NumberedName> numbered;
  for (const std::string& name : names) numbered.emplace_back(name);
  const auto varying = varying_numbers(numbered);
  if (varying && varying->size() > 1)
    maps.notices.push_back(
        fmt::format("{}: arrays that differ by {} numbers, {} to {}, are taken as {} layers in this "
                    "order: name fewer with \"member\"",
                    file, varying->size(), one_line(names.front()), one_line(names.back()), names.size()));
}

// Those of global tokens have keys down and queries across.
void swap_global_axes(std::string& letters, const std::string& name, const std::string& file, GivenMaps& maps) {
  std::swap(letters.back(), letters[letters.size() - 2]);
  maps.notices.push_back(fmt::format("{}: {} has a column for each global token, which asks, and a row for each key",
                                     file, one_line(name)));
}

// The keys of windows to all keys.
Status expand_windows(GivenMaps& maps, const MapMeaning& meaning, const std::string& file) {
  const Index n = maps.layers.front()->dim(2), columns = maps.layers.front()->dim(3);
  std::vector<Index> global_tokens;
  if (!meaning.global_tokens.empty()) {
    HL_TRY(global_tokens, positions_in(meaning.global_tokens, n, file + ": global_tokens"));
  }
  for (auto& layer : maps.layers) {
    HL_TRY(layer, spread_windows(*layer, global_tokens, meaning.absent, file));
  }
  const auto globals = static_cast<Index>(global_tokens.size());
  maps.notices.push_back(fmt::format("{}: the {} keys round each query are put among all {}: others have {}", file,
                                     columns - globals, n, meaning.absent == 0 ? "0" : "no score"));
  if (globals > 0)
    maps.notices.back() += fmt::format(
        "; columns of the global tokens {} stand before them, and rows of those are in an array of their "
        "own (global_attentions)",
        ranges_in_words(global_tokens));
  return {};
}

}  // namespace

Result<GivenMaps> given_maps(const ReadArrays& arrays, const MapMeaning& meaning, const std::string& file) {
  const std::string& axes = meaning.axes;
  if (arrays.empty()) return fail("{} holds no array", file);
  if (!meaning.global_tokens.empty() && axes.find('w') == std::string::npos)
    return fail("{}: global_tokens is of keys of a window: {}", file,
                axes.empty() ? "say its axes, such as bhqw" : fmt::format("axes \"{}\" have no w", axes));
  const auto names = names_in_order(arrays);
  const bool several = names.size() > 1;
  HL_CHECK(check_one_kind(names, file));
  if (several && axes.empty()) {
    std::vector<std::pair<std::string, Shape>> shapes;
    for (const std::string& name : names) shapes.emplace_back(name, arrays.find(name)->second.values->shape());
    if (const auto steps = generated_steps(shapes)) {
      if (static_cast<Index>(steps->layers.size()) > most_layers)
        return fail("{} has more than {} layers", file, most_layers);
      return joined(arrays, *steps, meaning.absent, file);
    }
    if (const auto edges = edges_among(arrays)) return maps_of_edges(arrays, names, *edges, meaning.absent, file);
  }
  const Shape& shape = arrays.find(names.front())->second.values->shape();
  for (const std::string& name : names)
    if (const Shape& other = arrays.find(name)->second.values->shape(); other != shape)
      return fail("{}: {} is {} and {} {}: name one with \"member\"", file, one_line(names.front()), to_string(shape),
                  one_line(name), to_string(other));
  GivenMaps maps;
  maps.shape = shape;
  std::string letters = axes.empty() ? usual_map_axes(shape, several) : axes;
  const bool of_globals = axes.empty() && letters.size() > 1 && is_global_attention(names.front());
  if (of_globals) swap_global_axes(letters, names.front(), file, maps);
  HL_CHECK(check_shape(shape, letters, several, file));
  maps.axes = map_axes_in_words(letters);
  const bool layers_inside = letters.find('l') != std::string::npos;
  if (several && layers_inside)
    return fail("{}: axes \"{}\" names layers, but each of its {} arrays is a layer", file, letters, names.size());
  if (axes.empty() && !of_globals && !several && (shape.size() == 5 || (shape.size() == 4 && letters == "bhqk")))
    maps.notices.push_back(fmt::format("{} has shape {}: taken as {}", file, to_string(shape), maps.axes));
  maps.layered = several || layers_inside;
  if (several) note_several_numbers(maps, names, file);
  // They are laid out again beside what was read.
  HL_CHECK(check_memory(static_cast<double>(names.size() * sizeof(float)) *
                            static_cast<double>(arrays.find(names.front())->second.values->size()),
                        file));
  for (const std::string& name : names) {
    const MapsInFile in_file(*arrays.find(name)->second.values, letters);
    if (static_cast<Index>(names.size()) * in_file.layers.extent > most_layers)
      return fail("{} has more than {} layers", file, most_layers);
    for (Index l = 0; l < in_file.layers.extent; ++l) maps.layers.push_back(in_file.layer(l));
    maps.query_grid = in_file.queries.grid;
    maps.key_grid = in_file.keys.grid;
  }
  if (letters.find('w') != std::string::npos) {
    HL_CHECK(expand_windows(maps, meaning, file));
  } else if (axes.empty() && !of_globals && look_like_windows(*maps.layers.front())) {
    maps.notices.push_back(fmt::format(
        "{}: its {} keys may be those of a window round each query, as Longformer's are: axes (--axes) \"{}\" "
        "spreads them over all {}",
        file, shape.back(), letters.substr(0, letters.size() - 1) + 'w', shape[shape.size() - 2]));
  }
  return maps;
}

}  // namespace headlight
