#include "app/panels/common/form.h"
#include "app/panels/present/parts.h"
#include "app/platform/input.h"

namespace headlight::app {

namespace {

// What is kept between frames: the question that is asked and the map that is shown, put together once.
struct PresentMemory {
  struct Of {
    const Trace* trace = nullptr;  // that `scene` keeps
    Index batch = 0, head = 0;
    std::optional<Index> query;
    std::string about;               // what is asked
    const Trace* changed = nullptr;  // that it is asked of
    bool revealed = false;
    bool operator==(const Of&) const = default;
  };
  std::optional<Of> of;
  std::shared_ptr<const Model> scene;  // the slide's run and look as the panels of the window take them
  Question question;
};

constexpr float design_height = 1080;

ThemeId theme_of(ThemeName name) {
  if (name == ThemeName::dark) return ThemeId::dark;
  return name == ThemeName::high_contrast ? ThemeId::high_contrast : ThemeId::light;
}

// Puts the question and the scene together where the slide, its run or who asks is another.
void prepare(PresentMemory& kept, const Model& model) {
  const Outcome& run = presented(model);
  const Look look = look_of_slide(model);
  const PresentMemory::Of of{run.trace.get(),
                             look.batch,
                             look.head,
                             look.selection.query,
                             slide_question_id(model),
                             model.present.changed.outcome.trace.get(),
                             slide_of(model).revealed};
  if (kept.of == of) return;
  auto scene = scene_of_slide(model);
  const Step* map = run.trace ? run.trace->map() : nullptr;
  // Places on a picture are shown there, all others as queries by keys.
  if (map && slice_of(*map, focus_of(look)).positions != Role::key) scene->document.look.mode = ViewMode::matrix;
  kept.question = question_of_slide(model);
  // Once it is known what a change does, its map is shown.
  const bool changed = kept.question.about == AskAbout::change && !kept.question.choices.empty() && of.revealed;
  if (changed) scene->shown = model.present.changed.outcome;
  kept.scene = std::move(scene);
  kept.of = of;
}

// What is said in place of the map, and the formula of what the run opens on.
void draw_without_map(Ui& ui, Rect box, const Model& model, const std::string& why) {
  box = box.inset(std::max(0.0F, (box.w - ui.px(1200)) / 2), ui.px(90));
  take_paragraph(ui, box, ui.theme().text, why, Type::presenter_text, 50);
  ui.log("present/why-none", box, why);
  const Outcome& run = presented(model);
  const Step* step = run.trace ? run.trace->default_step() : nullptr;
  if (step) draw_present_formula(ui, {box.x, box.y, box.w, ui.px(260)}, *run.trace, *step);
}

// The map beside the question, or above it where the window is narrow.
void draw_both(Ui& ui, Rect box, const SlideView& what, PanelMemory& memory, Actions& actions) {
  const bool beside = box.w > 1.15F * box.h;
  Rect left = box, right;
  if (beside) {
    right = left.take_right(box.w * 0.475F);
    left.take_right(ui.px(60));
  } else {
    right = left.take_bottom(box.h * 0.56F);
    left.take_bottom(ui.px(24));
  }
  if (is_on_picture(what))
    draw_present_picture(ui, left, what, memory);
  else
    draw_present_map(ui, left, what, memory, actions);
  draw_present_question(ui, right, what, actions);
}

// Keys that go on or leave. Where the picture is not in sight, they only bring it back.
bool take_any_key() {
  bool taken = false;
  for (const Key key : {Key::escape, Key::page_down, Key::page_up, Key::right, Key::left, Key::space, Key::enter})
    taken = take_key(key) || taken;
  return taken;
}

}  // namespace

std::string why_no_map(const Model& model) {
  const Outcome& run = presented(model);
  if (!run.error.empty()) return run.error;
  if (!run.trace) return slide_of(model).open && !model.error.empty() ? model.error : "Running…";
  if (!run.trace->map()) return "This mechanism has no map: no weight lies between a query and a key.";
  return {};
}

std::optional<SlideView> slide_view(const Model& model, PanelMemory& memory) {
  PresentMemory& kept = memory.get<PresentMemory>();
  prepare(kept, model);
  if (!why_no_map(model).empty()) return std::nullopt;
  return SlideView{model.present, slide_of(model), *kept.scene, *kept.scene->trace()->map(), kept.question};
}

float scale_shown(const Model& model, float height, float usual) {
  constexpr float lesson_scale = 2;  // of a lesson before a class
  if (presents_lesson(model)) return std::clamp(lesson_scale * height / design_height, 0.6F, 4.0F);
  return shows_presenter(model) ? std::clamp(height / design_height, 0.3F, 4.0F) : usual;
}

bool shows_notes(const Model& model) {
  return (shows_presenter(model) || presents_lesson(model)) && model.settings.notes;
}

ThemeId theme_shown(const Model& model) {
  return theme_of(shows_presenter(model) ? model.present.theme : model.settings.theme);
}

void draw_presenter(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  const Presenter& present = model.present;
  if (present.blank) {
    ui.fill(window, hex(0x000000));
    if (ui.hit("present/blank", window, false).clicked || take_any_key()) actions.push_back(Blank{false});
    return;
  }
  const std::optional<SlideView> what = slide_view(model, memory);
  ui.fill(window, ui.theme().canvas);
  const Rect all = window;
  if (present.keys) ui.cover(all);
  if (present.keys && take_any_key()) actions.push_back(ShowPresentKeys{false});
  const SlideView* shown = what ? &*what : nullptr;
  draw_present_top(ui, window.take_top(ui.px(84)), model, shown, actions);
  draw_present_bottom(ui, window.take_bottom(ui.px(84)), model, shown, actions);
  Rect middle = window.inset(ui.px(56), 0);
  middle.take_top(ui.px(36));
  middle.take_bottom(ui.px(22));
  if (shown)
    draw_both(ui, middle, *shown, memory, actions);
  else
    draw_without_map(ui, middle, model, why_no_map(model));
  if (present.frozen) std::erase_if(actions, [](const Action& action) { return !action.as<ShowPresentKeys>(); });
  if (present.keys) ui.draw_above([&] { draw_present_keys(ui, all, actions); });
}

}  // namespace headlight::app
