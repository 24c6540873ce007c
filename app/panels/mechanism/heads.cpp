// Which query heads read one key head, and what that saves; heads that are mixed; the two maps of a differential head.
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// Thumbnails of all heads of a step in a row, or some rows, and under each what `draw_below` draws, so many px high; a
// press chooses the head.
void draw_heads_row(MechanismFrame& frame, const std::string& id, const Step& step, Index per_group, float below,
                    const std::function<void(Index head, Rect place)>& draw_below) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const Rect box = frame.box;
  constexpr Index most = 64;  // more are too small to tell apart
  const Index heads = std::min(heads_of(step), most);
  // Whole groups in a line, as many as leave thumbnails wide enough to see.
  const auto fit = std::max<Index>(1, static_cast<Index>(box.w / ui.px(50)));
  const Index in_line = std::min(heads, per_group >= fit ? fit : fit / per_group * per_group);
  const float gap = ui.px(6), pitch = std::min(ui.px(72), (box.w + gap) / static_cast<float>(in_line));
  const float side = pitch - gap, line_h = ui.px(18) + side + below;
  for (Index m = 0; m < heads; ++m) {
    const Rect place{box.x + pitch * static_cast<float>(m % in_line), box.y + line_h * static_cast<float>(m / in_line),
                     side, ui.px(18) + side};
    const bool current = m == place_of_head(step, frame.of.head);
    if (current) ui.fill(place.inset(-ui.px(3)), t.brand_soft, ui.px(4));
    ui.text_in(current ? Type::heading : Type::note, {place.x, place.y, place.w, ui.px(16)},
               current ? t.text : t.text_muted, fmt::format("{}", m));
    draw_small_map(frame, {place.x, place.y + ui.px(18), side, side}, frame.head_map(id, step, m));
    if (ui.hit(fmt::format("mechanism/{}/{}", id, m), place, false).clicked)
      frame.actions.push_back(SetHead{first_head_at(step, m)});
    draw_below(m, place);
  }
  frame.box.take_top(line_h * std::ceil(static_cast<float>(heads) / static_cast<float>(in_line)));
}

// A bracket under query heads that read one key head.
void draw_bracket(Ui& ui, Rect from, Rect to, const std::string& words) {
  const Color32 color = ui.theme().key.main;
  const float y = from.bottom() + ui.px(10), top = from.bottom() + ui.px(5);
  ui.line({from.x, top}, {from.x, y}, color, ui.px(1.5F));
  ui.line({to.right(), top}, {to.right(), y}, color, ui.px(1.5F));
  ui.line({from.x, y}, {to.right(), y}, color, ui.px(1.5F));
  ui.text_in(Type::heading, {from.x, y + ui.px(3), to.right() - from.x, ui.px(16)}, color, words, Ui::Align::center);
}

}  // namespace

void draw_shared_keys(MechanismFrame& frame) {
  const mechanism::SharedKeys shared = *mechanism::shared_keys(frame.problem, frame.trace);
  const std::string saved = fmt::format("{} numbers cached per token, not {}", shared.kept, shared.kept_each);
  frame.title("Heads that share keys", saved);
  frame.ui.log("mechanism/kept", frame.box, saved);
  const Index group = std::max<Index>(1, heads_of(*frame.trace.map()) / shared.key_heads);
  Rect first;
  draw_heads_row(frame, "shared", *frame.trace.map(), group, frame.ui.px(38), [&](Index m, Rect place) {
    if (m % group == 0 || place.y > first.y) first = place;
    if (m % group != group - 1) return;
    const bool roomy = place.right() - first.x > frame.ui.px(90);
    const Index number = m / group;
    draw_bracket(frame.ui, first, place, roomy ? fmt::format("key head {}", number) : fmt::format("k{}", number));
  });
}

void draw_mixing(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  for (const mechanism::Mixing& mixing : mechanism::mixing(frame.trace, frame.of.head)) {
    frame.title(fmt::format("{}: what head {} takes", mixing.made->info.title, frame.of.head), "of each head's map");
    double most = 1e-12;
    for (const double share : mixing.shares) most = std::max(most, std::abs(share));
    draw_heads_row(frame, mixing.made->info.id, *mixing.of, 1, ui.px(32), [&](Index m, Rect place) {
      const double share = mixing.shares[static_cast<std::size_t>(m)];
      const Rect bar{place.x, place.bottom() + ui.px(4), place.w, ui.px(6)};
      const float half = bar.w / 2, length = half * static_cast<float>(std::abs(share) / most);
      ui.fill(bar, t.sunken);
      ui.fill({share < 0 ? bar.x + half - length : bar.x + half, bar.y, length, bar.h},
              share < 0 ? t.bar_negative : t.bar_positive);
      ui.text_in(Type::number_small, {place.x, bar.bottom() + ui.px(1), place.w, ui.px(14)}, t.text_muted,
                 with_minus_signs(fmt::format("{:+.2f}", share)), Ui::Align::center);
    });
    frame.skip(8);
  }
}

void draw_two_maps(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  // The map at the left may be one of two of its head.
  const Step& result = *mechanism::two_maps(frame.problem, frame.trace, 0)->result;
  const Index head = heads_of(frame.map) > heads_of(result) ? frame.of.head / 2 : frame.of.head;
  const mechanism::TwoMaps maps = *mechanism::two_maps(frame.problem, frame.trace, head);
  frame.title(fmt::format("Head {}: two maps, and what is left", maps.first / 2),
              with_minus_signs(fmt::format("λ = {:.3g}", maps.by)));
  const float between = ui.px(28), usual = std::min(ui.px(150), (frame.box.w - 2 * between) / 3);
  const float room = frame.height_left(ui.px(44));  // less the names above and the sum below
  const float side = std::clamp(room, std::min(usual, ui.px(110)), usual);
  Rect line = frame.box.take_top(side + ui.px(18));
  draw_named_map(frame, line.take_left(side), frame.head_map("first", *maps.maps, maps.first), "first");
  draw_sign(ui, line.take_left(between), "− λ·");
  draw_named_map(frame, line.take_left(side), frame.head_map("second", *maps.maps, maps.second), "second");
  draw_sign(ui, line.take_left(between), "=");
  draw_named_map(frame, line.take_left(side), frame.head_map("left", *maps.result, maps.first / 2), "difference");
  frame.skip(8);
  const std::string sum =
      fmt::format("{:.4f} − {:.3g} · {:.4f} = {:.4f}", frame.pair_value(*maps.maps, maps.first), maps.by,
                  frame.pair_value(*maps.maps, maps.second), frame.pair_value(*maps.result, maps.first / 2));
  const std::string words = fmt::format("{} to {}: {}", frame.query, frame.key, with_minus_signs(sum));
  ui.log("mechanism/two", frame.box, words);
  frame.line(words, ui.theme().text, Type::number_note);
}

}  // namespace headlight::app
