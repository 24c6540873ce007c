// Writes the experiments that the scripts of `headlight code` are tried on, each as experiment.json in a folder of its
// own below the one named: every variant's samples, every sketch as it is and edited, single queries, inputs with a
// NaN, and numbers whose products overflow in float32.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "tests/engine/problems.h"

namespace {

namespace fs = std::filesystem;
using namespace headlight;

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("{}: {}", folder.string(), error.message());
  return {};
}

// The sketch's arrays, and weights drawn for the rest.
Status write_sketch(const test::Sketch& sketch, const fs::path& folder, std::vector<Edit> edits = {}) {
  HL_CHECK(make_folder(folder));
  Experiment experiment = default_experiment(sketch.variant);
  experiment.inputs.clear();
  for (const auto& [id, value] : sketch.params) experiment.params.set(id, value);
  std::vector<std::pair<std::string, Tensor>> drawn;
  std::uint64_t seed = 0;
  for (const auto& [id, shape] : sketch.drawn) drawn.emplace_back(id, test::drawn(shape, ++seed));
  std::vector<ArrayToWrite> arrays;
  for (const auto& [id, tensor] : sketch.arrays) arrays.push_back({id, tensor});
  for (const auto& [id, tensor] : drawn) arrays.push_back({id, tensor});
  HL_CHECK(write_npz(folder / "arrays.npz", arrays));
  experiment.folder = folder;
  experiment.arrays = "arrays.npz";
  experiment.weights = WeightsSpec{.init = "normal"};
  experiment.edits = std::move(edits);
  return write_experiment(experiment, folder / "experiment.json");
}

Status write_json(const std::string& json, const fs::path& folder) {
  HL_CHECK(make_folder(folder));
  return write_file(folder / "experiment.json", json);
}

// A cell of every other step and of the first source; of maps, a row made each of what there is.
Result<std::vector<Edit>> edits_of(const test::Sketch& sketch) {
  HL_TRY(const Trace trace, test::run(sketch));
  std::vector<Edit> edits;
  const auto set_cell = [&](const Step& step) {
    Edit edit{.array = step.info.id, .at = {}, .values = {0.375}};
    for (const Index size : step.tensor().shape()) edit.at.emplace_back(Span{size / 2, size / 2});
    edits.push_back(std::move(edit));
  };
  set_cell(trace.sources.front());
  for (std::size_t i = 0; i < trace.steps.size(); i += 2) set_cell(trace.steps[i]);
  const Step* map = trace.map();
  if (!map) return edits;
  if (const Step* scores = trace.scores_before(*map); scores && scores->info.minus_infinity_masks) {
    edits.push_back({.array = scores->info.id, .at = {}, .values = {-std::numeric_limits<double>::infinity()}});
    for (const Index size : scores->tensor().shape()) edits.back().at.emplace_back(Span{size - 1, size - 1});
    edits.back().at.back() = std::nullopt;  // a row without keys
  }
  std::size_t rows = map->info.axes.size() - 2;  // the axis of queries
  Index row = map->tensor().dim(static_cast<Index>(rows)) - 1;
  for (const auto make : {Edit::Make::uniform, Edit::Make::one_hot, Edit::Make::permuted}) {
    Edit edit{.array = map->info.id, .at = std::vector<std::optional<Span>>(map->info.axes.size()), .make = make};
    edit.at[rows] = Span{std::max<Index>(0, row - 1), row};
    edits.push_back(std::move(edit));
    row = std::max<Index>(0, row - 1);
  }
  return edits;
}

// One row of many, where a variant can compute it alone.
std::vector<std::string> single_queries() {
  const std::string words = R"("x_q": {"text": "the cat sat on the mat"})";
  const std::string picture =
      R"("x": [[[[0, 0, 1, 1, 2], [0, 2, 1, 0, 3], [1, 1, 0, 0, 1]], [[1, 1, 1, 0, 0], [1, 0, 0, 1, 2], [0, 0, 1, 1, 1]]]])";
  const auto with = [](const std::string& variant, const std::string& params, const std::string& inputs) {
    return fmt::format(R"({{"variant": "{}", "params": {{"only_query": {}}}, "inputs": {{{}}},
                           "weights": {{"init": "normal"}}}})",
                       variant, params, inputs);
  };
  return {
      with("multi_head", R"(4, "mask": "causal", "positions": "sinusoidal", "block": "post_norm", "ffn": true)", words),
      with("multi_head", R"(1, "heads": 2)",
           words + R"(, "valid_lens": [[1, 0, 3, 4, 5, 6, 7]], "key_padding_mask": [[0, 0, 1, 0, 0, 0, 1]])"),
      with("additive", "2", words),
      with("stand_alone_2d", R"(14, "heads": 2, "mid_channels": 4, "bias": true, "content": 0.5)", picture),
      with("stand_alone_2d", R"(7, "mid_channels": 2)", picture),
      with("non_local", R"(7, "bias": true)", picture),
      with("non_local", R"(3, "mode": "gaussian", "sub_sample": true, "batch_norm": false)", picture),
      with("non_local", R"(14, "mode": "concatenation", "sub_sample": true)", picture),
  };
}

// A NaN in the last number, which a mask hides from some queries and a window's border meets.
std::vector<test::Sketch> broken_inputs() {
  const auto broken = [](Shape shape) {
    Tensor tensor = test::drawn(std::move(shape), 3);
    tensor[tensor.size() - 1] = std::numeric_limits<float>::quiet_NaN();
    return tensor;
  };
  const std::string causal = "causal", masked = "masked";
  const Tensor x = broken({1, 4, 6}), picture = broken({1, 2, 3, 4});
  return {{"", "multi_head", {{"mask", causal}}, {}, {{"x_q", x}}},
          {"", "memory_block", {}, {}, {{"x", picture}}},
          {"", "memory_block", {{"padding", masked}}, {}, {{"x", picture}}},
          {"", "stand_alone_2d", {{"extent", Index{3}}, {"mid_channels", Index{2}}}, {}, {{"x", picture}}},
          {"", "non_local", {{"sub_sample", true}}, {}, {{"x", picture}}}};
}

// Products of 1e30 with itself, which doubles hold.
std::vector<std::string> overflowing() {
  const std::string rows = "[[[1e30, 1], [1e30, 2], [1, 1]]]";
  return {
      fmt::format(R"({{"variant": "multi_head", "inputs": {{"x_q": {}}}, "weights": {{"init": "identity"}}}})", rows),
      fmt::format(R"({{"variant": "multi_head", "params": {{"mask": "causal"}}, "inputs": {{"x_q": {}}},
                       "weights": {{"init": "identity"}}}})",
                  rows),
  };
}

// The same, going back from the middle number of its output.
Result<std::string> asking_for_gradients(const std::string& json) {
  HL_TRY(auto experiment, parse_experiment(json, {}, "sample"));
  HL_TRY(const auto problem, prepare(experiment, Budget{1e9}));
  HL_TRY(const auto trace, test::run(problem));
  const Step* output = trace.output() ? trace.output() : &trace.steps.back();
  const Shape shape = output->tensor().shape();
  experiment.gradient = GradientAsked{output->info.id, index_at_flat(shape, output->tensor().size() / 2)};
  return to_json(experiment, {});
}

Status write_all(const fs::path& folder) {
  int count = 0;
  const auto next = [&](const std::string& kind) { return folder / fmt::format("{}_{}", kind, ++count); };
  for (const Variant* variant : all_variants())
    for (const auto& sample : variant->samples()) HL_CHECK(write_json(sample, next(variant->info().id + "_sample")));
  for (const auto& sketch : test::all_sketches()) HL_CHECK(write_sketch(sketch, next(sketch.variant)));
  for (const auto& sketch : test::all_sketches()) {
    HL_TRY(auto edits, edits_of(sketch));
    HL_CHECK(write_sketch(sketch, next("edited_" + sketch.variant), std::move(edits)));
  }
  for (const Variant* variant : all_variants())
    for (const auto& sample : variant->samples())
      if (variant->check_gradients()) {
        HL_TRY(const auto json, asking_for_gradients(sample));
        HL_CHECK(write_json(json, next("gradients_" + variant->info().id)));
      }
  for (const auto& sketch : broken_inputs()) HL_CHECK(write_sketch(sketch, next("broken")));
  for (const auto& json : single_queries()) HL_CHECK(write_json(json, next("single_query")));
  for (const auto& json : overflowing()) HL_CHECK(write_json(json, next("overflow")));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 2 ? write_all(argv[1]) : fail("usage: write_experiments FOLDER");
  if (!status) fmt::print(stderr, "{}\n", status.error().message);
  return status ? 0 : 1;
}
