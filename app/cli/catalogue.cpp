#include "app/cli/catalogue.h"

#include <algorithm>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"

namespace headlight::app {

namespace {

// Steps that only some samples have are put after the step that came before them there.
void merge_steps(std::vector<StepInfo>& all, const Trace& trace) {
  std::size_t at = 0;
  for (const auto& step : trace.steps) {
    const auto found = std::ranges::find(all, step.info.id, &StepInfo::id);
    if (found != all.end()) {
      at = static_cast<std::size_t>(found - all.begin()) + 1;
      continue;
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), step.info);
    ++at;
  }
}

}  // namespace

Result<std::vector<CatalogueEntry>> make_catalogue() {
  std::vector<CatalogueEntry> catalogue;
  ThreadPool pool(1);
  Compute compute(pool);
  for (const Variant* variant : all_variants()) {
    CatalogueEntry entry{variant, variant->arrays(ParamValues::defaults(variant->params()), {}), {}};
    for (const auto& sample : variant->samples()) {
      HL_TRY(const Experiment experiment, parse_experiment(sample, {}, variant->info().id + " sample"));
      HL_TRY(const Problem problem, prepare(experiment));
      HL_TRY(const auto trace, run(problem, compute));
      merge_steps(entry.steps, *trace);
    }
    catalogue.push_back(std::move(entry));
  }
  return catalogue;
}

std::string plain_note(const std::string& note) {
  std::string plain;
  for (std::size_t i = 0; i < note.size(); ++i) {
    if (note[i] == '{') {
      const auto colon = note.find(':', i);
      if (colon != std::string::npos) i = colon;
    } else if (note[i] != '}') {
      plain += note[i];
    }
  }
  return plain;
}

}  // namespace headlight::app
