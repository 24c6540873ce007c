#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/multi_head_words.h"

namespace headlight {

namespace {

// Attention(Q, K, V) = softmax(Q Kᵀ / √d') V in each head. Vaswani et al. 2017, section 3.2.1, equation 1; d' is their
// d_k, and hidden keys get −∞ before the softmax (section 3.2.3). q (B, M, n_q, d'), k (B, G, n_k, d'), v (B, G, n_k,
// d_v'); one key head serves M/G consecutive heads (Ainslie et al. 2023).
Array attend(Recorder& r, const Array& q, const Array& k, const Array& v, const MaskRules& mask) {
  const Array dots = r.step("scores", ops::dot_products(q, k));                               // (B, M, n_q, n_k)
  const Array s = r.step("scaled_scores", ops::scaled(dots, ops::over_root_of(q)));           // (B, M, n_q, n_k)
  const Array a = r.step("weights", ops::masked_softmax(record::masked_scores(r, s, mask)));  // rows sum to 1, or are 0
  return r.step("head_outputs", ops::weighted_sum(a, v));                                     // (B, M, n_q, d_v')
}

// The same four lines with what parameters ask for between them. An option that takes no part gives back what comes in.
Array attend_with_options(Recorder& r, Array q, Array k, const Array& v, const MaskRules& mask) {
  const Index first = mask.first_query;  // where query 0 stands among the keys
  q = options::normalize_qk(r, q);
  k = options::normalize_qk(r, k);
  q = options::rotate(r, q, first);
  k = options::rotate(r, k, 0);
  const Array dots = r.step("scores", ops::dot_products(q, k));  // (B, M, n_q, n_k)

  const ScoreTerm* term = score_term(r.params());  // goes by where query and key stand
  const ScoreTerm::Terms terms = term ? term->record(r, {q, k, dots, first}) : ScoreTerm::Terms{};
  Array s = options::scale_scores(r, dots, terms);  // (B, M, n_q, n_k)
  s = options::mix_scores(r, s);
  s = options::cap_scores(r, s);

  Array a = options::normalize_rows(r, s, mask);  // (B, M, n_q, n_k), two maps a head where they are differential
  a = options::mix_weights(r, a);
  a = options::subtract_maps(r, a);
  a = options::drop_weights(r, a);

  const Array extra = term ? term->record_outputs(r, a, v, first) : Array{};  // (B, M, n_q, d_v')
  const Array o = r.step("head_outputs", extra ? ops::weighted_sum_plus(a, v, extra) : ops::weighted_sum(a, v));
  return options::normalize_heads(r, o);  // (B, M, n_q, d_v')
}

// What queries, keys and values are made from, and the tokens that a block adds its output to.
struct Inputs {
  Array tokens;  // x_q, perhaps with positions
  Array normed;  // the tokens after the pre-norm, where there is one: what the parts of a block read
  Array q, k, v;
};
Inputs record_inputs(Recorder& r);
Array record_concat(Recorder& r, const Array& heads);
MaskRules mask_of(const Problem& problem);

// MultiHead(Q, K, V) = Concat(head_1, …, head_M) W_o, head_m = Attention(x_q W_q, x_k W_k, x_v W_v) with the matrices
// of head m. Vaswani et al. 2017, section 3.2.2.
void record_attention(Recorder& r) {
  const Inputs x = record_inputs(r);

  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x.q, r.array("w_q"), r.array("b_q")));  // (B, M, n_q, d')
  const Array k = r.step("k", ops::project(x.k, r.array("w_k"), r.array("b_k")));  // (B, G, n_k, d')
  const Array v = r.step("v", ops::project(x.v, r.array("w_v"), r.array("b_v")));  // (B, G, n_k, d_v')

  const MaskRules mask = mask_of(r.problem());
  const bool plain = !options::any_active(r.problem());
  const Array heads = plain ? attend(r, q, k, v, mask) : attend_with_options(r, q, k, v, mask);  // (B, M, n_q, d_v')

  const Array c = record_concat(r, heads);  // (B, n_q, M·d_v')
  options::record_layer(r, x.tokens, x.normed,
                        c);  // (B, n_q, d_out): c · W_o where asked, then a block's sums, norms and FFN
}

Inputs record_inputs(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k"), x_v = r.array("x_v");
  const Array p_q = r.array("p_q"), p_k = r.array("p_k");
  const bool is_cross_attention = x_k.id != x_q.id;
  const bool positions_in_tokens = r.params().choice("positions_to") == "inputs";

  Inputs x{.tokens = x_q, .normed = {}, .q = {}, .k = x_k, .v = x_v};
  if (positions_in_tokens) {
    if (p_q || (is_cross_attention && p_k)) r.stage("embed", "Embed", "x + p");
    if (p_q) x.tokens = r.step("x_embedded", ops::sum(x_q, p_q).as(Role::query));
    if (is_cross_attention && p_k) x.k = r.step("x_k_embedded", ops::sum(x_k, p_k).as(Role::key));
  }
  x.normed = x.tokens;
  if (options::norms_before(r.params())) {
    r.stage("input_norm", "Norm", "norm x");
    x.normed = r.step("x_norm", options::norm(r, x.tokens, "ln").as(Role::none));
  }

  // Where no other input is given, keys and values are made from what queries are made from.
  if (!is_cross_attention) x.k = x.normed.with_axes_of(x_k);
  if (x_v.id == x_q.id)
    x.v = x.normed.with_axes_of(x_v);
  else if (x_v.id == x_k.id)
    x.v = x.k.with_axes_of(x_v);

  x.q = x.normed;
  if (positions_in_tokens) return x;
  if (p_q) x.q = r.step("q_input", ops::sum(x.normed, p_q).as(Role::query));
  if (p_k) x.k = r.step("k_input", ops::sum(x.k, p_k).as(Role::key));
  return x;
}

Array record_concat(Recorder& r, const Array& heads) {
  r.stage("concat", "Concat", "concat");
  const Axis channels = r.axis("Md_v'", "channel");
  if (r.params().choice("mistake") == "merge_without_transpose")
    return r.step("concat", ops::merged_without_transpose(heads, channels));
  return r.step("concat", ops::concatenation(heads, channels));
}

MaskRules mask_of(const Problem& problem) {
  return mask::rules(problem, mask_options(), problem.dim(options::maps_symbol(problem.params)));
}

// Errors: options that need the other rows, or draw random numbers for them.
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
    if (maps > 1) {
      symbols["2M"] = 2 * heads;
      symbols["2G"] = 2 * symbols["G"];
    }
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
  std::vector<std::string> samples() const override {
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
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

Status options::check_key_heads(const ParamValues& params) {
  const Index heads = params.integer("heads");
  if (params.is_automatic("kv_heads") || heads % params.integer("kv_heads") == 0) return {};
  return fail("kv_heads {} does not divide heads {}: use {}", params.integer("kv_heads"), heads,
              declare::divisors_text(heads));
}

const Variant& multi_head() {
  static const MultiHead variant;
  return variant;
}

}  // namespace headlight
