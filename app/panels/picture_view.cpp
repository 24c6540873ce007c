#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/model/cell_trace.h"
#include "app/model/figure_of.h"
#include "app/model/key_place.h"
#include "app/panels/panels.h"
#include "app/panels/picture.h"
#include "app/panels/relative.h"
#include "app/panels/subsampling.h"
#include "app/platform/input.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Everything that one frame of the view needs to know of the step.
struct Scene {
  const Step* step = nullptr;
  Focus focus;
  Grid queries;
  InputPicture picture;         // of the frame that is shown
  OverlayPlace place;           // of the keys on it
  Index rows = 0, columns = 0;  // of the picture, or of the keys where there is none
  bool windowed = false;        // the keys are a window round the query
  ValueRange range;
};

Scene scene_of(const Model& model, PanelMemory& memory) {
  Scene scene;
  scene.step = model.step();
  scene.focus = effective_focus(model);
  const Slice slice = slice_of(*scene.step, scene.focus);
  const Axis* queries = scene.step->axis("n_q");
  scene.queries = queries && queries->grid ? *queries->grid : Grid{1, 1, queries ? queries->size : 1};
  scene.picture = base_or_features(model, memory, slice.frame);
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

OverNumbers numbers_of(const Ui& ui, const Scene& scene, const MapData& map) {
  OverNumbers numbers;
  numbers.cells = map.cells;
  numbers.place = scene.place;
  numbers.range = scene.range;
  numbers.colormap = default_colormap(scene.range.is_signed(), ui.theme().dark);
  numbers.of = map.numbers;
  return numbers;
}

// Where a key stands in the box, if any of it is inside the picture.
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
  if (!query || (scene.queries.frames > 1 && *query / plane != frame)) return std::nullopt;
  return pixel_rect(box, scene.queries.rows, scene.queries.columns, *query % plane / scene.queries.columns,
                    *query % scene.queries.columns);
}

// The window round the query, of which some may lie beyond the picture in the box.
Rect window_rect(Rect box, const Scene& scene, const Grid& window) {
  const Rect cell = pixel_rect(box, scene.rows, scene.columns, 0, 0);
  return {box.x + static_cast<float>(scene.place.column) * cell.w, box.y + static_cast<float>(scene.place.row) * cell.h,
          static_cast<float>(window.columns) * cell.w, static_cast<float>(window.rows) * cell.h};
}

// The overlay of one head and frame with its marks.
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

bool overlap(Rect a, Rect b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// What a callout keeps off: the other pixel, another callout, and the window that the keys lie in.
struct KeepOff {
  std::optional<Rect> pixel, callout, window;
};

// Beside a window, whose numbers stay in sight, if there is room: above, below, at its right or left. Its line does not
// run over the other pixel.
std::optional<Rect> beside_window(const Ui& ui, Rect bounds, const KeepOff& off, Rect pixel, float w, float h) {
  const Rect window = *off.window;
  const float gap = ui.px(12);
  const Point at = pixel.middle();
  const float x = std::clamp(at.x - w / 2, bounds.x, std::max(bounds.x, bounds.right() - w)),
              y = std::clamp(at.y - h / 2, bounds.y, std::max(bounds.y, bounds.bottom() - h));
  const Rect above{x, window.y - gap - h, w, h}, below{x, window.bottom() + gap, w, h};
  const bool over = !off.pixel || off.pixel->y >= pixel.y;
  for (const Rect box : {over ? above : below, Rect{window.right() + gap, y, w, h}, Rect{window.x - gap - w, y, w, h},
                         over ? below : above})
    if (box.x >= bounds.x && box.y >= bounds.y && box.right() <= bounds.right() && box.bottom() <= bounds.bottom() &&
        !(off.callout && overlap(box, *off.callout)))
      return box;
  return std::nullopt;
}

// A few words in a box beside a pixel, tied to it, within `bounds`. Returns its box; nothing where there is no room,
// for then the line below the picture has to do.
std::optional<Rect> draw_callout(Ui& ui, Rect bounds, Rect pixel, const KeepOff& off,
                                 const std::vector<std::string>& lines, const RoleColors& role) {
  const auto &avoid = off.pixel, &taken = off.callout;
  float width = 0;
  for (const auto& line : lines) width = std::max(width, ui.width_of(Type::label_strong, line));
  const float w = width + ui.px(20), h = ui.px(12) + ui.px(18) * static_cast<float>(lines.size());
  if (w > bounds.w || h > bounds.h) return std::nullopt;
  const Point at = pixel.middle();
  // Above or below, left or right: away from the other pixel first, else wherever nothing stands.
  const bool right = avoid ? at.x >= avoid->middle().x : at.x < bounds.middle().x;
  const bool above = !avoid || avoid->middle().y == at.y || at.y < avoid->middle().y;
  const float away = ui.px(34);
  const auto placed = [&](bool to_right, bool upward) {
    Rect box{to_right ? at.x + ui.px(14) : at.x - ui.px(14) - w, upward ? at.y - away - h : at.y + away, w, h};
    box.x = std::clamp(box.x, bounds.x, bounds.right() - w);
    box.y = std::clamp(box.y, bounds.y, bounds.bottom() - h);
    return box;
  };
  const auto stands_free = [&](Rect box) {
    return !overlap(box, pixel) && !(avoid && overlap(box, *avoid)) && !(taken && overlap(box, *taken));
  };
  std::optional<Rect> found;
  if (off.window) found = beside_window(ui, bounds, off, pixel, w, h);
  for (const auto& [to_right, upward] : {std::pair{right, above}, {right, !above}, {!right, above}, {!right, !above}})
    if (const Rect box = placed(to_right, upward); !found && stands_free(box)) found = box;
  if (!found) return std::nullopt;
  const Rect box = *found;
  const bool upward = box.middle().y<at.y, sideways = box.x> pixel.right() || box.right() < pixel.x;
  const bool level = sideways && box.y < at.y && at.y < box.bottom();  // tied along its row
  const float out = ui.px(3);
  const Point from{level && box.x < at.x ? box.right() : std::clamp(at.x, box.x + ui.px(10), box.right() - ui.px(10)),
                   level    ? at.y
                   : upward ? box.bottom()
                            : box.y};
  const Point to = level ? Point{box.x < at.x ? pixel.x - out : pixel.right() + out, at.y}
                         : Point{at.x, upward ? pixel.y - out : pixel.bottom() + out};
  ui.line(from, to, role.main, ui.px(1.5F));
  ui.fill(box, ui.theme().canvas, ui.px(5));
  ui.frame(box, role.main, ui.px(5), ui.px(1.5F));
  Rect text = box.inset(ui.px(10), ui.px(6));
  bool first = true;
  for (const auto& line : lines) {
    ui.text_in(first ? Type::label_strong : Type::label, text.take_top(ui.px(18)),
               first ? ui.theme().text : ui.theme().text_muted, line);
    first = false;
  }
  return box;
}

// Numbers of rows and columns along the picture: the first, the last, and every eighth or so.
void draw_ticks(Ui& ui, Rect box, Index rows, Index columns) {
  // So far apart that they do not touch.
  const auto step = [&](Index count, float pixels) {
    for (const Index every : {1, 2, 4, 8, 16, 32})
      if (static_cast<float>(every) * pixels >= ui.px(30) * static_cast<float>(count)) return every;
    return count;
  };
  const auto shown = [&](Index at, Index count, float pixels) {
    const Index every = step(count, pixels);
    return at == count - 1 || (at % every == 0 && count - 1 - at >= (3 * every + 3) / 4);
  };
  for (Index r = 0; r < rows; ++r)
    if (shown(r, rows, box.h)) {
      const Rect cell = pixel_rect(box, rows, columns, r, 0);
      ui.text_in(Type::number_small, {box.x - ui.px(30), cell.middle().y - ui.px(8), ui.px(24), ui.px(16)},
                 ui.theme().text_faint, fmt::format("{}", r), Ui::Align::right);
    }
  for (Index c = 0; c < columns; ++c)
    if (shown(c, columns, box.w)) {
      const Rect cell = pixel_rect(box, rows, columns, 0, c);
      ui.text_in(Type::number_small, {cell.middle().x - ui.px(16), box.bottom() + ui.px(3), ui.px(32), ui.px(14)},
                 ui.theme().text_faint, fmt::format("{}", c), Ui::Align::center);
    }
}

std::string offset_in_words(Index later, Index down, Index across) {
  std::vector<std::string> parts;
  if (later != 0)
    parts.push_back(fmt::format("{} frame{} {}", std::abs(later), std::abs(later) == 1 ? "" : "s",
                                later > 0 ? "later" : "earlier"));
  if (down != 0) parts.push_back(fmt::format("{} {}", std::abs(down), down > 0 ? "down" : "up"));
  if (across != 0) parts.push_back(fmt::format("{} {}", std::abs(across), across > 0 ? "right" : "left"));
  return parts.empty() ? "the query itself" : fmt::format("{}", fmt::join(parts, ", "));
}

struct KeyInWords {
  std::string key;    // "key 25, 14 · weight 0.062", "key at offset −2, +1 · weight 0.062"
  std::string place;  // "1 down, 3 right", "pixel 3, 11", "largest of 4 pixels"
};

// The selected key, if there is one on the picture.
std::optional<KeyInWords> key_in_words(const Trace& trace, const Scene& scene) {
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  const auto query = scene.focus.selection.query, position = scene.focus.selection.key;
  if (!row || !column || !query || !position) return std::nullopt;
  const KeyPlace place = key_place(trace, *scene.step, *position, query);
  const float value = slice.matrix.at(*row, *column);
  const bool masked = is_masked(value) || !why_masked(trace, *scene.step, slice.cell_at(*row, *column)).empty();
  const Index plane = scene.queries.rows * scene.queries.columns, q = *query % plane;
  return KeyInWords{fmt::format("key {}{} · {} {}", place.pixel.empty() ? "" : "at offset ", place.at,
                                quantity_of(*scene.step), masked ? "masked" : number_text(value, 4)),
                    !place.pixel.empty() ? place.pixel
                    : place.rows * place.columns > 1
                        ? fmt::format("largest of {} pixels", place.rows * place.columns)
                        : offset_in_words(place.frame - *query / plane, place.row - q / scene.queries.columns,
                                          place.column - q % scene.queries.columns)};
}

std::string line_below(const Trace& trace, const Scene& scene) {
  const auto words = key_in_words(trace, scene);
  return words ? fmt::format("{} · {}", words->key, words->place)
               : "Point at a pixel, click to keep it; Shift-click moves the query.";
}

// What is pinned, said beside it.
void draw_callouts(Ui& ui, Rect box, const Trace& trace, const Scene& scene) {
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  const auto key = row && column ? key_rect(box, scene, *row, *column) : std::nullopt;
  const auto query = query_rect(box, scene, slice.frame);
  const auto words = key_in_words(trace, scene);
  KeepOff off{query, {}, {}};
  if (scene.windowed) off.window = window_rect(box, scene, slice.grid);
  if (key && words) off.callout = draw_callout(ui, box, *key, off, {words->key, words->place}, ui.theme().key);
  if (off.callout) ui.log("picture/callout", *off.callout, words->key);
  if (off.window) ui.log("picture/window", *off.window);
  off.pixel = key;
  if (!query || (key && key->x == query->x && key->y == query->y)) return;
  const std::string place = place_of(scene.queries, *scene.focus.selection.query);
  draw_callout(ui, box, *query, off, {"query " + place}, ui.theme().query);
}

void draw_scale(Ui& ui, Rect box, const Model& model, const Scene& scene) {
  const Axis* axis = scene.step->axis("n_k");
  const Index keys = axis ? axis->size : 1;
  ColorBarData bar;
  bar.range = scene.range;
  bar.colormap = default_colormap(scene.range.is_signed(), ui.theme().dark);
  bar.words = fmt::format("{}, {}", quantity_of(*scene.step),
                          scaling_in_words(*scene.step, model.document.look.scaling, scene.range));
  if (scene.step->info.kind == Kind::probability) {
    bar.marked = 1.0F / static_cast<float>(keys);
    bar.pooled = fmt::format("▼ uniform 1/{}", keys);
  }
  color_bar(ui, box, bar);
}

void draw_main(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& scene, Rect& box,
               Actions& actions) {
  room.take_left(ui.px(30));
  room.take_bottom(ui.px(20));
  box = fitted(room, scene.rows, scene.columns);
  draw_response(ui, model, memory, "main", box, scene, scene.focus.head, true);
  draw_ticks(ui, box, scene.rows, scene.columns);
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto hit = ui.hit("picture", box, true, fmt::format("{}×{}", scene.rows, scene.columns));
  if (hit.focused) ui.focus_ring(box, 0);
  if (!hit.hovered) return;
  const Index y = std::clamp<Index>(static_cast<Index>((ui.mouse().y - box.y) / box.h * static_cast<float>(scene.rows)),
                                    0, scene.rows - 1),
              x = std::clamp<Index>(
                  static_cast<Index>((ui.mouse().x - box.x) / box.w * static_cast<float>(scene.columns)), 0,
                  scene.columns - 1);
  const Selection& now = model.document.look.selection;
  if (modifiers().shift && scene.queries.rows == scene.rows && scene.queries.columns == scene.columns) {
    Selection asked = now;
    asked.query = (scene.queries.frames > 1 ? slice.frame * scene.rows * scene.columns : 0) + y * scene.columns + x;
    if (hit.clicked) actions.push_back(Select{asked, model.document.look.pinned});
    return;
  }
  if (y < scene.place.row || x < scene.place.column) return;
  const Index row = (y - scene.place.row) / scene.place.block_rows,
              column = (x - scene.place.column) / scene.place.block_columns;
  if (row >= slice.grid.rows || column >= slice.grid.columns) return;
  const Selection under = selection_at(slice, row, column, now);
  memory.hover = Hover{scene.step->info.id, scene.focus.head, under};
  if (hit.clicked) actions.push_back(Select{under, true});
}

// All heads on the same scale, two beside each other. Returns the height they take.
float draw_head_pictures(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& scene,
                         Actions& actions) {
  const Index heads = heads_of(*scene.step);
  const float gap = ui.px(12), aspect = static_cast<float>(scene.rows) / static_cast<float>(scene.columns);
  // As many beside each other as make the pictures largest; where even those are small, they scroll.
  float width = 0, height = 0, side = 0;
  Index columns = 2;
  for (Index count = 2; count <= 4; ++count) {
    const float wide = (room.w - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
    const float rows = std::ceil(static_cast<float>(heads) / static_cast<float>(count));
    const float fits = std::min(wide - ui.px(16), (room.h / rows - ui.px(40)) / aspect);
    if (fits <= side) continue;
    side = fits;
    columns = count;
  }
  side = std::max(side, ui.px(90));
  width = std::min((room.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                   std::max(side + ui.px(16), ui.px(132)));
  height = std::min(side, width - ui.px(16)) * aspect + ui.px(34);
  const float all = std::ceil(static_cast<float>(heads) / static_cast<float>(columns)) * (height + ui.px(6));
  for (Index m = 0; m < heads; ++m) {
    const Rect card{room.x + static_cast<float>(m % columns) * (width + gap),
                    room.y + static_cast<float>(m / columns) * (height + ui.px(6)), width, height};
    const std::string path = fmt::format("heads/{}", m), name = head_name(*model.trace(), m);
    const bool current = m == scene.focus.head;
    const auto hit = ui.hit(path, card, true, name, current ? "selected" : "");
    if (hit.clicked) actions.push_back(SetHead{m});
    if (current)
      ui.fill(card, ui.theme().brand_soft, ui.px(8));
    else if (hit.hovered)
      ui.fill(card, mix(ui.theme().canvas, ui.theme().text, 0.04F), ui.px(8));
    if (hit.focused) ui.focus_ring(card.inset(ui.px(3)), ui.px(6));
    Rect inside = card.inset(ui.px(8), ui.px(5));
    Rect title = inside.take_top(ui.px(20));
    const std::string number = fmt::format("{}", m + 1);
    if (!name.starts_with("Head "))
      ui.text_in(Type::number_note, title.take_left(ui.width_of(Type::number_note, number) + ui.px(8)),
                 ui.theme().text_faint, number);
    ui.text_in(current ? Type::label_strong : Type::label, title, ui.theme().text, name);
    draw_response(ui, model, memory, path, fitted(inside, scene.rows, scene.columns), scene, m, true);
  }
  return all;
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

// Frames in as many rows as make their pictures largest, in a box of this size.
struct FrameRows {
  Index each = 1;  // frames in a row
  float width = 0, picture = 0, height = 0;
};

constexpr float frame_gap = 6, frame_title = 24, frame_numbers = 58;  // px; below each picture its share and number

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
    if (!weights && ui.width_of(Type::number_note, text) > told.w) text = fmt::format("{:.3g}", share);
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

// The keys of a window as they are, and whether those outside the picture take part. Returns the height it takes.
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
      ui.text_in(Type::number_note, cell,
                 0xFF000000U | (static_cast<Color32>(ink.b) << 16) | (static_cast<Color32>(ink.g) << 8) | ink.r, text,
                 Ui::Align::center);
    }
  if (outside && !hidden) draw_picture_edge(ui, box, scene, slice.grid);
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column) mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, *row, *column), t.key.main);
  mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, slice.grid.rows / 2, slice.grid.columns / 2),
             t.query.main);
  const auto hit = ui.hit("window", box, true, fmt::format("{}×{}", slice.grid.rows, slice.grid.columns));
  if (hit.hovered) {
    const auto at = [](float offset, float pixels, Index cells) {
      return std::clamp<Index>(static_cast<Index>(offset / pixels * static_cast<float>(cells)), 0, cells - 1);
    };
    const Selection under =
        selection_at(slice, at(ui.mouse().y - box.y, box.h, slice.grid.rows),
                     at(ui.mouse().x - box.x, box.w, slice.grid.columns), model.document.look.selection);
    memory.hover = Hover{scene.step->info.id, scene.focus.head, under};
    if (hit.clicked) actions.push_back(Select{under, true});
  }
  const bool masked = model.shown.problem->params.choice("padding") == "masked";
  const std::string said = words_of_window(outside, hidden, masked);
  const float words = paragraph(ui, {room.x, box.bottom() + ui.px(8)}, room.w, t.text_muted, said, true, Type::note);
  ui.log("window/words", {room.x, box.bottom() + ui.px(8), room.w, words}, said);
  return box.bottom() + ui.px(8) + words - top;
}

}  // namespace

namespace {

// What stands beside the picture, one below the other; where there is no room for all, it scrolls.
struct Beside {
  bool tables = false, frames = false;  // have no room below the picture
};

void draw_beside(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const Scene& scene, Beside below,
                 Actions& actions) {
  const bool relative = has_relative_tables(model), alone = !relative && !scene.windowed;
  scroll_area(ui, "beside", box, [&](Rect area) {
    Rect rest = area.inset(ui.px(5), ui.px(3));
    rest.take_right(ui.px(4));
    const float top = rest.y;
    const auto place = [&](float height) { rest.y += height + ui.px(16); };
    if (below.frames) {
      const float aspect = static_cast<float>(scene.rows) / static_cast<float>(scene.columns);
      const FrameRows rows = frame_rows(ui, rest.w, ui.px(420), frames_of(*scene.step), aspect);
      draw_frames(ui, {rest.x, rest.y, rest.w, rows.height}, rows, model, memory, scene, actions);
      place(rows.height);
    }
    if (heads_of(*scene.step) > 1)
      place(draw_head_pictures(ui,
                               {rest.x, rest.y, rest.w, alone ? box.h - ui.px(6) : std::max(box.h * 0.5F, ui.px(170))},
                               model, memory, scene, actions));
    if (scene.windowed) place(draw_window(ui, rest, model, memory, scene, actions));
    if (below.tables) {
      draw_relative_tables(ui, rest, model);
      place(relative_tables_height(ui));
    }
    if (relative) place(draw_offset_map(ui, rest, model, memory));
    if (has_pooled_keys(model)) place(draw_pooling(ui, rest, model));
    if (heads_of(*scene.step) == 1 && !scene.windowed)
      place(draw_similarities(ui, rest, model, memory, scene.picture, scene.place, actions));
    return rest.y - top;
  });
}

}  // namespace

namespace {

// "where frame 3 looks in frame 5"; nothing where there is one frame.
std::string frames_in_words(const Scene& scene) {
  const Index plane = scene.queries.rows * scene.queries.columns;
  if (scene.queries.frames < 2 || !scene.focus.selection.query) return "";
  const Index from = *scene.focus.selection.query / plane, to = slice_of(*scene.step, scene.focus).frame;
  if (scene.step->info.role == Role::weight) return fmt::format("where frame {} looks in frame {}", from, to);
  return fmt::format("{}s of frame {} with frame {}", quantity_of(*scene.step), from, to);
}

}  // namespace

void draw_picture_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Scene scene = scene_of(model, memory);
  draw_view_header(ui, box.take_top(ui.px(48)), model, "", frames_in_words(scene), actions);
  box.take_top(ui.px(4));
  const auto& specs = model.shown.problem->variant->params();
  const bool similarities = std::ranges::find(specs, std::string("mode"), &ParamSpec::id) != specs.end();
  const bool something = heads_of(*scene.step) > 1 || scene.windowed || has_relative_tables(model) ||
                         has_pooled_keys(model) || similarities;
  const bool beside = something && box.w > ui.px(520);
  const bool frames = frames_of(*scene.step) > 1, frames_below = frames && box.h > ui.px(380);
  if (frames_below) {
    // The frames take what the picture leaves, which is as wide as its column at most.
    const float aspect = static_cast<float>(scene.rows) / static_cast<float>(scene.columns);
    const float picture = (beside ? box.w * 0.58F - ui.px(50) : box.w - ui.px(30)) * aspect + ui.px(20 + 80 + 12);
    const float height = std::max(std::min(ui.px(190), box.h * 0.34F), box.h - picture);
    const FrameRows rows = frame_rows(ui, box.w, height, frames_of(*scene.step), aspect);
    draw_frames(ui, box.take_bottom(std::min(height, rows.height)), rows, model, memory, scene, actions);
  }
  Rect right;
  if (beside) {
    right = box.take_right(box.w * 0.42F);
    box.take_right(ui.px(20));
  }
  const bool low = box.h < ui.px(280);  // no room for a scale
  // The relative tables stand below the picture where that leaves it most of the height.
  const float tables = relative_tables_height(ui) + ui.px(8);
  const bool tables_below = beside && has_relative_tables(model) && box.h > ui.px(80) + 3 * tables;
  const Rect below = box.take_bottom(ui.px(low ? 26 : 80) + (tables_below ? tables : 0));
  Rect main;
  draw_main(ui, box, model, memory, scene, main, actions);
  Rect words{main.x, main.bottom() + ui.px(22), below.right() - main.x, ui.px(18)};
  const std::string line = line_below(*model.trace(), scene);
  // Where that is too long, smaller, and at last without its place, which the key's own name gives.
  const bool narrow = ui.width_of(Type::label, line) > words.w, short_of = ui.width_of(Type::note, line) > words.w;
  ui.text_in(narrow ? Type::note : Type::label, words, ui.theme().text_muted,
             short_of ? line.substr(0, line.rfind(" · ")) : line);
  ui.log("picture/key", words, line);
  if (const FeaturePicture* features = scene.picture.features) {
    const std::string ground = fmt::format("grey: mean of {} channels", features->channels);
    if (ui.width_of(Type::label, line) + ui.width_of(Type::note, ground) + ui.px(16) <= main.w)
      ui.text_in(Type::note, {main.x, words.y, main.w, words.h}, ui.theme().text_faint, ground, Ui::Align::right);
  }
  if (model.document.look.pinned && main.w >= ui.px(300)) draw_callouts(ui, main, *model.trace(), scene);
  const Rect scale{main.x, words.bottom() + ui.px(14), words.w, ui.px(40)};
  if (!low) draw_scale(ui, scale, model, scene);
  if (tables_below) draw_relative_tables(ui, {main.x, scale.bottom() + ui.px(6), main.w, tables}, model);
  if (beside)
    draw_beside(ui, right, model, memory, scene, {has_relative_tables(model) && !tables_below, frames && !frames_below},
                actions);
}

}  // namespace headlight::app
