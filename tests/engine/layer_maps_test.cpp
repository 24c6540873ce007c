// Means over heads, and what logits say, against numbers worked out by hand.
#include <cmath>
#include <limits>

#include "engine/measures/layer_maps.h"
#include "engine/measures/logits.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("a mean over heads leaves a key hidden only where every head hides it") {
  // Two items of two heads, one query, three keys.
  const float weights[] = {0.5F, 0.5F, hidden, 1, hidden, hidden, 0.25F, 0.75F, 0, 0.75F, 0.25F, 0};
  const Tensor mean = mean_over_heads(Tensor::from({2, 2, 1, 3}, weights));
  CHECK(mean.shape() == Shape{2, 1, 1, 3});
  CHECK(mean[0] == 0.75F);
  CHECK(mean[1] == 0.25F);  // a hidden key counts as 0
  CHECK(mean[2] == hidden);
  CHECK(mean[3] == 0.5F);
  CHECK(mean[4] == 0.5F);
  CHECK(mean[5] == 0);
  // Without a batch.
  const Tensor one = mean_over_heads(Tensor::from({2, 1, 3}, std::span(weights).first(6)));
  CHECK(one.shape() == Shape{1, 1, 3});
  CHECK(one[0] == 0.75F);
}

TEST_CASE("a token's probability is the softmax of the logits before it") {
  const float numbers[] = {0, std::log(3.0F), 1000, 1000, 5, 5};
  const Tensor logits = Tensor::from({1, 3, 2}, numbers);
  CHECK(probability(logits, 0, 1) == Approx(0.75));
  CHECK(probability(logits, 1, 0) == Approx(0.5));  // no overflow
  const Index ids[] = {0, 1, 0};
  const auto next = probabilities_of_tokens(logits, 0, ids, 1);
  REQUIRE(next.size() == 3);
  CHECK(std::isnan(next[0]));
  CHECK(next[1] == Approx(0.75));
  CHECK(next[2] == Approx(0.5));
  CHECK(probabilities_of_tokens(logits, 0, ids, 0)[0] == Approx(0.25));
  CHECK(probabilities_of_tokens(logits, 0, std::span(ids).first(2), 1).empty());
}

TEST_CASE("the norms of a stream are parts of the greatest") {
  Step small, large;
  const float a[] = {3, 4}, b[] = {6, 8};
  small.values = std::make_shared<const Tensor>(Tensor::from({1, 2}, a));
  large.values = std::make_shared<const Tensor>(Tensor::from({1, 2}, b));
  CHECK(relative_norms({&small, &large}) == std::vector<float>{0.5F, 1});
}
