// How weights follow their gradients: SGD with momentum (Polyak 1964), Adam (Kingma and Ba 2015, algorithm 1) and AdamW
// (Loshchilov and Hutter 2019, algorithm 2), each in the order of operations that torch.optim has.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/params/params.h"

namespace headlight::learn {

// type, momentum, beta1, beta2, epsilon, weight_decay, clip, warmup, decay.
const std::vector<ParamSpec>& optimizer_settings();

// Of a weight: so many numbers from the first.
struct Cells {
  Index first = 0, count = 0;
};

class Optimizer {
 public:
  // A weight and what is kept for it, of its shape: the mean of its gradients, and that of their squares.
  struct Learned {
    std::string name;
    std::shared_ptr<Tensor> weight;
    const Tensor* gradient;
    std::shared_ptr<Tensor> mean, square;
    std::vector<Cells> moving = {};  // those that steps change
  };

  // `learned`: with null for what is kept, which begins at 0.
  Optimizer(ParamValues settings, std::vector<Learned> learned);

  const std::vector<Learned>& learned() const { return learned_; }
  // Steps that were taken.
  Index steps() const { return steps_; }
  // Goes on after so many, with what is kept as it stands.
  void resume_at(Index steps) { steps_ = steps; }
  // Sets where each weight's gradient is read from.
  template <class GradientOf>
  void bind_gradients(const GradientOf& gradient_of) {
    for (Learned& each : learned_) each.gradient = gradient_of(each.name);
  }
  // From here on those cells of weights, by their names, stand still, with what is kept for them; all others move.
  void freeze(std::map<std::string, std::vector<Cells>> still);
  // The rate of the next step: the given one through the warm-up and the decay, which ends at step `last`.
  double rate(double given, Index last) const;
  // Takes a step of that rate.
  void step(double rate, Compute& compute);

 private:
  double clipping() const;

  ParamValues settings_;
  std::vector<Learned> learned_;
  Index steps_ = 0;
};

}  // namespace headlight::learn
