// The line at the foot of the view: which keys work here, and what they do.
#include <algorithm>
#include <array>

#include "app/panels/screen/parts.h"
#include "app/reading/pixel_partners.h"
#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_hints = 4;

// What is worth saying, the most useful first: of each what its commands do, in a few words.
struct HintRule {
  std::array<std::string_view, 4> commands;
  std::string_view words;
};
constexpr HintRule hint_rules[] = {
    {{"head-left", "head-right", "head-up", "head-down"}, "another head"},
    {{"open-layer"}, "open its layer"},
    {{"release-pair"}, "choose no pair"},
    {{"cell-left", "cell-right", "cell-up", "cell-down"}, "move the cell"},
    {{"close-term"}, "close the word"},
    {{"release"}, "let it go"},
    {{"paint-cell"}, "hide the cell, or show it"},
    {{"show-change"}, "what changed"},
    {{"next-step"}, "next step"},
    {{"pause"}, "pause"},
    {{"play"}, "play"},
    {{"explore"}, "back to the result"},
    {{"previous-head", "next-head"}, "another head"},
    {{"pin-first"}, "keep the first cell"},
};

// What the report on heads takes for its own rows.
bool is_taken(std::string_view chord, const Model& model) {
  return model.screen == Screen::explore && model.document.look.mode == ViewMode::heads &&
         (chord == "↑" || chord == "↓" || chord == "Enter");
}

// The first of its keys that does it here; empty where none does.
std::string_view chord_here(std::string_view id, const Model& model) {
  if (id.empty()) return {};
  const Command* command = command_named(id).command;
  for (const std::string_view chord : command->chords)
    if (const CommandOf* meant = command_for(chord, model);
        meant && meant->command == command && !is_taken(chord, model))
      return chord;
  return {};
}

// Whether the map takes pointing and clicks cell by cell.
bool has_cells(const Model& model) {
  const ViewMode mode = model.document.look.mode;
  return model.step() && !model.shows_network() && !model.shows_layers() && model.screen == Screen::explore &&
         (mode == ViewMode::matrix || (mode == ViewMode::map && !is_seen_on_picture(*model.step())));
}

// "click  keep it": what the pointer does, for which there is no key.
struct PointerHint {
  std::string_view what, words;
};
constexpr PointerHint pointer_hints[] = {{"point", "at a cell: its number"}, {"click", "keep it"}};

// Takes its room from the line; false where it has none.
bool draw_hint(Ui& ui, Rect& line, const KeyHint& hint) {
  float width = ui.width_of(Type::note, hint.words) + ui.px(28);
  for (const std::string& chord : hint.chords) width += width_of_chord(ui, chord) + ui.px(4);
  if (width > line.w) return false;
  std::string keys;
  const Rect all = line;
  for (const std::string& chord : hint.chords) {
    const float room = width_of_chord(ui, chord);
    draw_chord(ui, line.take_left(room), chord, ui.theme().text_muted);
    line.take_left(ui.px(4));
    keys += (keys.empty() ? "" : "|") + chord;
  }
  line.take_left(ui.px(4));
  ui.log("hints/" + std::string(hint.words), {all.x, all.y, width, all.h}, keys);
  words_at_left(ui, Type::note, line, ui.theme().text_muted, hint.words, 24);
  return true;
}

}  // namespace

std::vector<KeyHint> key_hints(const Model& model) {
  std::vector<KeyHint> hints;
  const std::size_t most =
      has_cells(model) && !shows_pinned(model) ? most_hints - std::size(pointer_hints) : most_hints;
  for (const HintRule& rule : hint_rules) {
    if (hints.size() == most) break;
    KeyHint hint{{}, rule.words};
    for (const std::string_view id : rule.commands)
      if (const std::string_view chord = chord_here(id, model); !chord.empty()) hint.chords.emplace_back(chord);
    if (!hint.chords.empty()) hints.push_back(std::move(hint));
  }
  return hints;
}

void draw_hints(Ui& ui, Rect line, const Model& model) {
  const Ui::ExplainScope none(ui, false);  // keys are those of a keyboard here
  ui.fill(line, ui.theme().canvas);
  ui.line({line.x, line.y}, {line.right(), line.y}, ui.theme().line);
  if (model.dialog != Dialog::none) return;  // which has keys of its own
  line = line.inset(ui.px(24), 0);
  const KeyHint all{{"?"}, "all keys"};
  if (Rect right = line.take_right(ui.width_of(Type::note, all.words) + width_of_chord(ui, "?") + ui.px(36));
      command_for("?", model))
    draw_hint(ui, right, all);
  for (const KeyHint& hint : key_hints(model))
    if (!draw_hint(ui, line, hint)) return;
  if (!has_cells(model) || shows_pinned(model)) return;
  for (const PointerHint& hint : pointer_hints) {
    if (ui.width_of(Type::heading, hint.what) + ui.width_of(Type::note, hint.words) + ui.px(8) > line.w) return;
    words_at_left(ui, Type::heading, line, ui.theme().text, hint.what, 8);
    words_at_left(ui, Type::note, line, ui.theme().text_muted, hint.words, 24);
  }
}

}  // namespace headlight::app
