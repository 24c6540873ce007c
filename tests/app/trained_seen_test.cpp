// Trained weights in the window: where they can be chosen, what stands beside them, and what becomes of them.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/actions/action_table.h"
#include "app/model/browse.h"
#include "engine/run/trained.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

void act_and_settle(Driver& driver, const Action& action) {
  driver.session().act(action);
  driver.session().finish_files();
  driver.settle();
}

void open_trained(Driver& driver, const std::string& id) {
  act_and_settle(
      driver, Open{std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "assets/examples" / ("trained-" + id + ".headlight")});
  REQUIRE(driver.model().error.empty());
}

std::vector<float> weights_of(const Driver& driver) {
  const auto values = driver.model().trace()->find("weights")->tensor().values();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("every trained example opens on its map, with its heads by name") {
  Driver driver;
  for (const TrainedSet& set : trained_sets()) {
    INFO(set.id);
    open_trained(driver, set.id);
    CHECK(driver.widget("weights/trained").state == "selected");
    CHECK(driver.widget("weights/words").value == set.head.sentence);
    CHECK(driver.model().trace()->heads.front().name == set.head.name);
    CHECK(driver.model().document.look.step == "weights");
    CHECK(driver.model().notices.empty());
  }
}

TEST_CASE("the list of examples says what was learned") {
  const std::filesystem::path examples = HEADLIGHT_SOURCE_DIR "/assets/examples";
  const Listing listing = list_examples(examples);
  for (const TrainedSet& set : trained_sets()) {
    const std::string name = "trained-" + set.id + ".headlight";
    INFO(name);
    const auto listed = std::ranges::find(listing.files, name, &Listed::name);
    REQUIRE(listed != listing.files.end());
    CHECK(listed->about.ends_with(", learned"));
    CHECK(preview_of(examples / name).lines.back().starts_with(set.title + ": has learned to "));
  }
}

TEST_CASE("from trained weights to random ones and back") {
  Driver driver;
  open_trained(driver, "sorter");
  const std::vector<float> learned = weights_of(driver);
  driver.click("weights/random");
  driver.settle();
  CHECK(driver.widget("weights/init").value == "xavier_normal");
  CHECK(weights_of(driver) != learned);
  driver.click("weights/trained");
  driver.settle();
  CHECK(driver.model().document.experiment->weights->set == "sorter");
  CHECK_FALSE(driver.shows("weights/init"));
  CHECK(weights_of(driver) == learned);
}

TEST_CASE("trained weights are offered where they fit alone") {
  Driver driver;
  CHECK(driver.widget("weights/trained").state == "disabled");
  CHECK(why_not(SetWeights{"trained"}, driver.model()) ==
        "None were trained of these sizes: open the example trained-induction or trained-sorter");
  act_and_settle(driver, SetVariant{"luong"});
  CHECK(why_not(SetWeights{"trained"}, driver.model()) == "None were trained for this mechanism");
}

TEST_CASE("trained heads with other choices than they learned with are still trained, and not named") {
  Driver driver;
  open_trained(driver, "induction");
  act_and_settle(driver, SetParam{"mask", std::string("none")});
  CHECK(driver.model().error.empty());
  CHECK(driver.widget("weights/trained").state == "selected");
  CHECK(driver.widget("weights/words").value == "Learned, but not with what is chosen here.");
}

TEST_CASE("another mechanism leaves what one has learned") {
  Driver driver;
  open_trained(driver, "induction");
  act_and_settle(driver, SetVariant{"additive"});
  CHECK(driver.model().error.empty());
  CHECK(driver.model().document.experiment->weights->init == "xavier_normal");
  act_and_settle(driver, Undo{});
  CHECK(driver.widget("weights/trained").state == "selected");
}

TEST_CASE("other weights take the place of those that an experiment holds as numbers") {
  Driver driver;
  open_trained(driver, "dates");
  const auto shown = driver.model().shown.problem;
  Experiment held = *driver.model().document.experiment;
  held.weights.reset();
  for (const ArraySpec& spec : shown->specs.weights)
    if (const Tensor* weight = shown->find(spec.id)) held.inputs[spec.id] = literal_input(*weight);
  Driver of_numbers(1600, 1000, 1, held);
  const std::vector<float> learned = weights_of(of_numbers);
  act_and_settle(of_numbers, SetWeights{"xavier_normal", 3});
  CHECK(weights_of(of_numbers) != learned);
  CHECK(of_numbers.model().document.experiment->inputs.size() == 3);  // x_q, x_k and x_v
}
