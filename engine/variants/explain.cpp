#include "engine/variants/explain.h"

#include <utility>

namespace headlight::explain {

Explain copy(std::string array) {
  return scaled(std::move(array), 1, {});
}

Explain scaled(std::string array, double factor, std::string label) {
  return [=](Index cell) {
    Explanation e;
    e.scale = factor;
    e.scale_label = label;
    e.terms = {{{Operand::of(array, cell)}}};
    return e;
  };
}

Explain sum(std::string a, std::string b, Index size_of_b) {
  return [=](Index cell) {
    Explanation e;
    e.terms = {{{Operand::of(a, cell)}}, {{Operand::of(b, cell % size_of_b)}}};
    return e;
  };
}

Explain per_head_linear(std::string x, std::string w, std::string b, Shape out, Index d_in) {
  return [=](Index cell) {
    const auto at = index_at_flat(out, cell);  // b, m, i, c
    const Index heads = out[1], n = out[2], d_head = out[3];
    Explanation e;
    for (Index t = 0; t < d_in; ++t)
      e.terms.push_back({{Operand::of(x, flat_at_index({out[0], n, d_in}, std::vector{at[0], at[2], t})),
                          Operand::of(w, flat_at_index({heads, d_in, d_head}, std::vector{at[1], t, at[3]}))}});
    if (!b.empty()) e.terms.push_back({{Operand::of(b, flat_at_index({heads, d_head}, std::vector{at[1], at[3]}))}});
    return e;
  };
}

Explain linear(std::string x, std::string w, std::string b, Index d_in, Index d_out, Combine combine) {
  return [=](Index cell) {
    const Index row = cell / d_out, column = cell % d_out;
    Explanation e;
    e.combine = combine;
    for (Index t = 0; t < d_in; ++t)
      e.terms.push_back({{Operand::of(x, row * d_in + t), Operand::of(w, t * d_out + column)}});
    if (!b.empty()) e.terms.push_back({{Operand::of(b, column)}});
    return e;
  };
}

Explain dot_products(std::string q, std::string k, Shape out, Index d_head) {
  return [=](Index cell) {
    const auto at = index_at_flat(out, cell);  // b, m, i, j
    const Shape q_shape{out[0], out[1], out[2], d_head}, k_shape{out[0], out[1], out[3], d_head};
    Explanation e;
    for (Index c = 0; c < d_head; ++c)
      e.terms.push_back({{Operand::of(q, flat_at_index(q_shape, std::vector{at[0], at[1], at[2], c})),
                          Operand::of(k, flat_at_index(k_shape, std::vector{at[0], at[1], at[3], c}))}});
    return e;
  };
}

Explain softmax(std::string scores, Index n) {
  return [=](Index cell) {
    const Index row = cell / n;
    Explanation e;
    e.combine = Combine::softmax;
    e.self = cell % n;
    for (Index j = 0; j < n; ++j) e.terms.push_back({{Operand::of(scores, row * n + j)}});
    return e;
  };
}

Explain weighted_sum(std::string a, std::string v, Shape out, Index n_k) {
  return [=](Index cell) {
    const auto at = index_at_flat(out, cell);  // b, m, i, c
    const Shape a_shape{out[0], out[1], out[2], n_k}, v_shape{out[0], out[1], n_k, out[3]};
    Explanation e;
    for (Index j = 0; j < n_k; ++j)
      e.terms.push_back({{Operand::of(a, flat_at_index(a_shape, std::vector{at[0], at[1], at[2], j})),
                          Operand::of(v, flat_at_index(v_shape, std::vector{at[0], at[1], j, at[3]}))}});
    return e;
  };
}

Explain concatenation(std::string heads, Shape heads_shape) {
  return [=](Index cell) {
    const Index d_head = heads_shape[3];
    const Shape out{heads_shape[0], heads_shape[2], heads_shape[1] * d_head};  // (B, n, M·d')
    const auto at = index_at_flat(out, cell);
    const std::vector from{at[0], at[2] / d_head, at[1], at[2] % d_head};  // b, m, i, c
    Explanation e;
    e.terms = {{{Operand::of(heads, flat_at_index(heads_shape, from))}}};
    return e;
  };
}

Explain layer_norm(std::string x, std::string gamma, std::string beta, Index d) {
  return [=](Index cell) {
    const Index row = cell / d, column = cell % d;
    Explanation e;
    e.combine = Combine::layer_norm;
    e.self = column;
    e.epsilon = layer_norm_epsilon;
    for (Index t = 0; t < d; ++t) e.terms.push_back({{Operand::of(x, row * d + t)}});
    e.parameters = {Operand::of(gamma, column), Operand::of(beta, column)};
    return e;
  };
}

}  // namespace headlight::explain
