// Which query heads read one key head, and what that saves; heads that are mixed; the two maps of a differential head.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "app/reading/step_words.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

// Thumbnails of all heads of a step in a row, or some rows; a press chooses the head. `under` is told where each lies.
template <class Under>
float draw_heads_row(Ui& ui, Rect box, const char* id, const Step& step, const MechanismFrame& frame,
                     PanelMemory& memory, Actions& actions, Index per_group, const Under& under) {
  const Theme& t = ui.theme();
  constexpr Index most = 64;  // more are too small to tell apart
  const Index heads = std::min(heads_of(step), most);
  // Whole groups in a line, as many as leave thumbnails wide enough to see.
  const auto fit = std::max<Index>(1, static_cast<Index>(box.w / ui.px(50)));
  const Index in_line = std::min(heads, per_group >= fit ? fit : fit / per_group * per_group);
  const float gap = ui.px(6), pitch = std::min(ui.px(72), (box.w + gap) / static_cast<float>(in_line));
  const float side = pitch - gap, line_h = ui.px(18) + side + under(-1, Rect{});
  for (Index m = 0; m < heads; ++m) {
    const Rect place{box.x + pitch * static_cast<float>(m % in_line), box.y + line_h * static_cast<float>(m / in_line),
                     side, ui.px(18) + side};
    const bool current = m == place_of_head(step, frame.of.head);
    if (current) ui.fill(place.inset(-ui.px(3)), t.brand_soft, ui.px(4));
    ui.text_in(current ? Type::heading : Type::note, {place.x, place.y, place.w, ui.px(16)},
               current ? t.text : t.text_muted, fmt::format("{}", m + 1));
    MapData map = memory.cells.map(ui, frame.model, step, m);
    map.key = fmt::format("mechanism/{}/{}", id, map.key);
    draw_small_map(ui, {place.x, place.y + ui.px(18), side, side}, map, frame);
    if (ui.hit(fmt::format("mechanism/{}/{}", id, m), place, false).clicked)
      actions.push_back(SetHead{first_head_at(step, m)});
    under(m, place);
  }
  return line_h * std::ceil(static_cast<float>(heads) / static_cast<float>(in_line));
}

// ---- Shared keys

// A bracket under query heads that read one key head.
void draw_bracket(Ui& ui, Rect from, Rect to, const std::string& words) {
  const Color32 color = ui.theme().key.main;
  const float y = from.bottom() + ui.px(10), top = from.bottom() + ui.px(5);
  ui.line({from.x, top}, {from.x, y}, color, ui.px(1.5F));
  ui.line({to.right(), top}, {to.right(), y}, color, ui.px(1.5F));
  ui.line({from.x, y}, {to.right(), y}, color, ui.px(1.5F));
  const float width = to.right() - from.x;
  ui.text_in(Type::heading, {from.x, y + ui.px(3), width, ui.px(16)}, color, ui.fitted(Type::heading, words, width),
             Ui::Align::center);
}

float draw_shared(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const float top = box.y;
  const mechanism::SharedKeys shared = *mechanism::shared_keys(frame.problem, frame.trace);
  const Step& map = *frame.trace.map();
  const std::string saved = fmt::format("{} numbers kept a token, not {}", shared.kept, shared.kept_each);
  picture_title(ui, box, "Query heads that share a key head", saved);
  ui.log("mechanism/kept", box, saved);
  const Index maps = heads_of(map), group = std::max<Index>(1, maps / shared.key_heads);
  Rect first;
  box.h = draw_heads_row(ui, box, "shared", map, frame, memory, actions, group, [&](Index m, Rect place) {
    if (m < 0) return ui.px(38);
    if (m % group == 0 || place.y > first.y) first = place;
    if (m % group == group - 1)
      draw_bracket(ui, first, place,
                   place.right() - first.x > ui.px(90) ? fmt::format("key head {}", m / group + 1)
                                                       : fmt::format("k{}", m / group + 1));
    return 0.0F;
  });
  return box.bottom() - top;
}

// ---- Talking heads

float draw_mixing(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  const float top = box.y;
  const Theme& t = ui.theme();
  for (const mechanism::Mixing& mixing : mechanism::mixing(frame.trace, frame.of.head)) {
    picture_title(ui, box, fmt::format("{}: what head {} takes", mixing.made->info.title, frame.of.head + 1),
                  "of each head's map");
    double most = 1e-12;
    for (const double share : mixing.shares) most = std::max(most, std::abs(share));
    const float height = draw_heads_row(
        ui, box, mixing.made->info.id.c_str(), *mixing.of, frame, memory, actions, 1, [&](Index m, Rect place) {
          if (m < 0) return ui.px(32);
          const double share = mixing.shares[static_cast<std::size_t>(m)];
          const Rect bar{place.x, place.bottom() + ui.px(4), place.w, ui.px(6)};
          const float half = bar.w / 2, length = half * static_cast<float>(std::abs(share) / most);
          ui.fill(bar, t.sunken);
          ui.fill({share < 0 ? bar.x + half - length : bar.x + half, bar.y, length, bar.h},
                  share < 0 ? t.bar_negative : t.bar_positive);
          ui.text_in(Type::number_small, {place.x, bar.bottom() + ui.px(1), place.w, ui.px(14)}, t.text_muted,
                     fmt::format("{:+.2f}", share), Ui::Align::center);
          return 0.0F;
        });
    box.take_top(height + ui.px(8));
  }
  return box.y - top;
}

// ---- Two maps of a head

float draw_two_maps(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions&) {
  const float top = box.y;
  const Theme& t = ui.theme();
  // The map at the left may be one of two of its head.
  const Step& result = *mechanism::two_maps(frame.problem, frame.trace, 0)->result;
  const Index head = heads_of(frame.map) > heads_of(result) ? frame.of.head / 2 : frame.of.head;
  const mechanism::MapsApart maps = *mechanism::two_maps(frame.problem, frame.trace, head);
  picture_title(ui, box, fmt::format("Head {}: two maps, and what is left", maps.first / 2 + 1),
                fmt::format("λ = {:.3g}", maps.by));
  const float between = ui.px(28), usual = std::min(ui.px(150), (box.w - 2 * between) / 3);
  const float room = top + frame.share - box.y - ui.px(44);  // less the names above and the sum below
  const float side = std::clamp(room, std::min(usual, ui.px(110)), usual);
  const auto map = [&](const Step& step, Index of_map, const char* key) {
    MapData data = memory.cells.map(ui, frame.model, step, of_map);
    data.key = std::string("mechanism/") + key + data.key;
    return data;
  };
  Rect line = box.take_top(side + ui.px(18));
  const auto sign = [&](const char* words) {
    Rect gap = line.take_left(between);
    gap.take_top(ui.px(18));
    ui.text_in(Type::body_strong, gap, t.text, words, Ui::Align::center);
  };
  draw_named_map(ui, line.take_left(side), map(*maps.maps, maps.first, "first/"), frame, "first");
  sign("− λ·");
  draw_named_map(ui, line.take_left(side), map(*maps.maps, maps.second, "second/"), frame, "second");
  sign("=");
  draw_named_map(ui, line.take_left(side), map(*maps.result, maps.first / 2, "left/"), frame, "difference");
  box.take_top(ui.px(8));
  const auto cell = [&](const Step& step, Index of_map) {
    const Tensor& x = step.tensor();
    return static_cast<double>(
        x[((frame.of.batch * x.dim(1) + of_map) * x.dim(2) + frame.of.query) * x.dim(3) + frame.of.key]);
  };
  const std::string words =
      fmt::format("{} to {}: {:.4f} − {:.3g} · {:.4f} = {:.4f}", frame.query, frame.key, cell(*maps.maps, maps.first),
                  maps.by, cell(*maps.maps, maps.second), cell(*maps.result, maps.first / 2));
  ui.log("mechanism/two", box, words);
  ui.text_in(Type::number_note, box.take_top(ui.px(18)), t.text, ui.fitted(Type::number_note, words, box.w));
  return box.y - top;
}

}  // namespace

const MechanismPicture& shared_keys_picture() {
  static const MechanismPicture picture{"shared", "heads that share keys",
                                        [](const Problem& problem, const Trace& trace) {
                                          const auto shared = mechanism::shared_keys(problem, trace);
                                          return shared && shared->group() > 1;
                                        },
                                        draw_shared};
  return picture;
}

const MechanismPicture& mixing_picture() {
  static const MechanismPicture picture{
      "mixing", "mixed heads", [](const Problem&, const Trace& trace) { return !mechanism::mixing(trace, 0).empty(); },
      draw_mixing};
  return picture;
}

const MechanismPicture& two_maps_picture() {
  static const MechanismPicture picture{
      "two_maps", "two maps",
      [](const Problem& problem, const Trace& trace) { return mechanism::two_maps(problem, trace, 0).has_value(); },
      draw_two_maps};
  return picture;
}

}  // namespace headlight::app
