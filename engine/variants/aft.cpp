#include <cmath>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

Operation keys_plus_bias(const Array& k, const Array& w, const Axis& maps);
Operation sum_by_channel(const Array& weights, const Array& v);
Operation sigmoid_gate(const Array& q);
MaskRules mask_of(const Recorder& r);

// y_i = σ(q_i) ⊙ Σ_j exp(k_j + w_ij) v_j / Σ_j exp(k_j + w_ij) = σ(q_i) ⊙ Σ_j softmax_j(k_j + w_ij) v_j, in each
// channel; w (n_q, n_k) is learned, and W_o may follow. Zhai et al. 2021, section 3, equation 2: AFT-full.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x = r.array("x"), x_k = declare::as_keys(r, x);
  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x, r.array("w_q"), r.array("b_q")));    // (B, 1, n_q, d')
  const Array k = r.step("k", ops::project(x_k, r.array("w_k"), r.array("b_k")));  // (B, 1, n_k, d')
  const Array v = r.step("v", ops::project(x_k, r.array("w_v"), r.array("b_v")));  // (B, 1, n_k, d')
  r.stage("scores", "Scores", "k + w");
  const Axis maps = r.axis("M", "channel");                                      // one for each of the d' channels
  const Array s = r.step("scores", keys_plus_bias(k, r.array("w_bias"), maps));  // (B, d', n_q, n_k)
  const Array a = record::masked_softmax(r, s, mask_of(r));                      // rows sum to 1, or are 0
  r.stage("context", "Context", "weights · v");
  const Array c = r.step("context", sum_by_channel(a, v));  // (B, n_q, d')
  r.stage("gate", "Gate", "σ(q) ⊙", "gated");
  const Array gate = r.step("gate", sigmoid_gate(q));                       // (B, n_q, d')
  const Array y = r.step("gated", ops::product(c, gate).as(Role::output));  // (B, n_q, d')
  r.stage("output", "Output", "output");
  record::output(r, y);  // (B, n_q, d_out)
}

// ---- Its own operations ---------------------------------------------------------------------------------------------

// k (B, 1, n_k, d') + w (n_q, n_k) → (B, d', n_q, n_k): a map for each channel.
Operation keys_plus_bias(const Array& k, const Array& w, const Axis& maps) {
  const Index channels = k.dim(3), keys = k.dim(2), queries = w.dim(0);
  const auto key_cell = [=](Index cell) {  // of k, for a cell (b, c, i, j) of the scores
    const Index j = cell % keys, c = cell / (queries * keys) % channels, b = cell / (channels * queries * keys);
    return (b * keys + j) * channels + c;
  };
  const auto code_in = [&](const char* turn) { return fmt::format("{}[:, 0].{}[:, :, None] + {}", k.id, turn, w.id); };
  return {.axes = {k.axis_at(0), maps, w.axis_at(0), k.axis_at(2)},
          .run =
              [k = k.values, w = w.values, key_cell, pairs = queries * keys](Compute& compute, float* to) {
                constexpr Index piece = 4096;  // numbers, enough to be worth a thread
                compute.parallel_each(k->size() / k->dim(2) * pairs, piece,
                                      [&](Index cell) { to[cell] = (*k)[key_cell(cell)] + (*w)[cell % pairs]; });
              },
          .explain =
              [k = k.id, w = w.id, key_cell, pairs = queries * keys](Index cell) {
                return Explanation{.terms = {{{Operand::of(k, key_cell(cell))}}, {{Operand::of(w, cell % pairs)}}}};
              },
          .code = {code_in("swapaxes(1, 2)"), code_in("transpose(1, 2)")},
          .formula = {fmt::format("{} + {}", notation::channel(k), notation::written(w))},
          .operations = 2,
          .kind = Kind::score,
          .role = Role::score};
}

// Σ_j weights (B, d', n_q, n_k) of its own channel times v (B, 1, n_k, d') → (B, n_q, d').
Operation sum_by_channel(const Array& weights, const Array& v) {
  const Index channels = v.dim(3), keys = v.dim(2), queries = weights.dim(2);
  const auto row = [=](Index cell) {  // of the weights, for a cell (b, i, c) of the sum
    const Index c = cell % channels, i = cell / channels % queries, b = cell / (channels * queries);
    return (b * channels + c) * queries + i;
  };
  const auto value = [=](Index cell, Index j) {  // of v, for the same cell
    const Index c = cell % channels, b = cell / (channels * queries);
    return (b * keys + j) * channels + c;
  };
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bcij,bjc->bic", {}, {}[:, 0]))", library, weights.id, v.id);
  };
  return {
      .axes = {weights.axis_at(0), weights.axis_at(2), v.axis_at(3)},
      .run =
          [a = weights.values, v = v.values, row, value, keys](Compute& compute, float* to) {
            compute.parallel_each(a->size() / keys, 64, [&](Index cell) {
              double sum = 0;
              for (Index j = 0; j < keys; ++j)
                sum += static_cast<double>((*a)[row(cell) * keys + j]) * (*v)[value(cell, j)];
              to[cell] = static_cast<float>(sum);
            });
          },
      .explain =
          [a = weights.id, v = v.id, row, value, keys](Index cell) {
            return Explanation{.terms = terms_of(keys, [&](Index j) {
                                 return Term{{Operand::of(a, row(cell) * keys + j), Operand::of(v, value(cell, j))}};
                               })};
          },
      .code = {code_in("np"), code_in("torch")},
      .formula = {.right = fmt::format("\\sum_{{{}}} {}\\,{}", notation::over_keys(weights), notation::channel(weights),
                                       notation::channel(v)),
                  .by_channel = true},
      .operations = linear_operations(keys, false),
      .role = Role::output};
}

// σ(q) of q (B, 1, n_q, d') → (B, n_q, d').
Operation sigmoid_gate(const Array& q) {
  return {.axes = {q.axis_at(0), q.axis_at(2), q.axis_at(3)},
          .run =
              [q = q.values](Compute&, float* to) {
                for (Index i = 0; i < q->size(); ++i) to[i] = static_cast<float>(1 / (1 + std::exp(-double{(*q)[i]})));
              },
          .explain =
              [q = q.id](Index cell) {
                return Explanation{.combine = Combine::sigmoid, .terms = {{{Operand::of(q, cell)}}}};
              },
          .code = {fmt::format("1 / (1 + np.exp(-{}[:, 0]))", q.id), fmt::format("torch.sigmoid({}[:, 0])", q.id)},
          .formula = {fmt::format("\\sigma\\bigl({}\\bigr)", notation::written(q))},
          .operations = rule_of(Combine::sigmoid).operations + 1,
          .role = Role::query};
}

const MaskOption* const all_masks[] = {&causal(), &valid_lengths(), &padding_mask()};

MaskRules mask_of(const Recorder& r) {
  return mask::rules(r.problem(), all_masks, r.dim("M"));
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "aft",
      .title = "Attention-free",
      .summary =
          "No query meets a key: each channel weighs the keys by their own content and a learned number for each pair "
          "of places, and the query only opens or shuts what comes of it.",
      .shorthand = "σ(q) ⊙ softmax(k + w) v",
      .source = "Zhai et al. 2021, An Attention Free Transformer, section 3, equation 2"};
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       "A {query:query} has no part in any {score:score} here. Its {d'} numbers are gates, one for each channel of "
       "what the {weight:weights} bring."},
      {"k", "k", "Keys",
       "Each of the {d'} numbers of a {key:key} says how much it counts in its own channel, whoever asks."},
      declare::value_words(", each channel in shares of its own."),
      {"scores", "s", "Scores",
       "The {key:key}'s number in a channel plus what is learned for the pair of places. Every channel has a map of "
       "its own, {d'} in all, as if each were a head; a key that stands out does so in every row."},
      declare::mask_words(" from the {query:query}"),
      declare::masked_scores_words(),
      {"weights", "\\alpha", "Weights",
       "Each row of {score:scores} becomes {weight:weights} that add up to 1, in each channel. Rows of one map differ "
       "by the learned numbers of their places alone.",
       "α"},
      {"context", "c", "Context",
       "In each channel, the {value:values} of all keys in the shares of that channel's {weight:weights}.", "c"},
      {"gate", "g", "Gate", "The {query:query}, bent to between 0 and 1: how far each channel is open at that token.",
       "gate"},
      {"gated", "o", "Gated context",
       "What the {weight:weights} brought, as far as the gate lets it through: all that a token has to say about what "
       "it gets.",
       "gated"},
      {"output", "y", "Output",
       [](const Recorder& r) {
         return r.params().flag("output_projection")
                    ? std::string("The output matrix mixes the channels into the result.")
                    : std::string("The gated context as it is: no matrix mixes its channels.");
       }},
  };
}

std::vector<ParamSpec> all_params() {
  ParamSpec width = declare::width("d_head", 8, "d'");
  width.title = "Width";
  width.help = "How many numbers make up a query, a key and a value, each with a map of its own (d').";
  return {std::move(width), declare::causal_mask(), declare::output_projection(), declare::bias()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class AttentionFree final : public Variant {
 public:
  AttentionFree() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    const declare::Projections made{.whose = "its", .q = {"d", "d'"}, .k = {"d", "d'"}, .v = {"d", "d'"}};
    ArraySpecs specs{.inputs = {declare::sequence()}, .weights = declare::projections(made)};
    specs.weights.front().help = "Turn a token into its gates.";
    specs.weights.push_back(declare::weight("w_bias", "w", "Pair biases",
                                            "What counts for each pair of places besides the key.", {"n_q", "n_k"},
                                            Fill::init, Role::position));
    declare::append(specs.weights, declare::projection_biases(made, params));
    if (params.flag("output_projection"))
      declare::append(specs.weights, declare::output_weights(params, "d'", "d_out", "channels"));
    declare::append(specs.inputs, mask::inputs(all_masks, params, given));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["d'"] = params.integer("d_head");
    symbols["M"] = symbols["d'"];
    if (!params.flag("output_projection")) symbols["d_out"] = symbols["d'"];
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    symbols.emplace("n_k", symbols.at("n_q"));
    symbols.emplace("d_out", symbols.at("d"));
  }
  Status validate(const ParamValues&, const Symbols& symbols) const override {
    const Index n = symbols.at("n_q"), keys = symbols.at("n_k");
    if (n == keys) return {};
    return fail("the {} positions of x are its keys too, and w_bias or a mask is of {}: give it {} columns", n, keys,
                n);
  }
  std::span<const MaskOption* const> masks() const override { return all_masks; }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "aft", "params": {"d_head": 4, "mask": "causal"},
                "inputs": {"x": {"text": "see what attention does"}}, "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& aft() {
  static const AttentionFree variant;
  return variant;
}

}  // namespace headlight
