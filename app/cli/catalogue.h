// Every variant with the steps that it can record, found by running its own samples: nothing about steps is written
// twice.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/variants/variant.h"

namespace headlight::app {

struct CatalogueEntry {
  const Variant* variant = nullptr;
  ArraySpecs arrays;
  std::vector<StepInfo> steps;  // every step of every sample, once, in the order they run
};

Result<std::vector<CatalogueEntry>> make_catalogue();

// A note without its role marks: "{query:queries} ask" → "queries ask".
std::string plain_note(const std::string& note);

}  // namespace headlight::app
