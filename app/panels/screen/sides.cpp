// Where the parts of the window stand, the view in the middle, and what stands beside it.
#include <cmath>
#include <utility>

#include "app/panels/common/notices.h"
#include "app/panels/compare/parts.h"
#include "app/panels/dialogs/parts.h"
#include "app/panels/heads/parts.h"
#include "app/panels/inspector/parts.h"
#include "app/panels/layers/parts.h"
#include "app/panels/lesson/parts.h"
#include "app/panels/masks/parts.h"
#include "app/panels/mechanism/parts.h"
#include "app/panels/screen/parts.h"
#include "app/panels/setup/parts.h"
#include "app/panels/train/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/pixel_partners.h"

namespace headlight::app {

ScreenPlan plan_screen(float width, float height, const Sides& sides) {
  ScreenPlan plan;
  plan.tab = width < 1440;
  plan.in_drawer = width < 840;
  plan.left = width < 1000 ? 280 : 304;
  if (plan.in_drawer) plan.left = std::min(plan.left, width - 40);
  if (!(plan.in_drawer ? sides.drawer : sides.setup)) plan.left = 0;
  if (plan.tab || !sides.inspector) plan.inspector = 0;
  plan.strip = height >= 420 ? 34.0F : 0.0F;
  if (height >= 620) plan.strip = height >= 860 ? 128.0F : 98.0F;
  plan.hints = height >= 800 ? 36.0F : 0.0F;
  plan.stepper = height >= 620 ? 56.0F : 40.0F;
  plan.top = height >= 420 ? 48.0F : 40.0F;
  return plan;
}

ScreenPlan plan_comparison(float width, float height, const Sides& sides) {
  ScreenPlan plan = plan_screen(width, height, sides);
  plan.strip = plan.inspector = 0;
  plan.tab = true;
  return plan;
}

ScreenPlan without_hidden(ScreenPlan plan, const Model& model) {
  const Look& look = model.document.look;
  if (look.hides("stepper") && model.screen != Screen::train) plan.stepper = plan.hints = 0;
  if (model.screen != Screen::explore) return plan;  // elsewhere other things stand there
  if (look.hides("strip")) plan.strip = 0;
  plan.has_setup = !look.hides("setup");
  plan.has_inspector = !look.hides("inspector");
  if (!plan.has_inspector) plan.inspector = 0;
  if (!plan.has_left()) plan.left = 0;
  return plan;
}

Side side_to_fold(const ScreenPlan& plan, Side asked) {
  if (plan.in_drawer) return Side::drawer;
  return plan.tab ? Side::setup : asked;
}

namespace {

// Whether nothing is written where a sentence should stand: a map of the start token alone would tell nothing.
bool is_blank(const Model& model) {
  if (!model.error.empty()) return false;  // the last map stays beside an error
  const InputSpec* input = model.input(model.primary_input());
  const auto* text = input ? std::get_if<TextInput>(input) : nullptr;
  return text && text->text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What the input is has no result yet: what could be done about it.
void draw_empty(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Point middle = box.middle();
  const InputSpec* input = model.input(model.primary_input());
  const Rect words{box.x, middle.y - ui.px(50), box.w, ui.px(24)};
  const char* why = !input || is_blank(model) ? "Type a sentence at the left, or open an example"
                                              : "There is no result of this input yet";
  if (model.cancelled) why = "There is no result yet: the card above runs it again";
  if (!model.error.empty()) why = "There is no result: the card above says why";
  ui.text_in(Type::title, words, ui.theme().text, why, Ui::Align::center);
  draw_start_buttons(ui, middle, actions);
  draw_recent_files(ui, {box.x, middle.y + ui.px(56), box.w, box.bottom() - middle.y - ui.px(56)}, model, actions);
}

// Pairs whose keys lie on a grid, in the map view: they are drawn where they stand.
bool shows_picture(const Model& model) {
  const Step& step = *model.step();
  const Focus focus = focus_of(model.document.look);
  return (slice_of(step, focus).positions == Role::key && step.axis(AxisRole::query)) ||
         (!focus.flat && has_places_of_windows(step));
}

constexpr float handle_width = 14, handle_height = 52;

Rect handle_rect(const Ui& ui, Rect rest, float edge, bool at_right) {
  const float w = ui.px(handle_width), h = std::min(ui.px(handle_height), rest.h);
  return {at_right ? edge - w : edge, std::round(rest.middle().y - h / 2), w, h};
}

// A tab on the panel's edge that folds it away, or brings it back from the window's edge.
void draw_handle(Ui& ui, Rect place, Side side, bool shown, bool at_right, Actions& actions) {
  const Theme& t = ui.theme();
  const char* name = side == Side::setup ? "setup" : "drawer";
  if (side == Side::inspector) name = "inspector";
  const std::string path = fmt::format("sides/{}", name);
  const auto hit = ui.hit(path, place, true, shown ? "shown" : "folded");
  ui.fill(place, hit.hovered ? t.sunken : t.panel, ui.px(5));
  ui.frame(place, t.line_strong, ui.px(5));
  draw_icon(ui, shown != at_right ? Icon::chevron_left : Icon::chevron_right, place.middle(), t.text_muted);
  if (hit.focused) ui.focus_ring(place.inset(ui.px(3)), ui.px(4));
  ui.tooltip(
      path, place,
      fmt::format("{} {} ({})", shown ? "Fold away" : "Show", side == Side::inspector ? "the inspector" : "the panel",
                  chord_of(side == Side::inspector ? "inspector" : "left-panel")));
  if (hit.clicked) actions.push_back(Fold{side, shown});
}

// The inspector in a box that scrolls; where a cell was just clicked, from its story on, and where the step changed,
// from its words on.
void draw_inspector_in(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (model.screen == Screen::train)
    return scroll_area(ui, "train/inspector", box,
                       [&](Rect area) { return draw_train_cell(ui, area, model, actions); });
  if (model.shows_network() || (model.screen == Screen::explore && layers_shown(model)))
    return scroll_area(ui, "layers/inspector", box,
                       [&](Rect area) { return draw_network_head(ui, area, model, actions); });
  if (model.screen == Screen::masks)
    return scroll_area(ui, "masks/inspector", box,
                       [&](Rect area) { return draw_mask_cell(ui, area, model, memory, actions); });
  InspectorMemory& own = memory.get<InspectorMemory>();
  if (const std::string step = model.step() ? model.step()->info.id : ""; std::exchange(own.of_step, step) != step)
    ui.memory().scroll["inspector"] = 0;  // another step has words of its own
  scroll_area(ui, "inspector", box, [&](Rect area) {
    const float before = own.story_at;
    const float height = draw_inspector(ui, area, model, memory, actions);
    float& scroll = ui.memory().scroll["inspector"];
    if (!model.document.look.pinned) return height;
    if (!own.scroll_to_story) {
      // What is read stays in its place when another head has more or less to say above it.
      const float moved = std::clamp(scroll + own.story_at - before, 0.0F, std::max(0.0F, height - box.h));
      if (scroll == 0 || own.story_at == before || moved == scroll) return height;
      scroll = moved;
      ui.redraw_at(ui.now());
      return height;
    }
    own.scroll_to_story = false;
    scroll = std::clamp(own.story_at - ui.px(8), 0.0F, std::max(0.0F, height - box.h));
    ui.redraw_at(ui.now());
    return height;
  });
}

// Whether no lesson was ever begun, and there are some.
bool first_lesson_waits(const Model& model) {
  return model.screen == Screen::explore && model.learner.progress.empty() && !model.examples.empty();
}

void draw_way_in(Ui& ui, Rect foot, const Model& model, Actions& actions) {
  ui.line({foot.x, foot.y}, {foot.right(), foot.y}, ui.theme().line);
  foot = foot.inset(ui.px(16), ui.px(16));
  const Rect place = foot.take_right(ui.px(128));
  ui.text_in(Type::label, foot, ui.theme().text_muted, "New here?");
  if (button(ui, "left/first-lesson", place, "Start the lesson")) actions.push_back(OpenLesson{first_lesson(model)});
}

void draw_left(Ui& ui, Rect box, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions) {
  ui.fill(box, ui.theme().panel);
  ui.line({box.right() - 1, box.y}, {box.right() - 1, box.bottom()}, ui.theme().line);
  box.w -= 1;
  if (model.screen == Screen::compare)
    return scroll_area(ui, "compare/side", box,
                       [&](Rect area) { return draw_compare_side(ui, area, model, memory, actions); });
  const bool choice = plan.tab && plan.has_setup && plan.has_inspector;
  if (choice) {
    Rect top = box.take_top(ui.px(48)).inset(ui.px(16), ui.px(8));
    const char* first = model.shows_network() ? "Model" : "Setup";
    const char* second = model.shows_network() ? "Head" : "Inspector";
    if (model.screen == Screen::masks) first = "Layers";
    if (model.screen == Screen::train) {
      first = "Task";
      second = "Weight";
    }
    const int chosen = segments(ui, "left/tab", top, {{"setup", first, ""}, {"inspector", second, ""}},
                                memory.get<InspectorMemory>().tab ? 1 : 0);
    if (chosen >= 0) memory.get<InspectorMemory>().tab = chosen == 1;
    ui.line({box.x, box.y}, {box.right(), box.y}, ui.theme().line);
  }
  if (choice ? memory.get<InspectorMemory>().tab : !plan.has_setup)
    return draw_inspector_in(ui, box, model, memory, actions);
  if (model.screen == Screen::train) {
    draw_learn_switch(ui, box.take_top(ui.px(56)).inset(ui.px(16), ui.px(12)), model, actions);
    return scroll_area(ui, "train/side", box,
                       [&](Rect area) { return draw_train_side(ui, area, model, memory, actions); });
  }
  if (model.shows_network())
    return scroll_area(ui, "layers/side", box,
                       [&](Rect area) { return draw_network_side(ui, area, model, memory, actions); });
  if (model.screen == Screen::masks)
    return scroll_area(ui, "masks/side", box,
                       [&](Rect area) { return draw_mask_layers(ui, area, model, memory, actions); });
  if (first_lesson_waits(model) && box.h > ui.px(640)) draw_way_in(ui, box.take_bottom(ui.px(64)), model, actions);
  scroll_area(ui, "settings", box, [&](Rect area) { return draw_settings(ui, area, model, memory, actions); });
}

// The drawer and its handle, which lies beside it.
Rect drawer_rect(const Ui& ui, Rect rest, const ScreenPlan& plan) {
  return {rest.x, rest.y, ui.px(plan.left), rest.h};
}

}  // namespace

void draw_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = draw_view_notices(ui, box, model, actions);
  if (!model.step() || is_blank(model)) {
    if (!model.busy || model.step()) draw_empty(ui, inside, model, actions);
    return draw_busy(ui, box, model);
  }
  switch (shows_change(model) ? ViewMode::matrix : model.document.look.mode) {
    case ViewMode::map:
    case ViewMode::matrix:
      if (shows_picture(model) && !shows_change(model))
        draw_picture_view(ui, inside, model, memory, actions);
      else
        draw_heatmap_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::lines:
      draw_lines(ui, inside, model, memory, actions);
      break;
    case ViewMode::arrows:
      draw_arrows_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::numbers:
      draw_numbers(ui, inside, model, memory, actions);
      break;
    case ViewMode::mechanism:
      draw_view_header(ui, inside.take_top(ui.px(inside.h > ui.px(400) ? 48 : 42)), model, "", "", actions, true);
      inside.take_top(ui.px(4));
      draw_mechanism_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::layers:
      if (model.shows_layers())
        draw_layers_view(ui, inside, model, memory, actions);
      else
        draw_heatmap_view(ui, inside, model, memory, actions);
      break;
    case ViewMode::heads:
      draw_heads_report(ui, inside, model, memory, actions);
      break;
  }
  draw_busy(ui, box, model);
}

void draw_sides(Ui& ui, Rect& rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions) {
  if (plan.left > 0 && !plan.in_drawer) draw_left(ui, rest.take_left(ui.px(plan.left)), plan, model, memory, actions);
  if (plan.inspector <= 0) return;
  const Rect right = rest.take_right(ui.px(plan.inspector));
  ui.fill(right, ui.theme().panel);
  ui.line({right.x, right.y}, {right.x, right.bottom()}, ui.theme().line);
  draw_inspector_in(ui, right, model, memory, actions);
}

void draw_handles(Ui& ui, Rect rest, const ScreenPlan& plan, Actions& actions) {
  if (!plan.in_drawer && plan.has_left())
    draw_handle(ui, handle_rect(ui, rest, rest.x, false), Side::setup, plan.left > 0, false, actions);
  if (!plan.tab && plan.has_inspector)
    draw_handle(ui, handle_rect(ui, rest, rest.right(), true), Side::inspector, plan.inspector > 0, true, actions);
}

void cover_by_drawer(Ui& ui, Rect rest, const ScreenPlan& plan) {
  if (plan.in_drawer && plan.left > 0) ui.cover(drawer_rect(ui, rest, plan));
}

void draw_drawer(Ui& ui, Rect rest, const ScreenPlan& plan, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!plan.in_drawer || !plan.has_left()) return;
  const Rect drawer = drawer_rect(ui, rest, plan);
  const auto draw = [&] {
    if (plan.left > 0) draw_left(ui, drawer, plan, model, memory, actions);
    draw_handle(ui, handle_rect(ui, rest, drawer.right(), false), Side::drawer, plan.left > 0, false, actions);
  };
  if (plan.left > 0 && model.dialog == Dialog::none)
    ui.draw_above(draw);
  else
    draw();
}

void show_story(const ScreenPlan& plan, PanelMemory& memory, Actions& actions) {
  if (!plan.has_inspector) return;
  InspectorMemory& own = memory.get<InspectorMemory>();
  own.scroll_to_story = own.tab = true;
  if (plan.in_drawer)
    actions.push_back(Fold{Side::drawer, false});
  else if (plan.tab)
    actions.push_back(Fold{Side::setup, false});
}

}  // namespace headlight::app
