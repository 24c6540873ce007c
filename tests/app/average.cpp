// Average attention: every query looks at every key alike. The plainest mechanism there is, and the baseline that any
// other has to beat: its output is the mean of the values.
#include "tests/app/average.h"

#include <algorithm>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

// An operation of its own: 1/n for every pair → (B, 1, n_q, n_k).
Operation alike(const Array& x, const Array& keys) {
  const Axis head{.symbol = "M", .name = "head", .size = 1};
  std::vector<Axis> axes{x.axis_at(0), head, x.axis_at(1), keys.axis_at(1)};
  const Index n = keys.dim(1);
  const std::string shape = to_string(shape_of(axes));
  return {.axes = std::move(axes),
          .run = [size = x.dim(0) * x.dim(1) * n, n](
                     Compute&, float* out) { std::fill_n(out, size, 1.0F / static_cast<float>(n)); },
          .explain =
              [n](Index) {
                Explanation why;
                why.scale = 1.0 / static_cast<double>(n);
                why.terms = {{{Operand::constant(1, "every key alike")}}};
                return why;
              },
          .code = {fmt::format("np.full({}, 1 / {})", shape, n), fmt::format("torch.full({}, 1 / {})", shape, n)},
          .formula = {R"(\frac{1}{n})"},
          .operations = 1,
          .kind = Kind::probability,
          .role = Role::weight};
}

class Average final : public Variant {
 public:
  Average()
      : Variant(
            {"average", "Average", "Every position is the mean of all.", "mean(v)", "the baseline of any attention"},
            {},
            {{"weights", "\\alpha", "Attention weights",
              "Every {query:query} gives every {key:key} the same {weight:weight}."},
             {"output", "o", "Output",
              "The {output:output} is the mean of the {value:values}, the same for every query."}}) {}

  // The mechanism. x (B, n_q, d_q), and nothing to learn; keys and values are the queries themselves.
  void record(Recorder& r) const override {
    r.stage("input", "Input", "x");
    const Array x = r.array("x"), values = declare::as_keys(r, x);
    r.stage("softmax", "Weights", "weights");
    const Array weights = r.step("weights", alike(x, values));  // (B, 1, n_q, n_k)
    r.stage("output", "Output", "output");
    r.step("output", ops::weighted_sum(weights, values));  // (B, n_q, d_q)
  }

  // What it takes: no parameters, one input.
  ArraySpecs arrays(const ParamValues&, const IdSet&) const override {
    return {{{.id = "x",
              .title = "Input",
              .help = "one row a position",
              .shapes = {{"B", "n_q", "d_q"}},
              .role = Role::value,
              .layout = Layout::rows,
              .symbol = "x"}},
            {}};
  }
  // Parameters fix no extent; keys are as many as queries.
  void bind(const ParamValues&, Symbols&) const override {}
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols["n_q"]; }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "average", "inputs": {"x": [[[1, 2], [3, 4], [5, 9]]]}})"};
  }
};

}  // namespace

const Variant& average_variant() {
  static const Average variant;
  return variant;
}

}  // namespace headlight
