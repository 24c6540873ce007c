// What a model of many layers loses without each of its heads: a run from the head's layer on for each, one after
// another, beside the main runs.
#include <cmath>
#include <limits>

#include "app/model/layers_asked.h"
#include "app/session/session.h"
#include "engine/run/model_run.h"

namespace headlight::app {

double LostWithout::of(ModelHead head, Index heads_of_layer) const {
  const auto part = values.find(head.part);
  return part == values.end() ? std::numeric_limits<double>::quiet_NaN()
                              : part->second[static_cast<std::size_t>(head.layer * heads_of_layer + head.head)];
}

// What the runs stand on, and what the last one found; the latter is written before its outcome is polled.
struct WithoutAsked {
  std::shared_ptr<OpenModel> open;
  std::shared_ptr<const NetworkRun> run;
  std::unique_ptr<WithoutHeads> heads;
  std::uint64_t ticket = 0;
  double found = 0;
};

namespace {

// The last layers first: their runs are the shortest.
LostWithout nothing_known(const NetworkRun& run) {
  LostWithout lost;
  lost.of_stamp = run.stamp;
  const ModelPlan& plan = run.plan();
  const std::vector<LayerOfModel> order = plan.order();
  for (auto layer = order.rbegin(); layer != order.rend(); ++layer)
    for (Index m = 0; m < plan.heads; ++m) lost.heads.push_back({layer->layer, m, layer->part});
  for (const ModelPart part : plan.parts())
    lost.values[part].assign(static_cast<std::size_t>(plan.layers_of(part) * plan.heads),
                             std::numeric_limits<double>::quiet_NaN());
  return lost;
}

}  // namespace

// Goes on where it was stopped.
void Session::ablate_layers(bool on) {
  LostWithout& lost = model_.net.without;
  without_.withdraw_all();
  lost.going_on = false;
  if (!on || !model_.net.run || !model_.net.run->logits || !layers_asked_ ||
      layers_asked_->open->model != model_.net.run->model)
    return;
  const auto& run = model_.net.run;
  if (lost.of_stamp != run->stamp || lost.done == lost.heads.size()) lost = nothing_known(*run);
  without_asked_ = std::make_shared<WithoutAsked>();
  without_asked_->open = layers_asked_->open;
  without_asked_->run = run;
  without_asked_->heads = std::make_unique<WithoutHeads>(run->plan(), run->trace, run->logits, run->asked.ablate);
  lost.going_on = true;
  ask_next_without_layer_head();
}

void Session::ask_next_without_layer_head() {
  LostWithout& lost = model_.net.without;
  lost.going_on = lost.done < lost.heads.size();
  if (!lost.going_on) return without_asked_.reset();
  without_asked_->ticket = without_.ask([asked = without_asked_, head = lost.heads[lost.done]](
                                            ThreadPool& pool, std::stop_token stop, std::atomic<float>&) -> Status {
    ModelRunner runner(*asked->open->model, asked->run->input, pool, std::move(stop), nullptr, asked->open->kept.get());
    HL_TRY(asked->found, asked->heads->lost(runner, head));
    return {};
  });
}

void Session::accept_run_without_layer_head(const Outcome& outcome) {
  LostWithout& lost = model_.net.without;
  if (!lost.going_on || !without_asked_ || outcome.ticket != without_asked_->ticket) return;
  const ModelHead head = lost.heads[lost.done];
  if (!outcome.error.empty()) {
    lost.going_on = false;
    return note(Notice::Level::error,
                fmt::format("The run without layer {} head {}: {}", head.layer, head.head, outcome.error));
  }
  const Index heads = model_.net.run->plan().heads;
  lost.values[head.part][static_cast<std::size_t>(head.layer * heads + head.head)] = without_asked_->found;
  ++lost.done;
  ask_next_without_layer_head();
}

}  // namespace headlight::app
