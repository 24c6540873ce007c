#include <algorithm>
#include <numeric>

#include "engine/ops/picture_ops.h"
#include "engine/ops/shifted_windows.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

ops::ShiftedWindows windows_of(const Recorder& r);
Axis keys_of_window(const Recorder& r);
Axis positions_in_window(const Recorder& r);
Array record_position_bias(Recorder& r, const ops::ShiftedWindows& windows, const Axis& keys);
Array record_mask(Recorder& r, const Array& s, const ops::ShiftedWindows& windows);

// Concat_m(softmax(q kᵀ / √d' + b) v) W_o in windows of w × w pixels, of a picture that may be shifted in a circle. Liu
// et al. 2021, section 3.2, equation 4: their M and B are w and b here; b is read from a table by offset. No pixel is
// moved: the operations know which pixels share a window. Where windows are shifted, pairs across the cut are masked.
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
  r.step("windows",
         ops::window_indices(windows, {r.axis("H", "row"), r.axis("W", "column")}));  // (H, W); nothing below reads it
  r.stage("position", "Position", "b[Δ]", "position_bias");
  const Array b = record_position_bias(r, windows, keys);  // (1, M, w², w²)
  r.stage("scores", "Scores", "q kᵀ");
  const Array dots = r.step("scores", ops::dot_products_in_windows(q, k, windows, keys));  // (B, M, n_q, w²)
  r.stage("scale", "Scale, add", "÷ √d + b");
  Array s = r.step("scaled_scores",
                   ops::scaled_plus_bias_in_windows(dots, b, windows, ops::over_root_of(q)));  // (B, M, n_q, w²)
  if (windows.shift > 0) s = record_mask(r, s, windows);
  r.stage("softmax", "Softmax", "softmax");
  const Array a = r.step("weights", ops::softmax_in_windows(s, windows));  // rows sum to 1
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", ops::weighted_sum_in_windows(a, v, windows));  // (B, M, n_q, d')
  r.stage("concat", "Concat", "concat");
  const Array rows = r.step("concat", ops::concatenation(o, r.axis("Md'", "channel")));  // (B, n_q, M·d')
  r.stage("output", "Output", "· w_o");
  r.step("output", ops::linear_to_picture(rows, r.array("w_o"), r.array("b_o"),
                                          declare::picture_axes(r, "out", queries)));  // (B, out, H, W)
}

// The row of the table for each two positions in a window, and the bias that stands there for each head.
Array record_position_bias(Recorder& r, const ops::ShiftedWindows& windows, const Axis& keys) {
  const Axis query_positions = positions_in_window(r);
  Axis key_positions = keys;
  key_positions.labels = query_positions.labels;
  const Array index = r.step("relative_index", ops::offset_indices(windows, {query_positions, key_positions}));
  return r.step("position_bias", ops::offset_bias(r.array("bias_table"), index, windows));
}

const MaskOption* const mask_option[] = {&across_cut()};

Array record_mask(Recorder& r, const Array& s, const ops::ShiftedWindows& windows) {
  r.stage("mask", "Mask", "mask");
  Operation masked = ops::mask_across_cut(s, windows);
  masked.rules = std::make_shared<const MaskRules>(mask::rules(r.problem(), mask_option, r.dim("M")));
  return r.step("masked_scores", std::move(masked));
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

// The places of a window, as keys: counted, as each window has other pixels there.
Axis keys_of_window(const Recorder& r) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.index = R"(\hl{n_k}{t})";
  axis.along = AxisRole::key;
  axis.position_of = [windows = windows_of(r)](Index query, Index key) { return windows.pixel_at(query, key); };
  return axis;
}

// The same, as the places that queries have.
Axis positions_in_window(const Recorder& r) {
  Axis axis = r.axis("w²", "place");
  axis.labels = labels_of_window(r);
  axis.index = "s";
  axis.along = AxisRole::channel;
  return axis;
}

// ---- Words ---------------------------------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {.id = "swin",
          .title = "Shifted windows",
          .summary =
              "A picture is cut into square windows, and every pixel looks at those of its own; "
              "every other layer shifts the "
              "windows, so that neighbours meet.",
          .shorthand = "softmax(qkᵀ + b)v in windows",
          .source = "Liu et al. 2021, Swin Transformer, section 3.2, equation 4"};
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       "A {query:query} is what a pixel asks with: its channels ({C}), mixed into {d'} in each head."},
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
       "The dot product of {query:query} and {key:key}, for the {n_k} pixels of the query's window alone: {n_q} × "
       "{n_k} numbers in each head, not {n_q} × {N}. {key:Keys} are counted row by row in their window."},
      {"scaled_scores", "\\tilde s", "Scaled scores",
       "Divided by √d', so that softmax is not driven to all or nothing by the width alone, with what is learned for "
       "the "
       "offset added."},
      {"masked_scores", "\\hat s", "Masked scores",
       "The circle brings pixels of opposite borders into one window. They are not neighbours, so they are "
       "{mask:masked}: what is left is a shifted grid that is cut at the border."},
      declare::weight_words(" over the pixels of its window."),
      {"head_outputs", "o", "Head outputs",
       "Each {query:query} takes the {value:values} of its window in the shares that its row of {weight:weights} says.",
       "y"},
      declare::concat_words("c", "d'"),
      {"output", "y", "Output",
       "The output matrix mixes the heads into {out} channels of a picture as large as the input."},
  };
}

std::vector<ParamSpec> all_params() {
  return {
      declare::heads(4),
      declare::width("d_head", 8, "d'"),
      param::integer("window", "Window",
                     "The side of the square windows that the picture is cut into; it must divide both sides.", 4, 1,
                     255),
      param::integer("shift", "Shift",
                     "How far the windows are shifted; the paper's every other block has half a window.", 0, 0, 254),
      declare::out_channels(),
      declare::bias(),
      declare::only_query()};
}

// ---- The variant ---------------------------------------------------------------------------------------------------

// Errors: a side that the window does not divide, with windows and a picture that do.
Status check_sides(Index window, Index rows, Index columns) {
  if (rows % window == 0 && columns % window == 0) return {};
  const auto nearest = [window](Index extent) { return std::max<Index>(1, (extent + window / 2) / window) * window; };
  const bool both = rows % window != 0 && columns % window != 0;
  std::string sides = rows % window != 0 ? fmt::format("{} rows", rows) : fmt::format("{} columns", columns);
  if (both) sides = fmt::format("{} rows and {} columns", rows, columns);
  Error error{fmt::format("window {} does not divide the picture's {}: use {}, or a picture of {} × {}", window, sides,
                          declare::divisors_text(std::gcd(rows, columns)), nearest(rows), nearest(columns))};
  error.about.rows = nearest(rows);
  error.about.columns = nearest(columns);
  return tl::unexpected<Error>(std::move(error));
}

class Swin final : public Variant {
 public:
  Swin() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet&) const override {
    const std::vector<std::string> shape{"M", "C", "d'"};
    const declare::Projections made{.from = "a pixel", .q = shape, .k = shape, .v = shape};
    ArraySpecs specs{.inputs = {declare::picture()}, .weights = declare::projections(made)};
    declare::append(specs.weights, declare::projection_biases(made, params));
    specs.weights.push_back(declare::weight("bias_table", "\\beta", "Bias table",
                                            "What each head adds to a score, for each offset.", {"(2w-1)²", "M"},
                                            Fill::init, Role::position));
    declare::append(specs.weights, declare::output_weights(params, "Md'", "out"));
    return specs;
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    const Index side = params.integer("window");
    declare::bind_heads(params, symbols);
    symbols["(2w-1)²"] = (2 * side - 1) * (2 * side - 1);
    symbols["n_k"] = symbols["w²"] = side * side;
    if (!params.is_automatic("out_channels")) symbols["out"] = params.integer("out_channels");
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { declare::bind_pixels(symbols); }
  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index window = params.integer("window"), shift = params.integer("shift");
    HL_CHECK(check_sides(window, symbols.at("H"), symbols.at("W")));
    if (shift >= window) return fail("shift {} must be below window, {}", shift, window);
    return {};
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "swin", "params": {"heads": 2, "d_head": 4, "window": 2, "shift": 1},
                "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0], [3, 0, 1, 1]]]]},
                "weights": {"init": "normal"}})"};
  }
  std::span<const MaskOption* const> masks() const override { return mask_option; }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& swin() {
  static const Swin variant;
  return variant;
}

}  // namespace headlight
