// Gradients in the window: asked of the number that is selected, they are stops and steps of their own, whose words say
// what they are of, and everything that a person does with a step can be done with them.
#include <algorithm>

#include "app/actions/action_table.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// The middle number of the output is selected, and gradients of it are asked for.
void ask(Driver& d) {
  const Step* output = d.model().trace()->output() ? d.model().trace()->output() : &d.model().trace()->steps.back();
  act(d, ShowStep{output->info.id});
  const auto middle = [&](AxisRole along) {
    const Axis* axis = output->axis(along);
    return axis ? std::optional(axis->size / 2) : std::nullopt;
  };
  act(d, Select{{middle(AxisRole::query).value_or(0), middle(AxisRole::key).value_or(1)}, true});
  act(d, AskGradient{true});
  d.settle();
}

std::vector<const Step*> gradients(const Driver& d) {
  std::vector<const Step*> found;
  for (const Step& step : d.model().trace()->steps)
    if (forward_id(step.info.id) != step.info.id) found.push_back(&step);
  return found;
}

}  // namespace

TEST_CASE("a number's gradients are asked for by its cell, seen at once, and gone by undo") {
  Driver d(1600, 1000);
  const int stops = d.model().stages();
  REQUIRE(gradients(d).empty());
  ask(d);
  REQUIRE(d.model().document.experiment->gradient);
  CHECK(d.model().document.experiment->gradient->of == "output");
  CHECK(d.model().step()->info.id == "grad_weights");
  CHECK(d.model().stages() > stops + 4);
  REQUIRE(d.shows("gradient"));
  const Step* output = d.model().trace()->find("output");
  const auto& cell = d.model().document.experiment->gradient->cell;
  const std::string number =
      fmt::format("{:.4g}", std::abs(output->tensor()[flat_at_index(output->tensor().shape(), cell)]));
  CHECK(d.widget("gradient").value.find(number) != std::string::npos);
  act(d, ShowScreen{Screen::figure});
  d.settle();
  CHECK(d.widget("figure/caption").value.find("∂ is by how much Output, query 6, channel ") != std::string::npos);
  act(d, ShowScreen{Screen::explore});
  d.press(Key::d, {.shift = true});
  d.settle();
  CHECK(d.model().step()->info.id == "weights");
  CHECK_FALSE(d.shows("gradient"));  // of the run itself nothing else is said
  d.press(Key::d, {.shift = true});
  d.settle();
  CHECK(d.model().step()->info.id == "grad_weights");
  act(d, Undo{});
  CHECK(gradients(d).empty());
  CHECK_FALSE(d.model().document.experiment->gradient);
}

TEST_CASE("a gradient follows from the run: nothing offers to set it, and each says where to go instead") {
  Driver d(1600, 1000);
  ask(d);
  REQUIRE(d.model().step()->info.id == "grad_weights");
  act(d, Select{{5, 3}, true});
  d.settle();
  CHECK_FALSE(d.shows("by hand/number"));
  REQUIRE(d.shows("by hand/gradient"));
  CHECK(d.widget("by hand/gradient").value.find("Shift D") != std::string::npos);
  CHECK(why_not(Action(PasteNumbers{}), d.model()) != "");
  act(d, ShowGradient{});
  d.settle();
  CHECK(d.shows("by hand/number"));
  CHECK_FALSE(d.shows("by hand/gradient"));
  CHECK(why_not(Action(PasteNumbers{}), d.model()).empty());
}

TEST_CASE("what is done in the window keeps the question, and a run without that number says the way out") {
  auto experiment = example_experiment();
  experiment.gradient = GradientAsked{"masked_scores", {0, 2, 5, 3}};
  Driver d(1600, 1000, 1, experiment);
  d.settle();
  act(d, ShowStep{"grad_scores"});
  const float before = d.model().step()->tensor()[(2 * 12 + 5) * 12 + 3];
  CHECK(before == Approx(1 / std::sqrt(16.0)).epsilon(0.5));  // what the scores are multiplied by
  act(d, SetParam{"mask", std::string("none")});
  CHECK(d.model().error_about.gradient);
  CHECK(d.model().error.find("masked_scores") != std::string::npos);
  act(d, AskGradient{false});
  CHECK(d.model().error.empty());
  CHECK(gradients(d).empty());
}

TEST_CASE("every gradient of every variant is drawn, explained and said of the number that was asked about") {
  int seen = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->check_gradients() ? variant->samples() : std::vector<std::string>{}) {
      INFO(json);
      const auto experiment = parse_experiment(json, HEADLIGHT_SOURCE_DIR, variant->info().id);
      REQUIRE(experiment);
      Driver d(1366, 768, 1, *experiment);
      d.settle();
      REQUIRE(d.model().trace());
      ask(d);
      if (!d.model().document.experiment->gradient) continue;  // its output has no cell that can be picked
      const std::string of = d.model().trace()->find(d.model().document.experiment->gradient->of)->info.title;
      const auto all = gradients(d);
      CHECK(all.size() > 2);
      for (std::size_t i = 0; i < all.size(); i += 3) {
        const std::string id = all[i]->info.id;
        INFO(id);
        act(d, ShowStep{id});
        d.settle();
        REQUIRE(d.model().step()->info.id == id);
        CHECK(d.widget("gradient").value.find(of) != std::string::npos);
        if (d.model().trace()->find(forward_id(id))) CHECK(all[i]->info.title.starts_with("∂ "));  // no helper
        ++seen;
      }
    }
  CHECK(seen > 200);
}
