#include "engine/variants/non_local_words.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/variants/position_grid.h"
#include "engine/variants/recorder.h"

namespace headlight::non_local_words {

namespace {

// "20 × 20".
std::string positions_of(const Recorder& r) {
  return grid_text(position_grid(r.params(), r.problem().symbols), r.params().integer("dimension"));
}

std::string query_note(const Recorder& r) {
  const std::string positions = positions_of(r);
  if (r.params().choice("mode") == "gaussian")
    return fmt::format(
        "Gaussian mode compares the input with itself: the {{query:query}} of a position is its channels as they are "
        "(Wang et al. 2018, equation 2). Only the order of the numbers changes, so that each of the {} positions "
        "becomes a row.",
        positions);
  return fmt::format(
      "A {{query:query}} (θ) is what a position asks with: its channels ({}), mixed into {} by one matrix that all {} "
      "positions share. This is a convolution of extent 1, so no position sees its neighbours yet.",
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
std::string left_over_note(const Recorder& r) {
  const Grid grid = position_grid(r.params(), r.problem().symbols), cell = pooled_cell(r.params());
  const bool rows = grid.rows % cell.rows != 0, columns = grid.columns % cell.columns != 0;
  if (!rows && !columns) return "";
  if (r.params().integer("dimension") == 1)
    return " The last position has no partner and is behind no key: extents round down.";
  if (rows && columns) return " The last row and column are behind no key: extents round down.";
  return fmt::format(" The last {} is behind no key: extents round down.", rows ? "row" : "column");
}

std::string pooled_note(const Recorder& r, const char* what) {
  const Index dimension = r.params().integer("dimension");
  return fmt::format(
      "In each channel the largest of {} neighbouring positions is kept, so {} positions give {} {}. Every query is "
      "still asked, but the map is {} times smaller (Wang et al. 2018, section 3.3).{}",
      dimension == 1 ? "2" : "2 × 2", positions_of(r), grid_text(key_grid(r.params(), r.problem().symbols), dimension),
      what, count(pooled_cell(r.params())), left_over_note(r));
}

std::string scores_note(const Recorder& r) {
  if (r.params().choice("mode") == "concatenation")
    return fmt::format(
        "{{query:Query}} and {{key:key}} are laid side by side, and one weight for each of the 2 · {} channels makes a "
        "{{score:score}} of them; negative ones become 0 (Wang et al. 2018, equation 5). Before ReLU it is a number of "
        "the query plus a number of the key, so the two never multiply.",
        r.dim("C'"));
  const Index width = r.dim(r.params().choice("mode") == "gaussian" ? "C" : "C'");
  return fmt::format(
      "The {{score:score}} of two positions is the dot product of {{query:query}} and {{key:key}} (width {}), wherever "
      "the two lie: the first and the last pixel meet in one step. It is not divided by √{}, as multi-head attention "
      "would.",
      width, width);
}

std::string projected_note(const Recorder& r) {
  if (!r.params().flag("batch_norm"))
    return fmt::format(
        "One matrix takes each position from width {} back to the input's, {}. Wang et al. 2018 start it at 0, so that "
        "a new block changes nothing in a network that was trained without it (section 3.3).",
        r.dim("C'"), r.dim("C"));
  return fmt::format(
      "One matrix takes each position from width {} back to the input's, {}, and batch norm brings each channel to "
      "mean 0 and variance 1 by the statistics of training, then stretches it by γ and shifts it by β. γ starts at 0 "
      "in Wang et al. 2018, section 4.1, so that a new block is the identity; generated γ is 1, so that there is "
      "something to see.",
      r.dim("C'"), r.dim("C"));
}

std::string weights_note(const Recorder& r) {
  const std::string& mode = r.params().choice("mode");
  if (mode == "gaussian" || mode == "embedded_gaussian")
    return std::string(
               "Each {query:query} row of {score:scores} becomes {weight:weights} that add up to 1: exp of a score "
               "over the row's sum is softmax, so this mode is attention (Wang et al. 2018, section 3.2).") +
           (r.params().real("scale") == 1
                ? " Unscaled {score:scores} of many channels are large, and a row then rests on few keys."
                : "");
  return fmt::format(
      "There is no softmax here: {{score:scores}} are divided by the count of keys, N = {}, so that the sum does not "
      "grow with the picture. A row need not add up to 1{}.",
      r.dim("n_k"),
      mode == "concatenation" ? ", and one whose scores are all 0 finds nothing"
                              : ", and a {weight:weight} may be negative: then a value is taken away");
}

std::string scaled_note(const Recorder& r) {
  const std::string& mode = r.params().choice("mode");
  const Index width = r.dim(mode == "gaussian" ? "C" : "C'");
  return fmt::format(
      "The {{score:scores}} are multiplied by {}. Wang et al. 2018 leave them as they are; 1/√{} ≈ {:.3f} undoes what "
      "the width adds to their spread{}.",
      r.params().real("scale"), width, 1 / std::sqrt(static_cast<double>(width)),
      mode == "gaussian" || mode == "embedded_gaussian"
          ? ", so that softmax is not near all or nothing before anything is learned"
          : "");
}

constexpr const char* before_pooling = " These are all positions, before neighbours are pooled.";

}  // namespace

std::vector<StepWords> steps() {
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
      {"scaled_scores", "\\tilde s", "Scaled scores", scaled_note},
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

}  // namespace headlight::non_local_words
