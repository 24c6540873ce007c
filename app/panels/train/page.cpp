// The page as a whole: header, maps beside the example, curves, and the bar below everything.
#include <imgui.h>

#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/notices.h"
#include "app/panels/train/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// px of the design
constexpr float curve_left = 68, curve_right = 36, example_width = 280, narrow = 760, low_window = 560;

// The rate that the task is offered with.
double usual_rate(const Model& model) {
  return default_plan(*training_asked(model).task).options.values.real(rate_option);
}

// What went wrong, with the way on.
void draw_trouble(Ui& ui, Rect& box, const Model& model, Actions& actions) {
  const TrainingShown& shown = model.training;
  if (!shown.error.empty()) {
    const bool undo = why_not(command_named("undo"), model).empty();
    const bool rests = shown.film && can_continue(*shown.film->plan, training_asked(model));
    const char* shows = rests ? "It rests as it is shown." : "What is shown is the training before.";
    if (draw_warning(ui, box, "train/error", fmt::format("{}. {}", shown.error, shows), undo ? "Undo" : "Try again"))
      actions.push_back(undo ? Action(Undo{}) : Action(TrainAgain{}));
  }
  if (!shown.film || !shown.film->broken) return;
  const learn::NonFiniteAt& broken = *shown.film->broken;
  const double rate = training_asked(model).options.values.real(rate_option), usual = usual_rate(model),
               less = rate > 10 * usual ? usual : rate / 10;
  const std::string text = fmt::format(
      "The loss of step {} is no number: {} is the first array that has one. Steps that are too long do that: the "
      "learning rate is {}.",
      broken.step, broken.array.empty() ? "the loss" : broken.array, short_number(rate));
  if (draw_warning(ui, box, "train/broken", text, fmt::format("Begin again at {}", short_number(less))))
    actions.insert(actions.end(), {SetTraining{std::string(rate_option), less}, TrainAgain{}});
}

void draw_header(Ui& ui, Rect line, const FilmView& now, Actions& actions) {
  const Theme& t = ui.theme();
  const Rect choice = line.take_right(ui.px(184)).inset(0, (line.h - ui.px(30)) / 2);
  line.take_right(ui.px(16));
  if (const int chosen =
          segments(ui, "train/numbers", choice, {{"weight", "Weights", {}}, {"gradient", "Gradient", {}}},
                   now.shown.gradient ? 1 : 0);
      chosen >= 0)
    actions.push_back(ShowTrainGradient{chosen == 1});
  const auto& maps = now.frame.maps;
  std::string title = now.task.info().title;
  if (now.example.maps.size() > 1 && !now.example.maps.back().by_answers)
    title += fmt::format(" · {} layers × {} heads", maps.size(), maps.front()->dim(0));
  else if (maps.size() == 1)
    title += maps.front()->dim(0) == 1 ? " · 1 head" : fmt::format(" · {} heads", maps.front()->dim(0));
  else
    title += fmt::format(" · {} maps", maps.size());
  words_at_left(ui, Type::title, line, t.text, title, 12);
  const std::string step = fmt::format("step {}", now.frame.step);
  const std::string note =
      fmt::format("a held-out example, {}{}", now.shown.gradient ? "slopes at " : "weights at ", step);
  const bool fits = ui.width_of(Type::label, note) <= line.w;
  ui.log("train/shown", line, fits ? note : step);
  ui.text_in(Type::label, line, t.text_muted, fits ? note : step);
}

std::string pace_in_words(double pace) {
  return pace > 0 ? fmt::format("{:g} steps/s", pace) : std::string("fastest");
}

void draw_pace(Ui& ui, Rect box, const TrainingShown& shown, Actions& actions) {
  const auto is_now = [&](double pace) { return pace == shown.pace; };
  const int chosen = drop_down_of(ui, "train/pace", box, paces, pace_in_words, is_now, -1, pace_in_words(shown.pace));
  if (chosen >= 0) actions.push_back(SetPace{paces[chosen]});
}

// Begin again, back, play, one step, pace.
void draw_transport(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const TrainingShown& shown = model.training;
  const float y = box.middle().y, side = ui.px(32);
  float x = box.x + ui.px(12);
  const auto place = [&](float width, float height) {
    const Rect at{x, y - height / 2, width, height};
    x += width + ui.px(6);
    return at;
  };
  draw_icon_command(ui, "train/again", place(side, side), "train-again", model, actions, Icon::undo);
  draw_icon_command(ui, "train/back", place(side, side), "train-back", model, actions, Icon::back);
  draw_icon_command(ui, "train/play", place(ui.px(44), std::min(ui.px(36), box.h - ui.px(6))),
                    shown.playing ? "train-pause" : "train", model, actions, shown.playing ? Icon::pause : Icon::play,
                    ButtonLook::primary);
  draw_icon_command(ui, "train/next", place(side, side), "train-next", model, actions, Icon::next);
  if (box.right() - x > ui.px(90))
    draw_pace(ui, {x, y - side / 2, std::min(ui.px(110), box.right() - x), side}, shown, actions);
}

// Until it clicks, Follow, and how far it is; as much of that as there is room for.
void draw_progress(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const TrainingShown& shown = model.training;
  box.take_right(ui.px(18));
  if (shown.film) {
    const std::string where = fmt::format("Step {} of {}", shown.at, shown.film->plan->steps);
    const char* what = shown.playing ? "running at" : "taken:";
    std::string below = fmt::format("{} {}", what, shown.film->step);
    if (shown.film->is_at_end()) below = "at its end";
    if (shown.film->broken) below = fmt::format("broken at {}", shown.film->broken->step);
    const float width = std::max(ui.width_of(Type::heading, where), ui.width_of(Type::note, below));
    Rect words = box.take_right(std::ceil(width)).inset(0, (box.h - ui.px(34)) / 2);
    ui.text_in(Type::heading, words.take_top(ui.px(18)), t.text, where, Ui::Align::right);
    ui.text_in(Type::note, words, t.text_muted, below, Ui::Align::right);
    ui.log("train/where", words, where + ", " + below);
    box.take_right(ui.px(14));
  }
  const auto button_at_right = [&](const char* path, std::string_view id, const std::string& label) {
    const float width = ui.width_of(Type::control, label) + ui.px(28);
    if (box.w < width) return;
    const Rect place = box.take_right(width).inset(0, (box.h - ui.px(32)) / 2);
    draw_command(ui, path, place, id, label, model, actions, ButtonLook::secondary);
    box.take_right(ui.px(6));
  };
  button_at_right("train/follow", "train-follow", "Follow");
  button_at_right("train/until", "train-until-learned", "Until it clicks");
}

// Ink to the newest step, an amber dot on what is shown; a press or a drag looks elsewhere.
void draw_scrubber(Ui& ui, Rect box, const StepAxis& axis, const FilmView& now, Actions& actions) {
  const Theme& t = ui.theme();
  const bool numbered = box.h >= ui.px(50);
  const float y = std::round(numbered ? box.y + ui.px(20) : box.middle().y), left = axis.left,
              end = axis.left + axis.width;
  const auto hit = ui.hit("train/scrubber", {left - ui.px(8), box.y, axis.width + ui.px(16), box.h}, true,
                          fmt::format("{}", now.shown.at));
  const float newest = std::round(axis.x(now.film.step)), at = std::round(axis.x(now.shown.at));
  ui.line({left, y}, {end, y}, t.line_strong, ui.px(2));
  ui.line({left, y}, {newest, y}, t.ink, ui.px(3));
  if (numbered) draw_step_ticks(ui, axis, y + ui.px(8));
  ui.line({at, box.y}, {at, y}, t.ink, ui.px(1.5F));  // from the curves above
  const auto dot = [&](float x, float radius, Color32 fill) {
    ui.list().AddCircleFilled({x, y}, radius, fill, 32);
    ui.list().AddCircle({x, y}, radius, t.ink, 32, std::max(1.0F, ui.px(1.5F)));
  };
  dot(newest, ui.px(5), t.canvas);
  dot(at, ui.px(8), t.brand);
  if (hit.focused) ui.focus_ring({at - ui.px(8), y - ui.px(8), ui.px(16), ui.px(16)}, ui.px(8));
  if (!hit.held || !ui.mouse_down()) return;
  const Index wanted = std::min(axis.step(ui.mouse().x), now.film.step);
  if (wanted != now.shown.at) actions.push_back(LookAtTrainStep{wanted});
}

// The scrubber stands under the curves, between what stands at both ends of the bar.
StepAxis axis_between(const Ui& ui, Rect view, Rect bar, const Model& model) {
  const float progress = ui.px(bar.w > ui.px(1000) ? 340 : 130);
  const float left = std::max(view.x + ui.px(curve_left), bar.x + ui.px(206)),
              right = std::min(view.right() - ui.px(curve_right), bar.right() - progress);
  const Index last = model.training.film ? model.training.film->plan->steps : training_asked(model).steps;
  return {left, std::max(ui.px(60), right - left), last};
}

void draw_bar(Ui& ui, Rect bar, Rect view, const StepAxis& axis, const Model& model, Actions& actions) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.y}, {bar.right(), bar.y}, ui.theme().line);
  const float left = std::max(view.x, axis.left - ui.px(20)), right = axis.left + axis.width + ui.px(16);
  draw_transport(ui, {bar.x, bar.y, left - bar.x, bar.h}, model, actions);
  draw_progress(ui, {right, bar.y, bar.right() - right, bar.h}, model, actions);
  if (const auto now = film_view(model)) draw_scrubber(ui, bar, axis, *now, actions);
}

}  // namespace

std::optional<FilmView> film_view(const Model& model) {
  const TrainingShown& shown = model.training;
  if (!shown.film || !shown.frame) return std::nullopt;
  return FilmView{shown, *shown.film, *shown.film->example, *shown.frame, *shown.film->plan->task};
}

void draw_train_view(Ui& ui, Rect box, Rect bar, const Model& model, PanelMemory& memory, Actions& actions) {
  const Rect view = box;
  const float height = box.h / ui.scale();
  const StepAxis axis = axis_between(ui, view, bar, model);
  Rect inside = draw_view_notices(ui, box, model, actions);
  draw_trouble(ui, inside, model, actions);
  if (const auto now = film_view(model)) {
    const float curves = height < low_window ? std::max(96.0F, height * 0.3F) : std::min(232.0F, height * 0.27F);
    Rect below = inside.take_bottom(ui.px(curves));
    below = {box.x, below.y, box.w, box.bottom() - below.y};
    draw_header(ui, inside.take_top(ui.px(height < low_window ? 36 : 48)), *now, actions);
    if (box.w > ui.px(narrow) && height >= low_window) {
      draw_train_example(ui, inside.take_right(ui.px(example_width)), *now);
      inside.take_right(ui.px(24));
    }
    draw_train_maps(ui, inside, *now, memory, actions);
    draw_train_curves(ui, below, axis, *now, model, actions);
  } else if (model.training.error.empty()) {
    ui.text_in(Type::label, inside, ui.theme().text_muted, "Weights are being drawn …", Ui::Align::center);
  }
  draw_bar(ui, bar, view, axis, model, actions);
}

}  // namespace headlight::app
