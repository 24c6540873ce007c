// Runs against numbers that were not computed by the engine: the cases of tests/reference, made by NumPy in float64.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "engine/io/array_source.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

using Folder = std::filesystem::path;

std::vector<NamedArray> arrays_of(const Folder& file) {
  auto arrays = read_arrays(file);
  if (!arrays) FAIL(arrays.error().message);
  return std::move(*arrays);
}

Trace trace_of(const Folder& folder) {
  const auto experiment = read_experiment(folder / "experiment.json");
  if (!experiment) FAIL(experiment.error().message);
  const auto problem = prepare(*experiment);
  if (!problem) FAIL(problem.error().message);
  auto trace = run(*problem);
  if (!trace) FAIL(trace.error().message);
  return std::move(*trace);
}

// The largest |a − b| over what is allowed, 2e-5 + 1e-4·|b|, as the acceptance cases are held to; infinities are equal.
double worst_ratio(const Tensor& got, const Tensor& expected) {
  if (got.shape() != expected.shape()) return INFINITY;
  double worst = 0;
  for (Index cell = 0; cell < got.size(); ++cell) {
    const double a = got[cell], b = expected[cell];
    if (std::isinf(b) && a == b) continue;
    const double ratio = std::abs(a - b) / (2e-5 + 1e-4 * std::abs(b));
    worst = std::isnan(ratio) ? INFINITY : std::max(worst, ratio);
  }
  return worst;
}

std::string text_of(const Folder& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Folder references = HEADLIGHT_SOURCE_DIR "/tests/reference";

std::vector<Folder> cases_of(const std::string& variant) {
  std::vector<Folder> folders;
  if (!std::filesystem::is_directory(references / variant)) return folders;
  for (const auto& entry : std::filesystem::directory_iterator(references / variant)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

void check_cases(const std::string& variant) {
  for (const auto& folder : cases_of(variant)) {
    INFO(variant << "/" << folder.filename().string());
    CHECK(read_experiment(folder / "experiment.json").value().variant == variant);
    const Trace trace = trace_of(folder);
    const auto expected = arrays_of(folder / "expect.npz");
    CHECK(expected.size() == trace.steps.size());
    for (const auto& array : expected) {
      INFO(array.name);
      const Step* step = trace.find(array.name);
      REQUIRE(step);
      CHECK(worst_ratio(step->tensor(), array.values) <= 1);
    }
  }
}

}  // namespace

TEST_CASE("every step of every reference case agrees") {
  for (const Variant* variant : all_variants()) check_cases(variant->info().id);
}

TEST_CASE("every variant has its page and its references, with the script that makes them") {
  for (const Variant* variant : all_variants()) {
    const std::string& id = variant->info().id;
    INFO(id);
    const std::string page = text_of(HEADLIGHT_SOURCE_DIR "/docs/variants/" + id + ".md");
    for (const char* part : {"## Formula", "## Steps", "## A worked number", "## Pitfalls", "## Neighbours"}) {
      INFO("docs/variants/" << id << ".md lacks the section " << part);
      CHECK((page.find(part) != std::string::npos));
    }
    INFO("tests/reference/make_" << id << ".py writes cases to tests/reference/" << id << " by cases.py");
    CHECK(std::filesystem::exists(references / ("make_" + id + ".py")));
    CHECK_FALSE(cases_of(id).empty());
  }
  // And what is there is of a variant: a folder under another name would be read by nobody.
  for (const auto& entry : std::filesystem::directory_iterator(references)) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    const bool other =
        name == "formulas" || name == "layers" || name == "measures" || name == "models" || name == "tokens";
    if (entry.is_directory() && !other) CHECK(find_variant(name));
  }
}

TEST_CASE("every variant is named where people look for it") {
  // Pages that were written without one.
  const std::set<std::string> without_picture{"given", "key_content_only", "memory_block", "non_local"};
  const Folder root = HEADLIGHT_SOURCE_DIR;
  std::string guide;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md" && entry.path().parent_path().filename() != "variants")
      guide += text_of(entry.path());
  const std::string readme = text_of(root / "README.md"), pictures = text_of(root / "docs/make_pictures");
  for (const Variant* variant : all_variants()) {
    const std::string& id = variant->info().id;
    INFO(id
         << ": README.md has it in its table, a page of the guide links it, and docs/make_pictures draws it, unless it "
         << "is listed above as one without a picture");
    CHECK((readme.find("docs/variants/" + id + ".md") != std::string::npos));
    CHECK((guide.find("variants/" + id + ".md") != std::string::npos));
    CHECK((pictures.find(id) != std::string::npos) != without_picture.contains(id));
  }
}

TEST_CASE("a reference of one case does not pass for another") {
  const Folder root = references / "multi_head";
  const Trace trace = trace_of(root / "self");
  for (const auto& array : arrays_of(root / "temperature" / "expect.npz"))
    CHECK(worst_ratio(trace.find(array.name)->tensor(), array.values) > 1);
}
