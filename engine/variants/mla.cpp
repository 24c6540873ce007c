#include <algorithm>
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/multi_head_words.h"

namespace headlight {

namespace {

ops::Factor scale_of(const Recorder& r);
Array record_latent(Recorder& r, const std::string& id, const Array& x, const char* w);

// DeepSeek-AI 2024, DeepSeek-V2, sections 2.1.2 and 2.1.3. Of a token, c and kᴿ are all that is kept. Their softmax is
// causal; mask, scale and temperature are choices here.
//   c   = W_dkv x          kᶜ = W_uk c       v = W_uv c            equations 9 to 11; c and c_q may have an RMS norm
//   c_q = W_dq x, or x     qᶜ = W_uq c_q                           12, 13
//   qᴿ  = RoPE(W_qr c_q)   kᴿ = RoPE(W_kr x), one for all heads    14, 15
//   o   = softmax((qᶜ·kᶜ + qᴿ·kᴿ) / √(d' + d_R)) v                 16 to 18; W_o o is 19
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k");
  r.stage("latent", "Latent", "x w_d", "kv_latent");
  const bool compresses_queries = r.declares("w_dq");
  const Array c_q =
      compresses_queries ? record_latent(r, "q_latent", x_q, "w_dq") : x_q;  // (B, n_q, r_q | d_q), equation 12
  const Array c = record_latent(r, "kv_latent", x_k, "w_dkv");               // (B, n_k, r), equation 9

  r.stage("project", "Unfold", "q k v");
  const Array q_content = r.step("q_content", ops::project(c_q, r.array("w_uq")));  // (B, M, n_q, d'), equation 13
  const Array k_content = r.step("k_content", ops::project(c, r.array("w_uk")));    // (B, M, n_k, d'), equation 10
  const Array v = r.step("v", ops::project(c, r.array("w_uv")));                    // (B, M, n_k, d_v'), equation 11

  r.stage("places", "Places", "q k");
  const Array q_position = r.step("q_position", ops::project(c_q, r.array("w_qr")));  // (B, M, n_q, d_R)
  const Array k_position = r.step("k_position", ops::project(x_k, r.array("w_kr")));  // (B, 1, n_k, d_R), for all heads
  const Index first = mask::first_query(r.problem());
  const auto frequencies = options::frequencies_by_base(r.params().real("rotary_base"), r.dim("d_R") / 2);
  const Array q_rotated = options::rotate_by(r, q_position, first, frequencies);  // (B, M, n_q, d_R), equation 14
  const Array k_rotated = options::rotate_by(r, k_position, 0, frequencies);      // (B, 1, n_k, d_R), equation 15

  r.stage("scores", "Scores", "q kᵀ + q kᵀ", "scores");
  const Array by_content = r.step("content_scores", ops::dot_products(q_content, k_content));    // (B, M, n_q, n_k)
  const Array by_position = r.step("position_scores", ops::dot_products(q_rotated, k_rotated));  // (B, M, n_q, n_k)
  const Array dots =
      r.step("scores", ops::sum(by_content, by_position));  // [qᶜ; qᴿ] · [kᶜ; kᴿ] (B, M, n_q, n_k), 16 and 17
  r.stage("scale", "Scale", r.params().is_automatic("scale") ? "÷ √d" : "· a");
  const Array s = r.step("scaled_scores", ops::scaled(dots, scale_of(r)));  // (B, M, n_q, n_k)
  const MaskRules rules = mask::rules(r.problem(), mask_options(), r.dim("M"));
  const Array a = record::masked_softmax(r, s, rules);  // rows sum to 1, or are 0
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::weighted_sum(a, v));  // (B, M, n_q, d_v'), equation 18
  record::merged_heads(r, o, "Md_v'");                              // (B, n_q, d_out), equation 19
}

// The few numbers that stand for a token, of one size where parameters ask for that.
Array record_latent(Recorder& r, const std::string& id, const Array& x, const char* w) {
  const Array made = r.step(id, ops::linear(x, r.array(w)));
  if (r.params().choice("latent_norm") == "none") return made;
  Operation norm = ops::rms_norm(made, r.array(id + "_gamma"), r.params().real("norm_epsilon"));
  return r.step(id + "_norm", std::move(norm));
}

ops::Factor scale_of(const Recorder& r) {
  std::optional<double> scale;
  if (!r.params().is_automatic("scale")) scale = r.params().real("scale");
  return options::scale_over_temperature(r, scale, r.dim("d'") + r.dim("d_R"), "d' + d_R");
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {.id = "mla",
          .title = "Multi-head latent",
          .summary =
              "A token is kept as a few numbers, from which every head makes its own keys and "
              "values; places have a part of "
              "the score of their own.",
          .shorthand = "k, v from one latent",
          .source = "DeepSeek-AI 2024, DeepSeek-V2, sections 2.1.2 and 2.1.3, equations 9 to 19"};
}

std::string kept_note(const Recorder& r) {
  const Index heads = r.dim("M"), kept = r.dim("r") + r.dim("d_R"),
              each = heads * (r.dim("d'") + r.dim("d_R") + r.dim("d_v'"));
  return fmt::format(
      "Each token becomes {} numbers, and the {{key:keys}} and {{value:values}} of all {} heads are made of these "
      "alone. With the {} that tell its place, {} numbers a token are kept for later {{query:queries}}, not {}.",
      r.dim("r"), heads, r.dim("d_R"), kept, each);
}

std::string normed_note(const char* what) {
  return fmt::format("The {} is brought to a mean square of 1 over its channels and stretched by γ.", what);
}

std::string rotated_note(const Recorder& r, const char* one) {
  return fmt::format(
      "The {} channels that tell the place of a {} are taken in pairs, and each pair is turned like the hand of a "
      "clock by its place. The content is not turned, so that it can be kept as the latent is.",
      r.dim("d_R"), one);
}

std::vector<StepWords> step_words() {
  return {
      {"q_latent", "c^q", "Query latent",
       "What asks becomes {r_q} numbers first, of which every head makes its {query:query}.", "c"},
      {"q_latent_norm", "\\bar c^q", "Query latent, normed",
       [](const Recorder&) { return normed_note("{query:query} latent"); }, "c"},
      {"kv_latent", "c", "Key-value latent", kept_note, "c"},
      {"kv_latent_norm", "\\bar c", "Latent, normed", [](const Recorder&) { return normed_note("latent"); }, "c"},
      {"q_content", "q^c", "Query content", "What each head asks of the content of {key:keys}: {d'} numbers.", "q"},
      {"k_content", "k^c", "Key content",
       "Each head unfolds the latent's {r} numbers into {d'} of its own. The matrix may as well be moved to the "
       "{query:queries}, which then meet the latent itself: no {key:key} need be made.",
       "k"},
      {"v", "v", "Values", "Each head unfolds the same latent into the {value:values} that it passes on."},
      {"q_position", "q^p", "Query place", "What each head asks of places: {d_R} numbers, before they are turned.",
       "q"},
      {"k_position", "k^p", "Key place",
       "{d_R} numbers of each {key:key} that all {M} heads share, before they are turned.", "k"},
      {"q_rotated", "q'", "Turned query place", [](const Recorder& r) { return rotated_note(r, "{query:query}"); },
       "q'"},
      {"k_rotated", "k'", "Turned key place", [](const Recorder& r) { return rotated_note(r, "{key:key}"); }, "k'"},
      {"content_scores", "s^c", "Content scores",
       "What {query:query} and {key:key} have in common, wherever they stand."},
      {"position_scores", "s^p", "Position scores",
       "The turned parts meet: how far the {key:key} lies from the {query:query} counts, and nothing of where both "
       "are."},
      {"scores", "s", "Scores",
       "Content and place are added, as if they were channels of one longer {query:query} and {key:key}."},
      {"scaled_scores", "\\tilde s", "Scaled scores",
       [](const Recorder& r) {
         const Index d = r.dim("d'") + r.dim("d_R");
         const std::string factor =
             r.params().is_automatic("scale")
                 ? fmt::format("A {{score:score}} is made of {0} products: dividing by √{0} ≈ {1:.3f} keeps it near 1.",
                               d, std::sqrt(static_cast<double>(d)))
                 : fmt::format("The {{score:scores}} are multiplied by {}.", r.params().real("scale"));
         return factor + options::temperature_note(r);
       }},
      declare::mask_words(", else what is added to the {score:score}"),
      declare::masked_scores_words(mask::note),
      declare::weight_words(". Only how {key:keys} and {value:values} are made and kept is different here."),
      declare::head_output_words(),
      declare::concat_words("c^o", "d_v'"),
      declare::output_words(),
  };
}

// ---- Parameters ----------------------------------------------------------------------------------------------------

ParamSpec rank(std::string id, std::string title, std::string help, ParamValue fallback, std::string symbol) {
  return param::integer(std::move(id), std::move(title), std::move(help), std::move(fallback), 1, 4096,
                        {.symbol = std::move(symbol)});
}

// A parameter that means what it does in multi_head.
ParamSpec as_in_multi_head(std::string_view id) {
  const auto& specs = multi_head_words::params();
  ParamSpec spec = *find_param(specs, id);
  spec.part_of.clear();
  spec.breaks_named_heads = false;  // there are none made by hand
  return spec;
}

std::vector<ParamSpec> width_params() {
  ParamSpec rotary =
      rank("d_rotary", "Width of places", "How many channels tell places, by pairs that turn (d_R).", Index{4}, "d_R");
  rotary.least = 2;
  rotary.step = 2;
  return {
      declare::heads(4),
      declare::width("d_head", 8, "d'", "the content of a query and a key"),
      rank("kv_rank", "Latent width", "How many numbers a token is kept as, besides its place (r).", Index{8}, "r"),
      rank("q_rank", "Query latent width",
           "How many numbers queries are made of; automatic is the input itself, without a latent.", std::monostate{},
           "r_q"),
      rank("d_value", "Width per value", "How many numbers make up a value in one head (d_v'); automatic is d_head.",
           std::monostate{}, "d_v'"),
      std::move(rotary),
      param::choice("latent_norm", "Latent norm", "Whether latents are brought to one size before heads unfold them.",
                    {{"none", "None", "Latents stay as they are."},
                     {"rms_norm", "RMS norm", "A mean square of 1, as DeepSeek-V2 has it."}},
                    {.question = ParamQuestion::keys}),
      mask::choice()};
}

std::vector<ParamSpec> place_params() {
  ParamSpec epsilon = as_in_multi_head("norm_epsilon"), rotary = as_in_multi_head("rotary"),
            base = as_in_multi_head("rotary_base"), offset = as_in_multi_head("rotary_offset");
  epsilon.part_of = "latent_norm";
  epsilon.question = ParamQuestion::keys;
  rotary.help = "Which channels of the part that tells places are a pair and turn (Su et al. 2021).";
  rotary.choices.erase(rotary.choices.begin());
  rotary.fallback = rotary.choices.front().id;
  base.help = "How much slower the last pair of channels turns than the first.";
  // Turned places are what the mechanism is, no choice beside it.
  for (ParamSpec* spec : {&rotary, &base, &offset}) spec->question = ParamQuestion::size;
  return {std::move(epsilon), std::move(rotary), std::move(base), std::move(offset), as_in_multi_head("query_offset")};
}

std::vector<ParamSpec> mask_params() {
  std::vector<ParamSpec> list = mask::params();
  for (ParamSpec& spec : list) {
    spec.question = ParamQuestion::visible;
    spec.breaks_named_heads = false;
  }
  return list;
}

std::vector<ParamSpec> score_params() {
  ParamSpec scale = as_in_multi_head("scale");
  scale.help = "What scores are multiplied by; automatic is 1/√(d' + d_R).";
  return {std::move(scale), as_in_multi_head("temperature"), declare::output_projection(), declare::bias(),
          declare::only_query()};
}

std::vector<ParamSpec> all_params() {
  std::vector<ParamSpec> list;
  for (auto* part : {width_params, place_params, mask_params, score_params})
    for (ParamSpec& spec : part()) list.push_back(std::move(spec));
  return list;
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class Latent final : public Variant {
 public:
  Latent() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    using declare::weight;
    const bool narrow = !params.is_automatic("q_rank") || given.contains("w_dq");
    const std::string asks = narrow ? "r_q" : "d_q";
    ArraySpecs specs{.inputs = declare::sequences("", ""), .weights = {}};
    specs.inputs.pop_back();  // values are made from what keys are made from
    const auto add = [&](const char* id, const char* symbol, const char* title, const char* help,
                         std::vector<std::string> shape, Role role) {
      specs.weights.push_back(
          declare::with_letter(id, weight(id, symbol, title, help, std::move(shape), Fill::init, role)));
    };
    if (narrow)
      add("w_dq", "W_{dq}", "Query compression", "Turn what asks into a few numbers.", {"d_q", "r_q"}, Role::query);
    add("w_uq", "W_{uq}", "Query weights", "Turn those into what each head asks of content.", {"M", asks, "d'"},
        Role::query);
    add("w_qr", "W_{qr}", "Query place weights", "Turn them into what each head asks of places.", {"M", asks, "d_R"},
        Role::query);
    add("w_dkv", "W_{dkv}", "Compression", "Turn a token into the few numbers that are kept of it.", {"d_k", "r"},
        Role::key);
    add("w_uk", "W_{uk}", "Key weights", "Unfold those into each head's key.", {"M", "r", "d'"}, Role::key);
    add("w_uv", "W_{uv}", "Value weights", "Unfold them into each head's value.", {"M", "r", "d_v'"}, Role::value);
    add("w_kr", "W_{kr}", "Key place weights", "Turn a token into what tells its place, for all heads.", {"d_k", "d_R"},
        Role::key);
    if (params.flag("output_projection")) declare::append(specs.weights, declare::output_weights(params, "Md_v'"));
    if (params.choice("latent_norm") != "none") {
      const auto stretch = [&](const char* id, const char* title, const char* rank) {
        specs.weights.push_back(
            weight(id, "\\gamma", title, "Stretches each channel of the latent.", {rank}, Fill::ones));
      };
      if (narrow) stretch("q_latent_gamma", "Query latent scale", "r_q");
      stretch("kv_latent_gamma", "Latent scale", "r");
    }
    declare::append(specs.inputs, mask::inputs(params, given));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_heads_with_values(params, symbols);
    symbols["r"] = params.integer("kv_rank");
    symbols["d_R"] = params.integer("d_rotary");
    if (!params.is_automatic("q_rank")) symbols["r_q"] = params.integer("q_rank");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_sequences(symbols); }
  Status validate(const ParamValues& params, const Symbols&) const override {
    const Index width = params.integer("d_rotary");
    if (width % 2 != 0) return fail("d_rotary {} must be even", width);
    return {};
  }
  std::span<const MaskOption* const> masks() const override { return mask_options(); }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "mla", "params": {"heads": 2, "d_head": 4, "kv_rank": 3, "q_rank": 5, "mask": "causal",
                                              "latent_norm": "rms_norm"},
                "inputs": {"x_q": {"text": "see what attention does"}}, "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& mla() {
  static const Latent variant;
  return variant;
}

}  // namespace headlight
