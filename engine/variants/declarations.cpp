#include "engine/variants/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "engine/ops/picture_ops.h"
#include "engine/variants/mask_option.h"

namespace headlight {

const MaskOption& causal();  // defined in the file of its name

}  // namespace headlight

namespace headlight::declare {

ParamSpec heads(Index fallback, std::string each_has) {
  return {.id = "heads",
          .title = "Heads",
          .help = fmt::format("How many heads attend side by side, each with {}.", each_has),
          .type = ParamType::integer,
          .fallback = fallback,
          .least = 1,
          .most = 512,
          .symbol = "M"};
}

ParamSpec width(std::string id, Index fallback, std::string symbol, std::string what) {
  return {.id = std::move(id),
          .title = "Width per head",
          .help = fmt::format("How many numbers make up {} in one head ({}).", what, symbol),
          .type = ParamType::integer,
          .fallback = fallback,
          .least = 1,
          .most = 4096,
          .symbol = std::move(symbol)};
}

ParamSpec extent(ParamValue fallback, std::string help) {
  const bool automatic = std::holds_alternative<std::monostate>(fallback);
  return {.id = "extent",
          .title = "Window",
          .help = std::move(help),
          .type = ParamType::integer,
          .fallback = std::move(fallback),
          .least = 1,
          .most = 255,
          .automatic = automatic,
          .step = 2};
}

ParamSpec padding(bool masked_first) {
  ParamSpec spec{.id = "padding",
                 .title = "Padding",
                 .help = "What a window finds outside the picture.",
                 .type = ParamType::choice,
                 .fallback = std::string(masked_first ? "masked" : "zero"),
                 .choices = {{"masked", "Masked", "Nothing: what lies outside takes no part."},
                             {"zero", "Zeros", "Keys and values of zeros, which take part as any others."}}};
  if (!masked_first) std::swap(spec.choices[0], spec.choices[1]);
  return spec;
}

ParamSpec out_channels() {
  return {.id = "out_channels",
          .title = "Output channels",
          .help = "How many channels the result has; automatic is as many as the input.",
          .type = ParamType::integer,
          .fallback = std::monostate{},
          .least = 1,
          .most = 65536,
          .automatic = true,
          .symbol = "out"};
}

ParamSpec output_projection() {
  return {.id = "output_projection",
          .title = "Project output",
          .help = "Whether w_o mixes the heads; without it the output is the heads side by side.",
          .type = ParamType::flag,
          .fallback = true,
          .advanced = true};
}

ParamSpec bias() {
  return {.id = "bias",
          .title = "Biases",
          .help = "Whether biases are generated; those given as arrays always take part.",
          .type = ParamType::flag,
          .fallback = false,
          .advanced = true};
}

ParamSpec only_query() {
  return {.id = "only_query",
          .title = "One query",
          .help = "Only the row of this query is computed, which takes memory for one row; automatic is all of them.",
          .type = ParamType::integer,
          .fallback = std::monostate{},
          .least = 0,
          .most = 1e9,
          .automatic = true,
          .advanced = true};
}

ParamSpec mask_besides_padding() {
  return {.id = "mask",
          .title = "Mask",
          .help = "Which keys a query may look at, besides padding.",
          .type = ParamType::choice,
          .fallback = std::string("none"),
          .choices = {{"none", "None", "Every query reads all keys."}, *causal().choice()}};
}

std::string divisors_of(Index n) {
  std::vector<std::string> all;
  for (Index each = 1; each < n; ++each)
    if (n % each == 0) all.push_back(fmt::format("{}", each));
  return all.empty() ? "1" : fmt::format("{} or {}", fmt::join(all, ", "), n);
}

ArraySpec weight(std::string id, std::string symbol, std::string title, std::string help,
                 std::vector<std::string> shape, Fill fill, Role role) {
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .shapes = {std::move(shape)},
          .fill = fill,
          .kind = Kind::weight,
          .role = role,
          .symbol = std::move(symbol)};
}

ArraySpec under_letter(std::string letter, ArraySpec spec) {
  spec.letter = std::move(letter);
  return spec;
}

std::vector<ArraySpec> norm(const std::string& which, const std::string& title, const std::string& channels) {
  const std::string scale = title.empty() ? "Norm scale" : title + " norm scale",
                    shift = title.empty() ? "Norm shift" : title + " norm shift";
  return {weight(which + "_gamma", "\\gamma", scale, "Stretches each normalised channel.", {channels}, Fill::ones),
          weight(which + "_beta", "\\beta", shift, "Shifts each normalised channel.", {channels}, Fill::zeros)};
}

std::vector<ArraySpec> sequences(std::string title_of_values, std::string help_of_values) {
  return {{.id = "x_q",
           .title = "Query input",
           .help = "The tokens that ask, one row each.",
           .shapes = {{"B", "n_q", "d_q"}},
           .role = Role::query,
           .layout = Layout::rows,
           .symbol = "x^q"},
          {.id = "x_k",
           .title = "Key input",
           .help = "The tokens that are asked; the query input itself where nothing else is given.",
           .shapes = {{"B", "n_k", "d_k"}},
           .fill = Fill::alias,
           .alias_of = "x_q",
           .role = Role::key,
           .layout = Layout::rows,
           .symbol = "x^k"},
          {.id = "x_v",
           .title = std::move(title_of_values),
           .help = std::move(help_of_values),
           .shapes = {{"B", "n_k", "d_v"}},
           .fill = Fill::alias,
           .alias_of = "x_k",
           .role = Role::value,
           .layout = Layout::rows,
           .symbol = "x^v"}};
}

ArraySpec picture() {
  return {.id = "x",
          .title = "Picture",
          .help = "A picture, channels first.",
          .shapes = {{"B", "C", "H", "W"}},
          .layout = Layout::grid,
          .symbol = "x"};
}

Array as_keys(const Recorder& r, Array x) {
  for (Axis& axis : x.axes) {
    if (axis.role != Role::query) continue;
    Axis keys = r.axis("n_k", "key", Role::key);
    keys.labels = axis.labels;
    keys.grid = axis.grid;
    axis = std::move(keys);
  }
  return x;
}

ops::MaskedScores masked_scores(Recorder& r, const Array& scores, const MaskRules& rules) {
  if (!rules.any()) return {scores, {}, {}};
  r.stage("mask", "Mask", "mask");
  const Array mask = r.source("mask", ops::mask(rules, scores));
  return {r.step("masked_scores", ops::add_mask(scores, mask, rules)), mask, rules};
}

Array masked_softmax(Recorder& r, const Array& scores, const MaskRules& rules) {
  const ops::MaskedScores masked = masked_scores(r, scores, rules);
  r.stage("softmax", "Softmax", "softmax");
  return r.step("weights", ops::masked_softmax(masked));
}

void merge_heads(Recorder& r, const Array& heads, const char* channels) {
  r.stage("concat", "Concat", "concat");
  const Array joined = r.step("concat", ops::concatenation(heads, r.axis(channels, "channel")));
  r.stage("output", "Output", "output");
  output_of(r, joined);
}

void output_of(Recorder& r, const Array& x) {
  r.step("output", r.params().flag("output_projection")
                       ? ops::linear(x, r.array("w_o"), r.array("b_o")).as(Role::output)
                       : ops::copy(x));
}

Array window_weights(Recorder& r, Array scores, const math::Window& window, bool masked) {
  if (!masked) {
    r.stage("softmax", "Softmax", "softmax");
    return r.step("weights", ops::softmax(scores));
  }
  r.stage("mask", "Mask", "mask");
  Operation hidden = ops::hidden_outside(scores, window);
  hidden.rules = std::make_shared<const MaskRules>(
      mask::rules(r.problem(), window_masks(), r.dim("M"), r.problem().only_query.value_or(0)));
  scores = r.step("masked_scores", std::move(hidden));
  r.stage("softmax", "Softmax", "softmax");
  return r.step("weights", ops::window_softmax(scores, window));
}

std::span<const MaskOption* const> window_masks() {
  static const MaskOption* const edge[] = {&picture_edge()};
  return edge;
}

const char* const hidden_outside_note =
    "Where the window leaves the picture there is no pixel. A {mask:masked} {score:score} becomes −∞ and gets a "
    "{weight:weight} of exactly 0, so {query:queries} near the border share their attention among fewer {key:keys}.";

Axis pixels(const Recorder& r, const char* symbol) {
  const std::string name = symbol;
  Axis axis = name == "n_q"   ? r.axis(name, "query", Role::query)
              : name == "n_k" ? r.axis(name, "key", Role::key)
                              : r.axis(name, "pixel");
  axis.grid = Grid{.rows = r.dim("H"), .columns = r.dim("W")};
  if (axis.only) axis.labels = {place_of(*axis.grid, *axis.only)};
  axis.index = name == "n_q" ? R"(\hl{n_q}{ij})" : R"(\hl{n_k}{ab})";
  if (name != "n_q") axis.other_index = R"(\hl{n_k}{cd})";
  return axis;
}

Axis window_keys(const Recorder& r, Index extent) {
  Axis axis = r.axis("n_k", "key", Role::key);
  axis.grid = Grid{.rows = extent, .columns = extent};
  axis.window = true;
  axis.index = R"(\hl{n_k}{ab})";
  axis.other_index = R"(\hl{n_k}{cd})";
  return axis;
}

std::vector<Axis> picture_axes(const Recorder& r, const char* channels, const Axis& queries) {
  std::vector<Axis> axes{r.axis("B", "batch"), r.axis(channels, "channel")};
  if (queries.size != r.dim("H") * r.dim("W")) {
    axes.push_back(queries);
    return axes;
  }
  axes.push_back(r.axis("H", "row"));
  axes.push_back(r.axis("W", "column"));
  axes[2].index = queries.index;  // a position lies on both axes, and is counted once
  return axes;
}

}  // namespace headlight::declare
