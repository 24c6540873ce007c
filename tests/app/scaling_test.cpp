// Between which bounds numbers become colours, and that what is small can be seen.
#include "app/reading/scaling.h"
#include "engine/picture/overlay.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;
using Space = Scaling::Space;

namespace {

// Weights of two heads over `keys` keys: the first head's greatest is `first`, the second's 1.
Step weights(Index keys, float first, Kind kind = Kind::probability, bool on_grid = false) {
  Tensor values({1, 2, 1, keys});
  values[0] = first;
  values[keys] = 1;
  Step step;
  step.info = {.id = "weights", .title = "Weights", .note = "", .axes = {}, .kind = kind};
  step.info.axes = {{.symbol = "B", .name = "batch", .size = 1},
                    {.symbol = "M", .name = "head", .size = 2},
                    {.symbol = "n_q", .name = "query", .size = 1, .role = Role::query},
                    {.symbol = "n_k", .name = "key", .size = keys, .role = Role::key}};
  if (on_grid) step.info.axes.back().grid = Grid{1, 1, keys};
  step.extents = {extent_of(values.values())};
  step.values = std::make_shared<const Tensor>(std::move(values));
  return step;
}

}  // namespace

TEST_CASE("few keys are linear to the greatest weight, many by powers of ten from below a uniform one") {
  CHECK(shown_range(weights(12, 0.2F), 0, 0, {}) == ValueRange{0, 1, Spacing::linear});
  CHECK(shown_range(weights(99, 0.2F), 0, 0, {}).spacing == Spacing::linear);
  CHECK(shown_range(weights(99, 0.2F, Kind::probability, true), 0, 0, {}).spacing == Spacing::linear);
  CHECK(shown_range(weights(100, 0.2F), 0, 0, {}).spacing == Spacing::logarithmic);
}

TEST_CASE("a bar ends at its next tick, and begins no lower than its numbers need") {
  const auto range = [](Index keys, float least, float greatest, Space space = Space::automatic) {
    return shown_range({Kind::probability, keys}, {.finite = 9, .least = least, .greatest = greatest}, {space, false});
  };
  CHECK(range(49, 0, 0.053F) == ValueRange{0, 0.06F, Spacing::linear});
  CHECK(range(49, 0, 0.986F) == ValueRange{0, 1, Spacing::linear});
  CHECK(range(49, 0, 0.02F) == ValueRange{0, 0.02F, Spacing::linear});
  CHECK(range(197, 0.0032F, 0.0059F) == ValueRange{0.002F, 0.01F, Spacing::logarithmic});
  CHECK(range(197, 0.0032F, 0.0059F, Space::linear) == ValueRange{0, 0.006F, Spacing::linear});
  CHECK(range(197, 1e-20F, 0.4F) == ValueRange{1e-4F, 0.5F, Spacing::logarithmic});
  CHECK(range(200, 0.005F, 0.005F).low < range(200, 0.005F, 0.005F).high);
}

TEST_CASE("a uniform weight is seen over any number of keys from 100 on, and a weight of 1 is the darkest") {
  for (const Index keys : {100, 576, 11520, 1000000}) {
    const ValueRange range = shown_range(weights(keys, 0.2F, Kind::probability, true), 0, 0, {});
    INFO(keys << " keys: from " << range.low);
    const float uniform = overlay_strength(1.0F / static_cast<float>(keys), range);
    CHECK(uniform > 0.1F);
    CHECK(uniform < 0.6F);
    CHECK(overlay_strength(1, range) == 1);
  }
}

TEST_CASE("what is chosen stands: linear ends at the greatest weight, a head by itself at its own") {
  const Step step = weights(49, 0.14F);
  CHECK(shown_range(step, 0, 0, {Space::linear, false}) == ValueRange{0, 1, Spacing::linear});
  CHECK(shown_range(step, 0, 0, {Space::linear, true}) == ValueRange{0, 0.15F, Spacing::linear});
  CHECK(shown_range(step, 0, 1, {Space::linear, true}).high == 1);
  CHECK(shown_range(step, 0, 0, {Space::logarithmic, false}).spacing == Spacing::logarithmic);
  CHECK(scaling_in_words(step, {Space::linear, true}, {0, 1}) == "linear, each head by itself");
  CHECK(scaling_in_words(step, {}, {1e-3F, 1, Spacing::logarithmic}) == "log, shared by all heads");
}

TEST_CASE("numbers below zero stay linear about zero, whatever is chosen") {
  const Step step = weights(49, -3, Kind::score);
  CHECK_FALSE(can_be_logarithmic(step, 0));
  CHECK(shown_range(step, 0, 0, {Space::logarithmic, false}) == ValueRange{-3, 3, Spacing::linear});
  CHECK(shown_range(step, 0, 1, {Space::automatic, true}) == ValueRange{-1, 1, Spacing::linear});
}
