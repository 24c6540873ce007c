#include "app/panels/inspector/parts.h"

#include "app/panels/common/map_parts.h"
#include "app/panels/common/picture.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

// Where the positions of the shown input lie; nothing where it has none, or there is no output to judge.
std::optional<PositionAxes> shown_positions(const Model& model) {
  if (!model.trace() || !model.trace()->output() || !model.shown.problem) return std::nullopt;
  const Problem& problem = *model.shown.problem;
  const Tensor* input = problem.find(problem.specs.inputs.front().id);
  return input ? position_axes(problem, input->shape()) : std::nullopt;
}

std::string in_words(const Arrangement& arrangement, const Grid& grid) {
  if (const auto* shuffle = std::get_if<Shuffle>(&arrangement)) return fmt::format("shuffled, seed {}", shuffle->seed);
  const Shift shift = std::get<Shift>(arrangement);
  if (grid.rows == 1) return fmt::format("shifted by {}", shift.columns);
  return fmt::format("shifted by {} down, {} right", shift.rows, shift.columns);
}

// One step further than now; once round is where it began.
Arrange next_shift(const std::optional<Arrangement>& now, const Grid& grid, Shift by) {
  if (const auto* shift = now ? std::get_if<Shift>(&*now) : nullptr) {
    by.rows += shift->rows;
    by.columns += shift->columns;
  }
  by.rows %= grid.rows;
  by.columns %= grid.columns;
  return by == Shift{} ? Arrange{} : Arrange{by};
}

Arrange next_shuffle(const std::optional<Arrangement>& now) {
  const auto* shuffle = now ? std::get_if<Shuffle>(&*now) : nullptr;
  return Arrange{Shuffle{shuffle ? (shuffle->seed + 1) % INT64_MAX : 1}};
}

// In as many rows as they need. Returns the height.
float draw_buttons(Ui& ui, Rect box, const Model& model, const Grid& grid, Actions& actions) {
  const auto& now = model.document.experiment->arrange;
  Flow flow{.box = box, .height = ui.px(32), .gap = ui.px(8), .between = ui.px(8)};
  const auto place = [&](const char* id, const char* label, bool enabled = true) {
    const Rect at = flow.next(ui.width_of(Type::control, label) + ui.px(20));
    return button(ui, fmt::format("arrange/{}", id), at, label, ButtonLook::secondary, std::nullopt, enabled);
  };
  if (place("shuffle", "Shuffle")) actions.push_back(next_shuffle(now));
  if (grid.columns > 1 && place("right", "Shift →")) actions.push_back(next_shift(now, grid, {0, 1}));
  if (grid.rows > 1 && place("down", "Shift ↓")) actions.push_back(next_shift(now, grid, {1, 0}));
  if (place("off", "Put back", now.has_value())) actions.push_back(Arrange{});
  return flow.bottom() - box.y;
}

// The map of the differences and its scale, which no rounding fills. Returns the height.
float draw_difference(Ui& ui, Rect box, const Model& model, const Grid& grid) {
  const Equivariance& e = *model.equivariance;
  const bool strip = grid.rows == 1;
  const Rect map =
      strip ? Rect{box.x, box.y, box.w, ui.px(28)} : fitted({box.x, box.y, box.w, ui.px(180)}, grid.rows, grid.columns);
  const auto bound = static_cast<float>(std::max(e.greatest, e.tolerance));
  MapData data;
  data.key = "equivariance";
  data.numbers = {.run = model.shown.ticket, .what = "difference of the output"};
  data.cells = matrix_at(e.strongest, {});
  data.range = value_range(Kind::weight, {.finite = 1, .least = -bound, .greatest = bound});
  data.colormap = default_colormap(true, ui.theme().dark);
  draw_map(ui, data, map, MapSize::small);
  ui.frame(map.inset(-1), ui.theme().line_strong);
  ui.log("arrange/map", map, fmt::format("{}×{}", grid.rows, grid.columns));
  const std::string words = grid.frames > 1
                                ? fmt::format("Δ output, strongest of {} frames and all channels", grid.frames)
                                : "Δ output, strongest channel";
  const float top = map.bottom() + ui.px(16);
  color_bar(ui, {box.x, top, box.w, ui.px(48)}, map_scale(data, "equivariance/bar", words));
  return top + ui.px(52) - box.y;
}

// What is said where there is nothing to compare yet, or never.
std::string waiting_note(const Model& model) {
  if (model.shown.problem->only_query) return "One query's row tells nothing of the others: choose All queries first.";
  if (!model.shown.experiment->arrange)
    return model.settings.expert || model.document.experiment->arrange
               ? ""
               : "Shuffle the positions of the input, or move all of them on along their grid, the last ones round to "
                 "the front, and see whether the output moves along.";
  if (model.comparing || model.busy) return "Running it once with every position at its own place, to compare.";
  if (!model.unarranged.error.empty())
    return fmt::format("It cannot be compared: without the move, {}", model.unarranged.error);
  return "It cannot be compared: the output has another number of positions than the input.";
}

float draw_comparison(Ui& ui, Rect box, const Model& model, const Grid& grid) {
  const Theme& t = ui.theme();
  const std::string words = model.equivariance ? model.equivariance->words : waiting_note(model);
  ui.log("arrange/words", box, words);
  if (words.empty()) return 0;
  float y = box.y;
  y += paragraph(ui, {box.x, y}, box.w, model.equivariance ? t.text : t.text_muted, words) + ui.px(8);
  if (!model.equivariance || !model.equivariance->compares) return y - box.y;
  const Equivariance& e = *model.equivariance;
  const auto say = [&](const std::string& label, const std::string& value) {
    Rect row{box.x, y, box.w, ui.px(24)};
    y += row.h;
    words_at_right(ui, Type::number, row, t.text, value);
    ui.text_in(Type::label, row, t.text_muted, label);
  };
  say("largest |Δ|", value_text(e.greatest));
  say(fmt::format("off by more than rounding, {}", value_text(e.tolerance)),
      fmt::format("{} of {}", e.off, e.positions));
  y += ui.px(10);
  y += draw_difference(ui, {box.x, y, box.w, 0}, model, grid);
  return y - box.y;
}

}  // namespace

float draw_equivariance(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const auto axes = shown_positions(model);
  if (!axes || axes->positions < 2) return 0;
  const Theme& t = ui.theme();
  float y = box.y + ui.px(18);
  ui.line({box.x, y}, {box.right(), y}, t.line);
  y += ui.px(16);
  const Rect inside = box.inset(ui.px(18), 0);
  Rect title{inside.x, y, inside.w, ui.px(20)};
  const auto& shown = model.shown.experiment->arrange;
  const std::string state = shown ? in_words(*shown, axes->grid) : "";
  const char* heading = "Does the order matter?";
  words_at_left(ui, Type::heading, title, t.text_muted, heading);
  const bool beside = ui.width_of(Type::note, state) + ui.px(8) <= title.w;
  if (beside) ui.text_in(Type::note, title, t.text_faint, state, Ui::Align::right);
  y += ui.px(26);
  if (!beside) {
    ui.text_in(Type::note, {inside.x, y - ui.px(4), inside.w, ui.px(18)}, t.text_faint, state);
    y += ui.px(18);
  }
  y += draw_buttons(ui, {inside.x, y, inside.w, 0}, model, axes->grid, actions) + ui.px(12);
  y += draw_comparison(ui, {inside.x, y, inside.w, 0}, model, axes->grid);
  return y - box.y;
}

}  // namespace headlight::app
