// The one table of actions: what each is called, where it stands, which keys it has, when it can be done and with which
// values of the model it is offered. The top bar, the keys, the table of keys, the palette and the undo list read it.
//
// Its rows are in action_rows_*.h, one for each kind of action there is: one that is missing does not compile. The text
// forms stand beside the actions themselves (action.h); what each does is update_*.cpp.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/actions/action.h"

namespace headlight::app {

// In the order of the table of keys. Nobody asks by name for what is in `none`: it follows from where the pointer is,
// or from an answer that is given.
enum class Section {
  none,
  steps,
  heads,
  views,
  cell,
  model,
  input,
  mechanism,
  parameters,
  weights,
  run,
  compare,
  masks,
  figure,
  worksheet,
  present,
  learn,
  edit,
  file,
  window,
  help
};
std::string_view title_of(Section section);

// What must be so for something to be asked for, and what is said where it is not.
class Need {
 public:
  constexpr Need(bool (*met)(const Model&), std::string_view otherwise) : met_(met), otherwise_(otherwise) {}
  template <class F>
  requires std::convertible_to<F, std::string (*)(const Model&)>
  constexpr Need(F why_not) : missing_(why_not) {}

  // Empty where it is met.
  std::string missing(const Model& model) const {
    if (missing_) return missing_(model);
    return met_(model) ? std::string() : std::string(otherwise_);
  }

 private:
  std::string (*missing_)(const Model&) = nullptr;
  bool (*met_)(const Model&) = nullptr;
  std::string_view otherwise_;
};
// The first that is missing of several; empty where all are met.
std::string first_missing(const std::vector<Need>& needs, const Model& model);

// What most commands do without.
struct CommandTraits {
  std::string_view icon = {};                           // as icon_named() has it
  bool repeats = false;                                 // while its key is held
  bool useful = false;                                  // stands in the palette before anything is typed
  Section section = Section::none;                      // where it is another than its row's
  std::function<bool(const Model&)> now = {};           // it is so already
  std::function<std::string(const Model&)> about = {};  // what it is about now: "temperature", or empty
  std::function<bool(const Model&)> key_if = {};        // its keys mean it then alone
  std::vector<Need> needs = {};                         // besides its row's
  std::vector<MenuTarget> menus = {};                   // that it stands in
};
// What is asked for by one press: an action whose values are fixed, or follow from the model.
struct Command : CommandTraits {
  std::string_view id;                   // by which buttons find it: "undo"
  std::string_view label;                // "Undo"
  std::vector<std::string_view> chords;  // "Ctrl Z"; the first command that is possible has a shared one
  std::function<Action(const Model&)> action;
};

// The same action with another of the values that the model has.
struct Offer {
  std::string label;  // "Mask: Causal"
  Action action;
  bool now = false;          // it is so already
  std::string about = {};    // a few words at the side
  std::string why_not = {};  // besides its row's
  Section section = Section::none;
  std::vector<MenuTarget> menus = {};  // that it stands in
  std::string finds = {};              // further words that the palette finds it by
  bool useful = false;                 // stands in its list before anything is typed
};

// The same with a number that is typed.
struct NumberOffer {
  std::string label;                                  // "Temperature"
  std::string now;                                    // "0.5"
  std::function<std::optional<Action>(double)> with;  // nothing: it cannot be that number
  std::vector<MenuTarget> menus = {};                 // that it stands in
};

struct ActionRow {
  std::string_view id;
  Section section = Section::none;
  std::optional<Screen> screen;  // where alone it means something
  std::vector<Command> commands;
  std::vector<Offer> (*offers)(const Model&);         // may be null
  std::vector<NumberOffer> (*numbers)(const Model&);  // may be null
  std::string (*why_not)(const Action&, const Model&);
  std::string (*undo)(const Action&, const Model&);
};

// Whether its actions mean something on that screen. Where two results are compared, both are looked at as one is, and
// so is a result whose mask is taken apart.
inline bool belongs_to(std::optional<Screen> of, Screen shown) {
  return !of || *of == shown || (*of == Screen::explore && (shown == Screen::compare || shown == Screen::masks));
}

// In the order of AllActions: the row of an action is the one at its index().
const std::vector<ActionRow>& action_table();

// Why the action cannot be about what is open: it is of one layer and all are shown, or of all where none are. Empty
// where it can.
std::string why_of_another_document(const Action& action, const Model& model);
// Why the action cannot be done now, in one line; empty where it can.
std::string why_not(const Action& action, const Model& model);
// What undo calls it: "temperature".
std::string undo_name_of(const Action& action, const Model& model);

// A command and the row that it stands in. The id must be one that there is.
struct CommandOf {
  const ActionRow* row = nullptr;
  const Command* command = nullptr;
  Section section() const { return command->section == Section::none ? row->section : command->section; }
};
CommandOf command_named(std::string_view id);
// Why it cannot be done now, be it its row's reason or its own.
std::string why_not(const CommandOf& command, const Model& model);
// "Undo temperature (Ctrl Z)": what a button says of it.
std::string hint_of(std::string_view id, const Model& model);
// "Ctrl Z"
std::string_view chord_of(std::string_view id);

// All commands that the keys reach, in the order in which those that share a key are asked.
const std::vector<CommandOf>& commands_with_keys();

// A line of the table of keys: what share a key stand together, and so do keys that do the same.
struct KeyLine {
  Section section = Section::none;
  std::vector<std::string> chords;  // "Ctrl Shift Z", "Ctrl Y"
  std::string does;                 // "Redo"
};
std::vector<KeyLine> key_lines();

}  // namespace headlight::app
