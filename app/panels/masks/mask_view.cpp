// The middle of the mask laboratory: the mask beside the weights, and how many keys each query sees.
#include <imgui.h>

#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/common/prepared.h"
#include "app/panels/masks/parts.h"
#include "app/reading/inputs.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

namespace {

Focus pairs_focus(const Model& model) {
  Focus focus = effective_focus(model);
  focus.flat = true;
  return focus;
}

// ---- Maps -----------------------------------------------------------------------------------------------------------

constexpr float least_cell = 7;  // px of the design, from which on cells show what hides them

void draw_dot(Ui& ui, Rect cell, bool let_in) {
  const float radius = std::min(ui.px(4.5F), cell.w / 5);
  const ImVec2 middle{cell.middle().x, cell.middle().y};
  if (let_in)
    ui.list().AddCircle(middle, radius, ui.theme().text, 0, std::max(1.0F, ui.px(1.5F)));
  else
    ui.list().AddCircleFilled(middle, radius, ui.theme().text);
}

// What hides each cell, over the map's own ground.
void draw_causes(Ui& ui, Rect map, const HeatmapData& shown, const MaskReading& mask, const MaskLab& lab) {
  const MatrixView& cells = shown.map.cells;
  const Rect first = cell_rect(map, cells, 0, 0);
  if (std::min(first.w, first.h) < ui.px(least_cell)) return;
  const float gap = cells.rows <= 64 && cells.columns <= 64 ? 1.0F : 0.0F, step = ui.px(first.w < ui.px(16) ? 5 : 7);
  for (Index i = 0; i < cells.rows; ++i)
    for (Index j = 0; j < cells.columns; ++j) {
      const Index row = shown.first_row + i, key = shown.first_column + j;
      Rect cell = cell_rect(map, cells, i, j);
      cell.w -= gap;
      cell.h -= gap;
      const auto at = static_cast<std::size_t>(mask.at(row, key));
      if (mask.hidden(row, key)) {
        ui.fill(cell, ui.theme().hatch_ground);
        for (std::size_t k = 0; k < mask.layers.size(); ++k)
          if (mask.hide[at] >> k & 1U) draw_layer_hatch(ui, cell, mask.layers[k], step);
      } else if (first.w >= ui.px(14) && first.h >= ui.px(12)) {
        bool out_of_reach = false, painted = false;
        for (std::size_t k = 0; k < mask.layers.size(); ++k) {
          if (!(mask.touch[at] >> k & 1U)) continue;
          out_of_reach = out_of_reach || mask.layers[k].part == MaskRule::Part::reach;
          painted = painted || mask.layers[k].kind == SeenLayer::Kind::painted;
        }
        draw_dot(ui, cell, out_of_reach || painted);
      }
      if (lab.lit && (mask.hide[at] >> *lab.lit & 1U)) ui.frame(cell, ui.theme().brand, 0, ui.px(1.5F));
    }
}

// Where words stand in a row: the whole of it, but for the frame of the selected column the longer part beside that.
Rect beside_column(Rect row, std::optional<Rect> column) {
  if (!column) return row;
  const Rect left{row.x, row.y, column->x - row.x, row.h},
      right{column->right(), row.y, row.right() - column->right(), row.h};
  return left.w > right.w ? left : right;
}

// A frame round the rows that are empty, row after row where they touch.
void frame_empty_rows(Ui& ui, Rect map, const HeatmapData& shown, const MaskReading& mask, bool words) {
  const MatrixView& cells = shown.map.cells;
  for (std::size_t k = 0; k < mask.empty.size();) {
    std::size_t end = k + 1;
    while (end < mask.empty.size() && mask.empty[end] == mask.empty[end - 1] + 1) ++end;
    const Index first = std::max(mask.empty[k] - shown.first_row, Index{0}),
                last = std::min(mask.empty[end - 1] - shown.first_row, cells.rows - 1);
    k = end;
    if (first > last) continue;
    const Rect top = cell_rect(map, cells, first, 0), bottom = cell_rect(map, cells, last, 0);
    const Rect rows{map.x, top.y, map.w, bottom.bottom() - top.y};
    if (words) {
      ui.fill(rows, ui.theme().warning_soft);
      const std::string text = "no visible key: set to zeros";
      std::optional<Rect> column;
      if (shown.column) column = cell_rect(map, cells, 0, *shown.column);
      for (Index i = first; i <= last; ++i) {
        const Rect whole{map.x, cell_rect(map, cells, i, 0).y, map.w, cell_rect(map, cells, i, 0).h};
        const Rect row = beside_column(whole, column);
        if (row.h >= ui.line_height(Type::note) && ui.width_of(Type::note, text) < row.w)
          ui.text_in(Type::note, row, ui.theme().warning, text, Ui::Align::center);
      }
    }
    ui.frame(rows, ui.theme().warning, 0, ui.px(2));
  }
}

HeatmapData mask_map(Ui& ui, const Model& model, PanelMemory& memory, const MaskReading& mask, const Slice& slice) {
  const std::string what = fmt::format("masks {} {}", model.document.look.batch, model.document.look.head);
  MapData map;
  map.key = "masks/sum";
  map.cells = {mask.sum->data(), mask.queries, mask.keys, mask.keys, 1};
  map.numbers = {model.shown.ticket, what, 0, mask.queries, mask.keys, mask.keys, 1};
  map.owner = mask.sum;
  const Extent& extent = memory.get<Prepared>().extent(map);
  const float most = std::max({std::abs(extent.least), std::abs(extent.greatest), 1e-6F});
  const bool given = std::isfinite(most) && most > 1e-5F;
  map.range = given ? ValueRange{-most, most} : ValueRange{0, 1};
  map.colormap = default_colormap(map.range.is_signed(), ui.theme().dark);
  HeatmapData data = labelled_map(memory, *model.trace(), slice, effective_selection(model), std::move(map));
  data.numbers = false;
  data.pans = false;
  return data;
}

std::string pair_words(const MaskReading& mask, CellAt at) {
  const std::string by = hidden_by_words(mask, at.row, at.column);
  if (!by.empty()) return "hidden by " + by;
  return mask.hidden(at.row, at.column) ? "hidden" : "visible";
}

void draw_pair_tip(Ui& ui, const Model& model, const MaskReading& mask, const Slice& slice, const std::string& path,
                   const HeatmapResult& drawn, PanelMemory& memory) {
  if (!drawn.hovered) return;
  const CellAt at = *drawn.hovered;
  memory.hover = Hover{model.step()->info.id, model.document.look.head,
                       selection_at(slice, at.row, at.column, model.document.look.selection)};
  if (!ui.rests_on(fmt::format("{}/{},{}", path, at.row, at.column)) || memory.get<MaskLab>().from) return;
  CellTip tip;
  const auto query = query_of(*slice.step, slice.cell_at(at.row, at.column));
  for (const auto& [axis, place] : {std::pair{slice.rows, at.row}, {slice.columns, at.column}})
    if (axis)
      tip.places.push_back(
          {static_cast<std::size_t>(place),
           ui.fonts().display_text(name_along(*model.trace(), *slice.step, axis, place, query, slice.item)),
           axis->role});
  tip.value = mask.hidden(at.row, at.column) ? "hidden" : "visible";
  tip.role = Role::mask;
  tip.line = pair_words(mask, at);
  cell_tip(ui, drawn.hovered_rect, tip);
}

HeatmapData weights_map(Ui& ui, const Model& model, PanelMemory& memory, const Slice& slice) {
  MaskLab& lab = memory.get<MaskLab>();
  const Step& step = *slice.step;
  const NumbersOf numbers = numbers_of(model.shown.ticket, step.info.id + "/pairs", slice);
  if (lab.weights_of != numbers) {
    lab.weights_of = numbers;
    lab.weights_owner = step.values;
    lab.weights = cells_of(*model.trace(), step, pairs_focus(model), lab.weights_owner);
  }
  const Look& look = model.document.look;
  const ValueRange range = shown_range(step, look.batch, look.head, look.scaling);
  return labelled_map(memory, *model.trace(), slice, effective_selection(model),
                      {"masks/weights", numbers, lab.weights, lab.weights_owner, range,
                       default_colormap(range.is_signed(), ui.theme().dark)});
}

// ---- Below the maps -------------------------------------------------------------------------------------------------

void draw_legend(Ui& ui, Rect box, const MaskReading& mask) {
  const float side = ui.px(18), row = ui.px(22);
  Rect line{box.x, box.y, box.w, row};
  const auto item = [&](const std::string& name, auto&& swatch) {
    const float width = side + ui.px(8) + ui.width_of(Type::note, name);
    if (line.w < width) line = {box.x, line.bottom(), box.w, row};
    if (line.bottom() > box.bottom() + 1) return;
    const Rect sign{line.x, line.middle().y - side / 2, side, side};
    swatch(sign);
    ui.frame(sign, ui.theme().line_strong);
    line.take_left(side + ui.px(8));
    ui.text_in(Type::note, line.take_left(width - side - ui.px(8)), ui.theme().text_muted, name);
    line.take_left(ui.px(14));
  };
  item("Visible", [&](Rect sign) { draw_dot(ui, sign, false); });
  for (const SeenLayer& layer : mask.layers)
    item(layer.name, [&](Rect sign) {
      if (layer.part == MaskRule::Part::allows) return draw_dot(ui, sign, true);
      ui.fill(sign, ui.theme().hatch_ground);
      draw_layer_hatch(ui, sign, layer, ui.px(6));
    });
}

void draw_key_counts(Ui& ui, Rect box, const Model& model, const MaskReading& mask, const Slice& slice) {
  ui.text_in(Type::heading, box.take_top(ui.px(22)), ui.theme().text, "Visible keys per query");
  const bool on_picture = slice.rows && slice.rows->grid;  // whose last pixel has the longest name
  const float longest = on_picture ? ui.width_of(Type::note, label_of(slice.rows, mask.queries - 1, slice.item)) : 0;
  const float least = std::max(ui.px(34), longest + ui.px(8));
  const Index fit = std::max<Index>(1, static_cast<Index>(box.w / least));
  const Index stride = (mask.queries + fit - 1) / fit, shown = (mask.queries + stride - 1) / stride;
  const float pitch = std::min(box.w / static_cast<float>(shown), ui.px(80));
  for (Index k = 0; k < shown; ++k) {
    const Index row = k * stride;
    const Rect place{box.x + static_cast<float>(k) * pitch, box.y, pitch - ui.px(8), box.h};
    const Index count = mask.seen[static_cast<std::size_t>(row)];
    const bool empty = count == 0, chosen = selected_row(slice, effective_selection(model)) == row;
    Color32 color = chosen ? ui.theme().query.main : ui.theme().text;
    if (empty) color = ui.theme().warning;
    const std::string name =
        slice.rows ? ui.fonts().display_text(label_of(slice.rows, row, slice.item)) : fmt::format("{}", row);
    ui.text(Type::note, {place.x, place.y}, color, ui.fitted(Type::note, name, place.w));
    const Rect bar{place.x, place.y + ui.px(19), place.w, ui.px(6)};
    ui.fill(bar, ui.theme().sunken);
    ui.fill({bar.x, bar.y, bar.w * static_cast<float>(count) / static_cast<float>(mask.keys), bar.h}, ui.theme().ink);
    ui.text(Type::number_note, {place.x, place.y + ui.px(29)}, color, fmt::format("{}", count));
  }
  if (stride > 1) {
    ui.text_in(Type::note, {box.x, box.y - ui.px(22), box.w, ui.px(22)}, ui.theme().text_faint,
               fmt::format("every {} queries", stride), Ui::Align::right);
  }
}

// Whether each query of the map gives the keys after it exactly 0.
bool is_lower_triangular(const Step& map) {
  const auto& axes = map.info.axes;
  if (axes.size() < 2 || !map.axis(AxisRole::query) || axes.back().window || axes.back().position_of) return false;
  const Tensor& weights = map.tensor();
  const Index n = weights.dim(-1), rows = weights.size() / std::max<Index>(1, n);
  if (n < 2 || weights.dim(-2) != n) return false;
  for (Index row = 0; row < rows; ++row) {
    const auto after = weights.values().subspan(static_cast<std::size_t>(row * n + row % n + 1),
                                                static_cast<std::size_t>(n - 1 - row % n));
    if (std::ranges::any_of(after, [](float weight) { return weight != 0 && !is_masked(weight); })) return false;
  }
  return true;
}

bool shows_saved_weights(const Model& model) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  return variant && takes_maps(*variant);
}

// Whether saved weights look as if a causal mask had made them.
bool looks_causal(const Model& model, MaskLab& lab) {
  if (lab.causal_of != model.shown.ticket) {
    lab.causal_of = model.shown.ticket;
    lab.causal = shows_saved_weights(model) && model.trace()->map() && is_lower_triangular(*model.trace()->map());
  }
  return lab.causal;
}

// Why there is nothing to take apart; empty where there is.
std::string why_no_mask(const Model& model) {
  if (!model.trace()) return "There is no result yet.";
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (shows_saved_weights(model))
    return "These weights were saved, and their file does not say which mask they were made with.";
  if (mask_rules(model).empty())
    return fmt::format(
        "{} has no mask: every query sees every key. A mechanism with masks shows here which rule hides "
        "which key.",
        variant ? variant->info().title : "This mechanism");
  const Step* map = model.trace()->map();
  if (!map || map->tensor().rank() != 4 || !map->axis(AxisRole::key) || !map->axis(AxisRole::query))
    return "This run has no map of queries and keys.";
  if (const double cells = static_cast<double>(map->tensor().dim(2)) * static_cast<double>(map->tensor().dim(3));
      cells > static_cast<double>(most_cells_of_mask))
    return fmt::format(
        "This map has {:.1f} million cells, and masks of up to {:.1f} million are taken apart. Give a "
        "shorter input, or compute one query.",
        cells / 1e6, static_cast<double>(most_cells_of_mask) / 1e6);
  return {};
}

void draw_reason(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const float width = std::min(box.w, ui.px(560));
  float y = box.middle().y - ui.px(60);
  const float x = box.middle().x - width / 2;
  std::string words = why_no_mask(model);
  if (model.trace() && looks_causal(model, memory.get<MaskLab>()))
    words += " Above the diagonal all of them are exactly 0, as a causal mask leaves them.";
  y += paragraph(ui, {x, y}, width, ui.theme().text, "No mask to take apart", true, Type::title) + ui.px(8);
  const float height = paragraph(ui, {x, y}, width, ui.theme().text_muted, words);
  ui.log("masks/reason", {x, y, width, height}, words);
  y += height + ui.px(16);
  if (!mask_rules(model).empty() || shows_saved_weights(model)) return;
  const Variant* other =
      *std::ranges::find_if(all_variants(), [](const Variant* one) { return !one->masks().empty(); });
  const std::string label = "Use " + other->info().title;
  const Rect place{x, y, ui.width_of(Type::control, label) + ui.px(32), ui.px(32)};
  if (button(ui, "masks/other", place, label, ButtonLook::primary)) actions.push_back(SetVariant{other->info().id});
}

void open_pair_menu(Ui& ui, const Model& model, const Slice& slice, CellAt at, PanelMemory& memory, Actions& actions) {
  actions.push_back(Select{selection_at(slice, at.row, at.column, model.document.look.selection), true});
  open_menu(ui, memory, MenuTarget::cell, actions);
}

// With room for a bar of colours below.
void draw_maps(Ui& ui, Rect box, float bar_room, const Model& model, const MaskReading& mask, PanelMemory& memory,
               Actions& actions) {
  MaskLab& lab = memory.get<MaskLab>();
  const Slice slice = slice_of(*model.trace()->map(), pairs_focus(model));
  HeatmapData of_mask = mask_map(ui, model, memory, mask, slice);
  of_mask.over = [&](Rect map, const HeatmapData& shown) {
    draw_causes(ui, map, shown, mask, lab);
    frame_empty_rows(ui, map, shown, mask, false);
    frame_mask_box(ui, map, shown, lab);
  };
  const bool both = box.w >= ui.px(620);
  Rect right = box;
  const float labels = row_label_room(ui, of_mask);
  const float cells =
      std::floor((box.w - labels - ui.px(30)) / 2);  // beside each other, 2 px before those at the right
  Rect left = both ? right.take_left(labels + cells) : box;
  right.take_left(ui.px(28));
  const float heading = ui.px(20);
  ui.text_in(Type::heading, left.take_top(heading), ui.theme().text_muted, "");
  const HeatmapResult drawn = heatmap(ui, "masks/map", left, of_mask);
  ui.text(Type::heading, {drawn.map.x, left.y - heading}, ui.theme().text_muted, "Mask");
  draw_pair_tip(ui, model, mask, slice, "masks/map", drawn, memory);
  handle_mask_press(ui, model, mask, slice, drawn, lab, actions);
  if (bar_room > 0) draw_legend(ui, {left.x, drawn.map.bottom() + ui.px(8), left.w, ui.px(44)}, mask);
  if (drawn.menu) open_pair_menu(ui, model, slice, *drawn.menu, memory, actions);
  if (!both) return;
  HeatmapData weights = weights_map(ui, model, memory, slice);
  weights.bare_rows = true;
  weights.over = [&](Rect map, const HeatmapData& shown) { frame_empty_rows(ui, map, shown, mask, true); };
  right.take_top(heading);
  const HeatmapResult other = heatmap(ui, "masks/weights", right, weights);
  ui.text(Type::heading, {other.map.x, right.y - heading}, ui.theme().text_muted,
          ui.fitted(Type::heading, slice.step->info.title, right.right() - other.map.x));
  if (bar_room > 0)
    color_bar(ui, {other.map.x, other.map.bottom() + ui.px(10), right.right() - other.map.x, bar_room},
              map_scale(weights.map, "masks bar",
                        fmt::format("{}, {}", quantity_of(*slice.step),
                                    scaling_in_words(*slice.step, model.document.look.scaling, weights.map.range))));
  draw_pair_tip(ui, model, mask, slice, "masks/weights", other, memory);
  if (other.clicked)
    actions.push_back(
        Select{selection_at(slice, other.clicked->row, other.clicked->column, model.document.look.selection), true});
  if (other.menu) open_pair_menu(ui, model, slice, *other.menu, memory, actions);
}

}  // namespace

const MaskReading* shown_mask(const Model& model, PanelMemory& memory) {
  if (!why_no_mask(model).empty()) return nullptr;
  MaskLab& lab = memory.get<MaskLab>();
  const MaskLab::Of of{model.shown.ticket, model.document.look.batch, model.document.look.head};
  if (lab.of != of) {
    lab.of = of;
    lab.mask = std::make_shared<const MaskReading>(mask_of(model));
    lab.lit.reset();
  }
  return lab.mask.get();
}

bool draw_mask_view(Ui& ui, Rect box, bool told, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = draw_view_notices(ui, box, model, actions);
  const MaskReading* mask = shown_mask(model, memory);
  if (!mask) {
    draw_reason(ui, inside, model, memory, actions);
    draw_busy(ui, box, model);
    return false;
  }
  const bool asked = !told && draw_empty_warning(ui, inside, model, *mask);
  draw_mask_tools(ui, inside.take_top(ui.px(52)), model, memory.get<MaskLab>(), actions);
  const Slice slice = slice_of(*model.trace()->map(), pairs_focus(model));
  if (inside.h > ui.px(440)) draw_key_counts(ui, inside.take_bottom(ui.px(74)), model, *mask, slice);
  const Rect foot = inside.take_bottom(ui.px(inside.h > ui.px(260) ? 54 : 0));
  draw_maps(ui, inside, foot.h, model, *mask, memory, actions);
  draw_busy(ui, box, model);
  return asked;
}

}  // namespace headlight::app
