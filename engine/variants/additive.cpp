#include "engine/variants/additive.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/inputs/text.h"
#include "engine/math/math.h"
#include "engine/variants/additive_formulas.h"
#include "engine/variants/attention_mask.h"
#include "engine/variants/code_lines.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/explain.h"
#include "engine/variants/parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/textbook_picture.h"
#include "engine/variants/textbook_text.h"

namespace headlight {

namespace {

namespace tex = formulas::additive;

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "additive",
      .title = "Additive",
      .summary =
          "A small network scores each pair: query and key are added, bent by tanh and weighed, so that they need "
          "not have the same width.",
      .shorthand = "wᵀ tanh(q + k)",
      .source =
          "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, "
          "appendix A.1.2"};
  return info;
}

std::vector<ParamSpec> hidden_params() {
  return {{.id = "hidden",
           .title = "Hidden width",
           .help = "How many features each pair of query and key is described by (h).",
           .type = ParamType::integer,
           .fallback = Index{16},
           .least = 1,
           .most = 4096,
           .symbol = "h"},
          parts::only_query_param()};
}

std::vector<ArraySpec> inputs() {
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
           .title = "Values",
           .help = "What is averaged, as it is; the key input where nothing else is given.",
           .shapes = {{"B", "n_k", "d_v"}},
           .fill = Fill::alias,
           .alias_of = "x_k",
           .role = Role::value,
           .layout = Layout::rows},
          {.id = "valid_lens",
           .title = "Valid lengths",
           .help = "How many keys count, for each sequence or for each query; the rest are padding.",
           .shapes = {{"B"}, {"B", "n_q"}},
           .fill = Fill::absent,
           .kind = Kind::mask,
           .role = Role::mask}};
}

// ---- One run ------------------------------------------------------------------------------------------------------

struct Plan {
  Index batches, n_q, n_k, d_q, d_k, d_v, hidden;
  MaskRules mask;
  std::string k_source, v_source;

  Shape map_shape() const { return {batches, 1, n_q, n_k}; }
};

Plan plan_of(const Problem& problem) {
  Plan p{};
  p.batches = problem.dim("B");
  p.n_q = problem.dim("n_q");
  p.n_k = problem.dim("n_k");
  p.d_q = problem.dim("d_q");
  p.d_k = problem.dim("d_k");
  p.d_v = problem.dim("d_v");
  p.hidden = problem.dim("h");
  p.mask = mask_rules(problem, false, 1);
  p.k_source = problem.find("x_k") == problem.find("x_q") ? "x_q" : "x_k";
  p.v_source = problem.find("x_v") == problem.find("x_k") ? p.k_source : "x_v";
  return p;
}

std::vector<Axis> map_axes(const Recorder& r) {
  return {r.axis("B", "batch"), r.axis("M", "head"), r.axis("n_q", "query", Role::query),
          r.axis("n_k", "key", Role::key)};
}

// x (B, n, d) · w (d, h) → (B, 1, n, h)
void record_projection(Recorder& r, const Plan& p, StepInfo info, const std::string& x, const std::string& w) {
  const Tensor& X = r.values(x);
  const Index n = X.dim(1), d = X.dim(2);
  const Shape shape{p.batches, 1, n, p.hidden};
  Tensor out = Tensor::uninitialized(shape);
  math::project(r.compute(), X.data(), r.array(w).data(), nullptr, p.batches, n, d, 1, p.hidden, out.data());
  info.code = code::both(fmt::format("{} = ({} @ {})[:, None]", info.id, x, w));
  r.step(std::move(info), std::move(out), explain::per_head_linear(x, w, "", shape, d));
}

void record_projections(Recorder& r, const Plan& p) {
  record_projection(
      r, p,
      {.id = "q",
       .title = "Queries",
       .formula = tex::q,
       .note = fmt::format("Each token that asks becomes {} numbers. {{query:Query}} and {{key:key}} meet "
                           "by being added, so what they are made from may have different widths ({} and "
                           "{} here).",
                           p.hidden, p.d_q, p.d_k),
       .axes = {r.axis("B", "batch"), r.axis("M", "head"), r.axis("n_q", "query", Role::query), r.axis("h", "feature")},
       .role = Role::query},
      "x_q", "w_q");
  record_projection(
      r, p,
      {.id = "k",
       .title = "Keys",
       .formula = p.k_source == "x_q" ? tex::k_from_x_q : tex::k_from_x_k,
       .note = fmt::format("Each token that is asked becomes {} numbers, by a matrix of its own. There is "
                           "one head: several questions are asked by several features instead.",
                           p.hidden),
       .axes = {r.axis("B", "batch"), r.axis("M", "head"), r.axis("n_k", "key", Role::key), r.axis("h", "feature")},
       .role = Role::key},
      p.k_source, "w_k");
}

// features[b, 0, i, j, c] = tanh(q[b, 0, i, c] + k[b, 0, j, c])
explain::Explain explain_features(const Plan& p) {
  return [n_q = p.n_q, n_k = p.n_k, h = p.hidden](Index cell) {
    const Index c = cell % h, j = cell / h % n_k, i = cell / h / n_k % n_q, b = cell / h / n_k / n_q;
    Explanation e;
    e.combine = Combine::tanh;
    e.terms = {{{Operand::of("q", (b * n_q + i) * h + c)}}, {{Operand::of("k", (b * n_k + j) * h + c)}}};
    return e;
  };
}

void record_features(Recorder& r, const Plan& p) {
  const Shape shape{p.batches, 1, p.n_q, p.n_k, p.hidden};
  Tensor out = Tensor::uninitialized(shape);
  math::tanh_of_sums(r.compute(), r.values("q").data(), r.values("k").data(), p.batches, p.n_q, p.n_k, p.hidden,
                     out.data());
  std::vector<Axis> axes = map_axes(r);
  axes.push_back(r.axis("h", "feature"));
  r.step({.id = "features",
          .title = "Features",
          .formula = tex::features,
          .note = fmt::format("Every {{query:query}} is added to every {{key:key}}, and tanh bends each sum to between "
                              "−1 and 1: {} numbers for each of {} × {} pairs. Without the bend the {{query:query}} "
                              "would shift a whole row alike, and softmax would not notice it.",
                              p.hidden, p.n_q, p.n_k),
          .axes = std::move(axes),
          .role = Role::score,
          .code = {"features = np.tanh(q[:, :, :, None] + k[:, :, None])",
                   "features = torch.tanh(q[:, :, :, None] + k[:, :, None])"}},
         std::move(out), explain_features(p));
}

void record_scores(Recorder& r, const Plan& p) {
  Tensor out = Tensor::uninitialized(p.map_shape());
  math::linear(r.compute(), r.values("features").data(), r.array("w_score").data(), nullptr, p.batches * p.n_q * p.n_k,
               p.hidden, 1, false, out.data());
  r.step({.id = "scores",
          .title = "Scores",
          .formula = tex::scores,
          .note = fmt::format("One weighted sum over the {} features gives the {{score:score}} of the pair. It is not "
                              "divided by anything: tanh has kept each feature below 1, so the {{score:score}} cannot "
                              "exceed Σ|w| = {:.3g}.",
                              p.hidden,
                              [&] {
                                double sum = 0;
                                for (const float w : r.array("w_score").values()) sum += std::abs(w);
                                return sum;
                              }()),
          .axes = map_axes(r),
          .kind = Kind::score,
          .role = Role::score,
          .code = code::both("scores = features @ w_score")},
         std::move(out), explain::linear("features", "w_score", "", p.hidden, 1));
}

void record_weights(Recorder& r, const Plan& p) {
  const bool masked = p.mask.any();
  if (masked)
    parts::masked(r,
                  {.id = "masked_scores",
                   .title = "Masked scores",
                   .formula = tex::masked_scores,
                   .note = "A {mask:masked} score becomes −∞, which softmax turns into a weight of exactly 0. Padding "
                           "was added only to make sequences equally long, so those {key:keys} are hidden.",
                   .axes = map_axes(r),
                   .kind = Kind::score,
                   .role = Role::score},
                  "scores", p.mask);
  StepInfo info{.id = "weights",
                .title = "Attention weights",
                .formula = masked ? tex::weights_masked : tex::weights,
                .note =
                    "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1, as in "
                    "every attention with a softmax. Only how the {score:scores} were made is different here.",
                .axes = map_axes(r),
                .kind = Kind::probability,
                .role = Role::weight};
  if (masked)
    parts::masked_softmax(r, std::move(info), "masked_scores", p.mask);
  else
    parts::softmax(r, std::move(info), "scores");
}

void record_output(Recorder& r, const Plan& p) {
  const Shape shape{p.batches, 1, p.n_q, p.d_v};
  Tensor out = Tensor::uninitialized(shape);
  math::weighted_sum(r.compute(), r.values("weights").data(), r.values(p.v_source).data(), p.batches, p.n_q, p.n_k,
                     p.d_v, out.data());
  const char* formula = p.v_source == "x_v"   ? tex::output_from_x_v
                        : p.v_source == "x_k" ? tex::output_from_x_k
                                              : tex::output_from_x_q;
  r.step({.id = "output",
          .title = "Output",
          .formula = formula,
          .note = "Each {query:query} takes the {value:values} of all keys in the shares that its row of "
                  "{weight:weights} says. The {value:values} are averaged as they are: no matrix stands before or "
                  "after.",
          .axes = {r.axis("B", "batch"), r.axis("n_q", "query", Role::query), r.axis("d_v", "channel")},
          .role = Role::output,
          .code = code::both(fmt::format("output = weights[:, 0] @ {}", p.v_source))},
         std::move(out).reshaped({p.batches, p.n_q, p.d_v}),
         explain::weighted_sum("weights", p.v_source, shape, p.n_k));
}

void record_stages(Recorder& r, const Plan& p) {
  std::vector<std::string> input{"x_q"};
  for (const char* id : {"x_k", "x_v"})
    if (id == p.k_source || id == p.v_source) input.emplace_back(id);
  r.stage({"input", "Input", "x", std::move(input)});
  r.stage({"project", "Project", "q k", {"q", "k"}});
  r.stage({"features", "Features", "tanh", {"features"}});
  r.stage({"scores", "Scores", "· w", {"scores"}});
  if (p.mask.any()) r.stage({"mask", "Mask", "mask", {"masked_scores", "mask"}});
  r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  r.stage({"output", "Output", "output", {"output"}});
}

// ---- Weights made by hand -----------------------------------------------------------------------------------------

// Same token: for each channel of the embedding's identity two features, tanh(a(q − k) + b) and tanh(a(q − k) − b),
// and the second is taken from the first. Their difference is a bump that is high only where both numbers agree.
bool fill_text(Problem& problem) {
  constexpr double slope = 1.5, reach = 1.5, strength = 0.5;
  const Index d = problem.dim("d_q"), hidden = problem.dim("h");
  const TextChannels channels = text_channels(d);
  if (problem.input_kind != InputKind::text || channels.flags < 0 || problem.dim("d_k") != d || hidden < 2)
    return false;
  const auto w_q = array_to_make(problem, "w_q", {d, hidden});
  const auto w_k = array_to_make(problem, "w_k", {d, hidden});
  const auto w_score = array_to_make(problem, "w_score", {hidden});
  const Index read = std::min(channels.width, hidden / 2);
  for (Index c = 0; c < read; ++c)
    for (Index side = 0; side < 2; ++side) {
      const Index to = 2 * c + side;
      const double sign = side == 0 ? 1 : -1;
      if (w_q) {
        (*w_q)[(channels.identity + c) * hidden + to] = static_cast<float>(slope);
        (*w_q)[(channels.flags + 3) * hidden + to] = static_cast<float>(sign * reach / flag_size);
      }
      if (w_k) (*w_k)[(channels.identity + c) * hidden + to] = static_cast<float>(-slope);
      if (w_score) (*w_score)[to] = static_cast<float>(sign * strength);
    }
  for (const auto& [id, tensor] : {std::pair{"w_q", w_q}, {"w_k", w_k}, {"w_score", w_score}})
    if (tensor) problem.arrays[id] = tensor;
  const bool across = problem.find("x_k") && problem.find("x_k") != problem.find("x_q");
  if (across && !problem.labels.contains("n_k")) return true;  // keys that are no text: nothing is known of them
  HeadInfo info{"Same token",
                fmt::format("Looks {}: two features make a bump that is high only where a number of the query and one "
                            "of the key agree.",
                            across ? "where its own word stands in the other text; a word that does not stand there "
                                     "looks at what is nearest to it by chance"
                                   : "at itself and at other places of the same word"),
                Wants::same_word};
  if (read < 4) info.sentence += " With so few features it takes some words for others.";
  problem.heads.push_back(std::move(info));
  return true;
}

// ---- The variant --------------------------------------------------------------------------------------------------

class Additive final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = hidden_params();
    return specs;
  }

  ArraySpecs arrays(const ParamValues&, const std::set<std::string, std::less<>>&) const override {
    return {
        .inputs = inputs(),
        .weights = {
            parts::weight("w_q", "Query weights", "Turn a token into a query.", {"d_q", "h"}, Fill::init, Role::query),
            parts::weight("w_k", "Key weights", "Turn a token into a key.", {"d_k", "h"}, Fill::init, Role::key),
            parts::weight("w_score", "Score weights", "How much each feature counts.", {"h"}, Fill::init,
                          Role::score)}};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    symbols["h"] = params.integer("hidden");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    symbols.emplace("n_k", symbols.at("n_q"));
    symbols.emplace("d_k", symbols.at("d_q"));
    symbols.emplace("d_v", symbols.at("d_k"));
  }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }

  Cost cost(const Problem& problem) const override {
    const Plan p = plan_of(problem);
    CostSheet sheet;
    sheet.add({p.batches, p.n_q, p.hidden}, linear_operations(p.d_q, false));  // q
    sheet.add({p.batches, p.n_k, p.hidden}, linear_operations(p.d_k, false));  // k
    sheet.add({p.batches, p.n_q, p.n_k, p.hidden}, 2);                         // features
    sheet.add(p.map_shape(), linear_operations(p.hidden, false));              // scores
    if (p.mask.any()) {
      sheet.add(mask_shape(p.mask), 1);  // mask
      sheet.add(p.map_shape(), 2);       // masked_scores
    }
    sheet.add(p.map_shape(), softmax_operations);                           // weights
    sheet.add({p.batches, p.n_q, p.d_v}, linear_operations(p.n_k, false));  // output
    return sheet.total();
  }

  Result<bool> fill_textbook(Problem& problem) const override {
    return fill_text(problem) || fill_textbook_described_additive(problem);
  }

  std::vector<std::string> samples() const override {
    return {R"({"variant": "additive", "inputs": {"x_q": {"text": "see what attention does"}, "valid_lens": [4]},
                "weights": {"init": "textbook"}})"};
  }

  Status record(Recorder& r) const override {
    const Plan p = plan_of(r.problem());
    HL_CHECK(check_mask_values(p.mask));
    for (const auto record_part :
         {record_projections, record_features, record_scores, record_weights, record_output, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r, p);
    }
    return {};
  }
};

}  // namespace

const Variant& additive() {
  static const Additive variant;
  return variant;
}

}  // namespace headlight
