// Rotary positions: a dial for each of some pairs of channels, before and after the turn, here and with all tokens
// moved on; and the score of these two words at every offset.
#include <imgui.h>

#include <cmath>
#include <numbers>

#include "app/model/mechanism_report.h"
#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

using mechanism::Arrow;
using mechanism::Dial;
using mechanism::Rotation;

constexpr double degrees = 180 / std::numbers::pi;
constexpr std::size_t most_dials = 4;
constexpr double same_angle = 0.01;  // degrees: what float32 leaves of a turn

// From fast to slow: all that the head uses, or some that lie evenly among them.
std::vector<Index> pairs_shown(const Rotation& t, const MechanismFrame& frame) {
  constexpr double unused = 1e-3;  // of what the largest adds
  const auto reach = mechanism::max_pair_products(t, frame.of.batch, frame.of.head);
  const double most = reach.empty() ? 0 : *std::ranges::max_element(reach);
  std::vector<Index> used, list;
  for (Index pair = 0; pair < t.pairs(); ++pair)
    if (reach[static_cast<std::size_t>(pair)] >= unused * most) used.push_back(pair);
  const std::size_t count = std::min(used.size(), most_dials);
  for (std::size_t i = 0; i < count; ++i) list.push_back(used[count < 2 ? 0 : i * (used.size() - 1) / (count - 1)]);
  return list;
}

const std::vector<Index>& cached_pairs(const Rotation& t, const MechanismFrame& frame) {
  MechanismMemory& kept = frame.cache();
  MechanismMemory::Of of = frame.selected();
  of.query = of.key = -1;
  if (kept.dials_of != of) kept.dials = pairs_shown(t, frame);
  kept.dials_of = of;
  return kept.dials;
}

bool is_empty(const Dial& dial) {
  return std::max(dial.q.length(), dial.k.length()) <= 0;
}

void draw_dashes(Ui& ui, Point from, Point to, Color32 color) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), each = ui.px(5);
  for (float at = 0; at < length; at += each) {
    const float end = std::min(length, at + each * 0.55F);
    ui.list().AddLine({from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length},
                      {from.x + (to.x - from.x) * end / length, from.y + (to.y - from.y) * end / length}, color,
                      ui.px(1.4F));
  }
}

// Fills the box as far as its shorter side and the width allow.
void draw_dial(Ui& ui, Rect box, const Dial& dial) {
  const Theme& t = ui.theme();
  const Point center = box.middle();
  const ImVec2 middle{center.x, center.y};
  const float radius = std::min(box.h, box.w * 0.84F) / 2 - 1;
  if (is_empty(dial)) {  // there is nothing to turn
    ui.list().AddCircle(middle, radius, t.line, 64, 1);
    ui.list().AddCircleFilled(middle, ui.px(3), t.text_faint, 16);
    return;
  }
  const double longest = std::max({dial.q.length(), dial.k.length(), 1e-12});
  const auto end = [&](const Arrow& arrow, float share) {
    const auto by = static_cast<float>(share * radius / longest);
    return Point{center.x + by * static_cast<float>(arrow.x), center.y - by * static_cast<float>(arrow.y)};
  };
  // The wedge between both arrows, from the query to the key.
  const auto from = static_cast<float>(-dial.q_rotated.angle());
  const auto to = from - static_cast<float>(dial.between);
  ui.list().AddCircle(middle, radius, t.line_strong, 64, 1);
  ui.list().PathLineTo(middle);
  ui.list().PathArcTo(middle, radius * 0.46F, from, to, 24);
  ui.list().PathFillConvex(with_alpha(t.score.main, 0.16F));
  ui.list().PathArcTo(middle, radius * 0.46F, from, to, 24);
  ui.list().PathStroke(t.score.main, 0, ui.px(1.4F));
  draw_dashes(ui, center, end(dial.q, 1), t.query.main);
  draw_dashes(ui, center, end(dial.k, 1), t.key.main);
  draw_arrow(ui, center, end(dial.q_rotated, 0.92F), t.query.main);
  draw_arrow(ui, center, end(dial.k_rotated, 0.92F), t.key.main);
  ui.list().AddCircleFilled(middle, ui.px(3), t.ink, 16);
}

// The words of the role's colour, where nothing in them reads as a mark.
std::string in_role_color(const char* role, const std::string& words) {
  return words.find_first_of("{}") == std::string::npos ? fmt::format("{{{}:{}}}", role, words) : words;
}

std::string place_words(const MechanismFrame& frame, const Rotation& t, bool brief) {
  const Index q = t.first_query + frame.of.query, k = t.first_key + frame.of.key;
  return brief ? fmt::format("places {} and {}", q, k)
               : fmt::format("{} at place {}, {} at place {}", in_role_color("query", frame.query), q,
                             in_role_color("key", frame.key), k);
}

// A row of dials under a line of words.
void draw_dials(Ui& ui, Rect box, const std::vector<Index>& pairs, const std::vector<Dial>& dials, const char* id) {
  const float pitch = box.w / static_cast<float>(pairs.size());
  for (std::size_t i = 0; i < dials.size(); ++i) {
    const Rect place{box.x + pitch * static_cast<float>(i), box.y, pitch, box.h};
    draw_dial(ui, place, dials[i]);
    ui.log(fmt::format("mechanism/{}/{}", id, pairs[i]), place, fmt::format("{:.2f}", dials[i].between * degrees));
  }
}

std::vector<Dial> dials_of(const Rotation& t, const MechanismFrame& frame, const std::vector<Index>& pairs) {
  std::vector<Dial> dials;
  for (const Index pair : pairs) dials.push_back(mechanism::dial(t, frame.of, pair));
  return dials;
}

// How many degrees a pair turns from a place to the next: below its name, or beside it in a low line; in brief where
// there is little room.
void draw_names(Ui& ui, Rect line, const Rotation& t, const std::vector<Index>& pairs, bool low = false) {
  const float pitch = line.w / static_cast<float>(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Rect place{line.x + pitch * static_cast<float>(i), line.y, pitch, line.h};
    const std::string name = fmt::format("pair {}", pairs[i]);
    const double turn = t.frequencies[static_cast<std::size_t>(pairs[i])] * degrees;
    const std::string brief = turn >= 0.05 ? fmt::format("{:.1f}°", turn) : fmt::format("{:.1g}°", turn);
    if (low) {
      const std::string both = fmt::format("{}: {}", name, brief);
      ui.text_in(Type::note, place, ui.theme().text, ui.width_of(Type::note, both) <= pitch ? both : name,
                 Ui::Align::center);
      continue;
    }
    ui.text_in(Type::heading, place.take_top(line.h / 2), ui.theme().text, name, Ui::Align::center);
    const std::string whole = brief + " a place";
    ui.text_in(Type::note, place, ui.theme().text_faint, ui.width_of(Type::note, whole) <= pitch ? whole : brief,
               Ui::Align::center);
  }
}

void draw_two_words(Ui& ui, Rect line, const std::string& left, const std::string& right, Color32 right_color) {
  const float wide = ui.width_of(Type::note, right);
  if (ui.width_of(Type::note, left) + wide <= line.w)  // the marks of roles in it are room enough between both
    ui.text_in(Type::note, line.take_right(wide), right_color, right, Ui::Align::right);
  paragraph(ui, {line.x, line.y}, line.w, ui.theme().text_muted, left, true, Type::note);
}

// The angles below dials, all of one size: the larger one where there is room for each.
void draw_angles(Ui& ui, Rect line, const std::vector<Dial>& dials) {
  const float pitch = line.w / static_cast<float>(dials.size());
  const auto words_of = [](const Dial& dial) {
    return is_empty(dial) ? std::string("0 and 0") : fmt::format("{:.2f}°", dial.between * degrees);
  };
  const bool roomy = std::ranges::all_of(
      dials, [&](const Dial& dial) { return ui.width_of(Type::number, words_of(dial)) + ui.px(6) <= pitch; });
  for (const Dial& dial : dials)
    ui.text_in(roomy ? Type::number : Type::number_small, line.take_left(pitch),
               is_empty(dial) ? ui.theme().text_faint : ui.theme().score.main, words_of(dial), Ui::Align::center);
}

// Why some pairs have no dial; empty where all have.
std::string omitted_pairs(std::size_t shown, Index pairs) {
  if (static_cast<Index>(shown) == pairs) return "";
  if (shown < most_dials) return "the other pairs add next to nothing in this head";
  return fmt::format("{} of {} pairs, from fast to slow", shown, pairs);
}

// The dials of what is shown, and of the same tokens moved on; the latter are there once that is run.
struct BothDials {
  std::vector<Dial> here;
  std::optional<Rotation> there;
  std::vector<Dial> after;

  std::string angle_change() const {
    if (!there) return "";
    if (std::ranges::all_of(here, is_empty)) return "nothing turns: both are 0";
    double apart = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      apart = std::max(apart, std::abs(std::remainder(after[i].between - here[i].between, 2 * std::numbers::pi)));
    return apart * degrees < same_angle ? "the angle stays" : fmt::format("the angle is {:.2f}° off", apart * degrees);
  }
};

BothDials both_dials(const Rotation& turning, const MechanismFrame& frame, const std::vector<Index>& pairs) {
  BothDials both{.here = dials_of(turning, frame, pairs), .there = {}, .after = {}};
  const MechanismReport* report = frame.model.mechanism.get();
  const Outcome* moved = report ? &report->moved : nullptr;
  if (moved && moved->trace) both.there = mechanism::rotation(*moved->problem, *moved->trace);
  if (both.there) both.after = dials_of(*both.there, frame, pairs);
  return both;
}

std::string moved_words(const MechanismFrame& frame, const BothDials& both, const char* what) {
  return fmt::format("{} by {}: {}", what, places_moved,
                     both.there ? place_words(frame, *both.there, true) : std::string("being run …"));
}

// Both rows of dials side by side, where there is no room for one below the other.
void draw_in_one_row(MechanismFrame& frame, float room, bool low, const Rotation& turning,
                     const std::vector<Index>& pairs, const BothDials& both) {
  Ui& ui = frame.ui;
  Rect& box = frame.box;
  const float top = box.y, gap = ui.px(20), half = (box.w - gap) / 2;
  const float pitch = half / static_cast<float>(std::max<std::size_t>(pairs.size(), 3));
  const float height = std::min(std::clamp(room, ui.px(44), ui.px(100)), pitch * 0.9F);
  const auto halves = [&](float h) {
    const Rect line = box.take_top(h);
    return std::pair(Rect{line.x, line.y, half, h}, Rect{line.x + half + gap, line.y, half, h});
  };
  const auto [left_words, right_words] = halves(ui.px(20));
  const auto say = [&](Rect line, const std::string& whole, const std::string& brief) {
    const bool fits = paragraph(ui, {}, half, 0, whole, false, Type::note) <= ui.line_height(Type::note) + 1;
    paragraph(ui, {line.x, line.y}, half, ui.theme().text_muted, fits ? whole : brief, true, Type::note);
    ui.log("mechanism/dials/words", {line.x, line.y, half, ui.line_height(Type::note)}, fits ? whole : brief);
  };
  say(left_words, place_words(frame, turning, false), place_words(frame, turning, true));
  say(right_words, moved_words(frame, both, "all moved"), moved_words(frame, both, "moved"));
  const auto [left_names, right_names] = halves(ui.px(low ? 18 : 34));
  draw_names(ui, left_names, turning, pairs, low);
  draw_names(ui, right_names, turning, pairs, low);
  box.take_top(ui.px(4));
  const auto [left, right] = halves(height);
  draw_dials(ui, left, pairs, both.here, "dial");
  if (both.there) draw_dials(ui, right, pairs, both.after, "moved");
  box.take_top(ui.px(4));
  const auto [left_angles, right_angles] = halves(ui.px(18));
  draw_angles(ui, left_angles, both.here);
  ui.text_in(Type::note, right_angles, ui.theme().score.main, both.angle_change(), Ui::Align::center);
  const float x = left.right() + gap / 2;
  ui.line({x, top + ui.px(4)}, {x, box.y - ui.px(4)}, ui.theme().line);
}

// The one below the other.
void draw_in_two_rows(MechanismFrame& frame, const Rotation& turning, const std::vector<Index>& pairs,
                      const BothDials& both) {
  Ui& ui = frame.ui;
  Rect& box = frame.box;
  const float room = box.w / static_cast<float>(std::max<std::size_t>(pairs.size(), 3));
  const float height = std::min(std::clamp((frame.room - ui.px(266)) / 2, ui.px(66), ui.px(100)), room * 0.84F);
  draw_names(ui, box.take_top(ui.px(34)), turning, pairs);
  box.take_top(ui.px(4));
  draw_two_words(ui, box.take_top(ui.px(18)), place_words(frame, turning, false), "dashed: before the turn",
                 ui.theme().text_faint);
  draw_dials(ui, box.take_top(height), pairs, both.here, "dial");
  box.take_top(ui.px(12));
  draw_two_words(ui, box.take_top(ui.px(18)), moved_words(frame, both, "all tokens moved"), both.angle_change(),
                 ui.theme().score.main);
  if (both.there) draw_dials(ui, {box.x, box.y, box.w, height}, pairs, both.after, "moved");
  box.take_top(height + ui.px(4));
  draw_angles(ui, box.take_top(ui.px(18)), both.here);
}

// The greatest weight of the row besides the chosen key's; none where there is no other.
std::optional<Index> find_rival(const MechanismFrame& frame) {
  const auto row = frame.row(frame.map);
  std::optional<Index> best;
  for (Index j = 0; j < static_cast<Index>(row.size()); ++j)
    if (j != frame.of.key && (!best || row[static_cast<std::size_t>(j)] > row[static_cast<std::size_t>(*best)]))
      best = j;
  return best;
}

CurvePlot score_curves(const MechanismFrame& frame) {
  const Rotation turning = *mechanism::rotation(frame.problem, frame.trace);
  const Index keys = frame.map.extent(AxisRole::key), half = turning.pairs() / 2;
  const Index place = turning.first_query - turning.first_key + frame.of.query;  // of the query, among the keys
  const bool causal = mechanism::hides_later_keys(frame.problem);
  const Index first = -std::min<Index>(std::max(keys - 1, place), 512),
              last = causal ? 5 : std::min<Index>(keys - 1, 512);
  constexpr Index fine = 8;  // samples a place
  const double scale = mechanism::score_scale(frame.trace, frame.of);
  const double still = mechanism::unrotated_product(turning, frame.of) * scale;
  CurvePlot plot{.title = "Score over offset j − i",
                 .first = static_cast<double>(first),
                 .step = 1.0 / fine,
                 .dots = last - first <= 40};
  if (causal) plot.hidden_from = 0.5;
  const auto numbers = [](Index from, Index to) {
    return from < to ? fmt::format("{}–{}", from, to) : fmt::format("{}", from);
  };
  Curve all{.name = "score", .strong = true}, fast{.name = "fast " + numbers(0, half - 1)},
      slow{.name = "slow " + numbers(half, turning.pairs() - 1), .dashed = true};
  for (Index i = 0; i <= (last - first) * fine; ++i) {
    const double offset = static_cast<double>(first) + static_cast<double>(i) / fine;
    fast.values.push_back(mechanism::product_at(turning, frame.of, offset, 0, half) * scale);
    slow.values.push_back(mechanism::product_at(turning, frame.of, offset, half, turning.pairs()) * scale + still);
    all.values.push_back(fast.values.back() + slow.values.back());
  }
  plot.curves = {all};
  if (half > 0) plot.curves = {all, fast, slow};
  const auto mark = [&](Index key, bool chosen, const std::string& words) {
    const auto offset = static_cast<double>(key - place);
    if (offset < plot.first || offset > static_cast<double>(last)) return;
    plot.marks.push_back(
        {offset, mechanism::product_at(turning, frame.of, offset, 0, turning.pairs()) * scale + still, words, chosen});
  };
  const Axis& axis = *frame.map.axis(AxisRole::key);
  if (const auto rival = find_rival(frame))
    mark(*rival, false,
         fmt::format("place of {}, {}", label_of(&axis, *rival, frame.of.batch), distance_words(*rival - place)));
  mark(frame.of.key, true, fmt::format("{}, {}", frame.key, distance_words(frame.of.key - place)));
  return plot;
}

}  // namespace

void draw_rotary(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Rotation turning = *mechanism::rotation(frame.problem, frame.trace);
  const std::vector<Index>& pairs = cached_pairs(turning, frame);
  const BothDials both = both_dials(turning, frame, pairs);
  const std::string others = omitted_pairs(pairs.size(), turning.pairs());
  constexpr float least_of_two_rows = 240, least_dial = 44;         // px of the design
  constexpr float words_of_low = 64, words_of_one = 80, note = 18;  // and what stands round a row of dials
  const float of_others = others.empty() ? 0 : note;
  const bool two = frame.share >= ui.px(least_of_two_rows + of_others) || frame.box.w < ui.px(420);
  const bool low = !two && frame.share < ui.px(words_of_one + note + least_dial);
  if (two)
    draw_in_two_rows(frame, turning, pairs, both);
  else
    draw_in_one_row(frame, frame.share - ui.px(low ? words_of_low + of_others : words_of_one + note), low, turning,
                    pairs, both);
  const std::string dashed = two || low ? "" : "dashed: before the turn";
  if (others.empty() && dashed.empty()) return;
  const Rect line = frame.box.take_top(ui.px(note));
  if (!others.empty()) ui.log("mechanism/dials/left-out", line, others);
  ui.text_in(Type::note, line, ui.theme().text_faint, others + (others.empty() || dashed.empty() ? "" : " · ") + dashed,
             Ui::Align::center);
}

void draw_rotary_curve(MechanismFrame& frame) {
  MechanismMemory& kept = frame.cache();
  if (kept.rotary_of != frame.selected()) kept.rotary = score_curves(frame);
  kept.rotary_of = frame.selected();
  for (Curve& curve : kept.rotary.curves)  // the theme may be another
    curve.color = curve.strong ? frame.theme().score.main : frame.theme().text_muted;
  draw_curve_plot(frame.ui, frame.box, kept.rotary);
}

}  // namespace headlight::app
