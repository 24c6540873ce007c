// The variants that attend over the pixels of a picture: their loops against plain ones in double precision, what they
// do at their limits, and what sets them apart.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/math/relative.h"
#include "engine/math/window.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;
using math::Window;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Pictures and windows of several shapes; some windows are larger than their picture.
const std::vector<Window> windows{{1, 1, 1}, {1, 1, 3}, {5, 7, 3}, {7, 5, 5}, {2, 9, 5}, {9, 2, 7}, {40, 33, 3}};
constexpr Index planes = 2, d_head = 6;

// Row and column of a key of a query, counted from the picture's corner.
std::pair<Index, Index> place(const Window& w, Index query, Index key) {
  const Index half = w.extent / 2;
  return {query / w.columns + key / w.extent - half, query % w.columns + key % w.extent - half};
}

bool inside(const Window& w, std::pair<Index, Index> at) {
  return at.first >= 0 && at.first < w.rows && at.second >= 0 && at.second < w.columns;
}

bool close(double got, double expected) {
  return got == expected || std::abs(got - expected) <= 1e-5 + 1e-5 * std::abs(expected);
}

// True when check(got, plane, query, key) is, for every score.
template <class Check>
bool every_score(const Tensor& scores, const Window& w, Check check) {
  for (Index cell = 0; cell < scores.size(); ++cell)
    if (!check(scores[cell], cell / (w.keys() * w.pixels()), cell / w.keys() % w.pixels(), cell % w.keys()))
      return false;
  return true;
}

// Σ over n channels, from a_from on in a's row and from 0 on in b's.
double product(const Tensor& a, Index a_row, const Tensor& b, Index b_row, Index a_from, Index n) {
  double sum = 0;
  for (Index c = 0; c < n; ++c)
    sum += static_cast<double>(a[a_row * a.dim(-1) + a_from + c]) * static_cast<double>(b[b_row * b.dim(-1) + c]);
  return sum;
}

std::string refusal(const std::string& variant, const std::string& params, const std::string& x = "[[[[1,2],[3,4]]]]") {
  const auto experiment = parse_experiment(
      fmt::format(R"({{"variant":"{}","params":{{{}}},"inputs":{{"x":{}}}}})", variant, params, x), {}, "cat.json");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment, Budget{1e9});
  return problem ? "" : problem.error().message;
}

void check_refusal(const std::string& message, std::initializer_list<const char*> parts) {
  INFO(message);
  CHECK(message.find('\n') == std::string::npos);
  for (const char* part : parts) CHECK(message.find(part) != std::string::npos);
}

const Tensor& step(const Trace& trace, const char* id) {
  return trace.find(id)->tensor();
}

}  // namespace

TEST_CASE("scores in a window are products where there is a pixel, and 0 or −∞ where there is none") {
  ThreadPool pool(3);
  Compute compute(pool);
  for (const Window& w : windows) {
    INFO(w.rows << " x " << w.columns << ", window of " << w.extent);
    const Shape pixels{planes, w.pixels(), d_head};
    const Tensor q = drawn(pixels, 1), k = drawn(pixels, 2);
    Tensor scores = Tensor::uninitialized({planes, w.pixels(), w.keys()});
    math::dot_products_in_neighborhood(compute, q.data(), k.data(), planes, w, d_head, 0.5F, scores.data());
    CHECK(every_score(scores, w, [&](double got, Index plane, Index query, Index key) {
      const auto at = place(w, query, key);
      if (!inside(w, at)) return got == 0 && math::pixel_at_key(w, query, key) == -1;
      const Index pixel = at.first * w.columns + at.second, first = plane * w.pixels();
      return math::pixel_at_key(w, query, key) == pixel &&
             close(got, 0.5 * product(q, first + query, k, first + pixel, 0, d_head));
    }));
    const Tensor before = scores;
    math::hide_outside(compute, scores.data(), planes, w, scores.data());
    CHECK(every_score(scores, w, [&](float got, Index plane, Index query, Index key) {
      const float was = before[(plane * w.pixels() + query) * w.keys() + key];
      return got == (inside(w, place(w, query, key)) ? was : -infinity);
    }));
  }
}

TEST_CASE("sums over a window pass over what lies outside the picture") {
  ThreadPool pool(3);
  Compute compute(pool);
  for (const Window& w : windows) {
    INFO(w.rows << " x " << w.columns << ", window of " << w.extent);
    const Tensor a = drawn({planes, w.pixels(), w.keys()}, 3), v = drawn({planes, w.pixels(), d_head}, 4);
    Tensor sums = Tensor::uninitialized(v.shape());
    math::weighted_sum_in_neighborhood(compute, a.data(), v.data(), planes, w, d_head, sums.data());
    Index most = 0;
    bool right = true;
    for (Index cell = 0; cell < sums.size(); ++cell) {
      const Index row = cell / d_head, query = row % w.pixels();
      double sum = 0;
      Index count = 0;
      for (Index key = 0; key < w.keys(); ++key) {
        const auto at = place(w, query, key);
        if (!inside(w, at)) continue;
        ++count;
        const Index pixel = row - query + at.first * w.columns + at.second;
        sum += static_cast<double>(a[row * w.keys() + key]) * static_cast<double>(v[pixel * d_head + cell % d_head]);
      }
      most = std::max(most, count);
      right = right && close(sums[cell], sum);
    }
    CHECK(right);
    CHECK(w.most_inside() == most);
  }
}

TEST_CASE("offset scores are the products with the vectors of both offsets") {
  ThreadPool pool(3);
  Compute compute(pool);
  constexpr Index half = d_head / 2, P = 44;  // the largest side and more
  const Tensor rows = drawn({2 * P - 1, half}, 5), columns = drawn({2 * P - 1, half}, 6);
  const math::OffsetTables tables{rows.data(), columns.data(), P, half};
  for (const Window& w : windows) {
    INFO(w.rows << " x " << w.columns << ", window of " << w.extent);
    const Tensor q = drawn({planes, w.pixels(), d_head}, 7);
    const math::PictureQueries all{.rows = w.rows, .columns = w.columns, .count = w.pixels()};
    const auto expected = [&](Index plane, Index query, Index down, Index across) {
      const Index row = plane * w.pixels() + query;
      return 0.25 *
             (product(q, row, rows, down + P - 1, 0, half) + product(q, row, columns, across + P - 1, half, half));
    };
    Tensor window = Tensor::uninitialized({planes, w.pixels(), w.keys()});
    math::offset_scores(compute, q.data(), planes, all, w.extent, tables, 0.25F, window.data());
    CHECK(every_score(window, w, [&](double got, Index plane, Index query, Index key) {
      return close(got, expected(plane, query, key / w.extent - w.reach(), key % w.extent - w.reach()));
    }));
    Tensor whole = Tensor::uninitialized({planes, w.pixels(), w.pixels()});
    math::offset_scores(compute, q.data(), planes, all, 0, tables, 0.25F, whole.data());
    bool right = true;
    for (Index cell = 0; cell < whole.size(); ++cell) {
      const Index key = cell % w.pixels(), query = cell / w.pixels() % w.pixels();
      const Index down = key / w.columns - query / w.columns, across = key % w.columns - query % w.columns;
      right = right && close(whole[cell], expected(cell / (w.pixels() * w.pixels()), query, down, across));
    }
    CHECK(right);
  }
}

TEST_CASE("the staircase holds the entry of the offset") {
  ThreadPool pool(2);
  Compute compute(pool);
  const Tensor table = drawn({11, 3}, 8);  // P = 6
  Tensor gathered = Tensor::uninitialized({4, 4, 3});
  math::gather_offsets(compute, table.data(), 6, 3, 4, gathered.data());
  for (Index i = 0; i < 4; ++i)
    for (Index a = 0; a < 4; ++a)
      for (Index c = 0; c < 3; ++c) CHECK(gathered.at({i, a, c}) == table.at({a - i + 5, c}));
}

TEST_CASE("what a picture cannot be asked is one clear line") {
  const char* stand_alone = "stand_alone_2d";
  check_refusal(refusal(stand_alone, R"("mid_channels":5)"), {"cat.json", "mid_channels is 5", "even", "try 4 or 6"});
  check_refusal(refusal(stand_alone, R"("extent":4)"), {"extent is 4", "odd", "try 3 or 5"});
  check_refusal(refusal("memory_block", R"("extent":2)"), {"extent is 2", "odd", "try 1 or 3"});
  check_refusal(refusal(stand_alone, R"("max_position":1)"), {"max_position is 1", "2 × 2 pixels", "set it to 2"});
  check_refusal(refusal(stand_alone, R"("extent":5,"max_position":2)"),
                {"max_position is 2", "window of 5 × 5", "set it to 3"});
  check_refusal(refusal(stand_alone, R"("extent":0)"), {"extent is 0", "from 1 to 255"});
  check_refusal(refusal(stand_alone, R"("padding":"mirror")"), {"padding is \"mirror\"", "masked, zero"});
  check_refusal(refusal(stand_alone, "", "[[[1,2],[3,4]]]"), {"x has shape (1, 2, 2)", "(B, C, H, W)"});
  CHECK(refusal(stand_alone, R"("extent":255,"heads":1,"mid_channels":2)") == "");
  CHECK(refusal(stand_alone, R"("extent":null,"max_position":null)") == "");
}

TEST_CASE("tables that are given must fit the picture") {
  const auto error = [](Index entries, std::map<std::string, ParamValue> params = {}) {
    const Shape table{entries, 4};
    const auto problem = make_problem(
        {"", "stand_alone_2d", params, {{"x", {1, 2, 3, 4}}, {"row_embedding", table}, {"col_embedding", table}}, {}});
    return problem ? "" : problem.error().message;
  };
  CHECK(error(7) == "");
  CHECK(error(9) == "");
  check_refusal(error(5), {"have 5 rows", "3 × 4 pixels needs 7"});
  check_refusal(error(8), {"have 8 rows", "odd"});
  CHECK(error(5, {{"extent", Index{5}}}) == "");
  check_refusal(error(3, {{"extent", Index{5}}}), {"have 3 rows", "window of 5 × 5 pixels needs 5"});
}

TEST_CASE("one pixel attends to itself, and only zeros around it take a share") {
  const auto weights = [](const char* variant, const char* padding, Index extent) {
    const Sketch sketch{"",
                        variant,
                        {{"padding", std::string(padding)}, {"extent", extent}, {"heads", Index{1}}},
                        {{"x", {1, 2, 1, 1}}},
                        {}};
    const auto trace = run(sketch);
    REQUIRE(trace);
    return step(*trace, "weights");
  };
  for (const char* variant : {"stand_alone_2d", "memory_block"}) {
    CHECK(weights(variant, "zero", 1)[0] == 1);
    CHECK(weights(variant, "masked", 1)[0] == 1);
    CHECK(weights(variant, "masked", 3)[4] == 1);  // the middle of nine
    CHECK(weights(variant, "masked", 3)[0] == 0);
    CHECK(weights(variant, "zero", 3)[0] > 0);
  }
}

TEST_CASE("a window that reaches everywhere sees what the whole picture sees") {
  Sketch sketch{"", "stand_alone_2d", {{"max_position", Index{4}}}, {{"x", {2, 2, 3, 4}}}, {}};
  const auto whole = run(sketch);
  sketch.params["extent"] = Index{7};
  const auto window = run(sketch);
  REQUIRE((whole && window));
  const Tensor &a = step(*whole, "output"), &b = step(*window, "output");
  for (Index cell = 0; cell < a.size(); ++cell) CHECK(a[cell] == Approx(b[cell]).margin(1e-5));
}

TEST_CASE("a shifted picture is shifted attention, away from the border") {
  // 5 × 8 pixels, and the same one column to the right.
  const Tensor picture = drawn({1, 2, 5, 8}, 9);
  Tensor shifted = drawn({1, 2, 5, 8}, 10);
  for (Index cell = 0; cell < picture.size(); ++cell)
    if (cell % 8 > 0) shifted[cell] = picture[cell - 1];
  for (const char* variant : {"stand_alone_2d", "memory_block"}) {
    Sketch sketch{"", variant, {{"extent", Index{3}}, {"heads", Index{2}}}, {}, {{"x", picture}}};
    const auto first = run(sketch);
    sketch.arrays["x"] = shifted;
    const auto second = run(sketch);
    REQUIRE((first && second));
    const Tensor &a = step(*first, "output"), &b = step(*second, "output");
    for (Index cell = 0; cell < a.size(); ++cell)
      if (cell % 8 > 0 && cell % 8 < 6) CHECK(b[cell + 1] == a[cell]);
  }
}

TEST_CASE("what a file calls a table is a step's name too, and the table keeps a name of its own") {
  const auto trace = run({"", "stand_alone_2d", {{"max_position", Index{5}}}, {{"x", {1, 2, 3, 4}}}, {}});
  REQUIRE(trace);
  CHECK(step(*trace, "row_table").shape() == Shape{9, 4});
  CHECK(step(*trace, "row_embedding").shape() == Shape{3, 3, 4});
  CHECK(step(*trace, "col_embedding").shape() == Shape{4, 4, 4});
  CHECK(trace->find("col_embedding")->explain(0).terms[0].factors[0].array == "col_table");
}

TEST_CASE("without a normalizer scores go into softmax as they are") {
  const auto weights = [](const std::string& json) {
    auto experiment = parse_experiment(json, {}, "none.json");
    REQUIRE(experiment);
    auto problem = prepare(*experiment, Budget{1e9});
    if (!problem) FAIL(problem.error().message);
    ThreadPool pool(1);
    Compute compute(pool);
    auto trace = headlight::run(*problem, compute);
    REQUIRE(trace);
    return *trace;
  };
  const std::string picture = R"("inputs": {"x": [[[[0, 0, 0, 1], [0, 2, 1, 0], [1, 1, 0, 0]],
                                                   [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]]]},
                                 "weights": {"init": "identity"}})";
  // The window of pixel 0, (0, 1): five keys outside and (2, 0) score 0; the pixel itself and two like it score 1.
  const double e = std::exp(1.0);
  const auto none = weights(R"({"variant": "memory_block", "params": {"d_head": 2, "normalizer": "none"}, )" + picture);
  CHECK(none->find("scaled_scores") == nullptr);
  CHECK(none->find("weights")->tensor()[4] == Approx(e / (6 + 3 * e)));
  CHECK(none->find("output")->tensor()[12] == Approx(3 * e / (6 + 3 * e)));  // channel 1 of pixel 0
  // The same whole picture: q·k is 1 for the seven pixels whose second channel is 1, else 0. Identity tables add
  // nothing.
  const auto alone = weights(
      R"({"variant": "stand_alone_2d", "params": {"heads": 1, "mid_channels": 2, "position": 0, "normalizer": "none"}, )" +
      picture);
  CHECK(alone->find("content_scores")->tensor()[0] == 1);
  CHECK(alone->find("weights")->tensor()[0] == Approx(e / (7 * e + 5)));
}
