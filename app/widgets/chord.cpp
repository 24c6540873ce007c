#include <algorithm>

#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

constexpr float between_keys = 4;  // px of the design

float width_of_key(const Ui& ui, std::string_view key) {
  return std::max(ui.px(20), ui.width_of(Type::number_small, key) + ui.px(10));
}

// Takes the first key off.
std::string_view take_key(std::string_view& chord) {
  const auto space = std::min(chord.find(' '), chord.size());
  const std::string_view key = chord.substr(0, space);
  chord.remove_prefix(std::min(space + 1, chord.size()));
  return key;
}

}  // namespace

float width_of_chord(const Ui& ui, std::string_view chord) {
  float width = 0;
  while (!chord.empty()) width += width_of_key(ui, take_key(chord)) + (chord.empty() ? 0 : ui.px(between_keys));
  return width;
}

void draw_chord(Ui& ui, Rect row, std::string_view chord, Color32 color) {
  while (!chord.empty()) {
    const std::string_view key = take_key(chord);
    const Rect box = row.take_left(width_of_key(ui, key)).inset(0, (row.h - ui.px(20)) / 2);
    if (key != "–") ui.frame(box, ui.theme().line_strong, ui.px(4));  // "1 – 9"
    ui.text_in(Type::number_small, box, color, key, Ui::Align::center);
    row.take_left(ui.px(between_keys));
  }
}

}  // namespace headlight::app
