#include "app/panels/inspector/parts.h"

#include <algorithm>
#include <cmath>

namespace headlight::app {

namespace {

// On a ground of their own. Returns the height.
float draw_lines(Ui& ui, Rect box, const std::string& lines) {
  const Theme& t = ui.theme();
  const Rect inside = box.inset(ui.px(10), 0);
  const float pad = ui.px(8);
  const auto each = [&](bool draw) {
    float y = box.y + pad;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      if (at > 0) y += ui.px(4);  // tells a line from the rest of one that is wrapped
      y += paragraph(ui, {inside.x, y}, inside.w, t.text, lines.substr(at, end - at), draw, Type::number_note);
      at = end + 1;
    }
    return y + pad - box.y;
  };
  const Rect ground{box.x, box.y, box.w, each(false)};
  ui.fill(ground, t.sunken, ui.px(6));
  each(true);
  ui.log("code/lines", ground, lines);
  return ground.h;
}

}  // namespace

float draw_code_lines(Ui& ui, Rect box, const std::string& lines, const std::string& path) {
  const float height = draw_lines(ui, box, lines);
  ui.log(path, {box.x, box.y, box.w, height}, lines);
  return height;
}

float draw_code(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  float y = box.y + ui.px(4);
  ui.line({box.x, y}, {box.right(), y}, t.line);
  y += ui.px(16);
  const Rect inside = box.inset(ui.px(18), 0);
  const std::string lines = with_python_names(model.step()->info.code.numpy);
  const Rect title{inside.x, y, inside.w, ui.px(20)};
  ui.text_in(Type::heading, title, t.text_muted, "Code");
  y += ui.px(26);
  if (!lines.empty()) {
    ui.text_in(Type::note, title, t.text_faint, "this step in NumPy", Ui::Align::right);
    y += draw_lines(ui, {inside.x, y, inside.w, 0}, lines) + ui.px(10);
  }
  const float width = std::floor((inside.w - ui.px(8)) / 2);
  const auto copy = [&](Language language, const char* label, float x) {
    const Rect at{x, y, width, ui.px(32)};
    const std::string path = fmt::format("code/{}", id_of(language));
    if (button(ui, path, at, label)) actions.push_back(CopyCode{language});
    ui.tooltip(path, at, "The whole run as a script that recomputes every step and compares it with the saved numbers");
  };
  copy(Language::numpy, "Copy as NumPy", inside.x);
  copy(Language::pytorch, "Copy as PyTorch", inside.right() - width);
  y += ui.px(40);
  const Rect save{inside.x, y, inside.w, ui.px(32)};
  if (button(ui, "code/arrays", save, "Save arrays")) actions.push_back(SaveArrays{});
  ui.tooltip("code/arrays", save,
             "The inputs, weights and steps that the script reads, as an .npz beside the experiment");
  return y + ui.px(36) - box.y;
}

}  // namespace headlight::app
