// A network that was trained here in a session: its folder opens with the example that it reads, every layer of it as
// an experiment of the same map, and a symbol that it reads and never says.
#include <filesystem>

#include "app/model/network_run.h"
#include "app/session/opening.h"
#include "app/session/session.h"
#include "engine/learn/training_file.h"
#include "engine/learn/training_folder.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

void train(const char* json, const fs::path& folder) {
  std::vector<std::string> notices;
  auto plan = learn::parse_training(json, {}, "test", notices);
  REQUIRE(plan);
  ThreadPool pool(1);
  Compute compute(pool);
  const auto training = learn::Training::make(std::move(*plan), compute);
  REQUIRE(training);
  REQUIRE(learn::write_training(folder, **training, {}));
}

void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
  REQUIRE(session.settle());
}

void check_layers_open(const char* json) {
  INFO(json);
  const Scratch scratch;
  train(json, scratch / "learned");
  const auto asked = model_in(scratch / "learned", {});
  REQUIRE(asked);
  Session session(*asked, {}, {});
  REQUIRE(session.settle());
  REQUIRE(session.model().net.run);
  const NetworkRun run = *session.model().net.run;
  CHECK(run.report.used == run.report.arrays);
  for (Index layer = 0; layer < run.plan().layers; ++layer) {
    act(session, OpenLayer{layer});
    CHECK(session.model().error.empty());
    REQUIRE(session.model().trace());
    const Step* map = session.model().trace()->map();
    REQUIRE(map);
    CHECK(map->tensor().size() == run.parts[0].maps[static_cast<std::size_t>(layer)]->size());
    CHECK(map->tensor()[0] == (*run.parts[0].maps[static_cast<std::size_t>(layer)])[0]);
    act(session, CloseLayer{});
  }
}

}  // namespace

TEST_CASE("what was trained here opens, and each of its layers") {
  check_layers_open(R"({"train": {"task": "repeat", "options": {"d": 8, "positions": "learned", "block": "bare"}}})");
  check_layers_open(R"({"train": {"task": "positions", "options": {"d": 8, "block": "pre_norm", "layers": 2}}})");
}

TEST_CASE("a symbol that is read and never said has no share of the answers") {
  const Scratch scratch;
  train(R"({"train": {"task": "order", "options": {"d": 8, "kind": "sort", "symbols": 12}}})", scratch / "learned");
  const auto asked = model_in(scratch / "learned", {});
  REQUIRE(asked);
  REQUIRE(asked->tokens->text->find('|') != std::string::npos);
  Session session(*asked, {}, {});
  REQUIRE(session.settle());
  const NetworkRun& run = *session.model().net.run;
  CHECK(run.logits->dim(-1) == 12);
  CHECK(run.probability(3, 12) == 0);
  CHECK(run.likelihoods[10] == 0);  // the stroke behind ten symbols
}
