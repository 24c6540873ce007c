// The strip of steps: a tile for each stop, which slides where there is no room for all of them.
#include <cmath>

#include "app/panels/common/prepared.h"
#include "app/panels/views/parts.h"
#include "app/platform/input.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

std::string shape_of_step(const Step& step, bool matrix) {
  if (!matrix) return picture_shape(step);
  const Slice slice = slice_of(step, {.flat = true});
  return fmt::format("{}×{}", slice.matrix.rows, slice.matrix.columns);
}

// "12×64"; of projections that stand side by side "3·12×64", "5×8, 2·10×8".
std::string stage_shape(const Model& model, const Stage& stage) {
  const bool matrix = model.document.look.mode == ViewMode::matrix;
  const Step& first = *model.trace()->find(stage.steps.front());
  if (!is_projection(*model.trace(), first)) return shape_of_step(first, matrix);
  std::vector<std::pair<std::string, int>> shapes;
  for (const auto& id : stage.steps) {
    const Step* step = model.trace()->find(id);
    if (!step || !is_projection(*model.trace(), *step)) continue;
    const std::string shape = shape_of_step(*step, matrix);
    if (shapes.empty() || shapes.back().first != shape) shapes.emplace_back(shape, 0);
    ++shapes.back().second;
  }
  std::string words;
  for (const auto& [shape, count] : shapes)
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ", count > 1 ? fmt::format("{}·", count) : "", shape);
  return words;
}

TileData tile_of(Ui& ui, const Model& model, PanelMemory& memory, std::size_t i) {
  const Stage& stage = model.trace()->stages[i];
  TileData tile;
  tile.title = stage.tile;
  tile.shape = stage_shape(model, stage);
  tile.current = static_cast<int>(i) == model.stage();
  tile.done = static_cast<int>(i) < model.stage();
  tile.lit = std::ranges::find(stage.steps, model.lit) != stage.steps.end();
  for (const auto& id : stage.steps) {
    const Step* step = model.trace()->find(id);
    // Side by side; of other stages the first step alone.
    const bool projection = step && is_projection(*model.trace(), *step);
    if (!step || (!projection && !tile.maps.empty())) continue;
    tile.maps.push_back(memory.cells.map(ui, model, *step, model.document.look.head));
    MapData& map = tile.maps.back();
    map.key = "tile/" + map.key;
    // Weights over the pixels of a picture are small: a thumbnail is scaled to what it shows.
    if (step->info.kind == Kind::probability && slice_of(*step, effective_focus(model)).is_picture())
      map.range = {0, std::max(memory.get<Prepared>().extent(map).greatest, 1e-6F), Spacing::linear};
    if (projection) tile.underlines.push_back(step->info.role);
  }
  // The input of a picture is shown as that picture, on its grid.
  const InputPicture picture = base_picture(model, std::max<Index>(0, model.document.look.frame));
  const ArraySpec& input = model.shown.problem->specs.inputs.front();
  if (picture && input.layout != Layout::maps && stage.steps.front() == input.id)
    tile.instead = [&ui, &memory, picture](Rect box) { draw_picture(ui, memory, "tile", box, picture, true); };
  return tile;
}

// Where the tiles of the strip begin, and where the last one ends: as wide as there is room for, and no narrower than
// what they show.
std::vector<float> tile_starts(const Ui& ui, const std::vector<Stage>& stages, float width, bool names) {
  std::vector<float> widths;
  float sum = 0;
  for (const Stage& stage : stages) {
    widths.push_back(names ? ui.width_of(Type::label_strong, stage.tile) + ui.px(18) : ui.px(86));
    sum += widths.back();
  }
  const float more = std::max(0.0F, width - sum) / static_cast<float>(stages.size());
  std::vector<float> starts{0};
  for (const float w : widths) starts.push_back(starts.back() + w + more);
  return starts;
}

// Where a strip goes on beyond an edge: it fades, and an arrow says so.
void draw_cut(Ui& ui, Rect box, bool left, bool right) {
  const float w = ui.px(26);
  const auto fade = [&](const char* path, float x, Icon icon) {
    const Rect edge{x, box.y, w, box.h - 1};
    ui.fill(edge, with_alpha(ui.theme().canvas, 0.85F));
    draw_icon(ui, icon, {x + w / 2, box.middle().y}, ui.theme().text);
    ui.log(path, edge);
  };
  if (left) fade("pipeline/cut/left", box.x, Icon::chevron_left);
  if (right) fade("pipeline/cut/right", box.right() - w, Icon::chevron_right);
}

}  // namespace

void draw_pipeline(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!model.trace() || model.trace()->stages.empty()) return;
  const auto& stages = model.trace()->stages;
  const bool names = box.h < ui.px(60);  // no room for more
  const float over_tiles = box.h >= ui.px(120) ? 8 : 6;
  const Rect inside = box.inset(ui.px(12), ui.px(names ? 3 : over_tiles));
  const std::vector<float> starts = tile_starts(ui, stages, inside.w, names);
  const float over = starts.back() - inside.w, most = over < 1 ? 0 : std::ceil(over);  // less is rounding
  // A strip that is too long stands where it was slid to; a new step slides into view, and so does the one that is
  // shown when there is less room or more to show.
  float& slide = ui.memory().scroll["pipeline"];
  const auto now = static_cast<std::size_t>(std::max(0, model.stage()));
  const float margin = ui.px(40);  // of the tiles beside it
  const StripAt at{model.stage(), inside.w, starts.back()};
  if (memory.get<StripAt>() != at)
    slide = std::min(std::max(slide, starts[now + 1] + margin - inside.w), starts[now] - margin);
  memory.get<StripAt>() = at;
  for (std::size_t i = 0; i < stages.size(); ++i)  // what the focus came to by keys
    if (ui.memory().reveal == "pipeline/" + stages[i].id)
      slide = std::min(std::max(slide, starts[i + 1] + margin - inside.w), starts[i] - margin);
  if (most > 0) slide -= ui.take_wheel(box) * ui.px(86);
  slide = std::round(std::clamp(slide, 0.0F, most));
  ui.clip(inside.inset(-ui.px(4), -ui.px(8)));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const float x = inside.x + starts[i] - slide;
    const Rect tile{std::round(x + ui.px(3)), inside.y, std::round(starts[i + 1] - starts[i] - ui.px(6)), inside.h};
    if (pipeline_tile(ui, "pipeline/" + stages[i].id, tile, tile_of(ui, model, memory, i)))
      actions.push_back(GoStage{static_cast<int>(i)});
    if (i > 0 && !names)
      draw_icon(ui, Icon::arrow_right, {std::round(x), inside.y + ui.px(box.h >= ui.px(120) ? 54 : 42)},
                ui.theme().text_faint);
  }
  ui.unclip();
  ui.log("pipeline", box, most > 0 ? "scrolls" : "");
  draw_cut(ui, box, slide > 0, slide < most);
}

}  // namespace headlight::app
