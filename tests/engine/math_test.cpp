#include "engine/math/math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/math/positions.h"
#include "engine/math/seen_rows.h"
#include "tests/catch.h"
#include "tests/engine/math_reference.h"

using namespace headlight;
namespace ref = headlight::math::reference;

namespace {

using Floats = std::vector<float>;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// From −1 to 1.
Floats numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  Floats out(static_cast<std::size_t>(count));
  for (float& x : out) x = static_cast<float>(random() % 20001) / 10000.0F - 1;
  return out;
}

float& at(Floats& values, Index i) {
  return values[static_cast<std::size_t>(i)];
}

// Largest difference; infinite where one of the two is NaN, or infinite, and the other is not.
double worst(const Floats& got, const ref::Numbers& want) {
  double difference = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double g = got[i], w = want.values[i];
    if (g == w || (std::isnan(g) && std::isnan(w))) continue;
    const double d = std::abs(g - w);
    difference = std::max(difference, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
  }
  return difference;
}

bool same_bits(const Floats& a, const Floats& b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}

// What rounding may do to a sum of products of numbers from −1 to 1; a wrong or missing term is 1000 times as large.
double tolerance(Index inner) {
  return 1e-7 * static_cast<double>(inner + 2);
}

std::vector<const math::Kernels*> all_kernels() {
  std::vector<const math::Kernels*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const auto* set = math::kernels_named(name)) found.push_back(set);
  return found;
}

// run(compute, set) gives a result that matches `want` within `allowed` for every set, and on one set is the same to
// the last bit for every number of threads.
template <class Run>
void check_everywhere(const ref::Numbers& want, double allowed, Run run) {
  for (const auto* set : all_kernels()) {
    INFO(set->name);
    Floats first;
    for (const int threads : {1, 2, 5}) {
      ThreadPool pool(threads);
      Compute compute(pool);
      const Floats got = run(compute, *set);
      if (first.empty()) {
        first = got;
        CHECK(worst(got, want) <= allowed);
      }
      CHECK(same_bits(got, first));
    }
  }
}

Floats nothing_yet(Index size) {
  return Floats(static_cast<std::size_t>(size), not_a_number);
}

}  // namespace

TEST_CASE("projections match double precision, for every instruction set, shape and number of threads") {
  struct Case {
    Index batches, n, d_in, heads, d_head;
  };
  for (const Case& c : {Case{1, 1, 1, 1, 1}, Case{2, 3, 5, 7, 1}, Case{3, 13, 31, 2, 17}, Case{8, 80, 12, 2, 6},
                        Case{1, 97, 257, 3, 33}, Case{2, 101, 13, 3, 64}, Case{1, 1, 600, 1, 300},
                        Case{2, 70, 40, 3, 32}, Case{1, 9, 300, 5, 48}, Case{3, 66, 33, 2, 80}}) {
    const auto x = numbers(c.batches * c.n * c.d_in, 1), w = numbers(c.heads * c.d_in * c.d_head, 2);
    for (const Floats& bias : {Floats{}, numbers(c.heads * c.d_head, 3)}) {
      INFO(c.batches << " " << c.n << " " << c.d_in << " " << c.heads << " " << c.d_head << " bias " << bias.size());
      const auto want =
          ref::project(ref::Numbers(x), ref::Numbers(w), ref::Numbers(bias), c.batches, c.n, c.d_in, c.heads, c.d_head);
      check_everywhere(want, tolerance(c.d_in), [&](Compute& compute, const math::Kernels& set) {
        Floats out = nothing_yet(want.size());
        math::project(compute, x.data(), w.data(), bias.empty() ? nullptr : bias.data(), c.batches, c.n, c.d_in,
                      c.heads, c.d_head, out.data(), set);
        return out;
      });
    }
  }
}

TEST_CASE("linear maps match double precision, with and without bias and ReLU") {
  for (const auto& [rows, d_in, d_out] : {std::array<Index, 3>{1, 1, 1},
                                          {5, 7, 3},
                                          {14, 64, 16},
                                          {29, 256, 32},
                                          {85, 513, 47},
                                          {200, 31, 521},
                                          {300, 300, 130}}) {
    const auto x = numbers(rows * d_in, 1), w = numbers(d_in * d_out, 2);
    for (const Floats& bias : {Floats{}, numbers(d_out, 3)})
      for (const bool relu : {false, true}) {
        INFO(rows << " " << d_in << " " << d_out << " bias " << bias.size() << " relu " << relu);
        const auto want = ref::linear(ref::Numbers(x), ref::Numbers(w), ref::Numbers(bias), rows, d_in, d_out, relu);
        check_everywhere(want, tolerance(d_in),
                         [&, rows = rows, d_in = d_in, d_out = d_out](Compute& compute, auto& set) {
                           Floats out = nothing_yet(want.size());
                           math::linear(compute, x.data(), w.data(), bias.empty() ? nullptr : bias.data(), rows, d_in,
                                        d_out, relu, out.data(), set);
                           return out;
                         });
      }
  }
}

TEST_CASE("scores and weighted sums match double precision") {
  struct Case {
    Index planes, n_q, n_k, d_head;
  };
  for (const Case& c : {Case{1, 1, 1, 1}, Case{1, 2, 3, 1}, Case{6, 13, 7, 5}, Case{2, 101, 57, 9},
                        Case{3, 17, 300, 64}, Case{2, 90, 515, 33}}) {
    INFO(c.planes << " " << c.n_q << " " << c.n_k << " " << c.d_head);
    const auto q = numbers(c.planes * c.n_q * c.d_head, 1), k = numbers(c.planes * c.n_k * c.d_head, 2);
    const auto want = ref::scores(ref::Numbers(q), ref::Numbers(k), c.planes, c.n_q, c.n_k, c.d_head);
    check_everywhere(want, tolerance(c.d_head), [&](Compute& compute, const math::Kernels& set) {
      Floats out = nothing_yet(want.size());
      compute.parallel(c.planes * c.n_q, 40, [&](Index begin, Index end) {
        math::dot_products(q.data(), k.data(), begin, end, c.n_q, c.n_k, c.d_head, out.data(), set);
      });
      return out;
    });
    const auto a = numbers(c.planes * c.n_q * c.n_k, 3);
    const auto mixed = ref::weighted_sum(ref::Numbers(a), ref::Numbers(k), c.planes, c.n_q, c.n_k, c.d_head);
    check_everywhere(mixed, tolerance(c.n_k), [&](Compute& compute, const math::Kernels& set) {
      Floats out = nothing_yet(mixed.size());
      compute.parallel(c.planes * c.n_q, 40, [&](Index begin, Index end) {
        math::weighted_sum(a.data(), k.data(), begin, end, c.n_q, c.n_k, c.d_head, out.data(), set);
      });
      return out;
    });
  }
}

TEST_CASE("a sum over the keys that are seen is the sum over all, to the last bit beside rows that see more") {
  for (const std::pair<Index, Index>& size :
       {std::pair<Index, Index>{1000, 64}, {512, 16}, {515, 33}, {300, 64}, {700, 5}}) {
    constexpr Index planes = 2, n_q = 70;
    const Index n_k = size.first, d_head = size.second;
    auto a = numbers(planes * n_q * n_k, 3);
    const auto v = numbers(planes * n_k * d_head, 2);
    for (Index row = 0; row < planes * n_q; ++row)
      for (Index j = 0; j < n_k; ++j)
        if (j < row % n_q * 3 || j > row % n_q * 3 + 100 || row % n_q > 64) at(a, row * n_k + j) = j % 2 ? 0.0F : -0.0F;
    const auto want = ref::weighted_sum(ref::Numbers(a), ref::Numbers(v), planes, n_q, n_k, d_head);
    INFO(n_k << " " << d_head);
    check_everywhere(want, tolerance(n_k), [&](Compute& compute, const math::Kernels& set) {
      const auto sums = [&](const Floats& map) {
        Floats out = nothing_yet(planes * n_q * d_head);
        const Shape shape{1, planes, n_q, n_k};
        const math::VisibleBlocks seen(Tensor::from(shape, map), shape, 0);
        compute.parallel(planes * n_q, 40, [&](Index begin, Index end) {
          math::weighted_sum(map.data(), v.data(), seen, begin, end, n_q, n_k, d_head, out.data(), set);
        });
        return out;
      };
      const Floats out = sums(a);
      Floats more = a;
      for (Index j = 0; j < n_k; ++j) at(more, 7 * n_k + j) = 1;  // one row that sees all
      Floats beside = sums(more);
      std::copy_n(out.begin() + 7 * d_head, d_head, beside.begin() + 7 * d_head);
      CHECK(same_bits(beside, out));
      return out;
    });
  }
}

TEST_CASE("sums of few terms have the same bits on every instruction set, wherever they stand") {
  ThreadPool pool(2);
  Compute compute(pool);
  for (const Index inner : {Index{1}, Index{7}, math::few_terms}) {
    constexpr Index rows = 131, columns = 45;
    const auto x = numbers(rows * inner, 1), w = numbers(inner * columns, 2), k = numbers(columns * inner, 3);
    Floats first, first_scores;
    for (const auto* set : all_kernels()) {
      INFO(set->name << " " << inner);
      Floats out = nothing_yet(rows * columns), one = nothing_yet(columns), scores = out;
      math::linear(compute, x.data(), w.data(), nullptr, rows, inner, columns, false, out.data(), *set);
      math::linear(compute, x.data() + 130 * inner, w.data(), nullptr, 1, inner, columns, false, one.data(), *set);
      math::dot_products(x.data(), k.data(), 0, rows, rows, columns, inner, scores.data(), *set);
      if (first.empty()) {
        first = out;
        first_scores = scores;
      }
      CHECK(same_bits(out, first));
      CHECK(same_bits(one, Floats(out.end() - columns, out.end())));
      CHECK(same_bits(scores, first_scores));
    }
  }
}

TEST_CASE("NaN and infinities stay in the rows and columns that hold them") {
  ThreadPool pool(1);
  Compute compute(pool);
  constexpr Index rows = 16, inner = 3, columns = 17;
  for (const auto* set : all_kernels()) {
    INFO(set->name);
    auto x = numbers(rows * inner, 1), w = numbers(inner * columns, 2);
    at(x, 4 * inner + 1) = not_a_number;
    at(x, 9 * inner) = infinity;
    at(w, 2 * columns + 16) = not_a_number;
    Floats out = nothing_yet(rows * columns);
    for (const bool relu : {false, true}) {
      math::linear(compute, x.data(), w.data(), nullptr, rows, inner, columns, relu, out.data(), *set);
      for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < columns; ++c) {
          const float y = at(out, i * columns + c);
          CHECK(std::isnan(y) == (i == 4 || c == 16));
          if (!relu && c != 16) CHECK(std::isinf(y) == (i == 9));
        }
    }
  }
}

TEST_CASE("products with few columns match double precision, turned, added and in pieces of their terms") {
  for (const Index columns : {8, 12, 20, 32, 44, 64})
    for (const Index inner : {33, 255, 257, 520})
      for (const Index rows : {1, 7, 13, 24}) {
        const auto a = numbers(rows * inner, 1), b = numbers(inner * columns, 2), before = numbers(rows * columns, 3);
        const auto product = ref::linear(ref::Numbers(a), ref::Numbers(b), {}, rows, inner, columns, false);
        const auto turned = ref::transpose(ref::Numbers(a), 1, rows, inner);
        const Floats aside(turned.values.begin(), turned.values.end());
        for (const auto* set : all_kernels()) {
          INFO(set->name << " " << rows << " × " << inner << " × " << columns);
          math::Product p{.a = {a.data(), inner},
                          .b = {b.data(), columns},
                          .rows = rows,
                          .inner = inner,
                          .columns = columns,
                          .out_stride = columns};
          Floats plain = nothing_yet(rows * columns), from_turned = plain, sum = before;
          p.out = plain.data();
          set->multiply(p);
          CHECK(worst(plain, product) <= tolerance(inner));
          p.out = sum.data();
          p.adds = true;
          set->multiply(p);
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= before[i];
          CHECK(worst(sum, product) <= tolerance(inner) + 1e-6);
          p.out = from_turned.data();
          p.adds = false;
          p.a_transposed = true;
          p.a = {aside.data(), rows};
          set->multiply(p);
          if (math::is_read_in_place(inner, columns)) CHECK(same_bits(from_turned, plain));
          CHECK(worst(from_turned, product) <= tolerance(inner));
        }
      }
}

TEST_CASE("softmax matches double precision, for every instruction set, length and number of threads") {
  for (const Index n : {1, 2, 7, 15, 16, 17, 33, 100, 1021}) {
    constexpr Index rows = 70;
    auto in = numbers(rows * n, 4);
    for (float& x : in) x *= 40;
    std::fill_n(in.begin() + 5 * n, n, -infinity);
    std::fill_n(in.begin() + 61 * n, n, -infinity);
    if (n > 1) at(in, 7 * n + 1) = -infinity;
    at(in, 8 * n + n - 1) = not_a_number;
    at(in, 9 * n + n / 2) = infinity;
    std::fill_n(in.begin() + 10 * n, n, -infinity);
    at(in, 10 * n) = not_a_number;
    INFO("n " << n);
    const auto want = ref::softmax(ref::Numbers(in), rows, n);
    check_everywhere(want, 1e-6, [&](Compute& compute, const math::Kernels& set) {
      Floats out = nothing_yet(rows * n);
      math::softmax(compute, in.data(), rows, n, out.data(), set);
      Floats in_place = in;
      math::softmax(compute, in_place.data(), rows, n, in_place.data(), set);
      CHECK(worst(in_place, want) <= 1e-6);
      return out;
    });
  }
}

TEST_CASE("softmax has the same bits wherever it is written to, and nothing beside it is") {
  for (const Index n : {1, 15, 16, 33, 127, 1021, 8192, 8193}) {
    constexpr Index rows = 6;
    auto in = numbers(rows * n, 4);
    const auto hide = [&](Index row, Index begin, Index end) {
      std::fill(in.begin() + row * n + begin, in.begin() + row * n + end, -infinity);
    };
    hide(1, 0, n);
    hide(2, 0, n * 2 / 3);
    hide(3, n / 2, n);
    hide(4, 0, n / 3);
    hide(4, n / 3 + 1, n);
    hide(5, 0, n - 1);
    at(in, 5 * n) = not_a_number;
    for (const auto* set : all_kernels())
      for (std::size_t start = 0; start < 16; start += 5) {
        INFO(set->name << " " << n << " " << start);
        Floats plain = nothing_yet(rows * n), moved(start + rows * n + 1, 7.0F);
        set->softmax(in.data(), rows, n, plain.data());
        set->softmax(in.data(), rows, n, moved.data() + start);
        CHECK(same_bits(Floats(moved.begin() + start, moved.end() - 1), plain));
        CHECK(std::all_of(moved.begin(), moved.begin() + start, [](float x) { return x == 7.0F; }));
        CHECK(moved.back() == 7.0F);
      }
  }
}

TEST_CASE("softmax rules: masked keys weigh 0, blind rows are 0, NaN and +∞ make the row NaN") {
  ThreadPool pool(1);
  Compute compute(pool);
  for (const auto* set : all_kernels()) {
    INFO(set->name);
    const Floats in{0, -infinity,    0,         -infinity, -infinity, -infinity,
                    1, not_a_number, -infinity, 1,         infinity,  -infinity};
    Floats out = nothing_yet(12);
    math::softmax(compute, in.data(), 4, 3, out.data(), *set);
    CHECK(Floats(out.begin(), out.begin() + 6) == Floats{0.5F, 0, 0.5F, 0, 0, 0});
    CHECK(std::all_of(out.begin() + 6, out.end(), [](float x) { return std::isnan(x); }));
  }
}

TEST_CASE("softmax keeps its relative precision from −82 to 0, and huge scores do not overflow") {
  ThreadPool pool(1);
  Compute compute(pool);
  for (const auto* set : all_kernels()) {
    Floats in(2000), out(2000);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = -static_cast<float>(i) * 0.041F;
    math::softmax(compute, in.data(), 1, 2000, out.data(), *set);
    const auto want = ref::softmax(ref::Numbers(in), 1, 2000);
    double error = 0;
    for (std::size_t i = 0; i < in.size(); ++i) error = std::max(error, std::abs(out[i] / want.values[i] - 1));
    INFO(set->name);
    CHECK(error < 4e-7);
    const Floats huge{3e38F, -3e38F, 3e38F};
    math::softmax(compute, huge.data(), 1, 3, out.data(), *set);
    CHECK(Floats(out.begin(), out.begin() + 3) == Floats{0.5F, 0, 0.5F});
  }
}

TEST_CASE("layer norm matches double precision, in place too") {
  for (const Index d : {1, 2, 7, 16, 50, 771}) {
    constexpr Index rows = 90;
    auto x = numbers(rows * d, 5);
    for (Index i = 0; i < 10 * d; ++i) at(x, i) += 1000;  // a mean far from 0
    const auto gamma = numbers(d, 6), beta = numbers(d, 7);
    INFO("d " << d);
    const auto want = ref::layer_norm(ref::Numbers(x), ref::Numbers(gamma), ref::Numbers(beta), rows, d, 1e-5);
    check_everywhere(want, 2e-6, [&](Compute& compute, const math::Kernels& set) {
      Floats out = x;
      math::layer_norm(compute, out.data(), gamma.data(), beta.data(), rows, d, 1e-5F, out.data(), set);
      return out;
    });
  }
}

TEST_CASE("rows are normed, and what reaches them is summed, with the same bits on every instruction set") {
  const math::Norm norms[] = {
      {1e-5},
      {1e-6, [](double squares, double count, double epsilon) { return std::sqrt(squares / count + epsilon); },
       [](double squares, double count, double epsilon) {
         return 1 / (2 * count * std::sqrt(squares / count + epsilon));
       }}};
  for (const Index d : {1, 7, 8, 50, 64, 771})
    for (const math::Norm& norm : norms) {
      const auto x = numbers(d, 1), g = numbers(d, 2), gamma = numbers(d, 3);
      std::vector<Floats> first;
      for (const auto* set : all_kernels()) {
        INFO(set->name << " " << d);
        std::vector<double> room(static_cast<std::size_t>(2 * d)), sums(static_cast<std::size_t>(d), 0.5);
        Floats out = nothing_yet(d), y = out, added = out, shared;
        const math::NormRow row{
            .x = x.data(), .gamma = gamma.data(), .gradient = g.data(), .d = d, .scratch = room.data()};
        set->norm_gradient(row, norm, out.data());
        set->add_normed(row, norm, sums.data());
        set->layer_norm(x.data(), gamma.data(), g.data(), 1, d, 1e-5F, y.data());
        const float* const parts[] = {x.data(), g.data(), gamma.data()};
        set->add_arrays(parts, 3, d, added.data());
        for (const double sum : sums) shared.push_back(static_cast<float>(sum));
        const std::vector<Floats> all{out, y, added, shared, {static_cast<float>(set->dot(x.data(), g.data(), d))}};
        if (first.empty()) first = all;
        for (std::size_t i = 0; i < all.size(); ++i) CHECK(same_bits(all[i], first[i]));
        for (std::size_t c = 0; c < added.size(); ++c)
          CHECK(added[c] == static_cast<float>(static_cast<double>(x[c]) + g[c] + static_cast<double>(gamma[c])));
      }
    }
}

TEST_CASE("masks are added to every batch, head and query that they have none of their own for") {
  const Shape shape{2, 3, 5, 7};
  auto scores = numbers(2 * 3 * 5 * 7, 8);
  at(scores, 3) = not_a_number;
  at(scores, 4) = not_a_number;
  for (const Index b : {1, 2})
    for (const Index m : {1, 3})
      for (const Index q : {1, 5}) {
        const Shape mask_shape{b, m, q, 7};
        auto mask = numbers(b * m * q * 7, 9);
        for (std::size_t i = 0; i < mask.size(); i += 4) mask[i] = -infinity;  // cell 4 is hidden, cell 3 is not
        INFO(to_string(mask_shape));
        const auto want = ref::add_mask(ref::Numbers(scores), shape, ref::Numbers(mask), mask_shape);
        CHECK(std::isnan(want[3]));
        CHECK(want[4] == -infinity);
        for (const int threads : {1, 2, 5}) {
          ThreadPool pool(threads);
          Compute compute(pool);
          Floats out = scores;
          const Tensor added = Tensor::from(mask_shape, mask);
          const math::VisibleBlocks seen(added, shape);
          compute.parallel(2 * 3 * 5, 4, [&](Index begin, Index end) {
            math::add_mask(out.data(), shape, added, seen, begin, end, out.data());
          });
          CHECK(worst(out, want) <= 1e-7);
        }
      }
}

TEST_CASE("sums, scaling, dropout and ReLU") {
  constexpr Index size = 100003;  // several pieces of work
  auto a = numbers(size, 10), b = numbers(size, 11);
  at(a, 17) = not_a_number;
  Floats kept(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i % 3 == 0 ? 0.0F : 1.0F;
  ThreadPool pool(2);
  Compute compute(pool);
  ref::Numbers sums(size), scaled(size), weighed(size), dropped(size), positive(size);
  for (Index i = 0; i < size; ++i) {
    const double x = at(a, i);
    sums[i] = x + at(b, i);
    scaled[i] = x * 0.125;
    weighed[i] = x * 0.125 + at(b, i) * 2;
    dropped[i] = i % 3 == 0 ? 0.0 : x * 2;
    positive[i] = x < 0 ? 0.0 : x;
  }
  Floats out(a.size());
  math::add(compute, a.data(), b.data(), size, out.data());
  CHECK(worst(out, sums) <= 1e-7);
  math::scale(compute, a.data(), 0.125F, size, out.data());
  CHECK(worst(out, scaled) == 0);
  math::linear_combination(compute, a.data(), 0.125F, b.data(), 2, size, out.data());
  CHECK(worst(out, weighed) <= 3e-7);  // two roundings
  math::dropout(compute, a.data(), kept.data(), 2, size, out.data());
  CHECK(worst(out, dropped) == 0);
  math::relu(compute, a.data(), size, out.data());
  CHECK(worst(out, positive) == 0);
}

TEST_CASE("heads are laid side by side, head-major") {
  ThreadPool pool(1);
  Compute compute(pool);
  const Floats heads{1, 2, 3, 4, 5, 6, 7, 8};  // (1, 2, 2, 2)
  Floats out(8);
  math::concat_heads(compute, heads.data(), 1, 2, 2, 2, out.data());
  CHECK(out == Floats{1, 2, 5, 6, 3, 4, 7, 8});
  const auto many = numbers(3 * 5 * 7 * 11, 12);
  out.resize(many.size());
  math::concat_heads(compute, many.data(), 3, 5, 7, 11, out.data());
  CHECK(worst(out, ref::concat_heads(ref::Numbers(many), 3, 5, 7, 11)) == 0);
}

TEST_CASE("positions are the paper's sines and cosines, odd widths too") {
  Floats p(3 * 5);
  sinusoidal_positions(3, 5, p.data());
  CHECK(p[0] == 0.0F);
  CHECK(p[1] == 1.0F);
  CHECK(p[5] == Approx(std::sin(1.0)));
  CHECK(p[6] == Approx(std::cos(1.0)));
  CHECK(p[7] == Approx(std::sin(1 / std::pow(10000, 0.4))));
  CHECK(p[14] == Approx(std::sin(2 / std::pow(10000, 0.8))));
  Floats far(200 * 6);
  sinusoidal_positions(200, 6, far.data(), 5000, -3);
  for (const Index row : {0, 1, 31, 32, 63, 199})
    for (Index pair = 0; pair < 3; ++pair) {
      const double angle = static_cast<double>(5000 - 3 * row) / std::pow(10000, static_cast<double>(pair) / 3);
      CHECK(at(far, row * 6 + 2 * pair) == static_cast<float>(std::sin(angle)));
      CHECK(at(far, row * 6 + 2 * pair + 1) == static_cast<float>(std::cos(angle)));
    }
}

TEST_CASE("a cancelled product stops before its next piece") {
  ThreadPool pool(2);
  std::stop_source stop;
  Compute compute(pool, stop.get_token());
  constexpr Index n = 300;
  const auto x = numbers(n * n, 13);
  Floats out = nothing_yet(n * n);
  stop.request_stop();
  math::linear(compute, x.data(), x.data(), nullptr, n, n, n, false, out.data());
  CHECK(std::ranges::all_of(out, [](float y) { return std::isnan(y); }));
}

TEST_CASE("the chosen kernels are the fastest of this machine, or those that the environment asks for") {
  const char* asked = std::getenv("HEADLIGHT_KERNELS");
  const auto* wanted = asked ? math::kernels_named(asked) : nullptr;
  CHECK(&math::kernels() == (wanted ? wanted : all_kernels().back()));
  CHECK(math::kernels_named("baseline") != nullptr);
  CHECK(math::kernels_named("sse9") == nullptr);
}

TEST_CASE("pointwise maps are linear maps with the weights turned round") {
  for (const auto& [rows, c_in, c_out] : {std::array<Index, 3>{1, 1, 1}, {5, 7, 3}, {97, 31, 40}, {300, 300, 1}}) {
    const auto x = numbers(rows * c_in, 1), w = numbers(c_out * c_in, 2);
    for (const Floats& bias : {Floats{}, numbers(c_out, 3)}) {
      INFO(rows << " " << c_in << " " << c_out << " bias " << bias.size());
      const auto turned = ref::transpose(ref::Numbers(w), 1, c_out, c_in);
      const auto want = ref::linear(ref::Numbers(x), turned, ref::Numbers(bias), rows, c_in, c_out, false);
      check_everywhere(want, tolerance(c_in),
                       [&, rows = rows, c_in = c_in, c_out = c_out](Compute& compute, auto& set) {
                         Floats out = nothing_yet(want.size());
                         math::pointwise(compute, x.data(), w.data(), bias.empty() ? nullptr : bias.data(), rows, c_in,
                                         c_out, out.data(), set);
                         return out;
                       });
    }
  }
}

TEST_CASE("transposing swaps the last two axes of every batch") {
  for (const auto& [batches, rows, columns] :
       {std::array<Index, 3>{1, 1, 1}, {3, 4, 5}, {2, 3, 40000}, {2, 40000, 3}}) {
    const auto x = numbers(batches * rows * columns, 1);
    const auto want = ref::transpose(ref::Numbers(x), batches, rows, columns);
    check_everywhere(want, 0, [&, batches = batches, rows = rows, columns = columns](Compute& compute, auto&) {
      Floats out = nothing_yet(want.size());
      math::transpose(compute, x.data(), batches, rows, columns, out.data());
      return out;
    });
  }
}

TEST_CASE("pooling keeps the largest of each cell, rounds down, and passes NaN on") {
  struct Case {
    Index batches;
    Grid grid, cell;
    Index channels;
  };
  for (const Case& c :
       {Case{2, {.columns = 7}, {.columns = 2}, 3}, Case{2, {1, 5, 8}, {1, 2, 2}, 4}, Case{1, {3, 4, 5}, {1, 2, 2}, 1},
        Case{2, {5, 3, 2}, {2, 3, 1}, 2}, Case{1, {1, 201, 300}, {1, 2, 2}, 5}}) {
    INFO(c.grid.frames << " " << c.grid.rows << " " << c.grid.columns);
    const auto x = numbers(c.batches * c.grid.frames * c.grid.rows * c.grid.columns * c.channels, 1);
    const auto want = ref::max_pool(ref::Numbers(x), c.batches, c.grid, c.cell, c.channels);
    check_everywhere(want, 0, [&](Compute& compute, auto&) {
      Floats out = nothing_yet(want.size());
      math::max_pool(compute, x.data(), c.batches, c.grid, c.cell, c.channels, out.data());
      return out;
    });
  }
  ThreadPool pool(1);
  Compute compute(pool);
  const Floats x{1, not_a_number, not_a_number, 1, -infinity, -infinity, 2, infinity};
  Floats out = nothing_yet(4);
  math::max_pool(compute, x.data(), 1, {.columns = 8}, {.columns = 2}, 1, out.data());
  CHECK(std::isnan(out[0]));
  CHECK(std::isnan(out[1]));
  CHECK(out[2] == -infinity);
  CHECK(out[3] == infinity);
}

TEST_CASE("batch norm uses each channel's own statistics") {
  for (const auto& [batches, channels, n] : {std::array<Index, 3>{1, 1, 1}, {3, 5, 7}, {2, 3, 50000}, {2, 400, 100}}) {
    const auto x = numbers(batches * channels * n, 1), gamma = numbers(channels, 2), beta = numbers(channels, 3);
    const auto mean = numbers(channels, 4);
    Floats variance = numbers(channels, 5);
    for (float& v : variance) v = v * v;
    at(variance, 0) = 0;
    const auto want = ref::batch_norm(ref::Numbers(x), ref::Numbers(gamma), ref::Numbers(beta), ref::Numbers(mean),
                                      ref::Numbers(variance), 1e-3, n);
    check_everywhere(want, 1e-5, [&, batches = batches, channels = channels, n = n](Compute& compute, auto&) {
      Floats out = x;
      math::batch_norm(compute, out.data(), gamma.data(), beta.data(), mean.data(), variance.data(), 1e-3, batches,
                       channels, n, out.data());
      return out;
    });
  }
}

TEST_CASE("sums of pairs lose what is negative and keep NaN") {
  const Index planes = 3, n_q = 17, n_k = 3000;
  auto a = numbers(planes * n_q, 1);
  const auto b = numbers(planes * n_k, 2);
  const auto want = ref::relu_of_sums(ref::Numbers(a), ref::Numbers(b), planes, n_q, n_k);
  const auto run = [&](Compute& compute) {
    Floats out = nothing_yet(want.size());
    math::relu_of_sums(compute, a.data(), b.data(), planes, n_q, n_k, out.data());
    return out;
  };
  check_everywhere(want, 1e-6, [&](Compute& compute, auto&) { return run(compute); });
  at(a, 5) = not_a_number;
  ThreadPool pool(1);
  Compute compute(pool);
  const Floats out = run(compute);
  for (Index i = 0; i < planes * n_q * n_k; ++i)
    if (std::isnan(out[static_cast<std::size_t>(i)]) != (i / n_k == 5)) FAIL(i);
}
