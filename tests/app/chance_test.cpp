// Someone reckless at the window, on a backend without one: actions, keys, chords, characters of any script, drags and
// files in no order, from every start. Nothing ends the program, nothing points at what is not there, and what is asked
// can be written down and read again.
//
// HEADLIGHT_ACTIONS is how many there are (100,000 take long), HEADLIGHT_SEED where they begin, HEADLIGHT_START the one
// start to try.
#include <cstdlib>
#include <filesystem>

#include "app/model/document.h"
#include "engine/core/utf8.h"
#include "engine/variants/variant.h"
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
  const Experiment& experiment = model.document.experiment;
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

}  // namespace

TEST_CASE("nothing that a person does in any order ends the program") {
  const Index actions = times("HEADLIGHT_ACTIONS", 900);
  const char* only = std::getenv("HEADLIGHT_START");
  const auto all = starts();
  auto seed = static_cast<std::uint64_t>(times("HEADLIGHT_SEED", 1));
  for (const Start& start : all) {
    ++seed;
    if (only && start.name != only) continue;
    const Elsewhere elsewhere;
    Driver driver(1280, 800, 1, start.experiment);
    Wanderer wanderer(seed);
    const Index share = std::max<Index>(1, actions / (only ? 1 : static_cast<Index>(all.size())));
    for (Index done = 0; done < share; ++done) {
      wanderer.act(driver, Mood::reckless);
      if (wanderer.below(40) == 0) wanderer.resize(driver);
      if (wanderer.below(60) != 0) continue;
      INFO(start.name << ", seed " << seed << ", action " << done);
      driver.session().act(Decide{Decision::cancel});
      driver.settle();
      check_document(driver.model());
      check_look(driver.model());
      check_words(driver);
      wanderer.forget();
    }
  }
}
