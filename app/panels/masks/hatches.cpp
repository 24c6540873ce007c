// What hides a cell as a hatch of its own, and layers as small pictures.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/masks/parts.h"

namespace headlight::app {

namespace {

enum class Hatch { rising, falling, upright, level, crossed, grid, dots, solid, cut };

Hatch hatch_of(const SeenLayer& layer) {
  if (layer.part == MaskRule::Part::allows) return Hatch::dots;
  switch (layer.kind) {
    case SeenLayer::Kind::painted:
      return Hatch::solid;
    case SeenLayer::Kind::cut:
      return Hatch::cut;
    case SeenLayer::Kind::given:
      return Hatch::grid;
    case SeenLayer::Kind::rule:
      break;
  }
  switch (layer.by) {
    case MaskRule::By::absence:
      return Hatch::upright;
    case MaskRule::By::distance:
      return Hatch::falling;
    case MaskRule::By::blocks:
      return Hatch::level;
    case MaskRule::By::documents:
      return Hatch::crossed;
    case MaskRule::By::order:
      break;
  }
  return Hatch::rising;
}

// Lines x + y = c, or x − y = c, for every multiple of the step, cut off at the rectangle.
void draw_slanted(Ui& ui, Rect r, float step, bool rising, Color32 color) {
  const float width = std::max(1.0F, ui.scale());
  if (rising) {
    for (float c = std::ceil((r.x + r.y) / step) * step; c < r.right() + r.bottom(); c += step) {
      const float left = std::max(r.x, c - r.bottom()), right = std::min(r.right(), c - r.y);
      ui.list().AddLine({left, c - left}, {right, c - right}, color, width);
    }
    return;
  }
  for (float c = std::ceil((r.x - r.bottom()) / step) * step; c < r.right() - r.y; c += step) {
    const float left = std::max(r.x, c + r.y), right = std::min(r.right(), c + r.bottom());
    ui.list().AddLine({left, left - c}, {right, right - c}, color, width);
  }
}

void draw_straight(Ui& ui, Rect r, float step, bool upright, Color32 color) {
  const float width = std::max(1.0F, ui.scale());
  const float from = upright ? r.x : r.y, to = upright ? r.right() : r.bottom();
  for (float at = std::ceil(from / step) * step; at < to; at += step)
    if (upright)
      ui.list().AddRectFilled({at, r.y}, {std::min(at + width, to), r.bottom()}, color);
    else
      ui.list().AddRectFilled({r.x, at}, {r.right(), std::min(at + width, to)}, color);
}

void draw_dots(Ui& ui, Rect r, float step, Color32 color) {
  const float size = std::max(1.0F, std::round(step / 3));
  for (float y = std::ceil(r.y / step) * step; y + size <= r.bottom(); y += step)
    for (float x = std::ceil(r.x / step) * step; x + size <= r.right(); x += step)
      ui.list().AddRectFilled({x, y}, {x + size, y + size}, color);
}

}  // namespace

void draw_layer_hatch(Ui& ui, Rect r, const SeenLayer& layer, float step) {
  if (r.w <= 0 || r.h <= 0) return;
  const Theme& t = ui.theme();
  const Color32 line = t.hatch_line;
  switch (hatch_of(layer)) {
    case Hatch::rising:
      return draw_slanted(ui, r, step, true, line);
    case Hatch::falling:
      return draw_slanted(ui, r, step, false, line);
    case Hatch::upright:
      return draw_straight(ui, r, std::round(step * 0.7F), true, line);
    case Hatch::level:
      return draw_straight(ui, r, std::round(step * 0.7F), false, line);
    case Hatch::crossed:
      draw_slanted(ui, r, step * 1.3F, true, line);
      return draw_slanted(ui, r, step * 1.3F, false, line);
    case Hatch::grid:
      draw_straight(ui, r, step, true, line);
      return draw_straight(ui, r, step, false, line);
    case Hatch::dots:
      return draw_dots(ui, r, step, t.text_muted);
    case Hatch::solid:
      return ui.fill(r, t.mask.main);
    case Hatch::cut:
      ui.fill(r, t.mask.main);
      return draw_slanted(ui, r, step, true, t.canvas);
  }
}

void draw_layer_map(Ui& ui, Rect box, const MaskReading& mask, std::optional<std::size_t> layer) {
  const Theme& t = ui.theme();
  ui.fill(box, t.canvas);
  const float least = ui.px(2);
  const Index rows = std::min(mask.queries, static_cast<Index>(box.h / least)),
              columns = std::min(mask.keys, static_cast<Index>(box.w / least));
  const auto bit = [&](Index i, Index j) {
    if (!layer) return mask.hidden(i, j);
    const auto& bits = mask.layers[*layer].part == MaskRule::Part::allows ? mask.touch : mask.hide;
    return (bits[static_cast<std::size_t>(mask.at(i, j))] >> *layer & 1U) != 0;
  };
  const SeenLayer all{};  // the usual hatch
  const SeenLayer& shown = layer ? mask.layers[*layer] : all;
  for (Index r = 0; r < rows; ++r) {
    const Index i = (2 * r + 1) * mask.queries / (2 * rows);
    const float top = box.y + std::round(box.h * static_cast<float>(r) / static_cast<float>(rows)),
                bottom = box.y + std::round(box.h * static_cast<float>(r + 1) / static_cast<float>(rows));
    for (Index c = 0; c < columns;) {
      const auto key = [&](Index column) { return (2 * column + 1) * mask.keys / (2 * columns); };
      Index end = c;
      while (end < columns && bit(i, key(end))) ++end;
      if (end > c) {
        const float left = box.x + std::round(box.w * static_cast<float>(c) / static_cast<float>(columns)),
                    right = box.x + std::round(box.w * static_cast<float>(end) / static_cast<float>(columns));
        const Rect run{left, top, right - left, bottom - top};
        ui.fill(run, t.hatch_ground);
        draw_layer_hatch(ui, run, shown, ui.px(5));
      }
      c = std::max(end, c + 1);
    }
  }
  ui.frame(box, t.line_strong);
}

}  // namespace headlight::app
