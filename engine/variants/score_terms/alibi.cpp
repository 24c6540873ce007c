#include <cmath>
#include <cstdlib>

#include "engine/variants/score_term.h"

namespace headlight {

// 2^(−8(m+1)/M) for a power of two of heads; for others those of the largest power P below, then every other one of the
// slopes of 2P heads. Press et al. 2022, section 3, and the program that goes with it.
double slope_of(Index head, Index heads) {
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  const auto geometric = [](Index m, Index count) {
    return std::exp2(-8.0 * static_cast<double>(m + 1) / static_cast<double>(count));
  };
  return head < power ? geometric(head, power) : geometric(2 * (head - power), 2 * power);
}

namespace {

// → (M).
Operation slopes_of_heads(const Axis& heads) {
  return {.axes = {heads},
          .run =
              [n = heads.size](Compute&, float* out) {
                for (Index m = 0; m < n; ++m) out[m] = static_cast<float>(slope_of(m, n));
              },
          .formula = {},
          .operations = 1,
          .kind = Kind::weight,
          .role = Role::position};
}

// −slope · |j − i|: slopes (M) → (1, M, n_q, n_k), with the axes of `scores`. Query i stands at `first` + i.
Operation distance_penalty(const Array& slopes, const Array& scores, Index first) {
  std::vector<Axis> axes = scores.axes;
  axes[0] = Axis{.symbol = "1", .name = "batch", .size = 1, .role = axes[0].role};
  axes[1] = slopes.axis_at(0);
  const Index queries = axes[2].size, keys = axes[3].size;
  const std::string i = axes[2].index, j = axes[3].index;
  const auto code_in = [&](const char* library) {
    return fmt::format("-{0}[None, :, None, None] * {1}.abs({1}.arange({2}) - {1}.arange({3}, {4})[:, None])",
                       slopes.id, library, keys, first, first + queries);
  };
  return {.axes = std::move(axes),
          .run =
              [slopes = slopes.values, queries, keys, first](Compute& compute, float* out) {
                compute.parallel_each(slopes->size() * queries, 64, [&](Index row) {
                  for (Index key = 0; key < keys; ++key)
                    out[row * keys + key] =
                        0 - (*slopes)[row / queries] * static_cast<float>(std::abs(key - first - row % queries));
                });
              },
          .explain =
              [slopes = slopes.id, queries, keys, first](Index cell) {
                const Index key = cell % keys, place = first + cell / keys % queries, head = cell / (keys * queries);
                const Index apart = std::abs(key - place);
                return Explanation{
                    .terms = {{{Operand::of(slopes, head), Operand::constant(-static_cast<double>(apart),
                                                                             fmt::format("−|{} − {}|", key, place))}}},
                    .reason = fmt::format("key {} and query {} are {} apart", key, place, apart)};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("-{}\\,\\lvert {} - {} \\rvert", notation::written(slopes), j, i)},
          .operations = 1,
          .kind = Kind::score,
          .role = Role::position};
}

// Press, Smith and Lewis 2022, Train Short, Test Long, section 3.
class Alibi final : public ScoreTerm {
 public:
  Alibi()
      : ScoreTerm(
            Choice{"alibi", "ALiBi", "Scores fall with distance, in each head by its own slope (Press et al. 2022)."},
            {
                {"slopes", "\\mu", "Slopes",
                 "How steeply each head's scores fall with distance: halved from head to head where there are eight, "
                 "so that some heads look near and others far."},
            }) {}

  Terms record(Recorder& r, const QueriesAndKeys& of) const override {
    const Array& scores = of.scores;
    r.stage("position", "Position", "−μ |j − i|");
    Array slopes = r.array("slopes");
    if (!slopes) slopes = r.source("slopes", slopes_of_heads(r.axis("M", "head")));  // (M)
    return {.after_scale = r.step("position_bias", distance_penalty(slopes, scores, of.first))};
  }

  std::vector<ArraySpec> inputs() const override {
    return {{.id = "slopes",
             .title = "Slopes",
             .help = "How steeply each head's scores fall with distance, in place of the paper's slopes.",
             .shapes = {{"M"}},
             .fill = Fill::absent,
             .kind = Kind::weight,
             .role = Role::position,
             .symbol = "\\mu"}};
  }
  std::string note(const Recorder& r, std::string_view) const override {
    return fmt::format(
        "Every place between {{query:query}} and {{key:key}} takes something from the {{score:score}}, in each of the "
        "{} heads by a slope of its own. Nothing here is learned and nothing depends on the words, so it goes on as it "
        "is for texts longer than any in training.",
        r.dim("M"));
  }
};

}  // namespace

const ScoreTerm& alibi() {
  static const Alibi term;
  return term;
}

}  // namespace headlight
