// The window that a browser's page is: a canvas with WebGL 2. There is one, it never sleeps, and its page asks when the
// next frame is due.
#include "app/platform/window.h"

#include <emscripten/html5.h>
#include <emscripten/html5_webgl.h>
#include <imgui.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "app/platform/drawing.h"
#include "app/platform/web/browser.h"

namespace headlight::app {

struct Window::State {
  std::function<double()> clock;
  EMSCRIPTEN_WEBGL_CONTEXT_HANDLE gl = 0;
  bool fills = false, shows_text_cursor = false, types = false;
  float user_scale = 1, content_scale = 1;
  int width = 0, height = 0;
  Drawing drawing;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();
  Status start(Fonts& fonts);
  void refresh_size();
  void notify_page();
};

Window::State::~State() {
  drawing.end();
  if (gl) emscripten_webgl_destroy_context(gl);
}

Status Window::State::start(Fonts& fonts) {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;
  wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
  gl = emscripten_webgl_create_context("#canvas", &wanted);
  if (gl <= 0 || emscripten_webgl_make_context_current(gl) != EMSCRIPTEN_RESULT_SUCCESS)
    return fail("this browser offers no WebGL 2: update it, or switch hardware acceleration on in its settings");
  drawing.start(fonts, browser_events().input, clock, "#version 300 es");
  browser_events().owed = frames_after_event;
  return {};
}

void Window::State::refresh_size() {
  const BrowserEvents& events = browser_events();
  content_scale = std::clamp(events.ratio, 0.5F, 4.0F);
  width = std::max(events.width, 1);
  height = std::max(events.height, 1);
  if (width != drawing.target.width() || height != drawing.target.height())
    std::ignore = drawing.target.resize(width, height);
}

void Window::State::notify_page() {
  const bool over_text = ImGui::GetMouseCursor() == ImGuiMouseCursor_TextInput;
  if (over_text != std::exchange(shows_text_cursor, over_text)) page_cursor(over_text);
  const bool typed = browser_events().input.text_has_focus;
  if (typed != std::exchange(types, typed)) page_types(typed);
}

ServedBy work_is_served_by() {
  return ServedBy::caller;
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;
Window::~Window() = default;

Result<Window> Window::open(const WindowOptions& options, Fonts& fonts) {
  auto state = std::make_unique<State>();
  state->clock = options.clock ? options.clock : steady_seconds;
  state->user_scale = options.ui_scale;
  HL_CHECK(state->start(fonts));
  state->refresh_size();
  return Window(std::move(state));
}

bool Window::next_frame() {
  State& s = *state_;
  s.drawing.make_current();
  const bool received = std::exchange(browser_events().received, false);
  int& owed = browser_events().owed;
  if (owed <= 0) owed = received ? frames_after_event : 1;
  browser_events().due = never;
  s.refresh_size();
  s.drawing.begin_frame(s.width, s.height, s.user_scale * s.content_scale);
  if (browser_events().input.begin_frame()) owed = frames_after_event;
  ImGui::NewFrame();
  return true;
}

void Window::present(Color32 background) {
  State& s = *state_;
  s.notify_page();
  s.drawing.fonts().upload();
  ImGui::Render();
  if (s.drawing.target.draw(*ImGui::GetDrawData(), background)) s.drawing.target.show(s.width, s.height);
  int& owed = browser_events().owed;
  if (owed > 0) --owed;
  if (s.drawing.fonts().stale()) owed = std::max(owed, 1);
}

void Window::request_frame_at(double seconds) {
  browser_events().due = std::min(browser_events().due, seconds);
}
void Window::wake() const {
  browser_events().received = true;
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
  if (wanted == state_->user_scale) return;
  state_->user_scale = wanted;
  browser_events().owed = frames_after_event;
}
int Window::width() const {
  return state_->width;
}
int Window::height() const {
  return state_->height;
}
void Window::fill_screen(bool fills) {
  if (fills != std::exchange(state_->fills, fills)) page_fills_screen(fills);
}
std::optional<WindowFrame> Window::frame() const {
  return std::nullopt;
}
// A page has one canvas.
bool Window::show_beside(bool shown, const char* /*title*/) {
  return !shown;
}
int Window::beside_width() const {
  return 0;
}
int Window::beside_height() const {
  return 0;
}
bool Window::beside_closed() const {
  return false;
}
Status Window::resize(int width, int height) {
  return state_->drawing.target.resize(width, height);
}
void Window::set_title(const std::string& title) {
  page_title(title);
}
// A page is closed by whoever looks at it.
void Window::close() {}
void Window::keep_open() {}
std::vector<std::filesystem::path> Window::take_dropped() {
  return std::exchange(browser_events().dropped, {});
}
Pixels Window::capture() const {
  return state_->drawing.target.read();
}
void Window::redraw_all() {
  state_->drawing.target.forget();
}

}  // namespace headlight::app
