// What a model of many layers needs done: its runs, in the queue of all runs.
#include <algorithm>
#include <limits>
#include <utility>

#include "app/model/relevance.h"
#include "app/reading/step_words.h"
#include "app/session/session.h"
#include "engine/core/memory.h"
#include "engine/io/experiment_files.h"
#include "engine/run/model_run.h"
#include "engine/run/step_input.h"

namespace headlight::app {

void Session::run_layers() {
  runner_.cancel();
  model_.cancelled = false;
  const ModelExperiment& asked = model_.document.network->asked;
  layers_.withdraw_all();
  const Index item = model_.document.network->look.item;
  if (model_.net.run && model_.error.empty() && model_.net.run->item == item &&
      same_request(model_.net.run->asked, asked))
    return;
  const std::filesystem::path folder = resolve_path(asked.folder, asked.model);
  auto next = std::make_shared<LayersRequest>();
  const bool same = layers_request_ && layers_request_->open->folder == folder;
  next->open = same ? layers_request_->open : std::make_shared<OpenModel>(folder);
  next->open->room_for_maps = surroundings_.room_for_maps;
  if (!same) model_.net = {};
  const auto work = [next, asked, item, before = model_.net.run](ThreadPool& pool, std::stop_token stop,
                                                                 std::atomic<float>& progress) -> Status {
    HL_TRY(next->run, run_network(*next->open, asked, item, before, pool, std::move(stop), progress));
    if (!before || before->stamp != next->run->stamp) next->figured = make_figure_run(*next->run);
    return {};
  };
  layers_request_ = next;
  next->ticket = layers_.ask(work);
  model_.busy = true;
}

void Session::take_layers(const Outcome& outcome) {
  if (!layers_request_ || outcome.ticket != layers_request_->ticket || !model_.shows_network()) return;
  model_.error = outcome.error;
  model_.error_about = outcome.error_about;
  model_.too_large.reset();
  model_.net.unread = !outcome.error.empty() && !layers_request_->open->model;
  if (!outcome.error.empty()) return;
  const bool other = !model_.net.run || model_.net.run->stamp != layers_request_->run->stamp;
  model_.net.run = layers_request_->run;
  if (other) {
    model_.net.without = {};
    model_.net.looked.clear();
    model_.net.relevance = {};
    model_.net.not_made.clear();
    model_.net.figured = {};
    model_.net.figured.ticket = model_.net.run->stamp;
    model_.net.figured.problem = layers_request_->figured.problem;
    model_.net.figured.trace = layers_request_->figured.trace;
  }
  receive_layers(model_);
  keep_thumbnail();
}

// ---- The figure of a model whose maps are too many to keep: what it takes of them is made layer after layer, again
// for each figure that takes something else.

// Made beside the main runs; `made` is written before its outcome is polled.
struct MapsRequest {
  std::uint64_t stamp = 0;  // the run's
  MapSelection taken;
  std::uint64_t ticket = 0;
  FigureRun made;
};

void Session::run_figure_maps() {
  NetworkShown& net = model_.net;
  const bool few = model_.shows_network() && net.run && !net.run->few_maps.empty();
  if (!few || (!net.figure_wanted && model_.screen != Screen::figure)) {
    net.figure_wanted = false;
    if (!maps_request_) return;
    net.not_figured.clear();
    if (few) net.figured = {};  // it may be as large as what there was no room to keep
    figuring_.withdraw_all();
    maps_request_.reset();
    return;
  }
  if (layers_.busy()) return;
  const MapSelection taken = map_selection(*net.run, model_.document.figure);
  if (maps_request_ && maps_request_->stamp == net.run->stamp && maps_request_->taken == taken) return;
  figuring_.withdraw_all();
  net.not_figured = "What the figure takes of the layers is being made, one layer after another.";
  maps_request_ = std::make_shared<MapsRequest>();
  maps_request_->stamp = net.run->stamp;
  maps_request_->taken = taken;
  maps_request_->ticket =
      figuring_.ask([asked = maps_request_, open = layers_request_->open, run = net.run](
                        ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress) -> Status {
        // Drawing takes as much again as it is given.
        HL_TRY(asked->made, make_figure_run(*open, *run, asked->taken, free_memory() / 2, pool, stop, progress));
        return {};
      });
}

void Session::take_figure_maps(const Outcome& outcome) {
  NetworkShown& net = model_.net;
  if (!maps_request_ || outcome.ticket != maps_request_->ticket || !net.run || maps_request_->stamp != net.run->stamp)
    return;
  net.not_figured = outcome.error;
  const bool wanted = std::exchange(net.figure_wanted, false);
  if (!outcome.error.empty()) {
    if (wanted) note(Notice::Level::error, fmt::format("No figure: {}", outcome.error));
    return;
  }
  net.figured = {};
  net.figured.ticket = net.run->stamp + (outcome.ticket << 32);  // another for each of a run's figures
  net.figured.problem = std::move(maps_request_->made.problem);
  net.figured.trace = std::move(maps_request_->made.trace);
  add_relevance_to_figure(outcome.ticket);
  if (!wanted) return;
  model_.screen = Screen::figure;
  model_.playing = false;
}

// ---- The maps of a run that were too many to keep: that of a layer is made when it is looked at, and those of the
// last few stay.

// What is made beside the main runs; the map is written before its outcome is polled.
struct LayerMapRequest {
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
  ModelRunner all(*run.model, run.input, pool, std::move(stop), nullptr, open.kept.get());
  ModelRunner& runner = *all.tower(layer.part);
  Streams streams{run.trace.find(plan.steps_of(layer) + "input")->values, nullptr};
  if (layer.part == ModelPart::cross) streams.memory = run.trace.find(step_of_memory(plan))->values;
  HL_TRY(const auto problem, runner.prepare(layer, streams));
  HL_TRY(const auto trace, runner.record(layer, *problem, heads_off_in(run.asked.ablate, layer)));
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
  const auto found = std::ranges::find(looked, layer, &LayerMap::layer);
  return found == looked.end() ? nullptr : found->map;
}

const char* Model::why_no_figure() const {
  return shows_network() && net.run ? "What the figure takes of the layers is not made yet" : "There is no result yet";
}

namespace {

// The query whose row is shown, as the layer that is looked at counts it: the last where none is chosen.
Index query_shown(const PartRun& part, const NetworkLook& look) {
  const Index last = part.queries_of(look.layer) - 1;
  return std::clamp<Index>(look.query.value_or(last), 0, last);
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
  QueryRows& rows = model_.net.rows;
  const NetworkLook& look = model_.document.network->look;
  const PartRun& part = model_.net.run->of(look.part);
  if (look.view != LayersView::token || part.has_all_maps()) {
    rows = {};
    return;
  }
  const Index query = query_shown(part, look);
  if (rows.of_stamp != model_.net.run->stamp || rows.part != look.part || rows.query != query ||
      (part.staged && rows.layer != look.layer))
    rows = {model_.net.run->stamp, look.part, look.layer, query, {}};
  rows.layers.resize(part.maps.size());
  for (std::size_t l = 0; l < rows.layers.size(); ++l) {
    if (rows.layers[l]) continue;
    const auto map = part.maps[l] ? part.maps[l] : model_.net.looked_at({static_cast<Index>(l), look.part});
    const Index own = part.matching_query(query, look.layer, static_cast<Index>(l));
    if (map) rows.layers[l] = std::make_shared<const Tensor>(row_of_maps(*map, own));
  }
}

void Session::refresh_layer_map() {
  if (!model_.shows_network() || !model_.net.run || layers_.busy()) return;
  const auto& run = model_.net.run;
  if (run->item != model_.document.network->look.item && model_.error.empty() && !model_.cancelled) return run_layers();
  keep_rows_shown();
  const auto wanted = layer_to_make(model_);
  if (!wanted) {
    if (layer_map_request_) {  // of a view that is no longer shown
      looked_.withdraw_all();
      layer_map_request_.reset();
    }
    return;
  }
  const LayerOfModel layer = *wanted;
  if (layer_map_request_ && layer_map_request_->stamp == run->stamp && layer_map_request_->layer == layer) return;
  looked_.withdraw_all();
  model_.net.not_made.clear();
  layer_map_request_ = std::make_shared<LayerMapRequest>();
  layer_map_request_->stamp = run->stamp;
  layer_map_request_->layer = layer;
  layer_map_request_->ticket = looked_.ask([asked = layer_map_request_, open = layers_request_->open, run](
                                               ThreadPool& pool, std::stop_token stop, std::atomic<float>&) -> Status {
    HL_TRY(asked->map, map_of_layer(*open, *run, asked->layer, pool, std::move(stop)));
    return {};
  });
}

void Session::take_layer_map(const Outcome& outcome) {
  if (!layer_map_request_ || outcome.ticket != layer_map_request_->ticket || !model_.net.run ||
      layer_map_request_->stamp != model_.net.run->stamp)
    return;
  model_.net.not_made = outcome.error;
  if (!layer_map_request_->map) return;
  QueryRows& rows = model_.net.rows;
  const auto layer = static_cast<std::size_t>(layer_map_request_->layer.layer);
  const PartRun& part = model_.net.run->of(rows.part);
  if (rows.part == layer_map_request_->layer.part && layer < rows.layers.size())
    rows.layers[layer] = std::make_shared<const Tensor>(row_of_maps(
        *layer_map_request_->map, part.matching_query(rows.query, rows.layer, layer_map_request_->layer.layer)));
  const NetworkLook& look = model_.document.network->look;
  if (layer_map_request_->layer == LayerOfModel{look.layer, look.part}) {  // of the others the row is enough
    auto& looked = model_.net.looked;
    looked.insert(looked.begin(), {layer_map_request_->layer, layer_map_request_->map});
    if (looked.size() > most_looked_at) looked.resize(most_looked_at);
  }
  layer_map_request_.reset();
}

// ---- Gradient × attention of the likeliest token after the place that is looked at, or that the figure names.

// What is made beside the main runs; written before its outcome is polled.
struct RelevanceRequest {
  RelevanceMaps made;
  std::uint64_t ticket = 0;
};

namespace {

// Nothing where it is neither looked at nor drawn, or cannot be asked.
std::optional<RelevanceMaps> relevance_shown(const Model& model) {
  if (!model.shows_network() || !model.net.run) return std::nullopt;
  const NetworkRun& run = *model.net.run;
  if (model.screen == Screen::figure && shows_relevance(model.document.figure)) {
    auto asked = relevance_asked(run, model.document.figure);
    return asked ? std::optional(std::move(*asked)) : std::nullopt;
  }
  const NetworkLook& look = model.document.network->look;
  if (look.view != LayersView::relevance || !why_no_relevance(run).empty()) return std::nullopt;
  return relevance_asked(run, query_shown(run.output_part(), look));
}

}  // namespace

void Session::explain_token() {
  const auto wanted = layers_.busy() ? std::nullopt : relevance_shown(model_);
  if (!wanted) {
    if (relevance_request_) relevance_.withdraw_all();
    relevance_request_.reset();
    return;
  }
  if (model_.net.relevance.same_logit(*wanted) || (relevance_request_ && relevance_request_->made.same_logit(*wanted)))
    return;
  relevance_.withdraw_all();
  relevance_request_ = std::make_shared<RelevanceRequest>();
  relevance_request_->made = *wanted;
  relevance_request_->ticket =
      relevance_.ask([asked = relevance_request_, open = layers_request_->open, run = model_.net.run](
                         ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress) -> Status {
        HL_TRY(asked->made, make_relevance(*open, *run, asked->made, pool, std::move(stop), progress));
        return {};
      });
}

void Session::take_relevance(const Outcome& outcome) {
  if (!relevance_request_ || outcome.ticket != relevance_request_->ticket) return;
  NetworkShown& net = model_.net;
  net.relevance = std::move(relevance_request_->made);
  net.relevance.why_none = outcome.error;
  relevance_request_.reset();
  add_relevance_to_figure(outcome.ticket);
}

void Session::add_relevance_to_figure(std::uint64_t ticket) {
  NetworkShown& net = model_.net;
  if (net.relevance.steps.empty() || !net.figured.trace) return;
  net.figured.ticket = net.run->stamp + (ticket << 32);  // another figure than without it
  net.figured.trace = with_relevance({net.figured.problem, net.figured.trace}, net.relevance).trace;
}

// ---- What a model of many layers loses without each of its heads: a run from the head's layer on for each, one after
// another, beside the main runs.

double AblationLosses::of(ModelHead head, Index heads_of_layer) const {
  const auto part = values.find(head.part);
  return part == values.end() ? std::numeric_limits<double>::quiet_NaN()
                              : part->second[static_cast<std::size_t>(head.layer * heads_of_layer + head.head)];
}

// What the runs stand on, and what the last one found; the latter is written before its outcome is polled.
struct AblationRequest {
  std::shared_ptr<OpenModel> open;
  std::shared_ptr<const NetworkRun> run;
  std::unique_ptr<HeadAblation> heads;
  std::uint64_t ticket = 0;
  double found = 0;
};

namespace {

// The last layers first: their runs are the shortest.
AblationLosses empty_ablation(const NetworkRun& run) {
  AblationLosses lost;
  lost.of_stamp = run.stamp;
  const ModelPlan& plan = run.plan();
  const std::vector<LayerOfModel> order = plan.order();
  for (auto layer = order.rbegin(); layer != order.rend(); ++layer)
    for (Index m = 0; m < plan.heads_of(*layer); ++m) lost.heads.push_back({layer->layer, m, layer->part});
  for (const ModelPart part : plan.parts())
    lost.values[part].assign(static_cast<std::size_t>(plan.layers_of(part) * plan.heads),
                             std::numeric_limits<double>::quiet_NaN());
  return lost;
}

}  // namespace

// Goes on where it was stopped.
void Session::ablate_layers(bool on) {
  AblationLosses& lost = model_.net.without;
  without_.withdraw_all();
  lost.running = false;
  if (!on || !model_.net.run || !model_.net.run->logits || !layers_request_ ||
      layers_request_->open->model != model_.net.run->model)
    return;
  const auto& run = model_.net.run;
  if (lost.of_stamp != run->stamp || lost.done == lost.heads.size()) lost = empty_ablation(*run);
  ablation_request_ = std::make_shared<AblationRequest>();
  ablation_request_->open = layers_request_->open;
  ablation_request_->run = run;
  ablation_request_->heads = std::make_unique<HeadAblation>(run->plan(), run->trace, run->logits, run->asked.ablate);
  lost.running = true;
  ask_next_without_layer_head();
}

void Session::ask_next_without_layer_head() {
  AblationLosses& lost = model_.net.without;
  lost.running = lost.done < lost.heads.size();
  if (!lost.running) return ablation_request_.reset();
  ablation_request_->ticket = without_.ask([asked = ablation_request_, head = lost.heads[lost.done]](
                                               ThreadPool& pool, std::stop_token stop, std::atomic<float>&) -> Status {
    ModelRunner runner(*asked->open->model, asked->run->input, pool, std::move(stop), nullptr, asked->open->kept.get());
    HL_TRY(asked->found, asked->heads->kl_without(runner, head));
    return {};
  });
}

void Session::accept_run_without_layer_head(const Outcome& outcome) {
  AblationLosses& lost = model_.net.without;
  if (!lost.running || !ablation_request_ || outcome.ticket != ablation_request_->ticket) return;
  const ModelHead head = lost.heads[lost.done];
  if (!outcome.error.empty()) {
    lost.running = false;
    return note(Notice::Level::error,
                fmt::format("The run without layer {} head {}: {}", head.layer, head.head, outcome.error));
  }
  const Index heads = model_.net.run->plan().heads;
  lost.values[head.part][static_cast<std::size_t>(head.layer * heads + head.head)] = ablation_request_->found;
  ++lost.done;
  ask_next_without_layer_head();
}

}  // namespace headlight::app
