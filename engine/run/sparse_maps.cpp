#include "engine/run/sparse_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/memory.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr Index most_nodes = Index{1} << 20;

bool are_whole(const Tensor& numbers) {
  constexpr float most = 1e15F;  // that an index surely holds
  return std::ranges::all_of(numbers.values(),
                             [](float number) { return number >= 0 && number < most && number == std::floor(number); });
}

// One map of (1, heads, nodes, nodes).
std::shared_ptr<const Tensor> map_of(const Tensor& edges, const Tensor& weights, Index nodes, float absent) {
  const Index count = edges.dim(1), heads = weights.rank() == 2 ? weights.dim(1) : 1;
  auto map = std::make_shared<Tensor>(Tensor::uninitialized({1, heads, nodes, nodes}));
  std::ranges::fill(map->values(), absent);
  for (Index e = 0; e < count; ++e)
    for (Index m = 0; m < heads; ++m) {
      const auto key = static_cast<Index>(edges[e]), query = static_cast<Index>(edges[count + e]);
      float& pair = (*map)[(m * nodes + query) * nodes + key];
      pair = pair == absent ? weights[e * heads + m] : pair + weights[e * heads + m];
    }
  return map;
}

}  // namespace

std::optional<std::string> edges_by_shapes(const std::vector<std::pair<std::string, Shape>>& arrays) {
  if (static_cast<Index>(arrays.size()) > most_layers + 1) return std::nullopt;
  for (const auto& edges : arrays) {
    const Shape& pairs = edges.second;
    if (pairs.size() != 2 || pairs[0] != 2 || pairs[1] == 0) continue;
    const auto are_weights = [&](const auto& named) {
      const Shape& shape = named.second;
      return &named == &edges || ((shape.size() == 1 || shape.size() == 2) && shape[0] == pairs[1] && shape.back() > 0);
    };
    const bool alike = std::ranges::all_of(arrays, [&](const auto& named) { return named.second == pairs; });
    if (!alike && std::ranges::all_of(arrays, are_weights)) return edges.first;
  }
  return std::nullopt;
}

std::optional<std::string> edges_among(const ReadArrays& arrays) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const auto& [name, array] : arrays) shapes.emplace_back(name, array.values->shape());
  auto edges = edges_by_shapes(shapes);
  if (edges && !are_whole(*arrays.find(*edges)->second.values)) return std::nullopt;
  return edges;
}

Result<GivenMaps> maps_of_edges(const ReadArrays& arrays, std::vector<std::string> names, const std::string& edges,
                                float absent, const std::string& file) {
  const Tensor& pairs = *arrays.find(edges)->second.values;
  const auto nodes = static_cast<Index>(*std::ranges::max_element(pairs.values())) + 1;
  if (nodes > most_nodes)
    return fail("{}: {} names node {}: a map of more than {} nodes is not made", file, one_line(edges), nodes - 1,
                most_nodes);
  std::erase(names, edges);
  double bytes = 0;
  for (const std::string& name : names) {
    const Tensor& weights = *arrays.find(name)->second.values;
    const Index heads = weights.rank() == 2 ? weights.dim(1) : 1;
    bytes += sizeof(float) * static_cast<double>(heads) * static_cast<double>(nodes) * static_cast<double>(nodes);
  }
  HL_CHECK(check_memory(bytes, file));
  GivenMaps maps;
  maps.layered = names.size() > 1;
  maps.of_edges = true;
  for (const std::string& name : names) {
    maps.layers.push_back(map_of(pairs, *arrays.find(name)->second.values, nodes, absent));
    if (maps.layers.back()->shape() != maps.layers.front()->shape())
      return fail("{}: weights {} and {} are of different numbers of heads: name one of them, and {}, with \"member\"",
                  file, one_line(names.front()), one_line(name), one_line(edges));
  }
  maps.shape = maps.layers.front()->shape();
  maps.axes = map_axes_in_words("bhqk");
  maps.notices.push_back(
      fmt::format("{}: the {} edges of {} between {} nodes become a map of all pairs: {}[1, e] is the query of edge e, "
                  "{}[0, e] its key, and a pair without an edge has {}",
                  file, pairs.dim(1), one_line(edges), nodes, one_line(edges), one_line(edges),
                  absent == 0 ? "weight 0" : "no score"));
  return maps;
}

Result<std::shared_ptr<const Tensor>> spread_windows(const Tensor& rows, const std::vector<Index>& global_tokens,
                                                     float absent, const std::string& file) {
  const Index n = rows.dim(2), columns = rows.dim(3), first = static_cast<Index>(global_tokens.size()),
              width = columns - first;
  if (width < 1 || width % 2 == 0)
    return fail(
        "{}: {} columns with {} global token{} leave a window of {} keys, and it must be odd: global_tokens says "
        "the places of those that stand before it",
        file, columns, first, first == 1 ? "" : "s", std::max<Index>(0, width));
  HL_CHECK(check_memory(
      sizeof(float) * static_cast<double>(rows.dim(0) * rows.dim(1)) * static_cast<double>(n) * static_cast<double>(n),
      file));
  auto map = std::make_shared<Tensor>(Tensor::uninitialized({rows.dim(0), rows.dim(1), n, n}));
  std::ranges::fill(map->values(), absent);
  for (Index of = 0; of < rows.dim(0) * rows.dim(1); ++of)
    for (Index i = 0; i < n; ++i) {
      const float* row = rows.data() + (of * n + i) * columns;
      float* into = map->data() + (of * n + i) * n;
      for (Index s = 0; s < width; ++s) {
        const Index key = i + s - (width - 1) / 2;
        const float weight = row[first + s];
        if (key >= 0 && key < n)
          into[key] = weight;
        else if (weight != 0 && weight > -1e9F)
          return fail("{}: query {} has {} for key {}, and keys are 0 to {}: these columns are not a window of {} keys",
                      file, i, weight, key, n - 1, width);
      }
      // In the window a global token's own column is 0: its weight stands before.
      for (Index g = 0; g < first; ++g) into[global_tokens[static_cast<std::size_t>(g)]] = row[g];
    }
  return map;
}

bool look_like_windows(const Tensor& rows) {
  const Index n = rows.dim(2), columns = rows.dim(3), reach = (columns - 1) / 2;
  if (columns % 2 == 0 || columns < 3 || columns >= n) return false;
  bool inside = false;
  for (Index of = 0; of < rows.dim(0) * rows.dim(1); ++of)
    for (Index i = 0; i < n; ++i)
      for (Index s = 0; s < columns; ++s) {
        const Index key = i + s - reach;
        const bool weighs = rows[(of * n + i) * columns + s] != 0;
        if (weighs && (key < 0 || key >= n)) return false;
        inside = inside || (weighs && (s == 0 || s == columns - 1));
      }
  return inside;
}

}  // namespace headlight
