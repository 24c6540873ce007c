// Steps that more than one variant records, and what is said of them.
#include <fmt/format.h>

#include <utility>

#include "engine/ops/picture_ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/mask_option.h"

namespace headlight::declare {

// ---- Words of steps that several mechanisms have

namespace {

// "q" and "k" of linear maps from a token.
Prose projected_note(const char* word, const char* does, const char* from) {
  return [=](const Recorder& r) {
    return fmt::format("A {{{0}:{0}}} is what a token {1}: {2} input numbers become {3} in each head.", word, does,
                       r.dim(from), r.dim("d'"));
  };
}

}  // namespace

StepWords query_words() {
  return {"q", "q", "Queries", projected_note("query", "asks with", "d_q")};
}

StepWords key_words() {
  return {"k", "k", "Keys", projected_note("key", "is found by", "d_k")};
}

StepWords value_words(const std::string& more) {
  return {"v", "v", "Values", "A {value:value} is what a token passes on" + more};
}

StepWords mask_words(const std::string& more) {
  return {"mask", "M", "Mask", "All masks put together: −∞ where any rule hides the {key:key}" + more + "."};
}

const char* const masked_note = "A {mask:masked} score becomes −∞, which softmax turns into a weight of exactly 0.";

StepWords masked_scores_words(Prose note) {
  return {"masked_scores", "\\hat s", "Masked scores", std::move(note)};
}

StepWords weight_words(const std::string& more, const char* title) {
  return {"weights", "\\alpha", title,
          "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1" + more, "α"};
}

StepWords head_output_words(const std::string& more, StageWords stage) {
  return {"head_outputs",
          "o",
          "Head outputs",
          "Each {query:query} takes the {value:values} of all keys in the shares that its row of {weight:weights} "
          "says." +
              more,
          "y",
          stage};
}

StepWords concat_words(const char* symbol, const char* width, const std::string& more) {
  return {"concat", symbol, "Concatenated heads",
          [width, more](const Recorder& r) {
            return fmt::format(
                "The {{output:outputs}} of the heads are laid side by side, {} channels each, head 0 first.{}",
                r.dim(width), more);
          },
          "concat"};
}

StepWords output_words() {
  return {"output", "y", "Output", [](const Recorder& r) -> std::string {
            return r.params().flag("output_projection")
                       ? "The output matrix mixes the heads: each channel is a weighted sum of all of theirs."
                       : "The heads side by side, as they are: no matrix mixes them.";
          }};
}

// ---- Steps

Array as_keys(const Recorder& r, Array x) {
  for (Axis& axis : x.axes) {
    if (axis.role != Role::query) continue;
    Axis keys = r.axis("n_k", "key", Role::key);
    keys.labels = axis.labels;
    keys.given_labels = axis.given_labels;
    keys.grid = axis.grid;
    axis = std::move(keys);
  }
  return x;
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
  Axis axis;
  if (name == "n_q")
    axis = r.axis(name, "query", Role::query);
  else if (name == "n_k")
    axis = r.axis(name, "key", Role::key);
  else
    axis = r.axis(name, "pixel");
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

namespace headlight::record {

Array mask(Recorder& r, const char* id, const MaskRules& rules, const std::vector<Axis>& axes) {
  if (!rules.any()) return {};
  return r.source(id, ops::mask(rules, axes));
}

ops::MaskedScores masked_scores(Recorder& r, const Array& scores, const MaskRules& rules) {
  if (!rules.any()) return {scores, {}, {}};
  r.stage("mask", "Mask", "mask");
  const Array added = mask(r, "mask", rules, scores.axes);
  return {r.step("masked_scores", ops::add_mask(scores, added, rules)), added, rules};
}

Array masked_softmax(Recorder& r, const Array& scores, const MaskRules& rules) {
  const ops::MaskedScores masked = masked_scores(r, scores, rules);
  r.stage("softmax", "Softmax", "softmax");
  return r.step("weights", ops::masked_softmax(masked));
}

void merged_heads(Recorder& r, const Array& heads, const char* channels) {
  r.stage("concat", "Concat", "concat");
  const Array joined = r.step("concat", ops::concatenation(heads, r.axis(channels, "channel")));
  r.stage("output", "Output", "output");
  output(r, joined);
}

void output(Recorder& r, const Array& x) {
  r.step("output", r.params().flag("output_projection")
                       ? ops::linear(x, r.array("w_o"), r.array("b_o")).as(Role::output)
                       : ops::copy(x));
}

Array softmax_in_neighborhood(Recorder& r, Array scores, const math::Window& window, bool masked) {
  if (!masked) {
    r.stage("softmax", "Softmax", "softmax");
    return r.step("weights", ops::softmax(scores));
  }
  r.stage("mask", "Mask", "mask");
  Operation hidden = ops::mask_outside(scores, window);
  hidden.rules = std::make_shared<const MaskRules>(mask::rules(r.problem(), declare::window_masks(), r.dim("M")));
  scores = r.step("masked_scores", std::move(hidden));
  r.stage("softmax", "Softmax", "softmax");
  return r.step("weights", ops::softmax_in_neighborhood(scores, window));
}

}  // namespace headlight::record
