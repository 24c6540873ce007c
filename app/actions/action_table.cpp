#include "app/actions/action_table.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "app/actions/action_rows_compare.h"
#include "app/actions/action_rows_files.h"
#include "app/actions/action_rows_input.h"
#include "app/actions/action_rows_look.h"
#include "app/actions/action_rows_masks.h"
#include "app/actions/action_rows_network.h"
#include "app/actions/action_rows_present.h"
#include "app/actions/action_rows_tokens.h"

namespace headlight::app {

namespace {

// The row of one kind, made once. What is asked of it goes through plain functions: a std::function for each kind and
// question would take as long to compile as all else here.
template <class T>
const rows::Row<T>& typed() {
  static const rows::Row<T> row = rows::row<T>();
  return row;
}

template <class T>
std::string why_not_of(const Action& action, const Model& model) {
  return typed<T>().why_not ? typed<T>().why_not(*action.as<T>(), model) : "";
}
template <class T>
std::string undo_of(const Action& action, const Model& model) {
  return typed<T>().undo_of ? typed<T>().undo_of(*action.as<T>(), model) : std::string(typed<T>().undo);
}

// The row without its type.
template <class T>
ActionRow erased() {
  const rows::Row<T>& row = typed<T>();
  return {form_of<T>.id, row.section, row.screen, row.commands, row.offers, row.numbers, why_not_of<T>, undo_of<T>};
}

template <class... T>
std::vector<ActionRow> make_table(ListOf<T...>) {
  return {erased<T>()...};
}

}  // namespace

std::string_view title_of(Section section) {
  switch (section) {
    case Section::none:
      return "";
    case Section::steps:
      return "Steps";
    case Section::heads:
      return "Heads";
    case Section::views:
      return "Views";
    case Section::cell:
      return "Cell";
    case Section::model:
      return "Model";
    case Section::input:
      return "Input";
    case Section::mechanism:
      return "Mechanism";
    case Section::parameters:
      return "Parameters";
    case Section::weights:
      return "Weights";
    case Section::run:
      return "Run";
    case Section::compare:
      return "Compare";
    case Section::masks:
      return "Masks";
    case Section::figure:
      return "Figure";
    case Section::worksheet:
      return "Worksheet";
    case Section::present:
      return "Present";
    case Section::edit:
      return "Edit";
    case Section::file:
      return "File";
    case Section::window:
      return "Window";
  }
  return "";
}

const std::vector<ActionRow>& action_table() {
  static const std::vector<ActionRow> table = make_table(AllActions());
  return table;
}

namespace {

// Whether it is about the heads of several layers, be they of a model or of a result.
bool of_heads_of_layers(const Action& action) {
  return action.as<ChooseHead>() || action.as<MoveAmongHeads>() || action.as<ChoosePair>() || action.as<MovePair>() ||
         action.as<MarkBy>() || action.as<MarkHeads>() || action.as<RingFrom>() || action.as<ViewLayers>() ||
         action.as<OpenLayer>();
}

}  // namespace

std::string not_of_what_is_open(const Action& action, const Model& model) {
  const Section section = action_table()[action.index()].section;
  if (section == Section::model) {
    if (model.document.network || (of_heads_of_layers(action) && model.has_layers())) return "";
    return of_heads_of_layers(action) ? "There is one layer" : "No model is open: drop its folder";
  }
  if (!model.shows_network()) return {};
  const bool of_figures = section == Section::figure || action.as<SetFigurePath>() || action.as<SetFigureEach>();
  const bool of_the_window = section == Section::edit || section == Section::file || section == Section::window ||
                             action.as<SetHover>() || action.as<Light>() || action.as<EndEdit>() ||
                             action.as<Decide>() || action.as<Browse>() || action.as<Peek>();
  const bool of_any_run = action.as<Cancel>() || action.as<Run>() || action.as<AblateHeads>() ||
                          action.as<SetScaling>() || action.as<GoStage>() || action.as<MoveStage>() ||
                          action.as<Play>();
  const auto* screen = action.as<ShowScreen>();
  const bool is_shown = !screen || screen->screen == Screen::explore || screen->screen == Screen::figure;
  if (of_any_run || of_figures || (of_the_window && is_shown)) return {};
  return "This is about one layer, and all of a model are shown: open a layer first";
}

std::string why_not(const Action& action, const Model& model) {
  if (std::string why = not_of_what_is_open(action, model); !why.empty()) return why;
  return action_table()[action.index()].why_not(action, model);
}

std::string undo_name_of(const Action& action, const Model& model) {
  return action_table()[action.index()].undo(action, model);
}

CommandOf command_named(std::string_view id) {
  static const std::map<std::string_view, CommandOf> by_id = [] {
    std::map<std::string_view, CommandOf> commands;
    for (const ActionRow& row : action_table())
      for (const Command& command : row.commands) commands.emplace(command.id, CommandOf{&row, &command});
    return commands;
  }();
  const auto found = by_id.find(id);
  assert(found != by_id.end() && "there is no command of that name");
  return found == by_id.end() ? CommandOf{} : found->second;
}

std::string why_not(const CommandOf& of, const Model& model) {
  std::string own = of.command->why_not ? of.command->why_not(model) : std::string();
  return own.empty() ? why_not(of.command->action(model), model) : own;
}

std::string_view chord_of(std::string_view id) {
  const auto& chords = command_named(id).command->chords;
  return chords.empty() ? "" : chords.front();
}

std::string hint_of(std::string_view id, const Model& model) {
  const Command& command = *command_named(id).command;
  std::string hint(command.label);
  if (const std::string about = command.about ? command.about(model) : ""; !about.empty()) hint += " " + about;
  if (!command.chords.empty()) hint += fmt::format(" ({})", command.chords.front());
  return hint;
}

const std::vector<CommandOf>& commands_with_keys() {
  static const std::vector<CommandOf> all = [] {
    std::vector<CommandOf> list;
    for (const ActionRow& row : action_table())
      for (const Command& command : row.commands)
        if (!command.chords.empty()) list.push_back({&row, &command});
    return list;
  }();
  return all;
}

namespace {

// What share a key, the one that is asked last first, for it is what the key means when nothing else is about.
struct SharedKey {
  Section section = Section::none;
  std::string_view keys;
  std::vector<std::string_view> labels;
};

void add_key(std::vector<SharedKey>& all, Section section, std::string_view keys, std::string_view label) {
  // While it is presented keys mean other things.
  auto same = std::ranges::find_if(all, [&](const SharedKey& key) {
    return key.keys == keys && (key.section == Section::present) == (section == Section::present);
  });
  if (same == all.end()) same = all.insert(all.end(), {section, keys, {}});
  same->section = section;
  same->labels.insert(same->labels.begin(), label);
}

// "Previous step, or the pinned cell to the left".
std::string in_words(const std::vector<std::string_view>& labels) {
  std::string words(labels.front());
  for (std::size_t i = 1; i < labels.size(); ++i)
    words += (i + 1 == labels.size() ? ", or " : ", ") + lower_first(std::string(labels[i]));
  return words;
}

bool is_digit(std::string_view chord) {
  return chord.size() == 1 && chord[0] >= '1' && chord[0] <= '9';
}

}  // namespace

std::vector<KeyLine> key_lines() {
  std::vector<SharedKey> shared;
  for (const CommandOf& of : commands_with_keys())
    for (const std::string_view chord : of.command->chords) {
      const bool head = is_digit(chord) && of.section() != Section::present;
      if (head && chord != "1") continue;
      add_key(shared, of.section(), head ? "1 – 9" : chord, head ? "Head 1 to 9" : of.command->label);
    }
  std::ranges::stable_sort(shared, {}, &SharedKey::section);
  std::vector<KeyLine> lines;
  for (const SharedKey& key : shared) {
    const std::string does = in_words(key.labels);
    const auto same = std::ranges::find_if(
        lines, [&](const KeyLine& line) { return line.section == key.section && line.does == does; });
    if (same == lines.end())
      lines.push_back({key.section, {std::string(key.keys)}, does});
    else
      same->chords.emplace_back(key.keys);
  }
  return lines;
}

}  // namespace headlight::app
