#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/views/parts.h"
#include "app/platform/input.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_part.h"

namespace headlight::app {

namespace {

// Numbers of rows and columns along the picture: the first, the last, and every eighth or so.
void draw_ticks(Ui& ui, Rect box, const Scene& scene) {
  const Index rows = scene.rows, columns = scene.columns;
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
                 ui.theme().text_faint, fmt::format("{}", scene.first_row + r), Ui::Align::right);
    }
  for (Index c = 0; c < columns; ++c)
    if (shown(c, columns, box.w)) {
      const Rect cell = pixel_rect(box, rows, columns, 0, c);
      ui.text_in(Type::number_small, {cell.middle().x - ui.px(16), box.bottom() + ui.px(3), ui.px(32), ui.px(14)},
                 ui.theme().text_faint, fmt::format("{}", scene.first_column + c), Ui::Align::center);
    }
}

void draw_scale(Ui& ui, Rect box, const Model& model, const Scene& scene) {
  ColorBarData bar{.range = scene.range,
                   .colormap = default_colormap(scene.range.is_signed(), ui.theme().dark),
                   .words = fmt::format("{}, {}", quantity_of(*scene.step),
                                        scaling_in_words(*scene.step, model.document.look.scaling, scene.range))};
  if (const Index keys = visible_keys(*model.trace(), *scene.step, scene.focus);
      scene.step->info.kind == Kind::probability && keys > 0) {
    bar.marked = 1.0F / static_cast<float>(keys);
    bar.pooled = fmt::format("▼ uniform 1/{}", keys);
  }
  color_bar(ui, box, bar);
}

// The cell under the pointer, which a click keeps; a click with Shift asks from there.
void handle_pointer(Ui& ui, Rect box, const Ui::Hit& hit, const Model& model, PanelMemory& memory, const Scene& scene,
                    Actions& actions) {
  const Slice slice = slice_of(*scene.step, scene.focus);
  const auto [y, x] = pixel_at(box, scene.rows, scene.columns, ui.mouse());
  const Selection& now = model.document.look.selection;
  if (modifiers().shift && scene.query_on_picture && scene.queries.rows == scene.all_rows &&
      scene.queries.columns == scene.all_columns) {
    const Index plane = scene.all_rows * scene.all_columns;
    Selection asked = now;
    asked.query = (scene.queries.frames > 1 ? slice.frame * plane : 0) + (y + scene.first_row) * scene.all_columns + x +
                  scene.first_column;
    if (hit.clicked) actions.push_back(Select{asked, model.document.look.pinned});
    return;
  }
  if (y < scene.place.row || x < scene.place.column) return;
  const Index row = (y - scene.place.row) / scene.place.block_rows,
              column = (x - scene.place.column) / scene.place.block_columns;
  if (row >= slice.grid.rows || column >= slice.grid.columns) return;
  Selection under = selection_at(slice, row, column, now);
  if (scene.step != scene.run) {
    under.key = key_at_place(*scene.run, scene.focus.selection.query.value_or(0), *under.key);
    if (!under.key) return;  // it lies in another window
  }
  memory.hover = Hover{scene.run->info.id, scene.focus.head, under};
  if (hit.clicked || hit.menu) actions.push_back(Select{under, true});
  if (hit.menu) open_menu(ui, memory, MenuTarget::cell, actions);
}

// The whole picture, small, with the part that is shown: away from the selected key and what is said of it.
void draw_picture_overview(Ui& ui, PanelMemory& memory, const Scene& whole, const MapPart& part, Rect box) {
  const Slice slice = slice_of(*whole.step, whole.focus);
  const auto row = selected_row(slice, whole.focus.selection), column = selected_column(slice, whole.focus.selection);
  const auto key = row && column ? key_rect(box, part_of(whole, part), *row, *column) : std::nullopt;
  const MatrixView cells{nullptr, whole.rows, whole.columns, 0, 0};
  const Rect overview = begin_overview(ui, box, cells, key ? key->middle() : ui.mouse());
  draw_picture(ui, memory, "overview", overview, whole.picture);
  frame_part(ui, "picture", overview, part, cells);
}

// Returns the part of the scene that is shown, in the box that it gives.
Scene draw_main(Ui& ui, Rect room, const Model& model, PanelMemory& memory, const Scene& whole, Rect& box,
                Actions& actions) {
  room.take_left(ui.px(30));
  room.take_bottom(ui.px(20));
  MapPart& part = ui.memory().parts["picture"];
  if (part.rows != whole.rows || part.columns != whole.columns || !whole.picture)
    part = MapPart{whole.rows, whole.columns, 1, 0, 0, {}};
  const MatrixView cells{nullptr, whole.rows, whole.columns, 0, 0};
  keep_inside(part, cells);
  const Scene scene = part_of(whole, part);
  box = fitted(room, scene.rows, scene.columns);
  draw_response(ui, model, memory, "main", box, scene, scene.focus.head, true);
  draw_ticks(ui, box, scene);
  auto hit = ui.hit("picture", box, true, fmt::format("{}×{}", scene.rows, scene.columns));
  if (hit.focused) ui.focus_ring(box, 0);
  if (part.zoom > 1) draw_picture_overview(ui, memory, whole, part, box);
  if (!whole.picture) {
    if (hit.hovered) handle_pointer(ui, box, hit, model, memory, scene, actions);
    return scene;
  }
  if (pan(ui, part, box, cells, hit.held && ui.mouse_down())) hit.clicked = false;
  if (hit.hovered) handle_pointer(ui, box, hit, model, memory, scene, actions);
  zoom(ui, part, box, cells,
       [&] { return fitted(room, cells_shown(whole.rows, part.zoom), cells_shown(whole.columns, part.zoom)); });
  return scene;
}

// Of a head's number and name.
float widest_name(const Ui& ui, const Trace& trace, const Step& step) {
  float widest = 0;
  for (Index m = 0; m < heads_of(step); ++m)
    widest = std::max(widest, ui.width_of(Type::label_strong, head_name(trace, step, first_head_at(step, m))) +
                                  ui.width_of(Type::number_note, head_number(trace, step, first_head_at(step, m))) +
                                  ui.px(8));
  return std::ceil(widest);
}

// The query's window in one head: over the whole picture a small one would hardly be seen.
void draw_window_of(Ui& ui, const Model& model, PanelMemory& memory, const std::string& path, Rect inside, Scene scene,
                    Index head) {
  scene.focus.head = head;
  const Slice slice = slice_of(*scene.step, scene.focus);
  const Rect box = fitted(inside, slice.grid.rows, slice.grid.columns);
  MapData map = memory.cells.map(ui, model, *scene.step, head);
  map.key = path + "/" + map.key;
  draw_map(ui, map, box, MapSize::small);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  const auto mark = [&](Index row, Index column, Color32 color) {
    mark_pixel(ui, pixel_rect(box, slice.grid.rows, slice.grid.columns, row, column), color);
  };
  const auto row = selected_row(slice, scene.focus.selection), column = selected_column(slice, scene.focus.selection);
  if (row && column) mark(*row, *column, ui.theme().key.main);
  mark(slice.grid.rows / 2, slice.grid.columns / 2, ui.theme().query.main);
  ui.log(path + "/window", box, fmt::format("{}×{}", slice.grid.rows, slice.grid.columns));
}

// All heads on the same scale, so many beside each other at most. Returns the height they take.
float draw_head_pictures(Ui& ui, Rect room, Index most, const Model& model, PanelMemory& memory, const Scene& scene,
                         Actions& actions) {
  const Index heads = heads_of(*scene.step);
  const Scene near = zoom_to_window(scene);
  const Grid drawn = scene.windowed ? slice_of(*scene.step, scene.focus).grid : Grid{1, near.rows, near.columns};
  const float gap = ui.px(12), aspect = static_cast<float>(drawn.rows) / static_cast<float>(drawn.columns);
  // As many beside each other as make the pictures largest; where even those are small, they scroll.
  float width = 0, height = 0, side = 0;
  const float named = widest_name(ui, *model.trace(), *scene.step) + ui.px(16);
  Index columns = 2;
  for (Index count = 2; count <= most; ++count) {
    const float wide = (room.w - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
    if (count > 2 && wide < named) break;
    const float rows = std::ceil(static_cast<float>(heads) / static_cast<float>(count));
    const float fits = std::min(wide - ui.px(16), (room.h / rows - ui.px(40)) / aspect);
    if (fits <= side) continue;
    side = fits;
    columns = count;
  }
  side = std::max(side, ui.px(90));
  width = std::min((room.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                   std::max({side + ui.px(16), ui.px(132), named}));
  height = std::min(side, width - ui.px(16)) * aspect + ui.px(34);
  const float all = std::ceil(static_cast<float>(heads) / static_cast<float>(columns)) * (height + ui.px(6));
  for (Index place = 0; place < heads; ++place) {
    const Index m = first_head_at(*scene.step, place);
    const Rect card{room.x + static_cast<float>(place % columns) * (width + gap),
                    room.y + static_cast<float>(place / columns) * (height + ui.px(6)), width, height};
    const std::string path = fmt::format("heads/{}", m), name = head_name(*model.trace(), *scene.step, m);
    const bool current = place == place_of_head(*scene.step, scene.focus.head);
    const auto hit = ui.hit(path, card, true, name, current ? "selected" : "");
    if (hit.clicked || hit.menu) actions.push_back(SetHead{m});
    if (hit.menu) open_menu(ui, memory, MenuTarget::head, actions);
    if (current) set_menu_anchor(memory, MenuTarget::head, card);
    fill_card(ui, card, current, hit.hovered);
    if (hit.focused) ui.focus_ring(card.inset(ui.px(3)), ui.px(6));
    Rect inside = card.inset(ui.px(8), ui.px(5));
    Rect title = inside.take_top(ui.px(20));
    if (const std::string number = head_number(*model.trace(), *scene.step, m); !number.empty())
      words_at_left(ui, Type::number_note, title, ui.theme().text_faint, number, 8);
    ui.text_in(current ? Type::label_strong : Type::label, title, ui.theme().text, name);
    if (scene.windowed)
      draw_window_of(ui, model, memory, path, inside, scene, m);
    else
      draw_response(ui, model, memory, path, fitted(inside, near.rows, near.columns), near, m, true);
  }
  return all;
}

// What stands beside the picture, one below the other; where there is no room for all, it scrolls.
struct NoRoomBelow {
  bool tables = false, frames = false;  // have no room below the picture
};

void draw_beside(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const Scene& scene, NoRoomBelow below,
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
                               4, model, memory, scene, actions));
    if (scene.windowed) place(draw_window(ui, rest, model, memory, scene, actions));
    if (below.tables) {
      draw_relative_tables(ui, rest, model, memory);
      place(relative_tables_height(ui));
    }
    if (relative) place(draw_offset_map(ui, rest, model, memory));
    if (has_pooled_keys(model)) place(draw_pooling(ui, rest, model));
    if (heads_of(*scene.step) == 1 && !scene.windowed)
      place(draw_similarities(ui, rest, model, memory, scene.picture, scene.place, actions));
    return rest.y - top;
  });
}

// Where what stands round the picture goes.
struct PicturePlan {
  float heads_row = 0;  // px: the height of all heads in a row below it; 0: they stand beside it
  float tables = 0;     // px: of relative tables below it; 0: they stand beside it, or there are none
  bool beside = false, frames_below = false;
  FrameRows frames;
};

// The largest picture in that room, with the line and the scale below it.
float picture_width(const Ui& ui, float width, float height, float aspect) {
  return std::min(width - ui.px(30), (height - ui.px(20 + 80)) / aspect);
}

// Where the picture is much larger with all heads in a row below it than with them beside it.
float row_of_heads_height(const Ui& ui, Rect box, const Model& model, const Scene& scene, float aspect) {
  const auto heads = static_cast<float>(heads_of(*scene.step));
  const float each = std::min((box.w - ui.px(12) * (heads - 1)) / heads, ui.px(190));
  if (each < std::max(ui.px(96), widest_name(ui, *model.trace(), *scene.step) + ui.px(16))) return 0;
  const float row = std::min((each - ui.px(16)) * aspect + ui.px(40), box.h * 0.3F);
  const float beside = picture_width(ui, box.w * 0.58F - ui.px(20), box.h, aspect),
              above = picture_width(ui, box.w, box.h - row - ui.px(12), aspect);
  return above > beside * 1.15F ? row : 0;
}

PicturePlan plan_of(const Ui& ui, Rect box, const Model& model, const Scene& scene) {
  PicturePlan plan;
  const auto& specs = model.shown.problem->variant->params();
  const bool similarities = find_param(specs, "mode") != nullptr;
  const bool heads = heads_of(*scene.step) > 1, frames = frames_of(*scene.step) > 1;
  const bool others = scene.windowed || has_relative_tables(model) || has_pooled_keys(model);
  const float aspect = static_cast<float>(scene.rows) / static_cast<float>(scene.columns);
  if (heads && !others && !frames) plan.heads_row = row_of_heads_height(ui, box, model, scene, aspect);
  plan.beside = (heads || others || similarities) && plan.heads_row == 0 && box.w > ui.px(520);
  // The frames take what the picture leaves, which is as wide as its column at most; where they would leave it little,
  // they stand beside it.
  const float under = ui.px(20 + 80 + 12);  // below the picture
  const float picture = (plan.beside ? box.w * 0.58F - ui.px(50) : box.w - ui.px(30)) * aspect + under;
  const float strip = std::max(std::min(ui.px(190), box.h * 0.34F), box.h - picture);
  plan.frames_below =
      frames && (plan.beside ? box.h - strip >= std::min(picture, under + ui.px(280)) : box.h > ui.px(380));
  if (plan.frames_below) plan.frames = frame_rows(ui, box.w, strip, frames_of(*scene.step), aspect);
  // The relative tables stand below the picture where that leaves it most of the height.
  const float left = box.h - (plan.frames_below ? std::min(strip, plan.frames.height) : 0);
  const float tables = relative_tables_height(ui) + ui.px(8);
  if (plan.beside && has_relative_tables(model) && left > ui.px(80) + 3 * tables) plan.tables = tables;
  return plan;
}

// What the picture shows in words: the key that is selected and, where that is an array, what its grey is.
void draw_line_below(Ui& ui, Rect words, float picture_width, const Model& model, const Scene& scene) {
  const std::string line = line_below(*model.trace(), scene);
  // Where that is too long, smaller, and at last without its place, which the key's own name gives.
  const bool narrow = ui.width_of(Type::label, line) > words.w, short_of = ui.width_of(Type::note, line) > words.w;
  ui.text_in(narrow ? Type::note : Type::label, words, ui.theme().text_muted,
             short_of ? line.substr(0, line.rfind(" · ")) : line);
  ui.log("picture/key", words, line);
  if (const FeaturePicture* features = scene.picture.features) {
    const std::string ground = fmt::format("grey: mean of {} channels", features->channels);
    if (ui.width_of(Type::label, line) + ui.width_of(Type::note, ground) + ui.px(16) <= picture_width)
      ui.text_in(Type::note, {words.x, words.y, picture_width, words.h}, ui.theme().text_faint, ground,
                 Ui::Align::right);
  }
}

}  // namespace

void draw_picture_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Scene scene = scene_of(model, memory);
  draw_view_header(ui, box.take_top(ui.px(48)), model, "", frames_in_words(scene), actions);
  box.take_top(ui.px(4));
  const PicturePlan plan = plan_of(ui, box, model, scene);
  if (plan.frames_below)
    draw_frames(ui, box.take_bottom(std::min(box.h, plan.frames.height)), plan.frames, model, memory, scene, actions);
  if (plan.heads_row > 0) {
    draw_head_pictures(ui, box.take_bottom(plan.heads_row), heads_of(*scene.step), model, memory, scene, actions);
    box.take_bottom(ui.px(12));
  }
  Rect right;
  if (plan.beside) {
    right = box.take_right(box.w * 0.42F);
    box.take_right(ui.px(20));
  }
  const bool low = box.h < ui.px(280);  // no room for a scale
  const Rect below = box.take_bottom(ui.px(low ? 26 : 80) + plan.tables);
  Rect main;
  const Scene shown = draw_main(ui, box, model, memory, scene, main, actions);
  const Rect words{main.x, main.bottom() + ui.px(22), below.right() - main.x, ui.px(18)};
  draw_line_below(ui, words, main.w, model, scene);
  if (model.document.look.pinned && main.w >= ui.px(300)) draw_callouts(ui, main, *model.trace(), shown);
  const Rect scale{main.x, words.bottom() + ui.px(14), words.w, ui.px(40)};
  if (!low) draw_scale(ui, scale, model, scene);
  if (plan.tables > 0)
    draw_relative_tables(ui, {main.x, scale.bottom() + ui.px(6), main.w, plan.tables}, model, memory);
  if (plan.beside)
    draw_beside(ui, right, model, memory, scene,
                {has_relative_tables(model) && plan.tables == 0, frames_of(*scene.step) > 1 && !plan.frames_below},
                actions);
}

}  // namespace headlight::app
