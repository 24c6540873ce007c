// The window's icons, drawn from lines and fills: no icon font.
#pragma once

#include "app/widgets/ui.h"

namespace headlight::app {

enum class Icon {
  undo,
  redo,
  present,
  save_picture,
  first,
  back,
  play,
  pause,
  next,
  last,
  chevron_down,
  chevron_right,
  chevron_left,
  check,
  close,
  minus,
  plus,
  arrow_right,
  warning,
  sun,
  moon,
  keyboard,
  folder,
  search,
  edit,
  swap
};

// "undo", "folder": as the table of actions names those that it has; nothing for other words.
std::optional<Icon> icon_named(std::string_view name);

// Centred in a square of 16 design px about `middle`.
void draw_icon(Ui& ui, Icon icon, Point middle, Color32 color);

// The mark beside the name: a dot and its beam, so many times as large as icons are.
void draw_mark(Ui& ui, Point middle, float times = 1);

}  // namespace headlight::app
