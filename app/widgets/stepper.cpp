// The bar of steps below everything: transport, a node a step, and how far one is.
#include <imgui.h>

#include <cmath>

#include "app/widgets/controls.h"
#include "app/widgets/views.h"

namespace headlight::app {

namespace {

// The buttons at the left; in a narrow bar without first and last. Returns their width.
float draw_transport(Ui& ui, const std::string& path, Rect box, const StepperData& data, StepperResult& result) {
  const bool narrow = box.w < ui.px(620);
  const int last = static_cast<int>(data.titles.size()) - 1;
  float x = box.x + ui.px(narrow ? 8 : 18);
  const float y = box.middle().y;
  const auto place = [&](const char* name, Icon icon, std::string_view help, Transport what, bool enabled) {
    if (icon_button(ui, path + "/" + name, {x, y - ui.px(16), ui.px(32), ui.px(32)}, icon, help, enabled))
      result.pressed = what;
    x += ui.px(narrow ? 36 : 42);
  };
  if (!narrow) place("first", Icon::first, "First step (Home)", Transport::first, data.current > 0);
  place("back", Icon::back, "Previous step (←)", Transport::back, data.current > 0);
  const float tall = std::min(ui.px(36), box.h - ui.px(6));
  if (icon_button(ui, path + "/play", {x - ui.px(2), y - tall / 2, ui.px(44), tall},
                  data.playing ? Icon::pause : Icon::play, data.playing ? "Pause (Space)" : "Play (Space)", true,
                  ButtonLook::primary))
    result.pressed = Transport::play;
  x += ui.px(50);
  place("next", Icon::next, "Next step (→)", Transport::next, data.current < last);
  if (!narrow) place("last", Icon::last, "Last step (End)", Transport::last, data.current < last);
  return x - box.x + ui.px(narrow ? 16 : 50);
}

// How far one is, at the right. Returns its width.
float draw_progress(Ui& ui, Rect box, const StepperData& data, bool named) {
  const Theme& t = ui.theme();
  std::string words =
      data.where.empty() ? fmt::format("Step {} of {}", data.current + 1, data.titles.size()) : data.where;
  if (named && data.where.empty()) words += " · " + data.titles[static_cast<std::size_t>(data.current)];
  const bool hinted = !named && !data.below.empty() && box.w * 0.22F > ui.width_of(Type::note, data.below) + ui.px(48);
  const float width =
      std::ceil(std::max(ui.width_of(Type::heading, words), hinted ? ui.width_of(Type::note, data.below) : 0));
  const float margin = ui.px(box.w < ui.px(620) ? 12 : 24);
  const Rect info = Rect{box.right() - width - margin, box.y, width, box.h}.inset(0, ui.px(hinted ? 8 : 0));
  ui.text_in(Type::heading, {info.x, info.y, info.w, hinted ? info.h / 2 : info.h}, t.text, words, Ui::Align::right);
  if (hinted)
    ui.text_in(Type::note, {info.x, info.y + info.h / 2, info.w, info.h / 2}, t.text_faint, data.below,
               Ui::Align::right);
  return width + 2 * margin;
}

// Every how many-th node can be named without touching the next name.
int named_every(const Ui& ui, const StepperData& data, float pitch) {
  float widest = 0;
  // Two neighbours need half of each: a long name between short ones takes no more than its own.
  for (std::size_t i = 1; i < data.titles.size(); ++i)
    widest = std::max(
        widest,
        (ui.width_of(Type::heading, data.titles[i - 1]) + ui.width_of(Type::heading, data.titles[i])) / 2 + ui.px(6));
  return std::max(1, static_cast<int>(std::ceil(widest / std::max(1.0F, pitch))));
}

struct Nodes {
  Rect box;
  float start = 0, pitch = 0, line_y = 0;
  int last = 0;

  float x_at(int i) const { return std::round(start + pitch * static_cast<float>(i)); }
  int nearest(float x) const {
    return std::clamp(static_cast<int>(std::lround((x - start) / std::max(1.0F, pitch))), 0, last);
  }
};

void draw_node(Ui& ui, const std::string& path, const Nodes& nodes, int i, const StepperData& data, bool hovered) {
  const Theme& t = ui.theme();
  // Where many stand close they get smaller, a gap between them, and at last are ticks of the line.
  const float pitch = nodes.last == 0 ? ui.px(16) : nodes.pitch;
  const bool current = i == data.current;
  const float x = nodes.x_at(i);
  const float r =
      current ? std::clamp(pitch * 0.58F, ui.px(5), ui.px(8)) : std::clamp(pitch * 0.36F, ui.px(1), ui.px(5));
  ui.log(fmt::format("{}/{}/dot", path, i), {x - r, nodes.line_y - r, 2 * r, 2 * r});
  if (r < ui.px(3)) {
    ui.list().AddCircleFilled({x, nodes.line_y}, r, i < data.current ? t.ink : t.line_strong, 16);
    return;
  }
  Color32 fill = hovered ? t.sunken : t.canvas;
  if (i < data.current) fill = t.ink;
  if (current) fill = t.brand;
  ui.list().AddCircleFilled({x, nodes.line_y}, r, fill, 32);
  ui.list().AddCircle({x, nodes.line_y}, r, i <= data.current ? t.ink : t.line_strong, 32, std::max(1.0F, ui.px(1.5F)));
}

Rect place_of_name(const Ui& ui, const Nodes& nodes, int i, const StepperData& data) {
  const float room = ui.width_of(Type::heading, data.titles[static_cast<std::size_t>(i)]) + ui.px(4);
  const float x = std::clamp(nodes.x_at(i) - room / 2, nodes.box.x, std::max(nodes.box.x, nodes.box.right() - room));
  return {x, nodes.box.y + ui.px(33), room, ui.px(16)};
}

// A long one does not run into the next, as the first may, which does not reach beyond the box: `right` is where the
// last one drawn ends.
void draw_name(Ui& ui, const Nodes& nodes, int i, const StepperData& data, int every, float& right) {
  if (i != data.current && (i % every != 0 || std::abs(i - data.current) < every)) return;
  const Rect place = place_of_name(ui, nodes, i, data), current = place_of_name(ui, nodes, data.current, data);
  const bool meets = place.x < right || (i < data.current && place.right() > current.x);
  if (i != data.current && meets) return;
  right = place.right();
  ui.log(fmt::format("stepper/{}/name", i), place);
  ui.text_in(i == data.current ? Type::heading : Type::note, place,
             i <= data.current ? ui.theme().text : ui.theme().text_faint, data.titles[static_cast<std::size_t>(i)],
             Ui::Align::center);
}

// A click goes to a node, a drag through all that it passes.
void draw_nodes(Ui& ui, const std::string& path, const Nodes& nodes, const StepperData& data, bool named,
                StepperResult& result) {
  for (int i = 1; i <= nodes.last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float wide = at < data.thickness.size() ? 1 + 6 * std::clamp(data.thickness[at], 0.0F, 1.0F) : 2;
    ui.line({nodes.x_at(i - 1), nodes.line_y}, {nodes.x_at(i), nodes.line_y},
            i <= data.current ? ui.theme().ink : ui.theme().line_strong, ui.px(wide));
  }
  const int every = named_every(ui, data, nodes.pitch);
  float right = nodes.box.x;
  for (int i = 0; i <= nodes.last; ++i) {
    const float pitch = nodes.last == 0 ? nodes.box.w : nodes.pitch;
    const Rect place = intersection({nodes.x_at(i) - pitch / 2, nodes.box.y, pitch, nodes.box.h}, nodes.box);
    const std::string node = fmt::format("{}/{}", path, i);
    const std::string& title = data.titles[static_cast<std::size_t>(i)];
    const auto hit = ui.hit(node, place, false, title, i == data.current ? "selected" : "");
    if (hit.clicked) result.gone_to = i;
    if (hit.held && ui.mouse_down() && nodes.nearest(ui.mouse().x) != data.current)
      result.gone_to = nodes.nearest(ui.mouse().x);
    draw_node(ui, path, nodes, i, data, hit.hovered);
    if (named) draw_name(ui, nodes, i, data, every, right);
    if (!named || every > 1) ui.tooltip(node, {place.x, nodes.box.y, place.w, 0}, title);
  }
}

}  // namespace

StepperResult stepper(Ui& ui, const std::string& path, Rect box, const StepperData& data) {
  StepperResult result;
  if (data.titles.empty()) return result;
  const bool named = box.h >= ui.px(50);
  Rect rest = box;
  rest.take_left(draw_transport(ui, path, box, data, result));
  rest.take_right(draw_progress(ui, box, data, !named));
  Nodes nodes{rest};
  nodes.last = static_cast<int>(data.titles.size()) - 1;
  nodes.start = rest.x + ui.px(12);
  nodes.pitch = nodes.last == 0 ? 0 : std::max(1.0F, rest.w - ui.px(24)) / static_cast<float>(nodes.last);
  nodes.line_y = std::round(named ? box.y + ui.px(20) : box.middle().y);
  if (rest.w > ui.px(90)) draw_nodes(ui, path, nodes, data, named, result);
  return result;
}

}  // namespace headlight::app
