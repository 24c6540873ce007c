#include <algorithm>
#include <array>
#include <utility>

#include "engine/ops/picture_ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/non_local_words.h"
#include "engine/variants/position_grid.h"

namespace headlight {

namespace {

std::array<Array, 3> record_embeddings(Recorder& r, const ops::Positions& x);
Array record_scores(Recorder& r, const Array& theta, const Array& phi);
Array record_weights(Recorder& r, const Array& s);
Operation back_to_input(Recorder& r, const Array& y);
Axis query_axis(const Recorder& r);
Axis key_axis(const Recorder& r);

// z_i = W_z y_i + x_i, y_i = Σ_j f(x_i, x_j) g(x_j) / 𝒞, θ(x) = W_θ x, φ and g likewise; W_z y_i may have a batch norm,
// and φ and g a max pool. Wang et al. 2018, sections 3.1 to 3.3, equations 1 to 6; a scale of scores is not theirs.
//   gaussian            f = exp(x_i · x_j)                   𝒞 = Σ_j f, so f / 𝒞 is a softmax of ln f
//   embedded_gaussian   f = exp(θ(x_i) · φ(x_j))             𝒞 = Σ_j f
//   dot_product         f = θ(x_i) · φ(x_j)                  𝒞 = N, the count of keys j
//   concatenation       f = ReLU(w · [θ(x_i); φ(x_j)])       𝒞 = N
void record_attention(Recorder& r) {
  r.stage("input", "Input", "x");
  const ops::Positions x(r.array("x"));
  const auto [theta, phi, g] = record_embeddings(r, x);  // (B, 1, n_q, C' | C), (B, 1, n_k, C' | C), (B, 1, n_k, C')
  const Array s = record_scores(r, theta, phi);          // ln f of both Gaussians, else f: (B, 1, n_q, n_k)
  const Array a = record_weights(r, s);                  // f / 𝒞 = softmax(s), or s / N: (B, 1, n_q, n_k)
  r.stage("weighted_sum", "Weighted sum", "weights · g");
  const Array y = r.step("head_outputs", ops::weighted_sum(a, g));  // (B, 1, n_q, C')
  r.stage("project_out", r.params().flag("batch_norm") ? "Project, norm" : "Project out", "· w_z");
  const Array w_z_y = r.step("projected", back_to_input(r, y));  // (B, C, …)
  r.stage("output", "Add", "+ x");
  r.step("output", ops::add_at(x, w_z_y, query_axis(r)));  // (B, C, …)
}

bool is_gaussian(const Recorder& r) {
  return r.params().choice("mode") == "gaussian";
}

// θ, φ or g.
Operation embedding(Recorder& r, const ops::Positions& x, const std::string& function, const Axis& axis) {
  return ops::embedding(x, r.array("w_" + function), r.array("b_" + function), axis);
}

// The same, but x itself in Gaussian mode.
Operation embedding_or_input(Recorder& r, const ops::Positions& x, const std::string& function, const Axis& axis,
                             Role role) {
  return is_gaussian(r) ? ops::positions_first(x, axis).as(role) : embedding(r, x, function, axis);
}

ops::Pooling pooling_of(const Recorder& r) {
  return {.grid = position_grid(r.params(), r.problem().symbols),
          .cell = pooled_cell(r.params()),
          .dimension = r.params().integer("dimension")};
}

// Queries θ(x), keys φ(x) and values g(x), of which keys and values may be pooled. In Gaussian mode queries and keys
// are the input itself, of C channels.
std::array<Array, 3> record_embeddings(Recorder& r, const ops::Positions& x) {
  const Axis keys = key_axis(r);
  r.stage("project", "Project", is_gaussian(r) ? "x x g" : "θ φ g");
  const Array theta = r.step("q", embedding_or_input(r, x, "theta", query_axis(r), Role::query));
  if (!r.params().flag("sub_sample")) {
    const Array phi = r.step("k", embedding_or_input(r, x, "phi", keys, Role::key));
    const Array g = r.step("v", embedding(r, x, "g", keys));
    return {theta, phi, g};
  }
  // What keys and values are pooled from has an axis of its own: not queries, and more of them than keys.
  const ops::Pooling pooling = pooling_of(r);
  Axis all = r.axis("N", "position");
  all.grid = pooling.grid;
  Array all_phi;
  if (!is_gaussian(r)) all_phi = r.step("phi", embedding(r, x, "phi", all));
  const Array all_g = r.step("g", embedding(r, x, "g", all));
  r.stage("pool", "Pool", "max pool");
  const Array phi =
      r.step("k", all_phi ? ops::max_pool(all_phi, pooling, keys) : ops::max_pool(x, pooling, keys).as(Role::key));
  const Array g = r.step("v", ops::max_pool(all_g, pooling, keys));
  return {theta, phi, g};
}

Array record_unscaled_scores(Recorder& r, const Array& theta, const Array& phi) {
  if (r.params().choice("mode") == "concatenation") {
    r.stage("scores", "Scores", "[θ; φ]");
    return r.step("scores", ops::relu_of_pairs(theta, phi, r.array("w_concat")));
  }
  r.stage("scores", "Scores", is_gaussian(r) ? "x xᵀ" : "θ φᵀ");
  return r.step("scores", ops::dot_products(theta, phi));
}

// The paper leaves scores as they are, which is a scale of 1.
Array record_scores(Recorder& r, const Array& theta, const Array& phi) {
  const Array scores = record_unscaled_scores(r, theta, phi);
  const double scale = r.params().real("scale");
  if (scale == 1) return scores;
  r.stage("scale", "Scale", "· a");
  return r.step("scaled_scores", ops::scaled(scores, {.value = scale,
                                                      .label = fmt::format("{}", scale),
                                                      .in_code = fmt::format("* {}", scale),
                                                      .left = "a\\,"}));
}

// Both Gaussians take a softmax, whose rows sum to 1; the others divide by the count of keys.
Array record_weights(Recorder& r, const Array& s) {
  const std::string& mode = r.params().choice("mode");
  if (mode == "gaussian" || mode == "embedded_gaussian") {
    r.stage("softmax", "Softmax", "softmax");
    return r.step("weights", ops::softmax(s));
  }
  r.stage("divide", "Divide", "÷ N");
  const ops::Factor one_in_n{.value = 1 / static_cast<double>(s.dim(-1)),
                             .label = "1/N",
                             .in_code = fmt::format("/ {}.shape[-1]", s.id),
                             .left = "\\frac{1}{N}\\,"};
  return r.step("weights", ops::scaled(s, one_in_n).as(Role::weight));
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

Operation back_to_input(Recorder& r, const Array& y) {
  const bool norm = r.params().flag("batch_norm");
  ops::BatchNorm statistics;
  if (norm) statistics = {r.array("bn_gamma"), r.array("bn_beta"), r.array("bn_mean"), r.array("bn_var")};
  return ops::back_to_channels(y, r.array("w_z"), r.array("b_z"), norm ? &statistics : nullptr, output_axes(r));
}

// Puts the words or samples of a signal; none where pooling has made fewer positions of them.
void name_positions(const Recorder& r, Axis& axis, Index positions) {
  axis.labels.clear();
  axis.given_labels.clear();
  const auto found = r.problem().labels.find("L");
  if (found == r.problem().labels.end() || static_cast<Index>(found->second.size()) != positions) return;
  axis.labels = found->second;
  if (const auto given = r.problem().given_labels.find("L"); given != r.problem().given_labels.end())
    axis.given_labels = given->second;
}

Axis query_axis(const Recorder& r) {
  Axis axis = r.axis("n_q", "query", Role::query);
  axis.grid = position_grid(r.params(), r.problem().symbols);
  name_positions(r, axis, count(*axis.grid));
  if (!axis.only) return axis;
  const auto only = static_cast<std::size_t>(*axis.only);
  axis.labels = {axis.labels.empty() ? place_of(*axis.grid, *axis.only) : axis.labels[only]};
  for (auto& list : axis.given_labels) list = {list[only]};
  return axis;
}

Axis key_axis(const Recorder& r) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.grid = key_grid(r.params(), r.problem().symbols);
  name_positions(r, axis, axis.size);
  return axis;
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
      param::integer("dimension", "Dimension", "What the positions lie on: 1 a signal, 2 a picture, 3 a video.", 2, 1,
                     3),
      param::choice("mode", "Similarity",
                    "How two positions are compared, and how scores become weights (Wang et al. 2018, section 3.2).",
                    {{"embedded_gaussian", "Embedded Gaussian", "softmax(θ(x) · φ(x)): attention as elsewhere."},
                     {"gaussian", "Gaussian", "softmax(x · x): the input is compared with itself."},
                     {"dot_product", "Dot product", "θ(x) · φ(x) / N: no softmax, so weights may be negative."},
                     {"concatenation", "Concatenation", "ReLU(w · [θ(x); φ(x)]) / N: a small network compares."}}),
      param::integer("inter_channels", "Inner channels",
                     "How many channels queries, keys and values have; automatic is half of the input's.",
                     param::automatic, 1, 65536, {.symbol = "C'"}),
      param::flag("sub_sample", "Pool the keys",
                  "Keeps the largest of every 2 × 2 neighbouring keys and values, in each channel.", false),
      param::flag("batch_norm", "Batch norm",
                  "Normalises each channel of the result before the input is added (Wang et al. 2018, section 4.1).",
                  true),
      param::real("scale", "Scale",
                  "What scores are multiplied by; 1 is the paper, 1/√C' keeps a wide start from being stuck.", 1.0,
                  1e-6, 1e6, {.advanced = true, .logarithmic = true}),
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
    add(declare::with_letter(
        "w_θ", weight("w_theta", "W_\\theta", "Query weights", "Turn a position's channels into its query (θ).",
                      {"C'", "C"}, Fill::init, Role::query)));
    add(declare::with_letter(
        "w_φ", weight("w_phi", "W_\\phi", "Key weights", "Turn a position's channels into its key (φ).", {"C'", "C"},
                      Fill::init, Role::key)));
    add(weight("b_theta", "b_\\theta", "Query bias", "Added to every query.", {"C'"}, bias, Role::query));
    add(weight("b_phi", "b_\\phi", "Key bias", "Added to every key.", {"C'"}, bias, Role::key));
  }
  add(weight("w_g", "W_g", "Value weights", "Turn a position's channels into its value (g).", {"C'", "C"}, Fill::init,
             Role::value));
  add(weight("b_g", "b_g", "Value bias", "Added to every value.", {"C'"}, bias, Role::value));
  if (params.choice("mode") == "concatenation")
    add(declare::with_letter("w", weight("w_concat", "w_f", "Comparing weights",
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
  NonLocal() : Variant(variant_info(), param_specs(), non_local_words::steps()) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet&) const override {
    return {.inputs = {input_array(params)}, .weights = weight_arrays(params)};
  }

  void bind(const ParamValues& params, Symbols& symbols) const override {
    symbols["M"] = 1;
    if (!params.is_automatic("inter_channels")) symbols["C'"] = params.integer("inter_channels");
  }

  void bind_rest(const ParamValues& params, Symbols& symbols) const override {
    const Grid grid = position_grid(params, symbols);
    symbols["N"] = symbols["n_q"] = count(grid);
    symbols["n_k"] = count(key_grid(params, symbols));
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
        grid_text(position_grid(params, symbols), params.integer("dimension")));
  }

  Status check(const Problem& problem) const override { return check_variances(problem); }
  std::vector<std::string> samples() const override {
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
        R"({"variant": "non_local", "params": {"dimension": 1, "inter_channels": 2, "scale": 0.5, "batch_norm": false},
            "inputs": {"x": [[[1, 2, 0, -1], [0, 1, -1, 2]]]}})",
    };
  }
  void record(Recorder& r) const override { record_attention(r); }
};

}  // namespace

const Variant& non_local() {
  static const NonLocal variant;
  return variant;
}

}  // namespace headlight
