// The program in a browser: one window on the page's canvas, a frame whenever the page asks for one.
#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "app/actions/action_table.h"
#include "app/actions/view_description.h"
#include "app/panels/present/parts.h"
#include "app/platform/web/browser.h"
#include "app/shell/shell.h"
#include "app/web/links.h"
#include "app/widgets/accessible_tree.h"
#include "engine/core/pause.h"
#include "engine/core/system/paths.h"

// clang-format off
EM_JS(void, headlight_js_failed, (const char* text), { Module.page.failed(UTF8ToString(text)); });
EM_JS(void, headlight_js_parts, (const char* json), { Module.page.parts(UTF8ToString(json)); });
// clang-format on

namespace {

using namespace headlight;
using namespace headlight::app;

std::unique_ptr<Shell> shell;
std::string title_shown, answer;

// Work may wait for the page only where it was called to be able to, and frames that are drawn meanwhile may not.
bool may_wait = false;
double worked_since = 0;  // ms

void yield_to_page() {
  constexpr double at_a_time = 12;  // ms: less than a frame
  if (!may_wait || emscripten_get_now() - worked_since < at_a_time) return;
  may_wait = false;
  page_pause();
  may_wait = true;
  worked_since = emscripten_get_now();
}

Status copy_link(const Model& model) {
  HL_TRY(const std::string link, link_to(model));
  page_clipboard(page_address() + "#" + link);
  return {};
}

// Of the page's words: a file to begin with; --as-picture: the same for everybody, without what is remembered, at rest;
// --dark: its colours; --no-lesson: whoever never used it begins with the example.
void open_window(int count, char** words) {
  WindowCommand command;
  command.copy_link = copy_link;
  bool as_picture = false;
  for (int i = 1; i < count; ++i)
    if (const std::string_view word = words[i]; word == "--as-picture")
      as_picture = true;
    else if (word == "--dark")
      command.theme = "dark";
    else if (word == "--no-lesson")
      command.first_lesson = false;
    else
      command.experiment = path_of_utf8(word);
  auto opened = open_shell(command, 0, 0, as_picture);
  if (!opened) return headlight_js_failed(opened.error().message.c_str());
  shell = std::move(*opened);
  if (page_can_pause()) set_pause(yield_to_page);
}

// What throws has lost the window: the page says so in one line.
template <class Do>
void guarded(const Do& act) {
  try {
    act();
  } catch (const std::exception& error) {
    shell.reset();
    headlight_js_failed(error.what());
  }
}

// What is on the screen goes beside the canvas, where screen readers find it, when it is another than before.
void publish_widgets(const WidgetLog& log) {
  static std::string told;
  std::string parts = accessible_json(accessible_parts(log, shell->memory.ui), caret_of(log, shell->memory.ui),
                                      describe_view(shell->session->model()));
  if (parts != told) headlight_js_parts((told = std::move(parts)).c_str());
}

void draw() {
  if (!shell->window->next_frame()) return;
  const bool last = browser_events().owed <= 1;  // of those that something asked for: it is at rest
  WidgetLog log;
  run_frame(*shell, last ? &log : nullptr);
  if (last) publish_widgets(log);
  shell->window->fill_screen(shows_presenter(shell->session->model()));
  remember_view(*shell);
  const std::string title = shell->session->model().title() + " — Headlight";
  if (title != title_shown) shell->window->set_title(title_shown = title);
}

}  // namespace

extern "C" {

// Draws the frame that is due; says in how many milliseconds the next one is (below 0: when something comes).
EMSCRIPTEN_KEEPALIVE double headlight_frame() {
  if (shell) guarded(draw);
  return shell ? next_frame_in() : -1;
}

// Does some of the work that waits; says whether there was any.
EMSCRIPTEN_KEEPALIVE int headlight_work() {
  bool did = false;
  if (!shell) return 0;
  worked_since = emscripten_get_now();
  may_wait = true;
  guarded([&] { did = do_work(*shell); });
  may_wait = false;
  if (did && shell) shell->window->wake();
  return did ? 1 : 0;
}

// Something would be lost if the page went away.
EMSCRIPTEN_KEEPALIVE int headlight_unsaved() {
  return shell && shell->session->model().may_lose_work() ? 1 : 0;
}

// Fonts were dropped on the page.
EMSCRIPTEN_KEEPALIVE void headlight_fonts_changed() {
  if (!shell) return;
  shell->fonts->refresh_fonts();
  shell->window->wake();
}

// Carries out an action of the program's own (--do); says what stands against it, or nothing.
EMSCRIPTEN_KEEPALIVE const char* headlight_do(const char* line) {
  answer.clear();
  if (!shell) return "";
  guarded([&] {
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
  guarded([&] { open_window(count, words); });
}
