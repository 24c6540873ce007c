// Runs for tests: an experiment carried out, with all that it was carried out from.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"

namespace headlight {

struct RanExperiment {
  std::shared_ptr<const Experiment> experiment;
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;
};

// Fails the test where it cannot be.
inline RanExperiment ran(Result<Experiment> experiment) {
  if (!experiment) FAIL(experiment.error().message);
  auto problem = prepare(*experiment, Budget{1e9});
  if (!problem) FAIL(problem.error().message);
  ThreadPool pool(2);
  Compute compute(pool);
  auto trace = run(*problem, compute);
  REQUIRE(trace);
  return {std::make_shared<const Experiment>(std::move(*experiment)),
          std::make_shared<const Problem>(std::move(*problem)), *trace};
}

// One that comes with the program.
inline Result<Experiment> example(const std::string& name) {
  return read_experiment(fmt::format("{}/assets/examples/{}.headlight", HEADLIGHT_SOURCE_DIR, name));
}

}  // namespace headlight
