// Queries and keys that are brought to one size; codes of rows and columns; numbers of a feed-forward part that pass a
// gate.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/panels/common/picture.h"
#include "app/panels/common/prepared.h"
#include "app/panels/mechanism/parts.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

using mechanism::Facing;

constexpr double degrees = 180 / std::numbers::pi;

// Both arrows in the plane that they span, the query to the right; the circle is the longest of the head.
void draw_facing(Ui& ui, Rect box, const Facing& pair, double longest) {
  const Theme& t = ui.theme();
  const Point middle = box.middle();
  const float radius = std::min(box.w, box.h) / 2 - 1;
  const ImVec2 at{middle.x, middle.y};
  ui.list().AddCircle(at, radius, t.line_strong, 64, 1);
  const auto angle = static_cast<float>(pair.between);
  ui.list().PathLineTo(at);
  ui.list().PathArcTo(at, radius * 0.4F, -angle, 0, 24);
  ui.list().PathFillConvex(with_alpha(t.score.main, 0.16F));
  const auto end = [&](double length, double turn) {
    const auto by = static_cast<float>(longest > 0 ? length / longest : 0) * radius;
    return Point{middle.x + by * static_cast<float>(std::cos(turn)),
                 middle.y - by * static_cast<float>(std::sin(turn))};
  };
  draw_arrow(ui, middle, end(pair.q, 0), t.query.main);
  draw_arrow(ui, middle, end(pair.k, pair.between), t.key.main);
  ui.list().AddCircleFilled(at, ui.px(3), t.ink, 16);
}

// A bar for each key's length, the selected one's filled.
void draw_lengths(Ui& ui, Rect box, const std::vector<double>& lengths, double longest, Index chosen) {
  const Theme& t = ui.theme();
  const float pitch = box.w / static_cast<float>(std::max<std::size_t>(1, lengths.size()));
  for (std::size_t j = 0; j < lengths.size(); ++j) {
    const auto share = static_cast<float>(longest > 0 ? lengths[j] / longest : 0);
    const float width = std::max(ui.px(1), std::min(pitch - ui.px(1), ui.px(14))),
                tall = std::max(ui.px(1), box.h * share);
    ui.fill({box.x + pitch * static_cast<float>(j), box.bottom() - tall, width, tall},
            static_cast<Index>(j) == chosen ? t.key.main : with_alpha(t.key.main, 0.35F));
  }
  ui.line({box.x, box.bottom()}, {box.right(), box.bottom()}, t.line_strong);
}

struct Sizes {
  const char* name;
  Facing pair;
  std::vector<double> keys;
  double longest = 0;
};

Sizes sizes_of(const char* name, const Step& q, const Step& k, const mechanism::PairOf& of) {
  Sizes sizes{name, mechanism::facing(q, k, of), mechanism::lengths_of(k, of.batch, of.head)};
  for (const double length : mechanism::lengths_of(q, of.batch, of.head))
    sizes.longest = std::max(sizes.longest, length);
  for (const double length : sizes.keys) sizes.longest = std::max(sizes.longest, length);
  return sizes;
}

float draw_norming(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory&, Actions&) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const mechanism::Norming norming = *mechanism::norming(frame.problem, frame.trace);
  picture_title(ui, box, "Length no longer counts", norming.title);
  const Sizes sides[] = {sizes_of("as they were", *norming.q, *norming.k, frame.of),
                         sizes_of("normed", *norming.q_normed, *norming.k_normed, frame.of)};
  const float words = ui.px(18), bars = ui.px(40), gap = ui.px(24);
  const float room = top + frame.share - box.y - 3 * words - bars - ui.px(16);
  const float side = std::clamp(room, ui.px(84), ui.px(150)), pitch = (box.w - gap) / 2;
  for (const Sizes& sizes : sides) {
    const bool normed = &sizes != sides;
    Rect column{box.x + (normed ? pitch + gap : 0), box.y, pitch, 3 * words + side + bars + ui.px(16)};
    ui.text_in(Type::note, column.take_top(words), t.text_muted, sizes.name, Ui::Align::center);
    draw_facing(ui, column.take_top(side), sizes.pair, sizes.longest);
    column.take_top(ui.px(4));
    const std::string told =
        fmt::format("|q| {:.3g}  |k| {:.3g}  {:.1f}°", sizes.pair.q, sizes.pair.k, sizes.pair.between * degrees);
    ui.text_in(Type::number_small, column.take_top(words), t.text, told, Ui::Align::center);
    ui.log(normed ? "mechanism/norming/after" : "mechanism/norming/before", column, told);
    column.take_top(ui.px(4));
    draw_lengths(ui, column.take_top(bars), sizes.keys, sizes.longest, frame.of.key);
    column.take_top(ui.px(4));
    const auto [least, most] = std::ranges::minmax(sizes.keys);
    const bool alike = most - least < 1e-4 * most;
    const std::string spread = alike ? fmt::format("all keys are {:.3g} long", most)
                                     : fmt::format("keys are {:.3g} to {:.3g} long", least, most);
    ui.text_in(Type::note, column.take_top(words), t.text_faint, ui.fitted(Type::note, spread, pitch),
               Ui::Align::center);
  }
  return 3 * words + side + bars + ui.px(16) + box.y - top;
}

float draw_codes(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const mechanism::PlaceCodes codes = *mechanism::place_codes(frame.problem, frame.trace);
  const Axis& queries = *frame.map.axis(AxisRole::query);
  const Index place = std::min(queries.only.value_or(frame.of.query), codes.rows * codes.columns - 1);
  MechanismMemory& kept = memory.get<MechanismMemory>();
  MechanismMemory::Of of = all_of(frame);
  of.batch = of.head = of.key = -1;
  if (kept.codes_of != of || !kept.likeness)
    kept.likeness = std::make_shared<const Tensor>(mechanism::likeness_of_codes(codes, place));
  kept.codes_of = of;
  const Index row = place / codes.columns, column = place % codes.columns;
  picture_title(ui, box, "Which codes are like this one's", fmt::format("{} × {} places", codes.rows, codes.columns));
  const std::string told = fmt::format(
      "Half of the channels say the row, half the column: what lies in the row or the column of {}, {} shares half of "
      "its code. Waves come round, so that places a whole turn apart are alike, too.",
      row, column);
  const float below = ui.px(56) + paragraph(ui, {}, box.w, t.text_muted, told, false, Type::note);
  const float room = std::clamp(top + frame.share - box.y - below, ui.px(120), ui.px(300));
  const float cell = std::min(box.w / static_cast<float>(codes.columns), room / static_cast<float>(codes.rows));
  MapData data;
  data.cells = matrix_at(*kept.likeness, {});
  data.owner = kept.likeness;
  data.key = "mechanism/codes";
  data.numbers = {.run = frame.model.shown.ticket,
                  .what = "likeness of codes",
                  .offset = place,
                  .rows = codes.rows,
                  .columns = codes.columns};
  data.range = value_range(Kind::score, memory.get<Prepared>().extent(data));
  data.colormap = default_colormap(data.range.is_signed(), t.dark);
  const Rect map{box.x, box.y, cell * static_cast<float>(codes.columns), cell * static_cast<float>(codes.rows)};
  draw_map(ui, data, map, MapSize::small);
  ui.frame(map.inset(-1), t.line_strong);
  const auto mark = [&](Index at, Color32 color) {
    mark_pixel(ui, pixel_rect(map, codes.rows, codes.columns, at / codes.columns, at % codes.columns), color);
  };
  const Index places = codes.rows * codes.columns;
  if (frame.of.key < places) mark(frame.of.key, t.key.main);
  mark(place, t.query.main);
  const std::string value =
      frame.of.key < places ? fmt::format("{:.4f}", static_cast<double>((*kept.likeness)[frame.of.key])) : "";
  const auto hit = ui.hit("mechanism/codes", map, false, value);
  if (hit.clicked && !queries.only) ask_from(frame, cell_under(ui.mouse(), map, codes.rows, codes.columns), actions);
  box.take_top(map.h + ui.px(8));
  ColorBarData bar;
  bar.key = "mechanism/codes bar";
  bar.range = data.range;
  bar.colormap = data.colormap;
  bar.words = "cosine of two codes, linear";
  color_bar(ui, box.take_top(ui.px(40)).inset(ui.px(2), 0), bar);
  box.take_top(ui.px(8) + paragraph(ui, {box.x, box.y}, box.w, t.text_muted, told, true, Type::note));
  return box.y - top;
}

float draw_gating(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions&) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const mechanism::Gating gating = *mechanism::gating(frame.trace);
  const Index width = gating.gate->tensor().dim(-1), row = std::min(frame.of.query, gating.gate->tensor().dim(1) - 1);
  picture_title(ui, box, fmt::format("What the gate lets through: {}", frame.query), fmt::format("{} channels", width));
  const float names = ui.px(76), tall = ui.px(18), gap = ui.px(6);
  struct Strip {
    const char *name, *sign;
    const Step* step;
  };
  for (const Strip& strip :
       {Strip{"its gate", "", gating.gate}, {"comes up", "·", gating.up}, {"passes", "=", gating.hidden}}) {
    Rect line = box.take_top(tall);
    Rect name = line.take_left(names);
    ui.text_in(Type::body_strong, name.take_left(ui.px(14)), t.text, strip.sign);
    ui.text_in(Type::note, name, t.text_muted, strip.name);
    const Tensor& x = strip.step->tensor();  // (B, n_q, d_ff)
    MapData data;
    data.cells = matrix_at(x, {frame.of.batch});
    data.cells.data += row * data.cells.row_stride;
    data.cells.rows = 1;
    data.owner = strip.step->values;
    data.key = std::string("mechanism/gate/") + strip.name;
    data.numbers = {.run = frame.model.shown.ticket,
                    .what = data.key,
                    .offset = data.cells.data - x.data(),
                    .rows = 1,
                    .columns = width};
    data.range = value_range(Kind::activation, memory.get<Prepared>().extent(data));
    data.colormap = default_colormap(data.range.is_signed(), t.dark);
    draw_map(ui, data, line, MapSize::small);
    ui.frame(line.inset(-1), t.line_strong);
    box.take_top(gap);
  }
  const float* gate = gating.gate->tensor().data() + (frame.of.batch * gating.gate->tensor().dim(1) + row) * width;
  double largest = 0;
  for (Index c = 0; c < width; ++c) largest = std::max(largest, std::abs(static_cast<double>(gate[c])));
  const auto shut =
      std::count_if(gate, gate + width, [&](float x) { return std::abs(static_cast<double>(x)) < 0.1 * largest; });
  const std::string told = fmt::format(
      "In {} of {} channels the gate is below a tenth of its largest, {:.3g}: little of what comes up passes.", shut,
      width, largest);
  ui.log("mechanism/gating", box, fmt::format("{} of {}", shut, width));
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, t.text_muted, told, true, Type::note));
  return box.y - top;
}

}  // namespace

const MechanismPicture& norming_picture() {
  static const MechanismPicture picture{
      "norming", "lengths of queries and keys",
      [](const Problem& problem, const Trace& trace) { return mechanism::norming(problem, trace).has_value(); },
      draw_norming};
  return picture;
}

const MechanismPicture& place_codes_picture() {
  static const MechanismPicture picture{
      "codes", "codes of places",
      [](const Problem& problem, const Trace& trace) { return mechanism::place_codes(problem, trace).has_value(); },
      draw_codes};
  return picture;
}

const MechanismPicture& gating_picture() {
  static const MechanismPicture picture{
      "gating", "what the gate lets through",
      [](const Problem&, const Trace& trace) { return mechanism::gating(trace).has_value(); }, draw_gating};
  return picture;
}

}  // namespace headlight::app
