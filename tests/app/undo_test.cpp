// What undo keeps in memory: what changed, and no more than that.
#include "app/actions/update.h"
#include "app/model/document.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr std::size_t numbers = 10'000'000;  // 40 MB

LiteralInput large_array(float value) {
  return {{1, 1, static_cast<Index>(numbers)}, std::vector<float>(numbers, value)};
}

// The example with an array of 40 MB in it.
Model large_model() {
  Experiment experiment = example_experiment();
  experiment.inputs["w_q"] = large_array(0.5F);
  Model model;
  model.document.experiment = std::make_shared<const Experiment>(std::move(experiment));
  return model;
}

}  // namespace

TEST_CASE("changes of view share the experiment in undo, and edits of a text what else is in it") {
  Model model = large_model();
  const auto first = model.document.experiment;
  for (int i = 1; i <= 500; ++i) {
    if (i % 2 == 0)
      update(model, SetThreshold{0.001 * i});
    else
      update(model, SetMode{i % 4 == 1 ? ViewMode::lines : ViewMode::map});
    if (i % 25 == 0) update(model, SetText{"x_q", "text " + std::to_string(i), false});
  }
  CHECK(model.history.undo.size() == 520);
  CHECK(bytes_held(model) < 2'000'000);
  const auto last = model.document.experiment;
  while (!model.history.undo.empty()) update(model, Undo{});
  CHECK(model.document.experiment == first);
  CHECK(model.document.look == Look());
  while (!model.history.redo.empty()) update(model, Redo{});
  CHECK(model.document.experiment == last);
}

TEST_CASE("the oldest entries of undo go where they hold too much, and the newest stays") {
  Model model = large_model();
  for (int i = 1; i <= 10; ++i) update(model, SetInput{"x_q", large_array(static_cast<float>(i))});
  update(model, SetThreshold{0.5});  // what the last edit left is counted with the next entry
  CHECK(bytes_held(model) > largest_history / 2);
  CHECK(bytes_held(model) <= largest_history);
  CHECK(model.history.undo.size() < 10);
  for (int i = 0; i < 2; ++i) update(model, Undo{});
  CHECK(std::get<LiteralInput>(model.document.experiment->inputs.at("x_q")).values->front() == 9);
}

TEST_CASE("the experiment that others hold does not change when it is edited") {
  Model model;
  load_first(model, example_experiment(), {});
  const auto held = model.document.experiment;
  const std::string before = to_json(*held, {});
  update(model, SetParam{"temperature", 2.0, true});
  update(model, SetParam{"temperature", 3.0, true});  // the same entry of undo
  update(model, SetText{"x_q", "another text", false});
  CHECK(model.document.experiment != held);
  CHECK(to_json(*held, {}) == before);
  CHECK(model.history.undo.size() == 2);
}
