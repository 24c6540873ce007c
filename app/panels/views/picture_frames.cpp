#include "app/panels/views/parts.h"

#include <algorithm>
#include <cmath>

#include "app/reading/cell_trace.h"
#include "app/reading/step_words.h"

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

constexpr float frame_gap = 6, frame_title = 24, frame_numbers = 58;  // px; below each picture its share and number

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
  return best;
}

// Every frame with its share, and the scrubber below.
void draw_frames(Ui& ui, Rect room, const FrameRows& rows, const Model& model, PanelMemory& memory, const Scene& scene,
                 Actions& actions) {
  const Theme& t = ui.theme();
  const Index frames = frames_of(*scene.step);
  Rect title = room.take_top(ui.px(24));
  const float named = ui.width_of(Type::label_strong, "All frames");
  ui.text_in(Type::label_strong, title.take_left(named + ui.px(12)), t.text, "All frames");
  const bool weights = scene.step->info.kind == Kind::probability;
  const std::string what = weights ? "share of the weights in each frame" : "sum of the numbers in each frame";
  ui.text_in(Type::note, title, t.text_faint,
             ui.width_of(Type::note, what) <= title.w ? what : what.substr(0, what.find(" in each")));
  const auto shares = shares_of(scene);
  double largest = 1e-12;
  for (const double share : shares) largest = std::max(largest, std::abs(share));
  const float gap = ui.px(frame_gap), width = rows.width;
  for (Index f = 0; f < frames; ++f) {
    if (f % rows.each == 0) {
      room.h = rows.picture;
      if (f > 0) room.y += rows.picture + ui.px(frame_numbers) + ui.px(4);
    }
    const Rect numbers{room.x, room.bottom() + ui.px(2), room.w, ui.px(frame_numbers)};
    Scene at = scene;
    at.focus.frame = f;
    at.picture = base_or_features(model, memory, f);
    const float x = room.x + static_cast<float>(f % rows.each) * (width + gap);
    const Rect box = fitted({x, room.y, width, room.h}, scene.rows, scene.columns);
    const std::string path = fmt::format("frames/{}", f);
    const auto hit =
        ui.hit(path, {x, room.y, width, room.h + numbers.h}, true,
               fmt::format("{:.4f}", shares[static_cast<std::size_t>(f)]), f == scene.focus.frame ? "selected" : "");
    draw_response(ui, model, memory, path, box, at, scene.focus.head, true);
    const bool current = f == slice_of(*scene.step, scene.focus).frame;
    if (current) ui.frame(box.inset(-ui.px(3)), t.brand, ui.px(3), ui.px(3));
    if (hit.hovered && !current) ui.frame(box.inset(-ui.px(2)), t.line_strong, ui.px(3), ui.px(2));
    if (hit.clicked) actions.push_back(SetFrame{f});
    const double share = shares[static_cast<std::size_t>(f)];
    const float bar = static_cast<float>(std::abs(share) / largest) * ui.px(18);
    const float thick = std::min(ui.px(14), width * 0.2F);
    ui.fill({x + width - thick - ui.px(2), numbers.y + ui.px(24) - bar, thick, bar},
            share < 0 ? t.bar_negative : t.weight.main);
    const Rect told{x, numbers.y + ui.px(6), width - thick - ui.px(4), ui.px(18)};
    std::string text = weights ? fmt::format("{:.1f}%", share * 100) : number_text(share, 2);
    if (weights && ui.width_of(Type::number_note, text) > told.w) text = fmt::format("{:.0f}%", share * 100);
    for (int digits = 3; !weights && digits > 0 && ui.width_of(Type::number_note, text) > told.w; --digits)
      text = fmt::format("{:.{}g}", share, digits);
    ui.text_in(Type::number_note, told, t.text, text);
    ui.line({x - (f % rows.each == 0 ? 0 : gap), numbers.y + ui.px(25)}, {x + width, numbers.y + ui.px(25)},
            t.line_strong);
    const Point middle{x + width / 2, numbers.y + ui.px(42)};
    const Rect stop{middle.x - ui.px(14), middle.y - ui.px(10), ui.px(28), ui.px(20)};
    if (current) {
      ui.fill(stop, t.brand, ui.px(6));
      ui.frame(stop, t.ink, ui.px(6));
    }
    ui.text_in(Type::number_note, stop, current ? hex(0x17181C) : t.text_muted, fmt::format("{}", f),
               Ui::Align::center);
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
