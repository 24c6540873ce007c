// Windows of a picture that are shifted in a circle: which pixels see each other, and which are computed together but
// kept apart, for they meet across the picture's border alone.
#include <algorithm>

#include "app/panels/mechanism_parts.h"
#include "app/panels/picture.h"

namespace headlight::app {

namespace {

using mechanism::WindowGroups;

float draw_beside(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const WindowGroups groups = *mechanism::window_groups(frame.problem, frame.trace);
  const Index asked = groups.only >= 0 ? groups.only : frame.of.query;
  const auto at = [](Index pixel) { return static_cast<std::size_t>(pixel); };
  picture_title(ui, box, "Windows on the picture",
                groups.shift > 0 ? fmt::format("{0} × {0}, shifted by {1}", groups.side, groups.shift)
                                 : fmt::format("{0} × {0}", groups.side));
  const Index pixels = groups.rows * groups.columns;
  Index seen = 0, apart = 0;
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const bool together = groups.group[at(pixel)] == groups.group[at(asked)];
    seen += together, apart += !together && groups.window[at(pixel)] == groups.window[at(asked)];
  }
  std::string told = fmt::format("The {{query:query}} at {} and the {} pixels of its window that it sees.",
                                 place_of(Grid{1, groups.rows, groups.columns}, asked), seen);
  if (apart > 0)
    told += fmt::format(
        " The {} hatched ones share its window in the rolled picture, but lie across the border: they are "
        "{{mask:masked}}.",
        apart);
  const float below = ui.px(10) + paragraph(ui, {box.x, box.y}, box.w, t.text_muted, told, false, Type::note);
  const float room = std::clamp(top + frame.share - box.y - below, ui.px(150), ui.px(340));
  const float cell = std::min(box.w / static_cast<float>(groups.columns), room / static_cast<float>(groups.rows));
  const Rect map{box.x, box.y, cell * static_cast<float>(groups.columns), cell * static_cast<float>(groups.rows)};
  const auto rect_of = [&](Index pixel) {
    return Rect{map.x + cell * static_cast<float>(pixel % groups.columns),
                map.y + cell * static_cast<float>(pixel / groups.columns), cell, cell};
  };
  const InputPicture picture = base_picture(frame.model, std::max<Index>(0, frame.model.document.look.frame));
  if (picture)
    draw_picture(ui, memory, "mechanism/windows/picture", map, picture);
  else
    ui.fill(map, t.canvas);
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const bool together = groups.group[at(pixel)] == groups.group[at(asked)];
    const bool same_window = groups.window[at(pixel)] == groups.window[at(asked)];
    if (together)
      ui.fill(rect_of(pixel), picture ? with_alpha(t.key.main, 0.45F) : t.key.soft);
    else if (same_window)
      ui.hatch(rect_of(pixel));
  }
  // Lines where neighbours do not see each other.
  for (Index pixel = 0; pixel < pixels; ++pixel) {
    const Rect r = rect_of(pixel);
    if (pixel % groups.columns > 0 && groups.group[at(pixel)] != groups.group[at(pixel - 1)])
      ui.line({r.x, r.y}, {r.x, r.bottom()}, t.ink, ui.px(1.5F));
    if (pixel >= groups.columns && groups.group[at(pixel)] != groups.group[at(pixel - groups.columns)])
      ui.line({r.x, r.y}, {r.right(), r.y}, t.ink, ui.px(1.5F));
  }
  ui.frame(map.inset(-1), t.ink, 0, ui.px(1.5F));
  ui.frame(rect_of(asked), t.query.main, 0, ui.px(2));
  const std::string words = fmt::format("{} pixels see each other", seen);
  if (const auto hit = ui.hit("mechanism/windows", map, false, words); hit.clicked && groups.only < 0) {
    const auto column = static_cast<Index>((ui.mouse().x - map.x) / cell),
               row = static_cast<Index>((ui.mouse().y - map.y) / cell);
    Selection next = frame.model.document.look.selection;
    next.query = std::clamp<Index>(row * groups.columns + column, 0, pixels - 1);
    actions.push_back(Select{next, frame.model.document.look.pinned});
  }
  box.take_top(map.h + ui.px(10));
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, t.text_muted, told, true, Type::note));
  return box.y - top;
}

}  // namespace

const MechanismPicture& windows_picture() {
  static const MechanismPicture picture{
      "shifted", "windows on the picture",
      [](const Problem& problem, const Trace& trace) { return mechanism::window_groups(problem, trace).has_value(); },
      draw_beside};
  return picture;
}

}  // namespace headlight::app
