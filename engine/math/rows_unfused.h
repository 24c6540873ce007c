// Loops over rows in double precision, each with its sums in one order: the same bits on every set. Included by
// unfused_eigen.h.
#include "engine/math/kernels.h"

namespace headlight::math::KERNEL_SET {

namespace {

// Eight numbers, which a processor reckons with side by side.
constexpr Index eight = 8;
using Doubles = double __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(32)));

void load(const float* from, Doubles& to) {
  Floats numbers;
  __builtin_memcpy(&numbers, from, sizeof numbers);
  to = __builtin_convertvector(numbers, Doubles);
}
void load(const double* from, Doubles& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
void store(const Doubles& from, float* to) {
  const Floats numbers = __builtin_convertvector(from, Floats);
  __builtin_memcpy(to, &numbers, sizeof numbers);
}

// Σ term(0) … term(n − 1) in double precision: eight sums, so that none waits for the one before, and what they come
// to. `eight_terms` gives those from one on, and `term` one of those that are left.
template <class EightTerms, class Term>
double sum_of(Index n, const EightTerms& eight_terms, const Term& term) {
  Doubles sums = {}, terms;
  Index i = 0;
  for (; i + eight <= n; i += eight) {
    eight_terms(i, terms);
    sums += terms;
  }
  double sum = 0;
  for (; i < n; ++i) sum += term(i);
  for (Index lane = 0; lane < eight; ++lane) sum += sums[lane];
  return sum;
}

template <class Number>
double sum_of_products(const Number* a, const Number* b, Index n) {
  const auto eight_terms = [=](Index i, Doubles& terms) {
    Doubles right;
    load(a + i, terms);
    load(b + i, right);
    terms *= right;
  };
  return sum_of(n, eight_terms, [=](Index i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
}
template <class Number>
double sum_of_numbers(const Number* a, Index n) {
  return sum_of(
      n, [=](Index i, Doubles& terms) { load(a + i, terms); }, [=](Index i) { return static_cast<double>(a[i]); });
}

}  // namespace

double dot(const float* a, const float* b, Index n);
double dot(const float* a, const float* b, Index n) {
  return sum_of_products(a, b, n);
}

void add_arrays(const float* const* parts, Index count, Index n, float* out);
void add_arrays(const float* const* parts, Index count, Index n, float* out) {
  Index i = 0;
  for (; i + eight <= n; i += eight) {
    Doubles sums, terms;
    load(parts[0] + i, sums);
    for (Index part = 1; part < count; ++part) {
      load(parts[part] + i, terms);
      sums += terms;
    }
    store(sums, out + i);
  }
  for (; i < n; ++i) {
    double sum = 0;
    for (Index part = 0; part < count; ++part) sum += static_cast<double>(parts[part][i]);
    out[i] = static_cast<float>(sum);
  }
}

NormSlopes normed(const float* x, Index d, const Norm& norm, double* __restrict z);
NormSlopes normed(const float* x, Index d, const Norm& norm, double* __restrict z) {
  const auto n = static_cast<double>(d);
  const bool centred = norm.length == nullptr;
  const double mean = centred ? sum_of_numbers(x, d) / n : 0;
  for (Index c = 0; c < d; ++c) z[c] = static_cast<double>(x[c]) - mean;
  const double squares = sum_of_products(z, z, d);
  const double length = centred ? __builtin_sqrt(squares / n + norm.epsilon) : norm.length(squares, n, norm.epsilon);
  NormSlopes slopes{.by = 1 / length};
  slopes.shift = centred ? 1 / n : 0;
  slopes.bend = centred ? 1 / n : 2 * length * norm.length_slope(squares, n, norm.epsilon);
  for (Index c = 0; c < d; ++c) z[c] *= slopes.by;
  return slopes;
}

void norm_gradient(const NormRow& row, const Norm& norm, float* __restrict out);
void norm_gradient(const NormRow& row, const Norm& norm, float* __restrict out) {
  double* __restrict z = row.scratch, * __restrict gradient = row.scratch + row.d;
  const NormSlopes slopes = normed(row.x, row.d, norm, z);
  for (Index c = 0; c < row.d; ++c)
    gradient[c] = static_cast<double>(row.gradient[c]) * (row.gamma ? static_cast<double>(row.gamma[c]) : 1.0);
  const double shift = slopes.shift == 0 ? 0 : slopes.shift * sum_of_numbers(gradient, row.d);
  const double bend = slopes.bend * sum_of_products(gradient, z, row.d);
  for (Index c = 0; c < row.d; ++c) out[c] = static_cast<float>(slopes.by * (gradient[c] - shift - bend * z[c]));
}

void add_normed(const NormRow& row, const Norm& norm, double* __restrict sums);
void add_normed(const NormRow& row, const Norm& norm, double* __restrict sums) {
  double* __restrict z = row.scratch;
  normed(row.x, row.d, norm, z);
  for (Index c = 0; c < row.d; ++c) sums[c] += z[c] * static_cast<double>(row.gradient[c]);
}

void layer_norm(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon, float* out);
void layer_norm(const float* in, const float* gamma, const float* beta, Index rows, Index d, float epsilon,
                float* out) {
  const auto n = static_cast<double>(d);
  for (Index row = 0; row < rows; ++row, in += d, out += d) {
    const float* x = in;
    const double mean = sum_of_numbers(x, d) / n;
    const auto apart = [=](Index i, Doubles& to) {
      load(x + i, to);
      to -= mean;
    };
    const double squares = sum_of(
        d,
        [&](Index i, Doubles& terms) {
          apart(i, terms);
          terms *= terms;
        },
        [=](Index i) { return (static_cast<double>(x[i]) - mean) * (static_cast<double>(x[i]) - mean); });
    const double share = 1 / __builtin_sqrt(squares / n + static_cast<double>(epsilon));
    for (Index c = 0; c < d; ++c)
      out[c] = static_cast<float>((static_cast<double>(x[c]) - mean) * share) * gamma[c] + beta[c];
  }
}

}  // namespace headlight::math::KERNEL_SET
