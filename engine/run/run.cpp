#include "engine/run/run.h"

#include "engine/variants/recorder.h"

namespace headlight {

Result<std::shared_ptr<const Trace>> run(const Problem& problem, Compute& compute) {
  HL_CHECK(problem.variant->check(problem));
  Recorder recorder(problem, compute);
  problem.variant->record(recorder);
  auto trace = std::make_shared<const Trace>(std::move(recorder).take());  // which makes what was still waiting
  if (compute.cancelled()) return fail("cancelled");
  compute.progress(1);
  return trace;
}

}  // namespace headlight
