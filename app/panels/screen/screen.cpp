#include <fmt/ranges.h>

#include "app/actions/update.h"
#include "app/panels/common/term_card.h"
#include "app/panels/compare/parts.h"
#include "app/panels/dialogs/parts.h"
#include "app/panels/export/parts.h"
#include "app/panels/inspector/parts.h"
#include "app/panels/layers/parts.h"
#include "app/panels/lesson/parts.h"
#include "app/panels/masks/parts.h"
#include "app/panels/present/parts.h"
#include "app/panels/screen/parts.h"
#include "app/panels/train/parts.h"
#include "app/panels/views/parts.h"

namespace headlight::app {

namespace {

// A network that learns, whatever is open. A pinned weight brings its story into view, as a cell does.
void draw_train(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions) {
  const Rect bottom = rest.take_bottom(ui.px(plan.stepper));
  const Rect middle = rest;
  const Ui::ExplainScope here(ui);
  cover_by_drawer(ui, middle, plan);
  draw_sides(ui, rest, plan, model, memory, actions);
  ui.fill(rest, ui.theme().canvas);
  Actions of_view;
  draw_train_view(ui, rest, bottom, model, memory, of_view);
  if (std::ranges::any_of(of_view, [](const Action& action) { return action.as<PinTrainCell>() != nullptr; })) {
    show_story(plan, memory, actions);
    memory.get<InspectorMemory>().scroll_to_story = false;  // of the explore screen's inspector
  }
  actions.insert(actions.end(), of_view.begin(), of_view.end());
  draw_handles(ui, rest, plan, actions);
  draw_drawer(ui, middle, plan, model, memory, actions);
  draw_pointed_card(ui, model, nullptr, memory, TermCard::words);
}

// The key that shows what changed, while it is held down.
struct ChangeKey {
  double down_since = -1;  // on the window's clock
};

Rect square_of(Ui& ui, Rect& bar) {
  return bar.take_right(ui.px(36)).inset(ui.px(2), (bar.h - ui.px(32)) / 2);
}

void draw_top_left(Ui& ui, Rect bar, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  draw_mark(ui, {bar.x + ui.px(26), bar.middle().y});
  bar.take_left(ui.px(48));
  ui.text_in(Type::title, bar.take_left(ui.width_of(Type::title, "Headlight")), t.text, "Headlight");
  bar.take_left(ui.px(14));
  ui.line({bar.x, bar.y + ui.px(14)}, {bar.x, bar.bottom() - ui.px(14)}, t.line_strong);
  bar.take_left(ui.px(14));
  const std::string title = model.title();
  if (model.document.layer_open) {
    const Rect back = bar.take_left(ui.px(32)).inset(0, (bar.h - ui.px(32)) / 2);
    draw_icon_command(ui, "top/close-layer", back, "close-layer", model, actions, Icon::chevron_left);
    bar.take_left(ui.px(6));
  }
  const float room = std::max(bar.w * 0.6F, bar.w - ui.px(76));  // beside which there is room for its state
  ui.text_in(Type::control, bar.take_left(std::min(ui.width_of(Type::control, title), room)), t.text, title);
  bar.take_left(ui.px(10));
  const char* state = "";
  if (model.saving > 0)
    state = "Saving…";
  else if (model.path.empty())
    state = model.changed() ? "Not saved" : "";
  else
    state = model.changed() || model.view_changed() ? "Edited" : "Saved";
  ui.text_in(Type::label, bar, t.text_faint, state);
  ui.log("top/state", bar, state);
}

// The screens that the bar leads to, in their order there.
struct Tab {
  Screen screen;
  const char* id;
  const char* label;
};
constexpr Tab tab_list[] = {{Screen::lessons, "learn", "Learn"},     {Screen::explore, "explore", "Explore"},
                            {Screen::compare, "compare", "Compare"}, {Screen::masks, "masks", "Masks"},
                            {Screen::figure, "figure", "Figure"},    {Screen::worksheet, "worksheet", "Worksheet"}};

// px of the design.
constexpr float tab_width = 72, tabs_width = tab_width * static_cast<float>(std::size(tab_list));

void draw_tabs(Ui& ui, Rect place, const Model& model, Actions& actions) {
  std::vector<Segment> list;
  int now = 0;
  for (const Tab& tab : tab_list) {
    const bool learns = tab.screen == Screen::lessons && model.screen == Screen::train;
    if (learns || tab.screen == model.screen) now = static_cast<int>(list.size());
    list.push_back({tab.id, tab.label, why_of_another_document(ShowScreen{tab.screen}, model)});
  }
  const int chosen = segments(ui, "top/view", place, list, now);
  if (chosen >= 0) actions.push_back(ShowScreen{tab_list[chosen].screen});
}

// To the figure, and from there and from the worksheet back; how far an export is, while one goes on. From where two
// results are compared the tabs lead back, where there are any.
void draw_top_button(Ui& ui, Rect& bar, const Model& model, bool tabs, Actions& actions) {
  const bool beside = belongs_to(Screen::explore, model.screen);  // another view of the result
  const bool wide = bar.w > ui.px(330), back = model.screen != Screen::explore && !(beside && tabs);
  const Rect place = bar.take_right(ui.px(wide ? 132 : 40)).inset(0, (bar.h - ui.px(32)) / 2);
  const ExportProgress& exporting = model.exporting;
  std::string words = back ? "Close" : "Export figure";
  if (exporting.shows()) words = fmt::format("{} of {}", exporting.done, exporting.total);
  const Icon icon = back && !exporting.shows() ? Icon::close : Icon::save_picture;
  const bool can = back || why_not(command_named("figure"), model).empty() || !model.shows_network();
  const ButtonLook look = back ? ButtonLook::secondary : ButtonLook::primary;
  const std::string hint = back ? words : hint_of("figure", model);
  if (wide ? button(ui, "top/picture", place, words, look, icon, can)
           : icon_button(ui, "top/picture", place, icon, hint, can))
    actions.push_back(ShowScreen{back ? Screen::explore : Screen::figure});
}

// With its name where there is room for it.
void draw_present_button(Ui& ui, Rect& bar, const Model& model, Actions& actions) {
  if (bar.w < ui.px(320)) return draw_icon_command(ui, "top/present", square_of(ui, bar), "present", model, actions);
  const Rect place = bar.take_right(ui.px(104)).inset(0, (bar.h - ui.px(32)) / 2);
  draw_command(ui, "top/present", place, "present", "Present", model, actions, ButtonLook::secondary, Icon::present);
  bar.take_right(ui.px(8));
}

// With an arrow beside it that shows what was done.
void draw_undo(Ui& ui, Rect& bar, const Model& model, PanelMemory& memory, Actions& actions) {
  const Rect arrow = bar.take_right(ui.px(16)).inset(0, (bar.h - ui.px(32)) / 2), place = square_of(ui, bar);
  memory.get<MenuMemory>().undo = {place.x, place.y, arrow.right() - place.x, place.h};
  draw_icon_command(ui, "top/undo", place, "undo", model, actions);
  draw_icon_command(ui, "top/history", arrow, "history", model, actions, Icon::chevron_down);
}

void draw_top_right(Ui& ui, Rect bar, const Model& model, bool tabs, PanelMemory& memory, Actions& actions) {
  bar.take_right(ui.px(12));
  draw_top_button(ui, bar, model, tabs, actions);
  bar.take_right(ui.px(10));
  draw_present_button(ui, bar, model, actions);
  // Where there is little room the palette stands for the table of keys, which it has.
  if (bar.w > ui.px(230)) draw_icon_command(ui, "top/keys", square_of(ui, bar), "keys", model, actions);
  const Icon theme = model.settings.theme == ThemeName::dark ? Icon::sun : Icon::moon;
  draw_icon_command(ui, "top/appearance", square_of(ui, bar), "appearance", model, actions, theme);
  draw_icon_command(ui, "top/palette", square_of(ui, bar), "palette", model, actions);
  draw_icon_command(ui, "top/open", square_of(ui, bar), "open", model, actions);
  draw_icon_command(ui, "top/redo", square_of(ui, bar), "redo", model, actions);
  draw_undo(ui, bar, model, memory, actions);
}

void draw_top(Ui& ui, Rect bar, const Model& model, PanelMemory& memory, Actions& actions) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, ui.theme().line);
  const float middle = ui.px(tabs_width), right = ui.px(bar.w > ui.px(1260) ? 488 : 416);
  const bool tabs = bar.w > ui.px(1090) && (model.trace() || model.shows_network());
  const bool centred = bar.w > middle + 2 * right + ui.px(24);
  float side = bar.w * 0.55F;
  if (tabs) side = centred ? (bar.w - middle) / 2 : bar.w - right - middle - ui.px(24);
  Rect rest = bar;
  draw_top_left(ui, rest.take_left(side - ui.px(12)), model, actions);
  if (tabs) {
    const Rect place{bar.x + side, bar.y + (bar.h - ui.px(32)) / 2, middle, ui.px(32)};
    draw_tabs(ui, place, model, actions);
    rest.take_left(middle + ui.px(24));
  }
  draw_top_right(ui, rest, model, tabs, memory, actions);
}

// "→ next step · Space play": the first two, where they have no line of their own.
std::string hints_in_words(const Model& model) {
  std::string words;
  auto hints = key_hints(model);
  hints.resize(std::min<std::size_t>(2, hints.size()));
  for (const KeyHint& hint : hints) {
    const std::string keys = fmt::format("{} {}", fmt::join(hint.chords, " "), hint.words);
    words += (words.empty() ? "" : " · ") + keys;
  }
  return words;
}

void draw_stepper(Ui& ui, Rect bar, const ScreenPlan& plan, const Model& model, Actions& actions) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.y}, {bar.right(), bar.y}, ui.theme().line);
  if (!model.trace()) return;
  StepperData data;
  for (const auto& stage : model.trace()->stages) data.titles.push_back(stage.title);
  data.current = std::max(0, model.stage());
  data.playing = model.playing;
  if (model.screen == Screen::explore && model.shows_layers())
    data.where = fmt::format("Layer {} of 0–{}", data.current, model.layers_of_result() - 1);
  if (plan.hints == 0) data.below = hints_in_words(model);
  if (const double rest = play_delay(model); model.playing && rest > least_rest)
    data.below = fmt::format("rests {:.0f} s, the time to read", rest);
  push_steps(stepper(ui, "stepper", bar, data), static_cast<int>(data.titles.size()) - 1, model, actions);
}

// Whether a cell is pinned by an action of this frame. (Moving a pinned one leaves the panels as they are.)
bool pins(const Actions& actions) {
  return std::ranges::any_of(actions, [](const Action& action) {
    const auto* select = action.as<Select>();
    return (select && select->pin) || action.as<PinSecond>();
  });
}

// The card that explains empty rows may be in a hidden tab or a closed drawer.
void draw_masks(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions) {
  const bool told = plan.tab ? plan.left > 0 && memory.get<InspectorMemory>().tab : plan.inspector > 0;
  if (!draw_mask_view(ui, rest, told, model, memory, actions)) return;
  ui.memory().scroll["masks/inspector"] = 0;
  show_story(plan, memory, actions);
  memory.get<InspectorMemory>().scroll_to_story = false;  // of the explore screen's inspector
  if (!plan.tab) actions.push_back(Fold{Side::inspector, false});
}

void draw_explore(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory,
                  Actions& actions) {
  const Ui::ExplainScope here(ui);
  const Rect bottom = rest.take_bottom(ui.px(plan.stepper));
  if (model.shows_network())
    draw_network_stepper(ui, bottom, model, actions);
  else if (plan.stepper > 0)
    draw_stepper(ui, bottom, plan, model, actions);
  const Rect middle = rest;
  cover_by_drawer(ui, middle, plan);
  draw_sides(ui, rest, plan, model, memory, actions);
  ui.fill(rest, ui.theme().canvas);
  const Rect view = rest;
  if (plan.strip > 0 && !model.shows_network() && !(model.screen == Screen::explore && model.shows_layers())) {
    const Rect strip = rest.take_top(ui.px(plan.strip));
    if (model.screen == Screen::masks)
      draw_mask_equation(ui, strip, model, memory);
    else
      draw_pipeline(ui, strip, model, memory, actions);
    ui.line({strip.x, strip.bottom() - 1}, {strip.right(), strip.bottom() - 1}, ui.theme().line);
  }
  if (plan.hints > 0) draw_hints(ui, rest.take_bottom(ui.px(plan.hints)), model);
  Actions of_view;
  if (model.shows_network())
    draw_network_view(ui, rest, model, memory, of_view);
  else if (model.screen == Screen::compare)
    draw_compare_view(ui, rest, model, memory, of_view);
  else if (model.screen == Screen::masks)
    draw_masks(ui, rest, plan, model, memory, of_view);
  else
    draw_view(ui, rest, model, memory, of_view);
  if (pins(of_view) && model.screen == Screen::explore) show_story(plan, memory, actions);
  actions.insert(actions.end(), of_view.begin(), of_view.end());
  draw_handles(ui, {view.x, rest.y, view.w, rest.h}, plan, actions);
  draw_drawer(ui, middle, plan, model, memory, actions);
  draw_pointed_card(ui, model, model.trace(), memory, TermCard::with_picture);
}

// The key that shows what changed shows it as long as it is held; a press that is let go at once leaves it there.
void release_change_key(Ui& ui, PanelMemory& memory, Actions& actions) {
  constexpr double held = 0.35;  // s, from which on it was more than a press
  for (const Action& action : actions)
    if (const auto* show = action.as<ShowChange>(); show && show->on && key_down(Key::d))
      memory.get<ChangeKey>().down_since = ui.now();
  if (memory.get<ChangeKey>().down_since < 0 || key_down(Key::d)) return;
  if (ui.now() - memory.get<ChangeKey>().down_since >= held) actions.push_back(ShowChange{false});
  memory.get<ChangeKey>().down_since = -1;
}

// Keys that fold a side away mean what stands there in a window of this size, and bring it back where it is away. Where
// the inspector is a tab, its key shows the tab first.
Action adapt_fold(const Action& action, const ScreenPlan& plan, const Model& model, PanelMemory& memory) {
  const auto* fold = action.as<Fold>();
  if (!fold) return action;
  const Side side = side_to_fold(plan, fold->side);
  Sides now = model.sides;
  const bool other_tab = plan.tab && memory.get<InspectorMemory>().tab != (fold->side == Side::inspector);
  if (plan.tab) memory.get<InspectorMemory>().tab = fold->side == Side::inspector;
  return Fold{side, now[side] && !other_tab};
}

// What plays rests as long as its words take to read: where the inspector is a tab, it comes forward for them.
void show_play_tab(const Actions& actions, const ScreenPlan& plan, PanelMemory& memory) {
  for (const Action& action : actions)
    if (const auto* play = action.as<Play>(); play && play->on && plan.tab && plan.has_inspector)
      memory.get<InspectorMemory>().tab = true;
}

}  // namespace

Actions draw_screen(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Rect notes) {
  Actions actions;
  memory.background.poll();
  if (memory.background.busy()) ui.redraw_at(ui.now() + 0.03);
  memory.hover.reset();
  ui.memory().reduce_motion = model.settings.reduce_motion;
  if (shows_presenter(model)) {
    draw_presenter(ui, window, model, memory, actions);
    if (shows_notes(model) && notes.w > 0) draw_present_notes(ui, notes, model, memory);
    if (model.hover) actions.push_back(SetHover{});
    for (auto& action : pressed_actions(model)) actions.push_back(action);
    return actions;
  }
  Rect rest = window;
  update_palette_focus(ui.memory(), memory, model);
  const bool covered = model.dialog != Dialog::none;
  if (covered) ui.cover(window);
  if (shows_lesson(model)) {
    draw_lesson(ui, window, model, memory, actions);
    if (shows_notes(model) && notes.w > 0) draw_lesson_notes(ui, notes, model);
    draw_dialog(ui, window, model, memory, actions);
    if (model.hover) actions.push_back(SetHover{});
    for (auto& action : pressed_actions(model)) actions.push_back(action);
    return actions;
  }
  const auto plan_for = model.screen == Screen::compare ? plan_comparison : plan_screen;
  const ScreenPlan plan = without_hidden(plan_for(window.w / ui.scale(), window.h / ui.scale(), model.sides), model);
  draw_top(ui, rest.take_top(ui.px(plan.top)), model, memory, actions);
  if (model.screen == Screen::figure && model.figure_source().trace)
    draw_figure_screen(ui, rest, model, memory, actions);
  else if (model.screen == Screen::worksheet && model.trace())
    draw_worksheet_screen(ui, rest, model, memory, actions);
  else if (model.screen == Screen::lessons)
    draw_lessons(ui, rest, model, memory, actions);
  else if (model.screen == Screen::train)
    draw_train(ui, rest, plan, model, memory, actions);
  else
    draw_explore(ui, rest, plan, model, memory, actions);
  Actions of_dialog;
  draw_dialog(ui, window, model, memory, of_dialog);
  for (const auto& action : of_dialog) actions.push_back(adapt_fold(action, plan, model, memory));
  if (memory.hover != model.hover) actions.push_back(SetHover{memory.hover});
  for (auto& action : pressed_actions(model)) actions.push_back(adapt_fold(action, plan, model, memory));
  release_change_key(ui, memory, actions);
  show_play_tab(actions, plan, memory);
  return actions;
}

}  // namespace headlight::app
