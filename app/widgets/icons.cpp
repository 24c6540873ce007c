#include "app/widgets/icons.h"

#include <imgui.h>

#include <cmath>

namespace headlight::app {

namespace {

// A pen in a square of 16 × 16 whose middle is (8, 8).
struct Pen {
  Ui& ui;
  Point middle;
  Color32 color;

  ImVec2 at(float x, float y) const { return {middle.x + (x - 8) * ui.scale(), middle.y + (y - 8) * ui.scale()}; }
  float width() const { return std::max(1.0F, 1.5F * ui.scale()); }
  void line(const std::vector<ImVec2>& points) const {
    ui.list().AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, width());
  }
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c) const { ui.list().AddTriangleFilled(a, b, c, color); }
  void bar(float x, float y, float w, float h) const {
    ui.list().AddRectFilled(at(x, y), at(x + w, y + h), color, ui.scale() * 0.5F);
  }
};

void draw_turn_back(const Pen& p, bool mirrored) {
  const auto x = [&](float value) { return mirrored ? 16 - value : value; };
  p.line({p.at(x(6), 2.5F), p.at(x(3), 5.5F), p.at(x(6), 8.5F)});
  p.line({p.at(x(3), 5.5F), p.at(x(10), 5.5F), p.at(x(12.3F), 6.5F), p.at(x(13.2F), 9), p.at(x(12.3F), 11.5F),
          p.at(x(10), 12.5F), p.at(x(7), 12.5F)});
}

void draw_transport(const Pen& p, Icon icon) {
  const bool back = icon == Icon::first || icon == Icon::back;
  const auto x = [&](float value) { return back ? 16 - value : value; };
  if (icon == Icon::play) return p.triangle(p.at(4.5F, 2.5F), p.at(13.5F, 8), p.at(4.5F, 13.5F));
  if (icon == Icon::pause) {
    p.bar(4, 3, 3, 10);
    return p.bar(9, 3, 3, 10);
  }
  p.triangle(p.at(x(4.5F), 3.5F), p.at(x(11), 8), p.at(x(4.5F), 12.5F));
  if (icon == Icon::first || icon == Icon::last) p.bar(back ? 2.8F : 11.4F, 3.5F, 1.8F, 9);
}

void draw_sun(const Pen& p) {
  p.ui.list().AddCircle(p.at(8, 8), 3 * p.ui.scale(), p.color, 24, p.width());
  for (int i = 0; i < 8; ++i) {
    const float angle = static_cast<float>(i) * 0.7853982F;
    p.line({p.at(8 + 5 * std::cos(angle), 8 + 5 * std::sin(angle)),
            p.at(8 + 6.6F * std::cos(angle), 8 + 6.6F * std::sin(angle))});
  }
}

// A crescent: an outer arc and a flatter one back to its start.
void draw_moon(const Pen& p) {
  ImDrawList& list = p.ui.list();
  const float s = p.ui.scale();
  list.PathArcTo(p.at(8, 8), 5.6F * s, 0.35F, 4.36F, 28);
  list.PathArcTo(p.at(10.6F, 5.4F), 4.6F * s, 3.75F, 0.96F, 24);
  list.PathStroke(p.color, ImDrawFlags_Closed, p.width());
}

// The icons that are lines alone, line by line.
struct IconLine {
  Icon icon;
  std::vector<Point> points;
};
const std::vector<IconLine>& icon_lines() {
  static const std::vector<IconLine> all{
      {Icon::present, {{2, 3}, {14, 3}, {14, 10.5F}, {2, 10.5F}, {2, 2.5F}}},
      {Icon::present, {{8, 10.5F}, {8, 13.5F}, {5, 13.5F}, {11, 13.5F}}},
      {Icon::save_picture, {{2.5F, 10}, {2.5F, 13.5F}, {13.5F, 13.5F}, {13.5F, 10}}},
      {Icon::save_picture, {{8, 10.5F}, {8, 2.5F}}},
      {Icon::save_picture, {{4.8F, 5.7F}, {8, 2.5F}, {11.2F, 5.7F}}},
      {Icon::chevron_down, {{4.5F, 6.3F}, {8, 9.8F}, {11.5F, 6.3F}}},
      {Icon::chevron_right, {{6.3F, 4.5F}, {9.8F, 8}, {6.3F, 11.5F}}},
      {Icon::chevron_left, {{9.7F, 4.5F}, {6.2F, 8}, {9.7F, 11.5F}}},
      {Icon::check, {{2.5F, 8.5F}, {6, 12}, {13, 4}}},
      {Icon::close, {{4, 4}, {12, 12}}},
      {Icon::close, {{12, 4}, {4, 12}}},
      {Icon::minus, {{4.5F, 8}, {11.5F, 8}}},
      {Icon::plus, {{4.5F, 8}, {11.5F, 8}}},
      {Icon::plus, {{8, 4.5F}, {8, 11.5F}}},
      {Icon::arrow_right, {{3.5F, 8}, {12.5F, 8}}},
      {Icon::arrow_right, {{9, 4.8F}, {12.5F, 8}, {9, 11.2F}}},
      {Icon::warning, {{8, 2.5F}, {14, 13.5F}, {2, 13.5F}, {8, 2.5F}, {8.4F, 3.2F}}},
      {Icon::warning, {{8, 6.5F}, {8, 9.6F}}},
      {Icon::warning, {{8, 11}, {8, 12}}},
      {Icon::keyboard, {{1.5F, 4}, {14.5F, 4}, {14.5F, 12}, {1.5F, 12}, {1.5F, 3.5F}}},
      {Icon::keyboard, {{5, 9.5F}, {11, 9.5F}}},
      {Icon::keyboard, {{4, 6.7F}, {12, 6.7F}}},
      {Icon::search, {{10.4F, 10.4F}, {14, 14}}},
      {Icon::edit, {{2.5F, 13.5F}, {3.5F, 10}, {10.5F, 3}, {13, 5.5F}, {6, 12.5F}, {2, 13.6F}}},
      {Icon::swap, {{2.5F, 5.5F}, {13, 5.5F}}},
      {Icon::swap, {{10, 2.6F}, {13, 5.5F}, {10, 8.2F}}},
      {Icon::swap, {{13.5F, 10.8F}, {3, 10.8F}}},
      {Icon::swap, {{6, 8}, {3, 10.8F}, {6, 13.6F}}},
      {Icon::folder, {{2, 13}, {2, 3.5F}, {6.5F, 3.5F}, {8, 5.5F}, {14, 5.5F}, {14, 13}, {1.5F, 13}}},
  };
  return all;
}

}  // namespace

void draw_icon(Ui& ui, Icon icon, Point middle, Color32 color) {
  const Pen p{ui, {std::round(middle.x), std::round(middle.y)}, color};
  if (icon == Icon::undo || icon == Icon::redo) return draw_turn_back(p, icon == Icon::redo);
  if (icon >= Icon::first && icon <= Icon::last) return draw_transport(p, icon);
  if (icon == Icon::sun) return draw_sun(p);
  if (icon == Icon::moon) return draw_moon(p);
  if (icon == Icon::search) ui.list().AddCircle(p.at(7, 7), 4.6F * ui.scale(), color, 24, p.width());
  for (const IconLine& line : icon_lines()) {
    if (line.icon != icon) continue;
    std::vector<ImVec2> path;
    for (const Point& point : line.points) path.push_back(p.at(point.x, point.y));
    p.line(path);
  }
}

std::optional<Icon> icon_named(std::string_view name) {
  constexpr std::pair<std::string_view, Icon> names[] = {
      {"undo", Icon::undo},     {"redo", Icon::redo},         {"save_picture", Icon::save_picture},
      {"play", Icon::play},     {"pause", Icon::pause},       {"sun", Icon::sun},
      {"folder", Icon::folder}, {"keyboard", Icon::keyboard}, {"search", Icon::search},
      {"swap", Icon::swap},     {"present", Icon::present}};
  for (const auto& [known, icon] : names)
    if (known == name) return icon;
  return std::nullopt;
}

void draw_mark(Ui& ui, Point middle, float times) {
  const float unit = times * ui.scale();
  const auto at = [&](float x, float y) {
    return ImVec2{std::round(middle.x) + (x - 8) * unit, std::round(middle.y) + (y - 8) * unit};
  };
  ui.list().AddTriangleFilled(at(7, 8), at(16.5F, 2.2F), at(16.5F, 13.8F), ui.theme().brand);
  ui.list().AddCircleFilled(at(2, 8), 4.6F * unit, ui.theme().ink, 32);
}

}  // namespace headlight::app
