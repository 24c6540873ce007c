// Sketches are made into problems by the tests' own hand: the same must come out of the way that everybody goes.
#include "tests/engine/problems.h"

#include <cmath>

#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// The sketch as an experiment: what it gives is in a file, what it does not is left to prepare().
Experiment experiment_of(const Sketch& sketch, const Problem& problem, const Scratch& folder) {
  Experiment experiment = default_experiment(sketch.variant);
  experiment.params = problem.params;
  for (const auto& [id, value] : problem.params) REQUIRE(experiment.params.set(id, value));
  experiment.weights = WeightsSpec{"normal", 1};
  std::vector<ArrayToWrite> given;
  for (const auto& [id, shape] : sketch.drawn) given.push_back({id, *problem.arrays.at(id)});
  for (const auto& [id, tensor] : sketch.arrays) given.push_back({id, *problem.arrays.at(id)});
  REQUIRE(write_npz(folder / "given.npz", given));
  experiment.arrays = (folder / "given.npz").string();
  return experiment;
}

// Numbers that nobody draws must be the same; of drawn ones, the shape.
bool is_drawn(const ArraySpec& spec, const Sketch& sketch) {
  const bool made = spec.fill == Fill::init || spec.fill == Fill::normal;
  return made && !sketch.drawn.contains(spec.id) && !sketch.arrays.contains(spec.id);
}

}  // namespace

TEST_CASE("a sketch's problem is the one that prepare() makes of the same arrays") {
  const Scratch folder;
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto made = make_problem(sketch);
    REQUIRE(made);
    const auto prepared = prepare(experiment_of(sketch, *made, folder), Budget{1e9});
    if (!prepared) FAIL(prepared.error().message);
    CHECK(prepared->symbols == made->symbols);
    CHECK(prepared->arrays.size() == made->arrays.size());
    for (const auto* list : {&made->specs.inputs, &made->specs.weights})
      for (const auto& spec : *list) {
        INFO(spec.id);
        const Tensor *a = made->find(spec.id), *b = prepared->find(spec.id);
        REQUIRE((a != nullptr) == (b != nullptr));
        if (!a) continue;
        REQUIRE(a->shape() == b->shape());
        if (is_drawn(spec, sketch)) continue;
        for (Index cell = 0; cell < a->size(); ++cell) {
          const float x = (*a)[cell], y = (*b)[cell];
          if (std::abs(x - y) > 1e-6F) FAIL_CHECK(cell << ": " << x << " and " << y);
        }
      }
  }
}
