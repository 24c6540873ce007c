// What stands in softmax's place, or bends the scores before it: the weights of one row beside those that softmax makes
// of the same scores, the curve on which they lie, and what each row adds up to.
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_bars = 24;

// The keys that are drawn: all, or those that either gives most.
std::vector<std::size_t> keys_shown(const mechanism::RowRule& row) {
  std::vector<std::size_t> keys;
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    if (std::isfinite(row.scores[j])) keys.push_back(j);
  if (keys.size() <= most_bars) return keys;
  const auto larger = [&](std::size_t j) { return -std::max(std::abs(row.weights[j]), row.plain[j]); };
  std::ranges::partial_sort(keys, keys.begin() + most_bars, {}, larger);
  keys.resize(most_bars);
  std::ranges::sort(keys);
  return keys;
}

struct Bars {
  float name = 0, score = 0;
  double most = 1;
};

void draw_pair(Ui& ui, Rect line, const Bars& bars, const std::string& name, const std::string& score, double weight,
               std::optional<double> plain, bool chosen) {
  const Theme& t = ui.theme();
  if (chosen) ui.fill(line, t.key.soft, ui.px(4));
  ui.text_in(chosen ? Type::heading : Type::note, line.take_left(bars.name), chosen ? t.key.main : t.text,
             ui.fitted(Type::note, name, bars.name - ui.px(6)));
  ui.text_in(Type::number_small, line.take_left(bars.score), t.score.main, score, Ui::Align::right);
  line.take_left(ui.px(10));
  Rect numbers = line.take_right(ui.px(112));
  const auto bar = [&](double value, float y, float h, Color32 color, bool filled) {
    const Rect r{line.x, y, std::max(ui.px(1), line.w * static_cast<float>(std::abs(value) / bars.most)), h};
    if (filled)
      ui.fill(r, color, ui.px(1));
    else
      ui.frame(r, color, ui.px(1));
  };
  if (plain) bar(*plain, line.middle().y - ui.px(1), ui.px(6), t.text_faint, false);
  bar(weight, line.middle().y - ui.px(7), ui.px(6), t.weight.main, true);
  Rect left = numbers.take_left(ui.px(50));
  ui.text_in(Type::number_small, left, t.text_muted, plain ? fmt::format("{:.4f}", *plain) : "", Ui::Align::right);
  ui.text_in(Type::number_small, numbers.take_left(ui.px(14)), t.text_faint, plain ? "→" : "", Ui::Align::center);
  ui.text_in(Type::number_small, numbers, weight == 0 ? t.text_faint : t.text,
             weight == 0 ? "0" : fmt::format("{:.4f}", weight), Ui::Align::right);
}

// What the row is made of, kept until another query, head or run is looked at.
MechanismMemory& cached_row(const MechanismFrame& frame) {
  MechanismMemory& kept = frame.cache();
  MechanismMemory::Of of = frame.selected();
  of.key = -1;
  if (kept.row_of == of) return kept;
  const auto& [batch, head, query, key] = frame.of;
  if (MechanismMemory::Of head_before = kept.row_of; head_before.query = query, head_before != of) {
    const auto sums = mechanism::row_sums(frame.problem, frame.trace, batch, head);
    auto strip = std::make_shared<Tensor>(Shape{1, static_cast<Index>(sums.size())});
    std::ranges::transform(sums, strip->data(), [](double sum) { return static_cast<float>(sum); });
    kept.sums = sums.empty() ? nullptr : strip;
  }
  kept.row = mechanism::row_rule(frame.problem, frame.trace, batch, head, query);
  kept.curve = mechanism::row_curve(frame.problem, frame.trace, batch, head, query);
  kept.row_of = of;
  return kept;
}

// One cell for each query: what its row adds up to.
void draw_sums(const MechanismFrame& frame, Rect line, const std::shared_ptr<const Tensor>& sums) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const float most = std::max(1.0F, std::ranges::max(sums->values()));
  ui.text_in(Type::note, line.take_left(ui.px(84)), t.text_muted, "all rows' sums");
  const std::string scale = fmt::format("0 to {:.3g}", most);
  ui.text_in(Type::number_small, line.take_right(ui.px(72)), t.text_faint, scale, Ui::Align::right);
  line.take_left(ui.px(10));
  line.take_right(ui.px(10));
  MapData data = frame.own_map("mechanism/sums", matrix_at(*sums, {}),
                               frame.of.batch * frame.map.extent(AxisRole::head) + frame.of.head, Kind::weight);
  data.owner = sums;
  data.range = value_range(Kind::weight, {.finite = 1, .least = 0, .greatest = most});
  data.colormap = default_colormap(false, t.dark);
  draw_framed_map(ui, line, data, t.line_strong);
  const float cell = line.w / static_cast<float>(data.cells.columns);
  const Rect own{line.x + cell * static_cast<float>(frame.of.query), line.y, std::max(cell, ui.px(3)), line.h};
  ui.frame(own.inset(-1), t.query.main, 0, ui.px(2));
  if (ui.hit("mechanism/sums", line, false, scale).clicked)
    frame.select_query(cell_under(ui.mouse(), line, 1, data.cells.columns));
}

}  // namespace

void draw_row_rule(MechanismFrame& frame) {
  const MechanismMemory& kept = cached_row(frame);
  if (!kept.row) return;
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  Rect& box = frame.box;
  const mechanism::RowRule& row = *kept.row;
  frame.title(fmt::format("Row of “{}”: {}", frame.query, row.title), "outlined: plain softmax");
  frame.words(row.what, t.text_muted);
  frame.skip(6);
  const auto keys = keys_shown(row);
  Bars bars{.name = ui.px(84), .score = ui.px(50), .most = 1e-12};
  for (const std::size_t j : keys) bars.most = std::max({bars.most, std::abs(row.weights[j]), row.plain[j]});
  bars.most = std::max(bars.most, row.unclaimed);
  Rect names = box.take_top(ui.px(16));
  ui.text_in(Type::note, names.take_left(bars.name), t.text_faint, "key");
  ui.text_in(Type::note, names.take_left(bars.score), t.text_faint, "score", Ui::Align::right);
  ui.text_in(Type::note, names, t.text_faint, "softmax → here", Ui::Align::right);
  frame.skip(3);
  const Axis& axis = *frame.map.axis(AxisRole::key);
  double sum = 0;
  for (const double weight : row.weights) sum += weight;
  const auto lines = static_cast<float>(std::max<std::size_t>(1, keys.size() + (row.unclaimed > 0 ? 1 : 0)));
  const float room = std::min(ui.px(260), frame.height_left(ui.px(kept.sums ? 46 : 22)));  // less the sums below
  const float height = std::clamp(room / lines, ui.px(16), ui.px(22));
  for (const std::size_t j : keys)
    draw_pair(ui, box.take_top(height), bars,
              ui.fonts().display_text(label_of(&axis, static_cast<Index>(j), frame.of.batch)),
              with_minus_signs(fmt::format("{:.2f}", row.scores[j])), row.weights[j], row.plain[j],
              static_cast<Index>(j) == frame.of.key);
  if (row.unclaimed > 0) draw_pair(ui, box.take_top(height), bars, "nobody", "", row.unclaimed, std::nullopt, false);
  const auto zeros = std::ranges::count_if(keys, [&](std::size_t j) { return row.weights[j] == 0; });
  std::string words = fmt::format("The keys' weights add up to {:.4f}.", sum);
  if (zeros > 0) words += fmt::format(" {} of {} visible keys have exactly 0.", zeros, keys.size());
  frame.skip(4);
  ui.log("mechanism/row", box, words);
  frame.line(words, t.text_muted);
  if (!kept.sums) return;
  frame.skip(6);
  draw_sums(frame, box.take_top(ui.px(18)), kept.sums);
}

// The curve that every score of the row goes through, and where its keys lie on it.
void draw_row_curve(MechanismFrame& frame) {
  const MechanismMemory& kept = cached_row(frame);
  const Theme& t = frame.theme();
  if (!kept.row || !kept.curve) {
    frame.ui.log("mechanism/no-curve", frame.box);
    frame.words("This query sees no key with a finite score: no curve.", t.text_muted);
    return;
  }
  const mechanism::RowCurve& curve = *kept.curve;
  const bool cap = curve.of_cap;
  CurvePlot plot{.title = cap ? "Capped score over score" : "Weight over score",
                 .first = curve.first,
                 .step = curve.step,
                 .whole = false};
  plot.curves.push_back(
      {cap ? "capped" : kept.row->title, curve.here, cap ? t.score.main : t.weight.main, true, false});
  if (!curve.plain.empty())
    plot.curves.push_back({cap ? "as it was" : "softmax", curve.plain, t.text_muted, false, true, cap});
  for (std::size_t j = 0; j < curve.in.size(); ++j) {
    const double in = curve.in[j], out = curve.out[j];
    if (!std::isfinite(in) || !std::isfinite(out)) continue;
    if (static_cast<Index>(j) != frame.of.key) {
      plot.points.emplace_back(in, out);
      continue;
    }
    const std::string made = cap ? number_text(out, 3) : fmt::format("{:.4f}", out);
    plot.marks.push_back({in, out, fmt::format("{}: {} → {}", frame.key, number_text(in, 3), made), true});
  }
  draw_curve_plot(frame.ui, frame.box, plot);
}

}  // namespace headlight::app
