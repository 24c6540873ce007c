// Words as arrows in a plane, where they are two numbers: the one that asks blue, the one that answers red, and how far
// the one reaches along the other.
#include <imgui.h>

#include <cmath>
#include <numbers>

#include "app/panels/lesson/parts.h"
#include "app/reading/printed.h"

namespace headlight::app {

namespace {

struct WordArrow {
  double x = 0, y = 0;
  std::string label;
  Color32 color = 0;
  bool strong = false;
};

// The array of a role whose positions are two numbers each; null where there is none.
const Step* pairs_of_numbers(const Trace& trace, Role role) {
  for (const auto* list : {&trace.steps, &trace.sources})
    for (const auto& step : *list) {
      const Shape& shape = step.tensor().shape();
      if (step.info.role == role && shape.size() >= 2 && shape.back() == 2 &&
          step.tensor().size() / 2 == shape[shape.size() - 2])
        return &step;
    }
  return nullptr;
}

WordArrow word_arrow_of(const Step& step, Index position) {
  const Axis& axis = step.info.axes[step.info.axes.size() - 2];
  return {step.tensor()[2 * position], step.tensor()[2 * position + 1], label_of_place({axis, {position}})};
}

struct ArrowPlane {
  Rect box;
  double left = 0, right = 1, low = 0, high = 1;  // numbers at its edges
  float unit = 1;                                 // px
  Point at(double x, double y) const {
    return {box.x + static_cast<float>(x - left) * unit, box.bottom() - static_cast<float>(y - low) * unit};
  }
};

// Equal units both ways, whole numbers at the edges, and (0, 0) in it.
ArrowPlane arrow_plane_for(Rect room, const std::vector<WordArrow>& arrows) {
  ArrowPlane plane;
  double right = 1, high = 1, left = 0, low = 0;
  for (const auto& arrow : arrows) {
    right = std::max(right, arrow.x), high = std::max(high, arrow.y);
    left = std::min(left, arrow.x), low = std::min(low, arrow.y);
  }
  plane.right = std::ceil(right + 0.4), plane.high = std::ceil(high + 0.4);
  plane.left = left < 0 ? std::floor(left - 0.4) : 0, plane.low = low < 0 ? std::floor(low - 0.4) : 0;
  plane.unit = std::min(room.w / static_cast<float>(plane.right - plane.left),
                        room.h / static_cast<float>(plane.high - plane.low));
  const float w = plane.unit * static_cast<float>(plane.right - plane.left),
              h = plane.unit * static_cast<float>(plane.high - plane.low);
  plane.box = {room.x + (room.w - w) / 2, room.y + (room.h - h) / 2, w, h};
  return plane;
}

void draw_plane_grid(Ui& ui, const ArrowPlane& plane) {
  const Theme& t = ui.theme();
  const double span = std::max(plane.right - plane.left, plane.high - plane.low),
               every = span > 12 ? std::ceil(span / 8) : 1;
  for (double x = plane.left; x <= plane.right; x += every) {
    ui.line(plane.at(x, plane.low), plane.at(x, plane.high), x == 0 ? t.line_strong : t.line, x == 0 ? ui.px(1.5F) : 1);
    const Point at = plane.at(x, plane.low);
    ui.text_in(Type::number_note, {at.x - ui.px(20), at.y + ui.px(6), ui.px(40), ui.px(16)}, t.text_muted,
               printed_value(number_value(x)).value_or(""), Ui::Align::center);
  }
  for (double y = plane.low; y <= plane.high; y += every) {
    ui.line(plane.at(plane.left, y), plane.at(plane.right, y), y == 0 ? t.line_strong : t.line,
            y == 0 ? ui.px(1.5F) : 1);
    const Point at = plane.at(plane.left, y);
    ui.text_in(Type::number_note, {at.x - ui.px(44), at.y - ui.px(8), ui.px(36), ui.px(16)}, t.text_muted,
               printed_value(number_value(y)).value_or(""), Ui::Align::right);
  }
  ui.text_in(Type::label, {plane.box.x - ui.px(30), plane.box.y - ui.px(26), ui.px(140), ui.px(18)}, t.text_muted,
             "second number");
  ui.text_in(Type::label, {plane.box.right() - ui.px(140), plane.box.bottom() + ui.px(24), ui.px(140), ui.px(18)},
             t.text_muted, "first number", Ui::Align::right);
}

void draw_word_arrow(Ui& ui, const ArrowPlane& plane, const WordArrow& arrow) {
  const Point from = plane.at(0, 0), to = plane.at(arrow.x, arrow.y);
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  const float width = ui.px(arrow.strong ? 3.5F : 2.5F), head = ui.px(arrow.strong ? 13 : 10);
  const std::string words = ui.fonts().display_text(arrow.label);
  if (length > head) {
    const float ux = dx / length, uy = dy / length;
    const Point neck{to.x - ux * head, to.y - uy * head};
    ui.list().AddLine({from.x, from.y}, {neck.x, neck.y}, arrow.color, width);
    ui.list().AddTriangleFilled({to.x, to.y}, {neck.x - uy * head * 0.5F, neck.y + ux * head * 0.5F},
                                {neck.x + uy * head * 0.5F, neck.y - ux * head * 0.5F}, arrow.color);
  } else {
    ui.fill({to.x - ui.px(4), to.y - ui.px(4), ui.px(8), ui.px(8)}, arrow.color, ui.px(4));
  }
  const std::string numbers = printed_value(NumberArray{{{}, {}}, {arrow.x, arrow.y}}).value_or("");
  const Type type = arrow.strong ? Type::lesson_strong : Type::lesson_text;
  const float w = std::max(ui.width_of(type, words), ui.width_of(Type::number, numbers));
  Point at{to.x + ui.px(10), to.y - ui.px(14)};
  if (std::abs(arrow.y) < 0.2) at.y -= ui.px(32);
  if (at.x + w > plane.box.right() + ui.px(60)) at = {to.x - w - ui.px(10), to.y - ui.px(44)};
  ui.text(type, at, arrow.color, words);
  ui.text(Type::number, {at.x, at.y + ui.px(23)}, arrow.color, numbers);
  ui.log("lesson/arrow/" + arrow.label, {at.x, at.y, w, ui.px(42)}, numbers);
}

// How far the asking arrow reaches along the answering one, and the angle between them.
void draw_shadow(Ui& ui, const ArrowPlane& plane, const WordArrow& asks, const WordArrow& answers) {
  const double size = std::hypot(answers.x, answers.y), own = std::hypot(asks.x, asks.y);
  if (size == 0 || own == 0) return;
  const Theme& t = ui.theme();
  const double along = (asks.x * answers.x + asks.y * answers.y) / size;
  const Point tip = plane.at(asks.x, asks.y), foot = plane.at(along * answers.x / size, along * answers.y / size);
  const float dx = foot.x - tip.x, dy = foot.y - tip.y, length = std::hypot(dx, dy), dash = ui.px(5);
  for (float at = 0; at < length; at += 2 * dash) {
    const float end = std::min(at + dash, length);
    ui.line({tip.x + dx * at / length, tip.y + dy * at / length},
            {tip.x + dx * end / length, tip.y + dy * end / length}, t.score.main, ui.px(1.5F));
  }
  const double degrees = std::acos(std::clamp(along / own, -1.0, 1.0)) * 180 / std::numbers::pi;
  const std::string words = fmt::format(
      "{} reaches {} along {}, which is {} long: {} · {} = {}", asks.label,
      printed_value(number_value(along)).value_or(""), answers.label, printed_value(number_value(size)).value_or(""),
      printed_value(number_value(along)).value_or(""), printed_value(number_value(size)).value_or(""),
      printed_value(number_value(along * size)).value_or(""));
  const Rect line{plane.box.x - ui.px(40), plane.box.bottom() + ui.px(46), plane.box.w + ui.px(120), ui.px(22)};
  ui.text_in(Type::body_strong, line, t.score.main, words);
  ui.text_in(Type::label, {line.x, line.bottom(), line.w, ui.px(20)}, t.text_muted,
             fmt::format("The angle between them is {:.0f}°.", degrees));
  ui.log("lesson/shadow", line, words);
}

// The arrows that a step shows, and which of them ask and answer.
struct WordArrows {
  std::vector<WordArrow> all;
  int asks = -1, answers = -1;
};

WordArrows word_arrows_of(const Ui& ui, const Model& model) {
  WordArrows found;
  const Trace& trace = *model.trace();
  const Theme& t = ui.theme();
  const Step* shown = model.step();
  const Selection& selection = model.document.look.selection;
  const bool output = shown && shown->info.role == Role::output;
  const Step *asking = pairs_of_numbers(trace, Role::query),
             *answering = pairs_of_numbers(trace, output ? Role::value : Role::key);
  if (!answering) return found;
  const Index keys = answering->tensor().size() / 2;
  for (Index key = 0; key < keys; ++key) {
    WordArrow arrow = word_arrow_of(*answering, key);
    arrow.color = t.text_faint;
    if (!output && selection.key == key) {
      arrow.color = t.key.main;
      arrow.strong = true;
      found.answers = static_cast<int>(found.all.size());
    }
    found.all.push_back(std::move(arrow));
  }
  const Step* from = output ? shown : asking;
  const bool pairs = from && from->tensor().rank() >= 2 && from->tensor().dim(-1) == 2;
  if (!pairs || !selection.query || *selection.query >= from->tensor().size() / 2) return found;
  WordArrow arrow = word_arrow_of(*from, *selection.query);
  arrow.color = output ? t.output.main : t.query.main;
  arrow.strong = true;
  if (output) arrow.label = "the mix of " + arrow.label;
  // A word that asks with what it answers with is one arrow.
  std::erase_if(found.all, [&](const WordArrow& other) {
    return !output && !other.strong && other.label == arrow.label && other.x == arrow.x && other.y == arrow.y;
  });
  for (std::size_t i = 0; i < found.all.size(); ++i)
    if (found.all[i].strong) found.answers = static_cast<int>(i);
  found.asks = static_cast<int>(found.all.size());
  found.all.push_back(std::move(arrow));
  return found;
}

}  // namespace

bool has_arrows(const Model& model) {
  return model.trace() && pairs_of_numbers(*model.trace(), Role::key) != nullptr;
}

bool draw_lesson_arrows(Ui& ui, Rect box, const Model& model) {
  if (!has_arrows(model)) return false;
  const WordArrows arrows = word_arrows_of(ui, model);
  const Step* shown = model.step();
  const bool hidden = is_asked(model) && shown && shown->info.role == Role::output;  // the mix is what is asked for
  std::vector<WordArrow> seen = arrows.all;
  if (hidden && arrows.asks >= 0) seen.erase(seen.begin() + arrows.asks);
  Rect room = box.inset(ui.px(64), ui.px(40));
  room.take_bottom(ui.px(60));
  const ArrowPlane plane = arrow_plane_for(room, seen);
  draw_plane_grid(ui, plane);
  for (const auto& arrow : seen)
    if (!arrow.strong) draw_word_arrow(ui, plane, arrow);
  if (!hidden && arrows.asks >= 0 && arrows.answers >= 0)
    draw_shadow(ui, plane, arrows.all[static_cast<std::size_t>(arrows.asks)],
                arrows.all[static_cast<std::size_t>(arrows.answers)]);
  for (const auto& arrow : seen)
    if (arrow.strong) draw_word_arrow(ui, plane, arrow);
  return true;
}

}  // namespace headlight::app
