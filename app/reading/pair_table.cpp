#include "app/reading/pair_table.h"

#include <algorithm>

namespace headlight::app {

std::optional<PairTable> pair_table(const Problem& problem, const Trace& trace, const CellTrace& story) {
  if (!story.table) return std::nullopt;
  const auto line = std::ranges::find(story.lines, story.table->step, &TraceLine::step);
  const Step* scores = trace.find(story.table->step);
  if (line == story.lines.end() || !scores || scores->tensor().rank() != 4) return std::nullopt;
  const auto turned = mechanism::turning(problem, trace);
  if (!turned || static_cast<Index>(story.table->rows.size()) != turned->q->tensor().dim(3)) return std::nullopt;
  const auto at = index_at_flat(scores->tensor().shape(), line->cell);
  const mechanism::PairOf of{at[0], at[1], at[2], at[3]};
  PairTable table;
  table.query_place = turned->first_query + of.query;
  table.key_place = turned->first_key + of.key;
  table.still = table.sum = mechanism::product_of_still(*turned, of);
  for (Index pair = 0; pair < turned->pairs(); ++pair) {
    const auto [first, second] = turned->channels(pair);
    table.rows.push_back(
        {first, second, turned->frequencies[static_cast<std::size_t>(pair)], mechanism::dial(*turned, of, pair)});
    table.sum += table.rows.back().dial.product;
  }
  return table;
}

}  // namespace headlight::app
