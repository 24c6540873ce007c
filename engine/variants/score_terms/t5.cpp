#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/ops/offset_rows.h"
#include "engine/variants/declarations.h"
#include "engine/variants/score_term.h"

namespace headlight {

namespace {

struct Buckets {
  Index count = 0;
  Index most = 0;  // distances from which on all share the last bucket of their side
  bool both = true;

  Index buckets_per_side() const { return both ? count / 2 : count; }
  Index exact() const { return buckets_per_side() / 2; }  // so many distances have a bucket each
  Index side_bucket(Index distance) const {
    const Index side = buckets_per_side(), e = exact();
    if (distance < e) return distance;
    const double share = std::log(static_cast<double>(distance) / static_cast<double>(e)) /
                         std::log(static_cast<double>(most) / static_cast<double>(e));
    return std::min(e + static_cast<Index>(std::floor(static_cast<double>(side - e) * share + 1e-6)), side - 1);
  }
  // The smallest distance of a bucket; of one that no distance has, that of the next.
  Index nearest(Index bucket) const {
    Index distance = both && bucket >= buckets_per_side() ? 1 : 0;
    while (side_bucket(distance) < bucket % buckets_per_side()) ++distance;
    return distance;
  }
  // Of a key that lies so many places after its query.
  Index of(Index offset) const {
    if (!both) return side_bucket(std::max<Index>(-offset, 0));
    return (offset > 0 ? buckets_per_side() : 0) + side_bucket(std::abs(offset));
  }
};

Buckets buckets_of(const ParamValues& params) {
  return {params.integer("buckets"), params.integer("max_distance"), params.choice("bucket_direction") == "both"};
}

// Where the pairs of queries, the first of which stands at `first`, and keys lie.
struct Pairs {
  Index queries, keys, first;
  Index offset_at(Index pair) const { return pair % keys - first - pair / keys % queries; }
  ops::OffsetRows rows() const { return {queries, keys, first, 1 - first - queries, keys - 1 - first}; }
};

// One number for each offset.
template <typename Of>
std::vector<float> values_by_offset(const Pairs& pairs, const Of& of) {
  std::vector<float> numbers;
  for (Index offset = pairs.rows().nearest; offset <= pairs.rows().farthest; ++offset)
    numbers.push_back(static_cast<float>(of(offset)));
  return numbers;
}

// The buckets of all pairs, in a line of Python.
std::string in_code(const char* library, const Buckets& buckets, const Pairs& pairs) {
  return fmt::format("t5_buckets({0}.arange({1}) - {0}.arange({2}, {3})[:, None], {4}, {5}, {6})", library, pairs.keys,
                     pairs.first, pairs.first + pairs.queries, buckets.count, buckets.most,
                     buckets.both ? "True" : "False");
}

std::string letters(const Array& scores) {
  return fmt::format("f({} - {})", scores.axis_at(3).index, scores.axis_at(2).index);
}

// → (n_q, n_k).
Operation pair_buckets(const Array& scores, const Buckets& buckets, const Pairs& pairs) {
  return {.axes = {scores.axis_at(2), scores.axis_at(3)},
          .run =
              [buckets, pairs](Compute&, float* to) {
                const auto line = values_by_offset(pairs, [&](Index offset) { return buckets.of(offset); });
                for (Index i = 0; i < pairs.queries; ++i) pairs.rows().spread(line.data(), i, to + i * pairs.keys);
              },
          .explain =
              [buckets, pairs](Index pair) {
                const Index offset = pairs.offset_at(pair), bucket = buckets.of(offset);
                return Explanation{
                    .terms = {{{Operand::constant(
                        static_cast<double>(bucket),
                        fmt::format("the bucket of keys {} {}", std::abs(offset), offset > 0 ? "after" : "before"))}}}};
              },
          .code = {in_code("np", buckets, pairs) + ".astype(float)", in_code("torch", buckets, pairs) + ".double()"},
          .formula = {letters(scores)},
          .operations = 1,
          .role = Role::position};
}

// table (buckets, M) → (1, M, n_q, n_k).
Operation bucket_bias(const Array& table, const Array& scores, const Buckets& buckets, const Pairs& pairs) {
  std::vector<Axis> axes = scores.axes;
  axes[0] = Axis{.symbol = "1", .name = "batch", .size = 1, .role = axes[0].role};
  axes[1] = table.axis_at(1);
  const Index heads = table.dim(1), plane = pairs.queries * pairs.keys;
  const auto cell_of = [=](Index cell) { return buckets.of(pairs.offset_at(cell % plane)) * heads + cell / plane; };
  const auto code_in = [&](const char* library, const char* moved) {
    return fmt::format("{}[{}].{}[None]", table.id, in_code(library, buckets, pairs), moved);
  };
  return {.axes = std::move(axes),
          .run =
              [table = table.values, buckets, pairs, plane, heads](Compute& compute, float* to) {
                compute.parallel_each(heads, 1, [&](Index head) {
                  const auto line = values_by_offset(
                      pairs, [&](Index offset) { return (*table)[buckets.of(offset) * heads + head]; });
                  for (Index i = 0; i < pairs.queries; ++i)
                    pairs.rows().spread(line.data(), i, to + head * plane + i * pairs.keys);
                });
              },
          .explain =
              [table = table.id, cell_of, pairs, plane, buckets](Index cell) {
                const Index pair = cell % plane, key = pair % pairs.keys, place = pairs.first + pair / pairs.keys;
                return Explanation{
                    .terms = {{{Operand::of(table, cell_of(cell))}}},
                    .reason = fmt::format("key {} and query {}: bucket {}", key, place, buckets.of(key - place))};
              },
          .code = {code_in("np", "transpose(2, 0, 1)"), code_in("torch", "permute(2, 0, 1)")},
          .formula = {notation::mark(table.id, fmt::format("{}_{{{}}}", table.symbol, letters(scores)))},
          .operations = 1,
          .kind = Kind::score,
          .role = Role::position};
}

// Raffel et al. 2020, Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, section 2.1;
// the buckets as in its program.
class T5 final : public ScoreTerm {
 public:
  T5() : ScoreTerm(Choice{"t5", "T5 buckets", "A number learned for each bucket of distances (Raffel et al. 2020)."}) {}

  Terms record(Recorder& r, const QueriesAndKeys& of) const override {
    const Array& scores = of.scores;
    const Buckets buckets = buckets_of(r.params());
    const Pairs pairs{scores.dim(2), scores.dim(3), of.first};
    r.stage("position", "Position", "b[f(j − i)]", "position_bias");
    r.step("relative_index", pair_buckets(scores, buckets, pairs));  // (n_q, n_k)
    return {.after_scale = r.step("position_bias", bucket_bias(r.array("bias_table"), scores, buckets, pairs))};
  }

  std::vector<ParamSpec> params() const override {
    return {param::integer("buckets", "Buckets", "How many numbers each head has for distances; far ones share one.",
                           32, 2, 1024, {.advanced = true, .part_of = "relative", .part_of_choice = "t5"}),
            param::integer("max_distance", "Last bucket from", "From this distance on all keys share the last bucket.",
                           128, 2, 1e6, {.advanced = true, .part_of = "relative", .part_of_choice = "t5"}),
            param::choice("bucket_direction", "Bucket sides", "Whether keys after the query have buckets of their own.",
                          {{"both", "Both", "Half of them before, half after, as in encoders."},
                           {"past", "Past", "All before; every later key is in bucket 0, as in decoders."}},
                          {.advanced = true, .part_of = "relative", .part_of_choice = "t5"})};
  }
  std::vector<ArraySpec> weights() const override {
    return {declare::weight("bias_table", "\\beta", "Bias table",
                            "What each head adds to a score, for each bucket of distances.", {"buckets", "M"},
                            Fill::init, Role::position)};
  }
  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["buckets"] = params.integer("buckets");
  }
  // It falls with distance as ALiBi does: by the smallest distance of each bucket.
  ArrayMap by_hand(const Problem& problem) const override {
    const Buckets buckets = buckets_of(problem.params);
    const Index heads = problem.dim("M");
    auto table = std::make_shared<Tensor>(Shape{buckets.count, heads});
    for (Index bucket = 0; bucket < buckets.count; ++bucket)
      for (Index m = 0; m < heads; ++m)
        (*table)[bucket * heads + m] =
            static_cast<float>(0 - slope_of(m, heads) * static_cast<double>(buckets.nearest(bucket)));
    return {{"bias_table", table}};
  }
  Status check(const ParamValues& params) const override {
    const Buckets buckets = buckets_of(params);
    if (buckets.both && buckets.buckets_per_side() < 2)
      return fail("buckets {} in both directions is one bucket a side: use 4 or more, or bucket_direction past",
                  buckets.count);
    if (buckets.both && buckets.count % 2 == 1)
      return fail("buckets {} cannot be halved for two directions: use {} or {}, or bucket_direction past",
                  buckets.count, buckets.count - 1, buckets.count + 1);
    if (buckets.most <= buckets.exact())
      return fail("max_distance {} must be above {}, the distances that have a bucket each", buckets.most,
                  buckets.exact());
    return {};
  }
  std::string note(const Recorder& r, std::string_view step) const override {
    const Buckets buckets = buckets_of(r.params());
    if (step == "relative_index")
      return fmt::format(
          "Which of the {} buckets a pair falls into: up to a distance of {} each has one of its own, from there they "
          "widen, and all from {} on share the last{}.",
          buckets.count, buckets.exact() - 1, buckets.most,
          buckets.both ? "; keys after the query have the second half" : "; keys after the query are in bucket 0");
    return fmt::format(
        "What is learned for the distance alone is added to the {{score:score}}: {} numbers in each of the {} heads, "
        "whatever the words. Far {{key:keys}} share a number, so texts longer than any in training have one too.",
        buckets.count, r.dim("M"));
  }
};

}  // namespace

const ScoreTerm& t5() {
  static const T5 term;
  return term;
}

}  // namespace headlight
