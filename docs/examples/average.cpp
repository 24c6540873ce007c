// Average attention: every query looks at every key alike. The plainest mechanism there is, and the baseline that any
// other has to beat: its output is the mean of the values.
#include "docs/examples/average.h"

#include "engine/variants/code_lines.h"
#include "engine/variants/recorder.h"

namespace headlight {

namespace {

class Average final : public Variant {
 public:
  const VariantInfo& info() const override { return info_; }
  const std::vector<ParamSpec>& params() const override { return params_; }

  // x (B, n_q, d_q), and nothing to learn.
  ArraySpecs arrays(const ParamValues&, const std::set<std::string, std::less<>>&) const override {
    return {{{.id = "x",
              .title = "Input",
              .help = "one row a position",
              .shapes = {{"B", "n_q", "d_q"}},
              .role = Role::value,
              .layout = Layout::rows}},
            {}};
  }

  // Parameters fix no extent; keys are the queries themselves.
  void bind(const ParamValues&, Symbols&) const override {}
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols["n_q"]; }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }

  Cost cost(const Problem& p) const override {
    const auto b = static_cast<double>(p.dim("B"));
    const auto n = static_cast<double>(p.dim("n_q"));
    const auto d = static_cast<double>(p.dim("d_q"));
    return {.bytes = sizeof(float) * (b * n * n + b * n * d), .operations = b * n * n + 2 * n * b * n * d};
  }

  std::vector<std::string> samples() const override {
    return {R"({"variant": "average", "inputs": {"x": [[[1, 2], [3, 4], [5, 9]]]}})"};
  }

  Status record(Recorder& r) const override {
    const Tensor& x = r.array("x");  // (B, n_q, d_q)
    const Index b = r.dim("B"), n = r.dim("n_q"), d = r.dim("d_q");
    const Axis batch = r.axis("B", "batch"), queries = r.axis("n_q", "query", Role::query);
    r.stage({"input", "Input", "x", {"x"}});

    Tensor weights({b, n, n});
    for (float& weight : weights.values()) weight = 1.0F / static_cast<float>(n);
    r.step({.id = "weights",
            .title = "Attention weights",
            .formula = R"(\hl{this}{\alpha_{ij}} = \frac{1}{n})",
            .note = "Every {query:query} gives every {key:key} the same {weight:weight}.",
            .axes = {batch, queries, r.axis("n_k", "key", Role::key)},
            .kind = Kind::probability,
            .role = Role::weight,
            .code = {fmt::format("weights = np.full(({}, {}, {}), 1 / {})", b, n, n, n),
                     fmt::format("weights = torch.full(({}, {}, {}), 1 / {})", b, n, n, n)}},
           std::move(weights), [n](Index) {
             Explanation why;
             why.scale = 1.0 / static_cast<double>(n);
             why.terms = {{{Operand::constant(1, "every key alike")}}};
             return why;
           });
    r.stage({"softmax", "Weights", "weights", {"weights"}});

    Tensor output({b, n, d});
    for (Index i = 0; i < b * n; ++i)
      for (Index c = 0; c < d; ++c) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += x[(i / n * n + j) * d + c];
        output[i * d + c] = static_cast<float>(sum / static_cast<double>(n));
      }
    r.step({.id = "output",
            .title = "Output",
            .formula = R"(\hl{this}{o_i} = \sum_j \hl{weights}{\alpha_{ij}}\, \hl{x}{x_j})",
            .note = "The {output:output} is the mean of the {value:values}, the same for every query.",
            .axes = {batch, queries, r.axis("d_q", "channel")},
            .role = Role::output,
            .code = code::both("output = weights @ x")},
           std::move(output), [n, d](Index cell) {
             const Index row = cell / d, channel = cell % d, item = row / n;  // (B·n_q, d_q)
             Explanation why;
             for (Index j = 0; j < n; ++j)
               why.terms.push_back(
                   {{Operand::of("weights", row * n + j), Operand::of("x", (item * n + j) * d + channel)}});
             return why;
           });
    r.stage({"output", "Output", "output", {"output"}});
    return {};
  }

 private:
  VariantInfo info_{"average", "Average", "Every position is the mean of all.", "mean(v)",
                    "the baseline of any attention"};
  std::vector<ParamSpec> params_;
};

}  // namespace

const Variant& average_variant() {
  static const Average variant;
  return variant;
}

}  // namespace headlight
