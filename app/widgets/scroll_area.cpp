#include <algorithm>
#include <cmath>

#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

// What has come to the focus is moved into the box, with a little room round it.
void scroll_into_sight(Ui& ui, Rect box, Rect focused, float& scroll) {
  const float room = std::min(ui.px(12), std::max(0.0F, (box.h - focused.h) / 2));
  const float below = focused.bottom() + room - box.bottom(), above = box.y - (focused.y - room);
  const float by = above > 0 ? -above : std::max(0.0F, below);
  if (std::abs(by) < 1) return;
  scroll += by;
  ui.keep_revealing();
}

}  // namespace

void scroll_area(Ui& ui, const std::string& path, Rect box, const std::function<float(Rect)>& content) {
  float& scroll = ui.memory().scroll[path];
  const bool seen_before = ui.to_reveal().has_value();
  ui.clip(box);
  const float height = content({box.x, box.y - std::round(scroll), box.w, box.h});
  ui.unclip();
  const float most = std::max(0.0F, height - box.h);
  const float before = scroll;
  if (ui.memory().open.empty() && most > 0) scroll -= ui.take_wheel(box) * ui.px(48);
  if (const auto focused = ui.to_reveal(); focused && !seen_before && most > 0)
    scroll_into_sight(ui, box, *focused, scroll);
  scroll = std::clamp(scroll, 0.0F, most);
  if (before != scroll) ui.change_at(ui.now());
  if (most <= 0) return;
  const Rect track{box.right() - ui.px(6), box.y, ui.px(6), box.h};
  const float thumb = std::max(ui.px(24), box.h * box.h / height);
  const Rect handle{track.x + ui.px(1), box.y + (box.h - thumb) * scroll / most, ui.px(4), thumb};
  const auto hit = ui.hit(path + "/scrollbar", track, false);
  if (hit.held)
    scroll = std::clamp((ui.mouse().y - box.y - thumb / 2) / std::max(1.0F, box.h - thumb) * most, 0.0F, most);
  ui.fill(handle, hit.hovered || hit.held ? ui.theme().text_faint : ui.theme().line_strong, ui.px(2));
}

}  // namespace headlight::app
