#include "app/platform/screens.h"

#include <GLFW/glfw3.h>

#include <algorithm>

namespace headlight::app {

bool is_on_a_screen(const WindowFrame& frame) {
  constexpr int least = 64;
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    glfwGetMonitorWorkarea(monitors[i], &x, &y, &width, &height);
    if (frame.x + frame.width >= x + least && frame.x + least <= x + width && frame.y >= y &&
        frame.y + least <= y + height)
      return true;
  }
  return false;
}

GLFWmonitor* screen_under(const WindowFrame& frame) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  long most = 0;
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0;
    glfwGetMonitorPos(monitors[i], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (!mode) continue;
    const long across = std::min(frame.x + frame.width, x + mode->width) - std::max(frame.x, x),
               down = std::min(frame.y + frame.height, y + mode->height) - std::max(frame.y, y);
    if (across <= 0 || down <= 0 || across * down <= most) continue;
    most = across * down;
    best = monitors[i];
  }
  return best;
}

WindowFrame fitted_to(const WindowFrame& room, WindowFrame frame) {
  if (frame.width <= room.width && frame.height <= room.height) return frame;
  constexpr int title = 40;  // px at most, of the bar that the window system puts above it
  frame.width = std::min(frame.width, room.width);
  frame.height = std::min(frame.height, room.height - title);
  frame.x = std::clamp(frame.x, room.x, room.x + room.width - frame.width);
  frame.y = std::clamp(frame.y, room.y + title, room.y + room.height - frame.height);
  return frame;
}

WindowFrame fit_to_screen(const WindowFrame& frame) {
  WindowFrame room;
  if (GLFWmonitor* screen = screen_under(frame))
    glfwGetMonitorWorkarea(screen, &room.x, &room.y, &room.width, &room.height);
  return room.width > 0 && room.height > 0 ? fitted_to(room, frame) : frame;
}

GLFWmonitor* another_screen(GLFWwindow* window) {
  int left = 0, top = 0, width = 0, height = 0;
  glfwGetWindowPos(window, &left, &top);
  glfwGetWindowSize(window, &width, &height);
  const int x = left + width / 2, y = top + height / 2;
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    int at_x = 0, at_y = 0;
    glfwGetMonitorPos(monitors[i], &at_x, &at_y);
    if (mode && (x < at_x || x >= at_x + mode->width || y < at_y || y >= at_y + mode->height)) return monitors[i];
  }
  return nullptr;
}

}  // namespace headlight::app
