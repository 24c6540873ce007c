// A recorded array as operations read it: where its numbers are, what its axes mean, and how formulas write it.
//
// Not for numbers of its own: those are a Tensor, which the trace holds. In a dry run, which asks only what a run
// would cost, there are none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/axis.h"
#include "engine/core/tensor.h"
#include "engine/trace/step.h"

namespace headlight {

namespace math {
class VisibleBlocks;
}

struct Array {
  std::string id;  // in the trace; empty where the array takes no part
  std::vector<Axis> axes;
  std::string symbol;                    // LaTeX without indices: "\tilde s"
  std::string definition = {};           // LaTeX: what it was made as, where a formula that reads it may say so
  std::shared_ptr<const Tensor> values;  // null in a dry run and once a run is cancelled
  Kind kind = Kind::activation;
  Role role = Role::none;
  bool edited = false;                                   // some of its numbers were set by hand
  bool finite = true;                                    // free of NaN, and of infinities that no mask put there
  std::shared_ptr<const math::VisibleBlocks> seen = {};  // of a map whose rows a mask hides keys from: Operation::seen

  explicit operator bool() const { return !id.empty(); }
  // Extent of an axis; negative counts from the last.
  Index dim(Index axis) const { return axis_at(axis).size; }
  const Axis& axis_at(Index axis) const;
  Index size() const;
  // The extents of all axes.
  Shape shape() const;
  // Null where the array takes no part, as a bias may.
  const float* data() const { return values ? values->data() : nullptr; }
  // The same numbers, whose axes are those of `other`: what queries are made from, read as what keys are made from.
  Array with_axes_of(const Array& other) const;
};

Shape shape_of(const std::vector<Axis>& axes);

// How formulas write arrays, as LaTeX. \hl{id}{symbols} marks symbols that stand for something recorded: the id of a
// step or source, or the symbol of an axis round its index. Marks may nest; the innermost holds.
namespace notation {

std::string mark(const std::string& id, const std::string& symbols);
// "\hl{q}{q_{i}}": at one query, one key or one pair; a row where there are channels.
std::string written(const Array& array);
// "\hl{q}{q_{i c}}": one channel of it.
std::string channel(const Array& array, const std::string& letter = "c");
// "\hl{scores}{s_{it}}": at another key than the one that the formula is about.
std::string at_other_key(const Array& array);
// "\hl{o}{o^2_{i}}": with a superscript.
std::string raised(const Array& array, const std::string& letter);
// What a sum over all keys stands under: "\hl{n_k}{j}", or "\hl{n_k}{ab} \in N_k(\hl{n_q}{ij})" where they are those
// of a window. `other`: by the letter that another key goes by.
std::string over_keys(const Array& map, bool other = false);
// " + b", or nothing where there is no bias.
std::string plus(const Array& bias);

}  // namespace notation

}  // namespace headlight
