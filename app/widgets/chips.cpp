#include <cmath>

#include "app/widgets/controls.h"

namespace headlight::app {

float chip_width(const Ui& ui, std::size_t index, const Chip& chip) {
  const float words = std::min(ui.width_of(Type::control, chip.text), ui.px(160));
  return std::ceil(ui.px(9) + ui.width_of(Type::number_small, std::to_string(index)) + ui.px(7) + words + ui.px(9));
}

void draw_chip(Ui& ui, Rect box, std::size_t index, const Chip& chip, bool hovered) {
  const Theme& t = ui.theme();
  const float radius = ui.px(control_radius);
  const RoleColors* role = chip.as == ChipRole::query ? &t.query : chip.as == ChipRole::key ? &t.key : nullptr;
  ui.fill(box, role ? role->soft : hovered ? mix(t.canvas, t.text, 0.05F) : t.canvas, radius);
  if (chip.masked) ui.hatch(box.inset(1));
  ui.frame(box, role ? role->main : t.line_strong, radius, role ? ui.px(2) : 1);
  Rect inside = box.inset(ui.px(9), 0);
  const std::string number = std::to_string(index);
  ui.text_in(Type::number_small, inside.take_left(ui.width_of(Type::number_small, number) + ui.px(7)),
             role ? role->main : t.text_faint, number);
  ui.text_in(Type::control, inside, t.text, chip.text);
}

ChipsResult chips(Ui& ui, const std::string& path, Rect box, const std::vector<Chip>& list) {
  ChipsResult result;
  const float height = ui.px(28), gap = ui.px(6);
  float x = box.x, y = box.y;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const float width = std::min(chip_width(ui, i, list[i]), box.w);
    if (x > box.x && x + width > box.right()) {
      x = box.x;
      y += height + gap;
    }
    const Rect chip{x, y, width, height};
    const auto hit = ui.hit(path + "/" + std::to_string(i), chip, false, list[i].text,
                            list[i].as == ChipRole::none ? "" : "selected");
    draw_chip(ui, chip, i, list[i], hit.hovered);
    if (hit.clicked) result.clicked = static_cast<int>(i);
    if (hit.hovered) result.hovered = static_cast<int>(i);
    x += width + gap;
  }
  result.height = list.empty() ? 0 : y + height - box.y;
  return result;
}

}  // namespace headlight::app
