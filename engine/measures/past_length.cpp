#include "engine/measures/past_length.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "engine/variants/mask_option.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight {

namespace {

using mechanism::choice_of;

// Whether a pair at that offset counts as all pairs that lie farther on its side.
bool is_past(const ParamValues& params, const std::string& relative, Index offset, Index row) {
  if (relative != "t5") return std::abs(offset) > params.integer("clip");
  const Index buckets = params.integer("buckets");
  const bool both = params.choice("bucket_direction") == "both";
  return row == buckets - 1 || (both && row == buckets / 2 - 1);
}

}  // namespace

std::optional<PastLength> past_length(const Problem& problem, const Trace& trace) {
  const Step* map = trace.map();
  if (!map || problem.only_query) return std::nullopt;
  PastLength past;
  const Index queries = map->extent(AxisRole::query), keys = map->extent(AxisRole::key);
  const auto rotation = mechanism::rotation(problem, trace);
  const auto term = mechanism::offset_term(problem, trace);
  const Index first = rotation || term ? mask::first_query(problem) : 0;
  past.length = std::max(first + queries, keys) - std::min<Index>(first, 0);
  if (rotation) {
    past.rotary_pairs = rotation->pairs();
    past.not_round = std::ranges::count_if(rotation->frequencies, [&](double frequency) {
      return std::abs(frequency) * static_cast<double>(past.length) < 2 * std::numbers::pi;
    });
  }
  const std::string relative = choice_of(problem, "relative"), codes = choice_of(problem, "positions");
  if (term && term->rows) {
    const bool causal = mechanism::hides_later_keys(problem);
    for (Index i = 0; i < queries; ++i)
      for (Index j = 0; j < keys; ++j) {
        const Index offset = j - i - first;
        if (causal && offset > 0) continue;
        ++past.pairs;
        const auto row = static_cast<Index>(term->rows->tensor()[i * keys + j]);
        if (is_past(problem.params, relative, offset, row)) ++past.past_table;
      }
  }
  if (codes == "learned") past.codes = PastLength::Codes::learned;
  if (codes.starts_with("sinusoidal")) past.codes = PastLength::Codes::sinusoidal;
  const bool knows = rotation || term || past.codes != PastLength::Codes::none;
  return knows ? std::optional(past) : std::nullopt;
}

std::optional<double> alibi_bias_at(const Problem& problem, const Trace& trace, Index head, Index distance) {
  const auto term = choice_of(problem, "relative") == "alibi" ? mechanism::offset_term(problem, trace) : std::nullopt;
  if (!term) return std::nullopt;
  const auto offsets = mechanism::offset_entries(*term, 0, head, 0);
  const auto far = std::ranges::max_element(offsets, {}, [](const auto& at) { return std::abs(at.offset); });
  if (far == offsets.end() || far->offset == 0) return std::nullopt;
  return far->added / static_cast<double>(std::abs(far->offset)) * static_cast<double>(distance);
}

}  // namespace headlight
