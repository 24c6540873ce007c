// What panels prepare of a result: once a change, not once a frame.
#include "app/panels/common/prepared.h"

#include "app/actions/update.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Prepared::Counts counts(Driver& driver) {
  return driver.memory().get<Prepared>().counts();
}

// What frames prepare in which nothing changes.
Prepared::Counts counts_after_frames(Driver& driver) {
  for (int i = 0; i < 3; ++i) driver.frame();
  return counts(driver);
}

}  // namespace

TEST_CASE("a frame in which nothing changed prepares nothing again") {
  Driver driver;
  act(driver, Select{{9, 3}, true});
  for (const char* line : {"mode matrix", "mode map", "mode lines", "mode numbers", "mode mechanism", "mode matrix",
                           "step scores", "pin-second 9 5", "screen masks", "screen explore", "screen compare"}) {
    const auto action = parse_action(line);
    REQUIRE(action);
    act(driver, *action);
    INFO(line);
    const Prepared::Counts before = counts(driver);
    CHECK((counts_after_frames(driver) == before));
  }
  CHECK(counts(driver).extents > 0);
  CHECK(counts(driver).labels > 0);
  CHECK(counts(driver).stories > 1);
}

TEST_CASE("a changed selection prepares the story of its cell and nothing else") {
  Driver driver;
  act(driver, SetMode{ViewMode::matrix});
  act(driver, Select{{9, 3}, true});
  const Prepared::Counts before = counts(driver);
  act(driver, Select{{9, 4}, true});
  Prepared::Counts expected = before;
  ++expected.stories;
  CHECK((counts(driver) == expected));
  act(driver, Select{{9, 3}, true});  // it is still known
  CHECK((counts(driver) == expected));
}

TEST_CASE("a new run is prepared anew, but for labels that stay the same") {
  Driver driver;
  act(driver, SetMode{ViewMode::matrix});
  act(driver, Select{{9, 3}, true});
  const Prepared::Counts before = counts(driver);
  act(driver, SetParam{"temperature", 2.0, false});
  const Prepared::Counts after = counts(driver);
  CHECK(after.extents > before.extents);
  CHECK(after.stories > before.stories);
  CHECK(after.labels == before.labels);
}

TEST_CASE("of things that were made the last ones are kept") {
  LastMade<int, int> list(2);
  const auto get = [&](int key) { return list.get(key, [&] { return 10 * key; }); };
  CHECK(get(1) == 10);
  CHECK(get(2) == 20);
  CHECK(get(1) == 10);
  CHECK(list.count() == 2);
  CHECK(get(3) == 30);  // in place of 2, which was asked for before 1
  CHECK(get(1) == 10);
  CHECK(list.count() == 3);
  CHECK(get(2) == 20);
  CHECK(list.count() == 4);
}
