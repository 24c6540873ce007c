// A window that has been used shows what a new one in the same state shows, pixel for pixel, whatever was done before:
// what it drew again was only what had changed from frame to frame, the new one draws everything.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfloat>
#include <cstdlib>
#include <filesystem>

#include "engine/io/file.h"
#include "engine/io/png.h"
#include "tests/catch.h"
#include "tests/gui/wander.h"
#include "tests/gui/window_ground.h"

using namespace headlight;
using namespace headlight::app;

namespace {

struct Living {
  explicit Living(const Experiment& experiment)
      : driver(
            [this](Fonts& fonts) {
              auto made = std::make_unique<WindowGround>(fonts, 1280, 800);
              ground = made.get();
              return made;
            },
            1280, 800, 1, experiment) {}

  WindowGround* ground = nullptr;
  Driver driver;

  // As it stands once nothing moves and nothing is pointed at.
  Pixels pixels() {
    send_mouse(-FLT_MAX, -FLT_MAX);
    driver.session().act(Play{false});
    driver.session().act(SetContrast{ContrastView::difference});  // A and B in turn would go by the clock
    driver.settle();
    driver.settle();
    return ground->pixels();
  }

  // The same state drawn by a session, panels and a painter that never drew anything else.
  Pixels drawn_afresh() {
    Surroundings surroundings;
    surroundings.examples = driver.model().examples;
    surroundings.fonts = driver.model().fonts;
    Session session(default_experiment("multi_head"), {}, std::move(surroundings));
    session.settle(60);
    session.take_over(driver.model());
    REQUIRE(session.settle(60));
    PanelMemory memory;
    const PanelMemory& used = driver.memory();
    memory.ui.focus = used.ui.focus;
    memory.ui.open = used.ui.open;
    memory.ui.scroll = used.ui.scroll;
    memory.ui.reduce_motion = used.ui.reduce_motion;
    memory.ui.editing = used.ui.editing;
    memory.ui.number = used.ui.number;
    memory.ui.number_typed = used.ui.number_typed;
    memory.ui.number_error = used.ui.number_error;
    memory.ui.highlighted = used.ui.highlighted;
    memory.shown_file = used.shown_file;
    memory.sheet_side = used.sheet_side;
    memory.vision = used.vision;
    memory.figure_only = used.figure_only;
    memory.numbers_at = used.numbers_at;
    memory.chips_at = used.chips_at;
    memory.lines_at = used.lines_at;
    memory.strip_at = used.strip_at;
    memory.bring_story = used.bring_story;
    memory.story_at = used.story_at;
    memory.dialog = used.dialog;
    memory.ui.parts = used.ui.parts;
    memory.more_parameters = used.more_parameters;
    memory.folded = used.folded;
    memory.inspector_tab = used.inspector_tab;
    memory.files = used.files;
    memory.browsing = used.browsing;
    memory.array = used.array;
    memory.token_typing = used.token_typing;
    memory.all_questions = used.all_questions;
    auto painter = GlMapPainter::create();
    REQUIRE(painter);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 3; ++i) driver.frame_of(session, memory, **painter);
      REQUIRE(session.settle(60));
    }
    memory.ui.scroll = used.ui.scroll;  // panels that were shorter until all was there have let go of it
    driver.frame_of(session, memory, **painter);
    ground->draw_whole();
    driver.frame_of(session, memory, **painter);
    Pixels pixels = ground->pixels();
    driver.frame();  // what it drew was of its own session: the driver's log is that of its widgets again
    return pixels;
  }
};

int differing(const Pixels& a, const Pixels& b) {
  if (a.rgba.size() != b.rgba.size()) return -1;
  int count = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4)
    count += a.rgba[i] != b.rgba[i] || a.rgba[i + 1] != b.rgba[i + 1] || a.rgba[i + 2] != b.rgba[i + 2];
  return count;
}

// For eyes: where a difference was found.
std::string kept(const Pixels& pixels, const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() / ("headlight-" + name + ".png");
  if (const auto png = encode_png(Image{pixels.width, pixels.height, pixels.rgba}))
    if (!write_file(path, *png)) return "";
  return path.string();
}

Index times(const char* variable, Index usual) {
  const char* text = std::getenv(variable);
  return text ? std::atoll(text) : usual;
}

void wander(const Start& start, std::uint64_t seed) {
  Living living(start.experiment);
  Wanderer wanderer(seed);
  const Model first = living.driver.model();
  const Index bursts = times("HEADLIGHT_BURSTS", 6);
  for (Index burst = 0; burst < bursts; ++burst) {
    if (burst % 3 == 2) wanderer.resize(living.driver);
    if (burst % 2 == 0) living.driver.session().take_over(first);  // as it began, in a window that has been used
    living.driver.settle();
    for (int i = 0; i < 18; ++i) wanderer.act(living.driver, burst % 2 == 0 ? Mood::looking : Mood::changing);
    const Pixels used = living.pixels();
    const Model& model = living.driver.model();
    // What failed keeps the picture of the last good run, which a new window has not seen.
    if (!model.error.empty() || model.cancelled || !model.trace() || living.driver.session().wants_to_quit()) {
      living.driver.session().act(Undo{});
      living.driver.settle();
      continue;
    }
    const Pixels fresh = living.drawn_afresh();
    const int count = differing(used, fresh);
    if (count != 0) {
      INFO(start.name << ", seed " << seed << ": " << fmt::format("{}", fmt::join(wanderer.log(), "\n")));
      INFO(kept(used, "used") << " " << kept(fresh, "fresh"));
      FAIL_CHECK(count << " pixels differ");
      return;
    }
  }
}

}  // namespace

TEST_CASE("what is shown does not depend on what was shown before") {
  std::uint64_t seed = static_cast<std::uint64_t>(times("HEADLIGHT_SEED", 1));
  const char* only = std::getenv("HEADLIGHT_START");
  for (const Start& start : starts()) {
    ++seed;
    if (only && start.name != only) continue;
    DYNAMIC_SECTION(start.name) {
      wander(start, seed);
    }
  }
}

TEST_CASE("the overlay and every head follow the step in the next frame") {
  for (const Start& start : starts()) {
    if (start.name != "stand_alone_2d, picture" && start.name != "multi_head, text") continue;
    Living living(start.experiment);
    Driver& driver = living.driver;
    const int stages = static_cast<int>(driver.model().trace()->stages.size());
    for (int stage = 0; stage < stages; ++stage) {
      driver.session().act(GoStage{stage});
      driver.frame();
      const Pixels at_once = living.ground->pixels();
      INFO(start.name << ", step " << driver.model().step()->info.id);
      CHECK(differing(at_once, living.drawn_afresh()) == 0);
    }
  }
}
