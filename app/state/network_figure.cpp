#include "app/state/network_figure.h"

#include "app/figures/figure_layers.h"
#include "engine/io/file.h"
#include "engine/models/pixels.h"

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

// What positions are called: where all items of a batch have the same, as pictures do.
void put_words(Axis& axis, const std::vector<std::string>& words, const NetworkRun& run) {
  const ModelPlan& plan = run.plan();
  if (plan.pixels) {
    const Index side = plan.image_size / plan.patch;
    axis.placed = PlacedGrid{{1, side, side}, static_cast<Index>(plan.lone_tokens.size())};
  } else if (run.input.items() != 1) {
    return;
  }
  axis.labels = words;
  axis.given_labels.assign(static_cast<std::size_t>(run.input.items()), words);
}

// The maps of a part's layers, each a step.
void put_maps(Trace& trace, const NetworkRun& run, const PartRun& part) {
  Axis queries = axis_of(AxisRole::query, "query", Role::query, part.queries()),
       keys = axis_of(AxisRole::key, "key", Role::key, part.keys());
  put_words(queries, part.query_words, run);
  put_words(keys, part.key_words, run);
  for (Index l = 0; l < part.layers(); ++l) {
    const auto& values = part.maps[static_cast<std::size_t>(l)];
    const Tensor& map = *values;
    Step step;
    step.info.id = run.plan().steps_of({l, part.part}) + run.map_id;
    step.info.title = "Attention weights";
    step.info.axes = {axis_of(AxisRole::batch, "batch", Role::none, map.dim(0)),
                      axis_of(AxisRole::head, "head", Role::none, map.dim(1)), queries, keys};
    step.info.kind = Kind::probability;
    step.info.role = Role::weight;
    step.info.minus_infinity_masks = true;
    step.info.layer = l;
    step.info.part = run.plan().part_name(part.part);
    step.values = values;
    const Index each = map.size() / map.dim(0);
    for (Index b = 0; b < map.dim(0); ++b)
      step.extents.push_back(
          extent_of(map.values().subspan(static_cast<std::size_t>(b * each), static_cast<std::size_t>(each))));
    trace.steps.push_back(std::move(step));
  }
}

// What the model saw, for what is drawn over it.
void put_pictures(Problem& problem, const NetworkRun& run) {
  const auto rules = picture_rules(*run.model);
  if (!run.input.pixels || run.input.pixels->dim(1) != 3 || !rules) return;
  const Index side = run.plan().image_size / run.plan().patch;
  std::vector<Image> cells, fine;
  for (Index b = 0; b < run.input.items(); ++b) {
    fine.push_back(picture_of(*run.input.pixels, b, *rules));
    cells.push_back(filtered_resize(fine.back(), side, side, ResizeFilter::bilinear));
  }
  ArraySpec seen;
  seen.id = "pixels";
  problem.pictures[seen.id] = std::make_shared<const Pictures>(pictures_of(std::move(cells), std::move(fine)));
  problem.specs.inputs.push_back(std::move(seen));
}

}  // namespace

FiguredNetwork figured(const NetworkRun& run) {
  if (!run.few_maps.empty()) return {};
  auto problem = std::make_shared<Problem>();
  auto trace = std::make_shared<Trace>();
  trace->variant = run.trace.variant;
  const std::filesystem::path folder = run.model->folder().lexically_normal();
  problem->files[id_of_model] = one_line((folder.has_filename() ? folder : folder.parent_path()).filename().native());
  put_pictures(*problem, run);
  if (run.plan().pixels || run.input.items() == 1)
    problem->labels[std::string(symbol_of(AxisRole::query))] = run.parts.front().query_words;
  for (const PartRun& part : run.parts) put_maps(*trace, run, part);
  return {std::move(problem), std::move(trace)};
}

}  // namespace headlight::app
