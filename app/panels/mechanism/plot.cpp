#include <imgui.h>

#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

struct PlotPlane {
  Rect box;
  double least_x, most_x, least_y, most_y, step_y = 1;

  float x(double value) const {
    return box.x + box.w * static_cast<float>((value - least_x) / std::max(1e-12, most_x - least_x));
  }
  float y(double value) const {
    return box.bottom() - box.h * static_cast<float>((value - least_y) / std::max(1e-12, most_y - least_y));
  }
};

// 1, 2 or 5 times a power of ten, so that about `count` of them span the range.
double round_step(double range, double count) {
  return round_number_from(std::max(range, 1e-9) / count);
}

PlotPlane find_plane(Rect box, const CurvePlot& plot) {
  PlotPlane plane{box, plot.first, plot.first, 0, 0};
  for (const Curve& curve : plot.curves) {
    plane.most_x = std::max(
        plane.most_x, plot.first + plot.step * static_cast<double>(std::max<std::size_t>(1, curve.values.size()) - 1));
    if (curve.leaves) continue;
    for (const double value : curve.values) {
      plane.least_y = std::min(plane.least_y, value);
      plane.most_y = std::max(plane.most_y, value);
    }
  }
  const double step = plane.step_y = round_step(plane.most_y - plane.least_y, 4);
  plane.least_y = std::floor(plane.least_y / step + 1e-9) * step;
  plane.most_y = std::max(std::ceil(plane.most_y / step - 1e-9) * step, plane.least_y + step);
  return plane;
}

void draw_axes(Ui& ui, const PlotPlane& plane, bool whole) {
  const Theme& t = ui.theme();
  ui.frame(plane.box, t.line_strong);
  const double step_y = plane.step_y;
  for (double y = plane.least_y; y <= plane.most_y + step_y / 2; y += step_y) {
    ui.line({plane.box.x, plane.y(y)}, {plane.box.right(), plane.y(y)},
            std::abs(y) < step_y / 4 ? t.line_strong : t.line);
    ui.text_in(Type::number_small, {plane.box.x - ui.px(48), plane.y(y) - ui.px(7), ui.px(42), ui.px(14)}, t.text_faint,
               with_minus_signs(fmt::format("{:.3g}", std::abs(y) < 1e-12 ? 0.0 : y)), Ui::Align::right);
  }
  const double step_x = std::max(whole ? 1.0 : 1e-9, round_step(plane.most_x - plane.least_x, 6));
  for (double x = std::ceil(plane.least_x / step_x) * step_x; x <= plane.most_x + 1e-9; x += step_x)
    ui.text_in(Type::number_small, {plane.x(x) - ui.px(24), plane.box.bottom() + ui.px(4), ui.px(48), ui.px(14)},
               t.text_faint, with_minus_signs(fmt::format("{:.4g}", std::abs(x) < step_x / 4 ? 0.0 : x)),
               Ui::Align::center);
}

// Dashes of one length wherever the curve goes.
void draw_dashes(Ui& ui, const std::vector<ImVec2>& points, Color32 color, float width) {
  const float on = ui.px(4), pitch = ui.px(7);
  float gone = 0;  // px along the curve
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ImVec2 a = points[i - 1], b = points[i];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    const auto at = [&](float along) {
      const float part = (along - gone) / length;
      return ImVec2{a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
    };
    for (float from = std::floor(gone / pitch) * pitch; length > 0 && from < gone + length; from += pitch) {
      const float begin = std::max(from, gone), end = std::min(from + on, gone + length);
      if (begin < end) ui.list().AddLine(at(begin), at(end), color, width);
    }
    gone += length;
  }
}

void draw_curve(Ui& ui, const PlotPlane& plane, const CurvePlot& plot, const Curve& curve) {
  std::vector<ImVec2> points;
  for (std::size_t i = 0; i < curve.values.size(); ++i) {
    const float y = plane.y(curve.values[i]);
    if (!curve.leaves || (y >= plane.box.y && y <= plane.box.bottom()))
      points.push_back({plane.x(plot.first + plot.step * static_cast<double>(i)), y});
  }
  const float width = ui.px(curve.strong ? 2 : 1.2F);
  if (curve.dashed)
    draw_dashes(ui, points, curve.color, width);
  else
    ui.list().AddPolyline(points.data(), static_cast<int>(points.size()), curve.color, 0, width);
}

// The legend at the right of the title, as much of it as there is room for.
void draw_legend(Ui& ui, Rect line, const CurvePlot& plot) {
  for (auto curve = plot.curves.rbegin(); curve != plot.curves.rend(); ++curve) {
    if (curve->name.empty()) continue;
    const float width = ui.width_of(Type::note, curve->name) + ui.px(34);
    if (width > line.w) return;
    Rect part = line.take_right(width);
    const float y = part.middle().y, x = part.x + ui.px(4);
    if (curve->dashed)
      for (int i = 0; i < 3; ++i)
        ui.line({x + ui.px(7.0F * static_cast<float>(i)), y}, {x + ui.px(7.0F * static_cast<float>(i) + 4), y},
                curve->color, ui.px(1.2F));
    else
      ui.line({x, y}, {x + ui.px(18), y}, curve->color, ui.px(curve->strong ? 2 : 1.2F));
    part.take_left(ui.px(28));
    ui.text_in(Type::note, part, ui.theme().text_muted, curve->name);
  }
}

// How many places of the curves lie in it.
std::size_t count_crossings(const PlotPlane& plane, const CurvePlot& plot, Rect box) {
  std::size_t count = 0;
  for (const Curve& curve : plot.curves)
    for (std::size_t i = 0; i + 1 < curve.values.size(); ++i)
      for (const double part : {0.0, 0.25, 0.5, 0.75}) {  // of the line to the next
        const double at = static_cast<double>(i) + part;
        count += box.contains({plane.x(plot.first + plot.step * at),
                               plane.y(curve.values[i] + part * (curve.values[i + 1] - curve.values[i]))});
      }
  return count;
}

// Where the words of a mark stand: at its left or right, above or below, off the box that is taken, where fewest lines
// run through them.
Rect place_words(const Ui& ui, const PlotPlane& plane, const CurvePlot& plot, const CurveMark& mark, Rect taken) {
  const Type type = mark.chosen ? Type::heading : Type::note;
  const float width = ui.width_of(type, mark.words), x = plane.x(mark.x), y = plane.y(mark.y);
  std::optional<Rect> best;
  std::size_t fewest = 0;
  for (const float top : {y - ui.px(22), y + ui.px(7), y - ui.px(40), y + ui.px(25), y + ui.px(43)})
    for (const float left : {x - width - ui.px(8), x + ui.px(8), x - width / 2}) {
      const Rect box{left, top, width, ui.line_height(type)};
      const bool inside = left >= plane.box.x && box.right() <= plane.box.right() && top >= plane.box.y &&
                          box.bottom() <= plane.box.bottom();
      if (!inside || box.overlaps(taken)) continue;
      const std::size_t lines = count_crossings(plane, plot, box);
      if (best && lines >= fewest) continue;
      best = box;
      fewest = lines;
    }
  return best.value_or(Rect{std::clamp(x - width / 2, plane.box.x, std::max(plane.box.x, plane.box.right() - width)),
                            std::max(plane.box.y, y - ui.px(22)), width, ui.line_height(type)});
}

// Says what the hatched part is, at the height where fewest lines run through the words, the highest of those. Returns
// where.
Rect label_hidden(Ui& ui, const PlotPlane& plane, const CurvePlot& plot, Rect hidden) {
  Rect best{hidden.middle().x - ui.px(36), hidden.y + ui.px(8), ui.px(72), ui.px(18)};
  std::size_t fewest = count_crossings(plane, plot, best);
  for (Rect box = best; fewest > 0 && box.bottom() + ui.px(6) <= hidden.bottom(); box.y += ui.px(6))
    if (const std::size_t lines = count_crossings(plane, plot, box.inset(0, -ui.px(2))); lines < fewest) {
      best = box;
      fewest = lines;
    }
  ui.fill(best, ui.theme().hatch_ground, ui.px(4));
  ui.text_in(Type::note, best, ui.theme().text_muted, "later keys", Ui::Align::center);
  return best;
}

// A mark has no label where that would cover the chosen mark's label or that of the hatched part.
void draw_marks(Ui& ui, const PlotPlane& plane, const CurvePlot& plot, Rect taken) {
  const Theme& t = ui.theme();
  const auto chosen = std::ranges::find(plot.marks, true, &CurveMark::chosen);
  for (const CurveMark& mark : plot.marks) {
    const ImVec2 at{plane.x(mark.x), plane.y(mark.y)};
    const float r = ui.px(mark.chosen ? 5 : 4);
    ui.list().AddCircleFilled(at, r, t.canvas, 24);
    ui.list().AddCircle(at, r, mark.chosen ? t.ink : plot.curves.front().color, 24, ui.px(mark.chosen ? 2 : 1.2F));
    const Rect words = place_words(ui, plane, plot, mark, taken);
    if (!mark.chosen && words.overlaps(taken)) continue;
    if (!mark.chosen && chosen != plot.marks.end() && words.overlaps(place_words(ui, plane, plot, *chosen, taken)))
      continue;
    ui.log(fmt::format("mechanism/plot/{}", mark.chosen ? "chosen" : "rival"), words, mark.words);
    ui.fill(words, with_alpha(t.canvas, 0.85F), ui.px(3));
    ui.text(mark.chosen ? Type::heading : Type::note, {words.x, words.y}, mark.chosen ? t.text : t.text_muted,
            mark.words);
  }
}

}  // namespace

void draw_arrow(Ui& ui, Point from, Point to, Color32 color) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), head = std::min(ui.px(9), length * 0.6F);
  if (length < 1) return;
  const float dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
  const ImVec2 neck{to.x - dx * head * 0.8F, to.y - dy * head * 0.8F};
  ui.list().AddLine({from.x, from.y}, neck, color, ui.px(2.2F));
  ui.list().AddTriangleFilled({to.x, to.y}, {neck.x - dy * head * 0.5F, neck.y + dx * head * 0.5F},
                              {neck.x + dy * head * 0.5F, neck.y - dx * head * 0.5F}, color);
}

void draw_curve_plot(Ui& ui, Rect box, const CurvePlot& plot) {
  Rect line = box.take_top(ui.px(20));
  const float title = ui.width_of(Type::label_strong, plot.title);
  ui.text_in(Type::label_strong, line.take_left(std::min(line.w, title)), ui.theme().text, plot.title);
  line.take_left(ui.px(12));
  draw_legend(ui, line, plot);
  box = {box.x + ui.px(44), box.y + ui.px(8), box.w - ui.px(54), box.h - ui.px(30)};  // between the axes
  if (plot.curves.empty() || box.h < ui.px(40)) return;
  const PlotPlane plane = find_plane(box, plot);
  ui.log("mechanism/plot", box, plot.title);
  Rect taken;
  if (plot.hidden_from && *plot.hidden_from < plane.most_x) {
    const float x = std::max(box.x, plane.x(*plot.hidden_from));
    const Rect hidden{x, box.y, box.right() - x, box.h};
    ui.hatch(hidden);
    if (hidden.w > ui.px(78)) taken = label_hidden(ui, plane, plot, hidden);
    if (taken.w > 0) ui.log("mechanism/plot/hidden", taken, "later keys");
  }
  draw_axes(ui, plane, plot.whole);
  for (const Index edge : plot.edges) {
    const float x = plane.x(static_cast<double>(edge) - 0.5);
    ui.line({x, box.y}, {x, box.bottom()}, ui.theme().line);
  }
  ui.clip(box.inset(-ui.px(7)));
  for (auto curve = plot.curves.rbegin(); curve != plot.curves.rend(); ++curve) draw_curve(ui, plane, plot, *curve);
  const Curve& first = plot.curves.front();
  for (std::size_t i = 0; plot.dots && i < first.values.size(); ++i) {
    const double x = plot.first + plot.step * static_cast<double>(i);
    if (std::abs(x - std::round(x)) > 1e-9) continue;
    ui.list().AddCircleFilled({plane.x(x), plane.y(first.values[i])}, ui.px(2.5F), first.color, 12);
  }
  for (const auto& [x, y] : plot.points) ui.list().AddCircleFilled({plane.x(x), plane.y(y)}, ui.px(3), first.color, 12);
  draw_marks(ui, plane, plot, taken);
  ui.unclip();
}

}  // namespace headlight::app
