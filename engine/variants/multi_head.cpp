#include "engine/variants/words/multi_head.h"
#include <utility>

#include "engine/math/math.h"
#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/score_term.h"

namespace headlight {

namespace {

std::pair<Array, Array> embedded(Recorder& r, const Array& x_q, const Array& x_k, Array& p_q, Array& p_k);
Operation weighted_sum(const Array& a, const Array& v, const Array& besides);
MaskRules rules_of(const Problem& problem);
Index first_place(const Problem& problem);

// Vaswani et al. 2017, section 3.2.1, equation 1, for each head; section 3.2.2 for the heads together.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array given_q = r.array("x_q"), given_k = r.array("x_k"), given_v = r.array("x_v");
  Array p_q = r.array("p_q"), p_k = r.array("p_k");
  const bool own_keys = given_k.id != given_q.id;
  const auto [x_q, memory] = embedded(r, given_q, own_keys ? given_k : Array{}, p_q, p_k);
  const bool norms_before = options::norms_before(r.params());
  if (norms_before) r.stage("input_norm", "Norm", "norm x");
  const Array x = norms_before ? r.step("x_norm", options::norm(r, x_q, "ln").as(Role::none)) : x_q;
  // Keys and values that have no input of their own are made from what the queries are made from.
  const Array x_k = own_keys ? memory : x.with_axes_of(given_k);
  const Array x_v = given_v.id == given_q.id   ? x.with_axes_of(given_v)
                    : given_v.id == given_k.id ? memory.with_axes_of(given_v)
                                               : given_v;
  const Array q_in = p_q ? r.step("q_input", ops::sum(x, p_q).as(Role::query)) : x;
  const Array k_in = p_k ? r.step("k_input", ops::sum(x_k, p_k).as(Role::key)) : x_k;

  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(q_in, r.array("w_q"), r.array("b_q")));  // (B, M, n_q, d')
  const Array k = r.step("k", ops::project(k_in, r.array("w_k"), r.array("b_k")));  // (B, G, n_k, d')
  const Array v = r.step("v", ops::project(x_v, r.array("w_v"), r.array("b_v")));   // (B, G, n_k, d_v')

  Array asking = options::normed(r, q), asked = options::normed(r, k);
  asking = options::rotated(r, asking, first_place(r.problem()));
  asked = options::rotated(r, asked, 0);
  r.stage("scores", "Scores", "q kᵀ");
  const Array dots = r.step("scores", ops::dot_products(asking, asked));  // (B, M, n_q, n_k)
  const ScoreTerm* by_place = score_term(r.params());                     // by where query and key stand
  const Index first = first_place(r.problem());
  const auto [beside, bias] = by_place ? by_place->record(r, {asking, asked, dots, first}) : ScoreTerm::Terms{};
  const Array s = options::capped(r, options::mixed_scores(r, options::scaled(r, dots, beside, bias)));

  Array a = options::weighed(r, s, rules_of(r.problem()));  // (B, M, n_q, n_k), two a head where they are differential
  a = options::difference_of_maps(r, options::mixed_weights(r, a));
  if (const double chance = r.params().real("dropout"); chance > 0) {
    r.stage("dropout", "Dropout", "dropout");
    const auto seed = static_cast<std::uint64_t>(r.params().integer("dropout_seed"));
    const Array kept = r.source("dropout_mask", ops::dropout_draw(a, chance, seed));
    a = r.step("dropped_weights", ops::dropout(a, kept, chance));
  }

  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array by_offset = by_place ? by_place->record_outputs(r, a, v, first) : Array{};
  const Array o = r.step("head_outputs", weighted_sum(a, v, by_offset));  // (B, M, n_q, d_v')
  const Array outputs = options::normed_heads(r, o);
  r.stage("concat", "Concat", "concat");
  const Axis channels = r.axis("Md_v'", "channel");
  const bool mistaken = r.params().choice("mistake") == "merge_without_transpose";
  const Array c = r.step("concat", mistaken ? ops::merged_without_transpose(outputs, channels)
                                            : ops::concatenation(outputs, channels));  // (B, n_q, M·d_v')
  options::layered(r, x_q, x, c);
}

// The inputs of queries and keys with the positions in them, which are then used up, where they belong to the tokens
// themselves; else the inputs as they are. Without keys of their own x_k is empty.
std::pair<Array, Array> embedded(Recorder& r, const Array& x_q, const Array& x_k, Array& p_q, Array& p_k) {
  if (r.params().choice("positions_to") != "inputs") return {x_q, x_k};
  const Array to_q = std::exchange(p_q, {}), to_k = std::exchange(p_k, {});
  if (to_q || (x_k && to_k)) r.stage("embed", "Embed", "x + p");
  return {to_q ? r.step("x_embedded", ops::sum(x_q, to_q).as(Role::query)) : x_q,
          x_k && to_k ? r.step("x_k_embedded", ops::sum(x_k, to_k).as(Role::key)) : x_k};
}

// The values in the shares of the weights, plus what these take besides, where that is anything.
Operation weighted_sum(const Array& a, const Array& v, const Array& besides) {
  Operation op = ops::weighted_sum(a, v);
  if (!besides) return op;
  op.rows.run = [run = std::move(op.rows.run), besides = besides.values](Index begin, Index end, float* to) {
    run(begin, end, to);
    const Index d = besides->dim(-1);
    math::add(to + begin * d, besides->data() + begin * d, (end - begin) * d, to + begin * d);
  };
  op.explain = [explain = std::move(op.explain), besides = besides.id](Index cell) {
    Explanation e = explain(cell);
    e.terms.push_back({{Operand::of(besides, cell)}});
    return e;
  };
  op.code = {fmt::format("{} + {}", op.code.numpy, besides.id), fmt::format("{} + {}", op.code.torch, besides.id)};
  op.formula.right += " + " + notation::written(besides);
  op.operations += 1;
  return op;
}

// Where query 0 stands among the keys.
Index first_place(const Problem& problem) {
  return problem.only_query.value_or(0) + problem.params.integer("query_offset");
}

MaskRules rules_of(const Problem& problem) {
  return mask::rules(problem, mask_options(), problem.dim(options::maps_symbol(problem.params)), first_place(problem));
}

// Together they record every step.
std::vector<std::string> small_experiments() {
  return {
      R"({"variant": "multi_head", "params": {"mask": "causal", "positions": "sinusoidal", "dropout": 0.1},
          "inputs": {"x_q": {"text": "see what attention does"}}, "weights": {"init": "textbook"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "block": "post_norm", "ffn": true},
          "inputs": {"x_q": {"text": "one two", "d_model": 8}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "mask": "causal", "mistake": "mask_after_softmax"},
          "inputs": {"x_q": {"text": "one two three"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "block": "pre_norm", "ffn": true},
          "inputs": {"x_q": {"text": "one two", "d_model": 8}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "qk_norm": "l2", "softcap": 5,
                                                   "rotary": "half"},
          "inputs": {"x_q": {"text": "one two"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "normalize": "softmax_sink", "ffn": true,
                                                   "block": "sandwich_norm", "ffn_gated": true},
          "inputs": {"x_q": {"text": "one two", "d_model": 8}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 3, "d_head": 4, "relative": "alibi"},
          "inputs": {"x_q": {"text": "near and far"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "relative": "shaw", "clip": 2},
          "inputs": {"x_q": {"text": "near and far"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "positions": "learned", "positions_to": "inputs"},
          "inputs": {"x_q": {"text": "one two"}, "x_k": {"text": "un deux"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 4, "d_head": 4, "kv_heads": 2, "talking_heads": "both"},
          "inputs": {"x_q": {"text": "one two"}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "differential": true},
          "inputs": {"x_q": {"text": "one two"}, "lambda_q1": [0.1, 0.2, 0, 0], "lambda_k1": [0.3, 0, 0, 1],
                     "lambda_q2": [0, 0.1, 0.2, 0], "lambda_k2": [0, 0.3, 0, 1]}, "weights": {"init": "normal"}})",
  };
}

// What looks at other queries too, or draws numbers for them.
Status check_only_query(const ParamValues& params) {
  if (params.is_automatic("only_query")) return {};
  if (options::norms_before(params))
    return fail("only_query leaves the other rows out, and a {} block makes its keys of them: set block to bare",
                params.choice("block"));
  if (params.choice("mistake") == "merge_without_transpose")
    return fail("only_query leaves the other rows out, and the mistake mixes them: set mistake to none");
  if (params.real("dropout") > 0) return fail("only_query draws no numbers for one row of many: set dropout to 0");
  return {};
}

class MultiHead final : public Variant {
 public:
  MultiHead() : Variant(multi_head_words::info(), multi_head_words::params(), multi_head_words::steps()) {}
  std::span<const Preset> presets() const override { return multi_head_words::presets(); }
  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    return multi_head_words::arrays(params, given);
  }
  std::span<const FusedArray> fused() const override { return fused_projections(); }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    const Index heads = params.integer("heads"), maps = params.flag("differential") ? 2 : 1;
    declare::bind_heads_with_values(params, symbols, maps);
    symbols["G"] = params.is_automatic("kv_heads") ? heads : params.integer("kv_heads");
    if (maps > 1) symbols["2M"] = 2 * heads, symbols["2G"] = 2 * symbols["G"];
    if (const ScoreTerm* term = score_term(params)) term->bind(params, symbols);
    if (params.flag("ffn") && !params.is_automatic("d_ff")) symbols["d_ff"] = params.integer("d_ff");
  }

  void bind_rest(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_sequences(symbols);
    if (params.flag("ffn")) symbols.emplace("d_ff", 4 * symbols.at("d_out"));  // Vaswani et al. 2017, section 3.3
  }

  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    HL_CHECK(check_only_query(params));
    HL_CHECK(options::check_key_heads(params));
    if (const ScoreTerm* term = score_term(params)) HL_CHECK(term->check(params));
    const std::string& block = params.choice("block");
    const Index d_q = symbols.at("d_q"), d_out = symbols.at("d_out");
    if (block == "bare" || d_out == d_q) return {};
    if (params.flag("output_projection"))
      return fail(
          "block {} adds the input to the output, so both need one width: w_o gives {} and x_q has {}; "
          "give w_o {} columns, or set block to bare",
          block, d_out, d_q, d_q);
    const std::string width = params.is_automatic("d_value") ? "d_head" : "d_value";
    return fail(
        "block {} without an output projection needs heads · {} to be the width of x_q, {}, not {} · {} = {}; "
        "set output_projection to true, or change heads or {}",
        block, width, d_q, params.integer("heads"), symbols.at("d_v'"), d_out, width);
  }

  Status check(const Problem& problem) const override {
    for (const HeadOption* option : head_options())
      if (option->check) HL_CHECK(option->check(problem));
    return mask::check(problem, mask_options());
  }
  std::span<const MaskOption* const> masks() const override { return mask_options(); }
  std::vector<std::string> samples() const override { return small_experiments(); }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

Status options::check_key_heads(const ParamValues& params) {
  const Index heads = params.integer("heads");
  if (params.is_automatic("kv_heads") || heads % params.integer("kv_heads") == 0) return {};
  return fail("kv_heads {} does not divide heads {}: use {}", params.integer("kv_heads"), heads,
              declare::divisors_of(heads));
}

const Variant& multi_head() {
  static const MultiHead variant;
  return variant;
}

}  // namespace headlight
