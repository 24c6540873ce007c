#include "app/platform/second_window.h"

#include <GLFW/glfw3.h>

#include <utility>

#include "app/platform/screens.h"

namespace headlight::app {

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
    int x = 0, y = 0, width = 0, height = 0;
    glfwGetMonitorWorkarea(screen, &x, &y, &width, &height);
    glfwSetWindowPos(handle, x + width / 8, y + height / 8);
    glfwSetWindowSize(handle, width * 3 / 4, height * 3 / 4);
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
