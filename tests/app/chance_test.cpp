// Someone reckless at the window, on a backend without one: actions, keys, chords, characters of any script, drags and
// files in no order, from every start. Nothing ends the program, nothing points at what is not there, and what is asked
// can be written down and read again.
//
// Every action of the table is sent, with values that the model has and with others. Undo goes back to the first
// state's bytes, and what is saved opens the same.
//
// HEADLIGHT_ACTIONS is how many there are (100,000 take long), HEADLIGHT_SEED where they begin, HEADLIGHT_START the one
// start to try.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "app/actions/action_table.h"
#include "app/model/document.h"
#include "engine/core/utf8.h"
#include "engine/variants/variant.h"
#include "tests/app/any_action.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/wander.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

Index times(const char* variable, Index usual) {
  const char* text = std::getenv(variable);
  return text ? std::atoll(text) : usual;
}

// Where files may be written.
struct Elsewhere {
  Scratch folder;
  fs::path before = fs::current_path();
  Elsewhere() { fs::current_path(folder / ""); }
  ~Elsewhere() { fs::current_path(before); }
};

// What is asked reads back as it was written.
void check_document(const Model& model) {
  const Experiment& experiment = *model.document.experiment;
  const std::string written = to_json(experiment, experiment.folder);
  const auto read = parse_experiment(written, experiment.folder, "");
  INFO(written);
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  CHECK(to_json(*read, experiment.folder) == written);
}

// What is looked at is there: in a settled window, the slice of the step that is shown.
void check_look(const Model& model) {
  if (!model.trace() || !model.step()) return;
  const Look& look = model.document.look;
  const Slice slice = slice_of(*model.step(), focus_of(look));
  INFO("step " << model.step()->info.id);
  REQUIRE(slice.matrix.rows >= 0);
  REQUIRE(slice.matrix.columns >= 0);
  if (slice.matrix.rows == 0 || slice.matrix.columns == 0) return;
  float sum = slice.matrix.at(0, 0) + slice.matrix.at(slice.matrix.rows - 1, slice.matrix.columns - 1);
  (void)sum;  // reading it is the check, under the address sanitizer
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.sound) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

void check_words(const Driver& driver) {
  for (const auto& [path, widget] : driver.log()) {
    INFO(path);
    CHECK(is_utf8(widget.value));
  }
}

// An action of the kind whose turn it is: with values of the model where the table offers any, or with whatever.
Action action_of_row(std::size_t row, Wanderer& wanderer, const Model& model) {
  const ActionRow& of = action_table()[row];
  const auto any = [&](std::size_t count) {
    return static_cast<std::size_t>(wanderer.below(static_cast<Index>(count)));
  };
  if (of.offers && wanderer.below(3) == 0)
    if (const auto offers = of.offers(model); !offers.empty()) return offers[any(offers.size())].action;
  if (!of.commands.empty() && wanderer.below(2) == 0) return of.commands[any(of.commands.size())].action(model);
  return samplers()[row](any(samples_each));
}

// How often each kind of action was sent, in the order of the table.
using Counts = std::vector<std::size_t>;

void send_next(Driver& driver, Wanderer& wanderer, Counts& counts, std::size_t turn) {
  const std::size_t row = turn % counts.size();
  const Action action = action_of_row(row, wanderer, driver.model());
  // A lesson stands before what is open, and before its undo, until it is left.
  if (action_table()[row].id == "lesson-new") {
    ++counts[row];
    return;
  }
  wanderer.note(to_text(action));
  driver.session().act(action);
  ++counts[row];
  driver.frame();
}

std::string written(const Model& model) {
  return to_json(*model.document.experiment, model.document.experiment->folder);
}

// Undo to the first state, through every file that was opened meanwhile, and to the last again.
void check_undo(Driver& driver, const std::string& first) {
  if (driver.model().learner.played) driver.session().act(LeaveLesson{});  // it stands before what is open
  driver.session().act(EndEdit{});
  const std::string last = written(driver.model());
  std::size_t steps = 0;
  for (; !driver.model().history.undo.empty(); ++steps) driver.session().act(Undo{});
  CHECK(written(driver.model()) == first);
  while (steps-- > 0) driver.session().act(Redo{});
  CHECK(written(driver.model()) == last);
  driver.settle();
}

// What is saved opens as it was. (What cannot be saved says so; so does a file that the experiment itself reads.)
void check_saving(Driver& driver, const fs::path& path) {
  driver.session().act(Decide{Decision::cancel});
  driver.session().act(Save{path});
  driver.session().finish_files();
  if (driver.model().dialog == Dialog::replace) driver.session().act(Decide{Decision::replace});
  driver.session().finish_files();
  if (driver.model().path != path) return;
  CHECK_FALSE(driver.model().changed());
  const auto read = read_experiment(path);
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  // Paths are said from the file's folder: from this one, both name the same files.
  CHECK(to_json(*read, fs::current_path()) == to_json(with_view(driver.model().document), fs::current_path()));
}

}  // namespace

TEST_CASE("nothing that a person does in any order ends the program") {
  const Index actions = times("HEADLIGHT_ACTIONS", 900);
  const char* only = std::getenv("HEADLIGHT_START");
  const auto all = starts();
  auto seed = static_cast<std::uint64_t>(times("HEADLIGHT_SEED", 1));
  Counts counts(action_table().size());
  std::size_t turn = 0;
  for (const Start& start : all) {
    ++seed;
    if (only && start.name != only) continue;
    const Elsewhere elsewhere;
    Wanderer wanderer(seed);
    const Index share = std::max<Index>(1, actions / (only ? 1 : static_cast<Index>(all.size())));
    constexpr Index longest = 200;  // of one sitting: undo reaches over all of it
    for (Index done = 0; done < share;) {
      Driver driver(1280, 800, 1, start.experiment);
      driver.settle();
      const std::string first = written(driver.model());
      for (Index i = 0; i < longest && done < share; ++i, ++done) {
        INFO(start.name << ", seed " << seed << ", action " << done);
        if (wanderer.below(3) == 0)
          send_next(driver, wanderer, counts, turn++);
        else
          wanderer.act(driver, Mood::reckless);
        // Four whole trainings would be waited for.
        if (driver.model().training.seeds.running) driver.session().act(TrainSeeds{false});
        if (wanderer.below(40) == 0) wanderer.resize(driver);
        if (wanderer.below(60) != 0) continue;
        driver.session().act(Decide{Decision::cancel});
        driver.settle();
        check_document(driver.model());
        check_look(driver.model());
        check_words(driver);
      }
      INFO(start.name << ", seed " << seed << ", before action " << done);
      INFO(fmt::format("{}", fmt::join(wanderer.log(), "\n")));
      driver.session().act(Decide{Decision::cancel});
      driver.settle();
      check_undo(driver, first);
      check_saving(driver, fs::current_path() / "kept.headlight");
      wanderer.forget();
    }
  }
  for (std::size_t i = 0; i < counts.size() && actions >= 900 && !only; ++i) {
    INFO(action_table()[i].id);
    CHECK(counts[i] > 0);
  }
}
