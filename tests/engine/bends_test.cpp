// Functions of one number by vectors, and sums of exponentials, held to double precision on every instruction set.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/math/math.h"
#include "engine/trace/rule.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::vector<const math::Kernels*> sets() {
  std::vector<const math::Kernels*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const auto* set = math::kernels_named(name)) found.push_back(set);
  return found;
}

using Bend = void (*)(Compute&, float*, Index, const math::Kernels&);

void check_bend(Bend bend, Combine rule) {
  std::vector<float> in;
  for (int i = -6000; i <= 6000; ++i) in.push_back(static_cast<float>(i) * 0.0037F);
  for (const float far : {-3e38F, -90.0F, -1e-30F, 0.0F, 1e-30F, 90.0F, 3e38F}) in.push_back(far);
  const auto function = rule_of(rule).function;
  for (const auto* set : sets()) {
    INFO(set->name);
    ThreadPool pool(2);
    Compute compute(pool);
    std::vector<float> out = in;
    bend(compute, out.data(), static_cast<Index>(out.size()), *set);
    double error = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double want = function(in[i]);
      error = std::max(error, std::abs(out[i] - want) / std::max(1.0, std::abs(want)));
    }
    CHECK(error < 3e-7);
    // Wherever a number stands, and on as many threads as there are, it has the same bits.
    ThreadPool alone(1);
    Compute one(alone);
    for (std::size_t i = 0; i < in.size(); i += 97) {
      float value = in[i];
      bend(one, &value, 1, *set);
      CHECK(std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(out[i]));
    }
    float edges[] = {infinity, not_a_number};
    bend(one, edges, 2, *set);
    CHECK(edges[0] == infinity);
    CHECK(std::isnan(edges[1]));
  }
}

}  // namespace

TEST_CASE("SiLU, GELU and GELU by tanh match double precision, whatever set of kernels makes them") {
  check_bend(math::silu, Combine::silu);
  check_bend(math::gelu, Combine::gelu);
  check_bend(math::gelu_tanh, Combine::gelu_tanh);
}

TEST_CASE("ELU + 1 matches double precision, and small features keep theirs, whatever set of kernels makes them") {
  check_bend([](Compute&, float* x, Index size, const math::Kernels& set) { math::elu_plus_one(x, size, set); },
             Combine::elu_plus_one);
  for (const auto* set : sets()) {
    INFO(set->name);
    for (float x = -87; x < -1e-30F; x *= 0.99F) {
      float feature = x;
      math::elu_plus_one(&feature, 1, *set);
      CHECK(feature == Approx(std::exp(static_cast<double>(x))).epsilon(3e-7));
    }
    float none = -infinity;
    math::elu_plus_one(&none, 1, *set);
    CHECK(none == 0);
  }
}

TEST_CASE("the hyperbolic tangent keeps its relative precision near 0, whatever set of kernels makes it") {
  std::vector<float> in;
  for (float x = 1e-30F; x < 100; x *= 1.01F) in.insert(in.end(), {x, -x});
  in.insert(in.end(), {0.0F, infinity, -infinity, 3e38F});
  for (const auto* set : sets()) {
    INFO(set->name);
    std::vector<float> out = in;
    math::tanh(out.data(), static_cast<Index>(out.size()), *set);
    double error = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double want = std::tanh(static_cast<double>(in[i]));
      error = std::max(error, std::abs(out[i] - want) / std::max(1e-37, std::abs(want)));
    }
    CHECK(error < 3e-7);
    float broken = not_a_number;
    math::tanh(&broken, 1, *set);
    CHECK(std::isnan(broken));
  }
}

TEST_CASE("the logarithm of a sum of exponentials matches double precision, for every length") {
  for (const auto* set : sets()) {
    INFO(set->name);
    for (const Index n : {1, 2, 15, 16, 17, 511, 513, 50257}) {
      std::vector<float> row(static_cast<std::size_t>(n));
      for (Index j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = static_cast<float>(j * 7919 % 1000) * 0.03F - 20;
      double sum = 0;
      for (const float x : row) sum += std::exp(static_cast<double>(x));
      CHECK(std::abs(math::log_sum_exp(row.data(), n, *set) - std::log(sum)) < 2e-6);
    }
    const float huge[] = {3e38F, 3e38F, -infinity}, broken[] = {1, not_a_number, 2}, blind[] = {-infinity, -infinity};
    CHECK(math::log_sum_exp(huge, 3, *set) == Approx(3e38));
    CHECK(std::isnan(math::log_sum_exp(broken, 3, *set)));
    CHECK(std::isnan(math::log_sum_exp(blind, 2, *set)));
  }
}
