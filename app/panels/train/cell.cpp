// The right of the page: the weight that is pinned, at the step that is looked at and over all steps, and its row.
#include <imgui.h>

#include <cmath>

#include "app/actions/action_table.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_keys = 8;  // of the row

std::string shown_weight(float weight) {
  return is_masked(weight) ? std::string("masked") : fmt::format("{:.4f}", weight);
}

// "Q [16 σ] asks K [6 O]".
void draw_pair(Form& form, const FilmView& now, const TrainCell& cell) {
  Ui& ui = form.ui;
  Rect line = form.line(28, 12);
  const auto place = [&](Role role, Index at, const std::string& name) {
    badge(ui, {line.x, line.y + ui.px(5)}, role);
    line.take_left(ui.px(badge_size + 6));
    const Chip chip{name, chip_role(role)};
    const float width = std::min(line.w, chip_width(ui, static_cast<std::size_t>(at), chip));
    draw_chip(ui, line.take_left(width), static_cast<std::size_t>(at), chip, false);
    line.take_left(ui.px(8));
  };
  place(Role::query, cell.query, query_name(now, cell.map, cell.query));
  words_at_left(ui, Type::label, line, ui.theme().text, "asks", 8);
  place(Role::key, cell.key, key_name(now, cell.key));
  const std::string step = fmt::format("step {}", now.frame.step);
  if (ui.width_of(Type::note, step) <= line.w)
    ui.text_in(Type::note, line, ui.theme().text_muted, step, Ui::Align::right);
}

void draw_weight(Form& form, float weight) {
  Ui& ui = form.ui;
  const RoleColors role = ui.theme().weight;
  Rect line = form.line(40, 12);
  ui.fill(line, role.soft, ui.px(6));
  badge(ui, {line.x + ui.px(12), line.y + ui.px(11)}, Role::weight);
  const std::string words = shown_weight(weight);
  ui.log("train/weight", line, words);
  line = line.inset(ui.px(12), 0);
  ui.text_in(Type::result, line, role.main, words, Ui::Align::right);
  line.take_left(ui.px(badge_size + 8));
  ui.text_in(Type::body, line, ui.theme().text, "weight");
}

// The weight at every step that is kept, amber where one stands.
void draw_weight_history(Form& form, const FilmView& now, const TrainCell& cell) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  Rect box = form.line(70, 26);
  box.take_left(ui.px(22));
  box.take_right(ui.px(12));
  ui.frame(box, t.line_strong);
  ui.log("train/cell over steps", box);
  const StepAxis axis{box.x, box.w, now.film.plan->steps};
  const auto at = [&](const learn::FilmFrame& frame) -> std::optional<ImVec2> {
    const auto weight = weight_in(frame, cell);
    if (!weight || is_masked(*weight)) return std::nullopt;
    return ImVec2{axis.x(frame.step), box.bottom() - box.h * std::clamp(*weight, 0.0F, 1.0F)};
  };
  std::vector<ImVec2> line;
  for (const auto& frame : now.film.frames)
    if (const auto point = at(*frame)) line.push_back(*point);
  if (const auto newest = at(*now.film.newest)) line.push_back(*newest);
  ui.list().AddPolyline(line.data(), static_cast<int>(line.size()), t.weight.main, 0, std::max(1.0F, ui.px(1.8F)));
  const float x = std::round(axis.x(now.frame.step));
  ui.line({x, box.y}, {x, box.bottom()}, t.ink, ui.px(1.5F));
  if (const auto here = at(now.frame)) {
    ui.list().AddCircleFilled(*here, ui.px(5), t.brand, 32);
    ui.list().AddCircle(*here, ui.px(5), t.ink, 32, std::max(1.0F, ui.px(1.5F)));
  }
  for (const double tick : {0.0, 1.0}) {
    const Rect place{box.x - ui.px(22), box.bottom() - box.h * static_cast<float>(tick) - ui.px(8), ui.px(16),
                     ui.px(16)};
    ui.text_in(Type::number_note, place, t.text_muted, fmt::format("{:g}", tick), Ui::Align::right);
  }
  draw_step_ticks(ui, axis, box.bottom());
}

// The keys of the same query by their weights, the pinned one marked.
void draw_row(Form& form, const FilmView& now, const TrainCell& cell) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  std::vector<std::pair<float, Index>> keys;
  TrainCell other = cell;
  for (other.key = 0; const auto weight = weight_in(now.frame, other); ++other.key)
    if (!is_masked(*weight)) keys.emplace_back(*weight, other.key);
  std::ranges::stable_sort(keys, [](const auto& a, const auto& b) { return a.first > b.first; });
  const bool all = keys.size() <= most_keys;
  Rect heading = form.line(24);
  ui.text_in(Type::note, heading, t.text_faint,
             all ? fmt::format("{} keys", keys.size()) : fmt::format("{} of {} keys", most_keys, keys.size()),
             Ui::Align::right);
  ui.text_in(Type::heading, heading, t.text, "Where this query looks");
  for (std::size_t i = 0; i < std::min(keys.size(), most_keys); ++i) {
    const auto& [weight, key] = keys[i];
    Rect line = form.line(24);
    const bool pinned = key == cell.key;
    if (pinned) ui.fill(line, t.key.soft, ui.px(4));
    line = line.inset(ui.px(6), 0);
    const std::string number = fmt::format("{:.3f}", weight);
    words_at_right(ui, Type::number_note, line, t.text, number, 10);
    ui.text_in(Type::number_small, line.take_left(ui.px(26)), t.text_faint, fmt::format("{}", key));
    ui.text_in(pinned ? Type::label_strong : Type::label, line.take_left(ui.px(70)), pinned ? t.key.main : t.text,
               key_name(now, key));
    const Rect bar = line.inset(0, (line.h - ui.px(8)) / 2);
    ui.fill(bar, t.sunken);
    ui.fill({bar.x, bar.y, bar.w * std::clamp(weight, 0.0F, 1.0F), bar.h}, t.weight.main);
  }
  form.y += form.ui.px(8);
}

// What became of it, in a sentence: at step 0, here, and at the newest.
std::string story_of(const FilmView& now, const TrainCell& cell) {
  const auto at = [&](const learn::FilmFrame& frame) {
    return with_minus_signs(fmt::format("{:.3f}", weight_in(frame, cell).value_or(0)));
  };
  const learn::FilmFrame &first = *now.film.frames.front(), &newest = *now.film.newest;
  return fmt::format("It was {} before the first step and is {} at step {}, the newest that was measured.", at(first),
                     at(newest), newest.step);
}

}  // namespace

float draw_train_cell(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  Form form{ui, box.inset(ui.px(18), 0), box.y + ui.px(14)};
  const auto now = film_view(model);
  if (!now || !now->shown.pinned) {
    ui.text(Type::title, {form.column.x, form.y}, t.text, "One weight");
    form.y += ui.px(34);
    form.words(t.text_muted, "Click a cell of a map: its weight at this step and over all steps stand here.",
               Type::label);
    if (now && now->shown.gradient)
      form.log_words(
          "train/slopes are", t.text,
          "The maps have slopes: where one is below 0, a larger score would lower the loss of this example, and "
          "learning pushes it up.",
          Type::label);
    if (now) {
      form.divider(box.x, box.w);
      draw_train_heads(form, *now, model, actions);
    }
    return form.y + ui.px(16) - box.y;
  }
  const TrainCell& cell = *now->shown.pinned;
  Rect title = form.line(32, 6);
  const Rect close = title.take_right(ui.px(28)).inset(0, ui.px(2));
  if (icon_button(ui, "train/release", close, Icon::close, hint_of("train-release", model)))
    actions.push_back(ReleaseTrainCell{});
  ui.text_in(Type::title, title, t.text, map_title(*now, cell.map, cell.head));
  draw_pair(form, *now, cell);
  const float weight = weight_in(now->frame, cell).value_or(0);
  draw_weight(form, weight);
  if (is_masked(weight)) {
    form.words(t.text_muted, "The mask hides this key from the query at every step.", Type::label);
    return form.y + ui.px(16) - box.y;
  }
  draw_weight_history(form, *now, cell);
  form.log_words("train/story", t.text_muted, story_of(*now, cell), Type::label);
  form.y += ui.px(8);
  draw_command(ui, "train/explore", form.line(32, 4), "train-explore", "Explore where it comes from", model, actions,
               ButtonLook::secondary);
  draw_head_commands(form, *now, cell, model, actions);
  form.divider(box.x, box.w);
  if (now->frame.slopes)
    draw_train_slopes(form, *now, cell);
  else
    draw_row(form, *now, cell);
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
