#include "engine/run/given_maps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/core/natural_order.h"
#include "engine/core/words.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr std::string_view order = "lbhqk";

std::string word_of(char letter) {
  constexpr std::array<const char*, order.size()> words{"layers", "batch", "heads", "queries", "keys"};
  return words[order.find(letter)];
}

}  // namespace

const std::vector<std::string>& map_axes_of_rank(std::size_t rank) {
  static const std::array<std::vector<std::string>, 6> known{
      {{}, {}, {"qk", "kq"}, {"hqk", "lqk", "bqk", "qkh"}, {"lhqk", "bhqk", "hlqk", "lbqk"}, {"lbhqk", "blhqk"}}};
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
    if (shape[i] == 1) word = axes[i] == 'q' ? "query" : word.substr(0, word.size() - 1);
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

// The array as (L, B, M, n_q, n_k).
struct MapsInFile {
  const Tensor& array;
  std::array<Index, 5> extents{1, 1, 1, 1, 1};
  std::array<Index, 5> strides{0, 0, 0, 0, 0};

  MapsInFile(const Tensor& given, std::string_view axes) : array(given) {
    Index stride = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const auto to = order.find(axes[i]);
      extents[to] = given.shape()[i];
      strides[to] = stride;
      stride *= given.shape()[i];
    }
  }
  std::shared_ptr<const Tensor> layer(Index l) const {
    const auto [layers, items, heads, queries, keys] = extents;
    auto result = std::make_shared<Tensor>(Tensor::uninitialized({items, heads, queries, keys}));
    Index to = 0;
    for (Index b = 0; b < items; ++b)
      for (Index m = 0; m < heads; ++m)
        for (Index i = 0; i < queries; ++i) {
          const float* row = array.data() + l * strides[0] + b * strides[1] + m * strides[2] + i * strides[3];
          for (Index j = 0; j < keys; ++j) (*result)[to++] = row[j * strides[4]];
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

}  // namespace

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

Result<GivenMaps> given_maps(const ReadArrays& arrays, const std::string& axes, const std::string& file) {
  if (arrays.empty()) return fail("{} holds no array", file);
  const auto names = names_in_order(arrays);
  const bool several = names.size() > 1;
  const Shape& shape = arrays.find(names.front())->second.values->shape();
  for (const std::string& name : names)
    if (const Shape& other = arrays.find(name)->second.values->shape(); other != shape)
      return fail("{}: {} is {} and {} {}: name one with \"member\"", file, one_line(names.front()), to_string(shape),
                  one_line(name), to_string(other));
  GivenMaps maps;
  maps.shape = shape;
  const std::string letters = axes.empty() ? usual_map_axes(shape, several) : axes;
  HL_CHECK(check_shape(shape, letters, several, file));
  maps.axes = map_axes_in_words(letters);
  const bool layers_inside = letters.find('l') != std::string::npos;
  if (several && layers_inside)
    return fail("{}: axes \"{}\" names layers, but each of its {} arrays is a layer", file, letters, names.size());
  if (axes.empty() && !several && (shape.size() == 5 || (shape.size() == 4 && letters == "bhqk")))
    maps.notices.push_back(fmt::format("{} has shape {}: taken as {}", file, to_string(shape), maps.axes));
  maps.layered = several || layers_inside;
  for (const std::string& name : names) {
    const MapsInFile in_file(*arrays.find(name)->second.values, letters);
    if (static_cast<Index>(names.size()) * in_file.extents[0] > most_layers)
      return fail("{} has more than {} layers", file, most_layers);
    for (Index l = 0; l < in_file.extents[0]; ++l) maps.layers.push_back(in_file.layer(l));
  }
  return maps;
}

}  // namespace headlight
