// A Dear ImGui context without a window or OpenGL: layout, hit testing and draw lists are real, pixels are not. A frame
// takes microseconds, so panels are tested on it.
#pragma once

#include <memory>

#include "app/platform/fonts.h"
#include "app/render/map_painter.h"
#include "tests/gui/send.h"

struct ImGuiContext;
struct ImDrawData;

namespace headlight::app {

class NullPainter final : public MapPainter {
 public:
  std::uintptr_t paint(const std::string&, const NumbersOf&, const MatrixView&, int, int, const MapLook&) override {
    return 0;
  }
  std::uintptr_t picture(const std::string&, std::uint64_t, int, int, const std::uint32_t*) override { return 0; }
};

class NullBackend {
 public:
  // A display of fixed size in px. The fonts are borrowed and must outlive the backend; they are built at `scale`.
  NullBackend(Fonts& fonts, float width, float height, float scale);
  ~NullBackend();
  NullBackend(const NullBackend&) = delete;
  NullBackend& operator=(const NullBackend&) = delete;

  // From the next frame on.
  void resize(float width, float height);
  void set_scale(float scale) { scale_ = scale; }

  // One frame, `seconds` after the last.
  void begin_frame(double seconds = 1.0 / 60.0);
  const ImDrawData& end_frame();
  // More was sent than the last frame took.
  bool waiting() const { return input_.waiting(); }
  // Seconds of frames so far.
  double now() const { return now_; }

 private:
  Fonts& fonts_;
  float scale_;
  double now_ = 0;
  Input input_;
  ImGuiContext* context_;
};

}  // namespace headlight::app
