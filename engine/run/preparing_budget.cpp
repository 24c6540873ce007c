// Whether a run that is prepared has room, and what would.
#include <algorithm>

#include "engine/core/words.h"
#include "engine/run/only_query.h"
#include "engine/run/preparing.h"

namespace headlight::preparing {

namespace {

// Bytes of the weights that are still to be made.
double bytes_to_make(const Work& work) {
  double bytes = 0;
  const Symbols symbols = work.shapes.symbols();
  for (const auto& spec : work.problem.specs.weights) {
    if (work.problem.arrays.contains(spec.id) || spec.fill == Fill::absent) continue;
    double count = sizeof(float);
    for (const Index extent : generated_shape(spec, symbols)) count *= static_cast<double>(extent);
    bytes += count;
  }
  return bytes;
}

// The refusal of a run over budget, or nothing.
std::optional<TooLarge> over_budget(const Work& work, const Budget& budget) {
  const Problem& problem = work.problem;
  TooLarge run;
  run.bytes = cost_as_asked(problem).bytes + bytes_to_make(work);
  const bool one = asked_query(work.variant, problem.params).has_value();
  run.pairs = (one ? 1.0 : static_cast<double>(problem.extent(AxisRole::query))) *
              static_cast<double>(problem.extent(AxisRole::key));
  run.fits = run.bytes <= budget.bytes;
  if (run.fits && (budget.pairs <= 0 || run.pairs <= budget.pairs)) return std::nullopt;
  if (!one && can_keep_one_query(work.variant)) run.one_query = middle_query(problem);
  return run;
}

// The most positions that a run of this kind has room for, as many queries to a key as it has; 0 where not even a few.
Index positions_that_fit(const Work& work, const Budget& budget) {
  Problem smaller = work.problem;  // arrays are shared, and only their presence counts
  const Index queries = work.problem.extent(AxisRole::query), keys = work.problem.extent(AxisRole::key);
  const auto fits = [&](Index count) {
    smaller.symbols[std::string(symbol_of(AxisRole::key))] = count;
    smaller.symbols[std::string(symbol_of(AxisRole::query))] =
        queries == 1 ? 1 : std::max<Index>(1, count * queries / keys);
    return cost_as_asked(smaller).bytes + bytes_to_make(work) <= budget.bytes;
  };
  Index least = 0, most = keys;
  while (most - least > 1) {
    const Index middle = least + (most - least) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return least;
}

}  // namespace

Status check_budget(const Work& work, const Budget& budget, std::optional<TooLarge>* too_large) {
  const auto refused = over_budget(work, budget);
  if (too_large) *too_large = refused;
  if (!refused) return {};
  const Index queries = work.problem.extent(AxisRole::query), keys = work.problem.extent(AxisRole::key),
              heads = work.problem.extent(AxisRole::head);
  if (refused->fits)
    return fail("{} queries × {} keys in {}: this run needs about {}", queries, keys,
                heads == 1 ? "one head" : fmt::format("each of {} heads", heads), bytes_text(refused->bytes));
  const Index fits = positions_that_fit(work, budget);
  return fail("this run needs about {} and {} is free for it: {}use fewer positions, fewer heads or smaller widths{}",
              bytes_text(refused->bytes), bytes_text(budget.bytes),
              fits > 0 ? fmt::format("about {} keys would fit, not {}; ", fits, keys) : "",
              refused->one_query ? ", or set only_query to see one query's row" : "");
}

}  // namespace headlight::preparing
