// What a network can be taught here: a task makes its own examples, says which network learns them, and how far it has
// come. Whoever lists, files, windows and tests reads what is declared.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/learn/network.h"
#include "engine/params/params.h"

namespace headlight::learn {

// What is measured of a network on examples that it has not learned from.
struct FigureWords {
  std::string id;           // "accuracy"
  std::string title;        // "Right answers"
  std::string help;         // one sentence
  bool of_weights = false;  // it is measured on attention weights, not on what is said
};
using Figures = std::map<std::string, double, std::less<>>;  // by id

// What should fail, and what it should come to: the task says why something is learned by leaving it out.
struct CounterTest {
  std::string title;                                       // "One layer"
  std::map<std::string, ParamValue, std::less<>> changed;  // options
  std::string expected;                                    // "stays near 0.18: nobody can tell the next layer …"
};

struct TaskInfo {
  std::string id;           // "repeat"
  std::string title;        // "Repeat"
  std::string lesson;       // one sentence: what is to be learned
  std::string source = {};  // a paper, where it is known from one
  std::string learned;      // the figure that says that it was learned
  double threshold = 0;     // and from where on
  bool falls = false;       // it has to fall to that, not to reach it
  Index usual_steps = 300;

  bool is_learned(const Figures& figures) const {
    const auto found = figures.find(learned);
    if (found == figures.end()) return false;
    return falls ? found->second <= threshold : found->second >= threshold;
  }
};

// Text that somebody gives: "text" itself, and the path of the "file" that it is from, where it is from one.
using Texts = std::map<std::string, std::string, std::less<>>;

// The options of a training, as a file gives them.
struct TaskOptions {
  ParamValues values;
  Texts texts = {};
  std::map<std::string, ParamValue, std::less<>> params = {};  // of multi_head, which the task does not name
};

// A part of the network whose attention is looked at while it learns.
struct ShownMap {
  std::string given;        // what the part gives: Network::trace_of()
  std::string title;        // "layer 0"
  bool by_answers = false;  // its queries are the places that are answered, not those that are read
};

// The part of every network that says how wrong it is.
inline constexpr const char* loss_part = "loss";

// What stands at the places of an example; empty where they are pixels.
struct ExampleWords {
  std::vector<std::string> read;           // "I", "D", "π" …
  std::vector<std::string> answered = {};  // the places that are answered, where those are others
  std::vector<std::string> answers = {};   // what can be said, by its number
};

// What a task declares.
struct TaskSpec {
  TaskInfo info;
  std::vector<ParamSpec> options;  // under the names of the reference: type, range, default, help
  std::vector<FigureWords> figures;
  std::vector<CounterTest> counter_tests = {};
};

class Task {
 public:
  explicit Task(TaskSpec spec) : spec_(std::move(spec)) {}
  virtual ~Task() = default;
  const TaskInfo& info() const { return spec_.info; }
  const std::vector<ParamSpec>& options() const { return spec_.options; }
  const std::vector<FigureWords>& figures() const { return spec_.figures; }
  const std::vector<CounterTest>& counter_tests() const { return spec_.counter_tests; }
  // Whether it learns a text that somebody gives: "text", or "file" with one in it.
  virtual bool reads_text() const { return false; }
  // What ranges alone cannot say ("no symbol twice in a period: symbols must be 16 or more").
  virtual Status check(const TaskOptions&) const { return {}; }

  // Drops what is not used: of a text all beyond the part that is learned.
  virtual void trim(TaskOptions&) const {}

  // The examples of a step, drawn from Random(seed, "batch/STEP"): all that the network's parts read.
  virtual Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const = 0;
  virtual NetworkPlan plan(const TaskOptions& options) const = 0;
  // Examples that nobody learns from, and what the network makes of them. A task may try it on several kinds.
  virtual std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const = 0;
  // `networks`: one for each of those, gone forward.
  virtual Figures measure(std::uint64_t seed, const TaskOptions& options,
                          std::span<const Network* const> networks) const = 0;

  // In the order in which they run.
  virtual std::vector<ShownMap> maps(const TaskOptions& options) const = 0;
  // Of the first of these examples.
  virtual ExampleWords words(const Numbers& examples, const TaskOptions& options) const = 0;

 private:
  TaskSpec spec_;
};

// In the order in which they are shown.
std::span<const Task* const> all_tasks();
// Null where there is none of that id.
const Task* find_task(std::string_view id);

}  // namespace headlight::learn
