// The maps of a run that were too many to keep: that of a layer is made when it is looked at, and those of the last few
// stay.
#include <algorithm>

#include "app/model/layers_asked.h"
#include "app/session/session.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"

namespace headlight::app {

// What is made beside the main runs; the map is written before its outcome is polled.
struct LayerLookedAt {
  std::uint64_t stamp = 0;  // the run's
  LayerOfModel layer;
  std::uint64_t ticket = 0;
  std::shared_ptr<const Tensor> map;
};

namespace {

constexpr std::size_t most_looked_at = 3;

}  // namespace

Result<std::shared_ptr<const Tensor>> map_of_layer(OpenModel& open, const NetworkRun& run, LayerOfModel layer,
                                                   ThreadPool& pool, std::stop_token stop) {
  const ModelPlan& plan = run.plan();
  ModelRunner runner(*run.model, run.input, pool, std::move(stop), nullptr, open.kept.get());
  Streams streams{run.trace.find(plan.steps_of(layer) + "input")->values, nullptr};
  if (layer.part == ModelPart::cross) streams.memory = run.trace.find(step_of_memory(plan))->values;
  HL_TRY(const auto problem, runner.prepare(layer, streams));
  HL_TRY(const auto trace, runner.record(*problem, heads_off_in(run.asked.ablate, layer)));
  if (runner.cancelled()) return fail("cancelled");
  return with_hidden(*trace, *trace->map());
}

Tensor row_of_maps(const Tensor& maps, Index query) {
  const Index n_q = maps.dim(2), n_k = maps.dim(3), count = maps.dim(0) * maps.dim(1);
  Tensor rows = Tensor::uninitialized({maps.dim(0), maps.dim(1), 1, n_k});
  for (Index m = 0; m < count; ++m) std::copy_n(maps.data() + (m * n_q + query) * n_k, n_k, rows.data() + m * n_k);
  return rows;
}

std::shared_ptr<const Tensor> NetworkShown::looked_at(LayerOfModel layer) const {
  const auto found = std::ranges::find(looked, layer, &LookedAt::layer);
  return found == looked.end() ? nullptr : found->map;
}

const char* Model::why_no_figure() const {
  return shows_network() && net.run ? "What the figure takes of the layers is not made yet" : "There is no result yet";
}

namespace {

// The query whose row is shown: the last where none is chosen.
Index query_shown(const PartRun& part, const NetworkLook& look) {
  return std::clamp<Index>(look.query.value_or(part.queries() - 1), 0, part.queries() - 1);
}

// The layer whose map is to be made next: the one that is looked at, then, where rows of all are shown, the others.
std::optional<LayerOfModel> layer_to_make(const Model& model) {
  const NetworkLook& look = model.document.network->look;
  const PartRun& part = model.net.run->of(look.part);
  const LayerOfModel chosen{look.layer, look.part};
  if (!part.maps[static_cast<std::size_t>(look.layer)] && !model.net.looked_at(chosen)) return chosen;
  const auto& rows = model.net.rows.layers;
  if (look.view != LayersView::token) return std::nullopt;
  const auto next = std::ranges::find(rows, nullptr);
  return next == rows.end() ? std::nullopt : std::optional(LayerOfModel{next - rows.begin(), look.part});
}

}  // namespace

// Rows of what is shown: none of another query stays, and those whose maps are there are taken from them.
void Session::keep_rows_shown() {
  RowsMade& rows = model_.net.rows;
  const NetworkLook& look = model_.document.network->look;
  const PartRun& part = model_.net.run->of(look.part);
  if (look.view != LayersView::token || part.has_all_maps()) {
    rows = {};
    return;
  }
  const Index query = query_shown(part, look);
  if (rows.of_stamp != model_.net.run->stamp || rows.part != look.part || rows.query != query)
    rows = {model_.net.run->stamp, look.part, query, {}};
  rows.layers.resize(part.maps.size());
  for (std::size_t l = 0; l < rows.layers.size(); ++l) {
    if (rows.layers[l]) continue;
    const auto map = part.maps[l] ? part.maps[l] : model_.net.looked_at({static_cast<Index>(l), look.part});
    if (map) rows.layers[l] = std::make_shared<const Tensor>(row_of_maps(*map, query));
  }
}

void Session::look_at_layer() {
  if (!model_.shows_network() || !model_.net.run || layers_.busy()) return;
  const auto& run = model_.net.run;
  keep_rows_shown();
  const auto wanted = layer_to_make(model_);
  if (!wanted) {
    if (looked_asked_) looked_.withdraw_all(), looked_asked_.reset();  // it was of a view that is no longer shown
    return;
  }
  const LayerOfModel layer = *wanted;
  if (looked_asked_ && looked_asked_->stamp == run->stamp && looked_asked_->layer == layer) return;
  looked_.withdraw_all();
  model_.net.not_made.clear();
  looked_asked_ = std::make_shared<LayerLookedAt>();
  looked_asked_->stamp = run->stamp;
  looked_asked_->layer = layer;
  looked_asked_->ticket = looked_.ask([asked = looked_asked_, open = layers_asked_->open, run](
                                          ThreadPool& pool, std::stop_token stop, std::atomic<float>&) -> Status {
    HL_TRY(asked->map, map_of_layer(*open, *run, asked->layer, pool, std::move(stop)));
    return {};
  });
}

void Session::take_looked_at(const Outcome& outcome) {
  if (!looked_asked_ || outcome.ticket != looked_asked_->ticket || !model_.net.run ||
      looked_asked_->stamp != model_.net.run->stamp)
    return;
  model_.net.not_made = outcome.error;
  if (!looked_asked_->map) return;
  RowsMade& rows = model_.net.rows;
  const auto layer = static_cast<std::size_t>(looked_asked_->layer.layer);
  if (rows.part == looked_asked_->layer.part && layer < rows.layers.size())
    rows.layers[layer] = std::make_shared<const Tensor>(row_of_maps(*looked_asked_->map, rows.query));
  const NetworkLook& look = model_.document.network->look;
  if (looked_asked_->layer == LayerOfModel{look.layer, look.part}) {  // of the others the row is enough
    auto& looked = model_.net.looked;
    looked.insert(looked.begin(), {looked_asked_->layer, looked_asked_->map});
    if (looked.size() > most_looked_at) looked.resize(most_looked_at);
  }
  looked_asked_.reset();
}

}  // namespace headlight::app
