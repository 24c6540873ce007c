#include "engine/variants/stand_alone_2d.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/math/math.h"
#include "engine/math/relative.h"
#include "engine/variants/code_lines.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/explain.h"
#include "engine/variants/parts.h"
#include "engine/variants/picture_parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/stand_alone_2d_formulas.h"
#include "engine/variants/textbook_picture.h"

namespace headlight {

namespace {

namespace tex = formulas::stand_alone_2d;

// ---- What it is and what can be set -------------------------------------------------------------------------------

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "stand_alone_2d",
      .title = "Stand-alone 2-D",
      .summary =
          "Every pixel looks at all pixels, or at a window round it; a score adds what the key holds and how far away "
          "it lies, in rows and columns.",
      .shorthand = "softmax(qkᵀ + qrᵀ)v",
      .source = "Ramachandran et al. 2019, Stand-Alone Self-Attention in Vision Models, section 2.2, equation 3"};
  return info;
}

std::vector<ParamSpec> head_params() {
  return {
      {.id = "heads",
       .title = "Heads",
       .help = "How many heads attend side by side, each with weights of its own.",
       .type = ParamType::integer,
       .fallback = Index{4},
       .least = 1,
       .most = 512,
       .symbol = "M"},
      {.id = "mid_channels",
       .title = "Width per head",
       .help =
           "How many numbers make up a query, a key and a value in one head: even, half for rows, half for columns.",
       .type = ParamType::integer,
       .fallback = Index{8},
       .least = 2,
       .most = 4096,
       .symbol = "mid"},
      {.id = "out_channels",
       .title = "Output channels",
       .help = "How many channels the result has; automatic is as many as the input.",
       .type = ParamType::integer,
       .fallback = std::monostate{},
       .least = 1,
       .most = 65536,
       .automatic = true,
       .symbol = "out"},
  };
}

std::vector<ParamSpec> window_params() {
  return {
      {.id = "extent",
       .title = "Window",
       .help = "The side of the window that a query sees, an odd number of pixels; automatic is the whole picture.",
       .type = ParamType::integer,
       .fallback = std::monostate{},
       .least = 1,
       .most = 255,
       .automatic = true,
       .step = 2},
      {.id = "padding",
       .title = "Padding",
       .help = "What a window finds outside the picture.",
       .type = ParamType::choice,
       .fallback = std::string("masked"),
       .choices = {{"masked", "Masked", "Nothing: what lies outside takes no part."},
                   {"zero", "Zeros", "Keys and values of zeros, which take part as any others."}}},
  };
}

std::vector<ParamSpec> score_params() {
  return {
      {.id = "content",
       .title = "Content",
       .help = "What content scores are multiplied by before the two are added (λc): 0 leaves position alone.",
       .type = ParamType::real,
       .fallback = 1.0,
       .least = 0,
       .most = 2},
      {.id = "position",
       .title = "Position",
       .help = "What position scores are multiplied by before the two are added (λp): 0 leaves content alone.",
       .type = ParamType::real,
       .fallback = 1.0,
       .least = 0,
       .most = 2},
      {.id = "normalizer",
       .title = "Scale",
       .help = "What scores are divided by.",
       .type = ParamType::choice,
       .fallback = std::string("sqrt_in_channels"),
       .advanced = true,
       .choices = {{"sqrt_in_channels", "√ input channels", "The root of the count of the picture's channels."},
                   {"sqrt_d_head", "√ width per head", "The root of the count of products in a score."},
                   {"none", "Nothing", "Scores are as they are, as in the paper's equation."}}},
      {.id = "max_position",
       .title = "Largest side",
       .help = "The tables hold offsets up to one less than this (P); automatic is as large as needed.",
       .type = ParamType::integer,
       .fallback = std::monostate{},
       .least = 1,
       .most = 65536,
       .automatic = true,
       .advanced = true},
      {.id = "bias",
       .title = "Biases",
       .help = "Whether biases are generated; those given as arrays always take part.",
       .type = ParamType::flag,
       .fallback = false,
       .advanced = true},
  };
}

// ---- Arrays -------------------------------------------------------------------------------------------------------

ArraySpec input_array() {
  return {.id = "x",
          .title = "Picture",
          .help = "A picture, channels first.",
          .shapes = {{"B", "C", "H", "W"}},
          .layout = Layout::grid};
}

// The staircases that are steps have the tables' names in files.
ArraySpec table(std::string id, std::string recorded_as, std::string title, std::string help) {
  ArraySpec spec =
      parts::weight(std::move(id), std::move(title), std::move(help), {"2P-1", "mid/2"}, Fill::init, Role::position);
  spec.recorded_as = std::move(recorded_as);
  return spec;
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  const std::vector<std::string> projection{"M", "C", "mid"}, shift{"M", "mid"};
  return {
      parts::weight("w_q", "Query weights", "Turn a pixel into each head's query.", projection, Fill::init,
                    Role::query),
      parts::weight("w_k", "Key weights", "Turn a pixel into each head's key.", projection, Fill::init, Role::key),
      parts::weight("w_v", "Value weights", "Turn a pixel into each head's value.", projection, Fill::init,
                    Role::value),
      parts::weight("b_q", "Query bias", "Added to each head's queries.", shift, bias, Role::query),
      parts::weight("b_k", "Key bias", "Added to each head's keys.", shift, bias, Role::key),
      parts::weight("b_v", "Value bias", "Added to each head's values.", shift, bias, Role::value),
      table("row_embedding", "row_table", "Row offsets", "A vector for each offset in rows, from −(P − 1) to P − 1."),
      table("col_embedding", "col_table", "Column offsets",
            "A vector for each offset in columns, from −(P − 1) to P − 1."),
      parts::weight("w_o", "Output weights", "Mix the heads into the output.", {"M·mid", "out"}, Fill::init,
                    Role::output),
      parts::weight("b_o", "Output bias", "Added to the output.", {"out"}, bias, Role::output),
  };
}

// ---- One run, read off the problem once ---------------------------------------------------------------------------

struct Plan {
  Index batches, heads, channels, rows, columns, mid, out, n_k, max_position;
  bool global, masked, in_channels, divided;
  double norm;               // what scores are divided by
  double content, position;  // what the two scores are multiplied by before they are added
  math::Window window;       // of extent 1 where all pixels are seen
  std::string norm_label, norm_in_code;

  Index queries;      // all pixels, or one
  Index first_query;  // the pixel of the first

  Index pixels() const { return rows * columns; }
  Index half() const { return mid / 2; }
  bool zero() const { return !global && !masked; }
  Shape query_shape() const { return {batches, heads, queries, mid}; }
  Shape pixel_shape() const { return {batches, heads, pixels(), mid}; }
  Shape map_shape() const { return {batches, heads, queries, n_k}; }
};

Plan plan_of(const Problem& problem) {
  const ParamValues& params = problem.params;
  Plan p{};
  p.batches = problem.dim("B");
  p.heads = problem.dim("M");
  p.channels = problem.dim("C");
  p.rows = problem.dim("H");
  p.columns = problem.dim("W");
  p.mid = problem.dim("mid");
  p.out = problem.dim("out");
  p.n_k = problem.dim("n_k");
  p.queries = problem.dim("n_q");
  p.first_query = problem.only_query.value_or(0);
  p.max_position = (problem.dim("2P-1") + 1) / 2;
  p.global = params.is_automatic("extent");
  p.masked = !p.global && params.choice("padding") == "masked";
  p.in_channels = params.choice("normalizer") == "sqrt_in_channels";
  p.divided = params.choice("normalizer") != "none";
  const Index width = p.in_channels ? p.channels : p.mid;
  p.norm = p.divided ? std::sqrt(static_cast<double>(width)) : 1;
  p.content = params.real("content");
  p.position = params.real("position");
  if (p.divided) {
    p.norm_label = fmt::format("1/√{}", width);
    p.norm_in_code = fmt::format(" / {}**0.5", width);
  }
  p.window = {.rows = p.rows, .columns = p.columns, .extent = p.global ? 1 : params.integer("extent")};
  return p;
}

std::vector<Axis> head_axes(const Recorder& r, const char* positions) {
  return {r.axis("B", "batch"), r.axis("M", "head"), parts::pixel_axis(r, positions), r.axis("mid", "channel")};
}

std::vector<Axis> map_axes(const Recorder& r, const Plan& p) {
  return {r.axis("B", "batch"), r.axis("M", "head"), parts::pixel_axis(r, "n_q"),
          p.global ? parts::pixel_axis(r, "n_k") : parts::window_axis(r, p.window.extent)};
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

// ---- Queries, keys, values ----------------------------------------------------------------------------------------

void record_projections(Recorder& r, const Plan& p) {
  const char* of_keys = p.global ? "n_k" : "N";  // a window picks its keys among all pixels
  const Tensor pixels = parts::pixels_first(r);
  parts::project_pixels(
      r,
      {.id = "q",
       .title = "Queries",
       .formula = r.find("b_q") ? tex::q_bias : tex::q,
       .note =
           fmt::format("A {{query:query}} is what a pixel asks with: its channels ({}), mixed into {} by one matrix "
                       "that all pixels "
                       "share. Its first {} numbers will also ask for a row offset and the rest for a column offset.",
                       p.channels, p.mid, p.half()),
       .axes = head_axes(r, "n_q"),
       .role = Role::query},
      p.queries == p.pixels() ? pixels : parts::one_pixel(pixels, p.first_query), "w_q", "b_q", p.first_query);
  parts::project_pixels(r,
                        {.id = "k",
                         .title = "Keys",
                         .formula = r.find("b_k") ? tex::k_bias : tex::k,
                         .note = "A {key:key} is what a pixel is found by, wherever it lies: two pixels of one colour "
                                 "have the same key. Where a pixel lies comes in later, with the offsets.",
                         .axes = head_axes(r, of_keys),
                         .role = Role::key},
                        pixels, "w_k", "b_k");
  parts::project_pixels(r,
                        {.id = "v",
                         .title = "Values",
                         .formula = r.find("b_v") ? tex::v_bias : tex::v,
                         .note = "A {value:value} is what a pixel passes on to those who look at it. Positions are not "
                                 "in it: they help to decide where to look, not what is found there.",
                         .axes = head_axes(r, of_keys),
                         .role = Role::value},
                        pixels, "w_v", "b_v");
}

// ---- Positions ----------------------------------------------------------------------------------------------------

// table (2P − 1, mid/2) → (n, n, mid/2): the entry for the offset from place i to place a.
explain::Explain explain_staircase(const Plan& p, std::string table, Index n) {
  return [=](Index cell) {
    const Index half = p.half(), c = cell % half, to = cell / half % n, from = cell / (half * n);
    const Index entry = to - from + p.max_position - 1;
    Explanation e;
    e.terms = {{{Operand::of(table, entry * half + c)}}};
    e.reason = fmt::format("offset {} − {} = {}: entry {}", to, from, to - from, entry);
    return e;
  };
}

// `array` is what a file calls the table and the trace calls the staircase.
void record_staircase(Recorder& r, const Plan& p, StepInfo info, const std::string& array, const std::string& table) {
  const Index n = info.axes[0].size;
  Tensor out = Tensor::uninitialized({n, n, p.half()});
  math::gather_offsets(r.compute(), r.array(array).data(), p.max_position, p.half(), n, out.data());
  const auto in = [&](const char* library) {
    return fmt::format("{0} = {1}[{2}.arange({3}) - {2}.arange({3})[:, None] + {4}]", info.id, table, library, n,
                       p.max_position - 1);
  };
  info.code = {in("np"), in("torch")};
  r.step(std::move(info), std::move(out), explain_staircase(p, table, n));
}

// Axes along one side of the picture, without a role: their places are rows or columns, not queries and keys.
std::vector<Axis> side_axes(const Recorder& r, const char* symbol, const std::string& name) {
  return {r.axis(symbol, "query's " + name), r.axis(symbol, "key's " + name), r.axis("mid/2", "channel")};
}

void record_staircases(Recorder& r, const Plan& p) {
  if (!p.global) return;
  const auto counts = [&](Index side, const char* name) {
    return fmt::format(
        "From {0} {1} to {0} {1} there are 2 · {0} − 1 = {2} offsets, so the {0} × {0} cells here hold {2} different "
        "vectors",
        side, name, 2 * side - 1);
  };
  record_staircase(r, p,
                   {.id = "row_embedding",
                    .title = "Row staircase",
                    .formula = tex::row_embedding,
                    .note = counts(p.rows, "rows") +
                            ". The offset is the same along a diagonal: all pairs of {query:query} and {key:key} whose "
                            "rows are equally far apart share one vector, which is why a shifted picture gets the same "
                            "{score:scores}.",
                    .axes = side_axes(r, "H", "row"),
                    .kind = Kind::weight,
                    .role = Role::position},
                   "row_embedding", "row_table");
  record_staircase(r, p,
                   {.id = "col_embedding",
                    .title = "Column staircase",
                    .formula = tex::col_embedding,
                    .note = counts(p.columns, "columns") +
                            ". Rows and columns have tables of their own, so all pairs of pixels need 2 · (2P − 1) "
                            "vectors of half width instead of (2P − 1)² of full width.",
                    .axes = side_axes(r, "W", "column"),
                    .kind = Kind::weight,
                    .role = Role::position},
                   "col_embedding", "col_table");
}

// q (B, M, HW, mid) · [row vector; column vector] / norm → (B, M, HW, n_k). The vectors are read from the staircases,
// or from the tables where there is a window.
explain::Explain explain_position_scores(const Plan& p) {
  return [p](Index cell) {
    const Index key = cell % p.n_k, query = cell / p.n_k, half = p.half();
    const Index pixel = p.first_query + query % p.queries, row = pixel / p.columns, column = pixel % p.columns;
    const Index extent = p.window.extent, middle = p.max_position - 1;
    Index of_row = row * p.rows + key / p.columns, of_column = column * p.columns + key % p.columns;
    if (!p.global) {
      of_row = middle + key / extent - p.window.reach();
      of_column = middle + key % extent - p.window.reach();
    }
    Explanation e;
    e.scale = 1 / p.norm;
    e.scale_label = p.norm_label;
    for (Index c = 0; c < half; ++c)
      e.terms.push_back({{Operand::of("q", query * p.mid + c),
                          Operand::of(p.global ? "row_embedding" : "row_table", of_row * half + c)}});
    for (Index c = 0; c < half; ++c)
      e.terms.push_back({{Operand::of("q", query * p.mid + half + c),
                          Operand::of(p.global ? "col_embedding" : "col_table", of_column * half + c)}});
    return e;
  };
}

// Every row offset and every column offset meets its half of q once; a pair is a sum of the two.
Code code_of_position_scores(const Plan& p) {
  const std::string summed = fmt::format("position_scores = (by_row[..., None] + by_column[..., None, :]).reshape{}{}",
                                         to_string(p.map_shape()), p.norm_in_code);
  if (!p.global) {
    const Index first = p.max_position - 1 - p.window.reach(), end = p.max_position + p.window.reach();
    const auto in = [&](const char* library) {
      return fmt::format(
          "by_row = {0}.einsum(\"bmnc,kc->bmnk\", q[..., :{1}], row_table[{2}:{3}])\n"
          "by_column = {0}.einsum(\"bmnc,kc->bmnk\", q[..., {1}:], col_table[{2}:{3}])\n{4}",
          library, p.half(), first, end, summed);
    };
    return {in("np"), in("torch")};
  }
  const bool whole = p.queries == p.pixels();
  const auto of_query = [&](Index place) { return whole ? std::string() : fmt::format("[[{}]]", place); };
  const auto in = [&](const char* library) {
    return fmt::format(
        "on_grid = q.reshape({}, {}, {}, {}, {})\n"
        "by_row = {}.einsum(\"bmijc,ikc->bmijk\", on_grid[..., :{}], row_embedding{})\n"
        "by_column = {}.einsum(\"bmijc,jlc->bmijl\", on_grid[..., {}:], col_embedding{})\n{}",
        p.batches, p.heads, whole ? p.rows : 1, whole ? p.columns : 1, p.mid, library, p.half(),
        of_query(p.first_query / p.columns), library, p.half(), of_query(p.first_query % p.columns), summed);
  };
  return {in("np"), in("torch")};
}

std::string position_note(const Plan& p) {
  const std::string shared =
      p.global ? "It depends on the {query:query} and on the offset to the {key:key}, not on what the {key:key} holds: "
                 "pairs of one {query:query} at the same row offset share half of it, as do pairs at the same column "
                 "offset."
               : fmt::format(
                     "The window always lies the same way round its {{query:query}}, so all windows share {0} "
                     "row offsets and {0} column offsets, whose vectors stand in the tables.",
                     p.window.extent);
  return shared +
         " The {query:query} decides what an offset is worth, so one pixel may look to its left and another up. Moving "
         "the picture moves these {score:scores} with it.";
}

// Ramachandran et al. 2019, section 2.2, equation 3, the second product; Shaw et al. 2018 for sequences.
void record_position_scores(Recorder& r, const Plan& p) {
  const char* whole = !p.divided      ? tex::position_scores
                      : p.in_channels ? tex::position_scores_in_channels
                                      : tex::position_scores_d_head;
  const char* window = !p.divided      ? tex::position_scores_window
                       : p.in_channels ? tex::position_scores_window_in_channels
                                       : tex::position_scores_window_d_head;
  const math::OffsetTables tables{.rows = r.array("row_embedding").data(),
                                  .columns = r.array("col_embedding").data(),
                                  .max_position = p.max_position,
                                  .half = p.half()};
  Tensor out = Tensor::uninitialized(p.map_shape());
  const math::PictureQueries queries{.rows = p.rows, .columns = p.columns, .first = p.first_query, .count = p.queries};
  math::offset_scores(r.compute(), r.values("q").data(), p.batches * p.heads, queries, p.global ? 0 : p.window.extent,
                      tables, static_cast<float>(1 / p.norm), out.data());
  StepInfo info = score_info(r, p, "position_scores", "Position scores", p.global ? whole : window, position_note(p));
  info.code = code_of_position_scores(p);
  r.step(std::move(info), std::move(out), explain_position_scores(p));
}

// ---- Scores -------------------------------------------------------------------------------------------------------

std::string content_formula(const Plan& p) {
  if (!p.divided) return p.global ? tex::content_scores : tex::content_scores_window;
  if (p.global) return p.in_channels ? tex::content_scores_in_channels : tex::content_scores_d_head;
  return p.in_channels ? tex::content_scores_window_in_channels : tex::content_scores_window_d_head;
}

std::string content_note(const Plan& p) {
  const std::string divided =
      !p.divided ? fmt::format(
                       " It is not divided, as in the paper's equation: with {0} products its spread grows like √{0}, "
                       "and softmax comes nearer to all or nothing.",
                       p.mid)
      : p.in_channels ? fmt::format(
                            " It is divided by √{} ≈ {:.3f}, the root of the picture's channels, as the position "
                            "{{score:score}} is; √{} ≈ {:.3f} would fit the width of the sum.",
                            p.channels, p.norm, p.mid, std::sqrt(static_cast<double>(p.mid)))
                      : fmt::format(
                            " It is divided by √{} ≈ {:.3f}, as the position {{score:score}} is, so that both "
                            "compete on equal terms.",
                            p.mid, p.norm);
  return "The dot product of {query:query} and {key:key}: what a pixel asks for against what another holds. It does "
         "not know where the two lie, so pixels of the same colours score alike however far apart." +
         divided + (p.global ? "" : " A {key:key} outside the picture is zeros and scores 0.");
}

// The same product for every pair, wherever the pair lies: Ramachandran et al. 2019, section 2.2, equation 2.
void record_content_scores(Recorder& r, const Plan& p) {
  StepInfo info = score_info(r, p, "content_scores", "Content scores", content_formula(p), content_note(p));
  const std::string in_code = p.divided ? p.norm_in_code.substr(1) : "";  // it stands after a space
  if (!p.global) {
    parts::window_scores(r, std::move(info), "q", "k", p.window, 1 / p.norm, p.norm_label, in_code);
    return;
  }
  Tensor out = Tensor::uninitialized(p.map_shape());
  math::scores(r.compute(), r.values("q").data(), r.values("k").data(), p.batches * p.heads, p.queries, p.n_k, p.mid,
               out.data());
  if (p.divided) math::scale(r.compute(), out.data(), static_cast<float>(1 / p.norm), out.size(), out.data());
  info.code = code::dot_products(info.id, "q", "k", in_code);
  r.step(std::move(info), std::move(out),
         [products = explain::dot_products("q", "k", p.map_shape(), p.mid), p](Index cell) {
           Explanation e = products(cell);
           e.scale = 1 / p.norm;
           e.scale_label = p.norm_label;
           return e;
         });
}

explain::Explain explain_balance(const Plan& p) {
  return [content = p.content, position = p.position](Index cell) {
    Explanation e;
    e.terms = {{{Operand::constant(content, "λc"), Operand::of("content_scores", cell)}},
               {{Operand::constant(position, "λp"), Operand::of("position_scores", cell)}}};
    return e;
  };
}

void record_sum(Recorder& r, const Plan& p) {
  const bool plain = p.content == 1 && p.position == 1;
  StepInfo info = score_info(
      r, p, "scaled_scores", "Scores", plain ? tex::scaled_scores : tex::scaled_scores_balanced,
      fmt::format(
          "Content and position are added before softmax, so they multiply in the {{weight:weights}}: a "
          "{{key:key}} must suit both to win. The one that varies more along a row decides it; with position "
          "alone this would be a filter that every {{query:query}} makes for itself.{}{}",
          p.zero() ? " Outside the picture only the position counts." : "",
          plain ? "" : fmt::format(" Here content counts {}-fold and position {}-fold.", p.content, p.position)));
  if (plain) {
    parts::sum(r, std::move(info), "content_scores", "position_scores");
    return;
  }
  const Tensor &content = r.values("content_scores"), &position = r.values("position_scores");
  Tensor out = Tensor::uninitialized(p.map_shape());
  const auto by_content = static_cast<float>(p.content), by_position = static_cast<float>(p.position);
  math::weighted_sum(r.compute(), content.data(), by_content, position.data(), by_position, out.size(), out.data());
  info.code =
      code::both(fmt::format("scaled_scores = {} * content_scores + {} * position_scores", p.content, p.position));
  r.step(std::move(info), std::move(out), explain_balance(p));
}

void record_mask(Recorder& r, const Plan& p) {
  if (!p.masked) return;
  parts::hidden_outside(
      r,
      score_info(r, p, "masked_scores", "Masked scores", tex::masked_scores,
                 "Where the window leaves the picture there is no pixel. A {mask:masked} {score:score} becomes −∞ and "
                 "gets a {weight:weight} of exactly 0, so {query:queries} near the border share their attention among "
                 "fewer {key:keys}."),
      "scaled_scores", p.window);
}

// ---- Weights and output -------------------------------------------------------------------------------------------

void record_weights(Recorder& r, const Plan& p) {
  StepInfo info{
      .id = "weights",
      .title = "Attention weights",
      .formula = p.masked   ? tex::weights_masked
                 : p.global ? tex::weights
                            : tex::weights_window,
      .note = fmt::format(
          "Each {{query:query}} row of {} {{score:scores}} becomes {{weight:weights}} that add up to 1. A "
          "convolution has such weights too, but fixed ones for each offset; here every pixel makes its "
          "own. (Cordonnier et al. 2020 show that heads of this kind can become a convolution.){}",
          p.n_k,
          p.zero() ? " With zeros round the picture, some of a border pixel's {weight:weight} goes to nothing." : ""),
      .axes = map_axes(r, p),
      .kind = Kind::probability,
      .role = Role::weight};
  if (p.masked)
    parts::hidden_softmax(r, std::move(info), "masked_scores", p.window);
  else
    parts::softmax(r, std::move(info), "scaled_scores");
}

void record_head_outputs(Recorder& r, const Plan& p) {
  StepInfo info{.id = "head_outputs",
                .title = "Head outputs",
                .formula = p.global   ? tex::head_outputs
                           : p.masked ? tex::head_outputs_window
                                      : tex::head_outputs_zero,
                .note = fmt::format("Each {{query:query}} takes the {{value:values}} of {} in the shares that its row "
                                    "of {{weight:weights}} says. Position chose where to look, but what arrives is "
                                    "content alone.",
                                    p.global ? "all pixels" : "the pixels in its window"),
                .axes = head_axes(r, "n_q"),
                .role = Role::output};
  if (p.global)
    parts::weighted_sum(r, std::move(info), "weights", "v");
  else
    parts::window_sum(r, std::move(info), "weights", "v", p.window, p.masked);
}

void record_concat(Recorder& r, const Plan& p) {
  parts::concatenation(
      r,
      {.id = "concat",
       .title = "Concatenated heads",
       .formula = tex::concat,
       .note = fmt::format("The {{output:outputs}} of the heads are laid side by side, {} channels each, head 1 first. "
                           "Nothing is computed; until here the heads have not seen each other.",
                           p.mid),
       .axes = {r.axis("B", "batch"), parts::pixel_axis(r, "n_q"), r.axis("M·mid", "channel")},
       .role = Role::output},
      "head_outputs");
}

// concat (B, n_q, M·mid) · w_o (M·mid, out) + b_o (out) → (B, out, n_q), which is (B, out, H, W) of all pixels.
explain::Explain explain_output(const Plan& p, bool bias) {
  return [p, bias](Index cell) {
    const Index query = cell % p.queries, o = cell / p.queries % p.out, b = cell / (p.queries * p.out);
    const Index width = p.heads * p.mid;
    Explanation e;
    for (Index t = 0; t < width; ++t)
      e.terms.push_back(
          {{Operand::of("concat", (b * p.queries + query) * width + t), Operand::of("w_o", t * p.out + o)}});
    if (bias) e.terms.push_back({{Operand::of("b_o", o)}});
    return e;
  };
}

void record_output(Recorder& r, const Plan& p) {
  const Tensor* bias = r.find("b_o");
  const bool whole = p.queries == p.pixels();
  Tensor pixels = Tensor::uninitialized({p.batches, p.queries, p.out});
  math::linear(r.compute(), r.values("concat").data(), r.array("w_o").data(), bias ? bias->data() : nullptr,
               p.batches * p.queries, p.heads * p.mid, p.out, false, pixels.data());
  Tensor out =
      Tensor::uninitialized(whole ? Shape{p.batches, p.out, p.rows, p.columns} : Shape{p.batches, p.out, p.queries});
  math::transpose(r.compute(), pixels.data(), p.batches, p.queries, p.out, out.data());
  const std::string mixed = bias ? "concat @ w_o + b_o" : "concat @ w_o";
  const std::string shape = whole ? fmt::format(".reshape{}", to_string(out.shape())) : std::string();
  r.step({.id = "output",
          .title = "Output",
          .formula = bias ? tex::output_bias : tex::output,
          .note = fmt::format("The output matrix mixes the heads: each of the {} channels of a pixel is a weighted sum "
                              "of all channels of all heads at the same {{query:query}}. The {{output:output}} is {}.",
                              p.out,
                              whole ? "a picture again, channels first, as large as the input"
                                    : "one pixel of a picture as large as the input, channels first"),
          .axes = whole ? parts::picture_axes(r, "out")
                        : std::vector{r.axis("B", "batch"), r.axis("out", "channel"), parts::pixel_axis(r, "n_q")},
          .role = Role::output,
          .code = {fmt::format("output = ({}).swapaxes(1, 2){}", mixed, shape),
                   fmt::format("output = ({}).transpose(1, 2){}", mixed, shape)}},
         std::move(out), explain_output(p, bias != nullptr));
}

// ---- Stages -------------------------------------------------------------------------------------------------------

// Nodes of the stepper and tiles of the pipeline, in the order of the steps.
void record_stages(Recorder& r, const Plan& p) {
  r.stage({"input", "Input", "x", {"x"}});
  r.stage({"project", "Project", "q k v", {"q", "k", "v"}});
  if (p.global) r.stage({"offsets", "Offsets", "r", {"row_embedding", "col_embedding"}});
  r.stage({"position", "Position", "q rᵀ", {"position_scores"}});
  r.stage({"content", "Content", "q kᵀ", {"content_scores"}});
  r.stage({"add", "Add", "q kᵀ + q rᵀ", {"scaled_scores"}});
  if (p.masked) r.stage({"mask", "Mask", "mask", {"masked_scores"}});
  r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  r.stage({"weighted_sum", "Weighted sum", "weights · v", {"head_outputs"}});
  r.stage({"concat", "Concat", "concat", {"concat"}});
  r.stage({"output", "Output", "· w_o", {"output"}});
}

// ---- Cost ---------------------------------------------------------------------------------------------------------

Cost cost_of(const Problem& problem) {
  const Plan p = plan_of(problem);
  CostSheet sheet;
  sheet.add(p.query_shape(), linear_operations(p.channels, problem.find("b_q")));  // q
  sheet.add(p.pixel_shape(), linear_operations(p.channels, problem.find("b_k")));  // k
  sheet.add(p.pixel_shape(), linear_operations(p.channels, problem.find("b_v")));  // v
  if (p.global) {
    sheet.add({p.rows, p.rows, p.half()}, 1);        // row_embedding
    sheet.add({p.columns, p.columns, p.half()}, 1);  // col_embedding
  }
  sheet.add(p.map_shape(), linear_operations(p.mid, false));  // position_scores
  sheet.add(p.map_shape(), linear_operations(p.mid, false));  // content_scores
  sheet.add(p.map_shape(), 2);                                // scaled_scores
  if (p.masked) sheet.add(p.map_shape(), 1);                  // masked_scores
  sheet.add(p.map_shape(), softmax_operations);               // weights
  sheet.add(p.query_shape(), p.global ? linear_operations(p.n_k, false)
                                      : parts::window_sum_operations(p.window, p.masked));            // head_outputs
  sheet.add(p.query_shape(), 1);                                                                      // concat
  sheet.add({p.batches, p.out, p.queries}, linear_operations(p.heads * p.mid, problem.find("b_o")));  // output
  return sheet.total();
}

// Together they record every step.
std::vector<std::string> small_experiments() {
  return {
      R"({"variant": "stand_alone_2d", "params": {"heads": 2, "mid_channels": 4},
          "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
      R"({"variant": "stand_alone_2d", "params": {"heads": 2, "mid_channels": 4, "extent": 3, "bias": true},
          "inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]}})",
  };
}

// ---- The variant --------------------------------------------------------------------------------------------------

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
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = [] {
      std::vector<ParamSpec> list;
      for (auto* part : {head_params, window_params, score_params})
        for (auto& spec : part()) list.push_back(std::move(spec));
      list.push_back(parts::only_query_param());
      return list;
    }();
    return specs;
  }

  ArraySpecs arrays(const ParamValues& params, const std::set<std::string, std::less<>>&) const override {
    return {.inputs = {input_array()}, .weights = weight_arrays(params)};
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
    const Index pixels = symbols.at("H") * symbols.at("W");
    const Index extent = params.is_automatic("extent") ? 0 : params.integer("extent");
    symbols["N"] = symbols["n_q"] = pixels;
    symbols["n_k"] = extent == 0 ? pixels : extent * extent;
    symbols.emplace("out", symbols.at("C"));
    symbols.emplace("2P-1", 2 * position_needed(params, symbols) - 1);
  }

  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index mid = params.integer("mid_channels");
    if (mid % 2 != 0)
      return fail("mid_channels is {}: it must be even, half for row offsets and half for column offsets: try {} or {}",
                  mid, std::max<Index>(2, mid - 1), mid + 1);
    if (!params.is_automatic("extent") && params.integer("extent") % 2 == 0)
      return fail("extent is {0}: it must be odd, so that the window has a middle: try {1} or {2}",
                  params.integer("extent"), params.integer("extent") - 1, params.integer("extent") + 1);
    if (!params.is_automatic("only_query") && !params.is_automatic("extent"))
      return fail(
          "only_query is for keys of the whole picture, and a window has few: set only_query or extent to null");
    return check_tables(params, symbols);
  }

  Cost cost(const Problem& problem) const override { return cost_of(problem); }
  Result<bool> fill_textbook(Problem& problem) const override { return fill_textbook_stand_alone(problem); }

  std::vector<std::string> samples() const override { return small_experiments(); }

  // Ramachandran et al. 2019, section 2.2, equation 3, for each head.
  Status record(Recorder& r) const override {
    const Plan p = plan_of(r.problem());
    for (const auto record_part :
         {record_projections, record_staircases, record_position_scores, record_content_scores, record_sum, record_mask,
          record_weights, record_head_outputs, record_concat, record_output, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r, p);
    }
    return {};
  }
};

}  // namespace

const Variant& stand_alone_2d() {
  static const StandAlone2d variant;
  return variant;
}

}  // namespace headlight
