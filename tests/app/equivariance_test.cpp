// Whether the output moved along: the words and numbers, by hand and through a session.
#include "app/reading/equivariance.h"

#include <limits>

#include "app/session/session.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// One channel over a grid of 4×5.
const PositionAxes grid_axes{1, 20, 1, {1, 4, 5}};

Tensor counted() {
  Tensor tensor({1, 1, 4, 5});
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(i + 1);
  return tensor;
}

Tensor moved(const Tensor& tensor, const Arrangement& arrangement) {
  return arranged(tensor, grid_axes, permutation_of(arrangement, grid_axes.grid));
}

Experiment without_positions() {
  Experiment experiment = example_experiment();
  experiment.params.set("mask", std::string("none"));
  experiment.params.set("positions", std::string("none"));
  return experiment;
}

}  // namespace

TEST_CASE("an output that moved along is told from one that did not, by what was measured") {
  const Tensor before = counted();
  const auto judged = [&](const Tensor& after, const Arrangement& arrangement) {
    return equivariance_of(before, after, grid_axes, arrangement);
  };
  for (const Arrangement& arrangement : {Arrangement(Shuffle{3}), Arrangement(Shift{1, 2})}) {
    Tensor after = moved(before, arrangement);
    CHECK(judged(after, arrangement).words == "The output moves along: no number differs.");
    after[7] += 1e-4F;  // less than 1e-5 of 20
    const Equivariance rounded = judged(after, arrangement);
    CHECK(rounded.off == 0);
    CHECK(rounded.words.starts_with("The output moves along: no position is more than "));
    CHECK(rounded.greatest == Approx(1e-4).epsilon(0.02));
  }
  const Equivariance still = judged(before, Shuffle{3});
  CHECK(still.compares);
  CHECK(still.off > 10);
  CHECK(still.words.starts_with("The output does not move along: "));
}

TEST_CASE("what is off is found at its own place before the move, and the border is named only where all lie there") {
  const Tensor before = counted();
  const Shift down{1, 0};
  Tensor after = moved(before, down);
  after[0 * 5 + 2] -= 3;  // row 3 before
  after[1 * 5 + 4] += 2;  // row 0 before
  const Equivariance e = equivariance_of(before, after, grid_axes, down);
  CHECK(e.off == 2);
  CHECK(e.greatest == 3);
  CHECK(e.difference.at({0, 0, 3, 2}) == -3);
  CHECK(e.strongest.at({3, 2}) == -3);
  CHECK(e.strongest.at({0, 4}) == 2);
  CHECK(e.words == "The output moves along except at 2 of 20 positions, all at the border.");
  after[2 * 5] += 1;  // row 1 before: inside, both before and after
  CHECK(equivariance_of(before, after, grid_axes, down).words ==
        "The output does not move along: 3 of 20 positions are off, by up to 3.");
  // A shuffle has no border.
  Tensor shuffled = moved(before, Shuffle{3});
  shuffled[0] += 1;
  CHECK(
      equivariance_of(before, shuffled, grid_axes, Shuffle{3}).words.starts_with("The output does not move along: 1"));
}

TEST_CASE("what cannot be compared says so") {
  const Tensor before = counted();
  Tensor broken = moved(before, Shuffle{1});
  broken[3] = std::numeric_limits<float>::quiet_NaN();
  const Equivariance e = equivariance_of(before, broken, grid_axes, Shuffle{1});
  CHECK_FALSE(e.compares);
  CHECK(e.words.find("NaN") != std::string::npos);
  CHECK_FALSE(equivariance_of(before, before, grid_axes, Shift{4, -5}).compares);
}

TEST_CASE("shuffling is compared with the run before, undone by name, and follows other settings") {
  Session session(without_positions(), {}, {});
  REQUIRE(session.settle());
  CHECK_FALSE(session.model().equivariance);
  session.act(*parse_action("arrange shuffle 1"));
  CHECK(undo_name(session.model().history) == "shuffle");
  REQUIRE(session.settle());
  const Model& model = session.model();
  REQUIRE(model.equivariance);
  CHECK(model.equivariance->off == 0);
  CHECK(model.equivariance->positions == 12);
  CHECK(model.shown.problem->labels.at("n_q").front() != "<s>");
  // With positions the run to compare with is another: it follows by itself.
  session.act(SetParam{"positions", std::string("sinusoidal"), false});
  REQUIRE(session.settle());
  REQUIRE(model.equivariance);
  CHECK(model.equivariance->off > 0);
  CHECK(model.shown.experiment->arrange);
  CHECK_FALSE(model.busy);
  CHECK_FALSE(model.comparing);
  session.act(Arrange{});
  CHECK(undo_name(model.history) == "put back");
  REQUIRE(session.settle());
  CHECK_FALSE(model.equivariance);
  session.act(Undo{});
  REQUIRE(session.settle());
  CHECK(model.equivariance->off > 0);
}

TEST_CASE("a file that is opened arranged is run without it too") {
  Experiment experiment = without_positions();
  experiment.arrange = Shift{0, 3};
  Session session(std::move(experiment), {}, {});
  REQUIRE(session.settle());
  REQUIRE(session.model().equivariance);
  CHECK(session.model().equivariance->off == 0);
  CHECK_FALSE(session.model().changed());
  session.act(SetVariant{"key_content_only"});  // kept where the input is
  REQUIRE(session.settle());
  REQUIRE(session.model().equivariance);
  session.act(SetInput{"x", LiteralInput{{1, 3, 2}, {1, 2, 3, 4, 5, 6}}});  // another input stands as it is
  CHECK_FALSE(session.model().document.experiment->arrange);
}

TEST_CASE("arrangements have a text form, and what is no arrangement is refused") {
  for (const char* text : {"arrange shuffle 1", "arrange shift -1 0", "arrange off"}) {
    const auto action = parse_action(text);
    REQUIRE(action);
    CHECK(to_text(*action) == text);
  }
  for (const char* text : {"arrange", "arrange spin", "arrange shuffle", "arrange shuffle -1", "arrange shift 1",
                           "arrange shift 9999999 0", "arrange shuffle 18446744073709551615"})
    CHECK_FALSE(parse_action(text));
}
