// The window's thread opens, reads and writes no file, be it for what its panels show.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <fstream>

#include "app/panels/export/parts.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/missing.h"
#include "tests/scratch.h"

namespace {

thread_local int opened = 0;  // files, by this thread

int count_and_open(const char* path, int flags, mode_t mode) {
  ++opened;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

// In place of the system's, for libraries too.
extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  return count_and_open(path, flags, mode);
}
extern "C" int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  return count_and_open(path, flags, mode);
}

using namespace headlight;
using namespace headlight::app;

namespace {

// Bytes that the calling thread has read and written; none where the system does not count them.
std::optional<long> bytes_moved() {
  std::ifstream counters("/proc/thread-self/io");
  std::string name;
  long read = 0, written = 0;
  if (counters >> name >> read && name == "rchar:" && counters >> name >> written && name == "wchar:")
    return read + written;
  return std::nullopt;
}

}  // namespace

TEST_CASE("no file is opened on the window's thread while panels are drawn, files saved and figures previewed") {
  if (!bytes_moved()) return test::left_out("the system does not count what a thread reads (/proc/thread-self/io)");
  const Scratch folder;
  Driver driver(1600, 1000, 1);
  const auto check = [&](const std::string& what, const auto& act) {
    INFO(what);
    opened = 0;
    const long before = *bytes_moved();
    act();
    driver.settle();
    CHECK(opened == 0);
    CHECK(*bytes_moved() - before < 20'000);  // of /proc, and of what counts the bytes
  };
  const auto check_action = [&](const Action& action) {
    check(to_text(action), [&] { driver.session().act(action); });
  };
  check_action(Save{folder / "one.headlight"});
  CHECK(driver.widget("top/state").value == "Saved");
  check_action(SetParam{"temperature", 2.0, false});
  check_action(Save{});
  check_action(Open{folder / "one.headlight"});
  check_action(ShowDialog{Dialog::open});
  check_action(Browse{folder / ""});
  check_action(ShowDialog{Dialog::none});
  check_action(ShowScreen{Screen::figure});
  REQUIRE(driver.shows("figure/preview"));
  check("typing a caption", [&] {
    driver.click("figure/caption");
    driver.type("Who looks at whom");
  });
  CHECK(driver.model().document.figure.caption.value_or("").find("Who looks at whom") != std::string::npos);
  check_action(SetFigure{"font", "serif"});
  check_action(SaveFigure{folder / "figure.svg"});
  check_action(ShowScreen{Screen::worksheet});
  REQUIRE(driver.shows("sheet/preview"));
  check_action(SetSheet{"seed", "7"});
  check_action(SaveSheet{folder / "sheet.pdf"});
  CHECK(folder.contents().size() == 4);
  // The control: what this thread opens is counted.
  opened = 0;
  REQUIRE(FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER)));
  CHECK(opened > 0);
}

TEST_CASE("the last preview stays until the next is drawn, and what is typed meanwhile is seen at once") {
  Driver driver(1600, 1000, 1);
  act(driver, ShowScreen{Screen::figure});
  const auto& figure = driver.memory().get<ExportMemory>().figure;
  const auto revision = figure.revision();
  const std::string size = driver.widget("figure/preview").value;
  driver.session().act(SetFigure{"caption", "Mine", true});
  driver.session().act(SetFigure{"width", "89mm"});
  driver.frame();
  CHECK(figure.revision() == revision);  // the next is asked for
  CHECK(driver.widget("figure/caption").value == "Mine");
  CHECK(driver.shows("figure/preview"));
  driver.settle();
  CHECK(figure.revision() > revision);
  CHECK(figure.value().caption == "Mine");
  CHECK(driver.widget("figure/preview").value != size);
}
