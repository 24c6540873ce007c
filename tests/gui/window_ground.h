// Frames on a hidden window of the display at hand, with their pixels.
#pragma once

#include <memory>

#include "app/platform/window.h"
#include "app/render/gl_map_painter.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"

namespace headlight::app {

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
  void end_frame(Color32 background) override {
    window_->present(background);
    painter_->end_frame();
  }
  void resize(int width, int height) override { REQUIRE(window_->resize(width, height)); }
  void set_ui_scale(float scale) override { window_->set_ui_scale(scale); }
  double now() const override { return now_; }
  MapPainter& painter() override { return *painter_; }
  Pixels pixels() const { return window_->capture(); }
  std::uint64_t painted() const { return painter_->painted(); }
  // The next frame owes nothing to the one before it.
  void redraw_all() { window_->redraw_all(); }

 private:
  double now_ = 0;
  std::unique_ptr<Window> window_;
  std::unique_ptr<GlMapPainter> painter_;
};

}  // namespace headlight::app
