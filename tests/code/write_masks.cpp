// Writes, for run_masks.py: the lines of PyTorch that the mask laboratory shows of many masks, in each of the forms
// that PyTorch takes one in, and what they must come to. The masks are those of all sketches.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/reading/masks/mask_code.h"
#include "app/reading/step_words.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "tests/engine/problems.h"

using namespace headlight;

namespace {

// What no sketch has: cells that were painted.
struct Case {
  const char* params;
  const char* inputs;
  const char* edits;
};
const Case painted[] = {
    {R"("mask": "causal")", R"(, "segments_q": [0, 0, 1, 1, 1, 2])",
     R"({"array": "mask", "at": [null, null, [0, 1], 4], "set": 0},
        {"array": "mask", "at": [null, null, 5, 2], "set": "-inf"})"},
    {R"("heads": 2)", "", R"({"array": "mask", "at": [null, null, 5, 2], "set": "-inf"})"},
    {R"("heads": 2)",  // another mask for each head
     R"(, "attn_mask": [[[[0, 0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                          [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
                         [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                          [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]]])",
     R"({"array": "mask", "at": [null, 1, 5, 2], "set": "-inf"})"},
};

// What a number of the mask must be, −1e9 for −∞.
double expected(float sum, app::TorchMask as) {
  const bool hidden = std::isinf(sum);
  if (as == app::TorchMask::added) return hidden ? -1e9 : static_cast<double>(sum);
  return hidden == (as == app::TorchMask::hidden) ? 1 : 0;
}

// Nothing where the mechanism has no mask that PyTorch could take.
std::optional<nlohmann::json> mask_of(const Trace& trace, const std::string& name, app::TorchMask as) {
  const auto code = app::mask_code(trace, app::read_mask(trace, 0, 0), as);
  if (!code) return std::nullopt;
  const Step* step = app::masked_step(trace);
  const bool planes = step && (step->tensor().dim(0) > 1 || step->tensor().dim(1) > 1);
  const Shape& map = trace.map()->tensor().shape();
  nlohmann::json numbers = nlohmann::json::array();
  for (Index b = 0; b < (planes ? map[0] : 1); ++b)
    for (Index head = 0; head < (planes ? map[1] : 1); ++head) {
      const app::MaskReading mask = app::read_mask(trace, b, head);
      for (Index cell = 0; cell < mask.cells(); ++cell) numbers.push_back(expected((*mask.sum)[cell], as));
    }
  return nlohmann::json{
      {"name", name}, {"lines", code->lines}, {"call", code->call}, {"shape", code->shape}, {"numbers", numbers}};
}

void add(nlohmann::json& all, const Trace& trace, const std::string& name) {
  if (!trace.map() || trace.map()->tensor().rank() != 4) return;
  for (const auto as : {app::TorchMask::hidden, app::TorchMask::visible, app::TorchMask::added})
    if (auto mask = mask_of(trace, name, as)) all.push_back(std::move(*mask));
}

Result<Trace> trace_of(const Case& one) {
  HL_TRY(const Experiment experiment, parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{{}}},
                                           "inputs": {{"x_q": {{"text": "a b c d e"}}{}}}, "edits": [{}]}})",
                                                                   one.params, one.inputs, one.edits),
                                                       {}, ""));
  HL_TRY(const Problem problem, prepare(experiment, Budget{1e9}));
  return test::run(problem);
}

}  // namespace

int main() {
  nlohmann::json all = nlohmann::json::array();
  for (const test::Sketch& sketch : test::all_sketches()) {
    const auto trace = test::run(sketch);
    if (!trace) continue;  // what is refused has no mask
    add(all, *trace, sketch.name);
  }
  for (const Case& one : painted) {
    const auto trace = trace_of(one);
    if (!trace) {
      std::fprintf(stderr, "%s\n", trace.error().message.c_str());
      return 1;
    }
    add(all, *trace, fmt::format("painted, {}", one.params));
  }
  std::puts(all.dump().c_str());
  return 0;
}
