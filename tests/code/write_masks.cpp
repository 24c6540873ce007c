// Writes, for run_masks.py: the lines of PyTorch that the mask laboratory shows of many masks, in each of the forms
// that PyTorch takes one in, and what they must come to.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/reading/masks/mask_code.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"

using namespace headlight;

namespace {

constexpr const char* causal = R"("mask": "causal")";
struct Case {
  const char* params;
  const char* inputs;
  const char* rest;
};
const Case cases[] = {
    {causal, "", ""},
    {R"("heads": 2)", "", ""},
    {R"("mask": "prefix", "prefix_length": 2, "window_left": 1, "window_right": 2, "window_dilation": 2)", "", ""},
    {R"("mask": "causal", "window_left": 2, "chunk": 3, "chunk_left": 1, "sink_tokens": 1, "global_tokens": 2)", "",
     ""},
    {R"("heads": 2, "chunk": 4)", R"(, "block_layout": [[[1, 0], [0, 1]], [[0, 1], [1, 1]]])", ""},
    {causal, R"(, "key_padding_mask": [[1, 0, 0, 0, 0, 0]], "valid_lens": [5])", ""},
    {causal, R"(, "segments_q": [0, 0, 1, 1, 1, 2])",
     R"(, "edits": [{"array": "mask", "at": [null, null, [0, 1], 4], "set": 0},
                    {"array": "mask", "at": [null, null, 5, 2], "set": "-inf"}])"},
    {R"("heads": 2)", "", R"(, "edits": [{"array": "mask", "at": [null, null, 5, 2], "set": "-inf"}])"},
    {R"("heads": 2)",  // another mask for each head
     R"(, "attn_mask": [[[[0, 0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                          [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
                         [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                          [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]]])",
     R"(, "edits": [{"array": "mask", "at": [null, 1, 5, 2], "set": "-inf"}])"},
    {R"("heads": 2)",
     R"(, "attn_mask": [[0, 0.5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],
                        [0, 0, 0, -1.25, 0, 0], [0, 0, 0, 0, 0, 0]])",
     ""},
};

// What a number of the mask must be, −1e9 for −∞.
double expected(float sum, app::TorchMask as) {
  const bool hidden = std::isinf(sum);
  if (as == app::TorchMask::added) return hidden ? -1e9 : static_cast<double>(sum);
  return hidden == (as == app::TorchMask::hidden) ? 1 : 0;
}

nlohmann::json mask_of(const Trace& trace, app::TorchMask as) {
  const Step* step = app::masked_step(trace);
  const Index heads = step && step->tensor().dim(1) > 1 ? step->tensor().dim(1) : 1;
  nlohmann::json numbers = nlohmann::json::array();
  for (Index head = 0; head < heads; ++head) {
    const app::MaskReading mask = app::read_mask(trace, 0, head);
    for (Index cell = 0; cell < mask.cells(); ++cell) numbers.push_back(expected((*mask.sum)[cell], as));
  }
  const auto code = app::mask_code(trace, app::read_mask(trace, 0, 0), as);
  return {{"lines", code->lines}, {"call", code->call}, {"shape", code->shape}, {"numbers", numbers}};
}

Result<std::shared_ptr<const Trace>> trace_of(const Case& one) {
  HL_TRY(const Experiment experiment, parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{{}}},
                                           "inputs": {{"x_q": {{"text": "a b c d e"}}{}}}{}}})",
                                                                   one.params, one.inputs, one.rest),
                                                       {}, ""));
  HL_TRY(const Problem problem, prepare(experiment, Budget{1e9}));
  ThreadPool pool(1);
  Compute compute(pool);
  return run(problem, compute);
}

}  // namespace

int main() {
  nlohmann::json all = nlohmann::json::array();
  for (const Case& one : cases) {
    const auto trace = trace_of(one);
    if (!trace) {
      std::fprintf(stderr, "%s\n", trace.error().message.c_str());
      return 1;
    }
    for (const auto as : {app::TorchMask::hidden, app::TorchMask::visible, app::TorchMask::added})
      all.push_back(mask_of(**trace, as));
  }
  std::puts(all.dump().c_str());
  return 0;
}
