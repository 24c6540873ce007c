// The whole window under a display: clicks and keys go in, pixels come out.
#include <cstdlib>

#include "app/platform/window.h"
#include "app/render/gl_map_painter.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

class WindowGround final : public Ground {
 public:
  WindowGround(Fonts& fonts, int width, int height) {
    WindowOptions options;
    options.width = width;
    options.height = height;
    options.hidden = true;
    options.clock = [this] { return now_; };
    auto window = Window::open(options, fonts);
    if (!window) FAIL(window.error().message);
    window_ = std::make_unique<Window>(std::move(*window));
    auto painter = GlMapPainter::create();
    if (!painter) FAIL(painter.error().message);
    painter_ = std::move(*painter);
  }
  void begin_frame() override {
    now_ += 1.0 / 60;
    window_->next_frame();
  }
  void end_frame() override {
    window_->present(theme(ThemeId::light).canvas);
    painter_->end_frame();
  }
  double now() const override { return now_; }
  MapPainter& painter() override { return *painter_; }
  Pixels pixels() const { return window_->capture(); }
  std::uint64_t painted() const { return painter_->painted(); }

 private:
  double now_ = 0;
  std::unique_ptr<Window> window_;
  std::unique_ptr<GlMapPainter> painter_;
};

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
