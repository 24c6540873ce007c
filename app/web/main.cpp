// The program in a browser: one window on the page's canvas, a frame whenever the page asks for one.
#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "app/actions/action_table.h"
#include "app/panels/present/parts.h"
#include "app/platform/web/browser.h"
#include "app/shell/shell.h"
#include "engine/core/pause.h"

// clang-format off
EM_JS(void, headlight_js_failed, (const char* text), { Module.page.failed(UTF8ToString(text)); });
// clang-format on

namespace {

using namespace headlight;
using namespace headlight::app;

std::unique_ptr<Shell> shell;
std::string title_shown, answer;

// Work may wait for the page only where it was called to be able to, and frames that are drawn meanwhile may not.
bool may_wait = false;
double worked_since = 0;  // ms

void let_page_go_on() {
  constexpr double at_a_time = 12;  // ms: less than a frame
  if (!may_wait || emscripten_get_now() - worked_since < at_a_time) return;
  may_wait = false;
  page_pause();
  may_wait = true;
  worked_since = emscripten_get_now();
}

// As a picture it is the same for everybody: without what is remembered, at rest.
void open_window(bool as_picture) {
  auto opened = open_shell(WindowCommand{}, 0, 0, as_picture);
  if (!opened) return headlight_js_failed(opened.error().message.c_str());
  shell = std::move(*opened);
  if (page_can_pause()) set_pause(let_page_go_on);
}

// What throws has lost the window: the page says so in one line.
template <class Do>
void carefully(const Do& act) {
  try {
    act();
  } catch (const std::exception& error) {
    shell.reset();
    headlight_js_failed(error.what());
  }
}

void draw() {
  if (!shell->window->next_frame()) return;
  run_frame(*shell);
  shell->window->fill_screen(shows_presenter(shell->session->model()));
  remember_view(*shell);
  const std::string title = shell->session->model().title() + " — Headlight";
  if (title != title_shown) shell->window->set_title(title_shown = title);
}

}  // namespace

extern "C" {

// Draws the frame that is due; says in how many milliseconds the next one is (below 0: when something comes).
EMSCRIPTEN_KEEPALIVE double headlight_frame() {
  if (shell) carefully(draw);
  return shell ? next_frame_in() : -1;
}

// Does some of the work that waits; says whether there was any.
EMSCRIPTEN_KEEPALIVE int headlight_work() {
  bool did = false;
  if (!shell) return 0;
  worked_since = emscripten_get_now();
  may_wait = true;
  carefully([&] { did = do_work(*shell); });
  may_wait = false;
  if (did && shell) shell->window->wake();
  return did ? 1 : 0;
}

// Something would be lost if the page went away.
EMSCRIPTEN_KEEPALIVE int headlight_unsaved() {
  return shell && shell->session->model().may_lose_work() ? 1 : 0;
}

// Carries out an action of the program's own (--do); says what stands against it, or nothing.
EMSCRIPTEN_KEEPALIVE const char* headlight_do(const char* line) {
  answer.clear();
  if (!shell) return "";
  carefully([&] {
    const auto action = parse_action(line);
    if (!action) {
      answer = action.error().message;
      return;
    }
    if (answer = why_not(*action, shell->session->model()); answer.empty()) shell->session->act(*action);
    shell->window->wake();
  });
  return answer.c_str();
}

}  // extern "C"

int main(int count, char** words) {
  carefully([&] { open_window(count > 1 && std::string_view(words[1]) == "--as-picture"); });
}
