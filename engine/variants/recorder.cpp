#include "engine/variants/recorder.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/variants/letters.h"

namespace headlight {

namespace {

// One a batch item where the first axis is B, else one of all numbers. A run that is cancelled leaves them empty.
std::vector<Extent> extents_of(Compute& compute, const StepInfo& info, const Tensor& tensor) {
  constexpr Index piece = 1 << 16;  // numbers read in a piece of work
  const bool batched = !info.axes.empty() && role_along(info.axes.front()) == AxisRole::batch && tensor.dim(0) > 0;
  const Index items = batched ? tensor.dim(0) : 1, each = tensor.size() / items;
  const Index pieces = std::max<Index>(1, (each + piece - 1) / piece);
  std::vector<Extent> parts(static_cast<std::size_t>(items * pieces));
  compute.parallel(items * pieces, std::max<Index>(1, piece / std::max<Index>(1, each)), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index first = i / pieces * each + each * (i % pieces) / pieces,
                  last = i / pieces * each + each * (i % pieces + 1) / pieces;
      parts[static_cast<std::size_t>(i)] =
          extent_of(tensor.values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    }
  });
  std::vector<Extent> extents(static_cast<std::size_t>(items));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Extent& extent = extents[i / static_cast<std::size_t>(pieces)];
    extent = united(extent, parts[i]);
  }
  return extents;
}

std::optional<NonFinite> find_non_finite(const Step& step) {
  const bool masks = step.info.minus_infinity_masks;
  NonFinite found;
  for (const auto& extent : step.extents) found.count += extent.broken + (masks ? 0 : extent.masked);
  if (found.count == 0) return std::nullopt;
  const auto values = step.tensor().values();
  const auto first = std::ranges::find_if(
      values, [&](float value) { return !std::isfinite(value) && !(masks && value < 0); });  // NaN < 0 is false
  found.first_cell = first - values.begin();
  return found;
}

[[maybe_unused]] bool axes_match(const StepInfo& info, const Tensor& values) {
  return std::ranges::equal(info.axes, values.shape(), {}, &Axis::size);
}

Step make_step(Compute& compute, StepInfo info, std::shared_ptr<const Tensor> values,
               std::function<Explanation(Index)> explain) {
  assert(axes_match(info, *values));
  for (Axis& axis : info.axes) axis.along = role_along(axis);
  Step step;
  step.extents = extents_of(compute, info, *values);
  step.info = std::move(info);
  step.values = std::move(values);
  step.explain = std::move(explain);
  step.non_finite = find_non_finite(step);
  return step;
}

// What the symbols that all variants share mean; anything else counts channels.
void describe(Axis& axis) {
  if (axis.symbol == "B") axis.name = "batch";
  if (axis.symbol == "M") axis.name = "head";
  if (axis.symbol == "n_q") axis.name = "query", axis.role = Role::query;
  if (axis.symbol == "n_k") axis.name = "key", axis.role = Role::key;
  if (axis.symbol == "T") axis.name = "frame";
  if (axis.symbol == "H") axis.name = "row";
  if (axis.symbol == "W") axis.name = "column";
  if (axis.symbol == "L") axis.name = "position";
  if (axis.symbol == "2P-1") axis.name = "offset", axis.role = Role::position;
  if (axis.name.empty()) axis.name = "channel";
}

std::vector<Axis> axes_of_array(const Problem& problem, const ArraySpec& spec, const Tensor& tensor) {
  std::vector<Axis> axes;
  const auto fits = [&](const std::vector<std::string>& shape) {
    if (static_cast<Index>(shape.size()) != tensor.rank()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto bound = problem.symbols.find(shape[i]);
      const Index extent = shape[i] == "1" ? 1 : bound == problem.symbols.end() ? -1 : bound->second;
      if (extent != tensor.shape()[i]) return false;
    }
    return true;
  };
  const auto shape = std::ranges::find_if(spec.shapes, fits);
  for (std::size_t i = 0; i < tensor.shape().size(); ++i) {
    Axis axis;
    axis.symbol = shape == spec.shapes.end() ? "" : (*shape)[i];
    describe(axis);
    axis.size = tensor.shape()[i];
    for (Index k = 0; axis.symbol == "2P-1" && k < axis.size; ++k) {
      const Index offset = k - axis.size / 2;
      axis.labels.push_back(fmt::format("{}{}", offset < 0 ? "−" : "", std::abs(offset)));
    }
    if (const auto labels = problem.labels.find(axis.symbol); labels != problem.labels.end())
      axis.labels = labels->second;
    if (const auto grid = problem.grids.find(axis.symbol); grid != problem.grids.end()) axis.grid = grid->second;
    if (axis.symbol == "n_q") axis.only = problem.only_query;
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace

Recorder::Recorder(const Problem& problem, Compute& compute) : problem_(problem), compute_(compute) {
  bytes_expected_ = problem.variant->cost(problem).bytes;
  trace_.variant = problem.variant->info().id;
  trace_.heads = problem.heads;
  trace_.warnings = problem.warnings;
  trace_.steps.reserve(64);  // so that references handed out stay valid
  trace_.sources.reserve(64);
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights}) {
    for (const auto& spec : *list) {
      const auto found = problem.arrays.find(spec.id);
      if (found == problem.arrays.end()) continue;
      StepInfo info{.id = spec.recorded_as.empty() ? spec.id : spec.recorded_as,
                    .title = spec.title,
                    .formula = {},
                    .note = spec.help,
                    .axes = axes_of_array(problem, spec, *found->second),
                    .kind = spec.kind,
                    .role = spec.role,
                    .minus_infinity_masks = spec.kind == Kind::mask};
      trace_.sources.push_back(make_step(compute_, std::move(info), found->second, {}));
    }
  }
}

const Tensor& Recorder::array(std::string_view id) const {
  const Tensor* tensor = find(id);
  assert(tensor);
  return *tensor;
}

const Tensor& Recorder::values(std::string_view id) const {
  const Step* step = trace_.find(id);
  assert(step);
  return step->tensor();
}

bool Recorder::finite(std::string_view id) const {
  const Step* step = trace_.find(id);
  assert(step);
  return !step->non_finite;
}

Axis Recorder::axis(std::string symbol, std::string name, Role role) const {
  Axis axis;
  axis.size = dim(symbol);
  if (const auto labels = problem_.labels.find(symbol); labels != problem_.labels.end()) axis.labels = labels->second;
  if (const auto grid = problem_.grids.find(symbol); grid != problem_.grids.end()) axis.grid = grid->second;
  if (symbol == "n_q") axis.only = problem_.only_query;
  axis.symbol = std::move(symbol);
  axis.name = std::move(name);
  axis.role = role;
  return axis;
}

void Recorder::count(const Tensor& values) {
  bytes_recorded_ += static_cast<double>(values.size()) * sizeof(float);
  if (bytes_expected_ > 0) compute_.progress(static_cast<float>(bytes_recorded_ / bytes_expected_));
}

const Tensor& Recorder::step(StepInfo info, Tensor values, std::function<Explanation(Index)> explain) {
  assert(trace_.steps.size() < trace_.steps.capacity());
  assert(!trace_.find(info.id));
  trace_.steps.push_back(
      make_step(compute_, std::move(info), std::make_shared<const Tensor>(std::move(values)), std::move(explain)));
  count(trace_.steps.back().tensor());
  return trace_.steps.back().tensor();
}

const Tensor& Recorder::source(StepInfo info, Tensor values, std::function<Explanation(Index)> explain) {
  assert(trace_.sources.size() < trace_.sources.capacity());
  trace_.sources.push_back(
      make_step(compute_, std::move(info), std::make_shared<const Tensor>(std::move(values)), std::move(explain)));
  count(trace_.sources.back().tensor());
  return trace_.sources.back().tensor();
}

void Recorder::warn(std::string warning) {
  assert(!trace_.steps.empty());
  trace_.steps.back().warnings.push_back(std::move(warning));
}

void Recorder::stage(Stage stage) {
  trace_.stages.push_back(std::move(stage));
}

Trace Recorder::take() && {
  give_letters(trace_);
  return std::move(trace_);
}

}  // namespace headlight
