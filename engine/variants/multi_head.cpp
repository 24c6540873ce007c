#include "engine/variants/multi_head.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/core/random.h"
#include "engine/math/math.h"
#include "engine/variants/attention_mask.h"
#include "engine/variants/code_lines.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/explain.h"
#include "engine/variants/multi_head_formulas.h"
#include "engine/variants/parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/textbook_picture.h"
#include "engine/variants/textbook_text.h"

namespace headlight {

namespace {

namespace tex = formulas::multi_head;

// ---- What it is and what can be set -------------------------------------------------------------------------------

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "multi_head",
      .title = "Scaled dot-product",
      .summary =
          "Every query scores every key by a dot product, and takes the average of the values by those weights; "
          "several heads do so side by side.",
      .shorthand = "softmax(qkᵀ)v",
      .source = "Vaswani et al. 2017, Attention Is All You Need, section 3.2, equation 1"};
  return info;
}

std::vector<ParamSpec> head_params() {
  return {
      {.id = "heads",
       .title = "Heads",
       .help = "How many heads attend side by side, each with weights of its own.",
       .type = ParamType::integer,
       .fallback = Index{8},
       .least = 1,
       .most = 512,
       .symbol = "M"},
      {.id = "d_head",
       .title = "Width per head",
       .help = "How many numbers make up a query, a key and a value in one head (d').",
       .type = ParamType::integer,
       .fallback = Index{8},
       .least = 1,
       .most = 4096,
       .symbol = "d'"},
      {.id = "mask",
       .title = "Mask",
       .help = "Which keys a query may look at, besides masks given as arrays.",
       .type = ParamType::choice,
       .fallback = std::string("none"),
       .choices = {{"none", "None", "Every query sees every key."},
                   {"causal", "Causal", "A query sees itself and what comes before it."}}},
      {.id = "positions",
       .title = "Positions",
       .help = "What is added to the query and key inputs to tell positions apart.",
       .type = ParamType::choice,
       .fallback = std::string("none"),
       .choices = {{"none", "None", "Attention does not know the order."},
                   {"sinusoidal", "Sinusoidal", "Sines and cosines of many wavelengths (Vaswani et al. 2017, 3.5)."},
                   {"learned", "Learned", "A vector for each position, drawn like the weights."}}},
  };
}

std::vector<ParamSpec> score_params() {
  return {
      {.id = "scale",
       .title = "Scale",
       .help = "What scores are multiplied by; automatic is 1/√d'.",
       .type = ParamType::real,
       .fallback = std::monostate{},
       .least = -1e6,
       .most = 1e6,
       .automatic = true,
       .advanced = true},
      {.id = "temperature",
       .title = "Temperature",
       .help = "Scores are divided by it: above 1 flattens the weights, below 1 sharpens them.",
       .type = ParamType::real,
       .fallback = 1.0,
       .least = 0.01,
       .most = 100,
       .logarithmic = true},
      {.id = "dropout",
       .title = "Dropout",
       .help = "The chance that a weight is set to 0, as in training.",
       .type = ParamType::real,
       .fallback = 0.0,
       .least = 0,
       .most = 0.95,
       .advanced = true},
      {.id = "dropout_seed",
       .title = "Dropout seed",
       .help = "Which random draw decides what is dropped.",
       .type = ParamType::integer,
       .fallback = Index{0},
       .least = 0,
       .most = 4294967295.0,  // 32 bits
       .advanced = true},
  };
}

std::vector<ParamSpec> block_params() {
  return {
      {.id = "block",
       .title = "Block",
       .help = "What stands round the attention: nothing, or a residual connection and layer normalisation.",
       .type = ParamType::choice,
       .fallback = std::string("bare"),
       .advanced = true,
       .choices = {{"bare", "Bare", "The attention alone."},
                   {"post_norm", "Post-norm", "layer_norm(x + attention(x)), as in the first transformer."},
                   {"pre_norm", "Pre-norm", "x + attention(layer_norm(x)), as in most transformers since."}}},
      {.id = "ffn",
       .title = "Feed-forward",
       .help = "Adds the feed-forward part of a transformer layer after the attention.",
       .type = ParamType::flag,
       .fallback = false,
       .advanced = true},
      {.id = "d_ff",
       .title = "Feed-forward width",
       .help = "How many hidden numbers the feed-forward part has; automatic is 4 times the output's.",
       .type = ParamType::integer,
       .fallback = std::monostate{},
       .least = 1,
       .most = 65536,
       .automatic = true,
       .advanced = true},
  };
}

std::vector<ParamSpec> merge_params() {
  return {
      {.id = "output_projection",
       .title = "Output projection",
       .help = "Whether w_o mixes the heads; without it the output is the heads side by side.",
       .type = ParamType::flag,
       .fallback = true,
       .advanced = true},
      {.id = "bias",
       .title = "Biases",
       .help = "Whether biases are generated; those given as arrays always take part.",
       .type = ParamType::flag,
       .fallback = false,
       .advanced = true},
      {.id = "mistake",
       .title = "Mistake",
       .help = "Runs a classic bug, to see what it does.",
       .type = ParamType::choice,
       .fallback = std::string("none"),
       .advanced = true,
       .choices = {{"none", "None", "The heads are merged as they should be."},
                   {"merge_without_transpose", "Merge without transpose",
                    "(B, M, n, d') is read as (B, n, M·d') without swapping the axes first."}}},
  };
}

// ---- Arrays -------------------------------------------------------------------------------------------------------

std::vector<ArraySpec> sequences() {
  return {{.id = "x_q",
           .title = "Query input",
           .help = "The tokens that ask, one row each.",
           .shapes = {{"B", "n_q", "d_q"}},
           .role = Role::query,
           .layout = Layout::rows},
          {.id = "x_k",
           .title = "Key input",
           .help = "The tokens that are asked; the query input itself where nothing else is given.",
           .shapes = {{"B", "n_k", "d_k"}},
           .fill = Fill::alias,
           .alias_of = "x_q",
           .role = Role::key,
           .layout = Layout::rows},
          {.id = "x_v",
           .title = "Value input",
           .help = "What the values are made from; the key input where nothing else is given.",
           .shapes = {{"B", "n_k", "d_v"}},
           .fill = Fill::alias,
           .alias_of = "x_k",
           .role = Role::value,
           .layout = Layout::rows}};
}

Fill positions_fill(const std::string& positions) {
  if (positions == "sinusoidal") return Fill::sinusoidal;
  return positions == "learned" ? Fill::init : Fill::absent;
}

// Self attention adds the same positions to queries and keys; across two sequences each has its own.
std::vector<ArraySpec> position_arrays(const ParamValues& params, const std::set<std::string, std::less<>>& given) {
  const Fill fill = positions_fill(params.choice("positions"));
  const bool shared = !given.contains("x_k") && (fill != Fill::absent || given.contains("p_q"));
  return {{.id = "p_q",
           .title = "Query positions",
           .help = "Added to the query input, never to the values.",
           .shapes = {{"1", "n_q", "d_q"}, {"B", "n_q", "d_q"}, {"n_q", "d_q"}},
           .fill = fill,
           .role = Role::position},
          {.id = "p_k",
           .title = "Key positions",
           .help = "Added to the key input, never to the values.",
           .shapes = {{"1", "n_k", "d_k"}, {"B", "n_k", "d_k"}, {"n_k", "d_k"}},
           .fill = shared ? Fill::alias : fill,
           .alias_of = shared ? "p_q" : "",
           .role = Role::position}};
}

std::vector<ArraySpec> mask_arrays() {
  return {{.id = "valid_lens",
           .title = "Valid lengths",
           .help = "How many keys count, for each sequence or for each query; the rest are padding.",
           .shapes = {{"B"}, {"B", "n_q"}},
           .fill = Fill::absent,
           .kind = Kind::mask,
           .role = Role::mask},
          {.id = "key_padding_mask",
           .title = "Padding mask",
           .help = "1 where a key is to be ignored.",
           .shapes = {{"B", "n_k"}},
           .fill = Fill::absent,
           .kind = Kind::mask,
           .role = Role::mask,
           .boolean_ok = true},
          // Booleans are refused: True means "ignore" in nn.MultiheadAttention and "use" in
          // scaled_dot_product_attention.
          {.id = "attn_mask",
           .title = "Added mask",
           .help = "Added to the scaled scores: −∞ hides a key, other numbers shift its score.",
           .shapes = {{"n_q", "n_k"},
                      {"B", "M", "n_q", "n_k"},
                      {"1", "1", "n_q", "n_k"},
                      {"B", "1", "n_q", "n_k"},
                      {"1", "M", "n_q", "n_k"}},
           .fill = Fill::absent,
           .kind = Kind::mask,
           .role = Role::mask}};
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  std::vector<ArraySpec> list{
      parts::weight("w_q", "Query weights", "Turn a token into each head's query.", {"M", "d_q", "d'"}, Fill::init,
                    Role::query),
      parts::weight("w_k", "Key weights", "Turn a token into each head's key.", {"M", "d_k", "d'"}, Fill::init,
                    Role::key),
      parts::weight("w_v", "Value weights", "Turn a token into each head's value.", {"M", "d_v", "d'"}, Fill::init,
                    Role::value),
      parts::weight("b_q", "Query bias", "Added to each head's queries.", {"M", "d'"}, bias, Role::query),
      parts::weight("b_k", "Key bias", "Added to each head's keys.", {"M", "d'"}, bias, Role::key),
      parts::weight("b_v", "Value bias", "Added to each head's values.", {"M", "d'"}, bias, Role::value)};
  const auto add = [&](ArraySpec spec) { list.push_back(std::move(spec)); };
  if (params.flag("output_projection")) {
    add(parts::weight("w_o", "Output weights", "Mix the heads into the output.", {"Md'", "d_out"}, Fill::init,
                      Role::output));
    add(parts::weight("b_o", "Output bias", "Added to the output.", {"d_out"}, bias, Role::output));
  }
  if (params.choice("block") != "bare") {
    add(parts::weight("ln_gamma", "Norm scale", "Stretches each normalised channel.", {"d_q"}, Fill::ones));
    add(parts::weight("ln_beta", "Norm shift", "Shifts each normalised channel.", {"d_q"}, Fill::zeros));
  }
  if (!params.flag("ffn")) return list;
  add(parts::weight("w_1", "Feed-forward in", "From a token to the hidden numbers.", {"d_out", "d_ff"}, Fill::init));
  add(parts::weight("b_1", "Feed-forward in, bias", "Added before ReLU.", {"d_ff"}, bias));
  add(parts::weight("w_2", "Feed-forward out", "From the hidden numbers back to a token.", {"d_ff", "d_out"},
                    Fill::init));
  add(parts::weight("b_2", "Feed-forward out, bias", "Added to the feed-forward output.", {"d_out"}, bias));
  add(parts::weight("ln2_gamma", "Second norm scale", "Stretches each normalised channel.", {"d_out"}, Fill::ones));
  add(parts::weight("ln2_beta", "Second norm shift", "Shifts each normalised channel.", {"d_out"}, Fill::zeros));
  return list;
}

// ---- One run, read off the problem once ---------------------------------------------------------------------------

struct Plan {
  Index batches, heads, n_q, n_k, d_q, d_k, d_v, d_head, d_concat, d_out;
  Index d_ff = 0;
  bool pre_norm, post_norm, ffn, project_out, scrambled;
  double temperature, scale, dropout;  // dropout: the chance that a weight is dropped
  bool free_scale;                     // not 1/√d'
  MaskRules mask;
  std::string normed;              // what queries are made from before positions: x_q or x_norm
  std::string k_source, v_source;  // what keys (before positions) and values are made from
  std::string q_from, k_from;      // the same with positions: q_input, k_input

  bool block() const { return pre_norm || post_norm; }
  Shape map_shape() const { return {batches, heads, n_q, n_k}; }
};

Plan plan_of(const Problem& problem) {
  const ParamValues& params = problem.params;
  Plan p{};
  p.batches = problem.dim("B");
  p.heads = problem.dim("M");
  p.n_q = problem.dim("n_q");
  p.n_k = problem.dim("n_k");
  p.d_q = problem.dim("d_q");
  p.d_k = problem.dim("d_k");
  p.d_v = problem.dim("d_v");
  p.d_head = problem.dim("d'");
  p.d_concat = problem.dim("Md'");
  p.d_out = problem.dim("d_out");
  p.pre_norm = params.choice("block") == "pre_norm";
  p.post_norm = params.choice("block") == "post_norm";
  p.ffn = params.flag("ffn");
  if (p.ffn) p.d_ff = problem.dim("d_ff");
  p.project_out = params.flag("output_projection");
  p.scrambled = params.choice("mistake") == "merge_without_transpose";
  p.free_scale = !params.is_automatic("scale");
  p.scale = p.free_scale ? params.real("scale") : 1 / std::sqrt(static_cast<double>(p.d_head));
  p.temperature = params.real("temperature");
  p.dropout = params.real("dropout");
  p.mask = mask_rules(problem, params.choice("mask") == "causal", p.heads);
  // Keys and values that have no input of their own are made from what the queries are made from, so that pre-norm
  // self attention normalises all three; a given x_k or x_v is read as it is.
  p.normed = p.pre_norm ? "x_norm" : "x_q";
  const bool own_k = problem.find("x_k") && problem.find("x_k") != problem.find("x_q");
  const bool own_v = problem.find("x_v") && problem.find("x_v") != problem.find(own_k ? "x_k" : "x_q");
  p.k_source = own_k ? "x_k" : p.normed;
  p.v_source = own_v ? "x_v" : p.k_source;
  p.q_from = problem.find("p_q") ? "q_input" : p.normed;
  p.k_from = problem.find("p_k") ? "k_input" : p.k_source;
  return p;
}

std::vector<Axis> token_axes(const Recorder& r, bool of_keys, const std::string& channels) {
  return {r.axis("B", "batch"), of_keys ? r.axis("n_k", "key", Role::key) : r.axis("n_q", "query", Role::query),
          r.axis(channels, "channel")};
}

std::vector<Axis> head_axes(const Recorder& r, bool of_keys) {
  return {r.axis("B", "batch"), r.axis("M", "head"),
          of_keys ? r.axis("n_k", "key", Role::key) : r.axis("n_q", "query", Role::query), r.axis("d'", "channel")};
}

std::vector<Axis> map_axes(const Recorder& r) {
  return {r.axis("B", "batch"), r.axis("M", "head"), r.axis("n_q", "query", Role::query),
          r.axis("n_k", "key", Role::key)};
}

// ---- Input --------------------------------------------------------------------------------------------------------

// x (B, n, d) + p (1|B, n, d) or (n, d) → (B, n, d)
void record_position_sum(Recorder& r, StepInfo info, const std::string& x, const std::string& positions) {
  const Tensor& X = r.values(x);
  const Tensor& P = r.array(positions);
  Tensor out = Tensor::uninitialized(X.shape());
  for (Index begin = 0; begin < X.size(); begin += P.size())
    math::add(r.compute(), X.data() + begin, P.data(), P.size(), out.data() + begin);
  info.code = code::both(fmt::format("{} = {} + {}", info.id, x, positions));
  r.step(std::move(info), std::move(out), explain::sum(x, positions, P.size()));
}

void record_inputs(Recorder& r, const Plan& p) {
  if (p.pre_norm)
    parts::layer_norm(
        r,
        {.id = "x_norm",
         .title = "Normalised input",
         .formula = tex::x_norm,
         .note = fmt::format(
             "Pre-norm: each token is brought to mean 0 and variance 1 over its {} channels before attention reads it, "
             "then stretched by γ and shifted by β. The residual path keeps the token as it was.{}",
             p.d_q,
             p.k_source == "x_k" ? " {key:Keys} and {value:values} read their own input as it is: the memory is not "
                                   "normalised here, as in PyTorch's decoder layer."
                                 : ""),
         .axes = token_axes(r, false, "d_q")},
        "x_q", "ln");
  const char* why =
      "Attention alone does not know the order, so a vector for each position is added to what {} are made from. The "
      "{{value:values}} never see it: positions help to decide where to look, not what is passed on.";
  if (p.q_from == "q_input")
    record_position_sum(r,
                        {.id = "q_input",
                         .title = "Query input with positions",
                         .formula = p.pre_norm ? tex::q_input_norm : tex::q_input,
                         .note = fmt::format(fmt::runtime(why), "the {query:queries}"),
                         .axes = token_axes(r, false, "d_q"),
                         .role = Role::query},
                        p.normed, "p_q");
  if (p.k_from == "k_input")
    record_position_sum(r,
                        {.id = "k_input",
                         .title = "Key input with positions",
                         .formula = p.k_source == "x_k" ? tex::k_input
                                    : p.pre_norm        ? tex::k_input_norm
                                                        : tex::k_input_self,
                         .note = fmt::format(fmt::runtime(why), "the {key:keys}"),
                         .axes = token_axes(r, true, "d_k"),
                         .role = Role::key},
                        p.k_source, "p_k");
}

// ---- Queries, keys, values ----------------------------------------------------------------------------------------

struct ProjectionFormula {
  std::string_view to, from;
  const char* plain;
  const char* biased;
};

constexpr std::array<ProjectionFormula, 11> projection_formulas{{
    {"q", "x_q", tex::q_from_x_q, tex::q_from_x_q_bias},
    {"q", "x_norm", tex::q_from_x_norm, tex::q_from_x_norm_bias},
    {"q", "q_input", tex::q_from_q_input, tex::q_from_q_input_bias},
    {"k", "x_q", tex::k_from_x_q, tex::k_from_x_q_bias},
    {"k", "x_k", tex::k_from_x_k, tex::k_from_x_k_bias},
    {"k", "x_norm", tex::k_from_x_norm, tex::k_from_x_norm_bias},
    {"k", "k_input", tex::k_from_k_input, tex::k_from_k_input_bias},
    {"v", "x_q", tex::v_from_x_q, tex::v_from_x_q_bias},
    {"v", "x_k", tex::v_from_x_k, tex::v_from_x_k_bias},
    {"v", "x_v", tex::v_from_x_v, tex::v_from_x_v_bias},
    {"v", "x_norm", tex::v_from_x_norm, tex::v_from_x_norm_bias},
}};

// The formula of q, k or v, made from the array `from`.
std::string projection_formula(std::string_view to, std::string_view from, bool bias) {
  const auto found =
      std::ranges::find_if(projection_formulas, [&](const auto& f) { return f.to == to && f.from == from; });
  assert(found != projection_formulas.end());
  return bias ? found->biased : found->plain;
}

void record_projections(Recorder& r, const Plan& p) {
  parts::project(r,
                 {.id = "q",
                  .title = "Queries",
                  .formula = projection_formula("q", p.q_from, r.find("b_q")),
                  .note = fmt::format(
                      "A {{query:query}} is what a token asks with. Each head has a matrix of its own that turns the "
                      "same {} input numbers into {}, so each head can ask for something else.",
                      p.d_q, p.d_head),
                  .axes = head_axes(r, false),
                  .role = Role::query},
                 p.q_from, "w_q", "b_q");
  parts::project(
      r,
      {.id = "k",
       .title = "Keys",
       .formula = projection_formula("k", p.k_from, r.find("b_k")),
       .note = fmt::format("A {{key:key}} is what a token is found by. {{query:Queries}} and {{key:keys}} meet only in "
                           "their dot product, so both have the same width, {}.",
                           p.d_head),
       .axes = head_axes(r, true),
       .role = Role::key},
      p.k_from, "w_k", "b_k");
  parts::project(r,
                 {.id = "v",
                  .title = "Values",
                  .formula = projection_formula("v", p.v_source, r.find("b_v")),
                  .note = fmt::format(
                      "A {{value:value}} is what a token passes on to those who look at it. It has no say in who "
                      "looks at whom.{}",
                      p.k_from == "k_input" ? " Positions are not in it, only in {query:queries} and {key:keys}." : ""),
                  .axes = head_axes(r, true),
                  .role = Role::value},
                 p.v_source, "w_v", "b_v");
}

// ---- Scores -------------------------------------------------------------------------------------------------------

// "1/√8", "0.25", "1/(√8 · 2)".
std::string scale_label(const Plan& p) {
  const bool tempered = p.temperature != 1;
  if (p.free_scale) return tempered ? fmt::format("{} / {}", p.scale, p.temperature) : fmt::format("{}", p.scale);
  return tempered ? fmt::format("1/(√{} · {})", p.d_head, p.temperature) : fmt::format("1/√{}", p.d_head);
}

// The same as Python: "/ 8**0.5", "* 0.25 / 2".
std::string scale_in_code(const Plan& p) {
  const std::string by = p.free_scale ? fmt::format("* {}", p.scale) : fmt::format("/ {}**0.5", p.d_head);
  return p.temperature == 1 ? by : fmt::format("{} / {}", by, p.temperature);
}

std::string scaled_scores_note(const Plan& p) {
  std::string note =
      p.free_scale
          ? fmt::format("The {{score:scores}} are multiplied by {}. The usual factor would be 1/√{} ≈ {:.3f}.", p.scale,
                        p.d_head, 1 / std::sqrt(static_cast<double>(p.d_head)))
          : fmt::format(
                "A dot product of {0} products has a spread that grows like √{0}. Dividing by √{0} ≈ {1:.3f} "
                "keeps the {{score:scores}} near 1 in size, so that softmax is not driven to all or nothing by "
                "the width alone.",
                p.d_head, std::sqrt(static_cast<double>(p.d_head)));
  if (p.temperature != 1)
    note += fmt::format(" The temperature {} divides them once more, which makes the {{weight:weights}} {}.",
                        p.temperature, p.temperature > 1 ? "flatter" : "sharper");
  return note;
}

std::string scaled_scores_formula(const Plan& p) {
  if (p.free_scale) return p.temperature == 1 ? tex::scaled_scores_free : tex::scaled_scores_free_temperature;
  return p.temperature == 1 ? tex::scaled_scores : tex::scaled_scores_temperature;
}

void record_scores(Recorder& r, const Plan& p) {
  parts::dot_products(
      r,
      {.id = "scores",
       .title = "Scores",
       .formula = tex::scores,
       .note = fmt::format("The {{score:score}} of a {{query:query}} and a {{key:key}} is their dot product: large "
                           "where they point the same way, negative where they point apart. Every query meets every "
                           "key, {} × {} numbers in each head.",
                           p.n_q, p.n_k),
       .axes = map_axes(r),
       .kind = Kind::score,
       .role = Role::score},
      "q", "k");
  parts::scaled(r,
                {.id = "scaled_scores",
                 .title = "Scaled scores",
                 .formula = scaled_scores_formula(p),
                 .note = scaled_scores_note(p),
                 .axes = map_axes(r),
                 .kind = Kind::score,
                 .role = Role::score},
                "scores", p.scale / p.temperature, scale_label(p), scale_in_code(p));
}

// ---- Mask ---------------------------------------------------------------------------------------------------------

std::string masked_scores_note(const Plan& p) {
  std::string note = "A {mask:masked} score becomes −∞, which softmax turns into a weight of exactly 0.";
  if (p.mask.causal)
    note += " Causal: a {query:query} sees its own place and what comes before, so it cannot peek ahead.";
  if (p.mask.valid_lens || p.mask.key_padding_mask)
    note += " Padding was added only to make sequences equally long, so those {key:keys} are hidden.";
  if (p.mask.attn_mask) note += " The added mask shifts the {score:scores} that it does not hide.";
  return note;
}

void record_mask(Recorder& r, const Plan& p) {
  if (!p.mask.any()) return;
  parts::masked(r,
                {.id = "masked_scores",
                 .title = "Masked scores",
                 .formula = p.mask.attn_mask ? tex::masked_scores_added : tex::masked_scores,
                 .note = masked_scores_note(p),
                 .axes = map_axes(r),
                 .kind = Kind::score,
                 .role = Role::score},
                "scaled_scores", p.mask);
}

// ---- Weights ------------------------------------------------------------------------------------------------------

std::string weights_formula(const Plan& p) {
  if (p.mask.any()) return tex::weights_masked;
  return p.free_scale || p.temperature != 1 ? tex::weights : tex::weights_textbook;
}

void record_weights(Recorder& r, const Plan& p) {
  const std::string from = p.mask.any() ? "masked_scores" : "scaled_scores";
  StepInfo info{
      .id = "weights",
      .title = "Attention weights",
      .formula = weights_formula(p),
      .note =
          "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1. Subtracting the row "
          "maximum changes nothing but keeps exp from overflowing. Only differences count: a {score:score} higher "
          "by 1 gets 2.72 times the {weight:weight}.",
      .axes = map_axes(r),
      .kind = Kind::probability,
      .role = Role::weight};
  if (p.mask.any())
    parts::masked_softmax(r, std::move(info), from, p.mask);
  else
    parts::softmax(r, std::move(info), from);
}

// Srivastava et al. 2014, Dropout, section 10 (inverted: what stays is divided by the chance to stay).
void record_dropout(Recorder& r, const Plan& p) {
  if (p.dropout == 0) return;
  Tensor drawn = Tensor::uninitialized(p.map_shape());
  Random random(static_cast<std::uint64_t>(r.params().integer("dropout_seed")), "dropout");
  for (float& kept : drawn.values()) kept = random.uniform() < p.dropout ? 0.0F : 1.0F;
  const Tensor& kept = r.source({.id = "dropout_mask",
                                 .title = "Dropout draw",
                                 .note = "1 where the {weight:weight} stays, 0 where it is dropped, drawn at random.",
                                 .axes = map_axes(r),
                                 .kind = Kind::mask,
                                 .role = Role::mask},
                                std::move(drawn));
  const double factor = 1 / (1 - p.dropout);
  const Tensor& weights = r.values("weights");
  Tensor dropped = Tensor::uninitialized(p.map_shape());
  math::dropout(r.compute(), weights.data(), kept.data(), static_cast<float>(factor), weights.size(), dropped.data());
  r.step(
      {.id = "dropped_weights",
       .title = "Weights after dropout",
       .formula = tex::dropped_weights,
       .note = fmt::format("In training, each {{weight:weight}} is set to 0 with chance {0}, and what stays is divided "
                           "by 1 − {0}, so that the sum is right on average. A single row no longer adds up to 1. "
                           "Another seed drops other weights.",
                           p.dropout),
       .axes = map_axes(r),
       .kind = Kind::probability,
       .role = Role::weight,
       .code = code::both(fmt::format("dropped_weights = weights * dropout_mask / (1 - {})", p.dropout))},
      std::move(dropped), [factor, label = fmt::format("1/(1 − {})", p.dropout)](Index cell) {
        Explanation e;
        e.scale = factor;
        e.scale_label = label;
        e.terms = {{{Operand::of("dropout_mask", cell), Operand::of("weights", cell)}}};
        return e;
      });
}

void record_head_outputs(Recorder& r, const Plan& p) {
  const std::string from = p.dropout > 0 ? "dropped_weights" : "weights";
  parts::weighted_sum(
      r,
      {.id = "head_outputs",
       .title = "Head outputs",
       .formula = p.dropout > 0 ? tex::head_outputs_dropped : tex::head_outputs,
       .note = "Each {query:query} takes the {value:values} of all keys in the shares that its row of {weight:weights} "
               "says. A row with one large weight copies that key's value; a flat row gives their average.",
       .axes = head_axes(r, false),
       .role = Role::output},
      from, "v");
}

// ---- Output -------------------------------------------------------------------------------------------------------

// The bug: (B, M, n, d') reread as (B, n, M·d'). The memory stays as it is; what a cell should have held is named.
explain::Explain explain_scrambled(const Plan& p) {
  const Shape heads{p.batches, p.heads, p.n_q, p.d_head};
  return [heads, right = explain::concatenation("head_outputs", heads)](Index cell) {
    const auto place = [&](Index flat) {
      const auto at = index_at_flat(heads, flat);  // b, m, i, c
      return fmt::format("head {}, query {}, channel {}", at[1] + 1, at[2], at[3]);
    };
    const Index should_be = right(cell).terms[0].factors[0].cell;
    Explanation e;
    e.terms = {{{Operand::of("head_outputs", cell)}}};
    if (should_be != cell)
      e.reason = fmt::format("merged without a transpose: read from {} instead of {}", place(cell), place(should_be));
    return e;
  };
}

void record_concat(Recorder& r, const Plan& p) {
  StepInfo info{.id = "concat",
                .title = "Concatenated heads",
                .formula = p.scrambled ? tex::concat_scrambled : tex::concat,
                .note = fmt::format("The {{output:outputs}} of the heads are laid side by side, {} channels each, head "
                                    "1 first. Nothing is computed; until here the heads have not seen each other.",
                                    p.d_head),
                .axes = token_axes(r, false, "Md'"),
                .role = Role::output};
  if (!p.scrambled) {
    parts::concatenation(r, std::move(info), "head_outputs");
    return;
  }
  info.note =
      "A classic bug, run on purpose: (B, M, n, d') is read as (B, n, M·d') without swapping the axes first. The "
      "shapes fit and nothing fails, but a row now mixes {output:outputs} of different {query:queries} instead of "
      "the heads of one.";
  info.code = code::both(fmt::format("concat = head_outputs.reshape({}, {}, {})", p.batches, p.n_q, p.d_concat));
  r.step(std::move(info), Tensor(r.values("head_outputs")).reshaped({p.batches, p.n_q, p.d_concat}),
         explain_scrambled(p));
  if (p.heads > 1 && p.n_q > 1) r.warn("heads are merged without a transpose: rows hold outputs of other queries");
}

StepInfo output_info(const Recorder& r, std::string id, std::string title, std::string formula, std::string note) {
  return {.id = std::move(id),
          .title = std::move(title),
          .formula = std::move(formula),
          .note = std::move(note),
          .axes = token_axes(r, false, "d_out"),
          .role = Role::output};
}

// concat · w_o + b_o, or concat as it is, under the given id.
void record_projected(Recorder& r, const Plan& p, const std::string& id, const std::string& title) {
  if (p.project_out)
    parts::linear(
        r,
        output_info(r, id, title, r.find("b_o") ? tex::projected_bias : tex::projected,
                    "The output matrix mixes the heads: every number of the {output:output} is a weighted sum "
                    "of all channels of all heads at the same {query:query}. It does not mix positions."),
        "concat", "w_o", "b_o");
  else
    parts::copy(r,
                output_info(r, id, title, tex::concat_as_output,
                            "There is no output matrix here, so the {output:output} is the heads side by side. Each "
                            "channel still belongs to one head."),
                "concat");
}

// The attention part of a block up to its result, recorded as `id`: attention_output where a feed-forward part follows.
void record_attention_block(Recorder& r, const Plan& p, const std::string& id) {
  record_projected(r, p, "projected", "Projected output");
  parts::sum(r,
             output_info(r, "residual", "Residual sum", tex::residual,
                         "The block's input is added back to what attention found. Attention thus writes a change "
                         "onto each token instead of replacing it, and gradients pass unhindered."),
             "x_q", "projected");
  const std::string title = p.ffn ? "Attention output" : "Output";
  if (p.post_norm)
    parts::layer_norm(r,
                      output_info(r, id, title, tex::layer_norm_residual,
                                  "Post-norm: each token of the sum is brought to mean 0 and variance 1 over its "
                                  "channels, then stretched by γ and shifted by β. The residual path itself is "
                                  "normalised here, as in the first transformer."),
                      "residual", "ln");
  else
    parts::copy(r,
                output_info(r, id, title, tex::residual_as_output,
                            "Pre-norm normalises what attention reads, not what it gives back. The sum goes on as it "
                            "is."),
                "residual");
}

std::string ffn_hidden_formula(const Plan& p, bool bias) {
  if (p.pre_norm) return bias ? tex::ffn_hidden_norm_bias : tex::ffn_hidden_norm;
  return bias ? tex::ffn_hidden_bias : tex::ffn_hidden;
}

// Vaswani et al. 2017, section 3.3, equation 2: two linear maps with a ReLU between, at each position alone.
void record_feed_forward(Recorder& r, const Plan& p) {
  if (p.pre_norm)
    parts::layer_norm(
        r,
        output_info(r, "ffn_norm", "Normalised for feed-forward", tex::ffn_norm,
                    "The feed-forward part, too, reads a normalised copy of each token. The residual path "
                    "keeps the token as it was."),
        "attention_output", "ln2");
  StepInfo hidden =
      output_info(r, "ffn_hidden", "Feed-forward hidden", ffn_hidden_formula(p, r.find("b_1")),
                  fmt::format("Each token by itself is turned into {} numbers, and negative ones are set to "
                              "0 (ReLU). Tokens do not meet here: only attention moves information "
                              "between positions.",
                              p.d_ff));
  hidden.axes = token_axes(r, false, "d_ff");
  hidden.role = Role::none;
  parts::linear(r, std::move(hidden), p.pre_norm ? "ffn_norm" : "attention_output", "w_1", "b_1", Combine::relu);
  parts::linear(
      r,
      output_info(r, "ffn_output", "Feed-forward output", r.find("b_2") ? tex::ffn_output_bias : tex::ffn_output,
                  fmt::format("The {} hidden numbers are brought back to a token's width. A hidden number that "
                              "ReLU set to 0 adds nothing.",
                              p.d_ff)),
      "ffn_hidden", "w_2", "b_2");
  parts::sum(r,
             output_info(r, "ffn_residual", "Feed-forward residual sum", tex::ffn_residual,
                         "What the feed-forward part found is added to the attention {output:output}. It is a change "
                         "to each token, as attention's was."),
             "attention_output", "ffn_output");
  if (p.pre_norm)
    parts::copy(r,
                output_info(r, "output", "Output", tex::ffn_residual_as_output,
                            "Pre-norm leaves the sum as it is. The next layer normalises what it reads."),
                "ffn_residual");
  else
    parts::layer_norm(r,
                      output_info(r, "output", "Output", tex::ffn_layer_norm,
                                  "Each token of the sum is brought to mean 0 and variance 1 over its channels, then "
                                  "stretched by γ and shifted by β. This is what the layer hands on."),
                      "ffn_residual", "ln2");
}

void record_output(Recorder& r, const Plan& p) {
  const std::string result = p.ffn ? "attention_output" : "output";
  if (p.block())
    record_attention_block(r, p, result);
  else
    record_projected(r, p, result, p.ffn ? "Attention output" : "Output");
  if (p.ffn) record_feed_forward(r, p);
}

// ---- Stages -------------------------------------------------------------------------------------------------------

// Nodes of the stepper and tiles of the pipeline, in the order of the steps.
void record_stages(Recorder& r, const Plan& p) {
  std::vector<std::string> input{"x_q"};
  for (const char* id : {"x_k", "x_v"})
    if (id == p.k_source || id == p.v_source) input.emplace_back(id);
  if (r.find("p_q")) input.emplace_back("p_q");
  if (r.find("p_k") != r.find("p_q") && r.find("p_k")) input.emplace_back("p_k");
  std::vector<std::string> read;  // what is made of the inputs before they are projected
  for (const char* id : {"x_norm", "q_input", "k_input"})
    if (r.has(id)) read.emplace_back(id);
  if (!p.pre_norm) input.insert(input.end(), read.begin(), read.end());
  r.stage({"input", "Input", "x", input});
  if (p.pre_norm) r.stage({"input_norm", "Norm", "norm x", read});
  r.stage({"project", "Project", "q k v", {"q", "k", "v"}});
  r.stage({"scores", "Scores", "q kᵀ", {"scores"}});
  r.stage({"scale", "Scale", p.free_scale ? "· a" : "÷ √d", {"scaled_scores"}});
  if (p.mask.any()) r.stage({"mask", "Mask", "mask", {"masked_scores", "mask"}});
  r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  if (p.dropout > 0) r.stage({"dropout", "Dropout", "dropout", {"dropped_weights", "dropout_mask"}});
  r.stage({"weighted_sum", "Weighted sum", "weights · v", {"head_outputs"}});
  r.stage({"concat", "Concat", "concat", {"concat"}});
  if (p.block()) {
    r.stage({"project_out", "Project out", "· w_o", {"projected"}});
    r.stage({"add", "Add", "+ x", {"residual"}});
  }
  if (p.ffn) {
    r.stage({"attention_output", p.post_norm ? "Norm" : "Attention output", "attention", {"attention_output"}});
    if (p.pre_norm) r.stage({"ffn_norm", "Norm", "norm", {"ffn_norm"}});
    r.stage({"ffn", "FFN", "ffn", {"ffn_output", "ffn_hidden"}});
    r.stage({"ffn_add", "Add", "+ attention", {"ffn_residual"}});
  }
  const bool normalised = p.post_norm || (p.ffn && !p.pre_norm);
  r.stage({"output", normalised ? "Norm" : "Output", "output", {"output"}});
}

// ---- Cost ---------------------------------------------------------------------------------------------------------

void add_block_cost(CostSheet& sheet, const Plan& p, const Problem& problem) {
  const Shape tokens{p.batches, p.n_q, p.d_out};
  const double projection = p.project_out ? linear_operations(p.d_concat, problem.find("b_o")) : 1;
  sheet.add(tokens, projection);  // projected, attention_output or output
  if (p.block()) {
    sheet.add(tokens, 2);                                        // residual
    sheet.add(tokens, p.post_norm ? layer_norm_operations : 1);  // attention_output or output
  }
  if (!p.ffn) return;
  if (p.pre_norm) sheet.add(tokens, layer_norm_operations);                                // ffn_norm
  sheet.add({p.batches, p.n_q, p.d_ff}, linear_operations(p.d_out, problem.find("b_1")));  // ffn_hidden
  sheet.add(tokens, linear_operations(p.d_ff, problem.find("b_2")));                       // ffn_output
  sheet.add(tokens, 2);                                                                    // ffn_residual
  sheet.add(tokens, p.pre_norm ? 1 : layer_norm_operations);                               // output
}

Cost cost_of(const Problem& problem) {
  const Plan p = plan_of(problem);
  CostSheet sheet;
  const Shape queries{p.batches, p.heads, p.n_q, p.d_head}, keys{p.batches, p.heads, p.n_k, p.d_head};
  if (p.pre_norm) sheet.add({p.batches, p.n_q, p.d_q}, layer_norm_operations);  // x_norm
  if (problem.find("p_q")) sheet.add({p.batches, p.n_q, p.d_q}, 2);             // q_input
  if (problem.find("p_k")) sheet.add({p.batches, p.n_k, p.d_k}, 2);             // k_input
  sheet.add(queries, linear_operations(p.d_q, problem.find("b_q")));            // q
  sheet.add(keys, linear_operations(p.d_k, problem.find("b_k")));               // k
  sheet.add(keys, linear_operations(p.d_v, problem.find("b_v")));               // v
  sheet.add(p.map_shape(), linear_operations(p.d_head, false));                 // scores
  sheet.add(p.map_shape(), 1);                                                  // scaled_scores
  if (p.mask.any()) {
    sheet.add(mask_shape(p.mask), 1);  // mask
    sheet.add(p.map_shape(), 2);       // masked_scores
  }
  sheet.add(p.map_shape(), softmax_operations);  // weights
  if (p.dropout > 0) {
    sheet.add(p.map_shape(), 1);  // dropout_mask
    sheet.add(p.map_shape(), 2);  // dropped_weights
  }
  sheet.add(queries, linear_operations(p.n_k, false));  // head_outputs
  sheet.add(queries, 1);                                // concat
  add_block_cost(sheet, p, problem);
  return sheet.total();
}

// Together they record every step.
std::vector<std::string> small_experiments() {
  return {
      R"({"variant": "multi_head", "params": {"mask": "causal", "positions": "sinusoidal", "dropout": 0.1},
          "inputs": {"x_q": {"text": "see what attention does"}}, "weights": {"init": "textbook"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "block": "post_norm", "ffn": true},
          "inputs": {"x_q": {"text": "one two", "d_model": 8}}, "weights": {"init": "normal"}})",
      R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4, "block": "pre_norm", "ffn": true},
          "inputs": {"x_q": {"text": "one two", "d_model": 8}}, "weights": {"init": "normal"}})",
  };
}

// ---- The variant --------------------------------------------------------------------------------------------------

// What looks at other queries too, or draws numbers for them.
Status check_only_query(const ParamValues& params) {
  if (params.is_automatic("only_query")) return {};
  if (params.choice("block") == "pre_norm")
    return fail("only_query leaves the other rows out, and a pre_norm block makes its keys of them: set block to bare");
  if (params.choice("mistake") != "none")
    return fail("only_query leaves the other rows out, and the mistake mixes them: set mistake to none");
  if (params.real("dropout") > 0) return fail("only_query draws no numbers for one row of many: set dropout to 0");
  return {};
}

class MultiHead final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = [] {
      std::vector<ParamSpec> list;
      for (auto* part : {head_params, score_params, block_params, merge_params})
        for (auto& spec : part()) list.push_back(std::move(spec));
      list.push_back(parts::only_query_param());
      return list;
    }();
    return specs;
  }

  ArraySpecs arrays(const ParamValues& params, const std::set<std::string, std::less<>>& given) const override {
    ArraySpecs specs{.inputs = sequences(), .weights = weight_arrays(params)};
    for (auto& spec : position_arrays(params, given)) specs.inputs.push_back(std::move(spec));
    for (auto& spec : mask_arrays()) specs.inputs.push_back(std::move(spec));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    const Index heads = params.integer("heads"), d_head = params.integer("d_head");
    symbols["M"] = heads;
    symbols["d'"] = d_head;
    symbols["Md'"] = heads * d_head;
    if (!params.flag("output_projection")) symbols["d_out"] = heads * d_head;
    if (params.flag("ffn") && !params.is_automatic("d_ff")) symbols["d_ff"] = params.integer("d_ff");
  }

  void bind_rest(const ParamValues& params, Symbols& symbols) const override {
    symbols.emplace("n_k", symbols.at("n_q"));
    symbols.emplace("d_k", symbols.at("d_q"));
    symbols.emplace("d_v", symbols.at("d_k"));
    symbols.emplace("d_out", symbols.at("d_q"));
    if (params.flag("ffn")) symbols.emplace("d_ff", 4 * symbols.at("d_out"));  // Vaswani et al. 2017, section 3.3
  }

  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    HL_CHECK(check_only_query(params));
    const std::string& block = params.choice("block");
    const Index d_q = symbols.at("d_q"), d_out = symbols.at("d_out");
    if (block == "bare" || d_out == d_q) return {};
    if (params.flag("output_projection"))
      return fail(
          "block {} adds the input to the output, so both need one width: w_o gives {} and x_q has {}; "
          "give w_o {} columns, or set block to bare",
          block, d_out, d_q, d_q);
    return fail(
        "block {} without an output projection needs heads · d_head to be the width of x_q, {}, not {} · {} = {}; "
        "set output_projection to true, or change heads or d_head",
        block, d_q, params.integer("heads"), params.integer("d_head"), d_out);
  }

  Cost cost(const Problem& problem) const override { return cost_of(problem); }
  Result<bool> fill_textbook(Problem& problem) const override {
    return fill_textbook_text(problem) || fill_textbook_described_heads(problem);
  }
  std::vector<std::string> samples() const override { return small_experiments(); }

  // Vaswani et al. 2017, section 3.2.1, equation 1, for each head; section 3.2.2 for the heads together.
  Status record(Recorder& r) const override {
    const Plan p = plan_of(r.problem());
    HL_CHECK(check_mask_values(p.mask));
    for (const auto record_part : {record_inputs, record_projections, record_scores, record_mask, record_weights,
                                   record_dropout, record_head_outputs, record_concat, record_output, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r, p);
    }
    return {};
  }
};

}  // namespace

const Variant& multi_head() {
  static const MultiHead variant;
  return variant;
}

}  // namespace headlight
