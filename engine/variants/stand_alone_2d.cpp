#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/ops/picture_ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

using Window = std::optional<math::Window>;  // round each query; none where all pixels are keys
Window window_of(const Recorder& r);
Axis key_axis(const Recorder& r);
Axis axis_of_all(const Recorder& r);
ops::Factor factor_of(const Recorder& r);
ops::Offsets record_offsets(Recorder& r, const Window& window);
Operation content_scores(const Array& q, const Array& k, const ops::Factor& factor, const Window& window,
                         const Axis& keys);
Operation sum_of_scores(const Recorder& r, const Array& content, const Array& position);
Array record_softmax(Recorder& r, const Array& s, const Window& window);
Operation head_outputs(const Recorder& r, const Array& a, const Array& v, const Window& window);

// y_ij = Σ_ab softmax_ab(q_ij · k_ab + q_ij · r_{a−i, b−j}) v_ab, in each head, ab in a window round ij or all pixels.
// r_{a−i, b−j} = [r_{a−i}; r_{b−j}], half of the channels each, one for all heads. Ramachandran et al. 2019, section
// 2.2, equation 3; Shaw et al. 2018 for sequences.
// Not theirs: both products are over √C (or √mid, or not divided) and weighed by λc and λp, 1 unless they are set; each
// head reads all channels, not its share; W_o follows; outside the picture are zeros, or a mask.
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const ops::Positions x(r.array("x"));
  const Window window = window_of(r);
  const Axis queries = declare::pixels(r, "n_q"), keys = key_axis(r), pixels = axis_of_all(r);
  r.stage("project", "Project", "q k v");
  const Array q = r.step("q", ops::project(x, r.array("w_q"), r.array("b_q"), queries));  // (B, M, n_q, mid)
  const Array k = r.step("k", ops::project(x, r.array("w_k"), r.array("b_k"), pixels));   // (B, M, HW, mid)
  const Array v = r.step("v", ops::project(x, r.array("w_v"), r.array("b_v"), pixels));   // (B, M, HW, mid)
  const ops::Offsets offsets = record_offsets(r, window);                                 // r_{a−i, b−j}
  const ops::Factor factor = factor_of(r);                                                // 1/√C, 1/√mid or 1
  r.stage("position", "Position", "q rᵀ");
  const Array p =
      r.step("position_scores", ops::offset_scores(q, offsets, factor, keys));  // q · r / √C: (B, M, n_q, n_k)
  r.stage("content", "Content", "q kᵀ");
  const Array c = r.step("content_scores", content_scores(q, k, factor, window, keys));  // q · k / √C: (B, M, n_q, n_k)
  r.stage("add", "Add", "q kᵀ + q rᵀ");
  const Array s = r.step("scaled_scores", sum_of_scores(r, c, p));  // λc c + λp p: (B, M, n_q, n_k)
  const Array a = record_softmax(r, s, window);                     // rows sum to 1
  r.stage("weighted_sum", "Weighted sum", "weights · v");
  const Array o = r.step("head_outputs", head_outputs(r, a, v, window));  // (B, M, n_q, mid)
  r.stage("concat", "Concat", "concat");
  const Array rows = r.step("concat", ops::concatenation(o, r.axis("M·mid", "channel")));  // (B, n_q, M·mid)
  r.stage("output", "Output", "· w_o");
  r.step("output", ops::linear_to_picture(rows, r.array("w_o"), r.array("b_o"),
                                          declare::picture_axes(r, "out", queries)));  // (B, out, H, W)
}

// Whether all pixels are keys, and not a window round each query.
bool is_global(const ParamValues& params) {
  return params.is_automatic("extent");
}

// Whether what lies outside the picture takes no part.
bool is_masked(const ParamValues& params) {
  return !is_global(params) && params.choice("padding") == "masked";
}

// r: a vector for each offset in rows beside one for each in columns, of tables (2P − 1, mid/2) each. Where all pixels
// are keys, they are laid out for each pair of rows and of columns.
ops::Offsets record_offsets(Recorder& r, const Window& window) {
  const Array rows = r.array("row_embedding"), columns = r.array("col_embedding");
  ops::Offsets offsets{.rows = rows,
                       .columns = columns,
                       .row_table = rows,
                       .column_table = columns,
                       .picture_rows = r.dim("H"),
                       .picture_columns = r.dim("W"),
                       .extent = window ? window->extent : 0};
  if (window) return offsets;
  const auto side_axes = [&](const char* symbol, const std::string& name) -> std::vector<Axis> {
    return {r.axis(symbol, "query's " + name), r.axis(symbol, "key's " + name), r.axis("mid/2", "channel")};
  };
  r.stage("offsets", "Offsets", "r");
  offsets.rows = r.step("row_embedding", ops::staircase(rows, side_axes("H", "row")));           // (H, H, mid/2)
  offsets.columns = r.step("col_embedding", ops::staircase(columns, side_axes("W", "column")));  // (W, W, mid/2)
  return offsets;
}

Operation content_scores(const Array& q, const Array& k, const ops::Factor& factor, const Window& window,
                         const Axis& keys) {
  if (!window) return ops::dot_products(q, k, factor);
  return ops::dot_products_in_neighborhood(q, k, *window, factor, keys);
}

Operation head_outputs(const Recorder& r, const Array& a, const Array& v, const Window& window) {
  if (!window) return ops::weighted_sum(a, v);
  return ops::weighted_sum_in_neighborhood(a, v, *window, is_masked(r.params()));
}

Array record_softmax(Recorder& r, const Array& s, const Window& window) {
  return record::softmax_in_neighborhood(r, s, window.value_or(math::Window{}), is_masked(r.params()));
}

bool is_plain_sum(const ParamValues& params) {
  return params.real("content") == 1 && params.real("position") == 1;
}

Operation sum_of_scores(const Recorder& r, const Array& content, const Array& position) {
  const ParamValues& params = r.params();
  if (is_plain_sum(params)) return ops::sum(content, position);
  return ops::sum_of_two_scaled(content, params.real("content"), "c", position, params.real("position"), "p");
}

Window window_of(const Recorder& r) {
  if (is_global(r.params())) return std::nullopt;
  return math::Window{.rows = r.dim("H"), .columns = r.dim("W"), .extent = r.params().integer("extent")};
}

Axis key_axis(const Recorder& r) {
  return is_global(r.params()) ? declare::pixels(r, "n_k") : declare::window_keys(r, r.params().integer("extent"));
}

// All pixels, of which keys and values are made: the keys themselves where there is no window.
Axis axis_of_all(const Recorder& r) {
  return declare::pixels(r, is_global(r.params()) ? "n_k" : "N");
}

ops::Factor factor_of(const Recorder& r) {
  const std::string& normalizer = r.params().choice("normalizer");
  if (normalizer == "none") return {};
  if (normalizer == "sqrt_in_channels") return ops::over_root_of(r.dim("C"), "C", true);
  return ops::over_root_of(r.dim("mid"), R"(\mathrm{mid})", true);
}

// ---- What it is and what can be set --------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "stand_alone_2d",
      .title = "Stand-alone 2-D",
      .summary =
          "Every pixel looks at all pixels, or at a window round it; a score adds what the key holds and how far away "
          "it lies, in rows and columns.",
      .shorthand = "softmax(qkᵀ + qrᵀ)v",
      .source = "Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2, equation 3",
      .first_choice_for = {InputKind::image}};
}

std::vector<ParamSpec> all_params() {
  return {
      declare::heads(4),
      param::integer(
          "mid_channels", "Width per head",
          "How many numbers make up a query, a key and a value in one head: even, half for rows, half for columns.", 8,
          2, 4096, {.symbol = "mid"}),
      declare::out_channels(),
      declare::extent(std::monostate{},
                      "The side of the window that a query sees, an odd number of pixels; automatic is the whole "
                      "picture."),
      declare::padding(true),
      param::real("content", "Content",
                  "What content scores are multiplied by before the two are added (λc): 0 leaves position alone.", 1.0,
                  0, 2),
      param::real("position", "Position",
                  "What position scores are multiplied by before the two are added (λp): 0 leaves content alone.", 1.0,
                  0, 2),
      param::choice("normalizer", "Scale", "What scores are divided by.",
                    {{"sqrt_in_channels", "√ input channels", "The root of the count of the picture's channels."},
                     {"sqrt_d_head", "√ width per head", "The root of the count of products in a score."},
                     {"none", "Nothing", "Scores are as they are, as in the paper's equation."}},
                    {.advanced = true}),
      param::integer("max_position", "Largest side",
                     "The tables hold offsets up to one less than this (P); automatic is as large as needed.",
                     param::automatic, 1, 65536, {.advanced = true}),
      declare::bias(),
      declare::only_query(),
  };
}

// ---- Arrays --------------------------------------------------------------------------------------------------------

// The staircases that are steps have the tables' names in files.
ArraySpec table(std::string id, std::string recorded_as, std::string symbol, std::string title, std::string help) {
  ArraySpec spec = declare::weight(std::move(id), std::move(symbol), std::move(title), std::move(help),
                                   {"2P-1", "mid/2"}, Fill::init, Role::position);
  spec.recorded_as = std::move(recorded_as);
  spec.letter = "r";
  return spec;
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  const std::vector<std::string> shape{"M", "C", "mid"};
  const declare::Projections made{.from = "a pixel", .q = shape, .k = shape, .v = shape};
  std::vector<ArraySpec> list = declare::projections(made);
  declare::append(list, declare::projection_biases(made, params));
  declare::append(list, {
                            table("row_embedding", "row_table", R"(R^{\mathrm{row}}_{a - i + P - 1})", "Row offsets",
                                  "A vector for each offset in rows, from −(P − 1) to P − 1."),
                            table("col_embedding", "col_table", R"(R^{\mathrm{col}}_{b - j + P - 1})", "Column offsets",
                                  "A vector for each offset in columns, from −(P − 1) to P − 1."),
                        });
  declare::append(list, declare::output_weights(params, "M·mid", "out"));
  return list;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

std::string offsets_counted(Index side, const char* name) {
  return fmt::format(
      "From {0} {1} to {0} {1} there are 2 · {0} − 1 = {2} offsets, so the {0} × {0} cells here hold {2} different "
      "vectors",
      side, name, 2 * side - 1);
}

std::string position_note(const Recorder& r) {
  const std::string shared =
      is_global(r.params())
          ? "It depends on the {query:query} and on the offset to the {key:key}, not on what the {key:key} holds: "
            "pairs of one {query:query} at the same row offset share half of it, as do pairs at the same column "
            "offset."
          : fmt::format(
                "The window always lies the same way round its {{query:query}}, so all windows share {0} "
                "row offsets and {0} column offsets, whose vectors stand in the tables.",
                r.params().integer("extent"));
  return shared +
         " The {query:query} decides what an offset is worth, so one pixel may look to its left and another up. Moving "
         "the picture moves these {score:scores} with it.";
}

std::string divided_note(const Recorder& r) {
  const std::string& normalizer = r.params().choice("normalizer");
  const auto root_of = [&](const char* symbol) { return std::sqrt(static_cast<double>(r.dim(symbol))); };
  if (normalizer == "none")
    return fmt::format(
        " It is not divided, as in the paper's equation: with {0} products its spread grows like √{0}, and softmax "
        "comes nearer to all or nothing.",
        r.dim("mid"));
  if (normalizer == "sqrt_in_channels")
    return fmt::format(
        " It is divided by √{} ≈ {:.3f}, the root of the picture's channels, as the position {{score:score}} is; √{} ≈ "
        "{:.3f} would fit the width of the sum.",
        r.dim("C"), root_of("C"), r.dim("mid"), root_of("mid"));
  return fmt::format(
      " It is divided by √{} ≈ {:.3f}, as the position {{score:score}} is, so that both compete on equal terms.",
      r.dim("mid"), root_of("mid"));
}

std::string content_note(const Recorder& r) {
  return "The dot product of {query:query} and {key:key}: what a pixel asks for against what another holds. It does "
         "not know where the two lie, so pixels of the same colours score alike however far apart." +
         divided_note(r) + (is_global(r.params()) ? "" : " A {key:key} outside the picture is zeros and scores 0.");
}

std::string sum_note(const Recorder& r) {
  const ParamValues& params = r.params();
  return fmt::format(
      "Content and position are added before softmax, so they multiply in the {{weight:weights}}: a {{key:key}} must "
      "suit both to win. The one that varies more along a row decides it; with position alone this would be a filter "
      "that every {{query:query}} makes for itself.{}{}",
      !is_global(params) && !is_masked(params) ? " Outside the picture only the position counts." : "",
      is_plain_sum(params) ? ""
                           : fmt::format(" Here content counts {}-fold and position {}-fold.", params.real("content"),
                                         params.real("position")));
}

std::string weights_note(const Recorder& r) {
  return fmt::format(
      "Each {{query:query}} row of {} {{score:scores}} becomes {{weight:weights}} that add up to 1. A convolution has "
      "such weights too, but fixed ones for each offset; here every pixel makes its own. (Cordonnier et al. 2020 show "
      "that heads of this kind can become a convolution.){}",
      r.dim("n_k"),
      !is_global(r.params()) && !is_masked(r.params())
          ? " With zeros round the picture, some of a border pixel's {weight:weight} goes to nothing."
          : "");
}

std::vector<StepWords> step_words() {
  return {
      {"q", "q", "Queries",
       [](const Recorder& r) {
         return fmt::format(
             "A {{query:query}} is what a pixel asks with: its channels ({}), mixed into {} by one matrix that all "
             "pixels share. Its first {} numbers will also ask for a row offset and the rest for a column offset.",
             r.dim("C"), r.dim("mid"), r.dim("mid") / 2);
       }},
      {"k", "k", "Keys",
       "A {key:key} is what a pixel is found by, wherever it lies: two pixels of one colour have the same key. Where a "
       "pixel lies comes in later, with the offsets."},
      {"v", "v", "Values",
       "A {value:value} is what a pixel passes on to those who look at it. Positions are not in it: they help to "
       "decide "
       "where to look, not what is found there."},
      {"row_embedding", R"(r^{\mathrm{row}}_{a - i})", "Row staircase",
       [](const Recorder& r) {
         return offsets_counted(r.dim("H"), "rows") +
                ". The offset is the same along a diagonal: all pairs of {query:query} and {key:key} whose rows are "
                "equally far apart share one vector, which is why a shifted picture gets the same {score:scores}.";
       },
       "r"},
      {"col_embedding", R"(r^{\mathrm{col}}_{b - j})", "Column staircase",
       [](const Recorder& r) {
         return offsets_counted(r.dim("W"), "columns") +
                ". Rows and columns have tables of their own, so all pairs of pixels need 2 · (2P − 1) vectors of half "
                "width instead of (2P − 1)² of full width.";
       },
       "r"},
      {"position_scores", "p", "Position scores", position_note},
      {"content_scores", "c", "Content scores", content_note},
      {"scaled_scores", "\\tilde s", "Scores", sum_note},
      declare::masked_scores_words(declare::hidden_outside_note),
      {"weights", "\\alpha", "Attention weights", weights_note, "α"},
      {"head_outputs", "y", "Head outputs",
       [](const Recorder& r) {
         return fmt::format(
             "Each {{query:query}} takes the {{value:values}} of {} in the shares that its row of {{weight:weights}} "
             "says. Position chose where to look, but what arrives is content alone.",
             is_global(r.params()) ? "all pixels" : "the pixels in its window");
       },
       "y"},
      declare::concat_words("z", "mid", " Nothing is computed; until here the heads have not seen each other."),
      {"output", "o", "Output",
       [](const Recorder& r) {
         return fmt::format(
             "The output matrix mixes the heads: each of the {} channels of a pixel is a weighted sum of all channels "
             "of all heads at the same {{query:query}}. The {{output:output}} is {}.",
             r.dim("out"),
             r.dim("n_q") == r.dim("H") * r.dim("W") ? "a picture again, channels first, as large as the input"
                                                     : "one pixel of a picture as large as the input, channels first");
       }},
  };
}

// ---- The variant ---------------------------------------------------------------------------------------------------

// The largest side that the tables must reach: P.
Index position_needed(const ParamValues& params, const Symbols& symbols) {
  if (params.is_automatic("extent")) return std::max(symbols.at("H"), symbols.at("W"));
  return (params.integer("extent") + 1) / 2;
}

Status check_tables(const ParamValues& params, const Symbols& symbols) {
  const Index entries = symbols.at("2P-1"), needed = position_needed(params, symbols);
  if (entries % 2 == 0)
    return fail(
        "row_embedding and col_embedding have {} rows: they need an odd count, 2P − 1, one for each offset from "
        "−(P − 1) to P − 1",
        entries);
  if ((entries + 1) / 2 >= needed) return {};
  const std::string what =
      params.is_automatic("extent")
          ? fmt::format("a picture of {} × {} pixels", symbols.at("H"), symbols.at("W"))
          : fmt::format("a window of {} × {} pixels", params.integer("extent"), params.integer("extent"));
  if (params.is_automatic("max_position"))
    return fail("row_embedding and col_embedding have {} rows, and {} needs {} of them: give larger tables", entries,
                what, 2 * needed - 1);
  return fail("max_position is {}, and {} needs at least {}: set it to {}, or to null", (entries + 1) / 2, what, needed,
              needed);
}

class StandAlone2d final : public Variant {
 public:
  StandAlone2d() : Variant(variant_info(), all_params(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet&) const override {
    return {.inputs = {declare::picture()}, .weights = weight_arrays(params)};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    const Index heads = params.integer("heads"), mid = params.integer("mid_channels");
    symbols["M"] = heads;
    symbols["mid"] = mid;
    symbols["mid/2"] = mid / 2;
    symbols["M·mid"] = heads * mid;
    if (!params.is_automatic("out_channels")) symbols["out"] = params.integer("out_channels");
    if (!params.is_automatic("max_position")) symbols["2P-1"] = 2 * params.integer("max_position") - 1;
  }

  void bind_rest(const ParamValues& params, Symbols& symbols) const override {
    declare::bind_pixels(symbols);
    const Index extent = params.is_automatic("extent") ? 0 : params.integer("extent");
    symbols["n_k"] = extent == 0 ? symbols.at("N") : extent * extent;
    symbols.emplace("2P-1", 2 * position_needed(params, symbols) - 1);
  }

  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index mid = params.integer("mid_channels");
    if (mid % 2 != 0)
      return fail("mid_channels is {}: it must be even, half for row offsets and half for column offsets: try {} or {}",
                  mid, std::max<Index>(2, mid - 1), mid + 1);
    HL_CHECK(declare::check_extent(params));
    if (!params.is_automatic("only_query") && !params.is_automatic("extent"))
      return fail(
          "only_query is for keys of the whole picture, and a window has few: set only_query or extent to null");
    return check_tables(params, symbols);
  }

  std::span<const MaskOption* const> masks() const override { return declare::window_masks(); }
  std::vector<std::string> samples() const override {
    return {
        R"({"variant": "stand_alone_2d", "params": {"heads": 2, "mid_channels": 4},
            "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
        R"({"variant": "stand_alone_2d", "params": {"heads": 2, "mid_channels": 4, "extent": 3, "bias": true},
            "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
    };
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& stand_alone_2d() {
  static const StandAlone2d variant;
  return variant;
}

}  // namespace headlight
