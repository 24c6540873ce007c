// The maps of a run that were too many to keep: that of a layer is made when it is looked at, and those of the last few
// stay.
#include <algorithm>

#include "app/state/layers_asked.h"
#include "app/state/session.h"
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

std::shared_ptr<const Tensor> NetworkShown::looked_at(LayerOfModel layer) const {
  const auto found = std::ranges::find(looked, layer, &LookedAt::layer);
  return found == looked.end() ? nullptr : found->map;
}

const char* Model::why_no_figure() const {
  return shows_network() && net.run ? "Not all maps of this text fit: open a layer for a figure of it"
                                    : "There is no result yet";
}

void Session::look_at_layer() {
  if (!model_.shows_network() || !model_.net.run || layers_.busy()) return;
  const auto& run = model_.net.run;
  const NetworkLook& look = model_.document.network->look;
  const LayerOfModel layer{look.layer, look.part};
  if (run->of(layer.part).maps[static_cast<std::size_t>(layer.layer)] || model_.net.looked_at(layer)) return;
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
  auto& looked = model_.net.looked;
  looked.insert(looked.begin(), {looked_asked_->layer, looked_asked_->map});
  if (looked.size() > most_looked_at) looked.resize(most_looked_at);
  looked_asked_.reset();
}

}  // namespace headlight::app
