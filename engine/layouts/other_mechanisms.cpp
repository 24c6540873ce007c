// Layers of other mechanisms than multi_head, of which their files do not say all: windows, shifts, pooling.
#include <fmt/format.h>

#include <algorithm>

#include "engine/layouts/tables.h"

namespace headlight {

namespace {

// A table of relative positions has (2w − 1)² rows, for windows of w × w. Every other layer of a stage is shifted by
// half of that. Liu et al. 2021, section 3.2.
Status set_windows(const Fit& fit, const std::string& file, LayerOfStateDict& layer) {
  const Index rows = layer.arrays.at("bias_table")->dim(0);
  Index window = 1;
  while ((2 * window - 1) * (2 * window - 1) < rows) ++window;
  if ((2 * window - 1) * (2 * window - 1) != rows)
    return fail("{}: relative_position_bias_table has {} rows: windows of w × w have (2w − 1)²", file, rows);
  const auto at = static_cast<std::size_t>(fit.layer.value_or(0));
  const bool shifted = at < fit.staged.size() && fit.staged[at] % 2 == 1;
  layer.params.emplace_back("window", window);
  layer.params.emplace_back("shift", shifted ? window / 2 : Index{0});
  layer.assumed.emplace_back("shift");
  return {};
}

// Biases that are not there beside the output's add nothing.
void put_zero_biases(LayerOfStateDict& layer) {
  for (const auto& [bias, weight] : {std::pair{"b_q", "w_q"}, std::pair{"b_k", "w_k"}, std::pair{"b_v", "w_v"}}) {
    if (layer.arrays.contains(bias) || !layer.arrays.contains("b_o")) continue;
    const Tensor& of = *layer.arrays.at(weight);
    layer.arrays.emplace(bias, std::make_shared<const Tensor>(Shape{of.dim(0), of.dim(-1)}));
  }
}

// What is no part of the mechanism.
void set_beside(LayerOfStateDict& layer) {
  const auto is_beside = [](std::string_view id) {
    return id.starts_with("ln") || id.ends_with("_1") || id.ends_with("_2");
  };
  for (auto at = layer.arrays.begin(); at != layer.arrays.end();)
    if (is_beside(at->first)) {
      layer.beside.insert(std::move(*at));
      at = layer.arrays.erase(at);
    } else {
      ++at;
    }
}

}  // namespace

bool has_heads(const LayoutTable& layout) {
  return std::ranges::any_of(layout.pieces,
                             [](const Piece& piece) { return is_cut(piece.how) || piece.how == How::in_heads; });
}

Status complete_non_local(const Fit& fit, const ArraySource& source, const NamesOfFile& names, const std::string&,
                          LayerOfStateDict& layer) {
  const std::size_t first = names.find(name_in(*fit.layout, fit.before, fit.layout->pieces.front()))->second;
  const std::size_t rank = source.entries()[first].shape.size();
  layer.params.emplace_back("dimension", std::max<Index>(1, static_cast<Index>(rank) - 2));
  layer.params.emplace_back("batch_norm", layer.arrays.contains("bn_gamma"));
  const bool pooled = names.contains(fit.before + "phi.0.weight") || names.contains(fit.before + "phi.0.conv.weight");
  layer.params.emplace_back("sub_sample", pooled);
  if (!pooled) layer.assumed.emplace_back("sub_sample");
  return {};
}

Status complete_windows(const Fit& fit, const ArraySource&, const NamesOfFile&, const std::string& file,
                        LayerOfStateDict& layer) {
  put_zero_biases(layer);
  HL_CHECK(set_windows(fit, file, layer));
  set_beside(layer);
  return {};
}

}  // namespace headlight
