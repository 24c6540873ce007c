#include "app/model/network_figure.h"

#include <algorithm>

#include "app/figures/figure_layers.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/models/inputs.h"
#include "engine/run/labels.h"
#include "engine/run/model_run.h"

namespace headlight::app {

namespace {

Axis axis_of(AxisRole along, const char* name, Role role, Index size) {
  Axis axis;
  axis.symbol = std::string(symbol_of(along));
  axis.name = name;
  axis.size = size;
  axis.role = role;
  axis.along = along;
  return axis;
}

// What positions are called: pictures of a batch have the same, texts each their own.
void label_axis(Axis& axis, const std::vector<std::string>& words, const StackInput& read, const ModelPlan& plan) {
  if (read.pixels) {
    const PatchGrid patches = patches_of(plan, *read.pixels);
    axis.placed = PlacedGrid{{1, patches.rows, patches.columns}, patches.before};
  }
  axis.given_labels.assign(static_cast<std::size_t>(read.items()), words);
  if (read.items() > 1 && read.words.size() == axis.given_labels.size()) axis.given_labels = read.words;
  axis.labels = labels_together(axis.given_labels);
}

}  // namespace

std::vector<Axis> axes_of_maps(const NetworkRun& run, const PartRun& part, Index items) {
  std::vector<Axis> axes{axis_of(AxisRole::batch, "batch", Role::none, items),
                         axis_of(AxisRole::query, "query", Role::query, part.queries()),
                         axis_of(AxisRole::key, "key", Role::key, part.keys())};
  const StackInput &own = run.input.of(part.part),
                   &read = part.part == ModelPart::cross ? run.input.of(ModelPart::first) : own;
  label_axis(axes[1], part.query_words, own, run.plan().of(part.part));
  label_axis(axes[2], part.key_words, read, run.plan().of(part.part));
  return axes;
}

namespace {

// A map (B, M, n_q, n_k) of a layer as a step.
Step step_of_map(const NetworkRun& run, const PartRun& part, Index layer, std::shared_ptr<const Tensor> values) {
  const Tensor& map = *values;
  Step step;
  if (part.staged) {
    step.info = part.infos[static_cast<std::size_t>(layer)];
    step.info.id = run.plan().steps_of({layer, part.part}) + run.map_id;
    step.info.layer = layer;
    step.info.minus_infinity_masks = true;
    step.values = std::move(values);
    return step;
  }
  step.info.id = run.plan().steps_of({layer, part.part}) + run.map_id;
  step.info.title = "Attention weights";
  step.info.axes = axes_of_maps(run, part, map.dim(0));
  step.info.axes.insert(step.info.axes.begin() + 1, axis_of(AxisRole::head, "head", Role::none, map.dim(1)));
  step.info.kind = Kind::probability;
  step.info.role = Role::weight;
  step.info.minus_infinity_masks = true;
  step.info.layer = layer;
  step.info.part = run.plan().part_name(part.part);
  step.values = std::move(values);
  return step;
}

void compute_extents(Step& step) {
  const Tensor& map = step.tensor();
  const Index each = map.size() / map.dim(0);
  for (Index b = 0; b < map.dim(0); ++b)
    step.extents.push_back(
        extent_of(map.values().subspan(static_cast<std::size_t>(b * each), static_cast<std::size_t>(each))));
}

// What the model saw, for what is drawn over it.
void add_pictures(Problem& problem, const NetworkRun& run) {
  const ModelInput& input = run.input.tower(ModelPart::vision);
  const StoredModel& model = run.model->tower(ModelPart::vision);
  const auto rules = picture_rules(model);
  if (!input.pixels || input.pixels->dim(1) != 3 || !rules) return;
  const PatchGrid patches = patches_of(model.plan(), *input.pixels);
  std::vector<Image> cells, fine;
  for (Index b = 0; b < input.items(); ++b) {
    fine.push_back(picture_of(*input.pixels, b, *rules));
    cells.push_back(filtered_resize(fine.back(), patches.columns, patches.rows, ResizeFilter::bilinear));
  }
  ArraySpec seen;
  seen.id = "pixels";
  problem.pictures[seen.id] = std::make_shared<const Pictures>(make_pictures(std::move(cells), std::move(fine)));
  problem.specs.inputs.push_back(std::move(seen));
}

// What a figure says of the run besides its maps.
std::shared_ptr<const Problem> problem_of(const NetworkRun& run) {
  auto problem = std::make_shared<Problem>();
  problem->model.name = one_line(name_without_folders(run.model->folder()));
  problem->model.heads_off = words_of_heads(run.asked.ablate, run.plan());
  add_pictures(*problem, run);
  const StackInput& read = run.input.of(run.parts.front().part);
  if (!run.parts.front().staged && (read.pixels || read.items() == 1))
    problem->labels[std::string(symbol_of(AxisRole::query))] = run.parts.front().query_words;
  return problem;
}

}  // namespace

FigureRun make_figure_run(const NetworkRun& run) {
  if (!run.few_maps.empty()) return {};
  auto trace = std::make_shared<Trace>();
  trace->variant = run.trace.variant;
  for (const PartRun& part : run.parts)
    for (Index l = 0; l < part.layers(); ++l) {
      trace->steps.push_back(step_of_map(run, part, l, part.maps[static_cast<std::size_t>(l)]));
      compute_extents(trace->steps.back());
    }
  return {problem_of(run), std::move(trace)};
}

MapSelection map_selection(const NetworkRun& run, const FigureRequest& request) {
  const bool rolled = std::ranges::count(request.steps, rollout_id) > 0;
  MapSelection taken;
  taken.part = run.has(request.part) ? request.part : run.parts.front().part;
  if (shows_relevance(request)) return taken;  // which is made of the streams
  if (request.run_layers && !rolled) taken.layers = *request.run_layers;
  for (Index l = 0; taken.layers.size() == static_cast<std::size_t>(l) && l < run.plan().layers_of(taken.part); ++l)
    taken.layers.push_back(l);
  taken.mean = request.average || (rolled && request.steps.size() == 1);
  if (request.kind == FigureKind::layers && !rolled) taken.query = request.query.value_or(0);
  return taken;
}

namespace {

Status check_taken(const NetworkRun& run, const MapSelection& taken, double room) {
  const Index layers = run.plan().layers_of(taken.part);
  for (const Index layer : taken.layers)
    if (layer >= layers) return fail("--layers is {}: this run has layers 0 to {}", layer, layers - 1);
  const PartRun& part = run.of(taken.part);
  for (const Index layer : taken.layers)
    if (const Index queries = part.queries_of(layer); taken.query && *taken.query >= queries)
      return fail("--query is {}: {}it must be from 0 to {}", *taken.query,
                  part.staged ? fmt::format("in layer {} ", layer) : "", queries - 1);
  const auto of = [](auto... extents) { return (static_cast<double>(extents) * ...) * sizeof(float); };
  const double each = of(run.input.of(taken.part).items(), taken.mean ? 1 : run.plan().of(taken.part).heads,
                         taken.query ? 1 : part.queries(), part.keys());
  const double needed = each * static_cast<double>(taken.layers.size());
  if (needed <= room) return {};
  return fail(
      "{} layers of {} weights each and there is room for {}: draw fewer layers at once (--layers 0), their mean "
      "(--average) or the row of one query (--as layers --query 0)",
      taken.layers.size(), bytes_text(each), bytes_text(room));
}

// As much of a layer's map as is taken.
Step part_taken(const Trace& trace, Step step, const MapSelection& taken) {
  if (taken.mean) {
    OwnedSteps made;
    const auto mean = mean_over_heads(trace, step, made);
    step.info.axes[1].shared_by = step.info.axes[1].size;
    step.info.axes[1].size = 1;
    Shape shape = step.tensor().shape();
    shape[1] = 1;
    Tensor values = (*mean)->tensor();
    step.values = std::make_shared<const Tensor>(std::move(values).reshaped(std::move(shape)));
  }
  if (taken.query) {
    step.info.axes[2].only = taken.query;
    step.info.axes[2].size = 1;
    step.values = std::make_shared<const Tensor>(row_of_maps(step.tensor(), *taken.query));
  }
  compute_extents(step);
  return step;
}

}  // namespace

Result<FigureRun> make_figure_run(OpenModel& open, const NetworkRun& run, const MapSelection& taken, double room,
                                  ThreadPool& pool, const std::stop_token& stop, std::atomic<float>& progress) {
  HL_CHECK(check_taken(run, taken, room));
  const PartRun& part = run.of(taken.part);
  auto trace = std::make_shared<Trace>();
  trace->variant = run.trace.variant;
  for (const Index layer : taken.layers) {
    HL_TRY(auto map, map_of_layer(open, run, {layer, taken.part}, pool, stop));
    Trace one;  // of that layer alone, for what is made of it
    one.steps.push_back(step_of_map(run, part, layer, std::move(map)));
    trace->steps.push_back(part_taken(one, one.steps.front(), taken));
    progress.store(static_cast<float>(trace->steps.size()) / static_cast<float>(taken.layers.size()));
  }
  return FigureRun{problem_of(run), std::move(trace)};
}

}  // namespace headlight::app
