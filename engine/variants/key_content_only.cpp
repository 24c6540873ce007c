#include "engine/variants/key_content_only.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/inputs/text.h"
#include "engine/math/math.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/explain.h"
#include "engine/variants/key_content_only_formulas.h"
#include "engine/variants/parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/textbook_picture.h"
#include "engine/variants/textbook_text.h"

namespace headlight {

namespace {

namespace tex = formulas::key_content_only;

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "key_content_only",
      .title = "Key content only",
      .summary =
          "One learned vector asks for all: what is looked at depends on the keys alone, so every query gets the "
          "same answer.",
      .shorthand = "softmax(uᵀk) v",
      .source = "Zhu et al. 2019, An Empirical Study of Spatial Attention Mechanisms in Deep Networks, section 3"};
  return info;
}

std::vector<ParamSpec> head_params() {
  return {{.id = "heads",
           .title = "Heads",
           .help = "How many heads attend side by side, each with a question and weights of its own.",
           .type = ParamType::integer,
           .fallback = Index{4},
           .least = 1,
           .most = 512,
           .symbol = "M"},
          {.id = "d_head",
           .title = "Width per head",
           .help = "How many numbers make up the question, a key and a value in one head (d').",
           .type = ParamType::integer,
           .fallback = Index{8},
           .least = 1,
           .most = 4096,
           .symbol = "d'"}};
}

// ---- Axes and steps -----------------------------------------------------------------------------------------------

// Queries and keys are the same positions: both axes have the input's labels and grid.
Axis positions(const Recorder& r, bool keys) {
  Axis axis = r.axis("n_q", keys ? "key" : "query", keys ? Role::key : Role::query);
  if (keys) axis.symbol = "n_k";
  return axis;
}

std::vector<Axis> head_axes(const Recorder& r, bool keys) {
  return {r.axis("B", "batch"), r.axis("M", "head"), positions(r, keys), r.axis("d'", "channel")};
}

std::vector<Axis> map_axes(const Recorder& r) {
  return {r.axis("B", "batch"), r.axis("M", "head"), positions(r, false), positions(r, true)};
}

StepInfo output_info(const Recorder& r, std::string id, std::string title, const char* formula, std::string note,
                     const char* channels = "d") {
  return {.id = std::move(id),
          .title = std::move(title),
          .formula = formula,
          .note = std::move(note),
          .axes = {r.axis("B", "batch"), positions(r, false), r.axis(channels, "channel")},
          .role = Role::output};
}

void record_projections(Recorder& r) {
  parts::project(r,
                 {.id = "k",
                  .title = "Keys",
                  .formula = tex::k,
                  .note = fmt::format("A {{key:key}} is what a position is found by: {} numbers in each head, made "
                                      "from its own content. There are no queries to make: each head asks with one "
                                      "vector u that was learned once.",
                                      r.dim("d'")),
                  .axes = head_axes(r, true),
                  .role = Role::key},
                 "x", "w_k", "");
  parts::project(r,
                 {.id = "v",
                  .title = "Values",
                  .formula = tex::v,
                  .note = "A {value:value} is what a position passes on to those who look at it. It has no say in who "
                          "looks at whom.",
                  .axes = head_axes(r, true),
                  .role = Role::value},
                 "x", "w_v", "");
}

// scores[b, m, i, j] = u[m] · k[b, m, j]: one row, the same for every i.
explain::Explain explain_scores(const Shape& shape, Index d_head) {
  return [shape, d_head](Index cell) {
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    const Index key = ((at[0] * shape[1] + at[1]) * shape[3] + at[3]) * d_head;
    Explanation e;
    for (Index c = 0; c < d_head; ++c)
      e.terms.push_back({{Operand::of("u", at[1] * d_head + c), Operand::of("k", key + c)}});
    return e;
  };
}

void record_scores(Recorder& r) {
  const Tensor& u = r.array("u");   // (M, d')
  const Tensor& k = r.values("k");  // (B, M, n, d')
  const Index heads = u.dim(0), d_head = u.dim(1), n = k.dim(2);
  const Shape shape{k.dim(0), heads, n, n};
  Tensor out = Tensor::uninitialized(shape);
  for (Index plane = 0; plane < shape[0] * heads && !r.cancelled(); ++plane) {
    float* first = out.data() + plane * n * n;
    math::scores(r.compute(), u.data() + plane % heads * d_head, k.data() + plane * n * d_head, 1, 1, n, d_head, first);
    for (Index i = 1; i < n; ++i) std::copy_n(first, n, first + i * n);
  }
  r.step(
      {.id = "scores",
       .title = "Scores",
       .formula = tex::scores,
       .note = fmt::format("The {{score:score}} of a {{key:key}} is its dot product with u, and no {{query:query}} "
                           "enters: all {} rows are equal. It is a map of what stands out, whoever asks. Nothing is "
                           "divided by √d' here.",
                           n),
       .axes = map_axes(r),
       .kind = Kind::score,
       .role = Role::score,
       .code = {fmt::format(R"(scores = np.einsum("me,bmje->bmj", u, k)[:, :, None].repeat({}, axis=2))", n),
                fmt::format(R"(scores = torch.einsum("me,bmje->bmj", u, k)[:, :, None].expand(-1, -1, {}, -1))", n)}},
      std::move(out), explain_scores(shape, d_head));
}

void record_attention(Recorder& r) {
  parts::softmax(r,
                 {.id = "weights",
                  .title = "Attention weights",
                  .formula = tex::weights,
                  .note = "Each row of {score:scores} becomes {weight:weights} that add up to 1; since the rows are "
                          "equal, so are the {weight:weights}. What is stored for every pair could be kept once for "
                          "each {key:key}: that is what makes this kind of attention cheap.",
                  .axes = map_axes(r),
                  .kind = Kind::probability,
                  .role = Role::weight},
                 "scores");
  parts::weighted_sum(r,
                      {.id = "head_outputs",
                       .title = "Head outputs",
                       .formula = tex::head_outputs,
                       .note = "The {value:values} of all positions in the shares that the {weight:weights} say: one "
                               "summary of the whole input, handed to every {query:query} alike. With one more "
                               "position the summary changes for all of them.",
                       .axes = head_axes(r, false),
                       .role = Role::output},
                      "weights", "v");
  parts::concatenation(
      r,
      output_info(r, "concat", "Concatenated heads", tex::concat,
                  fmt::format("The {{output:outputs}} of the heads are laid side by side, {} channels each, head 1 "
                              "first. Nothing is computed.",
                              r.dim("d'")),
                  "Md'"),
      "head_outputs");
}

void record_block(Recorder& r) {
  parts::linear(r,
                output_info(r, "projected", "Projected output", tex::projected,
                            "The output matrix brings the heads back to the input's width, mixing their channels at "
                            "each position alone. All positions still hold the same numbers."),
                "concat", "w_o", "");
  parts::sum(r,
             output_info(r, "residual", "Residual sum", tex::residual,
                         "The input is added back. Only here do the positions differ again: each is its own token plus "
                         "the one summary that all share."),
             "x", "projected");
  parts::layer_norm(r,
                    output_info(r, "output", "Output", tex::output,
                                "Each position is brought to mean 0 and variance 1 over its channels, then stretched "
                                "by γ and shifted by β."),
                    "residual", "ln");
}

void record_stages(Recorder& r) {
  r.stage({"input", "Input", "x", {"x"}});
  r.stage({"project", "Project", "k v", {"k", "v"}});
  r.stage({"scores", "Scores", "u kᵀ", {"scores"}});
  r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  r.stage({"weighted_sum", "Weighted sum", "weights · v", {"head_outputs"}});
  r.stage({"concat", "Concat", "concat", {"concat"}});
  r.stage({"project_out", "Project out", "· w_o", {"projected"}});
  r.stage({"add", "Add", "+ x", {"residual"}});
  r.stage({"output", "Norm", "output", {"output"}});
}

// ---- Weights made by hand -----------------------------------------------------------------------------------------

struct Behaviour {
  const char* name;
  const char* sentence;
  Index flag;       // which of the embedding's flags the key reads
  double strength;  // of the score where the flag is up
};

constexpr std::array<Behaviour, 4> behaviours{{
    {"Function words", "Looks at the small words that hold a sentence together, whoever asks.", 2, 2.5},
    {"Content words", "Looks away from the small words: what is left are those that carry meaning.", 2, -2.5},
    {"First token", "Looks at the start token, whoever asks; without one it looks at everything alike.", 1, 6},
    {"Punctuation", "Looks at commas, stops and other signs; without any it looks at everything alike.", 0, 5},
}};

bool fill_text(Problem& problem) {
  const Index d = problem.dim("d"), heads = problem.dim("M"), d_head = problem.dim("d'");
  const TextChannels channels = text_channels(d);
  if (problem.input_kind != InputKind::text || channels.flags < 0) return false;
  const auto u = array_to_make(problem, "u", {heads, d_head});
  const auto w_k = array_to_make(problem, "w_k", {heads, d, d_head});
  const auto w_v = array_to_make(problem, "w_v", {heads, d, d_head});
  const auto w_o = array_to_make(problem, "w_o", {heads * d_head, d});
  const Index width = std::min({channels.width, d_head, std::max<Index>(1, d / 4)});
  for (Index m = 0; m < heads; ++m) {
    const auto which = static_cast<std::size_t>(m);
    const Behaviour& b = behaviours[which % behaviours.size()];
    const double softness = 1 + 0.5 * static_cast<double>(which / behaviours.size());
    if (u) (*u)[m * d_head] = static_cast<float>(b.strength / softness);
    if (w_k) (*w_k)[(m * d + channels.flags + b.flag) * d_head] = 1 / flag_size;
    for (Index c = 0; c < width; ++c) {
      if (w_v) (*w_v)[(m * d + channels.identity + c) * d_head + c] = 1;
      if (w_o) (*w_o)[(m * d_head + c) * d + m % 4 * (d / 4) + c] = 0.5F;
    }
    HeadInfo info{b.name, b.sentence};
    if (which >= behaviours.size()) {
      info.name += fmt::format(" {}", which / behaviours.size() + 1);
      info.sentence += " Softer than the head it repeats.";
    }
    problem.heads.push_back(std::move(info));
  }
  for (const auto& [id, tensor] : {std::pair{"u", u}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}})
    if (tensor) problem.arrays[id] = tensor;
  return true;
}

// ---- The variant --------------------------------------------------------------------------------------------------

class KeyContentOnly final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = head_params();
    return specs;
  }

  ArraySpecs arrays(const ParamValues&, const std::set<std::string, std::less<>>&) const override {
    return {
        .inputs = {{.id = "x",
                    .title = "Input",
                    .help = "The positions that are looked at, one row each; all of them look.",
                    .shapes = {{"B", "n_q", "d"}},
                    .layout = Layout::rows}},
        .weights = {parts::weight("u", "Question", "What each head asks of every key; the same for all queries.",
                                  {"M", "d'"}, Fill::init, Role::query),
                    parts::weight("w_k", "Key weights", "Turn a position into each head's key.", {"M", "d", "d'"},
                                  Fill::init, Role::key),
                    parts::weight("w_v", "Value weights", "Turn a position into each head's value.", {"M", "d", "d'"},
                                  Fill::init, Role::value),
                    parts::weight("w_o", "Output weights", "Mix the heads into the output.", {"Md'", "d"}, Fill::init,
                                  Role::output),
                    parts::weight("ln_gamma", "Norm scale", "Stretches each normalised channel.", {"d"}, Fill::ones),
                    parts::weight("ln_beta", "Norm shift", "Shifts each normalised channel.", {"d"}, Fill::zeros)}};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = params.integer("heads");
    symbols["d'"] = params.integer("d_head");
    symbols["Md'"] = params.integer("heads") * params.integer("d_head");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols.at("n_q"); }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }

  Cost cost(const Problem& problem) const override {
    const Index batches = problem.dim("B"), heads = problem.dim("M"), n = problem.dim("n_q"), d = problem.dim("d"),
                d_head = problem.dim("d'");
    const Shape of_heads{batches, heads, n, d_head}, map{batches, heads, n, n}, rows{batches, n, d};
    CostSheet sheet;
    sheet.add(of_heads, linear_operations(d, false));           // k
    sheet.add(of_heads, linear_operations(d, false));           // v
    sheet.add(map, linear_operations(d_head, false));           // scores
    sheet.add(map, softmax_operations);                         // weights
    sheet.add(of_heads, linear_operations(n, false));           // head_outputs
    sheet.add(of_heads, 1);                                     // concat
    sheet.add(rows, linear_operations(heads * d_head, false));  // projected
    sheet.add(rows, 2);                                         // residual
    sheet.add(rows, layer_norm_operations);                     // output
    return sheet.total();
  }

  Result<bool> fill_textbook(Problem& problem) const override {
    return fill_text(problem) || fill_textbook_described_keys(problem);
  }

  std::vector<std::string> samples() const override {
    return {R"({"variant": "key_content_only",
                "inputs": {"x": {"text": "see what attention does"}}, "weights": {"init": "textbook"}})"};
  }

  Status record(Recorder& r) const override {
    for (const auto record_part : {record_projections, record_scores, record_attention, record_block, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r);
    }
    return {};
  }
};

}  // namespace

const Variant& key_content_only() {
  static const KeyContentOnly variant;
  return variant;
}

}  // namespace headlight
