#include <imgui.h>

#include <cmath>

#include "app/model/browse.h"
#include "app/panels/dialogs/parts.h"
#include "app/session/opening.h"
#include "app/session/thumbnails.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

void draw_thumbnail(Ui& ui, Rect place, const std::filesystem::path& of, const Model& model) {
  if (!model.thumbnails) return;
  const auto& pictures = ui.theme().dark ? model.thumbnails->dark : model.thumbnails->light;
  const auto found = pictures.find(of);
  if (found == pictures.end()) return;
  const Image& picture = found->second;
  const auto width = static_cast<float>(picture.width), height = static_cast<float>(picture.height);
  const float side = std::min(place.h, place.w), by = side / std::max(width, height);
  const Rect box{std::round(place.x + (side - width * by) / 2), std::round(place.middle().y - height * by / 2),
                 std::max(1.0F, std::round(width * by)), std::max(1.0F, std::round(height * by))};
  const std::string path = "dialog/thumbnail/" + utf8(of.filename());
  const auto revision = static_cast<std::uint64_t>(
      std::hash<std::string_view>()({reinterpret_cast<const char*>(picture.rgba.data()), picture.rgba.size()}));
  const auto texture =
      ui.painter().picture(utf8(of), revision, static_cast<int>(picture.width), static_cast<int>(picture.height),
                           reinterpret_cast<const std::uint32_t*>(picture.rgba.data()));
  if (texture) ui.list().AddImage((ImTextureID)(texture), {box.x, box.y}, {box.right(), box.bottom()});
  ui.frame(box, ui.theme().line);
  ui.log(path, box, fmt::format("{}×{}", picture.width, picture.height));
}

void draw_embed_summary(Ui& ui, Rect& inside, const Model& model) {
  if (model.dialog != Dialog::save_with_inputs) return;
  const InputsToEmbed* inputs = model.to_embed.get();
  std::string words = "Looking at what it reads …";
  if (inputs && !inputs->error.empty()) {
    words = inputs->error;
  } else if (inputs && inputs->files.empty()) {
    words = "It reads no files: it is one file already.";
  } else if (inputs) {
    std::vector<std::string> names;
    for (const ToEmbed& file : inputs->files)
      names.push_back(fmt::format("{} ({})", file.name, size_in_words(file.bytes)));
    words = fmt::format("The file holds {} and opens anywhere: that is {} of it.", brief_list(names),
                        size_in_words(embedded_size(inputs->files)));
  }
  const Color32 color = inputs && !inputs->error.empty() ? ui.theme().error : ui.theme().text_muted;
  const float height = paragraph(ui, {inside.x, inside.y}, inside.w, color, words, true, Type::note);
  ui.log("dialog/inputs", inside.take_top(height + ui.px(8)), words);
}

void draw_recent_files(Ui& ui, Rect room, const Model& model, Actions& actions) {
  const float width = ui.px(150), gap = ui.px(14), height = ui.px(124);
  if (room.h < height + ui.px(34) || model.recent.empty()) return;
  const auto fit = static_cast<std::size_t>(std::max(0.0F, (room.w + gap) / (width + gap)));
  const std::size_t count = std::min({fit, model.recent.size(), std::size_t{4}});
  ui.text_in(Type::note, room.take_top(ui.px(26)), ui.theme().text_muted, "or go on with", Ui::Align::center);
  const float all = static_cast<float>(count) * (width + gap) - gap;
  Rect line{std::round(room.middle().x - all / 2), room.y, all, height};
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path& file = model.recent[i];
    Rect card = line.take_left(width);
    line.take_left(gap);
    const std::string path = fmt::format("empty/recent/{}", i);
    const auto hit = ui.hit(path, card, true, utf8(file.filename()));
    ui.fill(card, hit.hovered ? ui.theme().sunken : ui.theme().panel, ui.px(8));
    ui.frame(card, ui.theme().line, ui.px(8));
    ui.tooltip(path, card, ui.fonts().display_text(utf8(file)));
    Rect inside = card.inset(ui.px(10), ui.px(10));
    ui.text_in(Type::label, inside.take_bottom(ui.px(22)), ui.theme().text,
               ui.fitted(Type::label, ui.fonts().display_text(utf8(file.filename())), inside.w), Ui::Align::center);
    const float side = std::min(inside.h, inside.w);
    draw_thumbnail(ui, {std::round(inside.middle().x - side / 2), inside.y, side, side}, file, model);
    if (hit.clicked) actions.push_back(Open{file});
  }
}

void draw_backdrop(Ui& ui, Rect window, Rect card) {
  ui.fill(window, with_alpha(hex(0x000000), ui.theme().dark ? 0.5F : 0.28F));
  draw_sheet(ui, card, 12);
}

Rect draw_dialog_card(Ui& ui, Rect window, float width, float height, std::string_view title, Actions& actions) {
  const float w = std::min(ui.px(width), window.w - ui.px(32)), h = std::min(ui.px(height), window.h - ui.px(32));
  const Rect card{std::round(window.middle().x - w / 2), std::round(window.middle().y - h / 2), w, h};
  draw_backdrop(ui, window, card);
  Rect inside = card.inset(ui.px(24), ui.px(18));
  Rect top = inside.take_top(ui.px(32));
  if (icon_button(ui, "dialog/close", top.take_right(ui.px(32)), Icon::close, "Close (Esc)"))
    actions.push_back(ShowDialog{Dialog::none});
  ui.text_in(Type::title, top, ui.theme().text, title);
  inside.take_top(ui.px(10));
  return inside;
}

namespace {

constexpr float question_width = 560;  // px of the design

float width_in_question(const Ui& ui, Rect window) {
  return std::min(ui.px(question_width), window.w - ui.px(32)) - ui.px(48);
}

// A question at the foot of a card, its answers from the right; the first is the usual one: Enter gives it.
struct Answer {
  const char* id;
  const char* label;
  Decision decision;
};

// Draws them, or measures how high they are: as many in a row as fit.
float draw_answers(Ui& ui, Rect box, const std::vector<Answer>& answers, Actions* actions) {
  const float high = ui.px(32), gap = ui.px(8);
  Rect row{box.x, box.bottom() - high, box.w, high};
  float all = high;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    const float width = ui.width_of(Type::control, answer.label) + ui.px(36);
    if (i > 0 && width > row.w) {
      row = {box.x, row.y - high - gap, box.w, high};
      all += high + gap;
    }
    const Rect place = row.take_right(width);
    row.take_right(gap);
    if (actions && button(ui, std::string("dialog/") + answer.id, place, answer.label,
                          i == 0 ? ButtonLook::primary : ButtonLook::secondary))
      actions->push_back(Decide{answer.decision});
  }
  return all;
}

void draw_question(Ui& ui, Rect window, std::string_view title, const std::string& text,
                   const std::vector<Answer>& answers, Actions& actions) {
  const float below = draw_answers(ui, {0, 0, width_in_question(ui, window), 0}, answers, nullptr);
  Rect inside = draw_question_card(ui, window, below / ui.scale() + 110, title, text, actions);
  ui.log("dialog/question", inside, text);
  draw_answers(ui, inside, answers, &actions);
}

void draw_leave(Ui& ui, Rect window, const Model& model, Actions& actions) {
  const bool quits = model.leaving.what == Departure::For::quit;
  const std::string text =
      fmt::format("{} has changes that are not saved.{}", model.title(),
                  quits ? "" : " Without saving, Ctrl Z still brings them back as long as this window is open.");
  draw_question(ui, window, quits ? "Save before leaving?" : "Save what is open?", text,
                {{"save", "Save", Decision::save},
                 {"discard", quits ? "Leave without saving" : "Go on without saving", Decision::discard},
                 {"cancel", "Cancel", Decision::cancel}},
                actions);
}

void draw_replace(Ui& ui, Rect window, const Model& model, Actions& actions) {
  const bool changed = model.replacing.changed;
  std::vector<Answer> answers{{"cancel", "Cancel", Decision::cancel},
                              {"replace", changed ? "Save over it" : "Replace", Decision::replace}};
  if (changed) answers.push_back({"reload", "Reload it", Decision::reload});
  if (model.replacing.what == Replacing::What::experiment)
    answers.push_back({"other-name", "Another name …", Decision::other_name});
  draw_question(ui, window, changed ? "The file has changed" : "Replace the file?", model.replacing.question, answers,
                actions);
}

void draw_appearance(Ui& ui, Rect window, const Model& model, Actions& actions) {
  Rect inside = draw_dialog_card(ui, window, 460, 250, "Appearance", actions);
  const auto row = [&](std::string_view label) {
    Rect line = inside.take_top(ui.px(44));
    ui.text_in(Type::label, line.take_left(ui.px(130)), ui.theme().text_muted, label);
    return line.inset(0, ui.px(6));
  };
  const int theme =
      segments(ui, "appearance/theme", row("Theme"),
               {{theme_names[0], "Light", ""}, {theme_names[1], "Dark", ""}, {theme_names[2], "High contrast", ""}},
               static_cast<int>(model.settings.theme));
  if (theme >= 0) actions.push_back(SetTheme{static_cast<ThemeName>(theme)});
  Rect size = row("Size, %");
  const auto percent = static_cast<long long>(std::lround(model.settings.scale * 100));
  if (const auto next = number_stepper(ui, "appearance/scale", size.take_left(ui.px(130)), percent, 75, 300, 25))
    actions.push_back(SetScale{static_cast<float>(*next) / 100});
  if (const auto on = toggle(ui, "appearance/motion", row("Reduce motion"), model.settings.reduce_motion))
    actions.push_back(SetReduceMotion{*on});
  if (const auto on = toggle(ui, "appearance/expert", row("Hide explanations"), model.settings.expert))
    actions.push_back(SetExpert{*on});
}

// What is said to a class, which only who presents it sees.
void draw_notes_dialog(Ui& ui, Rect window, const Model& model, Actions& actions) {
  Rect inside = draw_dialog_card(ui, window, 640, 420, "Notes for whoever presents it", actions);
  take_paragraph(ui, inside, ui.theme().text_muted,
                 fmt::format("They are saved with the experiment, and stand beside its question and answer "
                             "in a window of their own while it is presented ({}, then {}).",
                             chord_of("present"), chord_of("show-notes")),
                 Type::label, 12);
  const std::string& notes = model.document.experiment->notes;
  std::string edited = notes;
  const FieldResult typed =
      text_field(ui, "notes/text", inside, edited, true, "What to say, what to ask, what they get wrong",
                 {.passes_escape = true, .keeps_lines = true});
  push_typed(actions, typed, notes, edited, [](const std::string& now) { return SetNotes{now, true}; });
}

// The table of keys and, at its end, what the pointer does on a map.
std::vector<KeyLine> all_key_lines() {
  std::vector<KeyLine> lines = key_lines();
  lines.push_back({Section::none, {"Ctrl wheel"}, "Zoom the map under the pointer, as + and − do"});
  lines.push_back({Section::none, {"Drag"}, "Move the map that is zoomed"});
  lines.push_back({Section::none, {"0"}, "The whole map again; so does a double click"});
  return lines;
}

// Sections one below the other, in as many columns as there is room for; a section is not parted from its title.
struct KeyRow {
  std::string title;  // of a section; or a line
  const KeyLine* line = nullptr;
};

std::vector<KeyRow> key_rows(const std::vector<KeyLine>& lines) {
  std::vector<KeyRow> rows;
  const KeyLine* before = nullptr;
  for (const KeyLine& line : lines) {
    if (!before || before->section != line.section)
      rows.push_back({line.section == Section::none ? "Over a map" : std::string(title_of(line.section))});
    rows.push_back({{}, &line});
    before = &line;
  }
  return rows;
}

constexpr float chord_gap = 12;  // px of the design, between keys that do the same

float width_of_chords(const Ui& ui, const KeyLine& line) {
  float width = 0;
  for (const std::string& chord : line.chords) width += width_of_chord(ui, chord) + ui.px(chord_gap);
  return width;
}

// The keys have a column of their own, as wide as the widest of most lines; where it does not hold them all, the words
// begin after them.
float words_begin(const Ui& ui, const KeyLine& line) {
  return std::max(ui.px(120), width_of_chords(ui, line));
}

float height_of(Ui& ui, const KeyRow& row, float width) {
  if (!row.line) return ui.px(30);
  const float words =
      paragraph(ui, {}, width - words_begin(ui, *row.line), ui.theme().text_muted, row.line->does, false, Type::label);
  return std::max(ui.px(25), words + ui.px(7));
}

void draw_key_row(Ui& ui, Rect place, const KeyRow& row) {
  if (!row.line) {
    ui.text_in(Type::label_strong, place.take_bottom(ui.px(24)), ui.theme().text, row.title);
    return;
  }
  Rect keys = place.take_left(words_begin(ui, *row.line));
  keys = keys.take_top(ui.px(25));
  for (const std::string& chord : row.line->chords) {
    draw_chord(ui, keys, chord, ui.theme().text);
    keys.take_left(width_of_chord(ui, chord) + ui.px(chord_gap));
  }
  paragraph(ui, {place.x, place.y + ui.px(3)}, place.w, ui.theme().text_muted, row.line->does, true, Type::label);
}

void draw_keys(Ui& ui, Rect window, Actions& actions) {
  const Rect inside = draw_dialog_card(ui, window, 980, 700, "Keys", actions);
  scroll_area(ui, "dialog/keys", inside, [&](Rect area) {
    const bool two = area.w > ui.px(760);
    const float gap = ui.px(24), width = two ? (area.w - gap) / 2 - ui.px(6) : area.w - ui.px(12);
    const std::vector<KeyLine> lines = all_key_lines();
    const std::vector<KeyRow> rows = key_rows(lines);
    float all = 0, highest = 0, y = 0, x = area.x;
    for (const KeyRow& row : rows) all += height_of(ui, row, width);
    for (const KeyRow& row : rows) {
      const float height = height_of(ui, row, width);
      if (two && x == area.x && !row.line && y + height * 2 > all / 2) {  // the second column begins with a title
        x += width + gap;
        y = 0;
      }
      draw_key_row(ui, {x, area.y + y, width, height}, row);
      y += height;
      highest = std::max(highest, y);
    }
    return highest;
  });
}

bool is_file_dialog(Dialog dialog) {
  return dialog == Dialog::open || dialog == Dialog::save || dialog == Dialog::save_with_inputs ||
         dialog == Dialog::save_training;
}

// A dialog that opens takes the keyboard: its usual answer has it.
void begin_dialog(Ui& ui, const Model& model, PanelMemory& memory) {
  if (std::exchange(memory.get<DialogsMemory>().drawn_last, model.dialog) == model.dialog) return;
  if (is_file_dialog(model.dialog)) begin_file_dialog(model, memory);
  if (model.dialog == Dialog::arrays) {
    const OpenedArrays* opened = model.arrays_opened.get();
    const bool layers = opened && !opened->layers.empty();
    if (layers) begin_layer_dialog(model, memory);
    if (opened && !layers) begin_array_dialog(model, memory);
    if (opened) begin_names_dialog(model, memory);
    ui.memory().focus = opened && (layers || opened->proposed) && !opened->heads ? "dialog/heads" : "dialog/take";
  }
  if (model.dialog == Dialog::notes) focus_text_field(ui, "notes/text");
  if (model.dialog == Dialog::leave) ui.memory().focus = "dialog/save";
  if (model.dialog == Dialog::replace) ui.memory().focus = "dialog/cancel";
}

}  // namespace

Rect draw_question_card(Ui& ui, Rect window, float more, std::string_view title, std::string_view question,
                        Actions& actions) {
  const Color32 color = ui.theme().text_muted;
  const float words = paragraph(ui, {}, width_in_question(ui, window), color, question, false, Type::label);
  Rect inside = draw_dialog_card(ui, window, question_width, words / ui.scale() + more, title, actions);
  paragraph(ui, {inside.x, inside.y}, inside.w, color, question, true, Type::label);
  inside.take_top(words);
  return inside;
}

Rect take_labelled_row(Ui& ui, Rect& inside, std::string_view label, float gap) {
  Rect line = inside.take_top(ui.px(36));
  inside.take_top(ui.px(gap));
  ui.text_in(Type::label, line.take_left(ui.px(90)), ui.theme().text_muted, label);
  return line;
}

bool draw_open_or_cancel(Ui& ui, Rect row, bool possible, Actions& actions) {
  const bool pressed =
      button(ui, "dialog/take", row.take_right(ui.px(110)), "Open", ButtonLook::primary, std::nullopt, possible);
  row.take_right(ui.px(8));
  if (button(ui, "dialog/cancel", row.take_right(ui.px(96)), "Cancel")) actions.push_back(ShowDialog{Dialog::none});
  return pressed;
}

void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  if (model.dialog != Dialog::menu && model.dialog != Dialog::history) memory.get<MenuMemory>().open = false;
  if (model.dialog != Dialog::menu) memory.get<MenuMemory>().opened_at.reset();
  if (model.dialog == Dialog::none) {
    memory.get<DialogsMemory>().drawn_last = Dialog::none;
    return;
  }
  // Drawn over everything, with the pointer to itself; its actions are taken at once.
  ui.draw_above([&] {
    begin_dialog(ui, model, memory);
    switch (model.dialog) {
      case Dialog::open:
      case Dialog::save:
      case Dialog::save_with_inputs:
      case Dialog::save_training:
        return draw_file_dialog(ui, window, model, memory, actions);
      case Dialog::replace:
        return draw_replace(ui, window, model, actions);
      case Dialog::leave:
        return draw_leave(ui, window, model, actions);
      case Dialog::keys:
        return draw_keys(ui, window, actions);
      case Dialog::appearance:
        return draw_appearance(ui, window, model, actions);
      case Dialog::arrays:
        if (!model.arrays_opened) return;
        if (!model.arrays_opened->layers.empty()) return draw_layer_dialog(ui, window, model, memory, actions);
        if (asks_for_names(model, memory)) return draw_names_dialog(ui, window, model, memory, actions);
        return draw_array_dialog(ui, window, model, memory, actions);
      case Dialog::palette:
        return draw_palette(ui, window, model, memory.get<PaletteMemory>(), actions);
      case Dialog::help:
        if (!model.topic.empty()) return draw_help_page(ui, window, model, memory, actions);
        return draw_palette(ui, window, model, memory.get<PaletteMemory>(), actions);
      case Dialog::menu:
        return draw_menu(ui, window, model, memory, actions);
      case Dialog::history:
        return draw_history(ui, window, model, memory, actions);
      case Dialog::notes:
        return draw_notes_dialog(ui, window, model, actions);
      case Dialog::none:
        return;
    }
  });
}

}  // namespace headlight::app
