#include "app/platform/window.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <tuple>
#include <utility>

#include "app/platform/drawing.h"
#include "app/platform/posix/screens.h"
#include "app/platform/posix/window_input.h"

namespace headlight::app {

namespace {

std::string glfw_reason() {
  const char* text = nullptr;
  return glfwGetError(&text) != GLFW_NO_ERROR && text ? text : "no reason given";
}

}  // namespace

struct Window::State {
  std::function<double()> clock;
  GLFWwindow* handle = nullptr;
  bool glfw_started = false, hidden = false;
  std::optional<WindowFrame> before;  // it filled the screen
  float user_scale = 1, content_scale = 1;
  int width = 0, height = 0;
  int owed = frames_after_event;
  double due = never;
  WindowEvents events;
  std::unique_ptr<SecondWindow> beside;
  GLFWcursor* text_cursor = nullptr;
  bool shows_text_cursor = false;
  Drawing drawing;
  bool showed_nothing_new = false;  // the last frame

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();
  Status start_glfw(const WindowOptions& options);
  void start_drawing(Fonts& fonts);
  void sleep();
  void refresh_size();
  // What is drawn on: this window, and at its right the one beside it.
  int all_width() const { return std::max(width, 1) + (beside ? beside->width() : 0); }
  int all_height() const { return std::max({height, 1, beside ? beside->height() : 1}); }
  void show(bool drawn);
  void show_cursor();
};

Window::State::~State() {
  drawing.end();
  beside.reset();
  if (handle) glfwDestroyWindow(handle);
  if (glfw_started) glfwTerminate();
}

namespace {

// The usual size is more than a small screen has, and what is remembered may have stood on a larger one.
void keep_on_screen(GLFWwindow* window) {
  WindowFrame now;
  glfwGetWindowPos(window, &now.x, &now.y);
  glfwGetWindowSize(window, &now.width, &now.height);
  const WindowFrame fitted = fit_to_screen(now);
  if (fitted.width == now.width && fitted.height == now.height) return;
  glfwSetWindowSize(window, fitted.width, fitted.height);
  glfwSetWindowPos(window, fitted.x, fitted.y);
}

}  // namespace

Status Window::State::start_glfw(const WindowOptions& options) {
  if (glfwInit() != GLFW_TRUE)
    return fail("no display to open a window on ({}): set DISPLAY, or use `headlight render`, which needs none",
                glfw_reason());
  glfw_started = true;
  request_context();
  // A size that is remembered was measured on the screen.
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, options.hidden || options.frame ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, options.hidden ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);  // it fills a screen while another window has the keyboard
  if (options.frame && options.frame->maximized) glfwWindowHint(GLFW_MAXIMIZED, GLFW_TRUE);
  int w = options.width, h = options.height;
  if (options.frame) {
    w = options.frame->width;
    h = options.frame->height;
  }
  if (options.hidden) w = h = 64;
  handle = glfwCreateWindow(w, h, options.title.c_str(), nullptr, nullptr);
  if (!handle)
    return fail("this display offers no OpenGL 3.3 ({}): update its driver, or set LIBGL_ALWAYS_SOFTWARE=1",
                glfw_reason());
  if (options.frame && !options.frame->maximized && is_on_a_screen(*options.frame))
    glfwSetWindowPos(handle, options.frame->x, options.frame->y);
  if (!options.hidden && !(options.frame && options.frame->maximized)) keep_on_screen(handle);
  glfwMakeContextCurrent(handle);
  if (epoxy_gl_version() < 33)
    return fail("this display offers OpenGL {}.{} and 3.3 is needed: update its driver, or set LIBGL_ALWAYS_SOFTWARE=1",
                epoxy_gl_version() / 10, epoxy_gl_version() % 10);
  glfwSwapInterval(1);
  glfwSetWindowSizeLimits(handle, options.hidden ? 1 : 640, options.hidden ? 1 : 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
  return {};
}

void Window::State::start_drawing(Fonts& fonts) {
#if IMGUI_VERSION_NUM >= 19200
  // Dear ImGui's backend closes the library at its end, and calls what it found there again for the next window: it
  // stays.
  for (const char* library : {"libOpenGL.so.0", "libGL.so.1"}) dlopen(library, RTLD_LAZY | RTLD_NODELETE);
#endif
  drawing.start(fonts, events.input, clock, "#version 330 core");
  if (hidden) {
    events.input.push(PointerMove{-FLT_MAX, -FLT_MAX});
  } else {
    connect_events(handle, events);
    text_cursor = glfwCreateStandardCursor(GLFW_IBEAM_CURSOR);
  }
}

void Window::State::refresh_size() {
  if (hidden) return;
  float across = 1, down = 1;
  glfwGetWindowContentScale(handle, &across, &down);
  content_scale = std::clamp(across, 0.5F, 4.0F);
  glfwGetFramebufferSize(handle, &width, &height);
  if (beside) beside->refresh(width);
  if (all_width() == drawing.target.width() && all_height() == drawing.target.height()) return;
  // Where there is no memory for as many, what was there before goes on being drawn on.
  if (width > 0 && height > 0) std::ignore = drawing.target.resize(all_width(), all_height());
}

void Window::State::sleep() {
  if (hidden) return;
  if (owed > 0 || events.input.waiting()) {
    glfwPollEvents();
  } else if (due == never) {
    glfwWaitEvents();
  } else {
    // It is showing a frame that waits for the screen; who asks for many and changes none waits here.
    glfwWaitEventsTimeout(std::max(due - clock(), showed_nothing_new ? 1.0 / 60 : 1e-3));
  }
  // While it is minimised there is nothing to draw on.
  while (glfwGetWindowAttrib(handle, GLFW_ICONIFIED) == GLFW_TRUE && glfwWindowShouldClose(handle) == GLFW_FALSE)
    glfwWaitEvents();
  if (owed > 0) return;
  owed = clock() >= due ? 1 : frames_after_event;
}

// A bar over text, an arrow elsewhere.
void Window::State::show_cursor() {
  const bool over_text = ImGui::GetMouseCursor() == ImGuiMouseCursor_TextInput;
  if (hidden || over_text == shows_text_cursor) return;
  glfwSetCursor(handle, over_text ? text_cursor : nullptr);
  shows_text_cursor = over_text;
}

void Window::State::show(bool drawn) {
  const bool exposed = std::exchange(events.exposed, false);
  if (hidden) return;
  if (drawn || exposed) {
    drawing.target.show(width, height);
    glfwSwapBuffers(handle);
  }
  if (beside && (beside->take_exposed() || drawn))
    beside->show(drawing.target.texture(), drawing.target.height(), width);
}

ServedBy work_is_served_by() {
  return ServedBy::own_thread;
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;
Window::~Window() = default;

Result<Window> Window::open(const WindowOptions& options, Fonts& fonts) {
  if (options.width < 1 || options.height < 1)
    return fail("a window of {}×{} px cannot be: both must be at least 1", options.width, options.height);
  auto state = std::make_unique<State>();
  state->clock = options.clock ? options.clock : steady_seconds;
  state->hidden = options.hidden;
  state->user_scale = options.ui_scale;
  state->width = options.width;
  state->height = options.height;
  HL_CHECK(state->start_glfw(options));
  if (!options.hidden) glfwGetFramebufferSize(state->handle, &state->width, &state->height);
  HL_CHECK(state->drawing.target.resize(std::max(state->width, 1), std::max(state->height, 1)));
  state->start_drawing(fonts);
  return Window(std::move(state));
}

bool Window::next_frame() {
  State& s = *state_;
  s.drawing.make_current();
  s.sleep();
  if (!s.hidden && glfwWindowShouldClose(s.handle) == GLFW_TRUE) return false;
  s.due = never;
  s.refresh_size();
  s.drawing.begin_frame(s.all_width(), s.all_height(), s.user_scale * s.content_scale);
  if (s.events.input.begin_frame()) s.owed = frames_after_event;
  ImGui::NewFrame();
  return true;
}

void Window::present(Color32 background) {
  State& s = *state_;
  s.show_cursor();
  s.drawing.fonts().upload();
  ImGui::Render();
  const bool drawn = s.drawing.target.draw(*ImGui::GetDrawData(), background);
  s.show(drawn);
  s.showed_nothing_new = !drawn;
  if (s.owed > 0) --s.owed;
  if (s.drawing.fonts().stale()) s.owed = std::max(s.owed, 1);
}

void Window::request_frame_at(double seconds) {
  state_->due = std::min(state_->due, seconds);
}

void Window::wake() const {
  glfwPostEmptyEvent();
}

double Window::now() const {
  return state_->clock();
}
float Window::scale() const {
  return state_->user_scale * state_->content_scale;
}

float Window::content_scale() const {
  return state_->content_scale;
}

void Window::set_ui_scale(float ui_scale) {
  const float wanted = std::clamp(ui_scale, 0.15F, 4.0F);
  if (wanted == state_->user_scale) return;  // called every frame: at rest nothing is drawn
  state_->user_scale = wanted;
  state_->owed = frames_after_event;
}

int Window::width() const {
  return state_->width;
}
int Window::height() const {
  return state_->height;
}
void Window::fill_screen(bool fills) {
  State& s = *state_;
  if (s.hidden || fills == s.before.has_value()) return;
  if (!fills) {
    const WindowFrame back = *std::exchange(s.before, std::nullopt);
    glfwSetWindowMonitor(s.handle, nullptr, back.x, back.y, back.width, back.height, GLFW_DONT_CARE);
    if (back.maximized) glfwMaximizeWindow(s.handle);
    return;
  }
  const auto now = frame();
  GLFWmonitor* screen = now ? screen_under(*now) : nullptr;
  const GLFWvidmode* mode = screen ? glfwGetVideoMode(screen) : nullptr;
  if (!mode) return;
  s.before = now;
  glfwSetWindowMonitor(s.handle, screen, 0, 0, mode->width, mode->height, mode->refreshRate);
}

bool Window::show_beside(bool shown, const char* title) {
  State& s = *state_;
  if (s.hidden || shown == (s.beside != nullptr)) return true;
  s.beside = shown ? SecondWindow::open(s.handle, s.events, title) : nullptr;
  s.owed = frames_after_event;
  return shown == (s.beside != nullptr);
}

int Window::beside_width() const {
  return state_->beside ? state_->beside->width() : 0;
}
int Window::beside_height() const {
  return state_->beside ? state_->beside->height() : 0;
}
bool Window::beside_closed() const {
  return state_->beside && state_->beside->wants_to_close();
}

std::optional<WindowFrame> Window::frame() const {
  const State& s = *state_;
  if (s.before) return s.before;
  if (s.hidden || glfwGetWindowAttrib(s.handle, GLFW_ICONIFIED) == GLFW_TRUE) return std::nullopt;
  WindowFrame frame;
  glfwGetWindowPos(s.handle, &frame.x, &frame.y);
  glfwGetWindowSize(s.handle, &frame.width, &frame.height);
  frame.maximized = glfwGetWindowAttrib(s.handle, GLFW_MAXIMIZED) == GLFW_TRUE;
  return frame;
}

Status Window::resize(int width, int height) {
  state_->width = width;
  state_->height = height;
  return state_->drawing.target.resize(width, height);
}
void Window::set_title(const std::string& title) {
  glfwSetWindowTitle(state_->handle, title.c_str());
}
void Window::close() {
  glfwSetWindowShouldClose(state_->handle, GLFW_TRUE);
}
void Window::keep_open() {
  glfwSetWindowShouldClose(state_->handle, GLFW_FALSE);
}

std::vector<std::filesystem::path> Window::take_dropped() {
  return std::exchange(state_->events.dropped, {});
}

Pixels Window::capture() const {
  return state_->drawing.target.read();
}
void Window::redraw_all() {
  state_->drawing.target.forget();
}

}  // namespace headlight::app
