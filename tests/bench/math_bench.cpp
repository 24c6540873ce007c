// Attention on the engine's kernels beside the same on Eigen, one thread each, in alternating rounds: ratios survive a
// noisy machine where milliseconds do not. Not a test: nothing here passes or fails.
//
// Counters: x_tuned and x_naive are Eigen's time over the engine's (above 1: the engine is faster), of_peak the
// engine's share of the multiply-add rate measured in the same round, x_threads the gain from all processors. Medians.
// This file is compiled for the machine it is built on, so that Eigen is at its best.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "engine/math/math.h"
#include "engine/variants/row_chain.h"

namespace {

using namespace headlight;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using Floats = std::vector<float>;

Floats numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Floats out(static_cast<std::size_t>(count));
  for (float& x : out) x = normal(random);
  return out;
}

// Self attention with an output projection; d = heads · d'.
struct Problem {
  Index batches, n, d, heads;
  Index d_head = d / heads;
  float scale = 1 / std::sqrt(static_cast<float>(d_head));
  Floats x = numbers(batches * n * d, 1);
  Floats w[3] = {numbers(d * d, 2), numbers(d* d, 3), numbers(d* d, 4)};  // (M, d, d') each
  Floats w_o = numbers(d * d, 5);

  double operations() const {
    const double tokens = static_cast<double>(batches * n), width = static_cast<double>(d);
    return 8 * tokens * width * width + 4 * tokens * static_cast<double>(n) * width;
  }
  Index tokens() const { return batches * n; }
  Index map_size() const { return batches * heads * n * n; }
};

Floats room(Index size) {
  return Floats(static_cast<std::size_t>(size));
}

// Both ways keep the attention map and reuse their buffers.
struct Engine {
  const Problem& p;
  Floats q = room(p.tokens() * p.d), k = q, v = q, heads = q, concat = q, out = q, map = room(p.map_size());

  void run(Compute& compute) {
    const Index planes = p.batches * p.heads;
    float* to[3] = {q.data(), k.data(), v.data()};
    for (int i = 0; i < 3; ++i)
      math::project(compute, p.x.data(), p.w[i].data(), nullptr, p.batches, p.n, p.d, p.heads, p.d_head, to[i]);
    // As a run does it (variants/row_chain.h), which keeps scaled scores and weights apart besides.
    const RowPieces pieces(planes * p.n, p.batches, std::max(p.n, p.d_head), p.n);
    compute.parallel(pieces.count(), 1, [&](Index first, Index last) {
      for (Index piece = first; piece < last; ++piece) {
        const Index begin = pieces.begin(piece), end = pieces.end(piece);
        float* rows = map.data() + begin * p.n;
        math::dot_products(q.data(), k.data(), begin, end, p.n, p.n, p.d_head, map.data());
        math::scale(rows, p.scale, (end - begin) * p.n, rows);
        math::softmax(map.data(), begin, end, p.n, map.data());
        math::weighted_sum(map.data(), v.data(), begin, end, p.n, p.n, p.d_head, heads.data());
      }
    });
    math::concat_heads(compute, heads.data(), p.batches, p.heads, p.n, p.d_head, concat.data());
    math::linear(compute, concat.data(), p.w_o.data(), nullptr, p.tokens(), p.d, p.d, false, out.data());
  }
};

// One product for q, k and v of all heads, blocks of 256 rows, no temporaries, softmax row by row.
struct EigenTuned {
  const Problem& p;
  Floats w = beside();
  Floats qkv = room(3 * p.tokens() * p.d), concat = room(p.tokens() * p.d), out = concat, map = room(p.map_size());

  Floats beside() const {  // (d, 3·M·d')
    Floats all = room(3 * p.d * p.d);
    float* to = all.data();
    for (Index c = 0; c < p.d; ++c)
      for (const Floats& one : p.w)
        for (Index m = 0; m < p.heads; ++m, to += p.d_head)
          std::copy_n(one.data() + (m * p.d + c) * p.d_head, p.d_head, to);
    return all;
  }
  View view(const Floats& from, Index offset, Index rows, Index columns, Index stride) const {
    return {const_cast<float*>(from.data()) + offset, rows, columns, Eigen::OuterStride<>(stride)};
  }
  void run() {
    const Index wide = 3 * p.d;
    View(view(qkv, 0, p.tokens(), wide, wide)).noalias() =
        view(p.x, 0, p.tokens(), p.d, p.d) * view(w, 0, p.d, wide, wide);
    for (Index b = 0; b < p.batches; ++b)
      for (Index m = 0; m < p.heads; ++m)
        for (Index row = 0; row < p.n; row += 256) attend(b, m, row, std::min<Index>(256, p.n - row));
    View(view(out, 0, p.tokens(), p.d, p.d)).noalias() =
        view(concat, 0, p.tokens(), p.d, p.d) * view(p.w_o, 0, p.d, p.d, p.d);
  }
  void attend(Index b, Index m, Index row, Index rows) {
    const Index wide = 3 * p.d, start = b * p.n * wide + m * p.d_head;
    const View q = view(qkv, start + row * wide, rows, p.d_head, wide);
    const View k = view(qkv, start + p.d, p.n, p.d_head, wide), v = view(qkv, start + 2 * p.d, p.n, p.d_head, wide);
    View weights = view(map, ((b * p.heads + m) * p.n + row) * p.n, rows, p.n, p.n);
    weights.noalias() = q * k.transpose();
    for (Index i = 0; i < rows; ++i) {
      auto line = weights.row(i).array();
      line = ((line - line.maxCoeff()) * p.scale).exp();
      line *= 1 / line.sum();
    }
    View(view(concat, (b * p.n + row) * p.d + m * p.d_head, rows, p.d_head, p.d)).noalias() = weights * v;
  }
};

// As one writes it first: a product for each sample and head, whole-matrix expressions, temporaries.
struct EigenNaive {
  const Problem& p;
  Floats map = room(p.map_size()), out = room(p.tokens() * p.d);

  Eigen::Map<const Matrix> matrix(const Floats& from, Index offset, Index rows, Index columns) const {
    return {from.data() + offset, rows, columns};
  }
  void run() {
    for (Index b = 0; b < p.batches; ++b) {
      const Matrix x = matrix(p.x, b * p.n * p.d, p.n, p.d);
      Matrix concat(p.n, p.d);
      for (Index m = 0; m < p.heads; ++m) {
        const Index at = m * p.d * p.d_head;
        const Matrix q = x * matrix(p.w[0], at, p.d, p.d_head), k = x * matrix(p.w[1], at, p.d, p.d_head),
                     v = x * matrix(p.w[2], at, p.d, p.d_head);
        Matrix weights = q * k.transpose() * p.scale;
        weights = (weights.colwise() - weights.rowwise().maxCoeff()).array().exp().matrix().eval();
        weights = (weights.array().colwise() / weights.rowwise().sum().array()).matrix().eval();
        std::copy_n(weights.data(), weights.size(), map.data() + (b * p.heads + m) * p.n * p.n);
        concat.middleCols(m * p.d_head, p.d_head) = weights * v;
      }
      Eigen::Map<Matrix>(out.data() + b * p.n * p.d, p.n, p.d) = concat * matrix(p.w_o, 0, p.d, p.d);
    }
  }
};

// ---- Measuring ----------------------------------------------------------------------------------------------------

template <class Work>
double seconds_of(Index repeats, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  for (Index i = 0; i < repeats; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / static_cast<double>(repeats);
}

#ifdef __AVX512F__
constexpr int vector_bytes = 64;
#else
constexpr int vector_bytes = 32;
#endif

// Multiply-adds a second on one thread, counted as two operations each.
double peak_rate() {
  typedef float Vec __attribute__((vector_size(vector_bytes)));
  constexpr int chains = 12;  // enough to hide a latency of 4 cycles on two units
  constexpr Index rounds = 400000;
  Vec sums[chains] = {};
  Vec factor = Vec{} + 0.999F, term = Vec{} + 0.001F;
  benchmark::DoNotOptimize(factor);
  benchmark::DoNotOptimize(term);
  const double time = seconds_of(1, [&] {
    for (Index i = 0; i < rounds; ++i)
#pragma GCC unroll 12
      for (int c = 0; c < chains; ++c) sums[c] = sums[c] * factor + term;
    for (int c = 0; c < chains; ++c) benchmark::DoNotOptimize(sums[c]);
  });
  return static_cast<double>(rounds) * chains * (vector_bytes / 4) * 2 / time;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void attention(benchmark::State& state) {
  const Problem p{state.range(0), state.range(1), state.range(2), state.range(3)};
  Engine engine{p};
  EigenTuned tuned{p};
  EigenNaive naive{p};
  ThreadPool alone(1), pool(0);
  Compute one(alone), all(pool);
  const Index repeats = std::max<Index>(1, static_cast<Index>(1e9 / p.operations()));  // some 10 ms
  std::vector<double> of_peak, x_tuned, x_naive, x_threads;
  engine.run(one);
  tuned.run();
  naive.run();  // first touch
  for (auto _ : state) {
    const double time = seconds_of(repeats, [&] { engine.run(one); });
    state.SetIterationTime(time);
    of_peak.push_back(p.operations() / time / peak_rate());
    x_tuned.push_back(seconds_of(repeats, [&] { tuned.run(); }) / time);
    x_naive.push_back(seconds_of(repeats, [&] { naive.run(); }) / time);
    x_threads.push_back(time / seconds_of(repeats, [&] { engine.run(all); }));
  }
  float difference = 0;
  for (std::size_t i = 0; i < engine.map.size(); ++i)
    difference = std::max(difference, std::abs(engine.map[i] - tuned.map[i]));
  if (!(difference < 1e-3F)) state.SkipWithError("the engine and Eigen disagree");
  state.counters["of_peak"] = median(of_peak);
  state.counters["x_tuned"] = median(x_tuned);
  state.counters["x_naive"] = median(x_naive);
  state.counters["x_threads"] = median(x_threads);
}

// Rows a to d of the workloads: batches, n, d, heads.
BENCHMARK(attention)
    ->ArgNames({"B", "n", "d", "heads"})
    ->Args({8, 80, 12, 2})
    ->Args({32, 10, 512, 16})
    ->Args({1, 128, 768, 12})
    ->Args({1, 1024, 768, 12})
    ->Iterations(9)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Softmax over rows beside a copy of as many numbers, in alternating rounds. of_copy: its speed over the copy's, both
// reading and writing every number once; x_threads as above.
void softmax(benchmark::State& state) {
  const Index n = state.range(0);
  const Floats in = numbers(n * n, 1);
  Floats out = room(n * n);
  ThreadPool alone(1), pool(0);
  Compute one(alone), all(pool);
  std::vector<double> of_copy, of_copy_all, x_threads;
  const auto softmax = [&](Compute& compute) { math::softmax(compute, in.data(), n, n, out.data()); };
  const auto copy = [&](Compute& compute) {
    compute.parallel(n, 8, [&](Index begin, Index end) {
      std::copy(in.begin() + begin * n, in.begin() + end * n, out.begin() + begin * n);
    });
  };
  softmax(one);
  for (auto _ : state) {
    const double time = seconds_of(3, [&] { softmax(one); }), together = seconds_of(3, [&] { softmax(all); });
    state.SetIterationTime(time);
    of_copy.push_back(seconds_of(3, [&] { copy(one); }) / time);
    of_copy_all.push_back(seconds_of(3, [&] { copy(all); }) / together);
    x_threads.push_back(time / together);
  }
  state.counters["of_copy"] = median(of_copy);
  state.counters["of_copy_all_threads"] = median(of_copy_all);
  state.counters["x_threads"] = median(x_threads);
}
BENCHMARK(softmax)->ArgName("n")->Arg(4096)->Iterations(9)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
