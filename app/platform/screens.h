// The screens that there are, and which of them a window is on. Needs GLFW to be started.
#pragma once

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
// A screen that the window's middle is not on; null where there is one alone, or all show the same.
GLFWmonitor* another_screen(GLFWwindow* window);

}  // namespace headlight::app
