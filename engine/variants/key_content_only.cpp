#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

// y = LayerNorm(x + W_o concat_m Σ_j softmax_j(u_mᵀ W_k,m x_j) W_v,m x_j): one vector u asks for all. Zhu et al. 2019,
// section 3: of its four terms the third alone, key content; the sum and the norm are those of a transformer layer.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x = r.array("x"), x_k = declare::as_keys(r, x);

  r.stage("project", "Project", "k v");
  const Array k = r.step("k", ops::project(x_k, r.array("w_k")));  // (B, M, n, d')
  const Array v = r.step("v", ops::project(x_k, r.array("w_v")));  // (B, M, n, d')
  r.stage("scores", "Scores", "u kᵀ");
  const Axis queries = x.axis_at(1);
  const Array s = r.step("scores", ops::dot_products_for_all_queries(r.array("u"), k, queries));  // (B, M, n, n)
  r.stage("softmax", "Softmax", "softmax");
  const Array a = r.step("weights", ops::softmax(s));  // rows sum to 1, and all are equal
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::weighted_sum(a, v));  // (B, M, n, d')
  r.stage("concat", "Concat", "concat");
  const Array c = r.step("concat", ops::concatenation(o, r.axis("Md'", "channel")));  // (B, n, M·d')
  r.stage("project_out", "Project out", "· w_o");
  const Array y = r.step("projected", ops::linear(c, r.array("w_o")));  // (B, n, d)
  r.stage("add", "Add", "+ x");
  const Array sum = r.step("residual", ops::sum(x, y).as(Role::output));
  r.stage("output", "Norm", "output");
  r.step("output", ops::layer_norm(sum, r.array("ln_gamma"), r.array("ln_beta")));
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {.id = "key_content_only",
          .title = "Key content only",
          .summary =
              "One learned vector asks for all: what is looked at depends on the keys alone, so every query gets the "
              "same answer.",
          .shorthand = "softmax(uᵀk) v",
          .source = "Zhu et al. 2019, An Empirical Study of Spatial Attention Mechanisms in Deep Networks, section 3"};
}

std::vector<StepWords> step_words() {
  return {
      {"k", "k", "Keys",
       "A {key:key} is what a position is found by: {d'} numbers in each head, made from its own content. There are no "
       "queries to make: each head asks with one vector u that was learned once."},
      {"v", "v", "Values",
       "A {value:value} is what a position passes on to those who look at it. It has no say in who looks at whom."},
      {"scores", "s", "Scores",
       "The {score:score} of a {key:key} is its dot product with u, and no {query:query} enters: all {n_q} rows are "
       "equal. It is a map of what stands out, whoever asks. Nothing is divided by √d' here."},
      {"weights", "\\alpha", "Attention weights",
       "Each row of {score:scores} becomes {weight:weights} that add up to 1; since the rows are equal, so are the "
       "{weight:weights}. What is stored for every pair could be kept once for each {key:key}: that is what makes this "
       "kind of attention cheap.",
       "α"},
      {"head_outputs", "o", "Head outputs",
       "The {value:values} of all positions in the shares that the {weight:weights} say: one summary of the whole "
       "input, handed to every {query:query} alike. With one more position the summary changes for all of them.",
       "y"},
      declare::concat_words("c", "d'", " Nothing is computed."),
      {"projected", "a", "Projected output",
       "The output matrix brings the heads back to the input's width, mixing their channels at each position alone. "
       "All "
       "positions still hold the same numbers."},
      {"residual", "r", "Residual sum",
       "The input is added back. Only here do the positions differ again: each is its own token plus the one summary "
       "that all share."},
      {"output", "y", "Output",
       "Each position is brought to mean 0 and variance 1 over its channels, then stretched by γ and shifted by β."},
  };
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class KeyContentOnly final : public Variant {
 public:
  KeyContentOnly()
      : Variant(variant_info(),
                {declare::heads(4, "a question and weights of its own"),
                 declare::width("d_head", 8, "d'", "the question, a key and a value")},
                step_words()) {}

  ArraySpecs arrays(const ParamValues&, const IdSet&) const override {
    using declare::weight;
    ArraySpecs specs{
        .inputs = {declare::sequence(Role::none)},
        .weights = {weight("u", "u", "Question", "What each head asks of every key; the same for all queries.",
                           {"M", "d'"}, Fill::init, Role::query)}};
    declare::append(specs.weights,
                    declare::projections({.from = "a position", .k = {"M", "d", "d'"}, .v = {"M", "d", "d'"}}));
    specs.weights.push_back(weight("w_o", "W_o", "Output weights", "Mix the heads into the output.", {"Md'", "d"},
                                   Fill::init, Role::output));
    declare::append(specs.weights, declare::norm("ln", "", "d"));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override { declare::bind_heads(params, symbols); }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols.at("n_q"); }

  std::vector<std::string> samples() const override {
    return {R"({"variant": "key_content_only",
                "inputs": {"x": {"text": "see what attention does"}}, "weights": {"init": "textbook"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& key_content_only() {
  static const KeyContentOnly variant;
  return variant;
}

}  // namespace headlight
