// Whole runs over pictures: how long they take, and how much memory beside what cost() says.
//
// Memory is what the kernel saw resident at most (ru_maxrss) in a process of its own that prepares and runs one
// experiment once and keeps its trace, less the same of a process that does so for a picture of 4×4 pixels.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/prepare.h"
#include "engine/run/run.h"

using namespace headlight;

namespace {

struct Case {
  const char* name;
  const char* json;
};

constexpr Case cases[] = {
    {"4×4, the baseline", R"({"variant": "stand_alone_2d", "inputs": {"x": {"image": "scene.png", "size": [4, 4]}}})"},
    {"stand_alone_2d, 32×32, 4 heads",
     R"({"variant": "stand_alone_2d", "inputs": {"x": {"image": "scene.png", "size": [32, 32]}}})"},
    {"stand_alone_2d, 64×64, 1 head",
     R"({"variant": "stand_alone_2d", "params": {"heads": 1},
         "inputs": {"x": {"image": "scene.png", "size": [64, 64]}}})"},
    {"stand_alone_2d, 64×64, 4 heads, window 7",
     R"({"variant": "stand_alone_2d", "params": {"extent": 7},
         "inputs": {"x": {"image": "scene.png", "size": [64, 64]}}})"},
    {"non_local, 64×64, pooled",
     R"({"variant": "non_local", "params": {"dimension": 2, "sub_sample": true},
         "inputs": {"x": {"image": "scene.png", "size": [64, 64]}}})"},
};

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// Prints one line: bytes that cost() said, bytes at most, and the milliseconds of six runs.
Status run_here(const Case& which) {
  HL_TRY(const Experiment experiment, parse_experiment(which.json, HEADLIGHT_EXAMPLES, which.name));
  ThreadPool pool;
  std::string line;
  for (int i = 0; i < 6; ++i) {
    const auto start = std::chrono::steady_clock::now();
    HL_TRY(const Problem problem, prepare(experiment));
    Compute compute(pool);
    HL_TRY(const auto trace, run(problem, compute));
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    if (i == 0) line = fmt::format("{} {}", cost_of(problem).bytes, peak_bytes());
    line += fmt::format(" {}", passed.count());
  }
  fmt::print("{}\n", line);
  return {};
}

struct Figures {
  double said = 0, peak = 0;
  std::vector<double> milliseconds;  // in order of size
};

// The same in a process of its own. Empty where that failed, which has then said why.
Figures run_apart(std::size_t which) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  Figures figures;
  FILE* child = popen(fmt::format("'{}' --case {}", self, which).c_str(), "r");
  if (!child) return figures;
  std::vector<double> numbers;
  for (double number = 0; std::fscanf(child, "%lf", &number) == 1;) numbers.push_back(number);
  pclose(child);
  if (numbers.size() < 3) return figures;
  figures = {numbers[0], numbers[1], {numbers.begin() + 2, numbers.end()}};
  std::ranges::sort(figures.milliseconds);
  return figures;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--case") {
    const Status ran =
        run_here(cases[std::min<std::size_t>(std::strtoul(arguments[2], nullptr, 10), std::size(cases) - 1)]);
    if (!ran) fmt::print(stderr, "{}\n", ran.error().message);
    return ran ? 0 : 1;
  }
  const Figures baseline = run_apart(0);
  for (std::size_t i = 1; i < std::size(cases); ++i) {
    const Figures f = run_apart(i);
    if (f.milliseconds.empty()) return 1;
    constexpr double mib = 1 << 20;
    fmt::print("{:<42} {:8.1f} ms   ({:.1f} to {:.1f})   {:7.1f} MiB at most, {:.1f} said: {:.2f}   goal: below 1.5\n",
               cases[i].name, f.milliseconds[f.milliseconds.size() / 2], f.milliseconds.front(), f.milliseconds.back(),
               (f.peak - baseline.peak) / mib, f.said / mib, (f.peak - baseline.peak) / f.said);
  }
  return 0;
}
