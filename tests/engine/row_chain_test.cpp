#include "engine/variants/row_chain.h"

#include "engine/run/edits.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

std::vector<float> halves_of(Index size) {
  std::vector<float> numbers(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 7919 % 10007) / 2;
  return numbers;
}

}  // namespace

TEST_CASE("results made row by row together are what each is by itself, and so is what they span") {
  constexpr Index rows = 3 * 1700, wide = 37, narrow = 2, items = 3;
  const auto from = halves_of(rows * wide);
  std::vector<float> negated(from.size()), sums(static_cast<std::size_t>(rows * narrow));
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    Compute compute(pool);
    RowChain chain;
    CHECK_FALSE(chain.ends_with("negated", rows));
    chain.add("negated",
              {.run =
                   [&](Index begin, Index end, float* to) {
                     for (Index i = begin * wide; i < end * wide; ++i) to[i] = -from[static_cast<std::size_t>(i)];
                   }},
              rows, wide, negated.data());
    CHECK(chain.ends_with("negated", rows));
    CHECK_FALSE(chain.ends_with("negated", rows - 1));
    CHECK_FALSE(chain.ends_with("sums", rows));
    chain.add("sums",
              {.run =
                   [&](Index begin, Index end, float* to) {
                     for (Index row = begin; row < end; ++row)
                       for (Index half = 0; half < narrow; ++half)
                         to[row * narrow + half] = negated[static_cast<std::size_t>(row * wide + half)] +
                                                   negated[static_cast<std::size_t>(row * wide + 5)];
                   }},
              rows, narrow, sums.data());
    const auto extents = chain.run(compute, items);
    CHECK(chain.empty());
    REQUIRE(extents.size() == 2);
    bool same = true;
    for (Index row = 0; row < rows; ++row)
      for (Index half = 0; half < narrow; ++half)
        same = same && sums[static_cast<std::size_t>(row * narrow + half)] ==
                           -(from[static_cast<std::size_t>(row * wide + half)] +
                             from[static_cast<std::size_t>(row * wide + 5)]);
    CHECK(same);
    for (const auto& [numbers, spans] : {std::pair(&negated, extents[0]), std::pair(&sums, extents[1])}) {
      REQUIRE(spans.size() == static_cast<std::size_t>(items));
      const std::size_t each = numbers->size() / items;
      for (std::size_t item = 0; item < spans.size(); ++item) {
        const Extent want = extent_of(std::span(*numbers).subspan(item * each, each));
        CHECK(spans[item].finite == want.finite);
        CHECK(spans[item].least == want.least);
        CHECK(spans[item].greatest == want.greatest);
      }
    }
  }
}

TEST_CASE("rows are cut once each, and between matrices rather than across") {
  struct Case {
    Index rows, items, length, sharing;
  };
  for (const Case& c : {Case{5, 1, 9, 1}, Case{6000, 3, 1, 1}, Case{12 * 1024, 1, 1024, 1024}, Case{300, 2, 4000, 50},
                        Case{7 * 130, 1, 1000, 130}, Case{32 * 160, 32, 32, 10}, Case{64, 2, 100000, 32}}) {
    INFO(c.rows << " " << c.items << " " << c.length << " " << c.sharing);
    const RowPieces pieces(c.rows, c.items, c.length, c.sharing);
    Index next = 0;
    for (Index piece = 0; piece < pieces.count(); ++piece) {
      const Index begin = pieces.begin(piece), end = pieces.end(piece);
      CHECK(begin == next);
      CHECK(end > begin);
      CHECK(pieces.item(piece) == begin / (c.rows / c.items));
      CHECK(pieces.item(piece) == (end - 1) / (c.rows / c.items));
      if (end % c.sharing != 0) CHECK(begin / c.sharing == (end - 1) / c.sharing);
      next = end;
    }
    CHECK(next == c.rows);
  }
}

TEST_CASE("a run is the same whether scores, masked scores and weights are made together or an edit lies between") {
  const Sketch sketch{.name = "long rows",
                      .variant = "multi_head",
                      .params = {{"heads", Index{3}}, {"d_head", Index{4}}, {"mask", std::string("causal")}},
                      .drawn = {{"x_q", {2, 90, 12}}},
                      .arrays = {}};
  const auto run_with = [&](const std::vector<Edit>& edits) {
    auto problem = make_problem(sketch);
    REQUIRE(problem);
    REQUIRE(apply_edits(edits, *problem));
    auto trace = run(*problem);
    REQUIRE(trace);
    return std::move(*trace);
  };
  const Trace together = run_with({});
  // Above the diagonal, where the mask hides it: nothing that follows changes.
  const Trace apart =
      run_with({{.array = "scaled_scores", .at = {Span{0, 0}, Span{0, 0}, Span{0, 0}, Span{89, 89}}, .values = {0.5}}});
  REQUIRE(apart.find("scaled_scores")->edited);
  for (const Step& step : together.steps) {
    INFO(step.info.id);
    const Step* other = apart.find(step.info.id);
    REQUIRE(other);
    if (step.info.id != "scaled_scores") CHECK(std::ranges::equal(step.tensor().values(), other->tensor().values()));
    REQUIRE(step.extents.size() == 2);
    for (std::size_t item = 0; item < 2; ++item) {
      const std::size_t each = step.tensor().values().size() / 2;
      const Extent want = extent_of(step.tensor().values().subspan(item * each, each));
      CHECK(step.extents[item].finite == want.finite);
      CHECK(step.extents[item].masked == want.masked);
      CHECK(step.extents[item].least == want.least);
      CHECK(step.extents[item].greatest == want.greatest);
    }
  }
}
