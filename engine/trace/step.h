// One recorded array of a run: what it is called, what its axes mean, its numbers, and where each of them came from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/axis.h"
#include "engine/math/extent.h"
#include "engine/trace/explanation.h"

namespace headlight {

// Picks the colour map, the value range and the legend.
enum class Kind { input, weight, score, probability, mask, activation };

// The lines of Python that compute an array from those recorded before: "weights = softmax(scores)". Arrays go by their
// ids; functions that are neither Python's nor the library's own are those of code/script.h.
struct Code {
  std::string numpy;
  std::string torch;
};

struct StepInfo {
  std::string id;            // stable: "scaled_scores"
  std::string title;         // "Scaled scores"
  std::string formula = {};  // LaTeX; \hl{id}{symbols} marks symbols that stand for a recorded array
  std::string note;          // two to four sentences; {query:words} marks words that take a role's colour
  std::vector<Axis> axes;
  Kind kind = Kind::activation;
  Role role = Role::none;
  bool minus_infinity_masks = false;  // −∞ here is a mask's doing, not an accident
  Code code = {};                     // empty for inputs and weights
  std::string letter = {};            // heads a column of its numbers: "φ", "x + p"; empty: its id or title
  std::optional<Index> layer = {};    // which of several layers it belongs to
  std::string part = {};              // and of which part of a model: "encoder", "decoder", "cross"; empty: it has one
};

struct MaskRules;  // ops/attention_mask.h

// Where the number of a cell came from.
using Explain = std::function<Explanation(Index cell)>;

// The names in some lines of code, in their order; what stands in quotes is no name.
std::vector<std::string_view> names_in(std::string_view lines);

// A number that is NaN or infinite without a mask having made it so.
struct NonFinite {
  Index count = 0;
  Index first_cell = -1;  // flat
};

// An edit that was carried out, of those the experiment lists.
struct AppliedEdit {
  Index number = 0;   // its place in the list, from 1
  std::string array;  // a step or a source
  std::string words;  // "weights, head 3 made uniform"
};

// What edits did to the numbers of an array.
struct EditedCells {
  std::shared_ptr<const Tensor> before;  // the numbers as they were
  std::shared_ptr<const Tensor> by;      // the edit that wrote each cell last, from 1; 0 where none did
  Explain made = {};                     // of the numbers as they were; empty for inputs and weights

  Index edit_of(Index cell) const { return static_cast<Index>((*by)[cell]); }
};

struct Step {
  StepInfo info;
  std::shared_ptr<const Tensor> values;
  Explain explain;  // empty for inputs and weights: they are where numbers begin
  std::vector<std::string> warnings;
  std::optional<NonFinite> non_finite;
  std::vector<Extent> extents;  // of each batch item where the first axis is B, else one of all numbers

  std::shared_ptr<const EditedCells> edited = {};  // null where no edit changed it
  std::shared_ptr<const MaskRules> rules = {};     // of a mask: what it was put together from; else null

  const Tensor& tensor() const { return *values; }
  // Where its numbers came from before any edit: by what rule the step is made.
  const Explain& base_explain() const { return edited ? edited->made : explain; }
  // The first axis that runs along such; null when there is none.
  const Axis* axis(AxisRole along) const;
  Index extent(AxisRole along) const;  // 1 where there is none
};

}  // namespace headlight
