#include "app/panels/inspector/parts.h"

#include <imgui.h>

#include <cmath>
#include <optional>

#include "app/reading/costs.h"

namespace headlight::app {

namespace {

// The prices of a run at other sizes, kept until another is shown: each is a run without numbers.
struct CostsKept {
  std::optional<std::uint64_t> run;
  CostChart chart;
};

// A plane on which both directions rise by powers.
struct CostPlane {
  Rect box;
  double least_x, most_x, least_y, most_y;

  Point at(double x, double y) const {
    const auto part = [](double v, double least, double most) {
      return static_cast<float>(std::log(v / least) / std::log(most / least));
    };
    return {box.x + box.w * part(x, least_x, most_x), box.bottom() - box.h * part(y, least_y, most_y)};
  }
};

void draw_ticks(Ui& ui, const CostPlane& plane, const CostChart& chart) {
  const Theme& t = ui.theme();
  for (double y = plane.least_y; y <= plane.most_y * 1.001; y *= 1000) {
    const float line = std::round(plane.at(plane.least_x, y).y);
    ui.line({plane.box.x, line}, {plane.box.right(), line}, t.line);
    ui.text_in(Type::number_small, {plane.box.x - ui.px(46), line - ui.px(8), ui.px(42), ui.px(16)}, t.text_faint,
               count_text(y), Ui::Align::right);
  }
  float free = -1e9F;
  for (const auto& point : chart.curves.front().points) {
    const Point p = plane.at(static_cast<double>(point.size), plane.least_y);
    const std::string text = fmt::format("{}", point.size);
    const float width = ui.width_of(Type::number_small, text) + ui.px(6);
    if (p.x - width / 2 < free) continue;
    free = p.x + width / 2;
    ui.text_in(Type::number_small, {p.x - width / 2, plane.box.bottom() + ui.px(3), width, ui.px(14)}, t.text_faint,
               text, Ui::Align::center);
  }
}

void draw_curve(Ui& ui, const CostPlane& plane, const CostCurve& curve) {
  const Color32 color = curve.current ? ui.theme().weight.main : ui.theme().text_faint;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    ui.line(plane.at(static_cast<double>(curve.points[i - 1].size), curve.points[i - 1].cost.operations),
            plane.at(static_cast<double>(curve.points[i].size), curve.points[i].cost.operations), color,
            ui.px(curve.current ? 2 : 1.5F));
}

}  // namespace

float draw_costs(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  if (!model.shown.problem) return 0;
  if (memory.get<CostsKept>().run != model.shown.ticket)
    memory.get<CostsKept>() = {model.shown.ticket, cost_chart(*model.shown.problem)};
  const CostChart& chart = memory.get<CostsKept>().chart;
  if (chart.curves.empty() || chart.curves.front().points.size() < 2) return 0;
  const Theme& t = ui.theme();
  float y = box.y;
  ui.text_in(Type::heading, {box.x, y, box.w, ui.px(20)}, t.text_muted, "What it costs");
  y += ui.px(22);
  const std::string own = fmt::format("{} operations, {} of steps at {}", count_text(chart.own.operations),
                                      bytes_text(chart.own.bytes), chart.at);
  y += paragraph(ui, {box.x, y}, box.w, t.text, own, true, Type::label) + ui.px(8);
  ui.log("costs", {box.x, box.y, box.w, y - box.y}, own);
  CostPlane plane{{box.x + ui.px(48), y + ui.px(4), box.w - ui.px(56), ui.px(120)}, 1e300, 0, 1e300, 0};
  for (const auto& curve : chart.curves)
    for (const auto& point : curve.points) {
      plane.least_x = std::min(plane.least_x, static_cast<double>(point.size));
      plane.most_x = std::max(plane.most_x, static_cast<double>(point.size));
      plane.least_y = std::min(plane.least_y, point.cost.operations);
      plane.most_y = std::max(plane.most_y, point.cost.operations);
    }
  plane.least_y = std::pow(1000, std::floor(std::log10(plane.least_y) / 3));
  plane.most_y *= 1.5;
  draw_ticks(ui, plane, chart);
  ui.line({plane.box.x, plane.box.bottom()}, {plane.box.right(), plane.box.bottom()}, t.line_strong);
  for (auto curve = chart.curves.rbegin(); curve != chart.curves.rend(); ++curve) draw_curve(ui, plane, *curve);
  const Point here = plane.at(static_cast<double>(chart.size), chart.own.operations);
  ui.line({std::round(here.x), here.y}, {std::round(here.x), plane.box.bottom()}, t.ink);
  ui.list().AddCircleFilled({here.x, here.y}, ui.px(5), t.brand, 24);
  ui.list().AddCircle({here.x, here.y}, ui.px(5), t.ink, 24, ui.px(1.5F));
  y = plane.box.bottom() + ui.px(20);
  ui.text_in(Type::note, {plane.box.x, y, plane.box.w, ui.px(16)}, t.text_faint, chart.of, Ui::Align::center);
  y += ui.px(20);
  float x = plane.box.x;
  for (const auto& curve : chart.curves) {
    const Color32 color = curve.current ? t.weight.main : t.text_faint;
    ui.fill({x, y + ui.px(7), ui.px(16), ui.px(curve.current ? 3 : 2)}, color);
    x += ui.px(22) + ui.text(Type::note, {x + ui.px(22), y}, t.text_muted, curve.name) + ui.px(16);
  }
  return y + ui.px(20) - box.y;
}

}  // namespace headlight::app
