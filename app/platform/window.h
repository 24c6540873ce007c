// The window: GLFW, OpenGL 3.3 and Dear ImGui, asleep until there is something to draw; or the same without a visible
// window, for screenshots of an exact size.
//
// Not for what is drawn. Every length is in px of the framebuffer: on a display with a content scale the window's own
// coordinates are converted here and nowhere else.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/render/frame_target.h"
#include "engine/base/result.h"
#include "engine/core/served_by.h"

namespace headlight::app {

// In the window system's own units; the place without its frame.
struct WindowFrame {
  int x = 0, y = 0, width = 0, height = 0;
  bool maximized = false;
};

struct WindowOptions {
  std::string title = "Headlight";
  int width = 1600;  // px of the content, at 100 %; exact when hidden
  int height = 1000;
  std::optional<WindowFrame> frame;  // where it stood before, when it is not hidden
  bool hidden = false;
  float ui_scale = 1;             // on top of the display's own; alone when hidden
  std::function<double()> clock;  // seconds; empty: the steady clock
};

// Who does long work beside a window: a thread of its own, but in a browser, which gives a page only one.
ServedBy work_is_served_by();

class Window {
 public:
  // Fails in one line when there is no display or no OpenGL 3.3. The fonts are borrowed and must outlive the window.
  static Result<Window> open(const WindowOptions& options, Fonts& fonts);
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;
  ~Window();

  // Sleeps until a frame is due, then begins it; false when the window was asked to close. A hidden window never
  // sleeps, nor does a browser's, which asks before whether one is due.
  bool next_frame();
  // Ends the frame and shows it, where it is another than the one before.
  void present(Color32 background);

  // A frame is due at this time of the clock, whatever else happens: animations ask once a frame.
  void request_frame_at(double seconds);
  // A frame is due now. From any thread.
  void wake() const;

  double now() const;
  float scale() const;          // px for one px of the design: the display's content scale times the user's
  float content_scale() const;  // the display's
  void set_ui_scale(float ui_scale);
  int width() const;
  int height() const;
  // Fills the screen that most of it is on, or stands where it stood before. Hidden ones stay as they are.
  void fill_screen(bool fills);
  // Where it stands, or stood before it filled the screen; nothing while it is minimised or hidden, or the window
  // system does not say.
  std::optional<WindowFrame> frame() const;
  // Opens or closes a second window, on another screen where there is one: what is drawn right of width() is shown
  // there. Nothing beside a hidden window. False where it could not be opened.
  bool show_beside(bool shown, const char* title);
  // Of that window; 0 where there is none.
  int beside_width() const;
  int beside_height() const;
  // Whoever looks at it closed it: show_beside(false) is due.
  bool beside_closed() const;
  // From the next frame on. A hidden window's; others are resized by whoever looks at them.
  Status resize(int width, int height);
  void set_title(const std::string& title);
  void close();
  // Takes a request to close back, when there is something to save first.
  void keep_open();
  // Files that were dropped on the window since the last call.
  std::vector<std::filesystem::path> take_dropped();
  // What present() showed last.
  Pixels capture() const;
  // The next frame is drawn whole, whatever it has in common with the last.
  void redraw_all();

 private:
  struct State;
  explicit Window(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
