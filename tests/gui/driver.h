// Drives the whole screen as a person would, without a window: clicks and keys by the paths that widgets log.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/panels/common/shown.h"
#include "app/platform/input.h"
#include "app/render/map_painter.h"
#include "app/session/session.h"
#include "tests/gui/null_backend.h"

namespace headlight::app {

// What frames are drawn on.
class Ground {
 public:
  virtual ~Ground() = default;
  virtual void begin_frame() = 0;
  virtual void end_frame(Color32 background) = 0;
  virtual void resize(int width, int height) = 0;
  virtual void set_ui_scale(float scale) = 0;
  virtual double now() const = 0;
  virtual MapPainter& painter() = 0;
};

class Driver {
 public:
  // On a backend without a window.
  explicit Driver(float width = 1600, float height = 1000, float scale = 1,
                  Experiment experiment = example_experiment());
  // On what `make` makes for these fonts.
  using MakeGround = std::function<std::unique_ptr<Ground>(Fonts&)>;
  Driver(const MakeGround& make, float width, float height, float scale, Experiment experiment = example_experiment());

  Session& session() { return session_; }
  const Model& model() const { return session_.model(); }
  // What was copied last, or is to be pasted.
  std::string& clipboard() { return *clipboard_; }
  const WidgetLog& log() const { return log_; }
  bool shows(const std::string& path) const { return log_.contains(path); }
  // The widget must be on the screen.
  const LoggedWidget& widget(const std::string& path) const;

  void frame();
  // A frame of another session on the same ground, with what its panels remember and a painter of its own.
  void frame_of(Session& session, PanelMemory& memory, MapPainter& painter);
  void resize(int width, int height);
  // A window for notes lies there, in px of the same frame.
  void lay_notes(Rect place) { notes_ = place; }
  PanelMemory& memory() { return memory_; }
  // When the picture drawn last changes by itself, on the ground's clock; far away when it is at rest.
  double next_redraw() const { return next_redraw_; }
  double now() const { return ground_->now(); }
  // Whether more was sent than the last frame took.
  bool waiting() const;
  // Frames until all that was sent has been taken and nothing is under way.
  void empty_queue();
  // Frames until nothing is under way and two of them drew the same.
  void settle();
  void move_to(Point at);
  void click_at(Point at);
  void click(const std::string& path);
  // A cell of the large map.
  Point cell(Index row, Index column) const;
  void press(Key key, Modifiers held = {});
  void type(const std::string& text);

 private:
  Fonts fonts_;
  std::unique_ptr<Ground> ground_;
  std::shared_ptr<std::string> clipboard_;
  Session session_;
  PanelMemory memory_;
  WidgetLog log_;
  float width_, height_, scale_;
  Rect notes_;
  double next_redraw_ = 0;
};

// Acts as a person does, and settles.
void act(Driver& driver, const Action& action);

}  // namespace headlight::app
