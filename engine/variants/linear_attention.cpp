#include "engine/ops/linear_attention_ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

Operation features_of(Recorder& r, const Array& x, const Array& ignored = {}, const MaskRules& rules = {});
MaskRules rules_of_padding(const Problem& problem);
MaskRules rules_of_all(const Problem& problem);
bool is_causal(const ParamValues& params);

// Katharopoulos et al. 2020, section 3.2; causal, section 3.3.
//   o_i = φ(q_i) S / (φ(q_i)·z)    S = Σ_j φ(k_j) v_jᵀ    z = Σ_j φ(k_j)    equations 4 to 6
//   causal: the sums are over j ≤ i                                         8 to 12
//   φ(x) = elu(x) + 1                                                       7
//   or max(x, 0), or of each of D random ω exp(x̂·ω − ‖x̂‖²/2) / √D, x̂ = x / d'^¼ (Choromanski et al. 2021, section 2.3,
//   without making them orthogonal)
//   α_ij = φ(q_i)·φ(k_j) / (φ(q_i)·z), the map that is implied              4
// Padding has features of 0, so it is in no sum.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k"), x_v = r.array("x_v");
  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x_q, r.array("w_q"), r.array("b_q")));  // (B, M, n_q, d')
  const Array k = r.step("k", ops::project(x_k, r.array("w_k"), r.array("b_k")));  // (B, M, n_k, d')
  const Array v = r.step("v", ops::project(x_v, r.array("w_v"), r.array("b_v")));  // (B, M, n_k, d')

  const MaskRules padding = rules_of_padding(r.problem()), all_rules = rules_of_all(r.problem());
  const ops::KeySums summed{
      .queries = q.axis_at(2), .causal = is_causal(r.params()), .first = all_rules.first_query};  // all j, or j ≤ i
  r.stage("features", "Features", "φ(q) φ(k)");
  const Array ignored =
      record::mask(r, "ignored_keys", padding, {q.axis_at(0), q.axis_at(1), q.axis_at(2), k.axis_at(2)});
  const Array phi_q = r.step("q_features", features_of(r, q));                    // (B, M, n_q, D)
  const Array phi_k = r.step("k_features", features_of(r, k, ignored, padding));  // (B, M, n_k, D)
  r.stage("state", "State", "Σ φ(k) vᵀ");
  const Array S =
      r.step("kv_state", ops::sum_of_outer_products(phi_k, v, summed));  // (B, M, D, d'), causal (B, M, n_q, D, d')
  const Array z = r.step("k_sum", ops::sum_of_keys(phi_k, summed));      // (B, M, D), causal (B, M, n_q, D)
  const Array denominator = r.step("denominator", ops::dot_with_key_sum(phi_q, z, summed));  // φ(q) · z: (B, M, n_q)

  // What these sums stand for; nothing below reads it.
  r.stage("map", "Implied map", "φ(q) φ(k)ᵀ", "weights");
  const Array s = r.step("scores", ops::dot_products(phi_q, phi_k));  // (B, M, n_q, n_k)
  const Array mask = record::mask(r, "mask", all_rules, s.axes);
  r.step("weights", ops::implied_weights(s, denominator, mask, all_rules));  // rows sum to 1, or are 0

  r.stage("read", "Read state", "φ(q) · state");
  const Array o = r.step("head_outputs",
                         ops::divided_products(phi_q, S, denominator, summed));  // φ(q) S / φ(q) · z: (B, M, n_q, d')
  record::merged_heads(r, o, "Md'");
}

Operation features_of(Recorder& r, const Array& x, const Array& ignored, const MaskRules& rules) {
  const std::string& map = r.params().choice("feature_map");
  const Axis features = r.axis("D", "feature");
  if (map == "favor") return ops::random_features(x, r.array("w_random"), features, ignored, rules);
  return ops::features(x, map == "relu" ? Combine::relu : Combine::elu_plus_one, features, ignored, rules);
}

// Those that hide a key from everybody, and all that there are.
const MaskOption* const padding_alone[] = {&valid_lengths(), &padding_mask()};
const MaskOption* const all_masks[] = {&valid_lengths(), &padding_mask(), &causal()};

MaskRules rules_of_padding(const Problem& problem) {
  return mask::rules(problem, padding_alone, mask::same_for_all_heads);
}

MaskRules rules_of_all(const Problem& problem) {
  return mask::rules(problem, all_masks, mask::same_for_all_heads);
}

bool is_causal(const ParamValues& params) {
  return params.choice("mask") == "causal";
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "linear_attention",
      .title = "Linear attention",
      .summary =
          "Scores are products of features, so that keys and values are added up once, into a state of fixed size, and "
          "each query reads that instead of all keys.",
      .shorthand = "φ(q) (Σ φ(k)vᵀ)",
      .source = "Katharopoulos et al. 2020, Transformers are RNNs, section 3, equations 4 to 12"};
}

std::string features_note(const Recorder& r, const char* one) {
  const std::string& map = r.params().choice("feature_map");
  const bool relu = map == "relu";
  const std::string padding = r.has("ignored_keys") ? " Padding has features of 0, so it is in no sum." : "";
  if (map == "favor")
    return fmt::format(
        "A {} looks in {} random directions, and each feature says how far it goes along one: the exp of it, less for "
        "a "
        "long {}. The product of two such rows is what softmax takes the exp for, exp(q·k/√d), but only on average: "
        "more directions come closer. (The directions of FAVOR+ are orthogonal; those drawn here are not.){}",
        one, r.dim("D"), one, padding);
  return fmt::format(
      "Each number of a {} becomes a feature that is {}. Softmax would need the exp of every {{score:score}} before it "
      "could add; features can be multiplied and added in any order.{}",
      one, relu ? "0 or more" : "above 0: x + 1 where x is above 0, exp(x) below", padding);
}

std::string state_note(const Recorder& r) {
  const Index features = r.dim("D"), width = r.dim("d'");
  return fmt::format(
      "All that is kept of {} {{key:keys}} and {{value:values}} is {} × {} numbers in each head, however long the "
      "text. "
      "{}",
      r.dim("n_k"), features, width,
      is_causal(r.params()) ? "For each {query:query} the state holds the {key:keys} up to its own place: one product "
                              "is added a token, as "
                              "a recurrent network would."
                            : "Every {query:query} reads the same state.");
}

std::vector<StepWords> step_words() {
  return {
      declare::query_words(),
      declare::key_words(),
      declare::value_words(". It goes into the state together with its {key:key}."),
      {"ignored_keys", "P", "Padding", "−∞ where the {key:key} is padding, which is in no sum."},
      {"q_features", "\\varphi^q", "Query features",
       [](const Recorder& r) { return features_note(r, "{query:query}"); }, "φ(q)"},
      {"k_features", "\\varphi^k", "Key features", [](const Recorder& r) { return features_note(r, "{key:key}"); },
       "φ(k)"},
      {"kv_state", "S", "State", state_note, "S"},
      {"k_sum", "z", "Sum of keys",
       "The features of the same {key:keys} added up: what the shares of a row are to be divided by.", "z"},
      {"denominator", "n", "Denominator",
       "What the {query:query} has in common with all {key:keys} together. Dividing by it makes its {weight:weights} "
       "add up to 1.",
       "n"},
      {"scores", "s", "Similarities",
       "What each {query:query} has in common with each {key:key}. No program stores these: they are here to show "
       "what the state stands for."},
      {"mask", "M", "Mask", "−∞ where a rule hides the {key:key} from the {query:query}."},
      {"weights", "\\alpha", "Implied weights",
       [](const Recorder& r) {
         const bool random = r.params().choice("feature_map") == "favor";
         return fmt::format(
             "The map that the two sums imply: taking {{value:values}} in these shares gives the same "
             "{{output:output}} "
             "as reading the state. {}",
             random ? "It comes near softmax's map of the same {query:queries} and {key:keys}, nearer with more "
                      "directions."
                    : "It is flatter than a softmax's, for features cannot pick out one {key:key} as sharply as exp "
                      "does.");
       },
       "α"},
      {"head_outputs", "o", "Head outputs",
       "The {query:query}'s features read the state: {D} products for each channel, whatever the number of {key:keys}. "
       "The map beside it is not needed for that.",
       "y"},
      declare::concat_words("c", "d'"),
      declare::output_words(),
  };
}

std::vector<ParamSpec> all_params() {
  ParamSpec map = param::choice(
      "feature_map", "Features", "What is made of each number of a query and a key.",
      {{"elu", "ELU + 1", "x + 1 above 0, exp(x) below (Katharopoulos et al. 2020)."},
       {"relu", "ReLU", "x above 0, else 0: a query may have nothing in common with any key."},
       {"favor", "Random",
        "Positive random features, as in FAVOR+: products are softmax's on average (Choromanski et al. 2021)."}});
  ParamSpec features =
      param::integer("features", "Random features",
                     "How many random directions a query and a key look in (D); automatic is the head's width.",
                     param::automatic, 1, 4096, {.symbol = "D", .part_of = "feature_map", .part_of_choice = "favor"});
  return {declare::heads(4),   declare::width("d_head", 8, "d'"), declare::causal_mask(), std::move(map),
          std::move(features), declare::output_projection(),      declare::bias(),        declare::only_query()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class LinearAttention final : public Variant {
 public:
  LinearAttention() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    const declare::Projections made{.q = {"M", "d_q", "d'"}, .k = {"M", "d_k", "d'"}, .v = {"M", "d_v", "d'"}};
    ArraySpecs specs{.inputs = declare::sequences(), .weights = declare::projections(made)};
    declare::append(specs.weights, declare::projection_biases(made, params));
    if (params.choice("feature_map") == "favor")
      specs.weights.push_back(declare::with_letter(
          "Ω", declare::weight("w_random", "\\Omega", "Random directions",
                               "What queries and keys of a head are measured along; drawn, not learned.",
                               {"M", "d'", "D"}, Fill::normal, Role::none)));
    if (params.flag("output_projection")) declare::append(specs.weights, declare::output_weights(params, "Md'"));
    for (ArraySpec& spec : mask::inputs(padding_alone, params, given)) {
      spec.shapes.resize(1);  // whole sequences: each query has no sum of its own
      specs.inputs.push_back(std::move(spec));
    }
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_heads(params, symbols);
    const bool random = params.choice("feature_map") == "favor" && !params.is_automatic("features");
    symbols["D"] = params.integer(random ? "features" : "d_head");
    if (!params.flag("output_projection")) symbols["d_out"] = symbols["Md'"];
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_sequences(symbols); }
  std::span<const MaskOption* const> masks() const override { return all_masks; }
  // Softmax of the same queries and keys, which their features stand for.
  std::optional<PlainTwin> plain_twin(const ParamValues& params) const override {
    PlainTwin twin{.variant = "multi_head", .params = {}};
    for (const char* id : {"heads", "d_head", "mask", "output_projection", "only_query"})
      twin.params.emplace_back(id, params.get(id));
    return twin;
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "linear_attention", "params": {"heads": 2, "d_head": 4, "mask": "causal"},
                "inputs": {"x_q": {"text": "see what attention does"}, "valid_lens": [4]},
                "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& linear_attention() {
  static const LinearAttention variant;
  return variant;
}

}  // namespace headlight
