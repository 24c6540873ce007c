// One row a measure: what it is called and says, which maps it is of, and the number of a query. A further measure is a
// further row, and its reference in tests/reference/make_measures.py.
//
// Each is the mean over batch items and the queries that count of the number that stands here for a query i, with w_ij
// the weight of key j in its row and t_i, t_j the tokens. A row whose weights are all 0 sees no key and counts nowhere.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/measures/head_outputs.h"
#include "engine/measures/measured_map.h"

namespace headlight {

namespace {

// On its own place or another; a query without a place has none.
std::optional<double> weight_in_place(const MeasuredRow& row, Index key) {
  if (!row.has_own_place()) return std::nullopt;
  return row.weight(key);
}

// The same of every query but the first, where keys are no window.
std::optional<double> weight_after_first(const MeasuredRow& row, Index key) {
  if (row.map.places != Places::same || row.query == 0) return std::nullopt;
  return row.weight(key);
}

// Where some keys lie on a grid and others beside it, of those that have a place.
std::optional<double> mean_distance(const MeasuredRow& row) {
  const MeasuredMap& map = row.map;
  if (!row.has_own_place() || !map.has_place(row.query)) return std::nullopt;
  double far = 0, magnitude = 0;
  for (Index j = 0; j < row.keys(); ++j) {
    if (!map.has_place(j)) continue;
    const double w = std::abs(row.weight(j));
    far += w * map.distance(row.query, j);
    magnitude += w;
  }
  if (magnitude == 0 && map.placed) return std::nullopt;
  return far / magnitude;
}

std::optional<double> weight_on_same_token(const MeasuredRow& row) {
  if (!row.has_own_token()) return std::nullopt;
  const Index own = row.token_of_query();
  return row.weight_of([&](Index j) { return j != row.query && row.token_of_key(j) == own; });
}

std::optional<double> weight_after_same_token(const MeasuredRow& row) {
  if (!row.has_own_token()) return std::nullopt;
  const Index own = row.token_of_query();
  return row.weight_of([&](Index j) { return j >= 1 && j < row.query && row.token_of_key(j - 1) == own; });
}

std::optional<double> weight_on_special_tokens(const MeasuredRow& row) {
  const auto special = row.map.special_keys(row.item);
  if (special.empty()) return std::nullopt;
  double sum = 0;
  for (const Index j : special) sum += row.weight(j);
  return sum;
}

HeadValues share_of_output(const OutputShares& outputs, std::optional<Index> item, Compute& compute) {
  HeadValues shares{outputs.of(item, compute), Missing::nothing};
  if (shares.values.empty()) return {{}, Missing::head_outputs};
  if (std::ranges::all_of(shares.values, [](double v) { return std::isnan(v); }))
    shares.missing = Missing::visible_keys;
  return shares;
}

// relative_change() of head_outputs.h, of runs that are made elsewhere.
HeadValues runs_without_heads(const OutputShares& outputs, std::optional<Index>, Compute&) {
  return {{}, outputs.are_known() ? Missing::runs : Missing::head_outputs};
}

constexpr auto measure_table = std::to_array<MeasureRow>({
    {.id = "entropy",
     .title = "Entropy",
     .heading = "entropy",
     .phrase = "entropy",
     .unit = "nats",
     .formula = R"(-\sum_{j} w_{ij} \ln w_{ij})",
     .says =
         "How spread out a row is: 0 for one key alone, ln of the number of keys for all alike. Mean over all queries.",
     .source = "Clark et al. 2019, section 3",
     .max = MeasureMax::ln_keys,
     .of_row = [](const MeasuredRow& row) -> std::optional<double> { return row.entropy; }},
    {.id = "effective_keys",
     .title = "Effective keys",
     .heading = "keys",
     .phrase = "number of effective keys",
     .unit = "keys",
     .formula = R"(\exp\Bigl(-\sum_{j} w_{ij} \ln w_{ij}\Bigr))",
     .says =
         "How many keys a row would have if it shared its weight out evenly and was as spread out: exp of its entropy. "
         "Mean over all queries.",
     .source = "Perplexity of a row; entropy as in Clark et al. 2019, section 3",
     .max = MeasureMax::keys,
     .of_row = [](const MeasuredRow& row) -> std::optional<double> { return std::exp(row.entropy); }},
    {.id = "confidence",
     .title = "Confidence",
     .heading = "largest",
     .phrase = "largest weight",
     .formula = R"(\max_{j} w_{ij})",
     .says = "The largest weight of a row. Mean over all queries.",
     .source = "Voita et al. 2019, section 4",
     .of_row = [](const MeasuredRow& row) -> std::optional<double> { return row.greatest; }},
    {.id = "distance",
     .title = "Distance",
     .heading = "distance",
     .phrase = "mean distance",
     .unit = "places",
     .formula = R"(\frac{\sum_{j} w_{ij} \lvert i - j \rvert}{\sum_{j} w_{ij}})",
     .says =
         "How far away a row looks, in places; on a grid the straight distance between cells. Mean over all queries.",
     .source = "Vig and Belinkov 2019; on a grid Dosovitskiy et al. 2021, figure 7",
     .max = MeasureMax::anything,
     .needs = {.places = true},
     .of_row = mean_distance},
    {.id = "self",
     .title = "Self",
     .heading = "self",
     .phrase = "weight on its own place",
     .formula = R"(w_{ii})",
     .says = "Weight on the query's own place. Mean over all queries.",
     .source = "Clark et al. 2019, section 3",
     .needs = {.places = true},
     .of_row = [](const MeasuredRow& row) { return weight_in_place(row, row.map.self_key(row.query)); }},
    {.id = "previous",
     .title = "Previous",
     .heading = "previous",
     .phrase = "weight on the previous place",
     .formula = R"(w_{i,i-1})",
     .says = "Weight on the place just before. Mean over all queries but the first.",
     .source = "Clark et al. 2019, section 3",
     .needs = {.places = true, .second_query = true},
     .of_row = [](const MeasuredRow& row) { return weight_after_first(row, row.query - 1); }},
    {.id = "first",
     .title = "First",
     .heading = "first",
     .phrase = "weight on the first place",
     .formula = R"(w_{i0})",
     .says = "Weight on the first place, where weight often rests that has nowhere to go. Mean over all queries but "
             "the first.",
     .source = "Xiao et al. 2023",
     .needs = {.places = true, .second_query = true},
     .of_row = [](const MeasuredRow& row) { return weight_after_first(row, 0); }},
    {.id = "same",
     .title = "Same token",
     .heading = "same",
     .phrase = "weight on the same token elsewhere",
     .formula = R"(\sum_{j \ne i,\ t_j = t_i} w_{ij})",
     .says = "Weight on other places of the query's own token. Mean over queries whose token stands elsewhere too.",
     .source = "Clark et al. 2019, section 3",
     .needs = {.places = true, .tokens = true, .such_keys = true},
     .of_row = weight_on_same_token},
    {.id = "induction",
     .title = "Induction",
     .heading = "induction",
     .phrase = "induction score",
     .formula = R"(\sum_{1 \le j < i,\ t_{j-1} = t_i} w_{ij})",
     .says =
         "Weight on what came after an earlier place of the query's token. Mean over queries whose token came before.",
     .source = "Olsson et al. 2022, prefix matching",
     .needs = {.places = true, .tokens = true, .such_keys = true},
     .of_row = weight_after_same_token},
    {.id = "special",
     .title = "Special tokens",
     .heading = "special",
     .phrase = "weight on special tokens",
     .formula = R"(\sum_{j \text{ stands for no text}} w_{ij})",
     .says = "Weight on tokens that stand for no text, such as the start token. Mean over all queries.",
     .source = "Clark et al. 2019, section 3.2",
     .needs = {.tokens = true, .special_tokens = true},
     .of_row = weight_on_special_tokens},
    {.id = "share",
     .title = "Share of output",
     .heading = "share",
     .phrase = "share of the output",
     .formula = R"(\frac{\lVert c_{m,i} \rVert}{\sum_{m'} \lVert c_{m',i} \rVert},\quad c_{m,i} = o_{m,i} W_m)",
     .says = "How much of the output's norm a head writes: its own output through its rows of the output projection, "
             "beside that of all heads. Mean over all queries.",
     .source = "After Kobayashi et al. 2020, section 3",
     .of_run = share_of_output},
    {.id = "ablation",
     .title = "Change if off",
     .heading = "if off",
     .phrase = "change if off",
     .formula = R"(\frac{\lVert y - y'_m \rVert}{\lVert y \rVert})",
     .says = "How far the run's output moves when the head hands on zeros, as a part of the output's norm: a run of "
             "its own.",
     .source = "After Michel et al. 2019, section 3.2",
     .max = MeasureMax::anything,
     .of_run = runs_without_heads},
});

constexpr bool is_computed(const MeasureRow& row) {
  return (row.of_row == nullptr) != (row.of_run == nullptr);
}
static_assert(std::ranges::all_of(measure_table, is_computed), "a measure is of rows or of a run");

// The place of that row; without one it does not compile.
consteval Measure measure_named(std::string_view id) {
  std::size_t place = 0;
  while (id != measure_table.at(place).id) ++place;
  return Measure(place);
}

constexpr auto every_measure = []<std::size_t... place>(std::index_sequence<place...>) {
  return std::array{Measure(place)...};
}
(std::make_index_sequence<measure_table.size()>());

}  // namespace

constinit const Measure Measure::entropy = measure_named("entropy"),
                        Measure::effective_keys = measure_named("effective_keys"),
                        Measure::confidence = measure_named("confidence"),
                        Measure::distance = measure_named("distance"), Measure::self = measure_named("self"),
                        Measure::previous = measure_named("previous"), Measure::first = measure_named("first"),
                        Measure::same = measure_named("same"), Measure::induction = measure_named("induction"),
                        Measure::special = measure_named("special"), Measure::share = measure_named("share"),
                        Measure::ablation = measure_named("ablation");

std::span<const MeasureRow> measure_rows() {
  return measure_table;
}

const MeasureRow& row_of(Measure measure) {
  return measure_table[measure.place()];
}

std::span<const Measure> all_measures() {
  return every_measure;
}

std::string_view id_of(Measure measure) {
  return row_of(measure).id;
}

std::optional<Measure> measure_by_id(std::string_view id) {
  const auto found = std::ranges::find(measure_table, id, &MeasureRow::id);
  if (found == measure_table.end()) return std::nullopt;
  return Measure(static_cast<std::size_t>(found - measure_table.begin()));
}

}  // namespace headlight
