// What a file of arrays is opened as: an input, or a layer of a model.

#include "app/panels/dialogs/parts.h"
#include "app/platform/input.h"
#include "app/reading/inputs.h"
#include "app/session/opening.h"
#include "engine/core/system/paths.h"
#include "engine/io/axes.h"
#include "engine/io/file.h"
#include "engine/run/given_maps.h"

namespace headlight::app {

namespace {

const Variant& variant_of(const Model& model) {
  return *find_variant(model.document.experiment->variant);
}

void choose(ArrayChoice& choice, const Model& model, std::size_t index) {
  choice.index = index;
  choice.axes = likely_axes(model.arrays_opened->arrays[index].second, variant_of(model));
}

FileInput chosen_input(const Model& model, const ArrayChoice& choice) {
  const OpenedArrays& opened = *model.arrays_opened;
  const bool single = opened.path.extension() == ".npy";
  return {utf8(opened.path), single ? "" : opened.arrays[choice.index].first, choice.axes};
}

// What its axes may mean: positions and channels, or last, as attention that was saved is laid out.
std::vector<std::string> meanings_of(const Shape& shape) {
  std::vector<std::string> meanings = axes_of_rank(shape.size());
  if (const std::string maps = usual_map_axes(shape, false); !maps.empty()) meanings.push_back(maps);
  return meanings;
}

// "3 items · 4 channels · 20 rows · 20 columns", "attention: 3 layers · 4 heads · 20 queries · 20 keys"
std::string meaning_in_words(const std::string& axes, const Shape& shape) {
  return are_map_axes(axes) ? "attention: " + map_axes_in_words(axes, shape) : axes_in_words(axes, shape);
}

// "Stays with Multi-head attention." or which mechanism comes with it.
std::string consequence(const Model& model, const ArrayChoice& choice) {
  const Variant& now = variant_of(model);
  const InputSpec input = chosen_input(model, choice);  // outlives what is found by it
  const Variant& taker = variant_for(now, model.document.experiment->params, input);
  if (&taker == &now) return fmt::format("{} reads it so.", now.info().title);
  return fmt::format("{} does not read it so: the mechanism becomes {}.", now.info().title, taker.info().title);
}

std::string array_question(const OpenedArrays& opened) {
  const std::string file = one_line(utf8(opened.path.filename()));
  if (opened.arrays.size() == 1)
    return fmt::format("{} holds one array, {}. Numbers do not say what their axes mean.", file,
                       to_string(opened.arrays.front().second));
  return fmt::format("{} holds {} arrays, and none has the name of an input or a weight of this mechanism.", file,
                     opened.arrays.size());
}

// Arrows go through the meanings, and Enter opens: from wherever the keyboard is but what has a use of its own for
// them.
bool answer_keys(Ui& ui, ArrayChoice& choice, const std::vector<std::string>& meanings) {
  const std::string& focus = ui.memory().focus;
  if (focus == "dialog/array" || ui.is_open("dialog/array")) return false;
  const auto now = std::ranges::find(meanings, choice.axes);
  if (take_key(Key::down) && now != meanings.end() && now + 1 != meanings.end()) choice.axes = *(now + 1);
  if (take_key(Key::up) && now != meanings.end() && now != meanings.begin()) choice.axes = *(now - 1);
  if (focus == "dialog/cancel" || focus == "dialog/close") return false;
  return take_enter();
}

// Which layer of a state dict is opened, while it is asked.
struct LayerChoice {
  std::size_t place = 0;  // among the layouts that fit
  Index layer = 0;        // among its layers
  Index heads = 0;        // 0: not said yet
};

std::string layer_question(const OpenedArrays& opened) {
  return fmt::format("{} holds {} arrays under the names of {}. What a layer reads is not in it: it opens on a text.",
                     one_line(utf8(opened.path.filename())), opened.arrays.size(), opened.layers.front().layout);
}

void draw_layout_choice(Ui& ui, Rect line, const OpenedArrays& opened, LayerChoice& choice) {
  std::vector<std::string> titles;
  for (const LayersInFile& one : opened.layers) titles.push_back(one.title);
  const int picked = drop_down(ui, "dialog/layout", line, titles, static_cast<int>(choice.place));
  if (picked < 0) return;
  choice.place = static_cast<std::size_t>(picked);
  choice.layer = 0;
}

}  // namespace

std::string heads_in_words(Index width, Index heads, bool said) {
  if (heads == 0) return "The file does not say how many: the shapes are the same for any number.";
  std::string words = width % heads == 0 ? fmt::format("{} channels: {} heads of {}", width, heads, width / heads)
                                         : fmt::format("{} channels are not {} heads of one width", width, heads);
  return words + (said ? ", as the config.json beside it says." : ".");
}

void draw_layer_row(Ui& ui, Rect& inside, const std::vector<Index>& layers, Index& chosen) {
  Rect line = take_labelled_row(ui, inside, "Layer", 8);
  if (const auto to = number_stepper(ui, "dialog/layer", line.take_left(ui.px(120)), chosen, 0, std::ssize(layers) - 1,
                                     1, fmt::format("{}", layers[static_cast<std::size_t>(chosen)])))
    chosen = *to;
  ui.text_in(Type::note, line.inset(ui.px(12), 0), ui.theme().text_faint,
             fmt::format("from {} to {}", layers.front(), layers.back()));
}

void draw_heads_row(Ui& ui, Rect& inside, Index& heads, const std::string& words) {
  constexpr long long most_heads_asked = 512;
  Rect line = take_labelled_row(ui, inside, "Heads", 8);
  if (const auto to = number_stepper(ui, "dialog/heads", line.take_left(ui.px(120)), heads, 0, most_heads_asked, 1,
                                     heads == 0 ? "?" : ""))
    heads = *to;
  ui.log("dialog/heads/words", line, words);
  paragraph(ui, {inside.x, inside.y}, inside.w, ui.theme().text_muted, words, true, Type::note);
  inside.take_top(ui.px(22));
}

void begin_array_dialog(const Model& model, PanelMemory& memory) {
  if (!model.arrays_opened->members.empty()) {
    memory.get<ArrayChoice>().index = 0;
    return;
  }
  const auto& arrays = model.arrays_opened->arrays;
  const auto first =
      std::ranges::find_if(arrays, [](const NamedShape& array) { return !meanings_of(array.second).empty(); });
  choose(memory.get<ArrayChoice>(), model,
         first == arrays.end() ? 0 : static_cast<std::size_t>(first - arrays.begin()));
}

namespace {

// Which of several lists of attention is shown.
void draw_member_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  constexpr std::size_t most = 10;
  const OpenedArrays& opened = *model.arrays_opened;
  std::size_t& chosen = memory.get<ArrayChoice>().index;
  const std::size_t rows = std::min(most, opened.members.size());
  Rect inside = draw_question_card(ui, window, 134 + static_cast<float>(rows) * 40, "What is in this file?",
                                   fmt::format("{} holds attention in {} places. Which is shown?",
                                               one_line(utf8(opened.path.filename())), opened.members.size()),
                                   actions);
  inside.take_top(ui.px(10));
  const Rect buttons = inside.take_bottom(ui.px(32));
  const std::string& focus = ui.memory().focus;
  if (take_key(Key::down) && chosen + 1 < opened.members.size()) ++chosen;
  if (take_key(Key::up) && chosen > 0) --chosen;
  const bool entered = focus != "dialog/cancel" && focus != "dialog/close" && take_enter();
  scroll_rows(ui, "dialog/members", inside, opened.members.size(), ui.px(40), [&](std::size_t i, Rect row) {
    const std::string& member = opened.members[i];
    if (radio_row(ui, "dialog/member/" + member, row.inset(0, ui.px(2)), one_line(member), "", chosen == i)) chosen = i;
  });
  if (draw_open_or_cancel(ui, buttons, true, actions) || entered)
    actions.push_back(OpenMember{opened.members[chosen], utf8(opened.path)});
}

}  // namespace

void draw_array_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  const OpenedArrays& opened = *model.arrays_opened;
  if (!opened.members.empty()) return draw_member_dialog(ui, window, model, memory, actions);
  ArrayChoice& choice = memory.get<ArrayChoice>();
  const Shape& shape = opened.arrays[choice.index].second;
  const std::vector<std::string> meanings = meanings_of(shape);
  const bool several = opened.arrays.size() > 1;
  const float rows = static_cast<float>(std::max<std::size_t>(1, meanings.size())) * 40 + (several ? 46 : 0);
  Rect inside = draw_question_card(ui, window, 164 + rows, "What is in this file?", array_question(opened), actions);
  inside.take_top(ui.px(10));
  const Rect buttons = inside.take_bottom(ui.px(32));
  if (several) {
    std::vector<std::string> titles;
    for (const auto& [name, extents] : opened.arrays) titles.push_back(fmt::format("{} {}", name, to_string(extents)));
    const Rect line = take_labelled_row(ui, inside, "Array", 10);
    const int picked = drop_down(ui, "dialog/array", line, titles, static_cast<int>(choice.index));
    if (picked >= 0) choose(choice, model, static_cast<std::size_t>(picked));
  }
  const bool entered = answer_keys(ui, choice, meanings);
  for (const auto& axes : meanings) {
    Rect row = inside.take_top(ui.px(40));
    if (radio_row(ui, "dialog/axes/" + axes, row.inset(0, ui.px(2)), meaning_in_words(axes, shape),
                  axes_in_letters(axes), choice.axes == axes))
      choice.axes = axes;
  }
  const bool possible = !choice.axes.empty() && !meanings.empty();
  inside.take_top(ui.px(8));
  paragraph(ui, {inside.x, inside.y}, inside.w, ui.theme().text_muted,
            possible ? consequence(model, choice)
                     : fmt::format("An input has one to five axes: this array has {}.", shape.size()),
            true, Type::note);
  const bool pressed = draw_open_or_cancel(ui, buttons, possible, actions);
  if (possible && (pressed || entered)) {
    actions.push_back(SetInput{model.primary_input(), chosen_input(model, choice)});
    actions.push_back(ShowDialog{Dialog::none});
  }
}

void begin_layer_dialog(const Model& model, PanelMemory& memory) {
  memory.get<LayerChoice>() = {0, 0, model.arrays_opened->heads.value_or(0)};
}

void draw_layer_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const OpenedArrays& opened = *model.arrays_opened;
  LayerChoice& choice = memory.get<LayerChoice>();
  const std::size_t several = opened.layers[choice.place].layers.size() > 1 ? 1 : 0;
  const float rows = static_cast<float>(2 + several) * 44;
  Rect inside = draw_question_card(ui, window, 220 + rows, "A layer of a model", layer_question(opened), actions);
  inside.take_top(ui.px(12));
  const Rect buttons = inside.take_bottom(ui.px(32));
  draw_layout_choice(ui, take_labelled_row(ui, inside, "Layers", 8), opened, choice);
  const LayersInFile& layers = opened.layers[choice.place];
  if (several == 1) draw_layer_row(ui, inside, layers.layers, choice.layer);
  const bool said = opened.heads && *opened.heads == choice.heads;
  draw_heads_row(ui, inside, choice.heads, heads_in_words(layers.width, choice.heads, said));
  paragraph(
      ui, {inside.x, inside.y}, inside.w, t.text_faint,
      fmt::format("The text is embedded in {} channels as Headlight does it, not as the model does: its weights are "
                  "the file's, its maps are not what the model would show. Drop an .npy of (1, positions, {}) on "
                  "the window for the stream that it reads.",
                  layers.width, layers.width),
      true, Type::note);
  const bool possible = choice.heads > 0;
  const bool entered = possible && ui.memory().focus == "dialog/take" && take_enter();
  const bool pressed = draw_open_or_cancel(ui, buttons, possible, actions);
  if (possible && (pressed || entered)) {
    const Index layer = layers.layers.empty() ? 0 : layers.layers[static_cast<std::size_t>(choice.layer)];
    actions.push_back(SetStateDict{choice.heads, layer, utf8(opened.path), layers.layout, layers.prefix, layers.stack,
                                   layers.attention, layers.width});
    actions.push_back(ShowDialog{Dialog::none});
  }
}

}  // namespace headlight::app
