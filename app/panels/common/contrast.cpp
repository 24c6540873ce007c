#include "app/panels/common/contrast.h"

#include <cmath>
#include <limits>
#include <span>

#include "app/panels/common/shown.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr Index most_cells_of_heads = Index{1} << 24;  // all heads beside each other

ContrastKey depends_on(const Model& model, const SideBySide& both, Contrast contrast) {
  const std::string what = fmt::format("{} {}", both.step_b->info.id, both.focus_b.head);
  return {numbers_of(both.a->ticket, both.step_a->info.id, slice_of(*both.step_a, both.focus_a)),
          numbers_of(model.shown.ticket, what, slice_of(*both.step_b, both.focus_b)), contrast};
}

void compute(ContrastMaps& maps, const Model& model, const SideBySide& both, Contrast contrast) {
  const Index heads = std::min(heads_served(*both.step_a), heads_served(*both.step_b));
  const Index cells =
      slice_of(*both.step_b, both.focus_b).matrix.rows * slice_of(*both.step_b, both.focus_b).matrix.columns;
  maps.all_heads = heads * cells <= most_cells_of_heads;
  maps.first = maps.all_heads ? 0 : std::min(both.focus_b.head, heads - 1);
  const Index last = maps.all_heads ? heads : maps.first + 1;
  for (Index m = maps.first; m < last; ++m) {
    Focus in_a = both.focus_a, in_b = both.focus_b;
    in_a.head = in_b.head = m;
    auto found = difference_of(*both.a->trace, *both.step_a, in_a, *model.trace(), *both.step_b, in_b, contrast);
    if (!found) {
      maps.why_not = found.error().message;
      maps.heads.clear();
      return;
    }
    maps.greatest = std::max(maps.greatest, found->greatest);
    maps.heads.push_back(std::make_shared<const Difference>(std::move(*found)));
  }
  constexpr float least_ratio = 1e-5F;  // of the logarithm to base 2
  maps.rounding = contrast == Contrast::ratio ? maps.greatest < least_ratio : is_rounding(maps.greatest, *both.step_b);
}

// Of the weights that softmax made; what a row adds up to is told of those that values are taken by.
std::optional<MapMeans> means_of_run(const Trace& trace, Index batch) {
  const auto maps = trace.maps();
  if (maps.empty()) return std::nullopt;
  auto means = means_of(trace, *maps.front(), batch, std::nullopt);
  const bool again = maps.size() > 1 && maps.back()->tensor().shape() == maps.front()->tensor().shape();
  const auto last = means && again ? means_of(trace, *maps.back(), batch, std::nullopt) : std::nullopt;
  if (last) means->sum = last->sum;
  return means;
}

// Numbers of one shape, B's of that step. Infinite ones must be the same.
bool is_rounded(std::span<const float> a, std::span<const float> b, const Step& step) {
  float greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return false;
    greatest = std::max(greatest, std::abs(b[i] - a[i]));
  }
  return is_rounding(greatest, step);
}

// The first step of B that has other numbers than the one of A that plays its part, by more than rounding.
std::string first_changed(const Trace& a, const Trace& b) {
  for (const Step& step : b.steps) {
    const Step* other = counterpart(a, b, step);
    if (!other || other->values == step.values) continue;
    const auto of_a = other->tensor().values(), of_b = step.tensor().values();
    if (of_a.size() != of_b.size() || !is_rounded(of_a, of_b, step)) return step.info.id;
  }
  return {};
}

// Where rows of the output have partners: the one that changes most, and by how much of its size.
void find_most_changed(RunNumbers& numbers, const Trace& a, const Trace& b, Index batch) {
  const Step &out_a = *a.output(), &out_b = *b.output();
  const Focus focus{.batch = batch};
  const Slice slice = slice_of(out_a, focus);
  if (has_heads(out_b) || slice.is_picture()) return;
  const auto found = difference_of(a, out_a, focus, b, out_b, focus, Contrast::difference);
  if (!found || found->rows.size() < 2) return;
  double greatest = 0;
  for (Index i = 0; i < found->rows.size(); ++i) {
    double change = 0, before = 0;
    for (Index j = 0; j < found->columns.size(); ++j) {
      const double by = found->cells[i * found->columns.size() + j];
      const double was =
          slice.matrix.at(found->rows.a[static_cast<std::size_t>(i)], found->columns.a[static_cast<std::size_t>(j)]);
      change += by * by;
      before += was * was;
    }
    if (!(change > greatest) || !(before > 0)) continue;
    greatest = change;
    numbers.most_at = found->rows.b[static_cast<std::size_t>(i)];
    numbers.most = std::sqrt(change / before);
  }
}

}  // namespace

Index ContrastMaps::most_changed() const {
  const auto most = std::ranges::max_element(heads, {}, [](const auto& one) { return one->total; });
  return first + (most - heads.begin());
}

const Difference* ContrastMaps::of_head(Index head) const {
  const Index at = head - first;
  return at >= 0 && at < static_cast<Index>(heads.size()) ? heads[static_cast<std::size_t>(at)].get() : nullptr;
}

SideBySide ContrastMemory::side_by_side(const Model& model, const Outcome& a) {
  SideBySide both;
  both.a = &a;
  both.step_b = model.step();
  const Index item = model.document.look.batch;
  if (!positions_ || matched_a_ != a.ticket || matched_b_ != model.shown.ticket || matched_item_ != item)
    positions_ = std::make_shared<const PositionMatch>(match_positions(*a.trace, *model.trace(), item));
  matched_item_ = item;
  matched_a_ = a.ticket;
  matched_b_ = model.shown.ticket;
  both.positions = positions_;
  both.step_a = counterpart(*a.trace, *model.trace(), *both.step_b);
  both.focus_b = both.focus_a = effective_focus(model);
  both.focus_a.selection = partner_in_a(*positions_, both.focus_b.selection);
  if (!both.step_a) both.why_not = fmt::format("A has no step like {}: choose another below", both.step_b->info.title);
  return both;
}

const ContrastMaps& ContrastMemory::maps(const Model& model, const SideBySide& both, Contrast contrast) {
  ContrastKey of = depends_on(model, both, contrast);
  if (maps_.of == of) return maps_;
  maps_ = {};
  maps_.of = std::move(of);
  compute(maps_, model, both, contrast);
  return maps_;
}

const RunNumbers& ContrastMemory::numbers(const Model& model, const Outcome& a) {
  const Index batch = model.document.look.batch;
  if (numbers_.run_a == a.ticket && numbers_.run_b == model.shown.ticket && numbers_.batch == batch) return numbers_;
  numbers_ = {};
  numbers_.run_a = a.ticket;
  numbers_.run_b = model.shown.ticket;
  numbers_.batch = batch;
  const Trace &of_a = *a.trace, &of_b = *model.trace();
  numbers_.a = means_of_run(of_a, batch);
  numbers_.b = means_of_run(of_b, batch);
  numbers_.first_changed = first_changed(of_a, of_b);
  if (!of_a.output() || !of_b.output()) return numbers_;
  numbers_.output = relative_change(*of_a.output(), *of_b.output(), batch, batch);
  const auto values_a = of_a.output()->tensor().values(), values_b = of_b.output()->tensor().values();
  numbers_.output_rounded = numbers_.output.value_or(0) > 0 && values_a.size() == values_b.size() &&
                            is_rounded(values_a, values_b, *of_b.output());
  if (numbers_.output.value_or(0) > 0 && !numbers_.output_rounded) find_most_changed(numbers_, of_a, of_b, batch);
  return numbers_;
}

std::optional<MapData> ContrastMemory::map(const Ui& ui, const Model& model, const SideBySide& both, Contrast contrast,
                                           Index head) {
  const ContrastMaps& all = maps(model, both, contrast);
  const Difference* found = all.of_head(head);
  if (!found) return std::nullopt;
  MapData data;
  data.key = fmt::format("contrast/{}/{}", both.step_b->info.id, head);
  data.owner = std::shared_ptr<const Tensor>(all.heads[static_cast<std::size_t>(head - all.first)], &found->cells);
  data.cells = matrix_at(*data.owner, {});
  data.numbers = {model.shown.ticket,
                  fmt::format("{}/{}/{}/{}/{}", both.step_b->info.id, static_cast<int>(contrast), both.a->ticket,
                              all.of.a.offset, all.of.b.offset),
                  head,
                  data.cells.rows,
                  data.cells.columns,
                  data.cells.row_stride,
                  1};
  const float greatest = all.greatest > 0 && !all.rounding ? all.greatest : 1;
  data.range = {-greatest, greatest};
  data.colormap = default_colormap(true, ui.theme().dark);
  return data;
}

MapData ContrastMemory::map_of_a(const Ui& ui, const SideBySide& both, const MapData& map_of_b) {
  NumbersOf of = numbers_of(both.a->ticket, both.step_a->info.id, slice_of(*both.step_a, both.focus_a));
  if (!cells_a_.data || of != of_a_) {
    owner_a_ = both.step_a->values;
    cells_a_ = cells_of(*both.a->trace, *both.step_a, both.focus_a, owner_a_);
    of_a_ = std::move(of);
  }
  MapData data = map_of_b;
  data.key = "a/" + map_of_b.key;
  data.numbers = of_a_;
  data.cells = cells_a_;
  data.owner = owner_a_;
  data.colormap = default_colormap(data.range.is_signed(), ui.theme().dark);
  return data;
}

void keep_partners(HeatmapData& of_b, const Difference& d) {
  const auto keep = [](std::vector<std::string>& labels, bool& indexed, const AxisMatch& match) {
    if (match.whole()) return;
    std::vector<std::string> kept;
    for (const Index i : match.b)
      if (i < static_cast<Index>(labels.size())) kept.push_back(labels[static_cast<std::size_t>(i)]);
    labels = std::move(kept);
    indexed = false;  // their numbers would not be those of B
  };
  keep(of_b.row_labels, of_b.row_indexed, d.rows);
  keep(of_b.column_labels, of_b.column_indexed, d.columns);
  if (of_b.row) of_b.row = d.rows.place_of_b(*of_b.row);
  if (of_b.column) of_b.column = d.columns.place_of_b(*of_b.column);
}

bool is_rounding(float difference, const Step& step) {
  float largest = 0;
  for (const Extent& extent : step.extents)
    largest = std::max({largest, std::abs(extent.least), std::abs(extent.greatest)});
  return std::abs(difference) <= 4 * std::numeric_limits<float>::epsilon() * largest;
}

std::string contrast_text(float value, const ValueRange& range, Contrast contrast) {
  if (contrast == Contrast::ratio && std::isnan(value)) return "";  // there is none
  if (contrast == Contrast::ratio && std::isfinite(value)) {
    const double ratio = std::exp2(value), inverse = 1 / ratio;
    if (std::max(ratio, inverse) >= 999.5)  // by orders of magnitude
      return fmt::format("{}1e{:.0f}", ratio < 1 ? "÷" : "×", std::abs(std::log10(ratio)));
    if (ratio < 0.095) return fmt::format("÷{:.0f}", inverse);
    return fmt::format("×{:.{}f}", ratio, ratio < 9.95 ? 1 : 0);
  }
  std::string text = cell_text(value, range);
  const bool something = text.find_first_of("123456789") != std::string::npos;
  return value > 0 && something ? "+" + text : text;
}

std::string change_text(double value) {
  return (value > 0 ? "+" : "") + number_text(value, 3);
}

}  // namespace headlight::app
