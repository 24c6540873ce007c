// An option of multi_head that changes one part of it: what it declares, and what it records. Each is a file in
// variants/options/, with its parameters, arrays, words and steps, and its name in the list there; multi_head.cpp calls
// what it records at its place in the mechanism. A term that scores take by distance is a ScoreTerm instead.
#pragma once

#include <span>
#include <vector>

#include "engine/variants/recorder.h"

namespace headlight {

struct HeadOption {
  std::vector<ParamSpec> params = {};
  // Arrays that nobody has to give. Symbols as in multi_head.
  std::vector<ArraySpec> (*weights)(const ParamValues&) = nullptr;
  std::vector<StepWords> words = {};
  // What does not combine with it.
  Status (*check)(const Problem&) = nullptr;
};

// In the order in which the window offers them.
std::span<const HeadOption* const> head_options();

// Each records its steps, and gives what comes in where it is off.
namespace options {

// Queries or keys (B, M, n, d') of one size: "q_normed", "k_normed". A second one joins the first's stage.
Array normed(Recorder& r, const Array& projected);
// The same, pairs of channels turned by their places, the first of which is `first`: "q_rotated", "k_rotated".
Array rotated(Recorder& r, const Array& x, Index first);
// The scores (B, M, n_q, n_k) times the scale, plus `bias` where there is one: "scaled_scores".
Array scaled(Recorder& r, const Array& scores, const Array& bias);
// The same, none beyond a limit: "capped_scores".
Array capped(Recorder& r, const Array& scores);

}  // namespace options

}  // namespace headlight
