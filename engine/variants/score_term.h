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
  explicit ScoreTerm(Choice choice, std::vector<StepWords> words = {})
      : choice_(std::move(choice)), words_(std::move(words)) {}
  virtual ~ScoreTerm() = default;
  // What it is called where one chooses it.
  const Choice& choice() const { return choice_; }
  // What it reads: query i stands at `first` + i among the keys.
  struct QueriesAndKeys {
    Array q;       // (B, S, n_q, d')
    Array k;       // (B, T, n_k, d')
    Array scores;  // (B, S, n_q, n_k)
    Index first = 0;
  };
  // What record() adds to the scores.
  struct Terms {
    std::vector<Array> before_scale = {};  // (1|B, S or M, n_q, n_k), scaled together with them
    Array after_scale = {};                // (1|B, M, n_q, n_k), added as it is; may be empty
  };

  // Parameters of its own, which take no part under another choice.
  virtual std::vector<ParamSpec> params() const { return {}; }
  // Arrays of its own. Symbols as in multi_head.
  virtual std::vector<ArraySpec> inputs() const { return {}; }
  virtual std::vector<ArraySpec> weights() const { return {}; }
  // Symbols of those arrays that its parameters fix.
  virtual void bind(const ParamValues&, Symbols&) const {}
  // What its parameters alone make impossible.
  virtual Status check(const ParamValues&) const { return {}; }
  // Of the steps and sources that are its own.
  std::span<const StepWords> words() const { return words_; }
  // Of those that several terms make, each in its way: "relative_index", "position_scores", "position_bias".
  virtual std::string note(const Recorder& r, std::string_view step) const = 0;
  // Opens a stage and records what is added to the scores.
  virtual Terms record(Recorder& r, const QueriesAndKeys& of) const = 0;
  // What its weights are where weights are made by hand, by id; the others are drawn.
  virtual ArrayMap by_hand(const Problem&) const { return {}; }
  // What the weights (B, M, n_q, n_k) take on top of the values v: (B, M, n_q, d'); empty where they take nothing.
  virtual Array record_outputs(Recorder&, const Array&, const Array&, Index) const { return {}; }

 private:
  Choice choice_;
  std::vector<StepWords> words_;
};

// ALiBi's slope of a head; T5's hand-made weights use it, too.
double slope_of(Index head, Index heads);

// In the order in which the window offers them.
std::span<const ScoreTerm* const> score_terms();
// The one that is chosen, or null.
const ScoreTerm* score_term(const ParamValues& params);

}  // namespace headlight
