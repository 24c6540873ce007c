#include "app/actions/action_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <tuple>

#include "app/actions/action_rows_compare.h"
#include "app/actions/action_rows_files.h"
#include "app/actions/action_rows_input.h"
#include "app/actions/action_rows_lesson.h"
#include "app/actions/action_rows_look.h"
#include "app/actions/action_rows_network.h"
#include "app/actions/action_rows_present.h"
#include "app/actions/action_rows_training.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The row of one kind. What is asked of it goes through plain functions: a std::function for each kind and question
// would take as long to compile as all else here.
template <class T>
rows::Row<T> kept_row;

template <class... Kinds>
consteval void count_rows(std::array<int, AllActions::size>& rows, const std::tuple<rows::Row<Kinds>...>*) {
  (++rows[AllActions::index_of<Kinds>()], ...);
}
template <class... Unnamed>
consteval void count_rows(std::array<int, AllActions::size>& rows, const ListOf<Unnamed...>*) {
  (++rows[AllActions::index_of<Unnamed>()], ...);
}
// Whether each action has one row, or none and no name.
template <class... Files>
consteval bool each_has_one_row() {
  std::array<int, AllActions::size> rows{};
  (count_rows(rows, static_cast<const Files*>(nullptr)), ...);
  return std::ranges::all_of(rows, [](int count) { return count == 1; });
}

template <class... Kinds>
void keep_file(std::tuple<rows::Row<Kinds>...>& of_file) {
  std::apply([](auto&... row) { ((kept_row<Kinds> = std::move(row)), ...); }, of_file);
}

// Each file's rows by themselves: to compile one tuple of all takes a minute.
template <class... Files>
void keep_rows(Files... files) {
  static_assert(each_has_one_row<rows::Unnamed, Files...>(), "an action without a row, or with two: action_rows_*.h");
  (keep_file(files), ...);
}

template <class T>
std::string why_not_of(const Action& action, const Model& model) {
  const rows::Row<T>& row = kept_row<T>;
  std::string missing = first_missing(row.basics.needs, model);
  return missing.empty() && row.why_not ? row.why_not(*action.as<T>(), model) : missing;
}
template <class T>
std::string undo_of(const Action& action, const Model& model) {
  const rows::Row<T>& row = kept_row<T>;
  return row.undo_of ? row.undo_of(*action.as<T>(), model) : std::string(row.basics.undo);
}

// The row without its type.
template <class T>
ActionRow erased() {
  const rows::Row<T>& row = kept_row<T>;
  return {form_of<T>.id,
          row.basics.place.section,
          row.basics.place.screen,
          row.commands,
          row.offers,
          row.numbers,
          why_not_of<T>,
          undo_of<T>};
}

template <class... T>
std::vector<ActionRow> make_table(ListOf<T...>) {
  return {erased<T>()...};
}

}  // namespace

std::string_view title_of(Section section) {
  static constexpr std::string_view titles[] = {"",      "Steps",     "Heads",      "Views",   "Cell",  "Model",
                                                "Input", "Mechanism", "Parameters", "Weights", "Run",   "Compare",
                                                "Masks", "Figure",    "Worksheet",  "Present", "Learn", "Edit",
                                                "File",  "Window",    "Help"};
  static_assert(std::size(titles) == static_cast<std::size_t>(Section::help) + 1);
  return titles[static_cast<std::size_t>(section)];
}

std::string first_missing(const std::vector<Need>& needs, const Model& model) {
  for (const Need& need : needs)
    if (std::string missing = need.missing(model); !missing.empty()) return missing;
  return {};
}

const std::vector<ActionRow>& action_table() {
  static const std::vector<ActionRow> table = [] {
    using namespace rows;
    keep_rows(compare_rows(), edits_rows(), files_rows(), input_rows(), lesson_rows(), look_rows(), masks_rows(),
              network_rows(), present_rows(), tokens_rows(), training_rows());
    return make_table(AllActions());
  }();
  return table;
}

namespace {

template <class... T>
bool is_one_of(const Action& action) {
  return (action.as<T>() || ...);
}

// Of a model or of a result.
bool is_about_heads_of_layers(const Action& action) {
  return is_one_of<ChooseHead, MoveAmongHeads, ChoosePair, MovePair, MarkBy, MarkHeads, RingFrom, ViewLayers,
                   OpenLayer>(action);
}

}  // namespace

std::string why_of_another_document(const Action& action, const Model& model) {
  const Section section = action_table()[action.index()].section;
  if (section == Section::model) {
    const bool heads = is_about_heads_of_layers(action);
    if (model.document.network || (heads && model.has_layers())) return "";
    return heads ? "There is one layer" : "No model is open: drop its folder";
  }
  if (!model.shows_network()) return {};
  const bool of_figures = section == Section::figure || is_one_of<SetFigurePath, SetFigureEach>(action);
  const bool of_the_window = section == Section::edit || section == Section::file || section == Section::window ||
                             is_one_of<SetHover, Light, EndEdit, Decide, Browse, Peek>(action);
  const bool of_training = section == Section::learn || is_one_of<PinTrainCell>(action);
  const bool of_any_run = is_one_of<Cancel, Run, AblateHeads, SetScaling, SetBatch, GoStage, MoveStage, Play>(action);
  const auto* screen = action.as<ShowScreen>();
  const bool is_shown = !screen || screen->value == Screen::explore || screen->value == Screen::figure ||
                        screen->value == Screen::train || screen->value == Screen::lessons;
  if (of_any_run || of_figures || of_training || (of_the_window && is_shown)) return {};
  return "This is about one layer, and all of a model are shown: open a layer first";
}

std::string why_not(const Action& action, const Model& model) {
  if (std::string why = why_of_another_document(action, model); !why.empty()) return why;
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
  std::string own = first_missing(of.command->needs, model);
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

// Commands of one key, in reverse order: the last is what the key means where no other applies.
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

}  // namespace

std::vector<KeyLine> key_lines() {
  std::vector<SharedKey> shared;
  for (const CommandOf& of : commands_with_keys())
    for (const std::string_view chord : of.command->chords) {
      const bool head = chord.size() == 1 && is_digit(chord[0]) && of.section() != Section::present;
      if (head && chord != "0") continue;
      add_key(shared, of.section(), head ? "0 – 9" : chord, head ? "Head 0 to 9" : of.command->label);
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
