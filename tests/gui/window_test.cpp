// The whole window under a display: clicks and keys go in, pixels come out.
#include <cstdlib>

#include "app/platform/window.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/window_ground.h"

using namespace headlight;
using namespace headlight::app;

namespace {

struct OnDisplay {
  WindowGround* ground = nullptr;
  Driver driver{[this](Fonts& fonts) {
                  auto made = std::make_unique<WindowGround>(fonts, 1600, 1000);
                  ground = made.get();
                  return made;
                },
                1600, 1000, 1};

  // Pixels that differ from `before` inside a rectangle.
  int changed(const Pixels& before, Rect where) const {
    const Pixels now = ground->pixels();
    int count = 0;
    for (int y = static_cast<int>(where.y); y < static_cast<int>(where.bottom()); ++y)
      for (int x = static_cast<int>(where.x); x < static_cast<int>(where.right()); ++x) {
        const auto at = static_cast<std::size_t>(4 * (y * now.width + x));
        for (std::size_t c = 0; c < 3; ++c)
          if (now.rgba[at + c] != before.rgba[at + c]) {
            ++count;
            break;
          }
      }
    return count;
  }
};

}  // namespace

TEST_CASE("another head is another picture, and nothing is painted at rest") {
  OnDisplay on;
  const Rect map = on.driver.widget("heatmap").rect;
  const Pixels before = on.ground->pixels();
  on.driver.frame();
  CHECK(on.changed(before, {0, 0, 1600, 1000}) == 0);
  const auto painted = on.ground->painted();
  for (int i = 0; i < 5; ++i) on.driver.frame();
  CHECK(on.ground->painted() == painted);
  on.driver.click("heads/0");
  CHECK(on.changed(before, map) > static_cast<int>(map.w * map.h / 20));
}

TEST_CASE("a window fills its screen, and stands where it stood before") {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  WindowOptions options;
  options.frame = WindowFrame{40, 30, 700, 500};
  auto window = Window::open(options, *fonts);
  REQUIRE(window);
  const auto settle = [&] {
    for (int i = 0; i < 5; ++i) {
      window->request_frame_at(0);
      REQUIRE(window->next_frame());
      window->present(0);
    }
  };
  settle();
  const auto before = window->frame();
  REQUIRE(before);
  CHECK(window->width() == 700);
  window->fill_screen(true);
  settle();
  CHECK(window->width() > 700);
  CHECK(window->height() > 500);
  CHECK(window->frame()->width == 700);  // it is remembered as it stood
  window->fill_screen(true);
  window->fill_screen(false);
  settle();
  CHECK(window->width() == 700);
  CHECK(window->height() == 500);
  CHECK(window->frame()->x == before->x);
}

TEST_CASE("a sentence is typed, stepped through, asked and left as a picture") {
  OnDisplay on;
  Driver& driver = on.driver;
  driver.click("input/x_q");
  driver.press(Key::end, {.ctrl = true});
  driver.type(" και ещё");
  CHECK(driver.model().text_of("x_q")->ends_with("και ещё"));
  CHECK(driver.model().shown.problem->dim("n_q") == 14);
  driver.click_at(driver.cell(13, 12));
  CHECK(driver.model().document.look.selection.query == 13);
  driver.press(Key::escape);
  const Pixels softmax = on.ground->pixels();
  driver.press(Key::home);
  CHECK(driver.model().stage() == 0);
  CHECK(on.changed(softmax, {320, 200, 900, 700}) > 20000);
  driver.press(Key::e, {.ctrl = true});
  REQUIRE(driver.shows("figure/preview"));
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("figure/preview"));
}
