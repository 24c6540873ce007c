// Heads of the network: what is done to the pinned one, and which of them matter.
#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// A head's name and whether it is on. Returns what is left over between.
Rect draw_head(Form& form, const FilmView& now, learn::TrainedHead head, Actions& actions) {
  Ui& ui = form.ui;
  const bool off = learn::heads_off_at(now.film.plan->changes, now.film.step).contains(head);
  Rect line = form.line(34);
  const Rect switched = line.take_right(ui.px(44)).inset(0, ui.px(5));
  line.take_right(ui.px(10));
  if (const auto on = toggle(ui, "train/without/" + learn::name_of(head), switched, !off))
    actions.push_back(SwitchTrainHead{head.map, head.head, *on});
  ui.text_in(Type::label, line.take_left(ui.px(124)), off ? ui.theme().text_faint : ui.theme().text,
             name_of_head(now.film, head));
  return line;
}

double figure_without(const FilmView& now, const learn::WithoutHead& without) {
  return without.figures.find(now.task.info().learned)->second;
}

// What the task counts without it, as a number and a bar; `whole`: of a bar that is full.
void draw_without(Ui& ui, Rect line, const FilmView& now, const learn::WithoutHead& without, double whole) {
  const Theme& t = ui.theme();
  const double value = figure_without(now, without);
  const std::string number = with_minus_signs(fmt::format("{:.3f}", value));
  ui.log("train/without/" + learn::name_of(without.head) + "/value", line, number);
  words_at_right(ui, Type::number_note, line, t.text, number, 10);
  const Rect bar = line.inset(0, (line.h - ui.px(8)) / 2);
  ui.fill(bar, t.sunken);
  ui.fill({bar.x, bar.y, bar.w * static_cast<float>(std::clamp(value / whole, 0.0, 1.0)), bar.h}, t.text);
}

}  // namespace

void draw_head_commands(Form& form, const FilmView& now, const TrainCell& cell, const Model& model, Actions& actions) {
  const learn::TrainedHead head{cell.map, cell.head};
  if (!now.film.heads.contains(head)) return;
  Ui& ui = form.ui;
  const bool off = learn::heads_off_at(now.film.plan->changes, now.film.step).contains(head);
  Rect line = form.line(32, 4);
  const float w = (line.w - ui.px(8)) / 2;
  draw_command(ui, "train/head-off", line.take_left(w), "train-head-off", off ? "Switch head on" : "Switch head off",
               model, actions);
  line.take_left(ui.px(8));
  draw_command(ui, "train/redraw", line, "train-redraw-head", "Draw head anew", model, actions);
}

void draw_train_heads(Form& form, const FilmView& now, const Model& model, Actions& actions) {
  if (now.film.heads.size() < 2) return;
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const auto& measured = now.shown.heads;
  Rect heading = form.line(28);
  ui.text_in(Type::title, heading, t.text, "Which heads matter");
  if (!measured) {
    form.words(t.text_muted, "Each is left out once: what it comes to then says what the head is worth.", Type::label,
               8);
    draw_command(ui, "train/heads", form.line(32, 4), "train-heads", "Measure without each head", model, actions);
    return;
  }
  const auto& figures = now.task.figures();
  const auto counted = std::ranges::find(figures, now.task.info().learned, &learn::FigureWords::id);
  const learn::HeadImportance& importance = measured->importance;
  form.log_words("train/heads/words", t.text_muted,
                 fmt::format("{} without one head, at step {}; {:.3f} with all that were on then.", counted->title,
                             measured->step, importance.whole.find(counted->id)->second),
                 Type::label, 6);
  learn::TrainedHeads rest = now.film.heads;  // that were off then
  double whole = 1;                           // shares; a loss may be more
  for (const learn::WithoutHead& without : importance.alone) whole = std::max(whole, figure_without(now, without));
  for (const learn::WithoutHead& without : importance.alone) {
    draw_without(ui, draw_head(form, now, without.head, actions), now, without, whole);
    rest.erase(without.head);
  }
  for (const learn::TrainedHead head : rest) draw_head(form, now, head, actions);
  form.y += ui.px(8);
  draw_command(ui, "train/heads", form.line(32, 8), "train-heads", "Measure again", model, actions);
  draw_command(ui, "train/prune", form.line(32, 4), "train-prune", "Switch the least off, and train on", model,
               actions);
}

}  // namespace headlight::app
