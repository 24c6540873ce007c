#include <cmath>

#include "engine/ops/picture_ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

math::Window window_of(const Recorder& r);
bool is_masked(const Recorder& r);

// y_ij = Σ_{ab ∈ N_k(i, j)} softmax_ab(q_ij · k_ab / √d') v_ab in each head, N_k(i, j) the window round pixel ij, which
// is zeros outside the picture, or masked there. Ramachandran et al. 2019, section 2.2, equation 2, which has no √d':
// that is Vaswani et al. 2017, and can be left out.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const ops::Positions x(r.array("x"));
  const Axis queries = declare::pixels(r, "n_q"), all = declare::pixels(r, "N");
  const math::Window window = window_of(r);
  const bool masked = is_masked(r);
  const Array no_bias;
  const ops::Factor no_factor;

  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x, r.array("w_q"), no_bias, queries));  // (B, M, HW, d')
  const Array k = r.step("k", ops::project(x, r.array("w_k"), no_bias, all));      // (B, M, HW, d')
  const Array v = r.step("v", ops::project(x, r.array("w_v"), no_bias, all));      // (B, M, HW, d')

  r.stage("scores", "Scores", "q kᵀ");
  const Axis keys = declare::window_keys(r, window.extent);
  Array s = r.step("scores", ops::dot_products_in_neighborhood(q, k, window, no_factor, keys));  // (B, M, HW, k²)
  if (r.params().choice("normalizer") != "none") {
    r.stage("scale", "Scale", "÷ √d");
    s = r.step("scaled_scores", ops::scaled(s, ops::over_root_of(q)));
  }
  const Array a = record::softmax_in_neighborhood(r, s, window, masked);  // rows sum to 1
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::weighted_sum_in_neighborhood(a, v, window, masked));  // (B, M, HW, d')
  r.stage("output", "Output", "output");
  r.step("output", ops::heads_as_channels(o, declare::picture_axes(r, "Md'", queries)));  // (B, M·d', H, W)
}

math::Window window_of(const Recorder& r) {
  return {.rows = r.dim("H"), .columns = r.dim("W"), .extent = r.params().integer("extent")};
}

bool is_masked(const Recorder& r) {
  return r.params().choice("padding") == "masked";
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "memory_block",
      .title = "Memory block",
      .summary =
          "Every pixel attends to the small window round it, by content alone: a convolution whose weights the picture "
          "makes for itself.",
      .shorthand = "softmax in k×k",
      .source = "Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2, equation 2"};
}

std::vector<ParamSpec> param_specs() {
  return {
      declare::extent(Index{3}, "The side of the window that a query sees, an odd number of pixels (k)."),
      declare::heads(1),
      declare::width("d_head", 8, "d'"),
      declare::padding(false),
      param::choice("normalizer", "Scale", "What scores are divided by.",
                    {{"sqrt_d_head", "√ width per head", "The root of the count of products in a score."},
                     {"none", "Nothing", "Scores are as they are, as in the paper's equation."}},
                    {.advanced = true}),
  };
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       "A {query:query} is what a pixel asks with: its channels ({C}), mixed into {d'} by one matrix that all pixels "
       "share."},
      {"k", "k", "Keys",
       [](const Recorder& r) {
         return fmt::format(
             "A {{key:key}} is what a pixel is found by. It is made once and serves in up to {} windows, one for each "
             "pixel that has this one near it.",
             window_of(r).most_inside());
       }},
      {"v", "v", "Values",
       "A {value:value} is what a pixel passes on to the pixels near it that look at it. A convolution would have a "
       "matrix for each place in the window; here all places share this one."},
      {"scores", "s", "Scores",
       [](const Recorder& r) {
         const math::Window window = window_of(r);
         return fmt::format(
             "Each {{query:query}} meets the {0} × {0} {{key:keys}} of its own window, row by row; the middle one is "
             "its own pixel. That is {1} {{score:scores}} in each head, where all pairs of pixels would be {2}. "
             "Outside "
             "the picture a {{key:key}} is zeros and scores 0.",
             window.extent, window.pixels() * window.keys(), window.pixels() * window.pixels());
       }},
      {"scaled_scores", "\\tilde s", "Scaled scores",
       [](const Recorder& r) {
         const Index d = r.dim("d'");
         return fmt::format(
             "A dot product of {0} products has a spread that grows like √{0}. Dividing by √{0} ≈ {1:.3f} keeps "
             "softmax "
             "from going to all or nothing by the width alone.",
             d, std::sqrt(static_cast<double>(d)));
       }},
      declare::masked_scores_words(declare::hidden_outside_note),
      {"weights", "\\alpha", "Attention weights",
       [](const Recorder& r) {
         return fmt::format(
             "Each {{query:query}} row of {} {{score:scores}} becomes {{weight:weights}} that add up to 1. Nothing "
             "tells "
             "the places of a window apart, so shuffling its pixels shuffles the {{weight:weights}} with them: a "
             "convolution knows left from right, this does not.{}",
             r.dim("n_k"),
             is_masked(r) ? "" : " A {key:key} of zeros scores 0, which is not the lowest score: it takes its share.");
       },
       "α"},
      {"head_outputs", "y", "Head outputs",
       [](const Recorder& r) {
         return fmt::format(
             "Each {{query:query}} takes the {{value:values}} of its window in the shares that its row of "
             "{{weight:weights}} says. {}",
             is_masked(r)
                 ? "Near the border it is an average of fewer pixels."
                 : "Near the border some of the {weight:weight} goes to {value:values} of zeros, so the result "
                   "is drawn towards 0 there.");
       },
       "y"},
      {"output", "o", "Output",
       "The heads are laid side by side as the {Md'} channels of a picture, head 0 first. Nothing is computed: there "
       "is no output matrix here, so each channel belongs to one head."},
  };
}

// ---- The variant ---------------------------------------------------------------------------------------------------

class MemoryBlock final : public Variant {
 public:
  MemoryBlock() : Variant(variant_info(), param_specs(), step_words()) {}

  ArraySpecs arrays(const ParamValues&, const IdSet&) const override {
    const std::vector<std::string> shape{"M", "C", "d'"};
    return {.inputs = {declare::picture()},
            .weights = declare::projections({.from = "a pixel", .q = shape, .k = shape, .v = shape})};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_heads(params, symbols);
    symbols["n_k"] = params.integer("extent") * params.integer("extent");
  }

  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_pixels(symbols); }
  Status validate(const ParamValues& params, const Symbols&) const override { return declare::check_extent(params); }

  std::span<const MaskOption* const> masks() const override { return declare::window_masks(); }
  std::vector<std::string> samples() const override {
    return {
        R"({"variant": "memory_block", "params": {"d_head": 4},
            "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
        R"({"variant": "memory_block", "params": {"heads": 2, "d_head": 3, "padding": "masked"},
            "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
    };
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& memory_block() {
  static const MemoryBlock variant;
  return variant;
}

}  // namespace headlight
