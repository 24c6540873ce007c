#include "engine/ops/picture_ops.h"
#include "engine/ops/shifted_windows.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

ops::ShiftedWindows windows_of(const Recorder& r);
Axis keys_of_window(const Recorder& r);
Axis places_of_window(const Recorder& r);

// softmax(q kᵀ / √d' + b) v in windows that may be shifted. Liu et al. 2021, section 3.2, equation 4.
void record_attention(Recorder& r) {
  const ops::ShiftedWindows windows = windows_of(r);
  r.stage("input", "Input", "x");
  const ops::Positions x(r.array("x"));
  const Axis queries = declare::pixels(r, "n_q"), all = declare::pixels(r, "N");
  const Axis keys = keys_of_window(r);
  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x, r.array("w_q"), r.array("b_q"), queries));  // (B, M, n_q, d')
  const Array k = r.step("k", ops::project(x, r.array("w_k"), r.array("b_k"), all));      // (B, M, HW, d')
  const Array v = r.step("v", ops::project(x, r.array("w_v"), r.array("b_v"), all));      // (B, M, HW, d')
  r.stage("windows", "Windows", "windows");
  r.step("windows", ops::numbers_of_windows(windows, {r.axis("H", "row"), r.axis("W", "column")}));  // (H, W)
  r.stage("position", "Position", "b[Δ]", "position_bias");
  const Array index = r.step("relative_index", ops::rows_of_offsets(windows, {places_of_window(r), keys}));
  const Array bias = r.step("position_bias", ops::bias_of_offsets(r.array("bias_table"), index, windows));
  r.stage("scores", "Scores", "q kᵀ");
  const Array dots = r.step("scores", ops::scores_in_windows(q, k, windows, keys));  // (B, M, n_q, w²)
  r.stage("scale", "Scale, add", "÷ √d + b");
  Array s = r.step("scaled_scores", ops::biased_in_windows(dots, bias, windows, ops::over_root_of(q)));
  if (windows.shift > 0) {
    r.stage("mask", "Mask", "mask");
    s = r.step("masked_scores", ops::hidden_across_cut(s, windows));
  }
  r.stage("softmax", "Softmax", "softmax");
  const Array a = r.step("weights", ops::softmax_in_windows(s, windows));  // rows sum to 1
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::sum_in_windows(a, v, windows));  // (B, M, n_q, d')
  r.stage("concat", "Concat", "concat");
  const Array rows = r.step("concat", ops::concatenation(o, r.axis("Md'", "channel")));  // (B, n_q, M·d')
  r.stage("output", "Output", "· w_o");
  r.step("output", ops::linear_to_picture(rows, r.array("w_o"), r.array("b_o"),
                                          declare::picture_axes(r, "out", queries)));  // (B, out, H, W)
}

ops::ShiftedWindows windows_of(const Recorder& r) {
  return {.rows = r.dim("H"),
          .columns = r.dim("W"),
          .side = r.params().integer("window"),
          .shift = r.params().integer("shift"),
          .only = r.problem().only_query.value_or(-1)};
}

// "0, 0", "0, 1": row and column in a window.
std::vector<std::string> labels_of_window(const Recorder& r) {
  const Index side = r.params().integer("window");
  std::vector<std::string> labels;
  for (Index place = 0; place < side * side; ++place) labels.push_back(place_of({1, side, side}, place));
  return labels;
}

// The places of a window, as keys.
Axis keys_of_window(const Recorder& r) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.labels = labels_of_window(r);
  axis.index = R"(\hl{n_k}{t})";
  axis.along = AxisRole::key;
  return axis;
}

// The same, as the places that queries have.
Axis places_of_window(const Recorder& r) {
  Axis axis = r.axis("w²", "place");
  axis.labels = labels_of_window(r);
  axis.index = "s";
  axis.along = AxisRole::channel;
  return axis;
}

// ---- Words ---------------------------------------------------------------------------------------------------------

const VariantInfo& variant_info() {
  static const VariantInfo info{.id = "swin",
                                .title = "Shifted windows",
                                .summary =
                                    "A picture is cut into square windows, and every pixel looks at those of its own; "
                                    "every other layer shifts the "
                                    "windows, so that neighbours meet.",
                                .shorthand = "softmax(qkᵀ + b)v in windows",
                                .source = "Liu et al. 2021, Swin Transformer, section 3.2, equation 4"};
  return info;
}

std::span<const StepWords> step_words() {
  static const StepWords words[] = {
      {"q", "q", "Queries",
       [](const Recorder& r) {
         return fmt::format(
             "A {{query:query}} is what a pixel asks with: its channels ({}), mixed into {} in each head.", r.dim("C"),
             r.dim("d'"));
       }},
      {"k", "k", "Keys", "A {key:key} is what a pixel is found by, whichever window it falls into."},
      {"v", "v", "Values", "A {value:value} is what a pixel passes on to those of its window."},
      {"windows", "g", "Windows",
       [](const Recorder& r) {
         const Index side = r.params().integer("window"), shift = r.params().integer("shift");
         const std::string rolled =
             shift == 0 ? std::string("Pixels of different windows never meet in this layer.")
                        : fmt::format(
                              "The picture is first rolled by {} in a circle, so the windows lie across the "
                              "borders of those of the layer before.",
                              shift);
         return fmt::format("Which of the {} windows of {} × {} pixels each pixel belongs to. {}",
                            r.dim("N") / (side * side), side, side, rolled);
       },
       "window"},
      {"relative_index", "I", "Row of the table",
       [](const Recorder& r) {
         const Index side = r.params().integer("window");
         return fmt::format(
             "Which of the {} rows of the table two places of a window use: one for each offset in rows and columns, "
             "the "
             "same in every window.",
             (2 * side - 1) * (2 * side - 1));
       },
       "row"},
      {"position_bias", "b", "Position bias",
       "What each head adds to a {score:score} for the offset alone. Every window has the same."},
      {"scores", "s", "Scores",
       [](const Recorder& r) {
         return fmt::format(
             "The dot product of {{query:query}} and {{key:key}}, for the {} pixels of the query's window alone: {} × "
             "{} "
             "numbers in each head, not {} × {}. {{key:Keys}} are counted row by row in their window.",
             r.dim("n_k"), r.dim("n_q"), r.dim("n_k"), r.dim("n_q"), r.dim("N"));
       }},
      {"scaled_scores", "\\tilde s", "Scaled scores",
       "Divided by √d', so that softmax is not driven to all or nothing by the width alone, with what is learned for "
       "the "
       "offset added."},
      {"masked_scores", "\\hat s", "Masked scores",
       "The circle brings pixels of opposite borders into one window. They are not neighbours, so they are "
       "{mask:masked}: what is left is a shifted grid that is cut at the border."},
      {"weights", "\\alpha", "Attention weights",
       "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1 over the pixels of its "
       "window.",
       "α"},
      {"head_outputs", "o", "Head outputs",
       "Each {query:query} takes the {value:values} of its window in the shares that its row of {weight:weights} says.",
       "y"},
      {"concat", "c", "Concatenated heads",
       [](const Recorder& r) {
         return fmt::format(
             "The {{output:outputs}} of the heads are laid side by side, {} channels each, head 1 first.", r.dim("d'"));
       },
       "concat"},
      {"output", "y", "Output",
       [](const Recorder& r) {
         return fmt::format("The output matrix mixes the heads into {} channels of a picture as large as the input.",
                            r.dim("out"));
       }},
  };
  return words;
}

std::vector<ParamSpec> all_params() {
  return {declare::heads(4),
          declare::width("d_head", 8, "d'"),
          {.id = "window",
           .title = "Window",
           .help = "The side of the square windows that the picture is cut into; it must divide both sides.",
           .type = ParamType::integer,
           .fallback = Index{4},
           .least = 1,
           .most = 255},
          {.id = "shift",
           .title = "Shift",
           .help = "How far the windows are shifted; the paper's every other block has half a window.",
           .type = ParamType::integer,
           .fallback = Index{0},
           .least = 0,
           .most = 254},
          declare::out_channels(),
          declare::bias(),
          declare::only_query()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

Status check_side(Index window, Index extent, const char* sides) {
  if (extent % window == 0) return {};
  return fail("window {} does not divide the picture's {} {}: use {}, or another size of picture", window, extent,
              sides, declare::divisors_of(extent));
}

class Swin final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }
  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = all_params();
    return specs;
  }
  std::span<const StepWords> words() const override { return step_words(); }

  ArraySpecs arrays(const ParamValues& params, const std::set<std::string, std::less<>>&) const override {
    using declare::weight;
    const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
    const std::vector<std::string> projection{"M", "C", "d'"}, shift{"M", "d'"};
    return {.inputs = {declare::picture()},
            .weights = {weight("w_q", "W_q", "Query weights", "Turn a pixel into each head's query.", projection,
                               Fill::init, Role::query),
                        weight("w_k", "W_k", "Key weights", "Turn a pixel into each head's key.", projection,
                               Fill::init, Role::key),
                        weight("w_v", "W_v", "Value weights", "Turn a pixel into each head's value.", projection,
                               Fill::init, Role::value),
                        weight("b_q", "b_q", "Query bias", "Added to each head's queries.", shift, bias, Role::query),
                        weight("b_k", "b_k", "Key bias", "Added to each head's keys.", shift, bias, Role::key),
                        weight("b_v", "b_v", "Value bias", "Added to each head's values.", shift, bias, Role::value),
                        weight("bias_table", "\\beta", "Bias table", "What each head adds to a score, for each offset.",
                               {"(2w-1)²", "M"}, Fill::init, Role::position),
                        weight("w_o", "W_o", "Output weights", "Mix the heads into the output.", {"Md'", "out"},
                               Fill::init, Role::output),
                        weight("b_o", "b_o", "Output bias", "Added to the output.", {"out"}, bias, Role::output)}};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    const Index side = params.integer("window");
    symbols["M"] = params.integer("heads");
    symbols["d'"] = params.integer("d_head");
    symbols["Md'"] = params.integer("heads") * params.integer("d_head");
    symbols["(2w-1)²"] = (2 * side - 1) * (2 * side - 1);
    symbols["n_k"] = symbols["w²"] = side * side;
    if (!params.is_automatic("out_channels")) symbols["out"] = params.integer("out_channels");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override {
    symbols["N"] = symbols["n_q"] = symbols.at("H") * symbols.at("W");
    symbols.emplace("out", symbols.at("C"));
  }
  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index window = params.integer("window"), shift = params.integer("shift");
    HL_CHECK(check_side(window, symbols.at("H"), "rows"));
    HL_CHECK(check_side(window, symbols.at("W"), "columns"));
    if (shift >= window) return fail("shift {} must be below window, {}", shift, window);
    return {};
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "swin", "params": {"heads": 2, "d_head": 4, "window": 2, "shift": 1},
                "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0], [3, 0, 1, 1]]]]},
                "weights": {"init": "normal"}})"};
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& swin() {
  static const Swin variant;
  return variant;
}

}  // namespace headlight
