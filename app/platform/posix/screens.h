// The screens that there are, which of them a window is on, and a second window on another. Needs GLFW to be started.
#pragma once

#include <epoxy/gl.h>

#include <memory>

#include "app/platform/posix/window_input.h"
#include "app/platform/window.h"

struct GLFWmonitor;
struct GLFWwindow;

namespace headlight::app {

// Whether enough of it lies on a screen for its title to be grasped: screens are taken away, too.
bool is_on_a_screen(const WindowFrame& frame);
// A frame that is larger than the room of a screen, made as large as that and moved into it; any other as it is.
WindowFrame fitted_to(const WindowFrame& room, WindowFrame frame);
// The same with the room of the screen that most of it is on, without the window system's own bars.
WindowFrame fit_to_screen(const WindowFrame& frame);
// The screen that most of the window is on; null where there is none.
GLFWmonitor* screen_under(const WindowFrame& frame);

// The next window has a context of OpenGL 3.3, and is as GLFW makes windows otherwise.
void request_context();

// On another screen where there is one: it shows a part of what the first one draws, and what is pressed in it counts
// as pressed there.
class SecondWindow {
 public:
  // Beside `first`, whose context is current and stays so, and whose events take what happens in it. Null where there
  // can be none. Both must outlive it.
  static std::unique_ptr<SecondWindow> open(GLFWwindow* first, WindowEvents& events, const char* title);
  SecondWindow(const SecondWindow&) = delete;
  SecondWindow& operator=(const SecondWindow&) = delete;
  ~SecondWindow();

  // px; of the framebuffer.
  int width() const { return width_; }
  int height() const { return height_; }
  // Looks again how large it is, and takes what is pressed in it to be `from_left` px to the right in the frame.
  void refresh(int from_left);
  bool wants_to_close() const;
  // Its contents were lost since it was asked last.
  bool take_exposed();
  // Shows what the texture, `texture_height` px high, has from `from_left` on at its top.
  void show(GLuint texture, int texture_height, int from_left);

 private:
  SecondWindow() = default;

  GLFWwindow* first_ = nullptr;
  GLFWwindow* handle_ = nullptr;
  WindowEvents events_;
  GLuint framebuffer_ = 0;  // of its own context, with which it goes
  int width_ = 0, height_ = 0;
};

}  // namespace headlight::app
