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
  void line(std::initializer_list<ImVec2> points) const {
    std::vector<ImVec2> path(points);
    ui.list().AddPolyline(path.data(), static_cast<int>(path.size()), color, 0, width());
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

void draw_tray(const Pen& p) {
  p.line({p.at(2.5F, 10), p.at(2.5F, 13.5F), p.at(13.5F, 13.5F), p.at(13.5F, 10)});
  p.line({p.at(8, 10.5F), p.at(8, 2.5F)});
  p.line({p.at(4.8F, 5.7F), p.at(8, 2.5F), p.at(11.2F, 5.7F)});
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

}  // namespace

void draw_icon(Ui& ui, Icon icon, Point middle, Color32 color) {
  const Pen p{ui, {std::round(middle.x), std::round(middle.y)}, color};
  switch (icon) {
    case Icon::undo:
      return draw_turn_back(p, false);
    case Icon::redo:
      return draw_turn_back(p, true);
    case Icon::present:
      p.line({p.at(2, 3), p.at(14, 3), p.at(14, 10.5F), p.at(2, 10.5F), p.at(2, 2.5F)});
      return p.line({p.at(8, 10.5F), p.at(8, 13.5F), p.at(5, 13.5F), p.at(11, 13.5F)});
    case Icon::save_picture:
      return draw_tray(p);
    case Icon::first:
    case Icon::back:
    case Icon::play:
    case Icon::pause:
    case Icon::next:
    case Icon::last:
      return draw_transport(p, icon);
    case Icon::chevron_down:
      return p.line({p.at(4.5F, 6.3F), p.at(8, 9.8F), p.at(11.5F, 6.3F)});
    case Icon::chevron_right:
      return p.line({p.at(6.3F, 4.5F), p.at(9.8F, 8), p.at(6.3F, 11.5F)});
    case Icon::chevron_left:
      return p.line({p.at(9.7F, 4.5F), p.at(6.2F, 8), p.at(9.7F, 11.5F)});
    case Icon::check:
      return p.line({p.at(2.5F, 8.5F), p.at(6, 12), p.at(13, 4)});
    case Icon::close:
      p.line({p.at(4, 4), p.at(12, 12)});
      return p.line({p.at(12, 4), p.at(4, 12)});
    case Icon::minus:
      return p.line({p.at(4.5F, 8), p.at(11.5F, 8)});
    case Icon::plus:
      p.line({p.at(4.5F, 8), p.at(11.5F, 8)});
      return p.line({p.at(8, 4.5F), p.at(8, 11.5F)});
    case Icon::arrow_right:
      p.line({p.at(3.5F, 8), p.at(12.5F, 8)});
      return p.line({p.at(9, 4.8F), p.at(12.5F, 8), p.at(9, 11.2F)});
    case Icon::warning:
      p.line({p.at(8, 2.5F), p.at(14, 13.5F), p.at(2, 13.5F), p.at(8, 2.5F), p.at(8.4F, 3.2F)});
      p.line({p.at(8, 6.5F), p.at(8, 9.6F)});
      return p.line({p.at(8, 11), p.at(8, 12)});
    case Icon::sun:
      return draw_sun(p);
    case Icon::moon:
      return draw_moon(p);
    case Icon::keyboard:
      p.line({p.at(1.5F, 4), p.at(14.5F, 4), p.at(14.5F, 12), p.at(1.5F, 12), p.at(1.5F, 3.5F)});
      p.line({p.at(5, 9.5F), p.at(11, 9.5F)});
      return p.line({p.at(4, 6.7F), p.at(12, 6.7F)});
    case Icon::search:
      p.ui.list().AddCircle(p.at(7, 7), 4.6F * p.ui.scale(), p.color, 24, p.width());
      return p.line({p.at(10.4F, 10.4F), p.at(14, 14)});
    case Icon::edit:
      return p.line(
          {p.at(2.5F, 13.5F), p.at(3.5F, 10), p.at(10.5F, 3), p.at(13, 5.5F), p.at(6, 12.5F), p.at(2, 13.6F)});
    case Icon::swap:
      p.line({p.at(2.5F, 5.5F), p.at(13, 5.5F)});
      p.line({p.at(10, 2.6F), p.at(13, 5.5F), p.at(10, 8.2F)});
      p.line({p.at(13.5F, 10.8F), p.at(3, 10.8F)});
      return p.line({p.at(6, 8), p.at(3, 10.8F), p.at(6, 13.6F)});
    case Icon::folder:
      return p.line(
          {p.at(2, 13), p.at(2, 3.5F), p.at(6.5F, 3.5F), p.at(8, 5.5F), p.at(14, 5.5F), p.at(14, 13), p.at(1.5F, 13)});
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
