// What GLFW tells of one window, in the order in which it tells it.
#pragma once

#include <filesystem>
#include <vector>

#include "app/platform/input.h"

struct GLFWwindow;

namespace headlight::app {

struct WindowEvents {
  Input input;
  std::vector<std::filesystem::path> dropped;
  bool pointer_outside = false;
  bool exposed = false;  // what the window showed is lost
  // Of a window beside another: that one's, whose input and files these become, the pointer moved to the right.
  WindowEvents* counts_in = nullptr;
  float from_left = 0;  // px
};

// Takes the window's user pointer and its callbacks. `events` must outlive the window.
void connect_events(GLFWwindow* window, WindowEvents& events);

}  // namespace headlight::app
