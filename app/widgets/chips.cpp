#include <cmath>

#include "app/platform/input.h"
#include "app/widgets/controls.h"

namespace headlight::app {

ChipRole chip_role(Role role) {
  if (role == Role::query) return ChipRole::query;
  return role == Role::key ? ChipRole::key : ChipRole::none;
}

float chip_width(const Ui& ui, std::size_t index, const Chip& chip) {
  const float words = std::min(ui.width_of(Type::control, chip.text), ui.px(160));
  return std::ceil(ui.px(9) + ui.width_of(Type::number_small, std::to_string(index)) + ui.px(7) + words + ui.px(9));
}

void draw_chip(Ui& ui, Rect box, std::size_t index, const Chip& chip, bool hovered) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  const RoleColors* role = nullptr;
  if (chip.as == ChipRole::query) role = &t.query;
  if (chip.as == ChipRole::key) role = &t.key;
  const Color32 plain = hovered ? mix(t.canvas, t.text, 0.05F) : t.canvas;
  ui.fill(box, role ? role->soft : plain, radius);
  if (chip.masked) ui.hatch(box.inset(1));
  ui.frame(box, role ? role->main : t.line_strong, radius, role ? ui.px(2) : 1);
  Rect inside = box.inset(ui.px(9), 0);
  words_at_left(ui, Type::number_small, inside, role ? role->main : t.text_faint, std::to_string(index), 7);
  ui.text_in(Type::control, inside, t.text, chip.text);
}

namespace {

// Where each chip stands, and the gap; returns the height they take.
struct ChipRows {
  std::vector<Rect> places;
  std::optional<Rect> gap;
  float height = 0;
};

ChipRows lay_out(const Ui& ui, Rect box, const std::vector<Chip>& list, const ChipsOptions& options) {
  ChipRows rows;
  Flow flow{.box = box, .height = ui.px(28), .gap = ui.px(6), .between = ui.px(6)};
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (options.gap == static_cast<int>(i)) rows.gap = flow.next(options.gap_width);
    if (i < list.size()) rows.places.push_back(flow.next(chip_width(ui, i, list[i])));
  }
  if (rows.gap || !list.empty()) rows.height = flow.bottom() - box.y;
  return rows;
}

// Before which chip one would be put that is let go there.
int slot_at(Point at, const std::vector<Rect>& places) {
  int slot = 0;
  for (const Rect& place : places)
    if (at.y >= place.bottom() || (at.y >= place.y && at.x >= place.middle().x)) ++slot;
  return slot;
}

// The chip under way: it follows the pointer, and a bar shows where it would stand.
std::optional<ChipMove> drag(Ui& ui, const std::string& path, const std::vector<Chip>& list,
                             const std::vector<Rect>& places) {
  ChipDrag& drag = ui.memory().chip_drag;
  if (drag.path != path || drag.chip < 0 || drag.chip >= static_cast<int>(list.size())) return std::nullopt;
  const float across = ui.mouse().x - drag.from.x, down = ui.mouse().y - drag.from.y;
  if (std::hypot(across, down) >= ui.px(5)) drag.moved = true;
  int slot = slot_at(ui.mouse(), places);
  while (slot < static_cast<int>(list.size()) && list[static_cast<std::size_t>(slot)].fixed) ++slot;
  const ChipMove move{drag.chip, slot > drag.chip ? slot - 1 : slot};
  const bool moved = drag.moved;
  if (moved) {
    const auto before = static_cast<std::size_t>(slot);
    const Rect beside = before < places.size() ? places[before] : places.back();
    const float x = before < places.size() ? beside.x - ui.px(4) : beside.right() + ui.px(2);
    ui.fill({x, beside.y - ui.px(1), ui.px(2), beside.h + ui.px(2)}, ui.theme().ink);
    const auto at = static_cast<std::size_t>(drag.chip);
    const Rect place = places[at];
    ui.log(path + "/drop", {x, beside.y, ui.px(2), beside.h}, fmt::format("{}", move.to));
    ui.on_top([&ui, place, across, down, at, chip = list[at]] {
      draw_chip(ui, {place.x + across, place.y + down, place.w, place.h}, at, chip, true);
    });
  }
  if (ui.mouse_down()) return std::nullopt;
  drag = {};
  return moved && move.from != move.to ? std::optional(move) : std::nullopt;
}

}  // namespace

ChipsResult chips(Ui& ui, const std::string& path, Rect box, const std::vector<Chip>& list,
                  const ChipsOptions& options) {
  ChipsResult result;
  const ChipRows rows = lay_out(ui, box, list, options);
  result.height = rows.height;
  result.gap = rows.gap;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto at = static_cast<int>(i);
    const Rect chip = rows.places[i];
    const auto hit = ui.hit(path + "/" + std::to_string(i), chip, false, list[i].text,
                            list[i].as == ChipRole::none ? "" : "selected");
    draw_chip(ui, chip, i, list[i], hit.hovered);
    if (options.current == at) result.current = chip;
    const ChipDrag& drag = ui.memory().chip_drag;
    const bool dragged = drag.path == path && drag.moved;
    if (hit.clicked && !dragged) result.clicked = at;
    if (hit.hovered) result.hovered = at;
    if (hit.menu) result.menu = at;
    if (hit.held && ui.double_clicked(chip)) result.doubled = at;
    if (options.moves && !list[i].fixed && hit.held && drag.path.empty() && clicks() > 0)
      ui.memory().chip_drag = {path, at, ui.mouse(), false};
  }
  if (options.moves) result.moved = drag(ui, path, list, rows.places);
  return result;
}

}  // namespace headlight::app
