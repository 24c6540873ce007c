#include <algorithm>
#include <utility>

#include "engine/ops/picture_ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

ops::Pooling pooling_of(const ParamValues& params, const Symbols& symbols);
Axis query_axis(const Recorder& r);
Axis key_axis(const Recorder& r);
std::vector<Axis> output_axes(const Recorder& r);

// The input as queries, keys and values: θ(x), φ(x) and g(x), of which keys and values may be pooled.
struct Embedded {
  Array q, k, v;  // (B, 1, n_q, C'), (B, 1, n_k, C'), (B, 1, n_k, C')
};
Embedded record_embedding(Recorder& r, const ops::Positions& x, bool gaussian);

// Wang et al. 2018, section 3.1, equation 1, with the pairs of functions of section 3.2; section 3.3 for the block.
void record_attention(Recorder& r) {
  const std::string& mode = r.params().choice("mode");
  const bool gaussian = mode == "gaussian", pairs = mode == "concatenation";
  r.stage("input", "Input", "x");
  const ops::Positions x(r.array("x"));
  const auto [q, k, v] = record_embedding(r, x, gaussian);

  r.stage("scores", "Scores", pairs ? "[θ; φ]" : gaussian ? "x xᵀ" : "θ φᵀ");
  const Array s = r.step(
      "scores", pairs ? ops::relu_of_pairs(q, k, r.array("w_concat")) : ops::dot_products(q, k));  // (B, 1, n_q, n_k)
  const bool softmax = gaussian || mode == "embedded_gaussian";
  if (softmax)
    r.stage("softmax", "Softmax", "softmax");
  else
    r.stage("divide", "Divide", "÷ N");
  const ops::Factor one_in_n{1 / static_cast<double>(k.dim(2)), "1/N", fmt::format("/ {}.shape[-1]", s.id),
                             "\\frac{1}{N}\\,"};
  const Array a = r.step("weights", softmax ? ops::softmax(s) : ops::scaled(s, one_in_n).as(Role::weight));

  r.stage("weighted_sum", "Weighted sum", "weights · g");
  const Array y = r.step("head_outputs", ops::weighted_sum(a, v));  // (B, 1, n_q, C')
  const bool norm = r.params().flag("batch_norm");
  r.stage("project_out", norm ? "Project, norm" : "Project out", "· w_z");
  ops::BatchNorm statistics;
  if (norm) statistics = {r.array("bn_gamma"), r.array("bn_beta"), r.array("bn_mean"), r.array("bn_var")};
  const Array change = r.step("projected", ops::back_to_channels(y, r.array("w_z"), r.array("b_z"),
                                                                 norm ? &statistics : nullptr, output_axes(r)));
  r.stage("output", "Add", "+ x");
  r.step("output", ops::added_to(x, change, query_axis(r)));  // (B, C, …)
}

Embedded record_embedding(Recorder& r, const ops::Positions& x, bool gaussian) {
  const auto theta = [&](const Axis& axis) { return ops::embedding(x, r.array("w_theta"), r.array("b_theta"), axis); };
  const auto phi = [&](const Axis& axis) { return ops::embedding(x, r.array("w_phi"), r.array("b_phi"), axis); };
  const auto g = [&](const Axis& axis) { return ops::embedding(x, r.array("w_g"), r.array("b_g"), axis); };
  const Axis queries = query_axis(r), keys = key_axis(r);
  r.stage("project", "Project", gaussian ? "x x g" : "θ φ g");
  const Array q = r.step("q", gaussian ? ops::positions_first(x, queries).as(Role::query) : theta(queries));
  if (!r.params().flag("sub_sample"))
    return {q, r.step("k", gaussian ? ops::positions_first(x, keys).as(Role::key) : phi(keys)), r.step("v", g(keys))};
  // What keys and values are pooled from has an axis of its own: not queries, and more of them than keys.
  Axis all = r.axis("N", "position");
  const ops::Pooling pooling = pooling_of(r.params(), r.problem().symbols);
  all.grid = pooling.grid;
  const Array unpooled_k = gaussian ? Array{} : r.step("phi", phi(all));
  const Array unpooled_v = r.step("g", g(all));
  r.stage("pool", "Pool", "max pool");
  const Array k =
      r.step("k", gaussian ? ops::max_pool(x, pooling, keys).as(Role::key) : ops::max_pool(unpooled_k, pooling, keys));
  return {q, k, r.step("v", ops::max_pool(unpooled_v, pooling, keys))};
}

// ---- What it is and what can be set --------------------------------------------------------------------------------

VariantInfo variant_info() {
  return {
      .id = "non_local",
      .title = "Non-local",
      .summary =
          "Every position of a signal, picture or video looks at every other, in one head and unscaled, and what it "
          "finds is added to its own channels.",
      .shorthand = "softmax(θφᵀ)g + x",
      .source = "Wang et al. 2018, Non-local Neural Networks, section 3, equations 1 to 6",
      .first_choice_for = {InputKind::frames}};
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
      declare::bias(),
      declare::only_query(),
  };
}

// ---- Arrays --------------------------------------------------------------------------------------------------------

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
          .layout = Layout::grid,
          .symbol = "x"};
}

std::vector<ArraySpec> weight_arrays(const ParamValues& params) {
  using declare::weight;
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  std::vector<ArraySpec> list;
  const auto add = [&](ArraySpec spec) {
    spec.outputs_first = spec.shapes.front().size() == 2;  // as 1×1 convolutions keep them
    list.push_back(std::move(spec));
  };
  if (params.choice("mode") != "gaussian") {
    add(declare::under_letter(
        "w_θ", weight("w_theta", "W_\\theta", "Query weights", "Turn a position's channels into its query (θ).",
                      {"C'", "C"}, Fill::init, Role::query)));
    add(declare::under_letter(
        "w_φ", weight("w_phi", "W_\\phi", "Key weights", "Turn a position's channels into its key (φ).", {"C'", "C"},
                      Fill::init, Role::key)));
    add(weight("b_theta", "b_\\theta", "Query bias", "Added to every query.", {"C'"}, bias, Role::query));
    add(weight("b_phi", "b_\\phi", "Key bias", "Added to every key.", {"C'"}, bias, Role::key));
  }
  add(weight("w_g", "W_g", "Value weights", "Turn a position's channels into its value (g).", {"C'", "C"}, Fill::init,
             Role::value));
  add(weight("b_g", "b_g", "Value bias", "Added to every value.", {"C'"}, bias, Role::value));
  if (params.choice("mode") == "concatenation")
    add(declare::under_letter("w", weight("w_concat", "w_f", "Comparing weights",
                                          "Weigh the channels of a query, then those of a key.", {"2C'"}, Fill::init)));
  add(weight("w_z", "W_z", "Output weights", "Turn what was found back into the input's channels.", {"C", "C'"},
             Fill::init, Role::output));
  add(weight("b_z", "b_z", "Output bias", "Added to each channel of the result.", {"C"}, bias, Role::output));
  if (!params.flag("batch_norm")) return list;
  add(weight("bn_gamma", "\\gamma", "Norm scale", "Stretches each normalised channel.", {"C"}, Fill::ones));
  add(weight("bn_beta", "\\beta", "Norm shift", "Shifts each normalised channel.", {"C"}, Fill::zeros));
  add(weight("bn_mean", "\\mu", "Channel means", "Each channel's mean, as training measured it.", {"C"}, Fill::zeros));
  add(weight("bn_var", "\\sigma", "Channel variances", "Each channel's variance, as training measured it.", {"C"},
             Fill::ones));
  return list;
}

// ---- Grids and axes ------------------------------------------------------------------------------------------------

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

ops::Pooling pooling_of(const ParamValues& params, const Symbols& symbols) {
  return {.grid = grid_of(params, symbols), .cell = cell_of(params), .dimension = params.integer("dimension")};
}

// The words or samples of a signal; none where pooling has made fewer positions of them.
std::vector<std::string> labels_of_positions(const Recorder& r, Index count) {
  const auto found = r.problem().labels.find("L");
  const bool fits = found != r.problem().labels.end() && static_cast<Index>(found->second.size()) == count;
  return fits ? found->second : std::vector<std::string>{};
}

Axis query_axis(const Recorder& r) {
  Axis axis = r.axis("n_q", "query", Role::query);
  axis.grid = grid_of(r.params(), r.problem().symbols);
  axis.labels = labels_of_positions(r, count(*axis.grid));
  if (axis.only)
    axis.labels = {axis.labels.empty() ? place_of(*axis.grid, *axis.only)
                                       : axis.labels[static_cast<std::size_t>(*axis.only)]};
  return axis;
}

Axis key_axis(const Recorder& r) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.grid = pooled(grid_of(r.params(), r.problem().symbols), cell_of(r.params()));
  axis.labels = labels_of_positions(r, axis.size);
  return axis;
}

// The axes of the input, (B, C, …), or one position of them.
std::vector<Axis> output_axes(const Recorder& r) {
  const Axis queries = query_axis(r);
  std::vector<Axis> axes{r.axis("B", "batch"), r.axis("C", "channel")};
  if (queries.size != count(*queries.grid)) {
    axes.push_back(queries);
    return axes;
  }
  const Index dimension = r.params().integer("dimension");
  if (dimension == 3) axes.push_back(r.axis("T", "frame"));
  if (dimension >= 2) axes.push_back(r.axis("H", "row"));
  axes.push_back(dimension == 1 ? r.axis("L", "position") : r.axis("W", "column"));
  axes[2].index = queries.index;  // a position lies on all of them, and is counted once
  return axes;
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

// What the notes speak of.
struct Told {
  explicit Told(const Recorder& r)
      : dimension(r.params().integer("dimension")),
        grid(grid_of(r.params(), r.problem().symbols)),
        cell(cell_of(r.params())),
        key_grid(pooled(grid, cell)),
        mode(r.params().choice("mode")) {}

  Index dimension;
  Grid grid, cell, key_grid;
  const std::string& mode;
};

std::string query_note(const Recorder& r) {
  const Told p(r);
  const std::string positions = grid_text(p.grid, p.dimension);
  if (r.params().choice("mode") == "gaussian")
    return fmt::format(
        "Gaussian mode compares the input with itself: the {{query:query}} of a position is its channels as they are "
        "(Wang et al. 2018, equation 2). Only the order of the numbers changes, so that each of the {} positions "
        "becomes a row.",
        positions);
  return fmt::format(
      "A {{query:query}} (θ) is what a position asks with: its channels ({}), mixed into {} by one matrix that all "
      "{} positions share. This is a convolution of extent 1, so no position sees its neighbours yet.",
      r.dim("C"), r.dim("C'"), positions);
}

std::string key_note(const Recorder& r) {
  if (r.params().choice("mode") == "gaussian")
    return "Gaussian mode: the {key:key} of a position is the input there, just as its {query:query} is. The "
           "{score:score} of two positions is then the same in both directions.";
  return fmt::format(
      "A {{key:key}} (φ) is what a position is found by. θ and φ have weights of their own, so one position may look "
      "at another without being looked at; both have width {}.",
      r.dim("C'"));
}

constexpr const char* value_note =
    "A {value:value} (g) is what a position passes on to those who look at it. It has no say in who looks at whom.";

// What rounding down leaves out, or nothing.
std::string left_over_note(const Told& p) {
  const bool rows = p.grid.rows % p.cell.rows != 0, columns = p.grid.columns % p.cell.columns != 0;
  if (!rows && !columns) return "";
  if (p.dimension == 1) return " The last position has no partner and is behind no key: extents round down.";
  return fmt::format(" The last {} {} behind no key: extents round down.",
                     rows && columns ? "row and column"
                     : rows          ? "row"
                                     : "column",
                     rows && columns ? "are" : "is");
}

std::string pooled_note(const Recorder& r, const char* what) {
  const Told p(r);
  return fmt::format(
      "In each channel the largest of {} neighbouring positions is kept, so {} positions give {} {}. Every query is "
      "still asked, but the map is {} times smaller (Wang et al. 2018, section 3.3).{}",
      p.dimension == 1 ? "2" : "2 × 2", grid_text(p.grid, p.dimension), grid_text(p.key_grid, p.dimension), what,
      count(p.cell), left_over_note(p));
}

std::string scores_note(const Recorder& r) {
  if (r.params().choice("mode") == "concatenation")
    return fmt::format(
        "{{query:Query}} and {{key:key}} are laid side by side, and one weight for each of the 2 · {} channels makes "
        "a {{score:score}} of them; negative ones become 0 (Wang et al. 2018, equation 5). Before ReLU it is a number "
        "of the query plus a number of the key, so the two never multiply.",
        r.dim("C'"));
  const Index width = r.dim(r.params().choice("mode") == "gaussian" ? "C" : "C'");
  return fmt::format(
      "The {{score:score}} of two positions is the dot product of {{query:query}} and {{key:key}} (width {}), "
      "wherever the two lie: the first and the last pixel meet in one step. It is not divided by √{}, as "
      "multi-head attention would.",
      width, width);
}

std::string projected_note(const Recorder& r) {
  if (!r.params().flag("batch_norm"))
    return fmt::format(
        "One matrix takes each position from width {} back to the input's, {}. Wang et al. 2018 start it at 0, "
        "so that a new block changes nothing in a network that was trained without it (section 3.3).",
        r.dim("C'"), r.dim("C"));
  return fmt::format(
      "One matrix takes each position from width {} back to the input's, {}, and batch norm brings each channel "
      "to mean 0 and variance 1 by the statistics of training, then stretches it by γ and shifts it by β. γ starts at "
      "0 in Wang et al. 2018, section 4.1, so that a new block is the identity; generated γ is 1, so that there is "
      "something to see.",
      r.dim("C'"), r.dim("C"));
}

std::string weights_note(const Recorder& r) {
  const std::string& mode = r.params().choice("mode");
  if (mode == "gaussian" || mode == "embedded_gaussian")
    return "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1: exp of a score over "
           "the "
           "row's sum is softmax, so this mode is attention (Wang et al. 2018, section 3.2). Unscaled {score:scores} "
           "of "
           "many channels are large, and a row then rests on few keys.";
  return fmt::format(
      "There is no softmax here: {{score:scores}} are divided by the count of keys, N = {}, so that the sum does not "
      "grow with the picture. A row need not add up to 1{}.",
      r.dim("n_k"),
      mode == "concatenation" ? ", and one whose scores are all 0 finds nothing"
                              : ", and a {weight:weight} may be negative: then a value is taken away");
}

constexpr const char* before_pooling = " These are all positions, before neighbours are pooled.";

std::vector<StepWords> step_words() {
  return {
      {"q", "\\theta", "Queries θ(x)", query_note,
       [](const Recorder& r) -> std::string { return r.has("w_theta") ? "θ" : "x"; }},
      {"phi", "\\phi'", "Keys before pooling", [](const Recorder& r) { return key_note(r) + before_pooling; }, "φ"},
      {"g", "g'", "Values before pooling", [](const Recorder&) { return std::string(value_note) + before_pooling; }},
      {"k", "\\phi", "Keys φ(x)",
       [](const Recorder& r) { return r.params().flag("sub_sample") ? pooled_note(r, "{key:keys}") : key_note(r); },
       [](const Recorder& r) -> std::string {
         return std::string(r.has("w_theta") ? "φ" : "x") + (r.has("g") ? " pooled" : "");
       }},
      {"v", "g", "Values g(x)",
       [](const Recorder& r) {
         if (!r.params().flag("sub_sample"))
           return std::string(value_note) + " Wang et al. 2018 keep it a plain linear map, in every mode.";
         return pooled_note(r, "{value:values}") +
                " The largest numbers of a {value:value} may come from different positions.";
       },
       [](const Recorder& r) -> std::string { return r.has("g") ? "g pooled" : "g"; }},
      {"scores", "s", "Scores", scores_note},
      {"weights", "\\alpha", "Attention weights", weights_note, "α"},
      {"head_outputs", "y", "Weighted values",
       "Each {query:query} sums the {value:values} of all positions, each times its {weight:weight} (Wang et al. 2018, "
       "equation 1). A convolution would weigh neighbours by their place; here the content decides, at any distance.",
       "y"},
      {"projected", "a",
       [](const Recorder& r) -> std::string {
         return r.params().flag("batch_norm") ? "Projected, normalised" : "Projected output";
       },
       projected_note},
      {"output", "z", "Output",
       "The input is added back (Wang et al. 2018, equation 6), so the block only writes a change onto it. A "
       "transformer layer in post-norm form normalises after this sum; here the {output:result} was normalised before "
       "it, and the input passes untouched."},
  };
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

// ---- The variant ---------------------------------------------------------------------------------------------------

Status check_variances(const Problem& problem) {
  const Tensor* variances = problem.find("bn_var");
  if (!variances) return {};
  for (Index c = 0; c < variances->size(); ++c)
    if ((*variances)[c] < 0) return fail("bn_var[{}] is {}: a variance must be 0 or more", c, (*variances)[c]);
  return {};
}

class NonLocal final : public Variant {
 public:
  NonLocal() : Variant(variant_info(), param_specs(), step_words()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet&) const override {
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

  Status check(const Problem& problem) const override { return check_variances(problem); }
  std::vector<std::string> samples() const override { return small_experiments(); }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& non_local() {
  static const NonLocal variant;
  return variant;
}

}  // namespace headlight
