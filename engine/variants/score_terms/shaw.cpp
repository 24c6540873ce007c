// Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations, section 3, equations 3 and
// 4; for keys alone and with a table for each head, Huang et al. 2018, Music Transformer, section 3.4.
#include <numeric>

#include "engine/math/relative.h"
#include "engine/ops/offset_rows.h"
#include "engine/variants/declarations.h"
#include "engine/variants/score_term.h"

namespace headlight {

namespace {

using ops::OffsetRows;

// Farther offsets count as `clip`.
OffsetRows rows_of(const Recorder& r, const Array& map, Index first) {
  const Index clip = r.params().integer("clip");
  return {map.dim(2), map.dim(3), first, -clip, clip};
}

// → (n_q, n_k).
Operation pair_rows(const Array& scores, const OffsetRows& rows) {
  const std::string i = scores.axis_at(2).index, j = scores.axis_at(3).index;
  return {
      .axes = {scores.axis_at(2), scores.axis_at(3)},
      .run =
          [rows](Compute&, float* to) {
            std::vector<float> numbers(static_cast<std::size_t>(rows.count()));
            std::iota(numbers.begin(), numbers.end(), 0.0F);
            for (Index query = 0; query < rows.queries; ++query)
              rows.spread(numbers.data(), query, to + query * rows.keys);
          },
      .explain =
          [rows](Index pair) {
            const Index query = pair / rows.keys, key = pair % rows.keys, row = rows.of(query, key);
            return Explanation{
                .terms = {{{Operand::constant(static_cast<double>(row),
                                              fmt::format("offset {}, at most {}, counted from −{}",
                                                          key - rows.first - query, rows.farthest, rows.farthest))}}}};
          },
      .code = {fmt::format("({}).astype(float)", rows.in_code("np")),
               fmt::format("({}).double()", rows.in_code("torch"))},
      .formula = {fmt::format("\\min(\\max({0} - {1}, -c), c) + c \\qquad c = {2}", j, i, rows.farthest)},
      .operations = 1,
      .role = Role::position};
}

// Σ_j α (B, M, n_q, n_k) · the row of the table that the pair uses → (B, M, n_q, d').
Operation weighted_sum_of_rows(const Array& a, const Array& table, const OffsetRows& rows, const Axis& channels) {
  const ops::OffsetTable by(table, a.dim(1));
  const bool by_head = table.axes.size() == 3;
  const auto code_in = [&](const char* library) {
    return fmt::format("offsets = {}\n{{to}} = {}.einsum(\"bmij,{}ijc->bmic\", {}, {}[{}offsets])",
                       rows.in_code(library), library, by_head ? "m" : "", a.id, table.id, by_head ? ":, " : "");
  };
  return {.axes = {a.axis_at(0), a.axis_at(1), a.axis_at(2), channels},
          .run =
              [a = a.values, by, rows, maps = a.dim(1)](Compute& compute, float* to) {
                compute.parallel(a->size() / rows.keys, 16, [&](Index begin, Index end) {
                  std::vector<float> shares(static_cast<std::size_t>(rows.count()));
                  for (Index query = begin; query < end; ++query) {
                    const Index at = query % rows.queries, row = rows.of(at, 0);
                    rows.gather(a->data() + query * rows.keys, at, shares.data());
                    math::sum_of_rows(shares.data() + row, by.values->data() + by.at(query / rows.queries % maps, row),
                                      rows.of(at, rows.keys - 1) - row + 1, by.width, to + query * by.width);
                  }
                });
              },
          .explain =
              [a = a.id, by, rows, maps = a.dim(1)](Index cell) {
                const Index c = cell % by.width, query = cell / by.width;
                Explanation e;
                for (Index j = 0; j < rows.keys; ++j) {
                  const Index row = by.at(query / rows.queries % maps, rows.of(query % rows.queries, j));
                  e.terms.push_back({{Operand::of(a, query * rows.keys + j), Operand::of(by.id, row + c)}});
                }
                return e;
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("\\sum_{{{}}} {}\\,{}", notation::over_keys(a), notation::written(a),
                                  notation::mark(table.id, fmt::format("{}_{{{}}}", table.symbol, "I_{ij}")))},
          .operations = linear_operations(rows.keys, false),
          .role = Role::output};
}

class Shaw final : public ScoreTerm {
 public:
  // Of keys alone, or of values, too, where there are words for what these pass on.
  Shaw(Choice choice, std::vector<StepWords> words)
      : ScoreTerm(std::move(choice), std::move(words)), values_(!this->words().empty()) {}

  Terms record(Recorder& r, const QueriesAndKeys& of) const override {
    const auto& [q, k, scores, first] = of;
    const OffsetRows rows = rows_of(r, scores, first);
    r.stage("position", "Position", "q · r", "position_scores");
    r.step("relative_index", pair_rows(scores, rows));  // (n_q, n_k)
    const Array table = r.array("relative_keys");
    const std::string row = notation::mark(table.id, table.symbol + "_{I_{ij}}");
    return {.before_scale = {r.step("position_scores", ops::scores_by_offset(q, table, scores, rows, row))}};
  }
  Array record_outputs(Recorder& r, const Array& weights, const Array& v, Index first) const override {
    if (!values_) return {};
    return r.step("position_outputs",
                  weighted_sum_of_rows(weights, r.array("relative_values"), rows_of(r, weights, first), v.axis_at(-1)));
  }

  std::vector<ParamSpec> params() const override {
    if (!values_) return {};  // they share it
    return {param::integer("clip", "Farthest offset", "Keys that lie farther before or after count as lying this far.",
                           16, 0, 4096, {.advanced = true, .part_of = "relative", .part_of_choice = "shaw shaw_keys"})};
  }
  std::vector<ArraySpec> weights() const override {
    std::vector<ArraySpec> list{declare::weight("relative_keys", "r^k", "Relative keys",
                                                "What a query meets for each offset of a key.", {"2c+1", "d'"},
                                                Fill::init, Role::position)};
    if (values_)
      list.push_back(declare::weight("relative_values", "r^v", "Relative values",
                                     "What each offset passes on besides the key's value.", {"2c+1", "d_v'"},
                                     Fill::init, Role::position));
    for (ArraySpec& spec : list) spec.shapes.push_back({"M", "2c+1", spec.shapes[0][1]});
    return list;
  }
  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["2c+1"] = 2 * params.integer("clip") + 1;
  }
  std::string note(const Recorder& r, std::string_view step) const override {
    const Index clip = r.params().integer("clip");
    if (step == "relative_index")
      return fmt::format(
          "Which of the {} rows of the table a pair uses: row {} where {{key:key}} and {{query:query}} stand at one "
          "place, lower ones for keys before it. Offsets beyond {} share the last row of their side.",
          2 * clip + 1, clip, clip);
    return "The {query:query} meets what is learned for the offset of each {key:key}, as it meets the key itself. So a "
           "head can look one place back whatever stands there, and it depends on the query how much that counts.";
  }

 private:
  bool values_;
};

}  // namespace

const ScoreTerm& shaw() {
  static const Shaw term({"shaw", "Shaw", "Vectors learned for each offset, for keys and values (Shaw et al. 2018)."},
                         {
                             {"position_outputs",
                              "o^r",
                              "Position outputs",
                              "What is learned for the offsets is passed on, too, in the shares of the "
                              "{weight:weights}: an output says not only what was found but how far away.",
                              "pos",
                              {"weighted_sum", "Weighted sum", "weights · v"}},
                         });
  return term;
}

const ScoreTerm& shaw_keys() {
  static const Shaw term({"shaw_keys", "Shaw, keys", "The same for keys alone (Huang et al. 2018)."}, {});
  return term;
}

}  // namespace headlight
