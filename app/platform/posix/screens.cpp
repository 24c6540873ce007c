#include "app/platform/posix/screens.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <span>
#include <utility>

namespace headlight::app {

namespace {

std::span<GLFWmonitor*> screens() {
  int count = 0;
  GLFWmonitor** all = glfwGetMonitors(&count);
  return {all, static_cast<std::size_t>(count)};
}

// Without the window system's own bars.
WindowFrame room_of(GLFWmonitor* screen) {
  WindowFrame room;
  glfwGetMonitorWorkarea(screen, &room.x, &room.y, &room.width, &room.height);
  return room;
}

// All of it; empty where it is off.
WindowFrame area_of(GLFWmonitor* screen) {
  WindowFrame area;
  glfwGetMonitorPos(screen, &area.x, &area.y);
  if (const GLFWvidmode* mode = glfwGetVideoMode(screen)) {
    area.width = mode->width;
    area.height = mode->height;
  }
  return area;
}

// A screen that the window's middle is not on; null where there is one alone, or all show the same.
GLFWmonitor* another_screen(GLFWwindow* window) {
  WindowFrame frame;
  glfwGetWindowPos(window, &frame.x, &frame.y);
  glfwGetWindowSize(window, &frame.width, &frame.height);
  const int x = frame.x + frame.width / 2, y = frame.y + frame.height / 2;
  for (GLFWmonitor* screen : screens()) {
    const WindowFrame area = area_of(screen);
    const bool on_it = x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
    if (area.width > 0 && !on_it) return screen;
  }
  return nullptr;
}

}  // namespace

bool is_on_a_screen(const WindowFrame& frame) {
  constexpr int least = 64;
  return std::ranges::any_of(screens(), [&](GLFWmonitor* screen) {
    const WindowFrame room = room_of(screen);
    return frame.x + frame.width >= room.x + least && frame.x + least <= room.x + room.width && frame.y >= room.y &&
           frame.y + least <= room.y + room.height;
  });
}

GLFWmonitor* screen_under(const WindowFrame& frame) {
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  long most = 0;
  for (GLFWmonitor* screen : screens()) {
    const WindowFrame area = area_of(screen);
    const long across = std::min(frame.x + frame.width, area.x + area.width) - std::max(frame.x, area.x),
               down = std::min(frame.y + frame.height, area.y + area.height) - std::max(frame.y, area.y);
    if (across <= 0 || down <= 0 || across * down <= most) continue;
    most = across * down;
    best = screen;
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
  GLFWmonitor* screen = screen_under(frame);
  const WindowFrame room = screen ? room_of(screen) : WindowFrame{};
  return room.width > 0 && room.height > 0 ? fitted_to(room, frame) : frame;
}

void request_context() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
}

std::unique_ptr<SecondWindow> SecondWindow::open(GLFWwindow* first, WindowEvents& events, const char* title) {
  GLFWmonitor* screen = another_screen(first);
  request_context();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until it stands where it belongs
  glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_FALSE);
  glfwWindowHint(GLFW_FLOATING, screen ? GLFW_FALSE : GLFW_TRUE);  // where there is one screen, it is filled
  GLFWwindow* handle = glfwCreateWindow(1000, 640, title, nullptr, first);
  if (!handle) return nullptr;
  std::unique_ptr<SecondWindow> beside(new SecondWindow);
  beside->first_ = first;
  beside->handle_ = handle;
  glfwSetWindowSizeLimits(handle, 480, 320, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (screen) {
    const WindowFrame room = room_of(screen);
    glfwSetWindowPos(handle, room.x + room.width / 8, room.y + room.height / 8);
    glfwSetWindowSize(handle, room.width * 3 / 4, room.height * 3 / 4);
    glfwMaximizeWindow(handle);
  }
  beside->events_.counts_in = &events;
  connect_events(handle, beside->events_);
  glfwShowWindow(handle);
  glfwMakeContextCurrent(handle);
  glfwSwapInterval(0);  // the first one waits for its screen
  glGenFramebuffers(1, &beside->framebuffer_);
  glfwMakeContextCurrent(first);
  beside->refresh(0);
  return beside;
}

SecondWindow::~SecondWindow() {
  glfwDestroyWindow(handle_);
}

void SecondWindow::refresh(int from_left) {
  glfwGetFramebufferSize(handle_, &width_, &height_);
  events_.from_left = static_cast<float>(from_left);
}

bool SecondWindow::wants_to_close() const {
  return glfwWindowShouldClose(handle_) == GLFW_TRUE;
}

bool SecondWindow::take_exposed() {
  return std::exchange(events_.exposed, false);
}

void SecondWindow::show(GLuint texture, int texture_height, int from_left) {
  if (width_ < 1 || height_ < 1) return;
  glFinish();  // what the other context draws is there
  glfwMakeContextCurrent(handle_);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(from_left, texture_height - height_, from_left + width_, texture_height, 0, 0, width_, height_,
                    GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glfwSwapBuffers(handle_);
  glfwMakeContextCurrent(first_);
}

}  // namespace headlight::app
