#include "app/panels/picture.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/render/map_painter.h"

namespace headlight::app {

const Image* base_picture(const Model& model, Index frame) {
  if (!model.shown.problem || model.shown.problem->specs.inputs.empty()) return nullptr;
  const auto found = model.shown.problem->pictures.find(model.shown.problem->specs.inputs.front().id);
  if (found == model.shown.problem->pictures.end() || found->second.empty()) return nullptr;
  const auto& pictures = found->second;
  const auto last = static_cast<Index>(pictures.size()) - 1;
  const Step* weights = model.trace()->find("weights");
  const bool in_time = weights && frames_of(*weights) > 1;
  const Index at = in_time ? frame : model.document.look.batch;
  return &pictures[static_cast<std::size_t>(std::clamp<Index>(at, 0, last))];
}

namespace {

Rect whole(Rect r) {
  const float x = std::round(r.x), y = std::round(r.y);
  return {x, y, std::round(r.right()) - x, std::round(r.bottom()) - y};
}

// Composes only when something changed.
template <class Compose>
void draw_composed(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, std::uint64_t revision,
                   const Compose& compose) {
  const Rect r = whole(box);
  if (r.w < 1 || r.h < 1) return;
  ComposedPicture& kept = memory.pictures[key];
  const auto width = static_cast<Index>(r.w), height = static_cast<Index>(r.h);
  if (kept.revision != revision || kept.image.width != width || kept.image.height != height) {
    kept.image = enlarged(compose(), width, height);
    kept.revision = revision;
  }
  const auto texture =
      ui.painter().picture("picture/" + key, revision, static_cast<int>(width), static_cast<int>(height),
                           reinterpret_cast<const std::uint32_t*>(kept.image.rgba.data()));
  if (texture) ui.list().AddImage((ImTextureID)(texture), {r.x, r.y}, {r.right(), r.bottom()});
}

}  // namespace

void draw_picture(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const Image& picture,
                  std::uint64_t revision) {
  draw_composed(ui, memory, key, box, revision * 2 + 1, [&] { return picture; });
}

void draw_overlay(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const Image& picture,
                  std::uint64_t revision, const OverNumbers& numbers) {
  const bool dark = ui.theme().dark;
  const std::uint64_t all = ((revision * 31 + numbers.revision) * 31 +
                             static_cast<std::uint64_t>(numbers.place.row * 4099 + numbers.place.column)) *
                                4 +
                            (dark ? 2 : 0);
  draw_composed(ui, memory, key, box, all, [&] {
    return overlaid(greyed(picture, dark), numbers.cells, numbers.place, numbers.range, color_table(numbers.colormap));
  });
}

Rect fitted(Rect room, Index rows, Index columns) {
  const float scale = std::min(room.w / static_cast<float>(columns), room.h / static_cast<float>(rows));
  // Whole pixels a cell where there is room, so that all cells are alike.
  const float cell = scale >= 4 ? std::floor(scale) : scale;
  return {std::round(room.x), std::round(room.y), std::max(1.0F, std::round(cell * static_cast<float>(columns))),
          std::max(1.0F, std::round(cell * static_cast<float>(rows)))};
}

Rect pixel_rect(Rect box, Index rows, Index columns, Index row, Index column) {
  const float w = box.w / static_cast<float>(columns), h = box.h / static_cast<float>(rows);
  return {box.x + w * static_cast<float>(column), box.y + h * static_cast<float>(row), w, h};
}

void mark_pixel(Ui& ui, Rect pixel, Color32 color) {
  const float least = ui.px(9);
  if (pixel.w < least) pixel = {pixel.middle().x - least / 2, pixel.y, least, pixel.h};
  if (pixel.h < least) pixel = {pixel.x, pixel.middle().y - least / 2, pixel.w, least};
  const Rect r = whole(pixel).inset(-1);
  ui.frame(r.inset(-ui.px(1.5F)), ui.theme().canvas, 0, ui.px(2) + ui.px(3));
  ui.frame(r, color, 0, ui.px(2));
}

}  // namespace headlight::app
