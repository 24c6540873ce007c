#include <cmath>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

MaskRules mask_of(const Problem& problem);

// o_i = Σ_j softmax_j(wᵀ tanh(W_q x_i + W_k x_j)) v_j. Bahdanau, Cho and Bengio 2015, appendix A.1.2: their v_a, W_a
// and U_a are w, W_q and W_k here, s_{i−1} is x_i, and h_j both x_j and v_j.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k"), x_v = r.array("x_v");

  r.stage("project", "Project", "q k");
  const Array q = r.step("q", ops::project(x_q, r.array("w_q")));  // (B, 1, n_q, h)
  const Array k = r.step("k", ops::project(x_k, r.array("w_k")));  // (B, 1, n_k, h)
  r.stage("features", "Features", "tanh");
  const Array f = r.step("features", ops::tanh_of_sums(q, k));  // (B, 1, n_q, n_k, h)
  r.stage("scores", "Scores", "· w");
  const Array s = r.step("scores", ops::dot_with_vector(f, r.array("w_score")));  // (B, 1, n_q, n_k)
  const Array a = record::masked_softmax(r, s, mask_of(r.problem()));             // rows sum to 1, or are 0
  r.stage("output", "Output", "output");
  r.step("output", ops::weighted_sum(a, x_v));  // (B, n_q, d_v)
}

const MaskOption* const mask_option[] = {&valid_lengths()};

MaskRules mask_of(const Problem& problem) {
  return mask::rules(problem, mask_option, mask::same_for_all_heads);
}

// ---- Words --------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {.id = "additive",
          .title = "Additive",
          .summary =
              "A small network scores each pair: query and key are added, bent by tanh and weighed, so that they need "
              "not have the same width.",
          .shorthand = "wᵀ tanh(q + k)",
          .source =
              "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, "
              "appendix A.1.2"};
}

std::vector<ParamSpec> hidden_params() {
  return {declare::hidden("How many features each pair of query and key is described by (h)."), declare::only_query()};
}

// What no score can exceed: tanh keeps each feature below 1.
double largest_score(const Recorder& r) {
  double sum = 0;
  for (const float w : r.problem().find("w_score")->values()) sum += std::abs(w);
  return sum;
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       "Each token that asks becomes {h} numbers. {query:Query} and {key:key} meet by being added, so what they are "
       "made from may have different widths ({d_q} and {d_k} here)."},
      {"k", "k", "Keys",
       "Each token that is asked becomes {h} numbers, by a matrix of its own. There is one head: several questions are "
       "asked by several features instead."},
      {"features", "f", "Features",
       "Every {query:query} is added to every {key:key}, and tanh bends each sum to between −1 and 1: {h} numbers for "
       "each of {n_q} × {n_k} pairs. Without the bend the {query:query} would shift a whole row alike, and softmax "
       "would not notice it.",
       "f"},
      {"scores", "s", "Scores",
       [](const Recorder& r) {
         return fmt::format(
             "One weighted sum over the {} features gives the {{score:score}} of the pair. It is not divided by "
             "anything: tanh has kept each feature below 1, so the {{score:score}} cannot exceed Σ|w| = {:.3g}.",
             r.dim("h"), largest_score(r));
       }},
      declare::mask_words(", else what is added to the {score:score}"),
      declare::masked_scores_words(std::string(declare::masked_note) +
                                   " Padding was added only to make sequences equally long, so those {key:keys} are "
                                   "hidden."),
      declare::weight_words(
          ", as in every attention with a softmax. Only how the {score:scores} were made is different here."),
      {"output", "o", "Output",
       "Each {query:query} takes the {value:values} of all keys in the shares that its row of {weight:weights} says. "
       "The {value:values} are averaged as they are: no matrix stands before or after."},
  };
}

// ---- The variant --------------------------------------------------------------------------------------------------

class Additive final : public Variant {
 public:
  Additive() : Variant(variant_info(), hidden_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    ArraySpecs specs{.inputs = declare::sequences(
                         "Values", "What is averaged, as it is; the key input where nothing else is given."),
                     .weights = declare::projections({.whose = "a", .q = {"d_q", "h"}, .k = {"d_k", "h"}})};
    specs.weights.push_back(declare::score_weights());
    declare::append(specs.inputs, valid_lengths().inputs(params, given));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    symbols["h"] = params.integer("hidden");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_sequences(symbols); }

  std::span<const MaskOption* const> masks() const override { return mask_option; }
  // Scores by a product, whose values are averaged as they are, too (Luong et al. 2015, section 3.1).
  std::optional<PlainTwin> plain_twin(const ParamValues& params) const override { return product("dot", params); }
  std::vector<ScoreForm> score_forms(const ParamValues& params) const override {
    return {{"Dot", "q·k", product("dot", params)},
            {"General", "qW·k", product("general", params)},
            {"Additive",
             "w·tanh(q+k)",
             {"additive", {{"hidden", params.get("hidden")}, {"only_query", params.get("only_query")}}},
             true}};
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "additive", "inputs": {"x_q": {"text": "see what attention does"}, "valid_lens": [4]},
                "weights": {"init": "textbook"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }

 private:
  static PlainTwin product(const char* score, const ParamValues& params) {
    return {"luong", {{"score", std::string(score)}, {"attentional", false}, {"only_query", params.get("only_query")}}};
  }
};

}  // namespace

const Variant& additive() {
  static const Additive variant;
  return variant;
}

}  // namespace headlight
