#include "app/figures/figure_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/reading/head_measures.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/measures/head_measures.h"
#include "engine/measures/layer_maps.h"

namespace headlight::app {

namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

const Step* keep(Step step, OwnedSteps& made) {
  step.extents = extents_of_items(step.tensor());
  made.push_back(std::make_shared<const Step>(std::move(step)));
  return made.back().get();
}

// The same words and axes for other numbers, whose way here is not known.
Step like(const Step& step) {
  Step other;
  other.info = step.info;
  other.info.code = {};
  other.info.minus_infinity_masks = true;
  return other;
}

Status check_map(const Step& step, const char* what) {
  const auto& axes = step.info.axes;
  const std::size_t last = axes.size();
  const bool map = last >= 2 && role_along(axes[last - 2]) == AxisRole::query &&
                   role_along(axes[last - 1]) == AxisRole::key && last <= 4;
  if (map) return {};
  return fail("{} is of maps of queries and keys, and {} is none", what, step.info.id);
}

// Whether a step is of the part of the model that is asked for, or else of its first; runs of one part say none.
bool is_of_part(const Trace& trace, const Step& step, ModelPart part) {
  if (!step.info.layer) return false;
  if (part != ModelPart::first) return step.info.part == name_of(part);
  const auto first = std::ranges::find_if(trace.steps, [](const Step& one) { return !one.info.part.empty(); });
  return step.info.part.empty() || step.info.part == first->info.part;
}

// The step of a layer that goes by that name; its map where none is named.
Result<const Step*> step_of_layer(const Trace& trace, LayerOfModel layer, const std::string& name) {
  std::vector<std::string> known;
  for (const Step& step : trace.steps) {
    if (step.info.layer != layer.layer || !is_of_part(trace, step, layer.part)) continue;
    if (name.empty() && step.info.role == Role::weight && step.axis(AxisRole::key)) return &step;
    known.push_back(without_layer(step.info.id));
    if (known.back() == name) return &step;
  }
  if (trace.find(name) && without_layer(name) != name)
    return fail("--step {} is of one layer: --layers says which, so name it {}", name, without_layer(name));
  known.emplace_back(rollout_id);
  return fail("layer {} has no step \"{}\": it has {}", layer.layer, brief(name), brief_list(known));
}

// ---- Rollout -----------------------------------------------------------------------------------------------------

// The map without what marks hidden keys: they have a weight of 0.
Step with_zeros(const Step& map) {
  Tensor values = map.tensor();
  std::ranges::replace(values.values(), hidden, 0.0F);
  Step step = like(map);
  step.values = std::make_shared<const Tensor>(std::move(values));
  return step;
}

// After each layer (B, n, n). A key that no path has reached by then is hidden where the layer hides it.
Result<std::vector<const Step*>> rollouts(const Trace& trace, ModelPart part, OwnedSteps& made) {
  std::vector<Step> plain;
  auto maps = maps_of_layers(trace);
  std::erase_if(maps, [&](const Step* map) { return map->info.layer && !is_of_part(trace, *map, part); });
  for (const Step* map : maps) plain.push_back(with_zeros(*map));
  std::vector<const Step*> seen;
  for (const Step& step : plain) seen.push_back(&step);
  ThreadPool pool;
  Compute compute(pool);
  const auto rolled = headlight::rollout(seen, compute);
  if (!rolled) return fail("rollout needs square maps of weights, one a layer and all of one size: this run has none");
  const Index items = rolled->dim(0), layers = rolled->dim(1), cells = rolled->dim(2) * rolled->dim(3);
  std::vector<const Step*> steps;
  for (Index l = 0; l < layers; ++l) {
    const Step& map = *maps[static_cast<std::size_t>(l)];
    HL_TRY(const Step* mean, mean_over_heads(trace, map, made));
    Tensor values = mean->tensor();
    for (Index b = 0; b < items; ++b)
      for (Index c = 0; c < cells; ++c) {
        const float share = (*rolled)[(b * layers + l) * cells + c];
        if (share != 0 || values[b * cells + c] != hidden) values[b * cells + c] = share;
      }
    Step step = like(*mean);
    step.info.id = map.info.layer ? fmt::format("layer{}/{}", *map.info.layer, rollout_id) : rollout_id;
    step.info.title = "Attention rollout";
    step.values = std::make_shared<const Tensor>(std::move(values));
    steps.push_back(keep(std::move(step), made));
  }
  return steps;
}

// ---- A measure of every head ----------------------------------------------------------------------------------------

// (B, layers, heads). Errors: what has no meaning for such maps, and layers of different numbers of heads.
Result<const Step*> measure_of_heads(const Trace& trace, Measure measure, const FigureRequest& request,
                                     OwnedSteps& made) {
  auto maps = maps_of_layers(trace);
  std::erase_if(maps, [&](const Step* map) { return map->info.layer && !is_of_part(trace, *map, request.part); });
  if (request.run_layers && !request.run_layers->empty())
    std::erase_if(maps, [&](const Step* map) {
      return map->info.layer && std::ranges::count(*request.run_layers, *map->info.layer) == 0;
    });
  if (maps.empty()) return fail("--step measure/{} is of weights, of which this run has none", id_of(measure));
  ThreadPool pool;
  Compute compute(pool);
  std::vector<double> numbers;
  const Index batches = batches_of(*maps.front()), count = static_cast<Index>(maps.size());
  Index heads = 0;
  Missing missing = Missing::nothing;
  std::vector<std::string> layers;
  std::vector<std::vector<HeadMeasures>> measured;
  for (const Step* map : maps) measured.push_back(measure_items(trace, *map, compute, ReadRows::as_they_are));
  for (Index item = 0; item < batches; ++item)
    for (const std::vector<HeadMeasures>& items : measured) {
      const HeadMeasures& measures = items.at(static_cast<std::size_t>(item));
      if (heads > 0 && measures.heads != heads)
        return fail("--step measure/{} needs layers of as many heads: {}, {}", id_of(measure), heads, measures.heads);
      heads = measures.heads;
      missing = measures[measure].missing;
      numbers.insert(numbers.end(), measures[measure].values.begin(), measures[measure].values.end());
    }
  if (request.run_layers && !request.run_layers->empty())  // else their places are their numbers
    for (const Step* map : maps) layers.push_back(fmt::format("{}", map->info.layer.value_or(0)));
  if (std::ranges::all_of(numbers, [](double number) { return std::isnan(number); }))
    return fail("--step measure/{}: {}", id_of(measure), missing_in_words(missing));
  Step step;
  step.info.id = fmt::format("measure/{}", id_of(measure));
  step.info.title = row_of(measure).title;
  step.info.part = maps.front()->info.part;
  const std::string items(symbol_of(AxisRole::batch));
  step.info.axes = {Axis{.symbol = items, .name = "batch", .size = batches, .along = AxisRole::batch},
                    Axis{"n_layers", "layer", count, std::move(layers), {}, Role::none, AxisRole::channel},
                    Axis{.symbol = "n_heads", .name = "head", .size = heads, .along = AxisRole::channel}};
  Tensor values({batches, count, heads});
  std::ranges::transform(numbers, values.data(), [](double number) { return static_cast<float>(number); });
  step.values = std::make_shared<const Tensor>(std::move(values));
  return keep(std::move(step), made);
}

// ---- One query through the layers --------------------------------------------------------------------------------

std::string name_of_query(const Axis& queries, Index query, Index item) {
  if (queries.labels.empty() || labels_are_numbers(queries)) return fmt::format("{}", query);
  const std::string label = label_of(&queries, query, item);
  return std::ranges::count(labels_of_item(queries, item), label) > 1 ? fmt::format("“{}” ({})", label, query)
                                                                      : fmt::format("“{}”", label);
}

// (B, M, layers, n_k), or (B, layers, n_k) where the maps have no heads.
Result<const Step*> through_layers(const Trace& trace, const std::vector<LayerOfRun>& layers, Index query, Index item,
                                   OwnedSteps& made) {
  const Step& first = *layers.front().steps.front();
  HL_CHECK(check_map(first, "--as layers"));
  const Axis &queries = *first.axis(AxisRole::query), &keys = *first.axis(AxisRole::key);
  if (queries.only ? query != *queries.only : query >= queries.size)
    return fail("--query is {}: it must be {}", query,
                queries.only ? fmt::format("{}", *queries.only) : fmt::format("from 0 to {}", queries.size - 1));
  const Index row = queries.only ? 0 : query;
  const Index items = batches_of(first), heads = has_heads(first) ? heads_of(first) : 1,
              count = static_cast<Index>(layers.size());
  Step step = like(first);
  step.info.id = without_layer(first.info.id);
  const bool relevant = step.info.id == relevance_id;
  step.info.title =
      fmt::format("{}{} query {}", step.info.id == rollout_id || relevant ? first.info.title : "Attention weights",
                  relevant ? ", row of" : " of", name_of_query(queries, query, item));
  step.info.layer = {};
  Axis depth{.symbol = "n_layers", .name = "layer", .size = count, .along = AxisRole::channel};
  for (const LayerOfRun& layer : layers) depth.labels.push_back(fmt::format("{}", layer.number));
  step.info.axes[step.info.axes.size() - 2] = std::move(depth);
  Shape shape = first.tensor().shape();
  shape[shape.size() - 2] = count;
  Tensor values = Tensor::uninitialized(std::move(shape));
  float* to = values.data();
  for (Index b = 0; b < items; ++b)
    for (Index m = 0; m < heads; ++m)
      for (const LayerOfRun& layer : layers) {
        std::shared_ptr<const Tensor> owner;
        const Focus focus{.batch = b, .head = m, .flat = true};
        const MatrixView cells = cells_of(trace, *layer.steps.front(), focus, owner);
        if (cells.columns != keys.size || row >= cells.rows)
          return fail("--as layers needs layers of one size: layer {} has {} × {}", layer.number, cells.rows,
                      cells.columns);
        for (Index j = 0; j < cells.columns; ++j) *to++ = cells.at(row, j);
      }
  step.values = std::make_shared<const Tensor>(std::move(values));
  return keep(std::move(step), made);
}

}  // namespace

std::optional<Measure> measure_in(const std::string& step) {
  constexpr std::string_view before = "measure/";
  return step.starts_with(before) ? measure_by_id(std::string_view(step).substr(before.size())) : std::nullopt;
}

bool needs_only_maps(Measure measure) {
  return row_of(measure).of_row && measure != Measure::special;
}

bool is_of_layers(const FigureRequest& request) {
  return request.run_layers || request.kind == FigureKind::layers || shows_relevance(request) ||
         std::ranges::any_of(request.steps, [](const std::string& s) { return s == rollout_id || measure_in(s); });
}

std::optional<StepOfLayer> step_of_layer_in(const std::string& id) {
  StepOfLayer found;
  std::string_view rest = id;
  for (const ModelPart stack : {ModelPart::first, ModelPart::decoder, ModelPart::text, ModelPart::vision})
    if (const std::string before = fmt::format("{}/", name_of(stack)); rest.starts_with(before)) {
      found.layer.part = stack;
      rest.remove_prefix(before.size());
      break;
    }
  const auto slash = rest.find('/');
  if (!rest.starts_with("layer") || slash == std::string_view::npos) return std::nullopt;
  const auto parsed = std::from_chars(rest.data() + 5, rest.data() + slash, found.layer.layer);
  if (parsed.ec != std::errc() || parsed.ptr != rest.data() + slash) return std::nullopt;
  rest.remove_prefix(slash + 1);
  if (const std::string cross = fmt::format("{}/", name_of(ModelPart::cross));
      found.layer.part == ModelPart::decoder && rest.starts_with(cross)) {
    found.layer.part = ModelPart::cross;
    rest.remove_prefix(cross.size());
  }
  found.name = rest;
  return found;
}

std::string without_layer(const std::string& id) {
  const auto of_layer = step_of_layer_in(id);
  return of_layer ? of_layer->name : id;
}

Index layers_of(const Trace& trace) {
  Index count = 0;
  for (const Step& step : trace.steps)
    if (step.info.layer) count = std::max(count, *step.info.layer + 1);
  return count;
}

Result<std::vector<Index>> requested_layers(const Trace& trace, const FigureRequest& request) {
  Index count = 0;
  for (const Step& step : trace.steps)
    if (is_of_part(trace, step, request.part)) count = std::max(count, *step.info.layer + 1);
  if (count == 0 && request.part != ModelPart::first) return fail("--part {}: the run has none", name_of(request.part));
  if (count == 0 && request.run_layers)
    return fail("--layers asks for layers of one run, and this one has none: name experiments instead, a layer each");
  if (!request.run_layers || request.run_layers->empty()) {
    std::vector<Index> all;
    for (Index l = 0; l < std::max<Index>(1, count); ++l) all.push_back(l);
    return all;
  }
  for (const Index layer : *request.run_layers)
    if (layer >= count) return fail("--layers is {}: this run has layers 0 to {}", layer, count - 1);
  return *request.run_layers;
}

Result<const Step*> mean_over_heads(const Trace& trace, const Step& step, OwnedSteps& made) {
  if (!has_heads(step)) return &step;
  HL_CHECK(check_map(step, "--average"));
  Step mean = like(step);
  std::erase_if(mean.info.axes, [](const Axis& axis) { return role_along(axis) == AxisRole::head; });
  Shape shape;
  for (const Axis& axis : mean.info.axes) shape.push_back(axis.size);
  mean.values =
      std::make_shared<const Tensor>(headlight::mean_over_heads(*with_hidden(trace, step)).reshaped(std::move(shape)));
  return keep(std::move(mean), made);
}

namespace {

// The map without the last axis's positions beside its picture: those on it, as a grid.
const Step* keys_on_picture(const Step& step, OwnedSteps& made) {
  const auto& axes = step.info.axes;
  if (axes.empty() || !axes.back().placed || role_along(axes.back()) != AxisRole::key) return &step;
  const PlacedGrid on = *axes.back().placed;
  const Index keys = axes.back().size, kept = on.grid.rows * on.grid.columns, rows = step.tensor().size() / keys;
  Step part = like(step);
  Axis& places = part.info.axes.back();
  places.size = kept;
  places.grid = on.grid;  // `placed` still says where on the run's own axis the first of these lies
  places.labels.clear();
  places.given_labels.clear();
  Shape shape = step.tensor().shape();
  shape.back() = kept;
  Tensor values = Tensor::uninitialized(std::move(shape));
  for (Index row = 0; row < rows; ++row)
    std::copy_n(step.tensor().data() + row * keys + on.offset, kept, values.data() + row * kept);
  part.values = std::make_shared<const Tensor>(std::move(values));
  return keep(std::move(part), made);
}

// Keys that are the places of a window, at their own places of the picture; what lies outside of it is hidden. Of the
// one query that is drawn, or of all where several are.
Result<const Step*> windows_on_picture(const Trace& trace, const Step& map, const FigureRequest& request,
                                       OwnedSteps& made) {
  constexpr Index most = Index{1} << 27;
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  std::optional<Index> query;
  if (!queries.only && request.queries.empty()) query = request.query ? request.query : middle_query(map);
  if (query && *query >= queries.size) return fail("--query is {}: it must be from 0 to {}", *query, queries.size - 1);
  const Index places = queries.grid->rows * queries.grid->columns,
              rows = map.tensor().size() / keys.size / (query ? queries.size : 1);
  if (rows * places > most)
    return fail("--as picture: {} × {} places of {} are too many to lie on the picture at once: use a smaller one",
                rows, places, map.info.id);
  return keep(keys_on_grid(trace, map, query), made);
}

// (…, n_q, n_k) → (…, places): what each place of the queries' picture gives one key.
Result<const Step*> column_on_picture(const Trace& trace, const Step& map, std::optional<Index> key, OwnedSteps& made) {
  const auto& axes = map.info.axes;
  const Axis &queries = axes[axes.size() - 2], &keys = axes.back();
  if (!key)
    return fail(
        "--as picture: the queries of {} lie on the picture and its keys do not: --key says which key's weights "
        "lie over it, from 0 to {}",
        map.info.id, keys.size - 1);
  if (*key >= keys.size) return fail("--key is {}: it must be from 0 to {}", *key, keys.size - 1);
  const Grid grid = queries.grid ? *queries.grid : queries.placed->grid;
  const Index first = queries.grid ? 0 : queries.placed->offset, places = grid.frames * grid.rows * grid.columns,
              maps = map.tensor().size() / (queries.size * keys.size);
  const auto shown = with_hidden(trace, map);
  Step column = like(map);
  column.info.axes.pop_back();
  Axis& at = column.info.axes.back();
  at.size = places;
  at.grid = grid;
  at.labels.clear();
  at.given_labels.clear();
  Shape shape = map.tensor().shape();
  shape.pop_back();
  shape.back() = places;
  Tensor values = Tensor::uninitialized(std::move(shape));
  for (Index of = 0; of < maps; ++of)
    for (Index i = 0; i < places; ++i)
      values[of * places + i] = (*shown)[(of * queries.size + first + i) * keys.size + *key];
  column.values = std::make_shared<const Tensor>(std::move(values));
  return keep(std::move(column), made);
}

}  // namespace

Result<const Step*> displayed_step(const Trace& trace, const Step& step, const FigureRequest& request,
                                   OwnedSteps& made) {
  if (request.kind != FigureKind::picture) return &step;
  const auto& axes = step.info.axes;
  const bool map = axes.size() >= 2 && role_along(axes[axes.size() - 2]) == AxisRole::query &&
                   role_along(axes.back()) == AxisRole::key && !axes.back().window;
  const auto lies = [](const Axis& axis) { return is_on_picture(axis) || axis.placed; };
  if (map && axes.back().position_of && is_on_picture(axes[axes.size() - 2]))
    return windows_on_picture(trace, step, request, made);
  if (!map || !lies(axes[axes.size() - 2]) || axes.back().grid) return keys_on_picture(step, made);
  const bool beside = request.key && axes.back().placed && !axes.back().placed->holds(*request.key);
  if (beside && request.query)
    return fail("--key {} lies beside the picture: leave --query out to see its weights over it", *request.key);
  if (beside || !axes.back().placed) return column_on_picture(trace, step, request.key, made);
  return keys_on_picture(step, made);
}

Result<std::vector<LayerOfRun>> steps_of_layers(const Trace& trace, const FigureRequest& request, OwnedSteps& made) {
  HL_TRY(const auto numbers, requested_layers(trace, request));
  const bool layered = layers_of(trace) > 0;
  const std::vector<std::string> names = request.steps.empty() ? std::vector<std::string>{""} : request.steps;
  std::vector<const Step*> rolled;
  std::vector<LayerOfRun> layers;
  if (const auto measure = measure_in(names.front())) {
    if (names.size() > 1) return fail("--step {} is a figure of its own: name it alone", names.front());
    HL_TRY(const Step* step, measure_of_heads(trace, *measure, request, made));
    return std::vector{LayerOfRun{0, {step}}};
  }
  for (const Index number : numbers) {
    LayerOfRun layer{number, {}};
    for (const std::string& name : names) {
      if (name == rollout_id) {
        if (!in_first_stack(request.part))
          return fail("rollout is of an encoder alone: what a decoder reads of it is no square map");
        if (rolled.empty()) {
          HL_TRY(rolled, rollouts(trace, request.part, made));
        }
        if (number >= static_cast<Index>(rolled.size()))
          return fail("rollout needs weights: layer {} has none", number);
        HL_TRY(const Step* step, displayed_step(trace, *rolled[static_cast<std::size_t>(number)], request, made));
        layer.steps.push_back(step);
        continue;
      }
      if (name == relevance_id && !layered)
        return fail("--step {} is of the folder of a model: no logits are known here", relevance_id);
      const Step* alone = name.empty() ? trace.default_step() : trace.find(name);
      if (!layered && !alone) return fail("there is no step \"{}\" in this run", brief(name));
      HL_TRY(const Step* step, layered ? step_of_layer(trace, {number, request.part}, name) : alone);
      if (request.average) {
        HL_TRY(step, mean_over_heads(trace, *step, made));
      }
      HL_TRY(step, displayed_step(trace, *step, request, made));
      layer.steps.push_back(step);
    }
    layers.push_back(std::move(layer));
  }
  if (request.kind == FigureKind::layers) {
    if (names.size() > 1) return fail("--as layers is of one step: {} are asked for", names.size());
    HL_TRY(const Step* step, through_layers(trace, layers, request.query.value_or(0), request.batch.value_or(0), made));
    return std::vector{LayerOfRun{numbers.front(), {step}}};
  }
  // Rollout and relevance go through all layers: alone, they are those after the last.
  if (!request.run_layers) layers = {layers.back()};
  return layers;
}

const Step* first_step(const Trace& trace, const FigureRequest& request) {
  if (is_of_layers(request)) {
    const auto numbers = requested_layers(trace, request);
    const std::string name =
        request.steps.empty() || request.steps.front() == rollout_id || measure_in(request.steps.front())
            ? ""
            : request.steps.front();
    const auto step = numbers && layers_of(trace) > 0 ? step_of_layer(trace, {numbers->front(), request.part}, name)
                                                      : Result<const Step*>(trace.default_step());
    return step ? *step : nullptr;
  }
  return request.steps.empty() ? trace.default_step() : trace.find(request.steps.front());
}

}  // namespace headlight::app
