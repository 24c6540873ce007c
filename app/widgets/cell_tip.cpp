#include "app/widgets/cell_tip.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight::app {

namespace {

Chip chip_of(const CellTip::Place& place) {
  return {place.label, place.role == Role::query ? ChipRole::query
                       : place.role == Role::key ? ChipRole::key
                                                 : ChipRole::none};
}

// In one of the four quarters round the cell, so that its row and column stay free: the first that is on the screen.
Rect placed(const Ui& ui, Rect cell, float w, float h) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(6);
  const float right = cell.right() + gap, left = cell.x - gap - w, below = cell.bottom() + gap,
              above = cell.y - gap - h;
  for (const auto& [x, y] :
       std::array{Point{right, below}, Point{right, above}, Point{left, below}, Point{left, above}})
    if (x >= 0 && y >= 0 && x + w <= screen.x && y + h <= screen.y) return {x, y, w, h};
  return {right + w <= screen.x ? right : left, below + h <= screen.y ? below : above, w, h};
}

}  // namespace

void cell_tip(Ui& ui, Rect cell, const CellTip& tip) {
  const float pad = ui.px(10), gap = ui.px(6), chip_height = ui.px(28);
  float chips = 0;
  for (const auto& place : tip.places) chips += chip_width(ui, place.index, chip_of(place)) + gap;
  const float width = std::max({chips - gap, ui.width_of(Type::result, tip.value), ui.width_of(Type::note, tip.line)});
  const float w = std::ceil(width) + 2 * pad;
  const float h = chip_height + ui.px(6) + ui.line_height(Type::result) + ui.line_height(Type::note) + 2 * ui.px(8);
  const Rect card = placed(ui, cell, w, h);
  ui.log("tip", card, tip.value);
  ui.on_top([&ui, card, pad, gap, chip_height, tip] {
    const Theme& t = ui.theme();
    ui.fill(card, t.canvas, ui.px(8));
    ui.frame(card, t.line_strong, ui.px(8));
    Rect inside = card.inset(pad, ui.px(8));
    Rect line = inside.take_top(chip_height);
    for (const auto& place : tip.places) {
      draw_chip(ui, line.take_left(chip_width(ui, place.index, chip_of(place))), place.index, chip_of(place), false);
      line.take_left(gap);
    }
    inside.take_top(ui.px(6));
    ui.text_in(Type::result, inside.take_top(ui.line_height(Type::result)),
               tip.role == Role::none ? t.text : role_colors(t, tip.role).main, tip.value);
    ui.text_in(Type::note, inside, t.text_muted, tip.line);
  });
}

}  // namespace headlight::app
