#include "tests/engine/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "engine/variants/recorder.h"

namespace headlight::test {

namespace {

// splitmix64, Steele, Lea and Flood 2014: one well-mixed number for each cell.
double unit(std::uint64_t seed, std::uint64_t cell) {
  std::uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15ULL + cell * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Binds the symbols of the alternative that fits, or says that none does.
bool bind_shape(const std::vector<std::string>& symbols, const Shape& shape, Symbols& bound) {
  if (symbols.size() != shape.size()) return false;
  Symbols tried = bound;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (symbols[i] == "1" ? shape[i] != 1 : tried.emplace(symbols[i], shape[i]).first->second != shape[i]) return false;
  }
  bound = std::move(tried);
  return true;
}

Status bind_array(const ArraySpec& spec, Problem& problem) {
  const Tensor* tensor = problem.find(spec.id);
  if (!tensor) return {};
  for (const auto& symbols : spec.shapes)
    if (bind_shape(symbols, tensor->shape(), problem.symbols)) return {};
  return fail("{} has shape {}", spec.id, to_string(tensor->shape()));
}

Tensor sinusoids(Shape shape) {
  Tensor tensor(std::move(shape));
  const Index d = tensor.dim(-1);
  for (Index cell = 0; cell < tensor.size(); ++cell) {
    const auto position = static_cast<double>(cell / d % tensor.dim(-2));
    const double pair = std::floor(static_cast<double>(cell % d) / 2) * 2;
    const double angle = position / std::pow(10000.0, pair / static_cast<double>(d));
    tensor[cell] = static_cast<float>(cell % d % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
  return tensor;
}

// The row's code beside the column's, of a grid of that many columns.
Tensor sinusoids_of_grid(Shape shape, Index columns) {
  Tensor tensor(shape);
  const Index d = tensor.dim(-1), n = tensor.dim(-2);
  const Tensor codes = sinusoids({n + columns, d / 2});
  for (Index place = 0; place < n; ++place)
    for (Index c = 0; c < d; ++c)
      tensor[place * d + c] = codes[(c < d / 2 ? place / columns : place % columns) * (d / 2) + c % (d / 2)];
  return tensor;
}

void generate(const ArraySpec& spec, std::uint64_t seed, Problem& problem) {
  if (problem.find(spec.id) || spec.fill == Fill::absent || spec.fill == Fill::required) return;
  if (spec.fill == Fill::alias) {
    if (const auto found = problem.arrays.find(spec.alias_of); found != problem.arrays.end())
      problem.arrays[spec.id] = found->second;
    return;
  }
  Shape shape;
  for (const auto& symbol : spec.shapes[0]) shape.push_back(symbol == "1" ? 1 : problem.dim(symbol));
  Tensor tensor(shape);
  if (spec.fill == Fill::init || spec.fill == Fill::normal) tensor = drawn(shape, seed);
  if (spec.fill == Fill::ones) std::ranges::fill(tensor.values(), 1.0F);
  if (spec.fill == Fill::sinusoidal) tensor = sinusoids(shape);
  if (spec.fill == Fill::sinusoidal_2d) tensor = sinusoids_of_grid(shape, problem.params.integer("grid_columns"));
  problem.arrays[spec.id] = std::make_shared<const Tensor>(std::move(tensor));
}

Status set_params(const Sketch& sketch, Problem& problem) {
  problem.params = ParamValues::defaults(problem.variant->params());
  for (const auto& [id, value] : sketch.params) {
    const auto& specs = problem.variant->params();
    const auto spec = std::ranges::find(specs, id, &ParamSpec::id);
    if (spec == specs.end()) return fail("no parameter {}", id);
    HL_TRY(auto checked, check_param(*spec, value));
    problem.params.set(id, checked);
  }
  return {};
}

bool close(double got, double expected) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  return std::abs(got - expected) <= 1e-5 + 1e-4 * std::abs(expected);
}

std::string disagreement(const Step& step, const Trace& trace, Index most) {
  if (!step.explain) return {};
  const Index size = step.tensor().size();
  for (Index n = 0; n < std::min(size, most); ++n) {
    const Index cell =
        size <= most ? n : static_cast<Index>(unit(size, static_cast<std::uint64_t>(n)) * static_cast<double>(size));
    const double expected = evaluate(step.explain(cell), trace);
    const double got = step.tensor()[cell];
    if (!close(got, expected))
      return fmt::format("{}[{}] is {}, its explanation gives {}", step.info.id,
                         fmt::join(index_at_flat(step.tensor().shape(), cell), ", "), got, expected);
  }
  return {};
}

}  // namespace

Tensor drawn(Shape shape, std::uint64_t seed) {
  Tensor tensor = Tensor::uninitialized(std::move(shape));
  for (Index cell = 0; cell < tensor.size(); ++cell)
    tensor[cell] = static_cast<float>(2 * unit(seed, static_cast<std::uint64_t>(cell)) - 1);
  return tensor;
}

Result<Problem> make_problem(const Sketch& sketch) {
  Problem problem;
  problem.variant = find_variant(sketch.variant);
  if (!problem.variant) return fail("no variant {}", sketch.variant);
  HL_CHECK(set_params(sketch, problem));
  std::uint64_t seed = 0;
  for (const auto& [id, tensor] : sketch.arrays) problem.arrays[id] = std::make_shared<const Tensor>(tensor);
  for (const auto& [id, shape] : sketch.drawn)
    problem.arrays[id] = std::make_shared<const Tensor>(drawn(shape, ++seed * 1000));
  IdSet given;
  for (const auto& [id, tensor] : problem.arrays) given.insert(id);
  problem.specs = problem.variant->arrays(problem.params, given);
  problem.variant->bind(problem.params, problem.symbols);
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights})
    for (const auto& spec : *list) HL_CHECK(bind_array(spec, problem));
  problem.variant->bind_rest(problem.params, problem.symbols);
  HL_CHECK(problem.variant->validate(problem.params, problem.symbols));
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights})
    for (const auto& spec : *list) generate(spec, ++seed, problem);
  return problem;
}

Result<Trace> run(const Problem& problem, int threads) {
  ThreadPool pool(threads);
  Compute compute(pool);
  HL_CHECK(problem.variant->check(problem));
  Recorder recorder(problem, compute);
  problem.variant->record(recorder);
  return std::move(recorder).take();
}

Result<Trace> run(const Sketch& sketch) {
  HL_TRY(const Problem problem, make_problem(sketch));
  return run(problem);
}

std::string first_disagreement(const Trace& trace, Index most) {
  for (const auto* list : {&trace.sources, &trace.steps})
    for (const auto& step : *list)
      if (auto found = disagreement(step, trace, most); !found.empty()) return found;
  return {};
}

}  // namespace headlight::test
