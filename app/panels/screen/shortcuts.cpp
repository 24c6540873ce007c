#include <algorithm>

#include "app/panels/screen/parts.h"

namespace headlight::app {

namespace {

constexpr std::pair<std::string_view, Key> names[] = {{"←", Key::left},
                                                      {"→", Key::right},
                                                      {"↑", Key::up},
                                                      {"↓", Key::down},
                                                      {"PgUp", Key::page_up},
                                                      {"PgDn", Key::page_down},
                                                      {"Home", Key::home},
                                                      {"End", Key::end},
                                                      {"Space", Key::space},
                                                      {"Enter", Key::enter},
                                                      {"Backspace", Key::backspace},
                                                      {"Esc", Key::escape},
                                                      {"F1", Key::f1},
                                                      {"F5", Key::f5},
                                                      {"F10", Key::f10},
                                                      {"Menu", Key::menu},
                                                      {".", Key::period},
                                                      {"[", Key::left_bracket},
                                                      {"]", Key::right_bracket},
                                                      {"+", Key::equal},
                                                      {"−", Key::minus},
                                                      {"0", Key::zero},
                                                      {"1", Key::one},
                                                      {"2", Key::two},
                                                      {"3", Key::three},
                                                      {"4", Key::four},
                                                      {"5", Key::five},
                                                      {"6", Key::six},
                                                      {"7", Key::seven},
                                                      {"8", Key::eight},
                                                      {"9", Key::nine},
                                                      {"A", Key::a},
                                                      {"B", Key::b},
                                                      {"C", Key::c},
                                                      {"D", Key::d},
                                                      {"E", Key::e},
                                                      {"F", Key::f},
                                                      {"G", Key::g},
                                                      {"H", Key::h},
                                                      {"I", Key::i},
                                                      {"K", Key::k},
                                                      {"L", Key::l},
                                                      {"M", Key::m},
                                                      {"N", Key::n},
                                                      {"O", Key::o},
                                                      {"P", Key::p},
                                                      {"Q", Key::q},
                                                      {"R", Key::r},
                                                      {"S", Key::s},
                                                      {"T", Key::t},
                                                      {"V", Key::v},
                                                      {"X", Key::x},
                                                      {"Y", Key::y},
                                                      {"Z", Key::z}};

// Whether the command's key means it here.
bool key_applies(const CommandOf& of, const Model& model) {
  const Command& command = *of.command;
  // While something is presented, its keys alone mean anything.
  const bool of_presenter = of.section() == Section::present;
  const bool notes = presents_lesson(model) && of_presenter && command.action(model).as<ShowNotes>();
  if (of_presenter != shows_presenter(model) && !notes) return false;
  if (!belongs_to(of.row->screen, model.screen)) return false;
  if (command.key_if && !command.key_if(model)) return false;
  if (model.dialog != Dialog::none) {
    const Action action = command.action(model);
    const auto* dialog = action.as<ShowDialog>();
    if (!dialog || dialog->value != Dialog::none) return false;
  }
  return why_not(of, model).empty();
}

// Those with keys, in the order in which they are asked here.
std::vector<const CommandOf*> by_priority(const Model& model) {
  std::vector<const CommandOf*> list;
  for (const CommandOf& of : commands_with_keys()) list.push_back(&of);
  // Where the heads of all layers are shown keys move among them, before they would move a cell or the step.
  std::stable_partition(list.begin(), list.end(),
                        [&](const CommandOf* of) { return model.shows_layers() && of->section() == Section::model; });
  return list;
}

bool take(const Chord& chord, bool repeats) {
  if (chord.character != 0) return typed() == std::u32string(1, chord.character) && !take_typed().empty();
  if (take_key(*chord.key, chord.modifiers, repeats)) return true;
  // "+" needs Shift on many layouts.
  Modifiers shifted = chord.modifiers;
  shifted.shift = true;
  return *chord.key == Key::equal && take_key(Key::equal, shifted, repeats);
}

}  // namespace

std::optional<Chord> chord_of_text(std::string_view text) {
  Chord chord;
  while (true) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (space == std::string_view::npos) break;
    if (word == "Ctrl")
      chord.modifiers.ctrl = true;
    else if (word == "Shift")
      chord.modifiers.shift = true;
    else if (word == "Alt")
      chord.modifiers.alt = true;
    else
      return std::nullopt;
    text.remove_prefix(space + 1);
  }
  if (text == "?") {
    chord.character = U'?';
    return chord;
  }
  const auto* found = std::ranges::find(names, text, &std::pair<std::string_view, Key>::first);
  if (found == std::end(names)) return std::nullopt;
  chord.key = found->second;
  return chord;
}

const CommandOf* command_for(std::string_view chord, const Model& model) {
  for (const CommandOf* of : by_priority(model))
    if (std::ranges::count(of->command->chords, chord) > 0 && key_applies(*of, model)) return of;
  return nullptr;
}

std::vector<Action> pressed_actions(const Model& model) {
  std::vector<Action> actions;
  const auto waits = [](const Stroke& stroke) { return !stroke.taken; };
  if (std::ranges::none_of(strokes(), waits)) return actions;
  for (const CommandOf* of : by_priority(model))
    for (const std::string_view text : of->command->chords) {
      if (std::ranges::none_of(strokes(), waits)) return actions;
      const auto chord = chord_of_text(text);
      if (chord && key_applies(*of, model) && take(*chord, of->command->repeats))
        actions.push_back(of->command->action(model));
    }
  return actions;
}

}  // namespace headlight::app
