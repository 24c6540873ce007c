// By how much a logit changes with what the last layer gives.
#include <cmath>
#include <functional>
#include <memory>

#include "engine/models/ends.h"
#include "engine/models/norm_gradient.h"
#include "engine/trace/rule.h"

namespace headlight {

namespace {

using Row = std::vector<double>;

Row row_of(const float* values, Index d) {
  return {values, values + d};
}

const Rule& rule_of_activation(const std::string& activation) {
  if (activation == "gelu") return rule_of(Combine::gelu);
  if (activation == "gelu_tanh") return rule_of(Combine::gelu_tanh);
  return rule_of(activation == "silu" ? Combine::silu : Combine::relu);
}

// A place on its way from the last layer to its logits, and what leads back.
class RowTape {
 public:
  explicit RowTape(Row row) : x(std::move(row)) {}

  // By γ, and β where there is one.
  void norm(Row gamma, const Tensor* beta, NormShape shape) {
    double mean = 0, squares = 0;
    const auto d = static_cast<double>(x.size());
    for (std::size_t c = 0; c < x.size() && !shape.by_root; ++c) mean += x[c] / d;
    for (const double value : x) squares += (value - mean) * (value - mean) / d;
    const double s = std::sqrt(squares + shape.epsilon);
    Row made(x.size());
    for (std::size_t c = 0; c < x.size(); ++c)
      made[c] = (x[c] - mean) / s * gamma[c] + (beta ? (*beta)[static_cast<Index>(c)] : 0);
    back_.push_back([from = x, gamma = std::move(gamma), shape](Row g) {
      for (std::size_t c = 0; c < g.size(); ++c) g[c] *= gamma[c];
      return gradient_of_norm(from, g, shape);
    });
    x = std::move(made);
  }

  // weight (outputs, inputs).
  void dense(std::shared_ptr<const Tensor> weight, const Tensor* bias) {
    const Index outputs = weight->dim(0), inputs = weight->dim(1);
    Row made(static_cast<std::size_t>(outputs));
    for (Index o = 0; o < outputs; ++o) {
      double sum = bias ? (*bias)[o] : 0;
      for (Index c = 0; c < inputs; ++c) sum += x[static_cast<std::size_t>(c)] * (*weight)[o * inputs + c];
      made[static_cast<std::size_t>(o)] = sum;
    }
    back_.push_back([weight = std::move(weight), outputs, inputs](const Row& g) {
      Row of(static_cast<std::size_t>(inputs));
      for (Index o = 0; o < outputs; ++o)
        for (Index c = 0; c < inputs; ++c)
          of[static_cast<std::size_t>(c)] += g[static_cast<std::size_t>(o)] * (*weight)[o * inputs + c];
      return of;
    });
    x = std::move(made);
  }

  void activate(const Rule& rule) {
    back_.push_back([from = x, &rule](Row g) {
      for (std::size_t c = 0; c < g.size(); ++c) g[c] *= rule.slope(from[c]);
      return g;
    });
    for (double& value : x) value = rule.function(value);
  }

  void times(double factor) {
    back_.push_back([factor](Row g) {
      for (double& value : g) value *= factor;
      return g;
    });
    for (double& value : x) value *= factor;
  }

  // From the gradient with respect to where it is now.
  Row backward(Row g) const {
    for (auto step = back_.rbegin(); step != back_.rend(); ++step) g = (*step)(std::move(g));
    return g;
  }

  Row x;

 private:
  std::vector<std::function<Row(Row)>> back_;
};

// Adds to `g` what one logit of x counts `times` over, and gives that logit.
double add_logit(const Row& x, const Tensor& weight, const Tensor* bias, Index token, double cap, double times,
                 Row& g) {
  const auto d = static_cast<Index>(x.size());
  double logit = bias ? (*bias)[token] : 0;
  for (Index c = 0; c < d; ++c) logit += x[static_cast<std::size_t>(c)] * weight[token * d + c];
  const double bent = cap > 0 ? std::tanh(logit / cap) : 0;
  const double slope = cap > 0 ? 1 - bent * bent : 1;
  for (Index c = 0; c < d; ++c) g[static_cast<std::size_t>(c)] += times * slope * weight[token * d + c];
  return times * (cap > 0 ? cap * bent : logit);
}

Status check_asked(const LogitAsked& asked, const ModelPlan& plan, const Tensor& hidden) {
  const auto check = [](const char* what, Index at, Index count) -> Status {
    if (at >= 0 && at < count) return {};
    return fail("{} {} is not there: it must be 0 to {}", what, at, count - 1);
  };
  HL_CHECK(check("item", asked.item, hidden.dim(0)));
  HL_CHECK(check("place", asked.place, hidden.dim(1)));
  HL_CHECK(check("token", asked.token, plan.logit_count()));
  return check("token", asked.other.value_or(0), plan.logit_count());
}

}  // namespace

Result<LogitGradient> ModelEnds::logit_gradient(const Tensor& hidden, const LogitAsked& asked) {
  const ModelPlan& plan = model_.plan();
  HL_TRY(const auto read, logit_weights());
  if (!read) return fail("{}: it has no logits of tokens, which gradients would be of", model_.file());
  HL_CHECK(check_asked(asked, plan, hidden));
  const Index d = hidden.dim(-1), first = (asked.item * hidden.dim(1) + asked.place) * d;
  RowTape way(row_of(hidden.data() + first, d));
  const auto norm = [&](const std::string& name) -> Status {
    HL_TRY(const NormArrays arrays, norm_arrays(name, static_cast<Index>(way.x.size())));
    Row gamma = row_of(arrays.gamma->data(), arrays.gamma->size());
    for (double& value : gamma) value += plan.root_norms && plan.norms_add_one ? 1 : 0;
    way.norm(std::move(gamma), arrays.beta.get(), {plan.epsilon, plan.root_norms});
    return {};
  };
  const auto dense = [&](const std::string& name, Index outputs) -> Status {
    HL_TRY(Kept weight, array(name + ".weight", {outputs, static_cast<Index>(way.x.size())}));
    HL_TRY(const Kept bias, array_if_there(name + ".bias", {weight->dim(0)}));
    way.dense(std::move(weight), bias.get());
    return {};
  };
  const std::string& last = in_first_stack(plan.parts().back()) ? plan.final_norm : plan.decoder_norm;
  if (!last.empty()) HL_CHECK(norm(last));
  if (!plan.transform.dense.empty()) {
    HL_CHECK(dense(plan.transform.dense, plan.width));
    way.activate(rule_of_activation(plan.transform.activation));
    HL_CHECK(norm(plan.transform.norm));
  }
  if (!read->own && plan.tied_scale != 1) way.times(plan.tied_scale);
  if (!plan.project_out.empty() && model_.has(plan.project_out + ".weight"))
    HL_CHECK(dense(plan.project_out, plan.embedding_width));
  HL_TRY(const Kept weight, array(read->weight, {plan.logit_count(), static_cast<Index>(way.x.size())}));
  LogitGradient made;
  Row g(way.x.size());
  made.value = add_logit(way.x, *weight, read->bias.get(), asked.token, plan.logit_cap, 1, g);
  if (asked.other) made.value += add_logit(way.x, *weight, read->bias.get(), *asked.other, plan.logit_cap, -1, g);
  made.of_hidden = Tensor(hidden.shape());
  const Row of = way.backward(std::move(g));
  for (Index c = 0; c < d; ++c) made.of_hidden[first + c] = static_cast<float>(of[static_cast<std::size_t>(c)]);
  return made;
}

}  // namespace headlight
