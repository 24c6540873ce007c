#include "engine/math/math.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "engine/math/kernels.h"
#include "engine/math/positions.h"
#include "engine/math/reference.h"
#include "tests/catch.h"

using namespace headlight;
namespace ref = headlight::math::reference;

namespace {

std::vector<float> numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(static_cast<std::size_t>(count));
  for (float& x : out) x = static_cast<float>(random() % 20001) / 10000.0F - 1;
  return out;
}

ref::Numbers wide(const std::vector<float>& in) {
  return {in.begin(), in.end()};
}
ref::Numbers part(const std::vector<float>& in, Index begin, Index count) {
  return {in.begin() + begin, in.begin() + begin + count};
}

double worst(const std::vector<float>& got, Index begin, const ref::Numbers& want) {
  double difference = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    difference = std::max(difference, std::abs(got[static_cast<std::size_t>(begin) + i] - want[i]));
  return difference;
}

std::vector<const math::Kernels*> all_kernels() {
  std::vector<const math::Kernels*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const auto* k = math::kernels_named(name)) found.push_back(k);
  return found;
}

}  // namespace

TEST_CASE("products match double precision, for every instruction set and awkward shape") {
  for (const auto* k : all_kernels()) {
    for (const Index rows : {1, 5, 14, 29})
      for (const Index inner : {1, 7, 64})
        for (const Index columns : {1, 3, 16, 17, 33, 64}) {
          const auto a = numbers(rows * inner, 1), b = numbers(inner * columns, 2), bias = numbers(columns, 3);
          std::vector<float> packed(static_cast<std::size_t>(math::packed_size(*k, inner, columns)));
          std::vector<float> out(static_cast<std::size_t>(rows * columns));
          k->pack(b.data(), inner, columns, columns, 1, packed.data());
          k->multiply(a.data(), rows, inner, packed.data(), columns, bias.data(), false, out.data(), columns);
          INFO(k->name << " " << rows << "×" << inner << "×" << columns);
          CHECK(worst(out, 0, ref::product(wide(a), wide(b), wide(bias), rows, inner, columns)) < 1e-5);
          k->multiply(a.data(), rows, inner, packed.data(), columns, bias.data(), true, out.data(), columns);
          CHECK(*std::min_element(out.begin(), out.end()) >= 0);
        }
  }
}

TEST_CASE("every instruction set gives the same numbers to the last bit") {
  constexpr Index rows = 31, inner = 77, columns = 45;
  const auto a = numbers(rows * inner, 11), b = numbers(inner * columns, 12);
  std::vector<float> first;
  for (const auto* k : all_kernels()) {
    std::vector<float> packed(static_cast<std::size_t>(math::packed_size(*k, inner, columns)));
    std::vector<float> out(rows * columns), weights(out.size());
    k->pack(b.data(), inner, columns, columns, 1, packed.data());
    k->multiply(a.data(), rows, inner, packed.data(), columns, nullptr, false, out.data(), columns);
    k->softmax(out.data(), rows, columns, weights.data());
    out.insert(out.end(), weights.begin(), weights.end());
    if (first.empty()) first = out;
    INFO(k->name);
    CHECK(out == first);
  }
}

TEST_CASE("softmax rows sum to 1, and masked, infinite and broken rows are as defined") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const auto* k : all_kernels()) {
    for (const Index n : {1, 2, 15, 16, 17, 100}) {
      auto in = numbers(n, 4);
      for (float& x : in) x *= 40;
      if (n > 2) in[1] = -inf;
      std::vector<float> out(in.size());
      k->softmax(in.data(), 1, n, out.data());
      INFO(k->name << " " << n);
      CHECK(worst(out, 0, ref::softmax(wide(in))) < 1e-6);
      if (n > 2) CHECK(out[1] == 0.0F);
      std::fill(in.begin(), in.end(), -inf);
      k->softmax(in.data(), 1, n, out.data());
      CHECK(std::ranges::all_of(out, [](float x) { return x == 0; }));
      in[static_cast<std::size_t>(n - 1)] = std::numeric_limits<float>::quiet_NaN();
      k->softmax(in.data(), 1, n, out.data());
      CHECK(std::ranges::all_of(out, [](float x) { return std::isnan(x); }));
      in[static_cast<std::size_t>(n - 1)] = inf;
      k->softmax(in.data(), 1, n, out.data());
      CHECK(std::ranges::all_of(out, [](float x) { return std::isnan(x); }));
    }
  }
}

TEST_CASE("softmax keeps its precision from −87 to 0") {
  for (const auto* k : all_kernels()) {
    std::vector<float> in(2000), out(2000);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = -static_cast<float>(i) * 0.0435F;
    k->softmax(in.data(), 1, 2000, out.data());
    const auto want = ref::softmax(wide(in));
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i] == Approx(want[i]).epsilon(2e-6));
  }
}

TEST_CASE("attention's products agree with double precision and do not depend on the threads") {
  constexpr Index batches = 2, heads = 3, n_q = 101, n_k = 57, d_in = 13, d = 9;
  const auto x = numbers(batches * n_q * d_in, 5), w = numbers(heads * d_in * d, 6), bias = numbers(heads * d, 7);
  const auto keys = numbers(batches * heads * n_k * d, 8), values = numbers(batches * heads * n_k * d, 9);
  std::vector<float> first_q, first_s, first_o;
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    Compute compute(pool);
    std::vector<float> q(batches * heads * n_q * d), s(batches * heads * n_q * n_k), o(q.size());
    math::project(compute, x.data(), w.data(), bias.data(), batches, n_q, d_in, heads, d, q.data());
    math::scores(compute, q.data(), keys.data(), batches * heads, n_q, n_k, d, s.data());
    math::weighted_sum(compute, s.data(), values.data(), batches * heads, n_q, n_k, d, o.data());
    if (threads == 1) {
      for (Index plane = 0; plane < batches * heads; ++plane) {
        const Index b = plane / heads, m = plane % heads;
        const auto want = ref::product(part(x, b * n_q * d_in, n_q * d_in), part(w, m * d_in * d, d_in * d),
                                       part(bias, m * d, d), n_q, d_in, d);
        CHECK(worst(q, plane * n_q * d, want) < 1e-5);
        const auto k_t = ref::transposed(part(keys, plane * n_k * d, n_k * d), n_k, d);
        CHECK(worst(s, plane * n_q * n_k, ref::product(part(q, plane * n_q * d, n_q * d), k_t, {}, n_q, d, n_k)) <
              2e-5);
        CHECK(worst(o, plane * n_q * d,
                    ref::product(part(s, plane * n_q * n_k, n_q * n_k), part(values, plane * n_k * d, n_k * d), {}, n_q,
                                 n_k, d)) < 1e-3);
      }
      first_q = q, first_s = s, first_o = o;
    }
    CHECK(q == first_q);
    CHECK(s == first_s);
    CHECK(o == first_o);
  }
}

TEST_CASE("layer norm has mean β and deviation γ") {
  ThreadPool pool(2);
  Compute compute(pool);
  const auto x = numbers(7 * 50, 10);
  const std::vector<float> gamma(50, 2.0F), beta(50, 3.0F);
  std::vector<float> out(x.size());
  math::layer_norm(compute, x.data(), gamma.data(), beta.data(), 7, 50, 1e-5F, out.data());
  for (Index row = 0; row < 7; ++row) {
    double mean = 0, square = 0;
    for (Index c = 0; c < 50; ++c) mean += out[static_cast<std::size_t>(row * 50 + c)] / 50.0;
    for (Index c = 0; c < 50; ++c) square += std::pow(out[static_cast<std::size_t>(row * 50 + c)] - mean, 2) / 50;
    CHECK(mean == Approx(3).margin(1e-5));
    CHECK(std::sqrt(square) == Approx(2).margin(1e-3));
  }
}

TEST_CASE("positions are the paper's sines and cosines, odd widths too") {
  std::vector<float> p(3 * 5);
  sinusoidal_positions(3, 5, p.data());
  CHECK(p[0] == 0.0F);
  CHECK(p[1] == 1.0F);
  CHECK(p[5] == Approx(std::sin(1.0)));
  CHECK(p[6] == Approx(std::cos(1.0)));
  CHECK(p[7] == Approx(std::sin(1 / std::pow(10000, 0.4))));
  CHECK(p[14] == Approx(std::sin(2 / std::pow(10000, 0.8))));
}

TEST_CASE("heads are laid side by side, head-major") {
  ThreadPool pool(1);
  Compute compute(pool);
  const std::vector<float> heads{1, 2, 3, 4, 5, 6, 7, 8};  // (1, 2, 2, 2)
  std::vector<float> out(8);
  math::concat_heads(compute, heads.data(), 1, 2, 2, 2, out.data());
  CHECK(out == std::vector<float>{1, 2, 5, 6, 3, 4, 7, 8});
}
