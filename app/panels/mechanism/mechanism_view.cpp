#include "app/model/mechanism_report.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

struct Picture {
  const char* id;
  const char* name;  // as it is listed: "dials of pairs"
  bool (*shows)(const Problem& problem, const Trace& trace);
  void (*beside)(MechanismFrame& frame);           // draws beside the map, as high as it needs
  void (*below)(MechanismFrame& frame) = nullptr;  // draws under the map, into the whole box; null: nothing
  const char* name_below = "";                     // as that is listed
};

constexpr Picture pictures[] = {
    {"latent", "what is kept", [](const Problem&, const Trace& t) { return mechanism::latent_keys(t).has_value(); },
     draw_latent},
    {"rotary", "dials of pairs", [](const Problem& p, const Trace& t) { return mechanism::rotation(p, t).has_value(); },
     draw_rotary, draw_rotary_curve, "score over offset"},
    {"offsets", "what offsets add",
     [](const Problem& p, const Trace& t) { return mechanism::offset_term(p, t).has_value(); }, draw_offsets,
     draw_offset_curve, "added over offset"},
    {"parts", "a score, part by part",
     [](const Problem&, const Trace& t) { return mechanism::score_parts(t).sum != nullptr; }, draw_score_parts},
    {"row", "the row's weights", [](const Problem& p, const Trace&) { return mechanism::has_row_rule(p); },
     draw_row_rule, draw_row_curve, "the curve of the row"},
    {"two_maps", "two maps", [](const Problem& p, const Trace& t) { return mechanism::two_maps(p, t, 0).has_value(); },
     draw_two_maps},
    {"mixing", "mixed heads", [](const Problem&, const Trace& t) { return !mechanism::mixing(t, 0).empty(); },
     draw_mixing},
    {"state", "the running state",
     [](const Problem&, const Trace& t) { return mechanism::running_state(t).has_value(); }, draw_state},
    {"shifted", "windows on the picture",
     [](const Problem& p, const Trace& t) { return mechanism::window_groups(p, t).has_value(); }, draw_windows},
    {"shared", "heads that share keys",
     [](const Problem& p, const Trace& t) {
       const auto shared = mechanism::shared_keys(p, t);
       return shared && shared->group() > 1;
     },
     draw_shared_keys},
    {"forms", "three ways to score",
     [](const Problem& p, const Trace&) { return p.edits.empty() && !p.variant->score_forms(p.params).empty(); },
     draw_score_forms},
    {"norming", "lengths of queries and keys",
     [](const Problem& p, const Trace& t) { return mechanism::qk_norm(p, t).has_value(); }, draw_norming},
    {"codes", "codes of places",
     [](const Problem& p, const Trace& t) { return mechanism::place_codes(p, t).has_value(); }, draw_place_codes},
    {"gating", "what the gate lets through",
     [](const Problem&, const Trace& t) { return mechanism::gating(t).has_value(); }, draw_gating},
};
using Pictures = std::vector<const Picture*>;

Pictures pictures_of(const Model& model) {
  Pictures shown;
  if (!model.trace() || !model.shown.problem || !model.trace()->map()) return shown;
  for (const Picture& picture : pictures)
    if (picture.shows(*model.shown.problem, *model.trace())) shown.push_back(&picture);
  return shown;
}

const Picture* first_below(const Pictures& shown) {
  const auto found = std::ranges::find_if(shown, [](const Picture* p) { return p->below != nullptr; });
  return found == shown.end() ? nullptr : *found;
}

// The step that is shown where that is a map, else the map that comes of it.
const Step& map_of(const Model& model) {
  const Step& step = *model.step();
  const bool pairs = step.axis(AxisRole::query) && step.axis(AxisRole::key) && has_heads(step);
  return pairs && step.tensor().rank() == 4 && heads_of(step) > 1 ? step : *model.trace()->map();
}

// The pair that is selected; where none is, the last query and the key that it looks at most.
mechanism::PairIndex selected_pair(const Model& model, const Step& map) {
  const Selection selection = effective_selection(model);
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  mechanism::PairIndex of;
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

std::string position_name(Ui& ui, const Axis& axis, Index position, Index item) {
  const std::string label = label_of(&axis, axis.only.value_or(position), item);
  const bool number = labels_are_numbers(axis) || axis.labels.empty();
  return ui.fonts().display_text(number ? fmt::format("{} {}", axis.name, label) : label);
}

std::string key_name(Ui& ui, const Trace& trace, const Step& map, const mechanism::PairIndex& of) {
  const Axis &queries = *map.axis(AxisRole::query), &keys = *map.axis(AxisRole::key);
  if (!keys.position_of) return position_name(ui, keys, of.key, of.batch);
  return fmt::format("{} {}", keys.name,
                     name_along(trace, map, &keys, of.key, queries.only.value_or(of.query), of.batch));
}

void draw_pair_map(const MechanismFrame& frame, Rect box) {
  Ui& ui = frame.ui;
  const Look& look = frame.model.document.look;
  Focus focus = effective_focus(frame.model);
  focus.flat = true;
  const Slice slice = slice_of(frame.map, focus);
  HeatmapData data = labelled_map(frame.memory, frame.trace, slice, effective_selection(frame.model),
                                  frame.memory.cells.map(ui, frame.model, frame.map, look.head));
  data.pinned = shows_pinned(frame.model);
  if (!data.row && !data.column) {
    data.row = frame.of.query;
    data.column = frame.of.key;
  }
  const float below = ui.px(box.h > ui.px(300) ? 56 : 8);
  Rect room = box;
  room.take_bottom(below);
  const HeatmapResult result = heatmap(ui, "mechanism/map", room, data);
  if (below > ui.px(20)) {
    ColorBarData bar = map_scale(
        data.map, "mechanism/bar",
        fmt::format("{}, {}", quantity_of(frame.map), scaling_in_words(frame.map, look.scaling, data.map.range)));
    bar.masked = frame.extent(data.map).masked > 0;
    const Rect map = result.map;
    color_bar(ui, {map.x, map.bottom() + ui.px(14), std::max(map.w, box.right() - map.x), ui.px(40)}, bar);
  }
  const auto selected = [&](CellAt at) { return selection_at(slice, at.row, at.column, look.selection); };
  if (result.clicked) frame.actions.push_back(Select{selected(*result.clicked), true});
  if (result.hovered) frame.memory.hover = Hover{frame.map.info.id, look.head, selected(*result.hovered)};
}

constexpr float unlimited = 1e6;        // of height
constexpr float least_with_band = 470;  // px of the design
constexpr float between_pictures = 14;  // px of the design

// A part of a column that scrolls: its name, and where it lies.
struct Listed {
  std::string name;
  Rect at;
};

void draw_in(MechanismFrame frame, Rect box, void (*draw)(MechanismFrame& frame)) {
  frame.box = box;
  draw(frame);
}

// All pictures in a column: each gets its share of the room in sight, and takes what it needs. Returns the height.
float draw_stack(MechanismFrame frame, Rect area, float room, const Pictures& shown, std::vector<Listed>& listed) {
  Ui& ui = frame.ui;
  area = {area.x + ui.px(2), area.y, area.w - ui.px(14), area.h};  // the scroll bar stands beside them
  const float gap = ui.px(between_pictures);
  float y = area.y;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto left = static_cast<float>(shown.size() - i);
    if (i > 0) y += gap;
    frame.share = std::max(0.0F, (area.y + room - y - gap * (left - 1)) / left);
    frame.top = y;
    frame.box = {area.x, y, area.w, unlimited};
    shown[i]->beside(frame);
    const Rect at{area.x, y, area.w, frame.box.y - y};
    ui.log(std::string("mechanism/picture/") + shown[i]->id, at);
    listed.push_back({shown[i]->name, at});
    y += at.h;
  }
  return y - area.y;
}

// What stands below the pictures where there is no band for it.
float draw_rest(const MechanismFrame& frame, Rect area, const Pictures& shown, std::vector<Listed>& listed) {
  Ui& ui = frame.ui;
  float y = area.y + (shown.empty() ? 0 : ui.px(between_pictures));
  if (const Picture* below = first_below(shown)) {
    listed.push_back({below->name_below, {area.x, y, area.w, ui.px(210)}});
    draw_in(frame, listed.back().at, below->below);
    y += ui.px(226);
  }
  const bool plain = differs_in_map(*frame.model.shown.experiment);
  const float least = plain ? ui.px(230) : height_of_numbers(frame);
  const float height = shown.empty() ? std::max(least, frame.room - ui.px(16)) : least;
  listed.push_back({plain ? "against plain" : "in numbers", {area.x, y, area.w, height}});
  draw_in(frame, listed.back().at, draw_against_plain);
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
  if (height != before) ui.redraw_at(ui.now());
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
void draw_wide(MechanismFrame frame, Rect inside, const Pictures& shown) {
  Ui& ui = frame.ui;
  const bool has_band = inside.h >= ui.px(least_with_band) && !shown.empty();
  // Where nothing is held against plain and no curve is drawn, a few numbers are all that stands there.
  const bool full = first_below(shown) || differs_in_map(*frame.model.shown.experiment);
  const float numbers = height_of_numbers(frame);
  Rect band;
  if (has_band) {
    band = inside.take_bottom(full ? std::clamp(inside.h * 0.35F, ui.px(190), ui.px(270)) : numbers + ui.px(12));
    inside.take_bottom(ui.px(10));
    ui.line({band.x, band.y}, {band.right(), band.y}, ui.theme().line);
    band.take_top(ui.px(12));
  }
  const Rect map = inside.take_left(inside.w * 0.47F);
  inside.take_left(ui.px(24));
  draw_pair_map(frame, map);
  frame.room = inside.h;
  draw_column(ui, "mechanism/pictures", inside, [&](Rect area, std::vector<Listed>& listed) {
    float below = full ? ui.px(258) : numbers + ui.px(28);
    if (has_band) below = ui.px(4);
    const float room = inside.h - below;
    const float height = draw_stack(frame, area, room, shown, listed);
    const Rect rest{area.x + ui.px(2), area.y + height, area.w - ui.px(14), area.h};
    return has_band ? height : height + draw_rest(frame, rest, shown, listed);
  });
  if (!has_band) return;
  if (const Picture* below = first_below(shown)) {
    draw_in(frame, band.take_left(band.w * 0.4F), below->below);
    band.take_left(ui.px(24));
  }
  draw_in(frame, band, draw_against_plain);
}

// One below the other.
void draw_narrow(const MechanismFrame& frame, Rect inside, const Pictures& shown) {
  Ui& ui = frame.ui;
  draw_column(ui, "mechanism/all", inside, [&](Rect area, std::vector<Listed>& listed) {
    const float top = area.y;
    area.w -= ui.px(8);
    const float side = std::min(area.w, std::max(ui.px(240), inside.h * 0.8F));
    draw_pair_map(frame, {area.x, area.y, area.w, side});
    float y = area.y + side + ui.px(12);
    y += draw_stack(frame, {area.x, y, area.w, inside.h}, unlimited, shown, listed);
    y += draw_rest(frame, {area.x, y, area.w, inside.h}, shown, listed);
    return y - top;
  });
}

}  // namespace

bool has_mechanism_view(const Model& model) {
  const bool map = model.trace() && model.trace()->map() && model.shown.experiment;
  return map && (!pictures_of(model).empty() || differs_in_map(*model.shown.experiment));
}

void draw_mechanism_view(Ui& ui, Rect inside, const Model& model, PanelMemory& memory, Actions& actions) {
  if (!model.trace()->map() || !model.shown.problem) {
    paragraph(ui, {inside.x, inside.y + ui.px(12)}, std::min(inside.w, ui.px(520)), ui.theme().text_muted,
              "This mechanism has no map over queries and keys.");
    return;
  }
  const Step& map = map_of(model);
  const mechanism::PairIndex of = selected_pair(model, map);
  const MechanismFrame frame{.ui = ui,
                             .model = model,
                             .memory = memory,
                             .actions = actions,
                             .trace = *model.trace(),
                             .problem = *model.shown.problem,
                             .map = map,
                             .of = of,
                             .query = position_name(ui, *map.axis(AxisRole::query), of.query, of.batch),
                             .key = key_name(ui, *model.trace(), map, of),
                             .room = inside.h,
                             .share = inside.h};
  if (inside.w >= ui.px(700) && inside.h >= ui.px(260))
    draw_wide(frame, inside, pictures_of(model));
  else
    draw_narrow(frame, inside, pictures_of(model));
}

}  // namespace headlight::app
