// The parts of the view of a picture: what all know of the step, a window round the query, frames.
#include <cmath>

#include "app/panels/views/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

Scene scene_of(const Model& model, PanelMemory& memory) {
  Scene scene;
  scene.step = model.step();
  scene.focus = effective_focus(model);
  const Slice slice = slice_of(*scene.step, scene.focus);
  const Axis* queries = scene.step->axis(AxisRole::query);
  const Index in_row = queries ? queries->size : 1;
  scene.queries = queries && queries->grid ? *queries->grid : Grid{1, 1, in_row};
  const Axis* keys = scene.step->axis(AxisRole::key);
  scene.positions = keys && slice.positions == Role::key ? keys : queries;
  scene.query_lies = queries && (!keys || share_a_picture(*model.shown.problem, *queries, *keys));
  scene.picture = base_or_features(model, memory, slice.frame, scene.positions);
  scene.windowed = is_window(slice);
  const Grid& whole = scene.windowed ? scene.queries : slice.grid;
  scene.rows = scene.picture ? scene.picture.cells->height : whole.rows;
  scene.columns = scene.picture ? scene.picture.cells->width : whole.columns;
  const Index plane = scene.queries.rows * scene.queries.columns;
  const Index query = scene.focus.selection.query.value_or(0) % std::max<Index>(1, plane);
  if (scene.windowed) {
    scene.place.row = query / scene.queries.columns - slice.grid.rows / 2;
    scene.place.column = query % scene.queries.columns - slice.grid.columns / 2;
  } else {
    scene.place.block_rows = std::max<Index>(1, scene.rows / slice.grid.rows);
    scene.place.block_columns = std::max<Index>(1, scene.columns / slice.grid.columns);
  }
  scene.range = memory.cells.range(model, *scene.step, scene.focus.head);
  return scene;
}

namespace {

OverNumbers numbers_of(const Ui& ui, const Scene& scene, const MapData& map) {
  return {map.cells, scene.place, scene.range, default_colormap(scene.range.is_signed(), ui.theme().dark), map.numbers};
}

// Where the picture ends inside a window: a line along each of its sides that the window looks over.
void draw_picture_edge(Ui& ui, Rect box, const Scene& scene, const Grid& window) {
  const Index top = std::max<Index>(0, -scene.place.row), left = std::max<Index>(0, -scene.place.column),
              bottom = std::min(window.rows, scene.rows - scene.place.row),
              right = std::min(window.columns, scene.columns - scene.place.column);
  const Rect first = pixel_rect(box, window.rows, window.columns, top, left),
             last = pixel_rect(box, window.rows, window.columns, bottom - 1, right - 1);
  const Point from{first.x, first.y}, to{last.right(), last.bottom()};
  const auto edge = [&](Point a, Point b) {
    ui.line(a, b, ui.theme().canvas, ui.px(4));
    ui.line(a, b, ui.theme().ink, ui.px(2));
  };
  if (top > 0) edge(from, {to.x, from.y});
  if (left > 0) edge(from, {from.x, to.y});
  if (bottom < window.rows) edge({from.x, to.y}, to);
  if (right < window.columns) edge({to.x, from.y}, to);
}

// What is said below a window whose keys do not all lie inside the picture.
std::string words_of_window(bool outside, bool hidden, bool masked) {
  if (!outside) return "Row by row, the query in the middle. Move it to a border to see what lies outside the picture.";
  if (hidden) return "Hatched: outside the picture. Masked, so these keys take no part.";
  return masked ? "Beyond the dark line the picture ends. A later step masks these keys."
                : "Beyond the dark line the picture ends. {key:Keys} and {value:values} there are zeros, and they take "
                  "part.";
}

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

std::optional<Rect> key_rect(Rect box, const Scene& scene, Index row, Index column) {
  const Index top = scene.place.row + row * scene.place.block_rows,
              left = scene.place.column + column * scene.place.block_columns;
  if (top < 0 || left < 0 || top >= scene.rows || left >= scene.columns) return std::nullopt;
  Rect r = pixel_rect(box, scene.rows, scene.columns, top, left);
  r.w *= static_cast<float>(scene.place.block_columns);
  r.h *= static_cast<float>(scene.place.block_rows);
  return r;
}

std::optional<Rect> query_rect(Rect box, const Scene& scene, Index frame) {
  const Index plane = scene.queries.rows * scene.queries.columns;
  const auto query = scene.focus.selection.query;
  if (!query || !scene.query_lies || (scene.queries.frames > 1 && *query / plane != frame)) return std::nullopt;
  return pixel_rect(box, scene.queries.rows, scene.queries.columns, *query % plane / scene.queries.columns,
                    *query % scene.queries.columns);
}

Rect window_rect(Rect box, const Scene& scene, const Grid& window) {
  const Rect cell = pixel_rect(box, scene.rows, scene.columns, 0, 0);
  return {box.x + static_cast<float>(scene.place.column) * cell.w, box.y + static_cast<float>(scene.place.row) * cell.h,
          static_cast<float>(window.columns) * cell.w, static_cast<float>(window.rows) * cell.h};
}

void draw_response(Ui& ui, const Model& model, PanelMemory& memory, const std::string& key, Rect box, Scene scene,
                   Index head, bool marks) {
  scene.focus.head = head;
  scene.range = memory.cells.range(model, *scene.step, head);
  const MapData map = memory.cells.map(ui, model, *scene.step, head, scene.focus.frame);
  if (scene.picture)
    draw_overlay(ui, memory, key, box, scene.picture, numbers_of(ui, scene, map));
  else
    draw_map(ui, map, box, MapSize::small);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  if (!marks) return;
  const Slice slice = slice_of(*scene.step, scene.focus);
  if (scene.windowed) {
    ui.clip(box.inset(-ui.px(3)));
    ui.frame(window_rect(box, scene, slice.grid), ui.theme().key.main, 0, ui.px(1.5F));
    ui.unclip();
  }
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column)
    if (const auto place = key_rect(box, scene, *row, *column)) mark_pixel(ui, *place, ui.theme().key.main);
  if (const auto place = query_rect(box, scene, slice.frame)) mark_pixel(ui, *place, ui.theme().query.main);
}

float draw_window(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& scene, Actions& actions) {
  const Theme& t = ui.theme();
  const float top = room.y;
  const Slice slice = slice_of(*scene.step, scene.focus);
  ui.text_in(Type::label_strong, room.take_top(ui.px(24)), t.text, "The window of this query");
  const float side = std::min(room.w, ui.px(260));
  const Rect box = fitted({room.x, room.y, side, side}, slice.grid.rows, slice.grid.columns);
  MapData map = memory.cells.map(ui, model, *scene.step, scene.focus.head);
  map.key = "window/" + map.key;
  draw_map(ui, map, box, MapSize::large, true);
  ui.frame(box.inset(-1), t.line_strong);
  bool outside = false, hidden = false;
  for (Index r = 0; r < slice.grid.rows; ++r)
    for (Index c = 0; c < slice.grid.columns; ++c) {
      const Rect cell = pixel_rect(box, slice.grid.rows, slice.grid.columns, r, c);
      const Index y = scene.place.row + r, x = scene.place.column + c;
      const float value = slice.matrix.at(r, c);
      outside = outside || y < 0 || x < 0 || y >= scene.rows || x >= scene.columns;
      if (is_masked(map.cells.at(r, c))) {
        hidden = true;
        continue;
      }
      const std::string text = cell_text(value, map.range);
      if (ui.width_of(Type::number_note, text) + 2 > cell.w) continue;
      const Color ink = readable_text_on(color_at(color_table(map.colormap), normalise(value, map.range)));
      ui.text_in(Type::number_note, cell, color32(ink), text, Ui::Align::center);
    }
  if (outside && !hidden) draw_picture_edge(ui, box, scene, slice.grid);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column) mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, *row, *column), t.key.main);
  mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, slice.grid.rows / 2, slice.grid.columns / 2),
             t.query.main);
  const auto hit = ui.hit("window", box, true, fmt::format("{}×{}", slice.grid.rows, slice.grid.columns));
  if (hit.hovered) {
    const CellAt at = pixel_at(box, slice.grid.rows, slice.grid.columns, ui.mouse());
    const Selection under = selection_at(slice, at.row, at.column, model.document.look.selection);
    memory.hover = Hover{scene.step->info.id, scene.focus.head, under};
    if (hit.clicked) actions.push_back(Select{under, true});
  }
  const bool masked = model.shown.problem->params.choice("padding") == "masked";
  const std::string said = words_of_window(outside, hidden, masked);
  const float words = paragraph(ui, {room.x, box.bottom() + ui.px(8)}, room.w, t.text_muted, said, true, Type::note);
  ui.log("window/words", {room.x, box.bottom() + ui.px(8), room.w, words}, said);
  return box.bottom() + ui.px(8) + words - top;
}

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
  words_at_left(ui, Type::label_strong, title, t.text, "All frames", 12);
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
    at.picture = base_or_features(model, memory, f, scene.positions);
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
