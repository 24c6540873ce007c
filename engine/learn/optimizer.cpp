#include "engine/learn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace headlight::learn {

namespace {

constexpr Index piece = 1 << 14;  // numbers that one thread takes at a time

// One weight's numbers from `begin` to `end` − 1.
struct Slice {
  float* weight;
  const float* gradient;
  float* mean;
  float* square;
  Index count;
};

struct AdamStep {
  float keep_mean, add_mean, keep_square, add_square;  // β₁, 1 − β₁, β₂, 1 − β₂
  float by, root_of_correction, epsilon;
  float shrink;   // of the weight before the step (AdamW)
  float clip;     // that gradients are multiplied by
  float penalty;  // that is added to them, times the weight (Adam)
};

void take_adam(const Slice& s, const AdamStep& a) {
  for (Index i = 0; i < s.count; ++i) {
    const float w = s.weight[i] * a.shrink, g = s.gradient[i] * a.clip + a.penalty * w;
    const float mean = s.mean[i] * a.keep_mean + a.add_mean * g;
    const float square = s.square[i] * a.keep_square + a.add_square * g * g;
    s.mean[i] = mean;
    s.square[i] = square;
    s.weight[i] = w + a.by * mean / (std::sqrt(square) / a.root_of_correction + a.epsilon);
  }
}

void take_sgd(const Slice& s, float rate, float momentum, float clip, float penalty) {
  for (Index i = 0; i < s.count; ++i) {
    s.mean[i] = s.mean[i] * momentum + (s.gradient[i] * clip + penalty * s.weight[i]);
    s.weight[i] -= rate * s.mean[i];
  }
}

}  // namespace

const std::vector<ParamSpec>& optimizer_settings() {
  static const std::vector<ParamSpec> settings{
      param::choice("type", "Optimizer", "How weights follow their gradients.",
                    {{"adam", "Adam", "Each weight has a step size of its own (Kingma and Ba 2015)."},
                     {"adamw", "AdamW", "The same, and weights shrink beside it (Loshchilov and Hutter 2019)."},
                     {"sgd", "SGD", "All go down the gradient, with momentum (Polyak 1964)."}}),
      param::real("momentum", "Momentum", "How much of the last step goes on in the next one.", 0.9, 0, 0.9999,
                  {.part_of = "type", .part_of_choice = "sgd"}),
      param::real("beta1", "β₁", "How slowly the mean of gradients follows them.", 0.9, 0, 0.99999),
      param::real("beta2", "β₂", "How slowly the mean of their squares does.", 0.999, 0, 0.9999999),
      param::real("epsilon", "ε", "Is added to the root of that, so that nothing is divided by 0.", 1e-8, 1e-30, 1),
      param::real("weight_decay", "Weight decay", "How much weights are pulled towards 0.", 0.0, 0, 1e3),
      param::real("clip", "Clip", "Gradients are shortened to this length of all together; 0: never.", 0.0, 0, 1e30),
      param::integer("warmup", "Warm-up", "Over so many steps the rate rises to what is given.", Index{0}, 0, 1e9),
      param::choice("decay", "Decay", "What becomes of the rate after that.",
                    {{"none", "None", "It stays."}, {"cosine", "Cosine", "It falls to 0 at the last step."}}),
  };
  return settings;
}

Optimizer::Optimizer(ParamValues settings, std::vector<Learned> learned)
    : settings_(std::move(settings)), learned_(std::move(learned)) {
  for (Learned& each : learned_) {
    if (!each.mean) each.mean = std::make_shared<Tensor>(each.weight->shape());
    if (!each.square) each.square = std::make_shared<Tensor>(each.weight->shape());
  }
  freeze({});
}

void Optimizer::freeze(std::map<std::string, std::vector<Cells>> still) {
  for (Learned& each : learned_) {
    std::vector<Cells>& held = still[each.name];
    std::ranges::sort(held, {}, &Cells::first);
    held.push_back({each.weight->size(), 0});
    each.moving.clear();
    Index next = 0;
    for (const Cells& cells : held) {
      if (cells.first > next) each.moving.push_back({next, cells.first - next});
      next = cells.first + cells.count;
    }
  }
}

double Optimizer::rate(double given, Index last) const {
  const auto at = static_cast<double>(steps_), warmup = static_cast<double>(settings_.integer("warmup"));
  if (at < warmup) return given * (at + 1) / warmup;
  if (settings_.choice("decay") == "none" || static_cast<double>(last) <= warmup) return given;
  const double share = std::min(1.0, (at - warmup) / (static_cast<double>(last) - warmup));
  return given * (1 + std::cos(std::numbers::pi * share)) / 2;
}

// What gradients are multiplied by so that all together are no longer than "clip".
double Optimizer::clipping() const {
  const double longest = settings_.real("clip");
  if (longest == 0) return 1;
  double squares = 0;
  for (const Learned& each : learned_)
    for (const Cells& cells : each.moving)
      for (Index i = cells.first; i < cells.first + cells.count; ++i)
        squares += static_cast<double>((*each.gradient)[i]) * (*each.gradient)[i];
  const double length = std::sqrt(squares);
  return length > longest ? longest / length : 1;
}

void Optimizer::step(double rate, Compute& compute) {
  ++steps_;
  const double beta1 = settings_.real("beta1"), beta2 = settings_.real("beta2"), t = static_cast<double>(steps_);
  const double decay = settings_.real("weight_decay"), clip = clipping();
  const std::string& type = settings_.choice("type");
  const bool apart = type == "adamw";
  const AdamStep adam{.keep_mean = static_cast<float>(beta1),
                      .add_mean = static_cast<float>(1 - beta1),
                      .keep_square = static_cast<float>(beta2),
                      .add_square = static_cast<float>(1 - beta2),
                      .by = static_cast<float>(-rate / (1 - std::pow(beta1, t))),
                      .root_of_correction = static_cast<float>(std::sqrt(1 - std::pow(beta2, t))),
                      .epsilon = static_cast<float>(settings_.real("epsilon")),
                      .shrink = static_cast<float>(apart ? 1 - rate * decay : 1),
                      .clip = static_cast<float>(clip),
                      .penalty = static_cast<float>(apart ? 0 : decay)};
  for (const Learned& each : learned_)
    for (const Cells& cells : each.moving)
      compute.parallel(cells.count, piece, [&](Index begin, Index end) {
        const Index first = cells.first + begin;
        const Slice slice{each.weight->data() + first, each.gradient->data() + first, each.mean->data() + first,
                          each.square->data() + first, end - begin};
        if (type == "sgd")
          take_sgd(slice, static_cast<float>(rate), static_cast<float>(settings_.real("momentum")),
                   static_cast<float>(clip), static_cast<float>(decay));
        else
          take_adam(slice, adam);
      });
}

}  // namespace headlight::learn
