// What every step says of itself in NumPy and PyTorch, and the scripts made of it. That the lines compute the right
// numbers is for tests/code/run_scripts.py, which runs them.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "engine/code/script.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/trace/code_names.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

std::set<std::string> names_in(const std::string& lines) {
  std::set<std::string> names;
  std::string name;
  for (const char c : lines + "\n") {
    // "layer0/weights" is a name; a division has a space before it.
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c == '/' && !name.empty())) {
      name += c;
    } else if (!name.empty()) {
      names.insert(std::move(name));
      name.clear();
    }
  }
  return names;
}

// What stands left of " = " in each line that begins with a name.
std::vector<std::string> assigned_in(const std::string& lines) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string line = lines.substr(at, end - at);
    names.push_back(line.substr(0, line.find(" = ")));
    at = end + 1;
  }
  return names;
}

std::set<std::string> read_arrays(const Step& step) {
  std::set<std::string> ids;
  for (Index cell = 0; cell < step.tensor().size(); ++cell) {
    const Explanation e = step.explain(cell);
    for (const auto& term : e.terms)
      for (const auto& factor : term.factors)
        if (!factor.array.empty()) ids.insert(factor.array);
    for (const auto& operand : e.parameters) ids.insert(operand.array);
  }
  return ids;
}

// What is wrong with a step's lines, or nothing.
std::string complaint(const Trace& trace, const Step& step, const std::string& lines) {
  if (lines.empty()) return "no lines";
  const auto assigned = assigned_in(lines);
  if (assigned.back() != python_name(step.info.id)) return "the last line does not assign " + step.info.id;
  for (const auto& name : assigned)
    if (name != python_name(step.info.id) && trace.find(name)) return "a line overwrites " + name;
  const auto names = names_in(lines);
  for (const auto& id : read_arrays(step))
    if (!names.contains(python_name(id))) return id + " is read and not named";
  return {};
}

// A small run and its problem.
struct RunResult {
  Problem problem;
  Trace trace;
};

RunResult run_json(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "test");
  if (!experiment) FAIL(experiment.error().message);
  auto problem = prepare(*experiment);
  if (!problem) FAIL(problem.error().message);
  auto trace = run(*problem);
  if (!trace) FAIL(trace.error().message);
  return {std::move(*problem), std::move(*trace)};
}

std::string script_of(const RunResult& ran, Language language) {
  return script(ran.trace, ran.problem, language, {"a.json", "a.py", "a.npz"});
}

const std::string plain = R"({"variant": "multi_head", "inputs": {"x_q": {"text": "one two"}}})";

}  // namespace

TEST_CASE("every step of every variant has its lines in NumPy and PyTorch, which name what the step reads") {
  for (const auto& sketch : all_sketches()) {
    INFO(sketch.name);
    const auto trace = run(sketch);
    if (!trace) FAIL(trace.error().message);
    for (const auto& step : trace->steps) {
      INFO(step.info.id);
      CHECK(complaint(*trace, step, step.info.code.numpy) == "");
      CHECK(complaint(*trace, step, step.info.code.torch) == "");
    }
  }
  for (const Variant* variant : all_variants())
    for (const auto& sample : variant->samples())
      for (const auto& step : run_json(sample).trace.steps) {
        INFO(variant->info().id << ": " << step.info.id);
        CHECK_FALSE(step.info.code.numpy.empty());
        CHECK_FALSE(step.info.code.torch.empty());
      }
}

TEST_CASE("lines that are missing, assign another step or leave an array out are found") {
  const RunResult ran = run_json(plain);
  const Step& scores = *ran.trace.find("scores");
  CHECK(complaint(ran.trace, scores, "") == "no lines");
  CHECK(complaint(ran.trace, scores, "weights = q @ k") == "the last line does not assign scores");
  CHECK(complaint(ran.trace, scores, "v = q\nscores = v @ k") == "a line overwrites v");
  CHECK(complaint(ran.trace, scores, "scores = q @ q") == "k is read and not named");
}

TEST_CASE("a script says where it comes from, and has what it needs and no more") {
  const RunResult ran = run_json(plain);
  const std::string text = script_of(ran, Language::numpy);
  CHECK(text.starts_with("# Scaled dot-product attention, step by step in NumPy"));
  CHECK(text.find("headlight code a.json --as numpy -o a.py\n") != std::string::npos);
  CHECK(text.find("pathlib.Path(__file__).parent") != std::string::npos);
  CHECK(text.find("/ \"a.npz\"\n") != std::string::npos);
  CHECK(text.find("def softmax(") != std::string::npos);
  for (const char* not_needed :
       {"def masked_softmax(", "def windows(", "def max_pool(", "def layer_norm(", "x_k", "torch"})
    CHECK(text.find(not_needed) == std::string::npos);
  CHECK(text.find("\nprint(f\"9 steps recomputed: equal to the saved numbers{where}\")\n") != std::string::npos);
  CHECK(ran.trace.steps.size() == 9);
  const std::string torch = script_of(ran, Language::pytorch);
  CHECK(torch.find("import torch\n") != std::string::npos);
  CHECK(torch.find("def softmax(") == std::string::npos);
  CHECK(torch.find("torch.nn.functional") == std::string::npos);
}

TEST_CASE("a function comes before those that call it") {
  const RunResult ran = run_json(
      R"({"variant": "multi_head", "params": {"block": "post_norm"},
          "inputs": {"x_q": {"text": "one two"}, "valid_lens": [0]}})");
  const std::string text = script_of(ran, Language::numpy);
  const auto softmax = text.find("def softmax("), masked = text.find("def masked_softmax(");
  REQUIRE(softmax != std::string::npos);
  REQUIRE(masked != std::string::npos);
  CHECK(softmax < masked);
  CHECK(text.find("def layer_norm(") != std::string::npos);
  CHECK(script_of(ran, Language::pytorch).find("import torch.nn.functional as F\n") != std::string::npos);
}

TEST_CASE("the arrays of a script are what it reads and every step, once") {
  const RunResult ran = run_json(R"({"variant": "stand_alone_2d", "inputs": {"x": [[[[0, 1], [2, 3]]]]}})");
  std::vector<std::string> names;
  for (const auto& array : script_arrays(ran.trace)) names.push_back(array.name);
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
  for (const char* id : {"x", "row_table", "row_embedding", "w_o", "output"}) CHECK(std::ranges::count(names, id) == 1);
  names.clear();
  const RunResult self = run_json(plain);
  for (const auto& array : script_arrays(self.trace)) names.push_back(array.name);
  CHECK(std::ranges::count(names, "x_q") == 1);
  CHECK(std::ranges::count(names, "x_k") == 0);  // the same numbers as x_q
}

TEST_CASE("names of files are written as Python reads them, and stay in their comment") {
  const RunResult ran = run_json(plain);
  const std::string text =
      script(ran.trace, ran.problem, Language::numpy, {"two\nlines.json", "s.py", R"(a "quoted\ name.npz)"});
  CHECK(text.find(R"(/ "a \"quoted\\ name.npz")") != std::string::npos);
  CHECK(text.find("headlight code two?lines.json --as") != std::string::npos);
  CHECK(script(ran.trace, ran.problem, Language::pytorch, {"a.json", "a.py", "a\nb.npz"}).find(R"("a\x0ab.npz")") !=
        std::string::npos);
}

TEST_CASE("languages go by their ids") {
  CHECK(language_of("numpy") == Language::numpy);
  CHECK(language_of(id_of(Language::pytorch)) == Language::pytorch);
  CHECK_FALSE(language_of("torch"));
}
