// A network that learns: parts in the order in which they run, joined by the names of arrays, on one batch. Forward and
// backward are the operations of its parts' mechanisms, recorded once and carried out again for every step.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/variants/variant.h"

namespace headlight::learn {

struct Part {
  const Variant* variant = nullptr;
  ParamValues params = {};
  // By its arrays' ids: what each is called in the network. Weights that are not named go by prefix and id.
  std::map<std::string, std::string> reads = {};
  std::string gives = {};         // what its result is called
  std::string result = "output";  // the step that it is
  std::string prefix = {};        // "layer0/"
};

// How a weight begins, where it does not go by its mechanism's rule: norms as they are, biases 0, matrices by Glorot
// and Bengio 2010, equation 16, with normal numbers, heads counting as channels of what goes out.
struct Start {
  enum class Rule { xavier, normal, zeros, ones };
  Rule rule = Rule::xavier;
  double by = 1;            // that numbers are multiplied by
  Shape shape = {};         // empty: what the mechanism needs
  bool transposed = false;  // drawn as (in, out) for a matrix that stands as (out, in)
};

struct NetworkPlan {
  std::vector<Part> parts;  // the last gives the loss, (1)
  std::map<std::string, Start> starts = {};
};

// How a weight of that name begins in such a plan; `spec`: what it is to its mechanism.
Start start_of(const NetworkPlan& plan, const std::string& name, const ArraySpec& spec);
// Draws one from the seed and that name.
void draw_weight(Tensor& to, const std::string& name, std::uint64_t seed, const Start& start, bool outputs_first);

// By their names in the network.
using Numbers = std::map<std::string, std::shared_ptr<Tensor>, std::less<>>;

struct RunningPart;

class Network {
 public:
  // `weights`: those that are there are used where they stand, others are drawn from the seed by their names and added.
  // `batch`: the inputs; every later batch has their shapes. One that does not learn needs no gradients: it can only go
  // forward. Errors: those of its mechanisms, as prepare() has them, and no room.
  static Result<std::unique_ptr<Network>> make(NetworkPlan plan, const Numbers& batch, Numbers& weights,
                                               std::uint64_t seed, bool learns, Compute& compute);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Puts another batch in the place of the one before.
  void read(const Numbers& batch);
  // Computes everything anew from the batch and the weights as they are. In nats or squares.
  double forward(Compute& compute);
  // After forward(): the gradients of the loss.
  void backward(Compute& compute);

  // An array of the network by its name: an input, a weight, or what a part gives. It must be there.
  const Tensor& array(std::string_view name) const;
  // The weights that the loss depends on, by name.
  std::vector<std::string> trained() const;
  const Tensor& gradient(std::string_view weight) const;
  // Where a number is none first, in the order of the run: "x1: scaled_scores"; empty: nowhere.
  std::string first_non_finite() const;
  // Of the part that gives that array: its steps as they are now.
  const Trace& trace_of(std::string_view given) const;
  // What that part runs: its mechanism, parameters, arrays as they are now.
  const Problem& problem_of(std::string_view given) const;

 private:
  struct Running;
  class Maker;
  Network();
  const RunningPart& producer(std::string_view given) const;
  std::unique_ptr<Running> running_;
};

}  // namespace headlight::learn
