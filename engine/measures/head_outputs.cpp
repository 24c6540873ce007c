#include "engine/measures/head_outputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "engine/trace/rule.h"

namespace headlight {

namespace {

bool reads(const Trace& trace, const Step& step, const Step& other) {
  const auto read = trace.inputs_of(step);
  return std::ranges::find(read, &other) != read.end();
}

// The first step that was computed from another.
const Step* first_reader(const Trace& trace, const Step& other) {
  const auto found =
      std::ranges::find_if(trace.steps, [&](const Step& step) { return &step != &other && reads(trace, step, other); });
  return found == trace.steps.end() ? nullptr : &*found;
}

// The cell of `from` that a cell of a step is a copy of; −1 where it is none.
Index copied_cell(const Step& step, Index cell, const Step& from) {
  const Explanation why = step.base_explain()(cell);
  if (!rule_of(why.combine).is_plain_sum() || why.scale != 1 || why.terms.size() != 1) return -1;
  const auto& factors = why.terms[0].factors;
  return factors.size() == 1 && factors[0].array == from.info.id ? factors[0].cell : -1;
}

// The heads side by side: a step that copies their outputs, a row of d_heads numbers for each query.
struct SideBySide {
  const Step* step = nullptr;
  Index width = 0;  // numbers of a row
  Index rows = 0;
};

SideBySide side_by_side(const Trace& trace, const Step& outputs) {
  const Step* step = first_reader(trace, outputs);
  if (!step || step->axis(AxisRole::head) || !step->base_explain() ||
      step->tensor().size() != outputs.tensor().size() || step->tensor().rank() < 2 || step->info.axes.back().size == 0)
    return {};
  // Channels come last, as the projection reads them: with a picture's channels first nothing follows.
  if (role_along(step->info.axes.back()) != AxisRole::channel) return {};
  for (const Index cell : {Index{0}, step->tensor().size() - 1})
    if (copied_cell(*step, cell, outputs) < 0) return {};
  const Index width = step->tensor().dim(-1);
  return {step, width, step->tensor().size() / width};
}

// Which head a cell of an array with a head axis is of.
Index head_of(const Step& outputs, Index cell) {
  const auto& axes = outputs.info.axes;
  const auto found = std::ranges::find(axes, AxisRole::head, role_along);
  if (found == axes.end()) return 0;
  Index stride = 1;
  for (auto later = found + 1; later != axes.end(); ++later) stride *= later->size;
  return cell / stride % found->size;
}

// The head that each number of a row is of: one head after the other, unless rows were mixed up on the way.
std::vector<Index> heads_of_row(const Step& outputs, const SideBySide& beside, Index row) {
  std::vector<Index> heads;
  for (Index c = 0; c < beside.width; ++c)
    heads.push_back(head_of(outputs, std::max<Index>(0, copied_cell(*beside.step, row * beside.width + c, outputs))));
  return heads;
}

// The output projection as it acts on a row of the heads side by side, (width, d_out).
struct Projection {
  Index width = 0, outputs = 0;
  std::vector<double> weights;
};

// Reads it off the explanations of the first position: products of a number of the row and a weight.
std::optional<Projection> projection_of(const Trace& trace, const Step& mixed, Index width) {
  const Step* step = first_reader(trace, mixed);
  const Axis* channels = step ? step->axis(AxisRole::channel) : nullptr;
  if (!channels || !step->base_explain()) return std::nullopt;
  Projection p{width, channels->size, std::vector<double>(static_cast<std::size_t>(width * channels->size))};
  Index stride = 1;
  for (const Axis* axis = &step->info.axes.back(); axis != channels; --axis) stride *= axis->size;
  for (Index c = 0; c < p.outputs; ++c) {
    const Explanation why = step->base_explain()(c * stride);
    if (!rule_of(why.combine).is_plain_sum()) return std::nullopt;
    for (const Term& term : why.terms) {
      const auto of_row = std::ranges::find(term.factors, mixed.info.id, &Operand::array);
      if (of_row == term.factors.end()) continue;  // the bias
      if (term.factors.size() != 2 || of_row->cell < 0 || of_row->cell >= width) return std::nullopt;
      const Operand& weight = of_row == term.factors.begin() ? term.factors[1] : term.factors[0];
      const Step* source = trace.find(weight.array);
      if (!source || source->explain) return std::nullopt;  // no weight that is given
      p.weights[static_cast<std::size_t>(of_row->cell * p.outputs + c)] = why.scale * value_of(weight, trace);
    }
  }
  return p;
}

// ‖what each head adds‖ of one row.
void add_norms(std::span<const float> row, const std::vector<Index>& whose, const std::optional<Projection>& projection,
               std::vector<double>& scratch, std::vector<double>& norms) {
  const Index outputs = projection ? projection->outputs : 1;
  std::ranges::fill(norms, 0);
  scratch.assign(norms.size() * static_cast<std::size_t>(outputs), 0);
  for (std::size_t c = 0; c < row.size(); ++c) {
    const auto head = static_cast<std::size_t>(whose[c]);
    if (!projection) {
      norms[head] += static_cast<double>(row[c]) * row[c];
      continue;
    }
    const double* weights = projection->weights.data() + c * static_cast<std::size_t>(outputs);
    double* to = scratch.data() + head * static_cast<std::size_t>(outputs);
    for (Index d = 0; d < outputs; ++d) to[d] += row[c] * weights[d];
  }
  for (std::size_t m = 0; m < norms.size(); ++m) {
    if (projection)
      for (Index d = 0; d < outputs; ++d) {
        const double added = scratch[m * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(d)];
        norms[m] += added * added;
      }
    norms[m] = std::sqrt(norms[m]);
  }
}

// The numbers of one query, whatever order the array has them in.
struct OutputRows {
  Index count = 0;
  std::function<void(Index row, std::vector<float>& numbers, std::vector<Index>& whose)> read;
};

OutputRows rows_side_by_side(const Step& outputs, const SideBySide& beside) {
  const std::vector<Index> usual = heads_of_row(outputs, beside, 0);
  const bool regular = usual == heads_of_row(outputs, beside, beside.rows - 1) && std::ranges::is_sorted(usual) &&
                       usual.back() == head_count(outputs) - 1;
  return {beside.rows, [=, &outputs](Index row, std::vector<float>& numbers, std::vector<Index>& whose) {
            const float* from = beside.step->tensor().data() + row * beside.width;
            numbers.assign(from, from + beside.width);
            whose = regular ? usual : heads_of_row(outputs, beside, row);
          }};
}

// Straight from the heads' outputs, (B, M, n_q, d'), or without an axis of heads.
OutputRows rows_of_heads(const Step& outputs) {
  const Index heads = head_count(outputs);
  const auto& axes = outputs.info.axes;
  Index stride = 1;  // of heads
  if (const auto head = std::ranges::find(axes, AxisRole::head, role_along); head != axes.end())
    for (auto later = head + 1; later != axes.end(); ++later) stride *= later->size;
  else
    stride = outputs.tensor().size();
  const Index width = outputs.tensor().dim(-1), places = stride / width;
  return {outputs.tensor().size() / (heads * width), [=, &outputs](Index row, auto& numbers, auto& whose) {
            numbers.clear();
            whose.clear();
            for (Index m = 0; m < heads; ++m) {
              const Index first = (row / places * heads + m) * stride + row % places * width;
              for (Index c = 0; c < width; ++c) {
                numbers.push_back(outputs.tensor()[first + c]);
                whose.push_back(m);
              }
            }
          }};
}

}  // namespace

Index head_count(const Step& step) {
  return step.extent(AxisRole::head);
}

const Step* head_outputs(const Trace& trace) {
  const auto maps = trace.maps();
  const auto takes = [&](const Step& step) {
    if (step.axis(AxisRole::key) || step.info.role == Role::score || step.info.role == Role::weight) return false;
    return std::ranges::any_of(trace.inputs_of(step),
                               [&](const Step* read) { return std::ranges::find(maps, read) != maps.end(); });
  };
  std::vector<const Step*> taking;
  for (const Step& step : trace.steps)
    if (takes(step)) taking.push_back(&step);
  // Outputs of offsets are left out: another sum reads them.
  const auto whole = [&](const Step* step) {
    return std::ranges::none_of(taking,
                                [&](const Step* other) { return other != step && reads(trace, *other, *step); });
  };
  const auto found = std::ranges::find_if(taking, whole);
  return found == taking.end() || (*found)->tensor().size() == 0 ? nullptr : *found;
}

std::optional<Edit> edit_switching_off(const Trace& trace, Index head) {
  const Step* outputs = head_outputs(trace);
  if (!outputs) return std::nullopt;
  Edit edit{.array = outputs->info.id, .at = {}, .make = Edit::Make::zero};
  for (const Axis& axis : outputs->info.axes)
    if (role_along(axis) != AxisRole::head) {
      edit.at.emplace_back();
    } else {
      const Index place = place_of_head(axis, head);
      edit.at.emplace_back(Span{place, place});
    }
  return edit;
}

double relative_change(const Tensor& before, const Tensor& after) {
  double changed = 0, whole = 0;
  for (Index cell = 0; cell < before.size(); ++cell) {
    const double was = before[cell], difference = was - after[cell];
    changed += difference * difference;
    whole += was * was;
  }
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(changed / whole);
}

struct OutputShares::Parts {
  const Step& outputs;
  OutputRows rows;
  std::optional<Projection> projection;
};

OutputShares::OutputShares(const Trace& trace) {
  const Step* outputs = head_outputs(trace);
  if (!outputs) return;
  const SideBySide beside = side_by_side(trace, *outputs);
  parts_ = std::make_unique<const Parts>(
      Parts{*outputs, beside.step ? rows_side_by_side(*outputs, beside) : rows_of_heads(*outputs),
            beside.step ? projection_of(trace, *beside.step, beside.width) : std::nullopt});
}

OutputShares::~OutputShares() = default;

std::vector<double> OutputShares::of(std::optional<Index> item, Compute& compute) const {
  if (!parts_) return {};
  const OutputRows& rows = parts_->rows;
  const auto heads = static_cast<std::size_t>(head_count(parts_->outputs));
  constexpr double left_out = -1;
  const Index items = item ? parts_->outputs.extent(AxisRole::batch) : 1, count = rows.count / items,
              first = std::min(item.value_or(0), items - 1) * count;
  std::vector<double> share_of(static_cast<std::size_t>(count) * heads);  // a row for each query
  compute.parallel(count, 16, [&](Index begin, Index end) {
    std::vector<float> numbers;
    std::vector<Index> whose;
    std::vector<double> scratch, norms(heads);
    for (Index row = begin; row < end; ++row) {
      rows.read(first + row, numbers, whose);
      add_norms(numbers, whose, parts_->projection, scratch, norms);
      double all = 0;
      for (const double norm : norms) all += norm;
      for (std::size_t m = 0; m < heads; ++m)
        share_of[static_cast<std::size_t>(row) * heads + m] = all == 0 ? left_out : norms[m] / all;
    }
  });
  std::vector<double> means(heads, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 0; m < heads; ++m) {
    double sum = 0, counted = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
      if (const double share = share_of[row * heads + m]; share != left_out) {
        sum += share;
        ++counted;
      }
    if (counted > 0) means[m] = sum / counted;
  }
  return means;
}

}  // namespace headlight
