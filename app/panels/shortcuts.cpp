#include "app/panels/shortcuts.h"

#include <algorithm>

#include "app/panels/shown.h"

namespace headlight::app {

namespace {

constexpr Modifiers plain{};
constexpr Modifiers ctrl{.ctrl = true};
constexpr Modifiers ctrl_shift{.ctrl = true, .shift = true};

template <class T>
auto always(T action) {
  return [action](const Model&) { return Action(action); };
}

// Arrows move the cell once one is pinned, and the step otherwise.
auto arrow(int rows, int columns) {
  return [=](const Model& model) -> Action {
    if (shows_pinned(model)) return MoveSelection{rows, columns};
    if (columns != 0) return MoveStage{columns};
    return MoveHead{rows};
  };
}

std::vector<Shortcut> make_steps() {
  const auto last_stage = [](const Model& model) -> Action {
    return GoStage{model.trace() ? static_cast<int>(model.trace()->stages.size()) - 1 : 0};
  };
  const auto toggle_play = [](const Model& model) -> Action { return Play{!model.playing}; };
  return {
      {Key::left, plain, "←", "Previous step, or the pinned cell to the left", "Steps", arrow(0, -1), true},
      {Key::right, plain, "→", "Next step, or the pinned cell to the right", "Steps", arrow(0, 1), true},
      {Key::page_up, plain, "PgUp", "Previous step", "Steps", always(MoveStage{-1}), true},
      {Key::page_down, plain, "PgDn", "Next step", "Steps", always(MoveStage{1}), true},
      {Key::home, plain, "Home", "First step", "Steps", always(GoStage{0})},
      {Key::end, plain, "End", "Last step", "Steps", last_stage},
      {Key::space, plain, "Space", "Play or pause", "Steps", toggle_play},
  };
}

std::vector<Shortcut> make_views() {
  std::vector<Shortcut> list;
  constexpr Key digits[] = {Key::one, Key::two,   Key::three, Key::four, Key::five,
                            Key::six, Key::seven, Key::eight, Key::nine};
  for (Index head = 0; head < 9; ++head)
    list.push_back({digits[head], plain, fmt::format("{}", head + 1), fmt::format("Head {}", head + 1), "Heads",
                    always(SetHead{head})});
  list.push_back({Key::left_bracket, plain, "[", "Previous head", "Heads", always(MoveHead{-1}), true});
  list.push_back({Key::right_bracket, plain, "]", "Next head", "Heads", always(MoveHead{1}), true});
  list.push_back({Key::h, plain, "H", "Map", "Views", always(SetMode{ViewMode::map})});
  list.push_back({Key::m, plain, "M", "Matrix of all queries and keys", "Views", always(SetMode{ViewMode::matrix})});
  list.push_back({Key::l, plain, "L", "Lines", "Views", always(SetMode{ViewMode::lines})});
  list.push_back({Key::n, plain, "N", "Numbers of one row", "Views", always(SetMode{ViewMode::numbers})});
  const auto frame = [](int by) {
    return [by](const Model& model) -> Action { return SetFrame{std::max<Index>(0, model.document.look.frame) + by}; };
  };
  list.push_back({Key::left_bracket, {.shift = true}, "Shift [", "Previous frame", "Views", frame(-1), true});
  list.push_back({Key::right_bracket, {.shift = true}, "Shift ]", "Next frame", "Views", frame(1), true});
  list.push_back({Key::up, plain, "↑", "Previous head, or the pinned cell up", "Cell", arrow(-1, 0), true});
  list.push_back({Key::down, plain, "↓", "Next head, or the pinned cell down", "Cell", arrow(1, 0), true});
  const auto pin = [](const Model& model) -> Action {
    if (!shows_cell(model)) return MoveSelection{0, 0};  // the first, where none is selected
    return Select{model.document.look.selection, true};
  };
  list.push_back({Key::enter, plain, "Enter", "Pin the selected cell, or the first", "Cell", pin});
  const auto escape = [](const Model& model) -> Action {
    if (model.dialog != Dialog::none) return ShowDialog{Dialog::none};
    if (model.exporting.busy && model.screen != Screen::explore) return CancelExport{};
    if (model.busy) return Cancel{};
    if (model.screen != Screen::explore) return ShowScreen{Screen::explore};
    return Release{};
  };
  list.push_back({Key::escape, plain, "Esc", "Close, cancel, or release the pinned cell", "Cell", escape});
  list.push_back({Key::c, ctrl, "Ctrl C", "Copy the cell's trace as text", "Cell", always(CopyTrace{})});
  return list;
}

std::vector<Shortcut> make_files() {
  const auto zoom = [](float by) {
    return [by](const Model& model) -> Action { return SetScale{model.settings.scale + by}; };
  };
  const auto figure = [](const Model& model) -> Action {
    if (model.screen == Screen::figure) return SaveFigure{};
    if (model.screen == Screen::worksheet) return SaveSheet{};
    return ShowScreen{Screen::figure};
  };
  return {
      {Key::z, ctrl, "Ctrl Z", "Undo", "File", always(Undo{}), true},
      {Key::z, ctrl_shift, "Ctrl Shift Z", "Redo", "File", always(Redo{}), true},
      {Key::y, ctrl, "Ctrl Y", "Redo", "File", always(Redo{}), true},
      {Key::e, ctrl, "Ctrl E", "Export a figure", "File", figure},
      {Key::o, ctrl, "Ctrl O", "Open an experiment", "File", always(ShowDialog{Dialog::open})},
      {Key::s, ctrl, "Ctrl S", "Save the experiment", "File", always(Save{})},
      {Key::s, ctrl_shift, "Ctrl Shift S", "Save under another name", "File", always(ShowDialog{Dialog::save})},
      {Key::equal, ctrl, "Ctrl +", "Larger", "Window", zoom(0.25F)},
      {Key::minus, ctrl, "Ctrl −", "Smaller", "Window", zoom(-0.25F)},
      {Key::zero, ctrl, "Ctrl 0", "100 %", "Window", always(SetScale{1})},
      {Key::b, ctrl, "Ctrl B", "Fold the left panel away, or bring it back", "Window", always(Fold{Side::setup})},
      {Key::i, ctrl, "Ctrl I", "Fold the inspector away, or bring it back", "Window", always(Fold{Side::inspector})},
      {Key::f1, plain, "F1 or ?", "All keys", "Window", always(ShowDialog{Dialog::keys})},
  };
}

std::vector<Shortcut> make_all() {
  std::vector<Shortcut> all = make_steps();
  for (auto&& part : {make_views(), make_files()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

const std::vector<Shortcut>& shortcuts() {
  static const std::vector<Shortcut> all = make_all();
  return all;
}

std::vector<Action> pressed_actions(const Model& model) {
  std::vector<Action> actions;
  for (const auto& shortcut : shortcuts()) {
    const bool behind_dialog = model.dialog != Dialog::none && shortcut.key != Key::escape;
    const bool elsewhere = model.screen != Screen::explore && shortcut.section != "File" &&
                           shortcut.section != "Window" && shortcut.key != Key::escape;
    if (behind_dialog || elsewhere) continue;
    if (take_key(shortcut.key, shortcut.modifiers, shortcut.repeats)) actions.push_back(shortcut.action(model));
  }
  if (model.dialog == Dialog::none && typed() == U"?") actions.push_back(ShowDialog{Dialog::keys});
  return actions;
}

}  // namespace headlight::app
