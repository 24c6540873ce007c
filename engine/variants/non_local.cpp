#include "engine/variants/non_local.h"

#include <algorithm>
#include <utility>

#include "engine/math/math.h"
#include "engine/variants/code_lines.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/explain.h"
#include "engine/variants/non_local_formulas.h"
#include "engine/variants/parts.h"
#include "engine/variants/recorder.h"
#include "engine/variants/textbook_picture.h"

namespace headlight {

namespace {

namespace tex = formulas::non_local;

constexpr double batch_norm_epsilon = 1e-5;  // PyTorch's default

// ---- What it is and what can be set -------------------------------------------------------------------------------

const VariantInfo& variant_info() {
  static const VariantInfo info{
      .id = "non_local",
      .title = "Non-local",
      .summary =
          "Every position of a signal, picture or video looks at every other, in one head and unscaled, and what it "
          "finds is added to its own channels.",
      .shorthand = "softmax(θφᵀ)g + x",
      .source = "Wang et al. 2018, Non-local Neural Networks, section 3, equations 1 to 6"};
  return info;
}

std::vector<ParamSpec> param_specs() {
  return {
      {.id = "dimension",
       .title = "Dimension",
       .help = "What the positions lie on: 1 a signal, 2 a picture, 3 a video.",
       .type = ParamType::integer,
       .fallback = Index{2},
       .least = 1,
       .most = 3},
      {.id = "mode",
       .title = "Similarity",
       .help = "How two positions are compared, and how scores become weights (Wang et al. 2018, section 3.2).",
       .type = ParamType::choice,
       .fallback = std::string("embedded_gaussian"),
       .choices = {{"embedded_gaussian", "Embedded Gaussian", "softmax(θ(x) · φ(x)): attention as elsewhere."},
                   {"gaussian", "Gaussian", "softmax(x · x): the input is compared with itself."},
                   {"dot_product", "Dot product", "θ(x) · φ(x) / N: no softmax, so weights may be negative."},
                   {"concatenation", "Concatenation", "ReLU(w · [θ(x); φ(x)]) / N: a small network compares."}}},
      {.id = "inter_channels",
       .title = "Inner channels",
       .help = "How many channels queries, keys and values have; automatic is half of the input's.",
       .type = ParamType::integer,
       .fallback = std::monostate{},
       .least = 1,
       .most = 65536,
       .automatic = true,
       .symbol = "C'"},
      {.id = "sub_sample",
       .title = "Pool the keys",
       .help = "Keeps the largest of every 2 × 2 neighbouring keys and values, in each channel.",
       .type = ParamType::flag,
       .fallback = false},
      {.id = "batch_norm",
       .title = "Batch norm",
       .help = "Normalises each channel of the result before the input is added (Wang et al. 2018, section 4.1).",
       .type = ParamType::flag,
       .fallback = true},
      {.id = "bias",
       .title = "Biases",
       .help = "Whether biases are generated; those given as arrays always take part.",
       .type = ParamType::flag,
       .fallback = false,
       .advanced = true},
      parts::only_query_param(),
  };
}

// ---- Arrays -------------------------------------------------------------------------------------------------------

// The symbols of the axes that positions lie on.
std::vector<std::string> spatial_symbols(const ParamValues& params) {
  switch (params.integer("dimension")) {
    case 1:
      return {"L"};
    case 2:
      return {"H", "W"};
    default:
      return {"T", "H", "W"};
  }
}

ArraySpec input_array(const ParamValues& params) {
  std::vector<std::string> shape{"B", "C"};
  for (auto& symbol : spatial_symbols(params)) shape.push_back(std::move(symbol));
  return {.id = "x",
          .title = "Input",
          .help = "Channels first, then the positions; dimension says how many axes these have.",
          .shapes = {std::move(shape)},
          .layout = Layout::grid};
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  std::vector<ArraySpec> list;
  const auto add = [&](ArraySpec spec) {
    spec.outputs_first = spec.shapes.front().size() == 2;  // as 1×1 convolutions keep them
    list.push_back(std::move(spec));
  };
  if (params.choice("mode") != "gaussian") {
    add(parts::weight("w_theta", "Query weights", "Turn a position's channels into its query (θ).", {"C'", "C"},
                      Fill::init, Role::query));
    add(parts::weight("w_phi", "Key weights", "Turn a position's channels into its key (φ).", {"C'", "C"}, Fill::init,
                      Role::key));
    add(parts::weight("b_theta", "Query bias", "Added to every query.", {"C'"}, bias, Role::query));
    add(parts::weight("b_phi", "Key bias", "Added to every key.", {"C'"}, bias, Role::key));
  }
  add(parts::weight("w_g", "Value weights", "Turn a position's channels into its value (g).", {"C'", "C"}, Fill::init,
                    Role::value));
  add(parts::weight("b_g", "Value bias", "Added to every value.", {"C'"}, bias, Role::value));
  if (params.choice("mode") == "concatenation")
    add(parts::weight("w_concat", "Comparing weights", "Weigh the channels of a query, then those of a key.", {"2C'"},
                      Fill::init));
  add(parts::weight("w_z", "Output weights", "Turn what was found back into the input's channels.", {"C", "C'"},
                    Fill::init, Role::output));
  add(parts::weight("b_z", "Output bias", "Added to each channel of the result.", {"C"}, bias, Role::output));
  if (!params.flag("batch_norm")) return list;
  add(parts::weight("bn_gamma", "Norm scale", "Stretches each normalised channel.", {"C"}, Fill::ones));
  add(parts::weight("bn_beta", "Norm shift", "Shifts each normalised channel.", {"C"}, Fill::zeros));
  add(parts::weight("bn_mean", "Channel means", "Each channel's mean, as training measured it.", {"C"}, Fill::zeros));
  add(parts::weight("bn_var", "Channel variances", "Each channel's variance, as training measured it.", {"C"},
                    Fill::ones));
  return list;
}

// ---- Grids --------------------------------------------------------------------------------------------------------

Grid grid_of(const ParamValues& params, const Symbols& symbols) {
  const auto extent = [&](const char* symbol) { return symbols.find(symbol)->second; };
  switch (params.integer("dimension")) {
    case 1:
      return {.columns = extent("L")};
    case 2:
      return {.rows = extent("H"), .columns = extent("W")};
    default:
      return {.frames = extent("T"), .rows = extent("H"), .columns = extent("W")};
  }
}

// The positions that are pooled into one key: 2, 2 × 2, or 1 × 2 × 2; time is never pooled. Wang et al. 2018, section
// 3.3.
Grid cell_of(const ParamValues& params) {
  if (!params.flag("sub_sample")) return {};
  return {.rows = params.integer("dimension") == 1 ? 1 : 2, .columns = 2};
}

Grid pooled(const Grid& grid, const Grid& cell) {
  return {grid.frames / cell.frames, grid.rows / cell.rows, grid.columns / cell.columns};
}

Index count(const Grid& grid) {
  return grid.frames * grid.rows * grid.columns;
}

// "4 × 8 × 8", "20 × 20", "20".
std::string grid_text(const Grid& grid, Index dimension) {
  if (dimension == 1) return fmt::format("{}", grid.columns);
  if (dimension == 2) return fmt::format("{} × {}", grid.rows, grid.columns);
  return fmt::format("{} × {} × {}", grid.frames, grid.rows, grid.columns);
}

// ---- One run, read off the problem once ---------------------------------------------------------------------------

struct Plan {
  Index dimension, batches, channels, inner, n_q, n_k;
  Index positions;    // of the input
  Index first_query;  // the position of the first query: 0, unless one alone is computed
  Index width;        // of queries and keys: inner, or channels where the input is compared with itself
  bool gaussian, concatenation, softmax, sub_sample, batch_norm;
  Grid grid, cell, key_grid;

  Shape queries() const { return {batches, 1, n_q, width}; }
  Shape keys() const { return {batches, 1, n_k, width}; }
  Shape values() const { return {batches, 1, n_k, inner}; }
  Shape map_shape() const { return {batches, 1, n_q, n_k}; }
  bool whole() const { return n_q == positions; }
};

Plan plan_of(const Problem& problem) {
  const ParamValues& params = problem.params;
  const std::string& mode = params.choice("mode");
  Plan p{};
  p.dimension = params.integer("dimension");
  p.batches = problem.dim("B");
  p.channels = problem.dim("C");
  p.inner = problem.dim("C'");
  p.gaussian = mode == "gaussian";
  p.concatenation = mode == "concatenation";
  p.softmax = p.gaussian || mode == "embedded_gaussian";
  p.sub_sample = params.flag("sub_sample");
  p.batch_norm = params.flag("batch_norm");
  p.width = p.gaussian ? p.channels : p.inner;
  p.grid = grid_of(params, problem.symbols);
  p.cell = cell_of(params);
  p.key_grid = pooled(p.grid, p.cell);
  p.positions = count(p.grid);
  p.n_q = problem.dim("n_q");
  p.first_query = problem.only_query.value_or(0);
  p.n_k = count(p.key_grid);
  return p;
}

// The words or samples of a signal; none where pooling has made fewer positions of them.
std::vector<std::string> labels_of_positions(const Recorder& r, Index count) {
  const auto found = r.problem().labels.find("L");
  const bool fits = found != r.problem().labels.end() && static_cast<Index>(found->second.size()) == count;
  return fits ? found->second : std::vector<std::string>{};
}

Axis query_axis(const Recorder& r, const Plan& p) {
  Axis axis = r.axis("n_q", "query", Role::query);
  axis.grid = p.grid;
  axis.labels = labels_of_positions(r, p.positions);
  if (axis.only)
    axis.labels = {axis.labels.empty() ? place_of(p.grid, *axis.only)
                                       : axis.labels[static_cast<std::size_t>(*axis.only)]};
  return axis;
}

Axis key_axis(const Recorder& r, const Plan& p) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.grid = p.key_grid;
  axis.labels = labels_of_positions(r, p.n_k);
  return axis;
}

std::vector<Axis> head_axes(const Recorder& r, Axis positions, const char* channels) {
  return {r.axis("B", "batch"), r.axis("M", "head"), std::move(positions), r.axis(channels, "channel")};
}

// What keys and values are pooled from has an axis of its own: not queries, and more of them than keys.
std::vector<Axis> unpooled_axes(const Recorder& r, const Plan& p) {
  Axis axis = r.axis("N", "position");
  axis.grid = p.grid;
  return head_axes(r, std::move(axis), "C'");
}

std::vector<Axis> map_axes(const Recorder& r, const Plan& p) {
  return {r.axis("B", "batch"), r.axis("M", "head"), query_axis(r, p), key_axis(r, p)};
}

// The axes of the input, (B, C, …).
std::vector<Axis> picture_axes(const Recorder& r, const Plan& p) {
  std::vector<Axis> axes{r.axis("B", "batch"), r.axis("C", "channel")};
  if (p.dimension == 3) axes.push_back(r.axis("T", "frame"));
  if (p.dimension >= 2) axes.push_back(r.axis("H", "row"));
  axes.push_back(p.dimension == 1 ? r.axis("L", "position") : r.axis("W", "column"));
  return axes;
}

// The axes of what comes out: the same, or one position of it.
std::vector<Axis> output_axes(const Recorder& r, const Plan& p) {
  if (p.whole()) return picture_axes(r, p);
  return {r.axis("B", "batch"), r.axis("C", "channel"), query_axis(r, p)};
}

Shape picture_shape(const Recorder& r) {
  return r.array("x").shape();
}

// ---- Queries, keys, values ----------------------------------------------------------------------------------------

// Positions of x beside each other, each with its channels: all of them, or the query alone.
struct Rows {
  Tensor values;    // (B, 1, n, C)
  Index first = 0;  // the position of the first

  Index count() const { return values.dim(2); }
};

// x (B, C, N) → (B, 1, N, C).
Rows positions_first(Recorder& r, const Plan& p) {
  Tensor out = Tensor::uninitialized({p.batches, 1, p.positions, p.channels});
  math::transpose(r.compute(), r.array("x").data(), p.batches, p.channels, p.positions, out.data());
  return {std::move(out)};
}

Rows queries_first(const Plan& p, const Rows& all) {
  if (p.whole()) return all;
  Tensor one = Tensor::uninitialized({p.batches, 1, 1, p.channels});
  for (Index b = 0; b < p.batches; ++b)
    std::copy_n(all.values.data() + (b * p.positions + p.first_query) * p.channels, p.channels,
                one.data() + b * p.channels);
  return {std::move(one), p.first_query};
}

explain::Explain explain_positions_first(const Plan& p, const Rows& rows) {
  return [p, n = rows.count(), first = rows.first](Index cell) {
    const Index c = cell % p.channels, i = first + cell / p.channels % n, b = cell / (p.channels * n);
    Explanation e;
    e.terms = {{{Operand::of("x", (b * p.channels + c) * p.positions + i)}}};
    return e;
  };
}

// x (B, C, N) · wᵀ (C', C) + b (C') → (B, 1, n, C').
explain::Explain explain_embedding(const Plan& p, const Rows& rows, std::string w, std::string b) {
  return [p, n = rows.count(), first = rows.first, w = std::move(w), b = std::move(b)](Index cell) {
    const Index c = cell % p.inner, i = first + cell / p.inner % n, batch = cell / (p.inner * n);
    Explanation e;
    for (Index t = 0; t < p.channels; ++t)
      e.terms.push_back(
          {{Operand::of("x", (batch * p.channels + t) * p.positions + i), Operand::of(w, c * p.channels + t)}});
    if (!b.empty()) e.terms.push_back({{Operand::of(b, c)}});
    return e;
  };
}

// (B, C, n) of the rows, as part of a line.
Code code_of_rows(const Plan& p, const Rows& rows) {
  return code::positions_of("x", rows.count() == p.positions ? std::nullopt : std::optional(rows.first));
}

// Gaussian queries and keys: the input itself, (B, 1, n, C).
Code code_of_positions_first(const Plan& p, const std::string& to, const Rows& rows) {
  const Code x = code_of_rows(p, rows);
  return {fmt::format("{} = {}.swapaxes(1, 2)[:, None]", to, x.numpy),
          fmt::format("{} = {}.transpose(1, 2)[:, None]", to, x.torch)};
}

Code code_of_embedding(const std::string& to, const Code& x, const std::string& which, bool bias) {
  const auto in = [&](const char* library, const std::string& positions) {
    return fmt::format(R"({} = {}.einsum("bcn,ec->bne", {}, w_{})[:, None]{})", to, library, positions, which,
                       bias ? " + b_" + which : "");
  };
  return {in("np", x.numpy), in("torch", x.torch)};
}

// A convolution of extent 1 (Wang et al. 2018, section 3.2): every position by itself. `which` is theta, phi or g.
void record_embedding(Recorder& r, const Plan& p, StepInfo info, const Rows& x, const std::string& which) {
  const Tensor* bias = r.find("b_" + which);
  Tensor out = Tensor::uninitialized({p.batches, 1, x.count(), p.inner});
  math::pointwise(r.compute(), x.values.data(), r.array("w_" + which).data(), bias ? bias->data() : nullptr,
                  p.batches * x.count(), p.channels, p.inner, out.data());
  info.code = code_of_embedding(info.id, code_of_rows(p, x), which, bias);
  r.step(std::move(info), std::move(out), explain_embedding(p, x, "w_" + which, bias ? "b_" + which : ""));
}

// The positions that key j is pooled from.
std::vector<Index> positions_behind(const Plan& p, Index j) {
  const Grid& keys = p.key_grid;
  const Index frame = j / (keys.rows * keys.columns);
  const Index top = j / keys.columns % keys.rows * p.cell.rows, left = j % keys.columns * p.cell.columns;
  std::vector<Index> positions;
  for (Index h = top; h < top + p.cell.rows; ++h)
    for (Index w = left; w < left + p.cell.columns; ++w)
      positions.push_back((frame * p.grid.rows + h) * p.grid.columns + w);
  return positions;
}

// Pooled (B, 1, n_k, width) from `from`: (B, 1, N, width), or x itself, (B, C, N).
explain::Explain explain_pooling(const Plan& p, std::string from, Index width) {
  return [p, from = std::move(from), width](Index cell) {
    const Index c = cell % width, j = cell / width % p.n_k, b = cell / (width * p.n_k);
    Explanation e;
    e.combine = Combine::maximum;
    for (const Index i : positions_behind(p, j))
      e.terms.push_back(
          {{Operand::of(from, from == "x" ? (b * width + c) * p.positions + i : (b * p.positions + i) * width + c)}});
    return e;
  };
}

Code code_of_pooling(const Plan& p, const std::string& to, const std::string& from, Index width) {
  std::vector<Index> sides{p.grid.frames, p.grid.rows, p.grid.columns},
      cell{p.cell.frames, p.cell.rows, p.cell.columns};
  sides.erase(sides.begin(), sides.end() - p.dimension);
  cell.erase(cell.begin(), cell.end() - p.dimension);
  const std::string picture = fmt::format("reshape({}, {}, {})", p.batches, width, fmt::join(sides, ", "));
  const std::string of_cell =
      p.dimension == 1 ? fmt::format("({},)", cell[0]) : fmt::format("({})", fmt::join(cell, ", "));
  const bool is_input = from == "x";
  return {
      fmt::format("pooled = max_pool({}{}, {})\n{} = {}.swapaxes(1, 2)[:, None]", from,
                  is_input ? "" : "[:, 0].swapaxes(1, 2)." + picture, of_cell, to, code::positions_of("pooled").numpy),
      fmt::format("pooled = F.max_pool{}d({}{}, {})\n{} = {}.transpose(1, 2)[:, None]", p.dimension, from,
                  is_input ? "" : "[:, 0].transpose(1, 2)." + picture, of_cell, to,
                  code::positions_of("pooled").torch)};
}

// `read` holds the numbers of `from`, positions first: (B, 1, N, width).
void record_pooled(Recorder& r, const Plan& p, StepInfo info, const Tensor& read, const std::string& from) {
  const Index width = read.dim(-1);
  Tensor out = Tensor::uninitialized({p.batches, 1, p.n_k, width});
  math::max_pool(r.compute(), read.data(), p.batches, p.grid, p.cell, width, out.data());
  info.code = code_of_pooling(p, info.id, from, width);
  r.step(std::move(info), std::move(out), explain_pooling(p, from, width));
}

std::string query_note(const Plan& p) {
  const std::string positions = grid_text(p.grid, p.dimension);
  if (p.gaussian)
    return fmt::format(
        "Gaussian mode compares the input with itself: the {{query:query}} of a position is its channels as they are "
        "(Wang et al. 2018, equation 2). Only the order of the numbers changes, so that each of the {} positions "
        "becomes a row.",
        positions);
  return fmt::format(
      "A {{query:query}} (θ) is what a position asks with: its channels ({}), mixed into {} by one matrix that all "
      "{} positions share. This is a convolution of extent 1, so no position sees its neighbours yet.",
      p.channels, p.inner, positions);
}

std::string key_note(const Plan& p) {
  if (p.gaussian)
    return "Gaussian mode: the {key:key} of a position is the input there, just as its {query:query} is. The "
           "{score:score} of two positions is then the same in both directions.";
  return fmt::format(
      "A {{key:key}} (φ) is what a position is found by. θ and φ have weights of their own, so one position may look "
      "at another without being looked at; both have width {}.",
      p.inner);
}

constexpr const char* value_note =
    "A {value:value} (g) is what a position passes on to those who look at it. It has no say in who looks at whom.";

// What rounding down leaves out, or nothing.
std::string left_over_note(const Plan& p) {
  const bool rows = p.grid.rows % p.cell.rows != 0, columns = p.grid.columns % p.cell.columns != 0;
  if (!rows && !columns) return "";
  if (p.dimension == 1) return " The last position has no partner and is behind no key: extents round down.";
  return fmt::format(" The last {} {} behind no key: extents round down.",
                     rows && columns ? "row and column"
                     : rows          ? "row"
                                     : "column",
                     rows && columns ? "are" : "is");
}

std::string pooled_note(const Plan& p, const char* what) {
  return fmt::format(
      "In each channel the largest of {} neighbouring positions is kept, so {} positions give {} {}. Every query is "
      "still asked, but the map is {} times smaller (Wang et al. 2018, section 3.3).{}",
      p.dimension == 1 ? "2" : "2 × 2", grid_text(p.grid, p.dimension), grid_text(p.key_grid, p.dimension), what,
      count(p.cell), left_over_note(p));
}

// x is the input with positions first, in these four; of queries, those that are computed.
void record_queries(Recorder& r, const Plan& p, const Rows& x) {
  StepInfo info{.id = "q",
                .title = "Queries θ(x)",
                .formula = p.gaussian          ? tex::q_gaussian
                           : r.find("b_theta") ? tex::q_bias
                                               : tex::q,
                .note = query_note(p),
                .axes = head_axes(r, query_axis(r, p), p.gaussian ? "C" : "C'"),
                .role = Role::query};
  if (p.gaussian) {
    info.code = code_of_positions_first(p, info.id, x);
    r.step(std::move(info), Tensor(x.values), explain_positions_first(p, x));
  } else {
    record_embedding(r, p, std::move(info), x, "theta");
  }
}

// φ and g of every position, which are pooled afterwards.
void record_unpooled(Recorder& r, const Plan& p, const Rows& x) {
  if (!p.gaussian)
    record_embedding(r, p,
                     {.id = "phi",
                      .title = "Keys before pooling",
                      .formula = r.find("b_phi") ? tex::phi_bias : tex::phi,
                      .note = key_note(p) + " These are all positions, before neighbours are pooled.",
                      .axes = unpooled_axes(r, p),
                      .role = Role::key},
                     x, "phi");
  record_embedding(r, p,
                   {.id = "g",
                    .title = "Values before pooling",
                    .formula = r.find("b_g") ? tex::g_bias : tex::g,
                    .note = std::string(value_note) + " These are all positions, before neighbours are pooled.",
                    .axes = unpooled_axes(r, p),
                    .role = Role::value},
                   x, "g");
}

void record_keys(Recorder& r, const Plan& p, const Rows& x) {
  StepInfo info{.id = "k",
                .title = "Keys φ(x)",
                .note = {},
                .axes = head_axes(r, key_axis(r, p), p.gaussian ? "C" : "C'"),
                .role = Role::key};
  if (p.sub_sample) {
    info.formula = p.gaussian ? tex::k_gaussian_pooled : tex::k_pooled;
    info.note = pooled_note(p, "{key:keys}");
    record_pooled(r, p, std::move(info), p.gaussian ? x.values : r.values("phi"), p.gaussian ? "x" : "phi");
    return;
  }
  info.note = key_note(p);
  info.formula = p.gaussian ? tex::k_gaussian : r.find("b_phi") ? tex::k_bias : tex::k;
  if (p.gaussian) {
    info.code = code_of_positions_first(p, info.id, x);
    r.step(std::move(info), Tensor(x.values), explain_positions_first(p, x));
  } else {
    record_embedding(r, p, std::move(info), x, "phi");
  }
}

void record_values(Recorder& r, const Plan& p, const Rows& x) {
  StepInfo info{
      .id = "v", .title = "Values g(x)", .note = {}, .axes = head_axes(r, key_axis(r, p), "C'"), .role = Role::value};
  if (p.sub_sample) {
    info.formula = tex::v_pooled;
    info.note =
        pooled_note(p, "{value:values}") + " The largest numbers of a {value:value} may come from different positions.";
    record_pooled(r, p, std::move(info), r.values("g"), "g");
    return;
  }
  info.formula = r.find("b_g") ? tex::v_bias : tex::v;
  info.note = std::string(value_note) + " Wang et al. 2018 keep it a plain linear map, in every mode.";
  record_embedding(r, p, std::move(info), x, "g");
}

void record_projections(Recorder& r, const Plan& p) {
  const Rows x = positions_first(r, p);
  record_queries(r, p, queries_first(p, x));
  if (p.sub_sample) record_unpooled(r, p, x);
  record_keys(r, p, x);
  record_values(r, p, x);
}

// ---- Scores and weights -------------------------------------------------------------------------------------------

// ReLU(w_concat (2C') · [q_i; k_j]). Wang et al. 2018, equation 5.
explain::Explain explain_concatenation(const Plan& p) {
  return [p](Index cell) {
    const Index j = cell % p.n_k, row = cell / p.n_k, b = row / p.n_q;
    Explanation e;
    e.combine = Combine::relu;
    for (Index c = 0; c < p.inner; ++c)
      e.terms.push_back({{Operand::of("w_concat", c), Operand::of("q", row * p.inner + c)}});
    for (Index c = 0; c < p.inner; ++c)
      e.terms.push_back({{Operand::of("w_concat", p.inner + c), Operand::of("k", (b * p.n_k + j) * p.inner + c)}});
    return e;
  };
}

// The sum over [q_i; k_j] falls apart into one over q_i and one over k_j, so each is summed once and not n times.
void record_concatenation_scores(Recorder& r, const Plan& p, StepInfo info) {
  const float* w = r.array("w_concat").data();
  Tensor of_queries = Tensor::uninitialized({p.batches, p.n_q}), of_keys = Tensor::uninitialized({p.batches, p.n_k});
  math::pointwise(r.compute(), r.values("q").data(), w, nullptr, p.batches * p.n_q, p.inner, 1, of_queries.data());
  math::pointwise(r.compute(), r.values("k").data(), w + p.inner, nullptr, p.batches * p.n_k, p.inner, 1,
                  of_keys.data());
  Tensor out = Tensor::uninitialized(p.map_shape());
  math::relu_of_sums(r.compute(), of_queries.data(), of_keys.data(), p.batches, p.n_q, p.n_k, out.data());
  const std::string sums = fmt::format("(q @ w_concat[:{0}])[..., None] + (k @ w_concat[{0}:])[..., None, :]", p.inner);
  info.code = {fmt::format("scores = np.maximum({}, 0)", sums), fmt::format("scores = torch.relu({})", sums)};
  r.step(std::move(info), std::move(out), explain_concatenation(p));
}

std::string scores_note(const Plan& p) {
  if (p.concatenation)
    return fmt::format(
        "{{query:Query}} and {{key:key}} are laid side by side, and one weight for each of the 2 · {} channels makes "
        "a {{score:score}} of them; negative ones become 0 (Wang et al. 2018, equation 5). Before ReLU it is a number "
        "of the query plus a number of the key, so the two never multiply.",
        p.inner);
  return fmt::format(
      "The {{score:score}} of two positions is the dot product of {{query:query}} and {{key:key}} (width {}), "
      "wherever the two lie: the first and the last pixel meet in one step. It is not divided by √{}, as "
      "multi-head attention would.",
      p.width, p.width);
}

void record_scores(Recorder& r, const Plan& p) {
  StepInfo info{.id = "scores",
                .title = "Scores",
                .formula = p.concatenation ? tex::scores_concatenation : tex::scores,
                .note = scores_note(p),
                .axes = map_axes(r, p),
                .kind = Kind::score,
                .role = Role::score};
  if (p.concatenation)
    record_concatenation_scores(r, p, std::move(info));
  else
    parts::dot_products(r, std::move(info), "q", "k");
}

// Wang et al. 2018, section 3.2: softmax for equations 2 and 3, 1/N for equations 4 and 5.
void record_weights(Recorder& r, const Plan& p) {
  StepInfo info{
      .id = "weights", .title = "Attention weights", .note = {}, .axes = map_axes(r, p), .role = Role::weight};
  if (p.softmax) {
    info.formula = tex::weights;
    info.note =
        "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1: exp of a score over the "
        "row's sum is softmax, so this mode is attention (Wang et al. 2018, section 3.2). Unscaled {score:scores} of "
        "many channels are large, and a row then rests on few keys.";
    info.kind = Kind::probability;
    parts::softmax(r, std::move(info), "scores");
    return;
  }
  info.formula = tex::weights_divided;
  info.note = fmt::format(
      "There is no softmax here: {{score:scores}} are divided by the count of keys, N = {}, so that the sum does not "
      "grow with the picture. A row need not add up to 1{}.",
      p.n_k,
      p.concatenation ? ", and one whose scores are all 0 finds nothing"
                      : ", and a {weight:weight} may be negative: then a value is taken away");
  info.kind = Kind::score;
  parts::scaled(r, std::move(info), "scores", 1 / static_cast<double>(p.n_k), "1/N", "/ scores.shape[-1]");
}

// ---- Output -------------------------------------------------------------------------------------------------------

void record_head_outputs(Recorder& r, const Plan& p) {
  parts::weighted_sum(r,
                      {.id = "head_outputs",
                       .title = "Weighted values",
                       .formula = tex::head_outputs,
                       .note = "Each {query:query} sums the {value:values} of all positions, each times its "
                               "{weight:weight} (Wang et al. 2018, equation 1). A convolution would weigh neighbours "
                               "by their place; here the content decides, at any distance.",
                       .axes = head_axes(r, query_axis(r, p), "C'"),
                       .role = Role::output},
                      "weights", "v");
}

// projected (B, C, N) = batch_norm(w_z (C, C') · head_outputs (B, 1, N, C') + b_z (C)).
explain::Explain explain_projected(const Plan& p, bool bias) {
  return [p, bias](Index cell) {
    const Index i = cell % p.n_q, c = cell / p.n_q % p.channels, b = cell / (p.n_q * p.channels);
    Explanation e;
    for (Index t = 0; t < p.inner; ++t)
      e.terms.push_back(
          {{Operand::of("w_z", c * p.inner + t), Operand::of("head_outputs", (b * p.n_q + i) * p.inner + t)}});
    if (bias) e.terms.push_back({{Operand::of("b_z", c)}});
    if (!p.batch_norm) return e;
    e.combine = Combine::batch_norm;
    e.epsilon = batch_norm_epsilon;
    for (const char* id : {"bn_gamma", "bn_beta", "bn_mean", "bn_var"}) e.parameters.push_back(Operand::of(id, c));
    return e;
  };
}

std::string projected_note(const Plan& p) {
  if (!p.batch_norm)
    return fmt::format(
        "One matrix takes each position from width {} back to the input's, {}. Wang et al. 2018 start it at 0, "
        "so that a new block changes nothing in a network that was trained without it (section 3.3).",
        p.inner, p.channels);
  return fmt::format(
      "One matrix takes each position from width {} back to the input's, {}, and batch norm brings each channel "
      "to mean 0 and variance 1 by the statistics of training, then stretches it by γ and shifts it by β. γ starts at "
      "0 in Wang et al. 2018, section 4.1, so that a new block is the identity; generated γ is 1, so that there is "
      "something to see.",
      p.inner, p.channels);
}

Code code_of_projected(const Plan& p, bool bias) {
  const auto in = [&](const char* library, const char* norm) {
    std::string mixed = fmt::format(R"({}.einsum("bne,ce->bcn", head_outputs[:, 0], w_z))", library);
    if (bias) mixed += " + b_z[:, None]";
    if (bias && p.whole()) mixed = "(" + mixed + ")";
    return fmt::format("projected = {}{}{}", mixed, p.whole() ? ".reshape(x.shape)" : "", p.batch_norm ? norm : "");
  };
  return {in("np", "\nprojected = batch_norm(projected, bn_gamma, bn_beta, bn_mean, bn_var)"),
          in("torch", "\nprojected = F.batch_norm(projected, bn_mean, bn_var, bn_gamma, bn_beta)")};
}

void record_projected(Recorder& r, const Plan& p) {
  const Tensor* bias = r.find("b_z");
  Tensor rows = Tensor::uninitialized({p.batches, p.n_q, p.channels});
  math::pointwise(r.compute(), r.values("head_outputs").data(), r.array("w_z").data(), bias ? bias->data() : nullptr,
                  p.batches * p.n_q, p.inner, p.channels, rows.data());
  Tensor out = Tensor::uninitialized(p.whole() ? picture_shape(r) : Shape{p.batches, p.channels, p.n_q});  // (B, C, …)
  math::transpose(r.compute(), rows.data(), p.batches, p.n_q, p.channels, out.data());
  if (p.batch_norm)
    math::batch_norm(r.compute(), out.data(), r.array("bn_gamma").data(), r.array("bn_beta").data(),
                     r.array("bn_mean").data(), r.array("bn_var").data(), batch_norm_epsilon, p.batches, p.channels,
                     p.n_q, out.data());
  const char* plain = bias ? tex::projected_bias : tex::projected;
  const char* normalised = bias ? tex::projected_norm_bias : tex::projected_norm;
  r.step({.id = "projected",
          .title = p.batch_norm ? "Projected, normalised" : "Projected output",
          .formula = p.batch_norm ? normalised : plain,
          .note = projected_note(p),
          .axes = output_axes(r, p),
          .role = Role::output,
          .code = code_of_projected(p, bias)},
         std::move(out), explain_projected(p, bias != nullptr));
}

// projected (B, C, n_q) + x (B, C, N) at the queries.
void record_output(Recorder& r, const Plan& p) {
  StepInfo info{.id = "output",
                .title = "Output",
                .formula = tex::output,
                .note =
                    "The input is added back (Wang et al. 2018, equation 6), so the block only writes a change "
                    "onto it. A transformer layer in post-norm form normalises after this sum; here the "
                    "{output:result} was normalised before it, and the input passes untouched.",
                .axes = output_axes(r, p),
                .role = Role::output};
  if (p.whole()) {
    parts::sum(r, std::move(info), "projected", "x");
    return;
  }
  const Tensor &projected = r.values("projected"), &x = r.array("x");
  Tensor out = Tensor::uninitialized(projected.shape());
  for (Index i = 0; i < out.size(); ++i) out[i] = projected[i] + x[i * p.positions + p.first_query];
  const Code at_query = code::positions_of("x", p.first_query);
  info.code = {"output = projected + " + at_query.numpy, "output = projected + " + at_query.torch};
  r.step(std::move(info), std::move(out), [p](Index cell) {
    Explanation e;
    e.terms = {{{Operand::of("projected", cell)}}, {{Operand::of("x", cell * p.positions + p.first_query)}}};
    return e;
  });
}

// ---- Stages -------------------------------------------------------------------------------------------------------

// Nodes of the stepper and tiles of the pipeline, in the order of the steps.
void record_stages(Recorder& r, const Plan& p) {
  r.stage({"input", "Input", "x", {"x"}});
  std::vector<std::string> made;
  for (const char* id : {"q", "phi", "g"})
    if (r.has(id)) made.emplace_back(id);
  if (!p.sub_sample) made.insert(made.end(), {"k", "v"});
  r.stage({"project", "Project", p.gaussian ? "x x g" : "θ φ g", made});
  if (p.sub_sample) r.stage({"pool", "Pool", "max pool", {"k", "v"}});
  r.stage({"scores", "Scores", p.concatenation ? "[θ; φ]" : p.gaussian ? "x xᵀ" : "θ φᵀ", {"scores"}});
  if (p.softmax)
    r.stage({"softmax", "Softmax", "softmax", {"weights"}});
  else
    r.stage({"divide", "Divide", "÷ N", {"weights"}});
  r.stage({"weighted_sum", "Weighted sum", "weights · g", {"head_outputs"}});
  r.stage({"project_out", p.batch_norm ? "Project, norm" : "Project out", "· w_z", {"projected"}});
  r.stage({"output", "Add", "+ x", {"output"}});
}

// ---- Cost ---------------------------------------------------------------------------------------------------------

Cost cost_of(const Problem& problem) {
  const Plan p = plan_of(problem);
  CostSheet sheet;
  const auto embedding = [&](const char* bias) { return linear_operations(p.channels, problem.find(bias)); };
  const Shape unpooled{p.batches, 1, p.positions, p.inner}, outputs{p.batches, 1, p.n_q, p.inner};
  const Shape picture{p.batches, p.channels, p.n_q};
  const auto pooling = static_cast<double>(count(p.cell));
  const double of_q = p.gaussian ? 1 : embedding("b_theta"), of_k = p.gaussian ? 1 : embedding("b_phi");
  sheet.add(p.queries(), of_q);                                                                 // q
  if (p.sub_sample && !p.gaussian) sheet.add(unpooled, of_k);                                   // phi
  if (p.sub_sample) sheet.add(unpooled, embedding("b_g"));                                      // g
  sheet.add(p.keys(), p.sub_sample ? pooling : of_k);                                           // k
  sheet.add(p.values(), p.sub_sample ? pooling : embedding("b_g"));                             // v
  sheet.add(p.map_shape(), linear_operations(p.concatenation ? 2 * p.inner : p.width, false));  // scores
  sheet.add(p.map_shape(), p.softmax ? softmax_operations : 1);                                 // weights
  sheet.add(outputs, linear_operations(p.n_k, false));                                          // head_outputs
  sheet.add(picture,
            linear_operations(p.inner, problem.find("b_z")) + (p.batch_norm ? batch_norm_operations : 0));  // projected
  sheet.add(picture, 2);                                                                                    // output
  return sheet.total();
}

// Together they record every step.
std::vector<std::string> small_experiments() {
  return {
      R"({"variant": "non_local", "params": {"sub_sample": true},
          "inputs": {"x": [[[[0, 0, 0, 0, 0], [0, 2, 1, 0, 0], [0, 1, 0, 0, 1], [0, 0, 0, 1, 2]],
                            [[1, 1, 1, 1, 1], [1, 0, 0, 1, 1], [1, 0, 1, 1, 0], [1, 1, 1, 0, 0]]]]}})",
      R"({"variant": "non_local", "params": {"dimension": 1, "mode": "gaussian", "batch_norm": false},
          "inputs": {"x": [[[0, 1, 2, 1, 0, -1], [1, 0, -1, 0, 1, 0]]]}})",
      R"({"variant": "non_local", "params": {"dimension": 3, "mode": "dot_product", "bias": true},
          "inputs": {"x": [[[[[1, 0], [0, 0]], [[0, 1], [0, 0]]], [[[0, 0], [1, 2]], [[0, 0], [2, 1]]]]]}})",
      R"({"variant": "non_local", "params": {"mode": "concatenation", "inter_channels": 2},
          "inputs": {"x": [[[[1, 0, 2], [0, 1, 0]], [[0, 1, 1], [2, 0, 1]]]]}})",
  };
}

// ---- The variant --------------------------------------------------------------------------------------------------

Status check_variances(const Recorder& r) {
  const Tensor* variances = r.find("bn_var");
  if (!variances) return {};
  for (Index c = 0; c < variances->size(); ++c)
    if ((*variances)[c] < 0) return fail("bn_var[{}] is {}: a variance must be 0 or more", c, (*variances)[c]);
  return {};
}

class NonLocal final : public Variant {
 public:
  const VariantInfo& info() const override { return variant_info(); }

  const std::vector<ParamSpec>& params() const override {
    static const std::vector<ParamSpec> specs = param_specs();
    return specs;
  }

  ArraySpecs arrays(const ParamValues& params, const std::set<std::string, std::less<>>&) const override {
    return {.inputs = {input_array(params)}, .weights = weight_arrays(params)};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    if (!params.is_automatic("inter_channels")) symbols["C'"] = params.integer("inter_channels");
  }

  void bind_rest(const ParamValues& params, Symbols& symbols) const override {
    const Grid grid = grid_of(params, symbols);
    symbols["N"] = symbols["n_q"] = count(grid);
    symbols["n_k"] = count(pooled(grid, cell_of(params)));
    symbols.emplace("C'", std::max<Index>(1, symbols.at("C") / 2));  // Wang et al. 2018, section 3.3
    if (params.choice("mode") == "concatenation") symbols.emplace("2C'", 2 * symbols.at("C'"));
  }

  Status validate(const ParamValues& params, const Symbols& symbols) const override {
    const Index inner = symbols.at("C'");
    if (const auto both = symbols.find("2C'"); both != symbols.end() && both->second != 2 * inner)
      return fail("w_concat has {} numbers, but it weighs queries and keys of {} channels each: it must have {}",
                  both->second, inner, 2 * inner);
    if (symbols.at("n_k") > 0) return {};
    return fail(
        "sub_sample pools {} neighbouring positions, and x has only {}: set sub_sample to false, or give a "
        "larger x",
        params.integer("dimension") == 1 ? "2" : "2 × 2",
        grid_text(grid_of(params, symbols), params.integer("dimension")));
  }

  Cost cost(const Problem& problem) const override { return cost_of(problem); }
  Result<bool> fill_textbook(Problem& problem) const override { return fill_textbook_non_local(problem); }

  std::vector<std::string> samples() const override { return small_experiments(); }

  // Wang et al. 2018, section 3.1, equation 1, with the pairs of functions of section 3.2; section 3.3 for the block.
  Status record(Recorder& r) const override {
    const Plan p = plan_of(r.problem());
    HL_CHECK(check_variances(r));
    for (const auto record_part : {record_projections, record_scores, record_weights, record_head_outputs,
                                   record_projected, record_output, record_stages}) {
      if (r.cancelled()) return {};
      record_part(r, p);
    }
    return {};
  }
};

}  // namespace

const Variant& non_local() {
  static const NonLocal variant;
  return variant;
}

}  // namespace headlight
