// Loss and figures over the steps of a training. Ink is what the task counts, violet what is measured on weights; names
// stand at the curves' ends. Grey is the training before this one.
#include <imgui.h>

#include <cmath>
#include <functional>

#include "app/figures/training_curves.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// How a curve is drawn.
struct Stroke {
  Color32 color = 0;
  float thick = 1.8F;  // px of the design
};

Stroke curve_stroke(const Ui& ui, const TrainCurve& curve) {
  return {curve.of_weights ? ui.theme().weight.main : ui.theme().text};
}

// One quantity in a frame, from 0 to `top`.
struct CurveFrame {
  Rect box;
  const StepAxis& axis;
  double top = 1;

  float y(double value) const { return box.bottom() - box.h * static_cast<float>(std::clamp(value / top, 0.0, 1.0)); }
};

void draw_curve(Ui& ui, const CurveFrame& frame, const TrainCurve& curve, Stroke stroke) {
  const float thick = std::max(1.0F, ui.px(stroke.thick));
  std::vector<ImVec2> line;
  for (const auto& [step, value] : curve.points) line.push_back({frame.axis.x(step), frame.y(value)});
  if (!curve.dashed) {
    ui.list().AddPolyline(line.data(), static_cast<int>(line.size()), stroke.color, 0, thick);
    return;
  }
  // Dashes of one length along the curve.
  const float dash = ui.px(5);
  float along = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const float dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y, length = std::hypot(dx, dy);
    for (float at = 0; at < length;) {
      const float left = dash - std::fmod(along, dash), end = std::min(length, at + left);
      const bool drawn = static_cast<int>(along / dash) % 2 == 0;
      if (drawn)
        ui.list().AddLine({line[i - 1].x + dx * at / length, line[i - 1].y + dy * at / length},
                          {line[i - 1].x + dx * end / length, line[i - 1].y + dy * end / length}, stroke.color, thick);
      along += end - at + 1e-3F;
      at = end + 1e-3F;
    }
  }
}

void draw_dotted(Ui& ui, const CurveFrame& frame, double value) {
  const float y = std::round(frame.y(value)), step = ui.px(4);
  for (float x = frame.box.x; x < frame.box.right(); x += step)
    ui.fill({x, y, std::max(1.0F, step / 2), 1}, ui.theme().text_faint);
}

// At the right of the newest point, or where that is too near the edge, before it; apart from each other. Returns where
// they stand.
std::vector<Rect> draw_names(Ui& ui, const CurveFrame& frame, const std::vector<TrainCurve>& curves) {
  struct Name {
    const TrainCurve* curve;
    float y, x;
  };
  std::vector<Name> names;
  const float line = ui.px(15);
  for (const TrainCurve& curve : curves)
    if (!curve.points.empty())
      names.push_back(
          {&curve, frame.y(curve.points.back().second) - line / 2, frame.axis.x(curve.points.back().first)});
  std::ranges::sort(names, {}, &Name::y);
  float least = frame.box.y + ui.px(1);
  for (Name& name : names) {
    name.y = std::max(name.y, least);
    least = name.y + line;
  }
  float most = frame.box.bottom() - line;
  for (std::size_t i = names.size(); i-- > 0;) {
    names[i].y = std::min(names[i].y, most);
    most = names[i].y - line;
  }
  std::vector<Rect> taken;
  for (const Name& name : names) {
    const float width = ui.width_of(Type::heading, name.curve->name);
    float x = name.x + ui.px(8);
    if (x + width > frame.box.right() - ui.px(4)) x = frame.box.right() - width - ui.px(6);
    const Rect place{x, std::round(name.y), width, line};
    ui.fill(place.inset(-ui.px(2), 0), ui.theme().canvas);
    ui.text_in(Type::heading, place, curve_stroke(ui, *name.curve).color, name.curve->name);
    ui.log("train/curve/" + name.curve->name, place, name.curve->name);
    taken.push_back(place);
  }
  return taken;
}

// Words in a frame that give way to the curves' names. Whether they stand there.
bool draw_words_beside(Ui& ui, const std::string& path, Point at, const std::string& words,
                       const std::vector<Rect>& names) {
  const Rect place{std::round(at.x), std::round(at.y), ui.width_of(Type::note, words), ui.line_height(Type::note)};
  for (const Rect& name : names)
    if (const Rect both = intersection(place.inset(-ui.px(3), 0), name); both.w > 0 && both.h > 1) return false;
  ui.fill(place.inset(-ui.px(2), 0), with_alpha(ui.theme().canvas, 0.82F));
  ui.text_in(Type::note, place, ui.theme().text_muted, words);
  ui.log(path, place, words);
  return true;
}

void draw_frame_of_curves(Ui& ui, const CurveFrame& frame) {
  const Theme& t = ui.theme();
  ui.frame(frame.box, t.line_strong);
  const auto tick = [&](double value) {
    const Rect place{frame.box.x - ui.px(52), frame.y(value) - ui.px(8), ui.px(46), ui.px(16)};
    ui.text_in(Type::number_note, place, t.text_muted, fmt::format("{:g}", value), Ui::Align::right);
  };
  tick(0);
  if (frame.box.h > ui.px(60)) tick(frame.top / 2);
  tick(frame.top);
}

// The line through all frames, with a ring on each curve.
void draw_playhead(Ui& ui, const CurveFrame& frame, const std::vector<TrainCurve>& curves, Index step) {
  const Theme& t = ui.theme();
  const float x = std::round(frame.axis.x(step));
  for (const TrainCurve& curve : curves) {
    const auto found = std::ranges::lower_bound(curve.points, step, {}, &std::pair<Index, double>::first);
    if (found == curve.points.end() || found->first != step) continue;
    ui.list().AddCircleFilled({x, frame.y(found->second)}, ui.px(4), t.canvas, 24);
    ui.list().AddCircle({x, frame.y(found->second)}, ui.px(4), curve_stroke(ui, curve).color, 24,
                        std::max(1.0F, ui.px(1.5F)));
  }
}

// A line where something was done or turned, and at one of its sides what: in the frame of the loss, or below it.
void draw_events(Ui& ui, const CurveFrame& loss, const CurveFrame& share, const FilmView& now,
                 std::vector<Rect>& taken) {
  Index nth = 0;
  for (const auto& [step, words] : events_in_words(now.film)) {
    const float x = std::round(loss.axis.x(step)), y = loss.box.y + ui.px(3);
    for (float dot = loss.box.y; dot < share.box.bottom(); dot += ui.px(5))
      ui.fill({x, dot, std::max(1.0F, ui.px(1)), ui.px(2.5F)}, ui.theme().text_muted);
    const std::string path = fmt::format("train/change/{}", nth++);
    const float between = (loss.box.bottom() + share.box.y - ui.line_height(Type::note)) / 2;
    const float width = ui.width_of(Type::note, words), right = x + ui.px(6), left = x - ui.px(6) - width;
    ui.tooltip(path, {x - ui.px(4), loss.box.y, ui.px(9), share.box.bottom() - loss.box.y}, words);
    for (const Point at : {Point{right, y}, {left, y}, {right, between}, {left, between}}) {
      if (at.x < loss.box.x || at.x + width > loss.box.right()) continue;
      if (!draw_words_beside(ui, path, at, words, taken)) continue;
      taken.push_back({at.x, at.y, width, ui.px(16)});
      break;
    }
  }
}

// Of the training before, grey and unnamed.
void draw_before(Ui& ui, const CurveFrame& frame, const FilmView& now, TrainCurve curve) {
  std::erase_if(curve.points, [&](const auto& point) { return point.first > frame.axis.last; });
  if (now.shown.before) draw_curve(ui, frame, curve, {ui.theme().text_faint});
}

// Those of the other seeds, thin.
void draw_seeds(Ui& ui, const CurveFrame& frame, const FilmView& now,
                const std::function<TrainCurve(const learn::Film&)>& of) {
  for (const auto& film : now.shown.seeds.films) draw_curve(ui, frame, of(*film), {ui.theme().text_faint, 1});
}

// Dotted through all frames, its letter between them.
void draw_mark(Ui& ui, const CurveFrame& loss, const CurveFrame& share, std::optional<Index> step, bool is_a) {
  if (!step || *step > loss.axis.last) return;
  const Theme& t = ui.theme();
  const float x = std::round(loss.axis.x(*step)), pitch = ui.px(4);
  for (float y = loss.box.y; y < share.box.bottom(); y += pitch) ui.fill({x, y, 1, pitch / 2}, t.text_muted);
  const float side = ui.px(16), middle = (loss.box.bottom() + share.box.y) / 2;
  const Rect box{x - side / 2, std::round(middle - side / 2), side, side};
  const std::string letter(1, is_a ? 'A' : 'B');
  ui.fill(box, is_a ? t.ink : t.canvas, ui.px(3));
  ui.frame(box, t.ink, ui.px(3), std::max(1.0F, ui.px(1.5F)));
  ui.text_in(Type::label_strong, box, is_a ? t.on_ink : t.ink, letter, Ui::Align::center);
  ui.log("train/mark/" + letter, box, fmt::format("{}", *step));
}

void draw_heading(Ui& ui, Rect line, const FilmView& now, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  words_at_left(ui, Type::heading, line, t.text, "Learning", 14);
  const auto compared = compared_steps(now.shown);
  const std::string label =
      compared ? fmt::format("Compare {} with {}", compared->first, compared->second) : std::string("Compare A and B");
  const float width = ui.width_of(Type::control, label) + ui.px(28);
  if (line.w > width + ui.px(200)) {
    draw_command(ui, "train/compare", line.take_right(width), "train-compare", label, model, actions);
    line.take_right(ui.px(12));
    const std::string how = "A and B mark two steps";
    if (line.w > ui.width_of(Type::note, how) + ui.px(260)) words_at_right(ui, Type::note, line, t.text_faint, how, 12);
  }
  if (!now.shown.before) return;
  const Rect sign = line.take_left(ui.px(24));
  ui.fill({sign.x, sign.middle().y - 1, sign.w, std::max(1.0F, ui.px(2))}, t.text_faint);
  line.take_left(ui.px(8));
  const std::string words = "before: " + now.shown.before_words;
  ui.log("train/before", line, words);
  ui.text_in(Type::note, line, t.text_muted, words);
}

}  // namespace

void draw_step_ticks(Ui& ui, const StepAxis& axis, float y) {
  const Theme& t = ui.theme();
  const float widest = ui.width_of(Type::number_note, fmt::format("{}", axis.last)) + ui.px(18);
  const Index every = label_stride(axis.width / static_cast<float>(axis.last), widest);
  for (Index step = 0; step <= axis.last; step += every) {
    const float x = std::round(axis.x(step));
    const std::string text = fmt::format("{}", step);
    ui.line({x, y}, {x, y + ui.px(4)}, t.line_strong);
    ui.text(Type::number_note, {x - ui.width_of(Type::number_note, text) / 2, y + ui.px(6)}, t.text_muted, text);
  }
}

void draw_train_curves(Ui& ui, Rect box, const StepAxis& axis, const FilmView& now, const Model& model,
                       Actions& actions) {
  const Theme& t = ui.theme();
  ui.fill(box, t.canvas);
  ui.line({box.x, box.y}, {box.right(), box.y}, t.line);
  const bool low = box.h < ui.px(150);
  Rect inside{axis.left, box.y + ui.px(low ? 6 : 36), axis.width, box.h - ui.px(low ? 14 : 50)};
  if (!low) draw_heading(ui, {box.x + ui.px(24), box.y + ui.px(6), box.w - ui.px(48), ui.px(24)}, now, model, actions);
  const std::vector<TrainCurve> losses = loss_curves(now.film);
  const std::vector<TrainCurve> shares = figure_curves(now.film);
  const float gap = ui.px(16);
  const float each = (inside.h - gap) * (low ? 0.5F : 0.44F);
  CurveFrame loss{inside.take_top(each), axis, top_of(losses)};
  inside.take_top(gap);
  CurveFrame share{inside, axis, std::max(1.0, top_of(shares))};
  draw_frame_of_curves(ui, loss);
  draw_frame_of_curves(ui, share);
  const bool counts_loss = is_loss(now.task, learned_figure(now.task));
  const CurveFrame& counted = counts_loss ? loss : share;
  const std::string& learned = now.task.info().learned;
  draw_seeds(ui, loss, now, loss_of);
  draw_seeds(ui, counted, now, [&](const learn::Film& film) { return figure_of(film, learned); });
  if (now.shown.before) {
    draw_before(ui, loss, now, loss_of(*now.shown.before));
    draw_before(ui, counted, now, figure_of(*now.shown.before, learned));
  }
  draw_dotted(ui, counted, now.task.info().threshold);
  for (const TrainCurve& curve : losses) draw_curve(ui, loss, curve, curve_stroke(ui, curve));
  for (const TrainCurve& curve : shares) draw_curve(ui, share, curve, curve_stroke(ui, curve));
  draw_mark(ui, loss, share, now.shown.mark_a, true);
  draw_mark(ui, loss, share, now.shown.mark_b, false);
  const float x = std::round(axis.x(now.shown.at));
  ui.line({x, loss.box.y}, {x, box.bottom()}, t.ink, ui.px(1.5F));
  std::vector<Rect> loss_names = draw_names(ui, loss, losses), share_names = draw_names(ui, share, shares);
  for (auto* taken : {&loss_names, &share_names})
    taken->push_back({x - 1, loss.box.y, 2, share.box.bottom() - loss.box.y});
  for (const auto& mark : {now.shown.mark_a, now.shown.mark_b})
    if (mark)
      loss_names.push_back({axis.x(*mark) - ui.px(8), loss.box.bottom(), ui.px(16), share.box.y - loss.box.bottom()});
  draw_events(ui, loss, share, now, loss_names);
  const char* unit = now.example.shares ? "loss, nats" : "loss, squares";
  draw_words_beside(ui, "train/unit", {loss.box.x + ui.px(6), loss.box.bottom() - ui.px(19)}, unit, loss_names);
  if (!low)
    draw_words_beside(ui, "train/shares", {share.box.x + ui.px(6), share.box.y + ui.px(2)}, "shares", share_names);
  const float y = counted.y(now.task.info().threshold);
  const bool below = y - counted.box.y < ui.px(20);
  draw_words_beside(ui, "train/threshold", {counted.box.x + ui.px(64), below ? y + ui.px(2) : y - ui.px(18)},
                    threshold_in_words(now.task), counts_loss ? loss_names : share_names);
  draw_playhead(ui, loss, losses, now.frame.step);
  draw_playhead(ui, share, shares, now.frame.step);
}

}  // namespace headlight::app
