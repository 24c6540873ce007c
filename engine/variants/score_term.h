// A term that multi_head adds to its scores by where a query and a key stand: one of the choices of its parameter
// "relative". Each is a file in variants/score_terms/, with its arrays, words and steps, and its name in the list
// there.
#pragma once

#include <span>
#include <vector>

#include "engine/variants/recorder.h"

namespace headlight {

class ScoreTerm {
 public:
  virtual ~ScoreTerm() = default;
  // What it is called where one chooses it.
  virtual const Choice& choice() const = 0;
  // Parameters of its own, which take no part under another choice.
  virtual std::vector<ParamSpec> params() const { return {}; }
  // Arrays of its own. Symbols as in multi_head.
  virtual std::vector<ArraySpec> inputs() const { return {}; }
  virtual std::vector<ArraySpec> weights() const { return {}; }
  // Of the steps and sources that record() makes.
  virtual std::span<const StepWords> words() const = 0;
  // Opens a stage and records what is added to the scores (B, M, n_q, n_k) once they are scaled: (1|B, M, n_q, n_k).
  // Query i stands at `first` + i among the keys.
  virtual Array record(Recorder& r, const Array& scores, Index first) const = 0;
};

// In the order in which the window offers them.
std::span<const ScoreTerm* const> score_terms();
// The one that is chosen, or null.
const ScoreTerm* score_term(const ParamValues& params);

}  // namespace headlight
