#include <cmath>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

Operation query_of(Recorder& r, const Array& x);
Operation key_of(Recorder& r, const Array& x);
Operation output_of(Recorder& r, const Array& c, const Array& x);
Array record_scores(Recorder& r, const Array& q, const Array& k);
MaskRules mask_of(const Problem& problem);

// c_i = Σ_j softmax_j(score(x_i, x_j)) v_j, and where it is attentional h̃_i = tanh(W_c [c_i; x_i]).
//   score   dot x_i · x_j    general x_iᵀ W_a x_j    concat wᵀ tanh(W [x_i; x_j]) = wᵀ tanh(W_q x_i + W_k x_j)
// Luong, Pham and Manning 2015, section 3.1, and equation 5: their h_t is x_i, h̄_s both x_j and v_j, v_a is w, and W_a
// of concat is W. Their location score and local attention are not here. States are rows in the code: w_a is W_a, and
// w_q, w_k and w_c are W_qᵀ, W_kᵀ and W_cᵀ.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k"), x_v = r.array("x_v");
  r.stage("project", "Project", "q k");
  const Array q = r.step("q", query_of(r, x_q).as(Role::query));  // x_i, W_aᵀ x_i or W_q x_i: (B, 1, n_q, d_k | h)
  const Array k = r.step("k", key_of(r, x_k).as(Role::key));      // x_j, or W_k x_j of concat: (B, 1, n_k, d_k | h)
  const Array s = record_scores(r, q, k);                         // (B, 1, n_q, n_k)
  const Array a = record::masked_softmax(r, s, mask_of(r.problem()));  // rows sum to 1, or are 0
  r.stage("context", "Context", "weights · v");
  const Array c = r.step("context", ops::weighted_sum(a, x_v));  // (B, n_q, d_v)
  r.stage("output", "Output", "output");
  r.step("output", output_of(r, c, x_q));  // h̃_i, or c_i: (B, n_q, d_out)
}

// x (B, n, d) as one head → (B, 1, n, d).
Operation as_one_head(const Array& x) {
  Operation op = ops::copy(x);
  op.axes.insert(op.axes.begin() + 1, Axis{.symbol = "M", .name = "head", .size = 1});
  op.code = both(fmt::format("{}[:, None]", x.id));
  return op;
}

Operation query_of(Recorder& r, const Array& x) {
  const std::string& score = r.params().choice("score");
  if (score == "dot") return as_one_head(x);
  return ops::project(x, r.array(score == "general" ? "w_a" : "w_q"));
}

Operation key_of(Recorder& r, const Array& x) {
  if (r.params().choice("score") != "concat") return as_one_head(x);
  return ops::project(x, r.array("w_k"));
}

// q · k of dot and general, wᵀ tanh(q + k) of concat.
Array record_scores(Recorder& r, const Array& q, const Array& k) {
  if (r.params().choice("score") != "concat") {
    r.stage("scores", "Scores", "q kᵀ");
    return r.step("scores", ops::dot_products(q, k));
  }
  r.stage("features", "Features", "tanh");
  const Array features = r.step("features", ops::tanh_of_sums(q, k));  // (B, 1, n_q, n_k, h)
  r.stage("scores", "Scores", "· w");
  return r.step("scores", ops::dot_with_vector(features, r.array("w_score")));
}

// ---- Its own operations ---------------------------------------------------------------------------------------------

// tanh([a; b] · w), a (B, n, d_a), b (B, n, d_b), w (d_a + d_b, d_out) → (B, n, d_out). Luong et al. 2015, equation 5.
Operation attentional_state(const Array& a, const Array& b, const Array& w) {
  const Index d_a = a.dim(-1), d_b = b.dim(-1), d_out = w.dim(-1);
  const auto code_in = [&](const char* library, const char* along) {
    return fmt::format("{0}.tanh({0}.concatenate([{1}, {2}], {3}=-1) @ {4})", library, a.id, b.id, along, w.id);
  };
  return {.axes = {a.axis_at(0), a.axis_at(1), w.axis_at(-1)},
          .run =
              [a = a.values, b = b.values, w = w.values, d_a, d_b, d_out](Compute& compute, float* to) {
                compute.parallel_each(a->size() / d_a, 16, [&](Index row) {
                  for (Index out = 0; out < d_out; ++out) {
                    double sum = 0;
                    for (Index c = 0; c < d_a; ++c)
                      sum += static_cast<double>((*a)[row * d_a + c]) * (*w)[c * d_out + out];
                    for (Index c = 0; c < d_b; ++c)
                      sum += static_cast<double>((*b)[row * d_b + c]) * (*w)[(d_a + c) * d_out + out];
                    to[row * d_out + out] = static_cast<float>(std::tanh(sum));
                  }
                });
              },
          .explain =
              [a = a.id, b = b.id, w = w.id, d_a, d_b, d_out](Index cell) {
                const Index row = cell / d_out, out = cell % d_out;
                Explanation e{.combine = Combine::tanh, .terms = product_terms(d_a, {a, row * d_a}, {w, out, d_out})};
                for (Index c = 0; c < d_b; ++c)
                  e.terms.push_back({{Operand::of(b, row * d_b + c), Operand::of(w, (d_a + c) * d_out + out)}});
                return e;
              },
          .code = {code_in("np", "axis"), code_in("torch", "dim")},
          .formula = {fmt::format("\\tanh\\bigl([\\,{} ; {}\\,]\\,{}\\bigr)", notation::written(a),
                                  notation::written(b), notation::written(w))},
          .operations = linear_operations(d_a + d_b, false) + rule_of(Combine::tanh).operations,
          .role = Role::output};
}

Operation output_of(Recorder& r, const Array& c, const Array& x) {
  if (r.params().flag("attentional")) return attentional_state(c, x, r.array("w_c"));
  return ops::copy(c);
}

const MaskOption* const mask_option[] = {&valid_lengths(), &padding_mask()};

MaskRules mask_of(const Problem& problem) {
  return mask::rules(problem, mask_option, mask::same_for_all_heads);
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "luong",
      .title = "Multiplicative",
      .summary =
          "A decoder's state is compared with each encoder state by a product, as it is, through a matrix, or through "
          "a "
          "small network; what is found is joined with the state that asked.",
      .shorthand = "softmax(q W kᵀ)",
      .source =
          "Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation, "
          "section 3.1"};
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       [](const Recorder& r) -> std::string {
         const std::string& score = r.params().choice("score");
         if (score == "dot") return "The decoder's states as they are: each asks with all its channels.";
         return fmt::format("Each of the decoder's states becomes {} numbers, by a matrix that is learned{}.",
                            r.dim(score == "concat" ? "h" : "d_k"),
                            score == "general" ? ": it says which channels of the two go together" : "");
       }},
      {"k", "k", "Keys",
       [](const Recorder& r) -> std::string {
         if (r.params().choice("score") != "concat")
           return "The encoder's states as they are: no matrix stands before them.";
         return fmt::format("Each of the encoder's states becomes {} numbers, by a matrix of its own.", r.dim("h"));
       }},
      {"features", "f", "Features",
       "Every {query:query} is added to every {key:key}, and tanh bends each sum. One matrix over both side by side is "
       "the same as two matrices whose results are added."},
      {"scores", "s", "Scores",
       [](const Recorder& r) -> std::string {
         const std::string& score = r.params().choice("score");
         if (score == "concat") return "One weighted sum over the features gives the {score:score} of the pair.";
         return fmt::format(
             "The dot product of {{query:query}} and {{key:key}}, of {} numbers each. It is not divided by anything, "
             "so "
             "long states make softmax sharp.",
             r.dim("d_k"));
       }},
      declare::mask_words(),
      declare::masked_scores_words(),
      declare::weight_words(": where in the source the decoder looks for its next word.", "Alignment weights"),
      {"context", "c", "Context",
       "Each {query:query} takes the encoder's states in the shares that its row of {weight:weights} says.", "c"},
      {"output", "y", "Output",
       [](const Recorder& r) -> std::string {
         if (!r.params().flag("attentional")) return "The context as it is, without the state that asked.";
         return "Context and the state that asked are laid side by side, mixed by one matrix and bent by tanh: the "
                "attentional state, from which the next word is predicted.";
       }},
  };
}

std::vector<ParamSpec> all_params() {
  ParamSpec hidden = declare::hidden("How many features each pair of query and key is described by (h).");
  hidden.part_of = "score";
  hidden.part_of_choice = "concat";
  ParamSpec score = param::choice("score", "Score", "How a decoder state is compared with an encoder state.",
                                  {{"dot", "Dot", "Their product, which needs one width."},
                                   {"general", "General", "A learned matrix stands between them."},
                                   {"concat", "Concat", "A small network reads both side by side."}});
  score.fallback = std::string("general");
  return {std::move(score), std::move(hidden),
          param::flag("attentional", "Attentional state",
                      "Whether context and query are mixed into the output; else the output is the context.", true,
                      {.advanced = true}),
          declare::only_query()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class Luong final : public Variant {
 public:
  Luong() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    using declare::weight;
    ArraySpecs specs{.inputs = declare::sequences(
                         "Values", "What is averaged, as it is; the key input where nothing else is given."),
                     .weights = {}};
    const auto add = [&](ArraySpec spec) { specs.weights.push_back(std::move(spec)); };
    const std::string& score = params.choice("score");
    if (score == "general")
      add(weight("w_a", "W_a", "Query weights", "Turn a decoder state into what it asks of encoder states.",
                 {"d_q", "d_k"}, Fill::init, Role::query));
    if (score == "concat") {
      add(weight("w_q", "W_q", "Query weights", "Turn a decoder state into a query.", {"d_q", "h"}, Fill::init,
                 Role::query));
      add(weight("w_k", "W_k", "Key weights", "Turn an encoder state into a key.", {"d_k", "h"}, Fill::init,
                 Role::key));
      add(declare::score_weights());
    }
    if (params.flag("attentional"))
      add(weight("w_c", "W_c", "Output weights", "Mix context and query into the output.", {"d_v+d_q", "d_out"},
                 Fill::init, Role::output));
    declare::append(specs.inputs, mask::inputs(mask_option, params, given));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    if (params.choice("score") == "concat") symbols["h"] = params.integer("hidden");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    declare::bind_sequences(symbols);
    symbols.emplace("d_v+d_q", symbols.at("d_v") + symbols.at("d_q"));
  }
  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index d_q = symbols.at("d_q"), d_k = symbols.at("d_k"), d_v = symbols.at("d_v");
    if (params.choice("score") == "dot" && d_q != d_k)
      return fail(
          "score dot needs queries and keys of one width: x_q has {} channels and x_k {}; use general or concat", d_q,
          d_k);
    if (const Index rows = symbols.at("d_v+d_q"); rows != d_v + d_q)
      return fail("w_c has {} rows, and context and query have {} + {} channels: give it {}", rows, d_v, d_q,
                  d_v + d_q);
    return {};
  }
  std::span<const MaskOption* const> masks() const override { return mask_option; }
  // The dot product, which is what a softmax sees of states as they are.
  std::optional<PlainTwin> plain_twin(const ParamValues& params) const override {
    if (params.choice("score") == "dot") return std::nullopt;
    return scored_by("dot", params);
  }
  std::vector<ScoreForm> score_forms(const ParamValues& params) const override {
    std::vector<ScoreForm> forms{{"Dot", "q·k", scored_by("dot", params)},
                                 {"General", "qW·k", scored_by("general", params)},
                                 {"Concat", "w·tanh(q+k)", scored_by("concat", params)}};
    for (ScoreForm& form : forms) form.own = form.made_by.params.front().second == params.get("score");
    return forms;
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "luong", "inputs": {"x_q": {"text": "see what attention does"}, "valid_lens": [4]},
                "weights": {"init": "normal"}})",
            R"({"variant": "luong", "params": {"score": "concat", "hidden": 4},
                "inputs": {"x_q": {"text": "one two"}, "x_k": {"text": "un deux trois"}}, "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }

 private:
  static PlainTwin scored_by(const char* score, const ParamValues& params) {
    PlainTwin twin{.variant = "luong", .params = {{"score", std::string(score)}}};
    for (const char* id : {"hidden", "attentional", "only_query"}) twin.params.emplace_back(id, params.get(id));
    return twin;
  }
};

}  // namespace

const Variant& luong() {
  static const Luong variant;
  return variant;
}

}  // namespace headlight
