#include "app/panels/dialogs/layer_dialog.h"

#include "app/panels/dialogs/file_dialog.h"
#include "app/platform/input.h"
#include "app/session/opening.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

constexpr long long most_heads_asked = 512;

// "64 channels: 4 heads of 16", or why not.
std::string heads_in_words(const LayersInFile& layers, const LayerChoice& choice, bool said) {
  if (choice.heads == 0) return "The file does not say how many: the shapes are the same for any number.";
  const Index width = layers.width / choice.heads;
  std::string words = layers.width % choice.heads == 0
                          ? fmt::format("{} channels: {} heads of {}", layers.width, choice.heads, width)
                          : fmt::format("{} channels are not {} heads of one width", layers.width, choice.heads);
  return words + (said ? ", as the config.json beside it says." : ".");
}

std::string what_it_holds(const ArraysOpened& opened) {
  return fmt::format("{} holds {} arrays under the names of {}. What a layer reads is not in it: it opens on a text.",
                     one_line(utf8(opened.path.filename())), opened.arrays.size(), opened.layers.front().layout);
}

Rect labelled_row(Ui& ui, Rect& inside, const char* name) {
  Rect line = inside.take_top(ui.px(36));
  inside.take_top(ui.px(8));
  ui.text_in(Type::label, line.take_left(ui.px(90)), ui.theme().text_muted, name);
  return line;
}

void draw_layouts_there(Ui& ui, Rect line, const ArraysOpened& opened, LayerChoice& choice) {
  std::vector<std::string> titles;
  for (const LayersInFile& one : opened.layers) titles.push_back(one.title);
  const int picked = drop_down(ui, "dialog/layout", line, titles, static_cast<int>(choice.place));
  if (picked < 0) return;
  choice.place = static_cast<std::size_t>(picked);
  choice.layer = 0;
}

}  // namespace

void begin_layer_dialog(const Model& model, PanelMemory& memory) {
  memory.get<LayerChoice>() = {0, 0, model.arrays_opened->heads.value_or(0)};
}

void draw_layer_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  constexpr float width = 560;  // px of the design
  const Theme& t = ui.theme();
  const ArraysOpened& opened = *model.arrays_opened;
  LayerChoice& choice = memory.get<LayerChoice>();
  const std::string question = what_it_holds(opened);
  const float inside_width = std::min(ui.px(width), window.w - ui.px(32)) - ui.px(48);
  const float words = paragraph(ui, {}, inside_width, t.text_muted, question, false, Type::label);
  const std::size_t several = opened.layers[choice.place].layers.size() > 1 ? 1 : 0;
  const float rows = static_cast<float>(2 + several) * 44;
  Rect inside = draw_dialog_card(ui, window, width, words / ui.scale() + 220 + rows, "A layer of a model", actions);
  inside.take_top(paragraph(ui, {inside.x, inside.y}, inside.w, t.text_muted, question, true, Type::label) + ui.px(12));
  Rect buttons = inside.take_bottom(ui.px(32));
  draw_layouts_there(ui, labelled_row(ui, inside, "Layers"), opened, choice);
  const LayersInFile& layers = opened.layers[choice.place];
  if (several == 1) {
    Rect line = labelled_row(ui, inside, "Layer");
    const auto last = static_cast<long long>(layers.layers.size()) - 1;
    const auto number = layers.layers[static_cast<std::size_t>(choice.layer)];
    if (const auto to = number_stepper(ui, "dialog/layer", line.take_left(ui.px(120)), choice.layer, 0, last, 1,
                                       fmt::format("{}", number)))
      choice.layer = *to;
    ui.text_in(Type::note, line.inset(ui.px(12), 0), t.text_faint, fmt::format("from 0 to {}", layers.layers.back()));
  }
  Rect line = labelled_row(ui, inside, "Heads");
  if (const auto to = number_stepper(ui, "dialog/heads", line.take_left(ui.px(120)), choice.heads, 0, most_heads_asked,
                                     1, choice.heads == 0 ? "?" : ""))
    choice.heads = *to;
  const bool said = opened.heads && *opened.heads == choice.heads;
  const std::string note = heads_in_words(layers, choice, said);
  ui.log("dialog/heads/words", line, note);
  paragraph(ui, {inside.x, inside.y}, inside.w, t.text_muted, note, true, Type::note);
  inside.take_top(ui.px(22));
  paragraph(
      ui, {inside.x, inside.y}, inside.w, t.text_faint,
      fmt::format("The text is embedded in {} channels as Headlight does it, not as the model does: its weights are "
                  "the file's, its maps are not what the model would show. Drop an .npy of (1, positions, {}) on "
                  "the window for the stream that it reads.",
                  layers.width, layers.width),
      true, Type::note);
  const bool possible = choice.heads > 0;
  const bool entered = possible && ui.memory().focus == "dialog/take" &&
                       (take_key(Key::enter, {}, false) || take_key(Key::keypad_enter, {}, false));
  const bool pressed =
      button(ui, "dialog/take", buttons.take_right(ui.px(110)), "Open", ButtonLook::primary, std::nullopt, possible);
  if (possible && (pressed || entered)) {
    const Index layer = layers.layers.empty() ? 0 : layers.layers[static_cast<std::size_t>(choice.layer)];
    actions.push_back(SetStateDict{choice.heads, layer, utf8(opened.path), layers.layout, layers.prefix, layers.stack,
                                   layers.attention, layers.width});
    actions.push_back(ShowDialog{Dialog::none});
  }
  buttons.take_right(ui.px(8));
  if (button(ui, "dialog/cancel", buttons.take_right(ui.px(96)), "Cancel")) actions.push_back(ShowDialog{Dialog::none});
}

}  // namespace headlight::app
