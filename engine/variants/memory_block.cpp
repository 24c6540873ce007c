#include "engine/variants/memory_block.h"

#include <cmath>
#include <utility>

#include "engine/math/math.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/memory_block_formulas.h"
#include "engine/variants/parts.h"
#include "engine/variants/picture_parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/textbook_picture.h"

namespace headlight {

namespace {

namespace tex = formulas::memory_block;

// ---- What it is and what can be set -------------------------------------------------------------------------------

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "memory_block",
      .title = "Memory block",
      .summary =
          "Every pixel attends to the small window round it, by content alone: a convolution whose weights the picture "
          "makes for itself.",
      .shorthand = "softmax in k×k",
      .source = "Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2, equation 2"};
  return info;
}

std::vector<ParamSpec> param_specs() {
  return {
      {.id = "extent",
       .title = "Window",
       .help = "The side of the window that a query sees, an odd number of pixels (k).",
       .type = ParamType::integer,
       .fallback = Index{3},
       .least = 1,
       .most = 255,
       .step = 2},
      {.id = "heads",
       .title = "Heads",
       .help = "How many heads attend side by side, each with weights of its own.",
       .type = ParamType::integer,
       .fallback = Index{1},
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
      {.id = "padding",
       .title = "Padding",
       .help = "What a window finds outside the picture.",
       .type = ParamType::choice,
       .fallback = std::string("zero"),
       .choices = {{"zero", "Zeros", "Keys and values of zeros, which take part as any others."},
                   {"masked", "Masked", "Nothing: what lies outside takes no part."}}},
      {.id = "normalizer",
       .title = "Scale",
       .help = "What scores are divided by.",
       .type = ParamType::choice,
       .fallback = std::string("sqrt_d_head"),
       .advanced = true,
       .choices = {{"sqrt_d_head", "√ width per head", "The root of the count of products in a score."},
                   {"none", "Nothing", "Scores are as they are, as in the paper's equation."}}},
  };
}

// ---- One run, read off the problem once ---------------------------------------------------------------------------

struct Plan {
  Index batches, heads, channels, d_head;
  bool masked, divided;
  math::Window window;

  Index pixels() const { return window.pixels(); }
  // The scores that are masked, or go into softmax.
  const char* last_scores() const { return divided ? "scaled_scores" : "scores"; }
  Shape pixel_shape() const { return {batches, heads, pixels(), d_head}; }
  Shape map_shape() const { return {batches, heads, pixels(), window.keys()}; }
};

Plan plan_of(const Problem& problem) {
  return {
      .batches = problem.dim("B"),
      .heads = problem.dim("M"),
      .channels = problem.dim("C"),
      .d_head = problem.dim("d'"),
      .masked = problem.params.choice("padding") == "masked",
      .divided = problem.params.choice("normalizer") != "none",
      .window = {.rows = problem.dim("H"), .columns = problem.dim("W"), .extent = problem.params.integer("extent")}};
}

std::vector<Axis> head_axes(const Recorder& r, const char* positions) {
  return {r.axis("B", "batch"), r.axis("M", "head"), parts::pixel_axis(r, positions), r.axis("d'", "channel")};
}

std::vector<Axis> map_axes(const Recorder& r, const Plan& p) {
  return {r.axis("B", "batch"), r.axis("M", "head"), parts::pixel_axis(r, "n_q"),
          parts::window_axis(r, p.window.extent)};
}

// ---- Steps --------------------------------------------------------------------------------------------------------

void record_projections(Recorder& r, const Plan& p) {
  const Tensor pixels = parts::pixels_first(r);
  parts::project_pixels(r,
                        {.id = "q",
                         .title = "Queries",
                         .formula = tex::q,
                         .note = fmt::format("A {{query:query}} is what a pixel asks with: its channels ({}), mixed "
                                             "into {} by one matrix that all pixels share.",
                                             p.channels, p.d_head),
                         .axes = head_axes(r, "n_q"),
                         .role = Role::query},
                        pixels, "w_q", "");
  parts::project_pixels(
      r,
      {.id = "k",
       .title = "Keys",
       .formula = tex::k,
       .note = fmt::format("A {{key:key}} is what a pixel is found by. It is made once and serves in up to {} "
                           "windows, one for each pixel that has this one near it.",
                           p.window.most_inside()),
       .axes = head_axes(r, "N"),
       .role = Role::key},
      pixels, "w_k", "");
  parts::project_pixels(r,
                        {.id = "v",
                         .title = "Values",
                         .formula = tex::v,
                         .note = "A {value:value} is what a pixel passes on to the pixels near it that look at it. A "
                                 "convolution would have a matrix for each place in the window; here all places share "
                                 "this one.",
                         .axes = head_axes(r, "N"),
                         .role = Role::value},
                        pixels, "w_v", "");
}

StepInfo score_info(const Recorder& r, const Plan& p, std::string id, std::string title, std::string formula,
                    std::string note) {
  return {.id = std::move(id),
          .title = std::move(title),
          .formula = std::move(formula),
          .note = std::move(note),
          .axes = map_axes(r, p),
          .kind = Kind::score,
          .role = Role::score};
}

void record_scores(Recorder& r, const Plan& p) {
  parts::window_scores(
      r,
      score_info(r, p, "scores", "Scores", tex::scores,
                 fmt::format("Each {{query:query}} meets the {0} × {0} {{key:keys}} of its own window, row by row; the "
                             "middle one is its own pixel. That is {1} {{score:scores}} in each head, where all pairs "
                             "of pixels would be {2}. Outside the picture a {{key:key}} is zeros and scores 0.",
                             p.window.extent, p.pixels() * p.window.keys(), p.pixels() * p.pixels())),
      "q", "k", p.window);
  if (!p.divided) return;
  const double root = std::sqrt(static_cast<double>(p.d_head));
  parts::scaled(r,
                score_info(r, p, "scaled_scores", "Scaled scores", tex::scaled_scores,
                           fmt::format("A dot product of {0} products has a spread that grows like √{0}. Dividing by "
                                       "√{0} ≈ {1:.3f} keeps softmax from going to all or nothing by the width alone.",
                                       p.d_head, root)),
                "scores", 1 / root, fmt::format("1/√{}", p.d_head), fmt::format("/ {}**0.5", p.d_head));
}

void record_mask(Recorder& r, const Plan& p) {
  if (!p.masked) return;
  parts::hidden_outside(
      r,
      score_info(r, p, "masked_scores", "Masked scores", p.divided ? tex::masked_scores : tex::masked_scores_plain,
                 "Where the window leaves the picture there is no pixel. A {mask:masked} {score:score} becomes −∞ and "
                 "gets a {weight:weight} of exactly 0, so {query:queries} near the border share their attention among "
                 "fewer {key:keys}."),
      p.last_scores(), p.window);
}

void record_weights(Recorder& r, const Plan& p) {
  StepInfo info{
      .id = "weights",
      .title = "Attention weights",
      .formula = p.masked    ? tex::weights_masked
                 : p.divided ? tex::weights_window
                             : tex::weights_plain,
      .note = fmt::format(
          "Each {{query:query}} row of {} {{score:scores}} becomes {{weight:weights}} that add up to 1. Nothing tells "
          "the places of a window apart, so shuffling its pixels shuffles the {{weight:weights}} with them: a "
          "convolution knows left from right, this does not.{}",
          p.window.keys(),
          p.masked ? "" : " A {key:key} of zeros scores 0, which is not the lowest score: it takes its share."),
      .axes = map_axes(r, p),
      .kind = Kind::probability,
      .role = Role::weight};
  if (p.masked)
    parts::hidden_softmax(r, std::move(info), "masked_scores", p.window);
  else
    parts::softmax(r, std::move(info), p.last_scores());
}

void record_head_outputs(Recorder& r, const Plan& p) {
  parts::window_sum(
      r,
      {.id = "head_outputs",
       .title = "Head outputs",
       .formula = p.masked ? tex::head_outputs_window : tex::head_outputs_zero,
       .note = fmt::format("Each {{query:query}} takes the {{value:values}} of its window in the shares that its row "
                           "of {{weight:weights}} says. {}",
                           p.masked ? "Near the border it is an average of fewer pixels."
                                    : "Near the border some of the {weight:weight} goes to {value:values} of zeros, so "
                                      "the result is drawn towards 0 there."),
       .axes = head_axes(r, "n_q"),
       .role = Role::output},
      "weights", "v", p.window, p.masked);
}

// head_outputs (B, M, HW, d') → (B, M·d', H, W): channel m·d' + c is channel c of head m.
void record_output(Recorder& r, const Plan& p) {
  Tensor out = Tensor::uninitialized({p.batches, p.heads * p.d_head, p.window.rows, p.window.columns});
  math::transpose(r.compute(), r.values("head_outputs").data(), p.batches * p.heads, p.pixels(), p.d_head, out.data());
  const std::string shape = fmt::format(".reshape{}", to_string(out.shape()));
  r.step(
      {.id = "output",
       .title = "Output",
       .formula = tex::output,
       .note = fmt::format("The heads are laid side by side as the {} channels of a picture, head 1 first. Nothing "
                           "is computed: there is no output matrix here, so each channel belongs to one head.",
                           p.heads * p.d_head),
       .axes = parts::picture_axes(r, "Md'"),
       .role = Role::output,
       .code = {"output = np.moveaxis(head_outputs, 3, 2)" + shape, "output = head_outputs.transpose(2, 3)" + shape}},
      std::move(out), [p](Index cell) {
        const Index pixel = cell % p.pixels(), channel = cell / p.pixels() % p.d_head;
        const Index plane = cell / (p.pixels() * p.d_head);  // b · M + m
        Explanation e;
        e.terms = {{{Operand::of("head_outputs", (plane * p.pixels() + pixel) * p.d_head + channel)}}};
        return e;
      });
}

// Nodes of the stepper and tiles of the pipeline, in the order of the steps.
void record_stages(Recorder& r, const Plan& p) {
  r.stage({"input", "Input", "x", {"x"}});
  r.stage({"project", "Project", "q k v", {"q", "k", "v"}});
  r.stage({"scores", "Scores", "q kᵀ", {"scores"}});
  if (p.divided) r.stage({"scale", "Scale", "÷ √d", {"scaled_scores"}});
  if (p.masked) r.stage({"mask", "Mask", "mask", {"masked_scores"}});
  r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  r.stage({"weighted_sum", "Weighted sum", "weights · v", {"head_outputs"}});
  r.stage({"output", "Output", "output", {"output"}});
}

Cost cost_of(const Problem& problem) {
  const Plan p = plan_of(problem);
  CostSheet sheet;
  for (int i = 0; i < 3; ++i) sheet.add(p.pixel_shape(), linear_operations(p.channels, false));  // q, k, v
  sheet.add(p.map_shape(), linear_operations(p.d_head, false));                                  // scores
  if (p.divided) sheet.add(p.map_shape(), 1);                                                    // scaled_scores
  if (p.masked) sheet.add(p.map_shape(), 1);                                                     // masked_scores
  sheet.add(p.map_shape(), softmax_operations);                                                  // weights
  sheet.add(p.pixel_shape(), parts::window_sum_operations(p.window, p.masked));                  // head_outputs
  sheet.add(p.pixel_shape(), 1);                                                                 // output
  return sheet.total();
}

// Together they record every step.
std::vector<std::string> small_experiments() {
  return {
      R"({"variant": "memory_block", "params": {"d_head": 4},
          "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
      R"({"variant": "memory_block", "params": {"heads": 2, "d_head": 3, "padding": "masked"},
          "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
  };
}

// ---- The variant --------------------------------------------------------------------------------------------------

class MemoryBlock final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = param_specs();
    return specs;
  }

  ArraySpecs arrays(const ParamValues&, const std::set<std::string, std::less<>>&) const override {
    const std::vector<std::string> shape{"M", "C", "d'"};
    return {.inputs = {{.id = "x",
                        .title = "Picture",
                        .help = "A picture, channels first.",
                        .shapes = {{"B", "C", "H", "W"}},
                        .layout = Layout::grid}},
            .weights = {
                parts::weight("w_q", "Query weights", "Turn a pixel into each head's query.", shape, Fill::init,
                              Role::query),
                parts::weight("w_k", "Key weights", "Turn a pixel into each head's key.", shape, Fill::init, Role::key),
                parts::weight("w_v", "Value weights", "Turn a pixel into each head's value.", shape, Fill::init,
                              Role::value)}};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = params.integer("heads");
    symbols["d'"] = params.integer("d_head");
    symbols["Md'"] = params.integer("heads") * params.integer("d_head");
    symbols["n_k"] = params.integer("extent") * params.integer("extent");
  }

  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    symbols["N"] = symbols["n_q"] = symbols.at("H") * symbols.at("W");
  }

  Status validate(const ParamValues& params, const Symbols&) const override {
    const Index extent = params.integer("extent");
    if (extent % 2 != 0) return {};
    return fail("extent is {}: it must be odd, so that the window has a middle: try {} or {}", extent, extent - 1,
                extent + 1);
  }

  Cost cost(const Problem& problem) const override { return cost_of(problem); }
  Result<bool> fill_textbook(Problem& problem) const override { return fill_textbook_memory_block(problem); }

  std::vector<std::string> samples() const override { return small_experiments(); }

  // Ramachandran et al. 2019, section 2.2, equation 2, for each head, and the scale of Vaswani et al. 2017 where it is
  // not left out.
  Status record(Recorder& r) const override {
    const Plan p = plan_of(r.problem());
    for (const auto record_part : {record_projections, record_scores, record_mask, record_weights, record_head_outputs,
                                   record_output, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r, p);
    }
    return {};
  }
};

}  // namespace

const Variant& memory_block() {
  static const MemoryBlock variant;
  return variant;
}

}  // namespace headlight
