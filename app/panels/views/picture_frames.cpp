// The frames of a video: each with its share of the query's row. Where they are too many to be seen beside each other,
// all are bars, and those round the current one are pictures.
#include <cmath>

#include "app/panels/views/parts.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The share of the query's row that each frame gets, by the step's own numbers.
std::vector<double> shares_of(const Scene& scene) {
  std::vector<double> shares;
  Focus focus = scene.focus;
  const Index frames = frames_of(*scene.step);
  for (focus.frame = 0; focus.frame < frames; ++focus.frame) {
    const Slice slice = slice_of(*scene.step, focus);
    double sum = 0;
    for (Index r = 0; r < slice.matrix.rows; ++r)
      for (Index c = 0; c < slice.matrix.columns; ++c)
        if (const float v = slice.matrix.at(r, c); std::isfinite(v)) sum += v;
    shares.push_back(sum);
  }
  return shares;
}

// px: what lies over the pictures, between them, below each, and the bars of all with their numbers.
constexpr float frame_gap = 6, frame_title = 24, frame_numbers = 58, least_frame = 48, picture_of_many = 84,
                bars_height = 48, bars_numbers = 26;

struct Shares {
  std::vector<double> of;  // each frame
  double largest = 1e-12;  // without its sign
  bool weights = true;     // else sums of any numbers
};

// "12.3%", as long as there is room for.
std::string share_text(const Ui& ui, const Shares& shares, Index frame, float room) {
  const double share = shares.of[static_cast<std::size_t>(frame)];
  const auto fits = [&](const std::string& text) { return ui.width_of(Type::number_note, text) <= room; };
  if (shares.weights) {
    const std::string text = fmt::format("{:.1f}%", share * 100);
    return fits(text) ? text : fmt::format("{:.0f}%", share * 100);
  }
  std::string text = number_text(share, 2);
  for (int digits = 3; digits > 0 && !fits(text); --digits)
    text = with_minus_signs(fmt::format("{:.{}g}", share, digits));
  return text;
}

struct FrameTile {
  Index frame = 0;
  Rect picture, numbers;  // numbers: what lies below it
  float line_from = 0;    // where the line below its bar begins
};

// A frame, its share as number and bar, and its own number.
void draw_frame_tile(Ui& ui, const FrameTile& tile, const Shares& shares, const Model& model, PanelMemory& memory,
                     const Scene& scene, Actions& actions) {
  const Theme& t = ui.theme();
  Scene at = scene;
  at.focus.frame = tile.frame;
  at.picture = picture_or_features(model, memory, tile.frame, scene.positions);
  const Rect& numbers = tile.numbers;
  const Rect box = fitted(tile.picture, scene.rows, scene.columns);
  const std::string path = fmt::format("frames/{}", tile.frame);
  const double share = shares.of[static_cast<std::size_t>(tile.frame)];
  const bool current = tile.frame == slice_of(*scene.step, scene.focus).frame;
  const auto hit =
      ui.hit(path, {tile.picture.x, tile.picture.y, tile.picture.w, numbers.bottom() - ui.px(2) - tile.picture.y}, true,
             fmt::format("{:.4f}", share), current ? "selected" : "");
  draw_response(ui, model, memory, path, box, at, scene.focus.head, true);
  if (current) ui.frame(box.inset(-ui.px(3)), t.brand, ui.px(3), ui.px(3));
  if (hit.hovered && !current) ui.frame(box.inset(-ui.px(2)), t.line_strong, ui.px(3), ui.px(2));
  if (hit.clicked) actions.push_back(SetFrame{tile.frame});
  const float bar = static_cast<float>(std::abs(share) / shares.largest) * ui.px(18);
  const float thick = std::min(ui.px(14), numbers.w * 0.2F);
  ui.fill({numbers.right() - thick - ui.px(2), numbers.y + ui.px(24) - bar, thick, bar},
          share < 0 ? t.bar_negative : t.weight.main);
  const Rect told{numbers.x, numbers.y + ui.px(6), numbers.w - thick - ui.px(4), ui.px(18)};
  ui.text_in(Type::number_note, told, t.text, share_text(ui, shares, tile.frame, told.w));
  ui.line({tile.line_from, numbers.y + ui.px(25)}, {numbers.right(), numbers.y + ui.px(25)}, t.line_strong);
  const Point middle{numbers.middle().x, numbers.y + ui.px(42)};
  const Rect stop{middle.x - ui.px(14), middle.y - ui.px(10), ui.px(28), ui.px(20)};
  if (current) {
    ui.fill(stop, t.brand, ui.px(6));
    ui.frame(stop, t.ink, ui.px(6));
  }
  ui.text_in(Type::number_note, stop, current ? hex(0x17181C) : t.text_muted, fmt::format("{}", tile.frame),
             Ui::Align::center);
}

// A bar for each of many frames, those that stand as pictures on a ground of their own. A press goes to a frame.
void draw_frame_bars(Ui& ui, Rect room, const Shares& shares, const Scene& scene, Index first, Index shown,
                     Actions& actions) {
  const Theme& t = ui.theme();
  const auto frames = static_cast<Index>(shares.of.size());
  const Index current = slice_of(*scene.step, scene.focus).frame;
  const Rect bars = room.take_top(ui.px(bars_height));
  const float each = bars.w / static_cast<float>(frames);
  const auto x_of = [&](Index frame) { return bars.x + static_cast<float>(frame) * each; };
  if (shown > 0) ui.fill({x_of(first), bars.y, static_cast<float>(shown) * each, bars.h}, t.sunken, ui.px(3));
  for (Index f = 0; f < frames; ++f) {
    const double share = shares.of[static_cast<std::size_t>(f)];
    const float height = static_cast<float>(std::abs(share) / shares.largest) * (bars.h - ui.px(4));
    const float gap = each >= ui.px(4) ? ui.px(1) : 0;
    ui.fill({x_of(f), bars.bottom() - height, each - gap, height}, share < 0 ? t.bar_negative : t.weight.main);
  }
  ui.line({bars.x, bars.bottom()}, {bars.right(), bars.bottom()}, t.line_strong);
  const float middle = x_of(current) + each / 2;
  ui.line({middle, bars.y}, {middle, bars.bottom() + ui.px(4)}, t.ink, ui.px(1.5F));
  // Round numbers below, but where the current frame's stands.
  const Rect stop{std::clamp(middle - ui.px(15), bars.x, bars.right() - ui.px(30)), bars.bottom() + ui.px(4), ui.px(30),
                  ui.px(18)};
  Index step = 1;
  for (const Index round : {5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000})
    if (static_cast<float>(step) * each < ui.px(44)) step = round;
  for (Index f = 0; f < frames; f += step) {
    const Rect number{x_of(f) + each / 2 - ui.px(20), stop.y, ui.px(40), stop.h};
    if (std::abs(number.middle().x - stop.middle().x) < ui.px(34)) continue;
    ui.text_in(Type::number_note, number, t.text_faint, fmt::format("{}", f), Ui::Align::center);
  }
  ui.fill(stop, t.brand, ui.px(6));
  ui.text_in(Type::number_note, stop, hex(0x17181C), fmt::format("{}", current), Ui::Align::center);
  const auto hit = ui.hit("frames/bars", bars, true, fmt::format("{}", frames));
  if (hit.focused) ui.focus_ring(bars, ui.px(3));
  if (!hit.hovered && !hit.held) return;
  const auto at = std::clamp<Index>(static_cast<Index>(std::floor((ui.mouse().x - bars.x) / each)), 0, frames - 1);
  ui.tooltip("frames/bars", bars, fmt::format("Frame {}: {}", at, share_text(ui, shares, at, bars.w)));
  if ((hit.held || hit.clicked) && at != current) actions.push_back(SetFrame{at});
}

}  // namespace

FrameRows frame_rows(const Ui& ui, float width, float height, Index frames, float aspect) {
  FrameRows best;
  for (Index rows = 1; rows <= 4 && rows <= frames; ++rows) {
    const Index each = (frames + rows - 1) / rows;
    const float gaps = ui.px(frame_gap) * static_cast<float>(each - 1), down = static_cast<float>(rows);
    const float most = (width - gaps) / static_cast<float>(each),
                high = (height - ui.px(frame_title)) / down - ui.px(frame_numbers) - ui.px(4);
    const float picture = std::min(high, most * aspect);
    if (picture > best.picture + 2)
      best = {each, most, picture, ui.px(frame_title) + down * (picture + ui.px(frame_numbers) + ui.px(4))};
  }
  if (best.width >= ui.px(least_frame)) return best;
  const float bars = ui.px(frame_title + bars_height + bars_numbers), low = ui.px(20);
  const float picture = std::min(height - bars - ui.px(frame_numbers), ui.px(picture_of_many) * aspect);
  const auto each = static_cast<Index>((width + ui.px(frame_gap)) / ui.px(picture_of_many + frame_gap));
  best = {.each = 0, .height = bars, .bars = true};
  if (picture < low || each < 1) return best;
  best.each = std::min(each, frames);
  best.width = (width - ui.px(frame_gap) * static_cast<float>(best.each - 1)) / static_cast<float>(best.each);
  best.picture = picture;
  best.height = bars + picture + ui.px(frame_numbers);
  return best;
}

void draw_frames(Ui& ui, Rect room, const FrameRows& rows, const Model& model, PanelMemory& memory, const Scene& scene,
                 Actions& actions) {
  const Theme& t = ui.theme();
  const Index frames = frames_of(*scene.step), current = slice_of(*scene.step, scene.focus).frame;
  Rect title = room.take_top(ui.px(frame_title));
  words_at_left(ui, Type::label_strong, title, t.text, "All frames", 12);
  Shares shares{.of = shares_of(scene), .weights = scene.step->info.kind == Kind::probability};
  for (const double share : shares.of) shares.largest = std::max(shares.largest, std::abs(share));
  const std::string what = shares.weights ? "share of the weights in each frame" : "sum of the numbers in each frame";
  ui.text_in(Type::note, title, t.text_faint,
             ui.width_of(Type::note, what) <= title.w ? what : what.substr(0, what.find(" in each")));
  // Of many the current one stands in the middle.
  const Index shown = rows.bars ? rows.each : frames;
  const Index first = rows.bars ? std::clamp<Index>(current - shown / 2, 0, frames - shown) : 0;
  if (rows.bars)
    draw_frame_bars(ui, room.take_top(ui.px(bars_height + bars_numbers)), shares, scene, first, shown, actions);
  const float gap = ui.px(frame_gap);
  for (Index place = 0; place < shown; ++place) {
    const auto row = static_cast<float>(place / rows.each), column = static_cast<float>(place % rows.each);
    const Rect picture{room.x + column * (rows.width + gap),
                       room.y + row * (rows.picture + ui.px(frame_numbers) + ui.px(4)), rows.width, rows.picture};
    const Rect numbers{picture.x, picture.bottom() + ui.px(2), picture.w, ui.px(frame_numbers)};
    draw_frame_tile(ui, {first + place, picture, numbers, picture.x - (column > 0 ? gap : 0)}, shares, model, memory,
                    scene, actions);
  }
}

std::string frames_in_words(const Scene& scene) {
  const Index plane = scene.queries.rows * scene.queries.columns;
  if (scene.queries.frames < 2 || !scene.focus.selection.query) return "";
  const Index from = *scene.focus.selection.query / plane, to = slice_of(*scene.step, scene.focus).frame;
  if (scene.step->info.role == Role::weight) return fmt::format("where frame {} looks in frame {}", from, to);
  return fmt::format("{}s of frame {} with frame {}", quantity_of(*scene.step), from, to);
}

}  // namespace headlight::app
