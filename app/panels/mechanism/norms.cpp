// Queries and keys that are brought to one size; codes of rows and columns; numbers of a feed-forward part that pass a
// gate.
#include <imgui.h>

#include <cmath>
#include <numbers>

#include "app/panels/common/picture.h"
#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

using mechanism::QkAngle;

constexpr double degrees = 180 / std::numbers::pi;

// Both arrows in the plane that they span, the query to the right; the circle is the longest of the head.
void draw_facing(Ui& ui, Rect box, const QkAngle& pair, double longest) {
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
    const float width = std::max(ui.px(1), std::min(pitch - ui.px(1), ui.px(14))),
                tall = std::max(ui.px(1), box.h * static_cast<float>(longest > 0 ? lengths[j] / longest : 0));
    ui.fill({box.x + pitch * static_cast<float>(j), box.bottom() - tall, width, tall},
            static_cast<Index>(j) == chosen ? t.key.main : with_alpha(t.key.main, 0.35F));
  }
  ui.line({box.x, box.bottom()}, {box.right(), box.bottom()}, t.line_strong);
}

struct Sizes {
  const char* name;
  QkAngle pair;
  std::vector<double> keys;
  double longest = 0;
};

Sizes sizes_of(const char* name, const Step& q, const Step& k, const mechanism::PairIndex& of) {
  Sizes sizes{name, mechanism::qk_angle(q, k, of), mechanism::row_lengths(k, of.batch, of.head)};
  for (const double length : mechanism::row_lengths(q, of.batch, of.head))
    sizes.longest = std::max(sizes.longest, length);
  for (const double length : sizes.keys) sizes.longest = std::max(sizes.longest, length);
  return sizes;
}

// One of both sides: the arrows, their numbers, and how long all keys are. Fills the box.
void draw_sizes(const MechanismFrame& frame, Rect box, const Sizes& sizes, float side, const char* id) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const float words = ui.px(18);
  ui.text_in(Type::note, box.take_top(words), t.text_muted, sizes.name, Ui::Align::center);
  draw_facing(ui, box.take_top(side), sizes.pair, sizes.longest);
  box.take_top(ui.px(4));
  const std::string numbers =
      fmt::format("|q| {:.3g}  |k| {:.3g}  {:.1f}°", sizes.pair.q, sizes.pair.k, sizes.pair.between * degrees);
  ui.text_in(Type::number_small, box.take_top(words), t.text, numbers, Ui::Align::center);
  ui.log(std::string("mechanism/norming/") + id, box, numbers);
  box.take_top(ui.px(4));
  draw_lengths(ui, box.take_top(ui.px(40)), sizes.keys, sizes.longest, frame.of.key);
  box.take_top(ui.px(4));
  const auto [least, most] = std::ranges::minmax(sizes.keys);
  const bool alike = most - least < 1e-4 * most;
  ui.text_in(Type::note, box.take_top(words), t.text_faint,
             alike ? fmt::format("all keys are {:.3g} long", most)
                   : fmt::format("keys are {:.3g} to {:.3g} long", least, most),
             Ui::Align::center);
}

}  // namespace

void draw_norming(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const mechanism::QkNorm norming = *mechanism::qk_norm(frame.problem, frame.trace);
  frame.title("Length no longer counts", norming.title);
  const float around = ui.px(3 * 18 + 40 + 16), gap = ui.px(24);  // words and bars, above and below the arrows
  const float side = std::clamp(frame.height_left(around), ui.px(84), ui.px(150)), width = (frame.box.w - gap) / 2;
  Rect row = frame.box.take_top(around + side);
  draw_sizes(frame, row.take_left(width), sizes_of("as they were", *norming.q, *norming.k, frame.of), side, "before");
  row.take_left(gap);
  draw_sizes(frame, row.take_left(width), sizes_of("normed", *norming.q_normed, *norming.k_normed, frame.of), side,
             "after");
}

void draw_place_codes(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const mechanism::PlaceCodes codes = *mechanism::place_codes(frame.problem, frame.trace);
  const Axis& queries = *frame.map.axis(AxisRole::query);
  const Index rows = codes.rows, columns = codes.columns, places = rows * columns;
  const Index place = std::min(queries.only.value_or(frame.of.query), places - 1);
  MechanismMemory& kept = frame.cache();
  MechanismMemory::Of of = frame.selected();
  of.batch = of.head = of.key = -1;
  if (kept.codes_of != of || !kept.similarity)
    kept.similarity = std::make_shared<const Tensor>(mechanism::code_similarity(codes, place));
  kept.codes_of = of;
  frame.title("Which codes are like this one's", fmt::format("{} × {} places", rows, columns));
  const std::string words = fmt::format(
      "Half of the channels say the row, half the column: what lies in the row or the column of {}, {} shares half of "
      "its code. Waves come round, so that places a whole turn apart are alike, too.",
      place / columns, place % columns);
  const float room = std::clamp(frame.height_left(ui.px(56) + frame.height_of(words)), ui.px(120), ui.px(300));
  const float cell = std::min(frame.box.w / static_cast<float>(columns), room / static_cast<float>(rows));
  MapData data = frame.own_map("mechanism/codes", matrix_at(*kept.similarity, {}), place);
  data.owner = kept.similarity;
  const Rect map{frame.box.x, frame.box.y, cell * static_cast<float>(columns), cell * static_cast<float>(rows)};
  draw_framed_map(ui, map, data, t.line_strong);
  const auto mark = [&](Index at, Color32 color) {
    mark_pixel(ui, pixel_rect(map, rows, columns, at / columns, at % columns), color);
  };
  const bool key_has_code = frame.of.key < places;
  if (key_has_code) mark(frame.of.key, t.key.main);
  mark(place, t.query.main);
  const std::string value =
      key_has_code ? fmt::format("{:.4f}", static_cast<double>((*kept.similarity)[frame.of.key])) : "";
  if (ui.hit("mechanism/codes", map, false, value).clicked && !queries.only)
    frame.select_query(cell_under(ui.mouse(), map, rows, columns));
  frame.box.take_top(map.h + ui.px(8));
  frame.color_bar(data, "cosine of two codes, linear", frame.box.take_top(ui.px(40)).inset(ui.px(2), 0));
  frame.words(words, t.text_muted);
  frame.skip(8);
}

void draw_gating(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const mechanism::Gating gating = *mechanism::gating(frame.trace);
  const Tensor& gates = gating.gate->tensor();  // (B, n_q, d_ff)
  const Index width = gates.dim(-1), row = std::min(frame.of.query, gates.dim(1) - 1);
  frame.title(fmt::format("What the gate lets through: {}", frame.query), fmt::format("{} channels", width));
  struct Strip {
    const char *name, *sign;
    const Step* step;
  };
  for (const Strip& strip :
       {Strip{"its gate", "", gating.gate}, {"comes up", "·", gating.up}, {"passes", "=", gating.hidden}}) {
    Rect line = frame.box.take_top(ui.px(18));
    Rect name = line.take_left(ui.px(76));
    ui.text_in(Type::body_strong, name.take_left(ui.px(14)), t.text, strip.sign);
    ui.text_in(Type::note, name, t.text_muted, strip.name);
    const Tensor& x = strip.step->tensor();
    MatrixView cells = matrix_at(x, {frame.of.batch});
    cells.data += row * cells.row_stride;
    cells.rows = 1;
    MapData data =
        frame.own_map(std::string("mechanism/gate/") + strip.name, cells, cells.data - x.data(), Kind::activation);
    data.owner = strip.step->values;
    draw_framed_map(ui, line, data, t.line_strong);
    frame.skip(6);
  }
  const auto gate = gates.values().subspan(static_cast<std::size_t>((frame.of.batch * gates.dim(1) + row) * width),
                                           static_cast<std::size_t>(width));
  double largest = 0;
  for (const float x : gate) largest = std::max(largest, std::abs(static_cast<double>(x)));
  const auto shut =
      std::ranges::count_if(gate, [&](float x) { return std::abs(static_cast<double>(x)) < 0.1 * largest; });
  ui.log("mechanism/gating", frame.box, fmt::format("{} of {}", shut, width));
  frame.words(
      fmt::format(
          "In {} of {} channels the gate is below a tenth of its largest, {:.3g}: little of what comes up passes.",
          shut, width, largest),
      t.text_muted);
}

}  // namespace headlight::app
