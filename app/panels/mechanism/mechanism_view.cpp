#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "app/model/mechanism_report.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/common/prepared.h"
#include "app/panels/mechanism/mechanism_view.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

std::span<const MechanismPicture* const> pictures() {
  static const std::array list{&latent_picture(),      &rotary_picture(),      &offsets_picture(),
                               &score_parts_picture(), &row_rule_picture(),    &two_maps_picture(),
                               &mixing_picture(),      &state_picture(),       &windows_picture(),
                               &shared_keys_picture(), &score_forms_picture(), &norming_picture(),
                               &place_codes_picture(), &gating_picture()};
  return list;
}

std::vector<const MechanismPicture*> pictures_of(const Model& model) {
  std::vector<const MechanismPicture*> shown;
  if (!model.trace() || !model.shown.problem || !model.trace()->map()) return shown;
  for (const MechanismPicture* picture : pictures())
    if (picture->shows(*model.shown.problem, *model.trace())) shown.push_back(picture);
  return shown;
}

// The step that is shown where that is a map, else the map that comes of it.
const Step& map_of(const Model& model) {
  const Step& step = *model.step();
  const bool pairs = step.axis(AxisRole::query) && step.axis(AxisRole::key) && has_heads(step);
  return pairs && step.tensor().rank() == 4 && heads_of(step) > 1 ? step : *model.trace()->map();
}

// The pair that is selected; where none is, the last query and the key that it looks at most.
mechanism::PairOf pair_of(const Model& model, const Step& map) {
  const Selection selection = effective_selection(model);
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  mechanism::PairOf of;
  of.batch = std::min(model.document.look.batch, batches_of(map) - 1);
  of.head = model.document.look.head;
  of.query = queries.only ? 0 : std::min(selection.query.value_or(queries.size - 1), queries.size - 1);
  if (selection.key) {
    of.key = std::min(*selection.key, keys.size - 1);
    return of;
  }
  Focus focus = effective_focus(model);
  focus.flat = true;
  const MatrixView cells = slice_of(map, focus).matrix;
  if (of.query >= cells.rows) return of;
  for (Index j = 1; j < std::min(keys.size, cells.columns); ++j)
    if (cells.at(of.query, j) > cells.at(of.query, of.key)) of.key = j;
  return of;
}

std::string name_of(const Axis& axis, Index position) {
  const std::string label = label_of(&axis, axis.only.value_or(position));
  return labels_are_numbers(axis) || axis.labels.empty() ? fmt::format("{} {}", axis.name, label) : label;
}

void draw_pair_map(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const Model& model = frame.model;
  Focus focus = effective_focus(model);
  focus.flat = true;
  const Slice slice = slice_of(frame.map, focus);
  HeatmapData data = labelled_map(memory, frame.trace, slice, effective_selection(model),
                                  memory.cells.map(ui, model, frame.map, model.document.look.head));
  data.pinned = shows_pinned(model);
  if (!data.row && !data.column) data.row = frame.of.query, data.column = frame.of.key;
  const float below = ui.px(box.h > ui.px(300) ? 56 : 8);
  Rect room = box;
  room.take_bottom(below);
  const HeatmapResult result = heatmap(ui, "mechanism/map", room, data);
  if (below > ui.px(20)) {
    ColorBarData bar;
    bar.key = "mechanism/bar";
    bar.range = data.map.range;
    bar.colormap = data.map.colormap;
    bar.words = fmt::format("{}, {}", quantity_of(frame.map),
                            scaling_in_words(frame.map, model.document.look.scaling, bar.range));
    bar.masked = memory.get<Prepared>().extent(data.map).masked > 0;
    color_bar(
        ui,
        {result.map.x, result.map.bottom() + ui.px(14), std::max(result.map.w, box.right() - result.map.x), ui.px(40)},
        bar);
  }
  const auto selected = [&](CellAt at) {
    return selection_at(slice, at.row, at.column, model.document.look.selection);
  };
  if (result.clicked) actions.push_back(Select{selected(*result.clicked), true});
  if (result.hovered) memory.hover = Hover{frame.map.info.id, model.document.look.head, selected(*result.hovered)};
}

constexpr float as_much_as_it_takes = 1e6;  // of height
constexpr float least_with_band = 470;      // px of the design
constexpr float between_pictures = 14;      // px of the design

// What stands one below the other in a column that scrolls: its name, and where it lies.
struct Listed {
  std::string name;
  Rect at;
};

// All of them one below the other: each is told its share of the room in sight, and takes what it needs of it.
float draw_stack(Ui& ui, Rect area, float room, const std::vector<const MechanismPicture*>& shown,
                 const MechanismFrame& frame, PanelMemory& memory, Actions& actions, std::vector<Listed>& listed) {
  area = {area.x + ui.px(2), area.y, area.w - ui.px(14), area.h};  // the scroll bar stands beside them
  const float gap = ui.px(between_pictures);
  float y = area.y;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto left = static_cast<float>(shown.size() - i);
    if (i > 0) y += gap;
    MechanismFrame of_one = frame;
    of_one.share = std::max(0.0F, (area.y + room - y - gap * (left - 1)) / left);
    const float height = shown[i]->beside(ui, {area.x, y, area.w, as_much_as_it_takes}, of_one, memory, actions);
    ui.log(std::string("mechanism/picture/") + shown[i]->id, {area.x, y, area.w, height});
    listed.push_back({shown[i]->name, {area.x, y, area.w, height}});
    y += height;
  }
  return y - area.y;
}

const MechanismPicture* first_below(const std::vector<const MechanismPicture*>& shown) {
  const auto found = std::ranges::find_if(shown, [](const MechanismPicture* p) { return p->below != nullptr; });
  return found == shown.end() ? nullptr : *found;
}

// What stands below the pictures where there is no band for it. Returns the height.
float draw_rest(Ui& ui, Rect area, const std::vector<const MechanismPicture*>& shown, const MechanismFrame& frame,
                PanelMemory& memory, Actions& actions, std::vector<Listed>& listed) {
  float y = area.y + (shown.empty() ? 0 : ui.px(between_pictures));
  if (const MechanismPicture* below = first_below(shown)) {
    listed.push_back({below->name_below, {area.x, y, area.w, ui.px(210)}});
    below->below(ui, listed.back().at, frame, memory);
    y += ui.px(226);
  }
  const bool plain = differs_in_map(*frame.model.shown.experiment);
  const float least = plain ? ui.px(230) : height_of_numbers(ui, frame);
  const float height = shown.empty() ? std::max(least, frame.room - ui.px(16)) : least;
  listed.push_back({plain ? "against plain" : "in numbers", {area.x, y, area.w, height}});
  draw_against_plain(ui, listed.back().at, frame, memory, actions);
  return y + height + ui.px(10) - area.y;
}

// A column that scrolls. Where it is longer than its box, a line at its foot names what does not begin in sight or is
// cut off; a click goes there. `content` lists what stands in it, and its height does not depend on the foot.
void draw_column(Ui& ui, const std::string& path, Rect box,
                 const std::function<float(Rect, std::vector<Listed>&)>& content) {
  std::vector<Listed> listed;
  float& height = ui.memory().scroll[path + "/height"];
  const float before = height;
  const Rect foot = {box.x, box.bottom() - ui.px(26), box.w - ui.px(10), ui.px(26)};
  if (height > box.h + ui.px(2)) box.take_bottom(ui.px(28));
  scroll_area(ui, path, box, [&](Rect area) { return height = content(area, listed); });
  if (height != before) ui.change_at(ui.now());
  std::string names;
  std::optional<float> next;
  for (const Listed& one : listed) {
    if (one.at.bottom() <= box.bottom() + ui.px(2)) continue;
    names += (names.empty() ? "" : ", ") + one.name;
    if (!next) next = one.at.y - box.y;
  }
  if (!next || box.bottom() > foot.y) return;
  const std::string words = "↓  More below: " + names;
  const auto hit = ui.hit(path + "/more", foot, true, names);
  ui.fill(foot, hit.hovered ? ui.theme().sunken : ui.theme().panel);
  ui.line({foot.x, foot.y}, {foot.right(), foot.y}, ui.theme().line_strong);
  if (hit.focused) ui.focus_ring(foot, ui.px(4));
  ui.text_in(Type::control, foot.inset(ui.px(8), 0), ui.theme().text,
             ui.fitted(Type::control, words, foot.w - ui.px(16)));
  // One that is cut off stands at the top then; where it does already, the next page does.
  if (hit.clicked) ui.memory().scroll[path] += *next > ui.px(20) ? *next : box.h - ui.px(60);
}

// The map and the pictures beside each other, what they come to in a band below where there is room for one.
void draw_wide(Ui& ui, Rect inside, const std::vector<const MechanismPicture*>& shown, MechanismFrame frame,
               PanelMemory& memory, Actions& actions) {
  const bool has_band = inside.h >= ui.px(least_with_band) && !shown.empty();
  // Where nothing is held against plain and no curve is drawn, a few numbers are all that stands there.
  const bool full = first_below(shown) || differs_in_map(*frame.model.shown.experiment);
  const float tall =
      full ? std::clamp(inside.h * 0.35F, ui.px(190), ui.px(270)) : height_of_numbers(ui, frame) + ui.px(12);
  Rect band = inside.take_bottom(has_band ? tall : 0);
  if (has_band) {
    inside.take_bottom(ui.px(10));
    ui.line({band.x, band.y}, {band.right(), band.y}, ui.theme().line);
    band.take_top(ui.px(12));
  }
  const Rect map = inside.take_left(inside.w * 0.47F);
  inside.take_left(ui.px(24));
  draw_pair_map(ui, map, frame, memory, actions);
  frame.room = inside.h;
  draw_column(ui, "mechanism/pictures", inside, [&](Rect area, std::vector<Listed>& listed) {
    // Less what stands below them.
    const float room = inside.h - (has_band ? ui.px(4) : full ? ui.px(258) : height_of_numbers(ui, frame) + ui.px(28));
    const float height = draw_stack(ui, area, room, shown, frame, memory, actions, listed);
    const Rect rest{area.x + ui.px(2), area.y + height, area.w - ui.px(14), area.h};
    return has_band ? height : height + draw_rest(ui, rest, shown, frame, memory, actions, listed);
  });
  if (!has_band) return;
  if (const MechanismPicture* below = first_below(shown)) {
    below->below(ui, band.take_left(band.w * 0.4F), frame, memory);
    band.take_left(ui.px(24));
  }
  draw_against_plain(ui, band, frame, memory, actions);
}

// One below the other.
void draw_narrow(Ui& ui, Rect inside, const std::vector<const MechanismPicture*>& shown, const MechanismFrame& frame,
                 PanelMemory& memory, Actions& actions) {
  draw_column(ui, "mechanism/all", inside, [&](Rect area, std::vector<Listed>& listed) {
    const float top = area.y;
    area.w -= ui.px(8);
    const float side = std::min(area.w, std::max(ui.px(240), inside.h * 0.8F));
    draw_pair_map(ui, {area.x, area.y, area.w, side}, frame, memory, actions);
    float y = area.y + side + ui.px(12);
    y += draw_stack(ui, {area.x, y, area.w, inside.h}, as_much_as_it_takes, shown, frame, memory, actions, listed);
    y += draw_rest(ui, {area.x, y, area.w, inside.h}, shown, frame, memory, actions, listed);
    return y - top;
  });
}

void draw_nothing(Ui& ui, Rect box) {
  paragraph(ui, {box.x, box.y + ui.px(12)}, std::min(box.w, ui.px(520)), ui.theme().text_muted,
            "This mechanism has no map over queries and keys.");
}

}  // namespace

bool has_mechanism_view(const Model& model) {
  const bool map = model.trace() && model.trace()->map() && model.shown.experiment;
  return map && (!pictures_of(model).empty() || differs_in_map(*model.shown.experiment));
}

MechanismMemory::Of all_of(const MechanismFrame& frame) {
  return {frame.model.shown.ticket, frame.of.batch, frame.of.head, frame.of.query, frame.of.key};
}

void ask_from(const MechanismFrame& frame, Index query, Actions& actions) {
  Selection next = frame.model.document.look.selection;
  next.query = query;
  actions.push_back(Select{next, frame.model.document.look.pinned});
}

Index cell_under(Point at, Rect box, Index rows, Index columns) {
  const auto place = [](float along, float length, Index extent) {
    const auto cells = static_cast<float>(extent);
    return static_cast<Index>(std::clamp(along / length * cells, 0.0F, cells - 1));
  };
  return place(at.y - box.y, box.h, rows) * columns + place(at.x - box.x, box.w, columns);
}

void picture_title(Ui& ui, Rect& box, std::string_view title, std::string_view note) {
  Rect line = box.take_top(ui.px(20));
  const float width = std::min(line.w, ui.width_of(Type::label_strong, title) + ui.px(10));
  ui.text_in(Type::label_strong, line.take_left(width), ui.theme().text, title);
  if (!note.empty() && line.w > ui.px(40))
    ui.text_in(Type::note, line, ui.theme().text_faint, ui.fitted(Type::note, note, line.w), Ui::Align::right);
  box.take_top(ui.px(4));
}

void draw_small_map(Ui& ui, Rect box, const MapData& map, const MechanismFrame& frame) {
  draw_map(ui, map, box, MapSize::small);
  ui.frame(box.inset(-1), ui.theme().line_strong);
  if (frame.of.query >= map.cells.rows || frame.of.key >= map.cells.columns) return;
  const float w = box.w / static_cast<float>(map.cells.columns), h = box.h / static_cast<float>(map.cells.rows);
  const Rect cell{box.x + w * static_cast<float>(frame.of.key), box.y + h * static_cast<float>(frame.of.query),
                  std::max(w, ui.px(5)), std::max(h, ui.px(5))};
  ui.frame(cell.inset(-1), ui.theme().canvas, 0, ui.px(3));
  ui.frame(cell, ui.theme().ink, 0, ui.px(1.5F));
}

void draw_named_map(Ui& ui, Rect box, const MapData& map, const MechanismFrame& frame, const std::string& name) {
  ui.text_in(Type::note, box.take_top(ui.px(18)), ui.theme().text_muted, ui.fitted(Type::note, name, box.w),
             Ui::Align::center);
  draw_small_map(ui, {box.x, box.y, box.w, box.w}, map, frame);
}

void draw_mechanism_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions) {
  const auto shown = pictures_of(model);
  if (!model.trace()->map() || !model.shown.problem) return draw_nothing(ui, inside);
  const Step& map = map_of(model);
  const mechanism::PairOf of = pair_of(model, map);
  const MechanismFrame frame{model,
                             *model.trace(),
                             *model.shown.problem,
                             map,
                             of,
                             ui.fonts().display_text(name_of(*map.axis(AxisRole::query), of.query)),
                             ui.fonts().display_text(name_of(*map.axis(AxisRole::key), of.key)),
                             inside.h,
                             inside.h};
  if (inside.w >= ui.px(700) && inside.h >= ui.px(260))
    draw_wide(ui, inside, shown, frame, memory, actions);
  else
    draw_narrow(ui, inside, shown, frame, memory, actions);
}

}  // namespace headlight::app
