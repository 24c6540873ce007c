#include "docs/examples/distance.h"

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

Operation nearness(const Array& q, const Array& k, double sharpness);
MaskRules mask_of(const Problem& problem);

// softmax(−sharpness · |q − k|²) v, for each head. Kim, Papamakarios and Mnih 2021, L2 self-attention, with a weight
// for keys of its own.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const Array x_q = r.array("x_q"), x_k = r.array("x_k"), x_v = r.array("x_v");
  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x_q, r.array("w_q"), r.array("b_q")));  // (B, M, n_q, d')
  const Array k = r.step("k", ops::project(x_k, r.array("w_k"), r.array("b_k")));  // (B, M, n_k, d')
  const Array v = r.step("v", ops::project(x_v, r.array("w_v"), r.array("b_v")));  // (B, M, n_k, d')
  r.stage("scores", "Scores", "−|q − k|²");
  const Array s = r.step("scores", nearness(q, k, r.params().real("sharpness")));  // (B, M, n_q, n_k)
  const Array a = record::masked_softmax(r, s, mask_of(r.problem()));              // rows sum to 1
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::weighted_sum(a, v));  // (B, M, n_q, d')
  record::merged_heads(r, o, "Md'");                                // (B, n_q, d_out)
}

// ---- Its own operations ---------------------------------------------------------------------------------------------

// −sharpness · |q − k|² of q (B, M, n_q, d') and k (B, M, n_k, d') → (B, M, n_q, n_k).
Operation nearness(const Array& q, const Array& k, double sharpness) {
  const Index queries = q.dim(2), keys = k.dim(2), width = q.dim(3);
  const auto query = [=](Index cell) { return cell / keys * width; };  // where the channels of its query begin
  const auto key = [=](Index cell) { return (cell / (queries * keys) * keys + cell % keys) * width; };
  const auto code = [&](const char* along) {
    return fmt::format("-{} * (({}[:, :, :, None] - {}[:, :, None]) ** 2).sum({}=-1)", sharpness, q.id, k.id, along);
  };
  return {.axes = {q.axis_at(0), q.axis_at(1), q.axis_at(2), k.axis_at(2)},
          .run =
              [q = q.values, k = k.values, query, key, keys, width, sharpness](Compute& compute, float* to) {
                compute.parallel_each(q->size() / width * keys, 256, [&](Index cell) {
                  double sum = 0;
                  for (Index c = 0; c < width; ++c) {
                    const double apart = (*q)[query(cell) + c] - (*k)[key(cell) + c];
                    sum += apart * apart;
                  }
                  to[cell] = static_cast<float>(-sharpness * sum);
                });
              },
          .explain =
              [q = q.id, k = k.id, query, key, width, sharpness](Index cell) {
                Explanation e;
                e.scale = -sharpness;
                e.scale_label = fmt::format("−{}", sharpness);
                for (Index c = 0; c < width; ++c) {  // (q − k)² = q q − 2 q k + k k
                  const Operand of_q = Operand::of(q, query(cell) + c), of_k = Operand::of(k, key(cell) + c);
                  e.terms.push_back({{of_q, of_q}});
                  e.terms.push_back({{Operand::constant(-2, "−2"), of_q, of_k}});
                  e.terms.push_back({{of_k, of_k}});
                }
                return e;
              },
          .code = {code("axis"), code("dim")},
          .formula = {fmt::format("-{}\\,\\lVert {} - {} \\rVert^2", sharpness, notation::written(q),
                                  notation::written(k))},
          .operations = 6.0 * static_cast<double>(width),
          .kind = Kind::score,
          .role = Role::score};
}

// The rules that can hide keys, in the order in which reasons are told.
const MaskOption* const all_masks[] = {&causal(), &valid_lengths(), &padding_mask()};

MaskRules mask_of(const Problem& problem) {
  return mask::rules(problem, all_masks, problem.dim("M"));
}

// ---- What is said of it --------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {.id = "distance",
          .title = "Distance",
          .summary = "A query looks at the keys that lie near it, whatever their length.",
          .shorthand = "softmax(−|q − k|²)v",
          .source = "Kim, Papamakarios and Mnih 2021, The Lipschitz Constant of Self-Attention, L2 self-attention"};
}

std::vector<StepWords> step_words() {
  return {
      declare::query_words(),
      declare::key_words(),
      declare::value_words("."),
      {"scores", "s", "Scores",
       "How near each {query:query} lies to each {key:key}: the squared distance of the two, times −{sharpness}. No "
       "{score:score} is above 0, and only a {key:key} that equals the {query:query} has 0."},
      declare::mask_words(),
      declare::masked_scores_words(),
      declare::weight_words(": most of it goes to the nearest {key:keys}."),
      declare::head_output_words(),
      declare::concat_words("c", "d'"),
      declare::output_words(),
  };
}

std::vector<ParamSpec> all_params() {
  return {declare::heads(4),
          declare::width("d_head", 8, "d'"),
          param::real("sharpness", "Sharpness",
                      "What squared distances are multiplied by: the larger, the fewer keys count.", 1.0, 0.01, 100),
          declare::causal_mask(),
          declare::output_projection(),
          declare::bias(),
          declare::only_query()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class Distance final : public Variant {
 public:
  Distance() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    const declare::Projections made{.q = {"M", "d_q", "d'"}, .k = {"M", "d_k", "d'"}, .v = {"M", "d_v", "d'"}};
    ArraySpecs specs{.inputs = declare::sequences(), .weights = declare::projections(made)};
    declare::append(specs.weights, declare::projection_biases(made, params));
    if (params.flag("output_projection")) declare::append(specs.weights, declare::output_weights(params, "Md'"));
    declare::append(specs.inputs, mask::inputs(all_masks, params, given));
    return specs;
  }
  void bind(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_heads(params, symbols);
    if (!params.flag("output_projection")) symbols["d_out"] = symbols["Md'"];
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_sequences(symbols); }
  std::span<const MaskOption* const> masks() const override { return all_masks; }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "distance", "params": {"heads": 2, "d_head": 4, "mask": "causal"},
                "inputs": {"x_q": {"text": "see what attention does"}, "valid_lens": [4]},
                "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& distance_variant() {
  static const Distance variant;
  return variant;
}

}  // namespace headlight
