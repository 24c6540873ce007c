// A window that has been used shows what a new one in the same state shows, pixel for pixel, whatever was done before:
// what it drew again was only what had changed from frame to frame, the new one draws everything.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cfloat>
#include <cstdlib>
#include <filesystem>

#include "app/panels/common/token_list.h"
#include "app/panels/dialogs/parts.h"
#include "app/panels/export/parts.h"
#include "app/panels/inspector/parts.h"
#include "app/panels/setup/parts.h"
#include "app/panels/train/parts.h"
#include "app/panels/views/parts.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
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
    driver.session().act(PlayTraining{false});
    driver.session().act(SetContrast{ContrastView::difference});  // A and B in turn would go by the clock
    driver.settle();
    driver.settle();
    return ground->pixels();
  }

  template <class Own>
  static void same_in(PanelMemory& memory, PanelMemory& used) {
    memory.get<Own>() = used.get<Own>();
  }

  // The same state drawn by a session, panels and a painter that never drew anything else.
  Pixels drawn_afresh() {
    Surroundings surroundings;
    surroundings.examples = driver.model().examples;
    surroundings.fonts = driver.model().fonts;
    Session session(default_experiment("multi_head"), {}, std::move(surroundings));
    session.settle();
    session.take_over(driver.model());
    REQUIRE(session.settle());
    PanelMemory memory;
    PanelMemory& used = driver.memory();
    memory.ui.focus = used.ui.focus;
    memory.ui.open = used.ui.open;
    memory.ui.scroll = used.ui.scroll;
    memory.ui.reduce_motion = used.ui.reduce_motion;
    memory.ui.editing = used.ui.editing;
    memory.ui.number = used.ui.number;
    memory.ui.number_typed = used.ui.number_typed;
    memory.ui.number_error = used.ui.number_error;
    memory.ui.highlighted = used.ui.highlighted;
    memory.ui.parts = used.ui.parts;
    ExportMemory& exported = memory.get<ExportMemory>();
    exported.shown_file = used.get<ExportMemory>().shown_file;
    exported.sheet_side = used.get<ExportMemory>().sheet_side;
    exported.vision = used.get<ExportMemory>().vision;
    exported.figure_only = used.get<ExportMemory>().figure_only;
    exported.files = used.get<ExportMemory>().files;
    exported.words_tab = used.get<ExportMemory>().words_tab;
    same_in<NumbersMemory>(memory, used);
    same_in<TokenListMemory>(memory, used);
    same_in<TrainMemory>(memory, used);
    same_in<LinesMemory>(memory, used);
    same_in<StripAt>(memory, used);
    same_in<InspectorMemory>(memory, used);
    same_in<DialogsMemory>(memory, used);
    same_in<FoldsMemory>(memory, used);
    same_in<FileDialog>(memory, used);
    same_in<ArrayChoice>(memory, used);
    auto painter = GlMapPainter::create();
    REQUIRE(painter);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 3; ++i) driver.frame_of(session, memory, **painter);
      REQUIRE(session.settle());
      memory.background.flush();
    }
    memory.ui.scroll = used.ui.scroll;  // panels that were shorter until all was there have let go of it
    driver.frame_of(session, memory, **painter);
    ground->redraw_all();
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
  const app::Model first = living.driver.model();
  const Index bursts = times("HEADLIGHT_BURSTS", 6);
  for (Index burst = 0; burst < bursts; ++burst) {
    if (burst % 3 == 2) wanderer.resize(living.driver);
    if (burst % 2 == 0) living.driver.session().take_over(first);  // as it began, in a window that has been used
    living.driver.settle();
    for (int i = 0; i < 18; ++i) wanderer.act(living.driver, burst % 2 == 0 ? Mood::looking : Mood::changing);
    const Pixels used = living.pixels();
    const app::Model& model = living.driver.model();
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
