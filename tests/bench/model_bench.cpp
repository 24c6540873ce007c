// A model of real size: how long it takes to open, to follow a changed token and to open a layer, how much memory that
// takes, and one forward pass beside PyTorch's.
//
// Each figure is of a process of its own, which does what the window's thread of runs does. Memory is what was resident
// at most since that program began (VmHWM): ru_maxrss would count what its parent once had. PyTorch is given the best
// kernels that it and OpenBLAS have for the processor, takes turns with the engine, and its logits must agree.
//
// bench_model [FOLDER]: the model is kept there, else in the system's folder for temporary files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/model/network_figure.h"
#include "app/session/opening.h"
#include "engine/core/memory.h"
#include "engine/io/file.h"
#include "engine/run/model_run.h"
#include "engine/run/queue/run_queue.h"
#include "tests/bench/model_folder.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

constexpr int tokens = 128;
constexpr int rounds = 5;  // processes of each
constexpr int passes = 5;  // in a process
constexpr double mib = 1 << 20;

// ---- In a process of its own ---------------------------------------------------------------------------------------

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  return std::nan("");
}

// Bytes of all arrays, each once, whoever shares it.
class Bytes {
 public:
  void add(const std::shared_ptr<const Tensor>& values) {
    if (values && known_.insert(values.get()).second) sum_ += static_cast<double>(values->size()) * sizeof(float);
  }
  void add(const Trace& trace) {
    for (const Step& step : trace.steps) add(step.values);
  }
  double sum() const { return sum_; }

 private:
  std::set<const Tensor*> known_;
  double sum_ = 0;
};

double bytes_of_weights(const StoredModel& model) {
  double bytes = 0;
  for (const std::size_t entry : model.arrays_read()) {
    double numbers = 1;
    for (const Index extent : model.arrays().entries()[entry].shape) numbers *= static_cast<double>(extent);
    bytes += numbers * sizeof(float);
  }
  return bytes;
}

Result<ModelExperiment> reads(const fs::path& folder, int variant) {
  return experiment_of_folder(folder, GivenInput{bench::text_of_tokens(tokens, variant), {}, "", ""});
}

// As the window asks for it: through the queue of runs, waited for.
class Asking {
 public:
  explicit Asking(int threads) : queue_(RunQueue({}, threads)) {}

  Result<Outcome> wait_for(const std::function<void(RunQueue::Client&)>& ask) {
    ask(client_);
    while (true) {
      if (auto outcome = client_.poll()) {
        if (!outcome->error.empty()) return fail("{}", outcome->error);
        return std::move(*outcome);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

 private:
  RunQueue queue_;
  RunQueue::Client client_{queue_, RunRank::main};
};

struct Shown {
  std::shared_ptr<const NetworkRun> run;
  FigureRun figured;
};

Result<Shown> show(Asking& asking, OpenModel& open, int variant, std::shared_ptr<const NetworkRun> before) {
  HL_TRY(const ModelExperiment asked, reads(open.folder, variant));
  Shown shown;
  HL_TRY(const Outcome ignored, asking.wait_for([&](RunQueue::Client& client) {
    client.ask([&](ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress) -> Status {
      HL_TRY(shown.run, run_network(open, asked, 0, before, pool, std::move(stop), progress));
      shown.figured = make_figure_run(*shown.run);
      return {};
    });
  }));
  static_cast<void>(ignored);
  if (shown.run->parts.front().queries() != tokens) return fail("the text is not {} tokens", tokens);
  return shown;
}

// Prints milliseconds to open, then of changed tokens, then of opened layers; bytes at most, of weights and kept.
Status use(const fs::path& folder, int threads) {
  Asking asking(threads);
  OpenModel open(folder);
  const auto timed = [](auto&& what) -> Status {
    const auto start = std::chrono::steady_clock::now();
    HL_CHECK(what());
    fmt::print("{} ", milliseconds_since(start));
    return {};
  };
  Shown shown;
  const auto changed_to = [&](int variant) -> Status {
    HL_TRY(shown, show(asking, open, variant, shown.run));
    return {};
  };
  for (int variant = 0; variant <= passes; ++variant) HL_CHECK(timed([&] { return changed_to(variant); }));
  Outcome layer;
  const auto opened = [&](Index number) -> Status {
    const auto experiment = std::make_shared<const Experiment>(experiment_of_layer(*shown.run, {number, {}}));
    HL_TRY(layer, asking.wait_for([&](RunQueue::Client& client) { client.ask(experiment, 0); }));
    return {};
  };
  for (Index number = 0; number < passes; ++number) HL_CHECK(timed([&] { return opened(2 * number); }));
  Bytes kept;
  kept.add(shown.run->trace);
  kept.add(shown.run->logits);
  for (const PartRun& part : shown.run->parts) {
    for (const auto& map : part.maps) kept.add(map);
    for (const Step& map : part.mean_maps) kept.add(map.values);
    kept.add(part.means);
    kept.add(part.rollout);
  }
  kept.add(*layer.trace);
  for (const auto& [id, values] : layer.problem->arrays) kept.add(values);
  fmt::print("{} {} {}\n", peak_bytes(), bytes_of_weights(*open.model), kept.sum());
  return {};
}

// Prints milliseconds of forward passes that keep all maps, the weights being in memory; writes the logits.
Status pass_forward(const fs::path& folder, int threads, const fs::path& logits) {
  HL_TRY(const auto model, StoredModel::open(folder));
  HL_TRY(const Tokenizer tokenizer, Tokenizer::open(folder));
  HL_TRY(const ModelExperiment asked, reads(folder, 0));
  HL_TRY(const ModelInput input, model_input(*model, asked, &tokenizer));
  KeptModel kept(*model, free_memory() / 2);
  ThreadPool pool(threads);
  for (int pass = -1; pass < passes; ++pass) {
    ModelRunner runner(*model, input, pool, {}, nullptr, &kept);
    LayerRecording maps;
    maps.maps = true;
    const auto start = std::chrono::steady_clock::now();
    HL_TRY(const Trace trace, runner.run(asked, maps));
    if (pass >= 0) fmt::print("{} ", milliseconds_since(start));
    const Tensor& said = trace.find("logits")->tensor();
    if (pass == 0)
      HL_CHECK(write_file(
          logits, {reinterpret_cast<const char*>(said.data()), static_cast<std::size_t>(said.size()) * sizeof(float)}));
    if (pass == 0) {
      std::string ids;
      for (const Index id : input.tokens->ids) ids += fmt::format("{} ", id);
      HL_CHECK(write_file(fs::path(logits) += ".ids", ids));
    }
  }
  fmt::print("\n");
  return {};
}

// ---- And from outside ----------------------------------------------------------------------------------------------

// The numbers that a command prints; nothing where it fails, which has then said why.
std::vector<double> numbers_of(const std::string& command) {
  std::vector<double> numbers;
  FILE* child = popen(command.c_str(), "r");
  if (!child) return numbers;
  for (double number = 0; std::fscanf(child, "%lf", &number) == 1;) numbers.push_back(number);
  if (pclose(child) != 0) numbers.clear();
  return numbers;
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

void say(const char* what, std::vector<double> numbers, const char* goal) {
  fmt::print("{:<44} {:8.1f} ms   ({:.1f} to {:.1f})   goal: {}\n", what, median(numbers),
             *std::ranges::min_element(numbers), *std::ranges::max_element(numbers), goal);
}

bool say_use(const std::string& self, const fs::path& folder, int threads) {
  std::vector<double> open, changed, layers, ratios;
  double peak = 0, weights = 0, kept = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> n = numbers_of(fmt::format("'{}' --use '{}' {}", self, folder.native(), threads));
    if (n.size() != 2 * passes + 4) return false;
    open.push_back(n[0]);
    changed.insert(changed.end(), n.begin() + 1, n.begin() + 1 + passes);
    layers.insert(layers.end(), n.begin() + 1 + passes, n.begin() + 1 + 2 * passes);
    peak = n[n.size() - 3];
    weights = n[n.size() - 2];
    kept = n.back();
    ratios.push_back(peak / (weights + kept));
  }
  fmt::print("-- {} thread{}\n", threads, threads == 1 ? "" : "s");
  say("folder to the first picture's numbers", open, "at most 3000");
  say("changed token to the new numbers", changed, "at most 500");
  say("a layer opened", layers, "at most 100");
  fmt::print("{:<44} {:8.1f} MiB at most; {:.1f} of weights, {:.1f} kept: {:.2f}   goal: at most 1.30\n", "memory",
             peak / mib, weights / mib, kept / mib, median(ratios));
  return true;
}

bool say_beside_torch(const std::string& self, const fs::path& folder, int threads) {
  std::vector<double> ours, theirs, ratios;
  const std::string logits = (folder / fmt::format("logits-{}", getpid())).native();
  bool fine = true;
  for (int round = 0; round < rounds && fine; ++round) {
    const auto mine = numbers_of(fmt::format("'{}' --forward '{}' {} '{}'", self, folder.native(), threads, logits));
    const auto other = numbers_of(
        fmt::format("'{}' '{}' {} {} '{}'", HEADLIGHT_TORCH_SCRIPT, folder.native(), threads, passes, logits));
    fine = !mine.empty() && !other.empty();
    if (!fine) break;
    ours.push_back(median(mine));
    theirs.push_back(median(other));
    ratios.push_back(theirs.back() / ours.back());
  }
  std::error_code ignored;
  fs::remove(logits, ignored);
  fs::remove(logits + ".ids", ignored);
  if (!fine) return false;
  say("a forward pass that keeps all weights", ours, "faster than PyTorch");
  fmt::print("{:<44} {:8.1f} ms   over ours: {:.2f} ({:.2f} to {:.2f})\n", "the same by PyTorch", median(theirs),
             median(ratios), *std::ranges::min_element(ratios), *std::ranges::max_element(ratios));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  configure_allocator();  // as the program does
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const bool apart = given.size() >= 3 && (given[0] == "--use" || given[0] == "--forward");
  if (!apart && !given.empty() && (given.size() > 1 || given[0].starts_with("-"))) {
    fmt::print(stderr, "usage: bench_model [FOLDER], where the model is or is made\n");
    return 2;
  }
  if (apart) {
    const int threads = std::stoi(given[2]);
    const Status done = given[0] == "--use" ? use(given[1], threads) : pass_forward(given[1], threads, given.at(3));
    if (!done) fmt::print(stderr, "{}\n", done.error().message);
    return done ? 0 : 1;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line as soon as it is known
  const fs::path folder = given.empty() ? fs::temp_directory_path() / "headlight-bench-model" : fs::path(given[0]);
  if (const Status made = bench::make_model_folder(folder); !made) {
    fmt::print(stderr, "{}\n", made.error().message);
    return 1;
  }
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const bool torch = std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0;
  if (!torch) fmt::print("PyTorch is not here: python3-torch\n");
  std::vector<int> numbers{1};
  if (std::thread::hardware_concurrency() > 1) numbers.push_back(2);
  for (const int threads : numbers) {
    if (!say_use(self, folder, threads)) return 1;
    if (torch && !say_beside_torch(self, folder, threads)) return 1;
  }
  return 0;
}
