#include "engine/variants/parts.h"

#include <utility>
#include <vector>

#include "engine/math/math.h"
#include "engine/variants/code_lines.h"
#include "engine/variants/explain.h"

namespace headlight::parts {

ParamSpec only_query_param() {
  return {.id = "only_query",
          .title = "One query",
          .help = "Only the row of this query is computed, which takes memory for one row; automatic is all of them.",
          .type = ParamType::integer,
          .fallback = std::monostate{},
          .least = 0,
          .most = 1e9,
          .automatic = true,
          .advanced = true};
}

ArraySpec weight(std::string id, std::string title, std::string help, std::vector<std::string> shape, Fill fill,
                 Role role) {
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .shapes = {std::move(shape)},
          .fill = fill,
          .kind = Kind::weight,
          .role = role};
}

const Tensor& project(Recorder& r, StepInfo info, const std::string& x, const std::string& w, const std::string& b) {
  const Tensor& X = r.values(x);
  const Tensor& W = r.array(w);
  const Tensor* bias = r.find(b);
  const Index batches = X.dim(0), n = X.dim(1), d_in = X.dim(2), heads = W.dim(0), d_head = W.dim(2);
  const Shape shape{batches, heads, n, d_head};
  Tensor out = Tensor::uninitialized(shape);
  math::project(r.compute(), X.data(), W.data(), bias ? bias->data() : nullptr, batches, n, d_in, heads, d_head,
                out.data());
  info.code = code::project(info.id, x, w, bias ? b : "");
  return r.step(std::move(info), std::move(out), explain::per_head_linear(x, w, bias ? b : "", shape, d_in));
}

const Tensor& linear(Recorder& r, StepInfo info, const std::string& x, const std::string& w, const std::string& b,
                     Combine combine) {
  const Tensor& X = r.values(x);
  const Tensor& W = r.array(w);
  const Tensor* bias = r.find(b);
  const Index d_in = W.dim(0), d_out = W.dim(1);
  Shape shape = X.shape();
  shape.back() = d_out;
  Tensor out = Tensor::uninitialized(shape);
  math::linear(r.compute(), X.data(), W.data(), bias ? bias->data() : nullptr, X.size() / d_in, d_in, d_out,
               combine == Combine::relu, out.data());
  info.code = code::linear(info.id, x, w, bias ? b : "", combine);
  return r.step(std::move(info), std::move(out), explain::linear(x, w, bias ? b : "", d_in, d_out, combine));
}

const Tensor& dot_products(Recorder& r, StepInfo info, const std::string& q, const std::string& k) {
  const Tensor& Q = r.values(q);
  const Tensor& K = r.values(k);
  const Shape shape{Q.dim(0), Q.dim(1), Q.dim(2), K.dim(2)};
  Tensor out = Tensor::uninitialized(shape);
  math::scores(r.compute(), Q.data(), K.data(), shape[0] * shape[1], shape[2], shape[3], Q.dim(3), out.data());
  info.code = code::dot_products(info.id, q, k);
  return r.step(std::move(info), std::move(out), explain::dot_products(q, k, shape, Q.dim(3)));
}

const Tensor& scaled(Recorder& r, StepInfo info, const std::string& x, double factor, const std::string& label,
                     const std::string& in_code) {
  const Tensor& X = r.values(x);
  Tensor out = Tensor::uninitialized(X.shape());
  math::scale(r.compute(), X.data(), static_cast<float>(factor), X.size(), out.data());
  info.code = code::both(fmt::format("{} = {} {}", info.id, x, in_code));
  return r.step(std::move(info), std::move(out), explain::scaled(x, factor, label));
}

const Tensor& masked(Recorder& r, StepInfo info, const std::string& scores, const MaskRules& rules) {
  Tensor made = combined_mask(rules, r.compute());
  const Shape extents = made.shape();
  std::vector<Axis> axes = info.axes;
  for (std::size_t i = 0; i < 3; ++i)
    if (extents[i] != axes[i].size)
      axes[i] = Axis{.symbol = "1", .name = axes[i].name, .size = 1, .role = axes[i].role};
  const Tensor& mask = r.source({.id = "mask",
                                 .title = "Mask",
                                 .note = "All masks put together: −∞ where any rule hides the {key:key}, else what is "
                                         "added to the {score:score}.",
                                 .axes = std::move(axes),
                                 .kind = Kind::mask,
                                 .role = Role::mask,
                                 .minus_infinity_masks = true,
                                 .code = code::mask("mask", rules)},
                                std::move(made), explain_mask(rules));
  const Tensor& S = r.values(scores);
  Tensor out = Tensor::uninitialized(S.shape());
  math::add_mask(r.compute(), S.data(), S.shape(), mask.data(), extents, out.data());
  info.minus_infinity_masks = true;
  info.code = code::masked(info.id, scores, r.finite(scores));
  return r.step(std::move(info), std::move(out), explain_masked_scores(rules, scores));
}

namespace {

// Softmax over keys, with a word on cells and rows that a mask decides.
explain::Explain explain_masked_weights(const MaskRules& rules, const Shape& shape, const std::string& scores) {
  return [rules, shape, softmax = explain::softmax(scores, shape[3])](Index cell) {
    Explanation e = softmax(cell);
    const auto at = index_at_flat(shape, cell);  // b, m, i, j
    const auto hidden = [&](Index key) { return hidden_by(rules, at[0], at[1], at[2], key); };
    if (const std::string reason = hidden(at[3]); !reason.empty()) {
      Index visible = 0;
      while (visible < shape[3] && !hidden(visible).empty()) ++visible;
      e.reason =
          visible < shape[3] ? "masked by " + reason : "no key is visible: the row's weights are 0 by definition";
    }
    return e;
  };
}

}  // namespace

const Tensor& masked_softmax(Recorder& r, StepInfo info, const std::string& scores, const MaskRules& rules) {
  const Tensor& S = r.values(scores);
  Tensor out = Tensor::uninitialized(S.shape());
  math::softmax(r.compute(), S.data(), S.size() / S.dim(-1), S.dim(-1), out.data());
  std::string warning = blind_rows_warning(rules, r.values("mask"));
  info.code = warning.empty() ? code::softmax(info.id, scores) : code::masked_softmax(info.id, scores);
  const Tensor& weights = r.step(std::move(info), std::move(out), explain_masked_weights(rules, S.shape(), scores));
  if (!warning.empty()) r.warn(std::move(warning));
  return weights;
}

const Tensor& softmax(Recorder& r, StepInfo info, const std::string& scores) {
  const Tensor& S = r.values(scores);
  const Index n = S.dim(-1);
  Tensor out = Tensor::uninitialized(S.shape());
  math::softmax(r.compute(), S.data(), S.size() / n, n, out.data());
  info.code = code::softmax(info.id, scores);
  return r.step(std::move(info), std::move(out), explain::softmax(scores, n));
}

const Tensor& weighted_sum(Recorder& r, StepInfo info, const std::string& a, const std::string& v) {
  const Tensor& A = r.values(a);
  const Tensor& V = r.values(v);
  const Shape shape{A.dim(0), A.dim(1), A.dim(2), V.dim(3)};
  Tensor out = Tensor::uninitialized(shape);
  math::weighted_sum(r.compute(), A.data(), V.data(), shape[0] * shape[1], shape[2], A.dim(3), shape[3], out.data());
  info.code = code::both(fmt::format("{} = {} @ {}", info.id, a, v));
  return r.step(std::move(info), std::move(out), explain::weighted_sum(a, v, shape, A.dim(3)));
}

const Tensor& concatenation(Recorder& r, StepInfo info, const std::string& heads) {
  const Tensor& H = r.values(heads);
  Tensor out = Tensor::uninitialized({H.dim(0), H.dim(2), H.dim(1) * H.dim(3)});
  math::concat_heads(r.compute(), H.data(), H.dim(0), H.dim(1), H.dim(2), H.dim(3), out.data());
  info.code = code::concatenation(info.id, heads);
  return r.step(std::move(info), std::move(out), explain::concatenation(heads, H.shape()));
}

const Tensor& layer_norm(Recorder& r, StepInfo info, const std::string& x, const std::string& which) {
  const std::string gamma = which + "_gamma", beta = which + "_beta";
  const Tensor& X = r.values(x);
  const Index d = X.dim(-1);
  Tensor out = Tensor::uninitialized(X.shape());
  math::layer_norm(r.compute(), X.data(), r.array(gamma).data(), r.array(beta).data(), X.size() / d, d,
                   static_cast<float>(explain::layer_norm_epsilon), out.data());
  info.code = code::layer_norm(info.id, x, which);
  return r.step(std::move(info), std::move(out), explain::layer_norm(x, gamma, beta, d));
}

const Tensor& sum(Recorder& r, StepInfo info, const std::string& a, const std::string& b) {
  const Tensor& A = r.values(a);
  Tensor out = Tensor::uninitialized(A.shape());
  math::add(r.compute(), A.data(), r.values(b).data(), A.size(), out.data());
  info.code = code::both(fmt::format("{} = {} + {}", info.id, a, b));
  return r.step(std::move(info), std::move(out), explain::sum(a, b, A.size()));
}

const Tensor& copy(Recorder& r, StepInfo info, const std::string& x) {
  info.code = code::both(fmt::format("{} = {}", info.id, x));
  return r.step(std::move(info), Tensor(r.values(x)), explain::copy(x));
}

}  // namespace headlight::parts
