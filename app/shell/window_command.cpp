#include "app/shell/window_command.h"

#include "app/actions/action_table.h"
#include "app/cli/messages.h"
#include "app/panels/present/parts.h"
#include "app/platform/posix/signals.h"
#include "app/shell/shell.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"

namespace headlight::app {

namespace {

int report(const Error& error) {
  print_error(error.message);
  return 1;
}

// Waits until nothing is under way that a picture could show.
Status settle(Session& session, const std::string& what) {
  if (!session.settle()) return fail("{} did not finish within ten minutes", what);
  return {};
}

// Carries out an action of --do, and prints what the window says of it in a card or asks.
Status carry_out(Session& session, const std::string& line) {
  const Model& model = session.model();
  HL_TRY(const Action action, parse_action(line));
  const auto tell = [&](const std::string& what) { print_error(fmt::format("--do \"{}\" {}", brief(line), what)); };
  if (const std::string why = why_not(action, model); !why.empty()) {
    tell("does nothing here: " + why);
    return {};
  }
  const std::size_t before = model.notices.size();
  session.act(action);
  session.finish_files();
  HL_CHECK(settle(session, fmt::format("--do \"{}\"", brief(line))));
  for (std::size_t i = before; i < model.notices.size(); ++i)
    if (model.notices[i].level != Notice::Level::note) tell("says: " + model.notices[i].text);
  if (model.dialog == Dialog::replace) tell("asks: " + model.replacing.question);
  return {};
}

// Carries out what comes before a picture, and takes it.
Status take_stop(Shell& shell, const ScreenshotStop& stop) {
  const Model& model = shell.session->model();
  for (const auto& line : stop.actions) HL_CHECK(carry_out(*shell.session, line));
  for (int frame = 0; frame < 4; ++frame) {  // fonts, then hovering, then what opened
    shell.window->next_frame();
    run_frame(shell);
    HL_CHECK(settle(*shell.session, "what is shown"));  // what a frame asked for
    shell.memory.background.flush();
  }
  const Pixels pixels = shell.window->capture();
  Image image{pixels.width, pixels.height, pixels.rgba};
  HL_TRY(const std::string png, encode_png(image));
  if (const auto& shown = model.shown.experiment) HL_CHECK(check_may_write(*shown, stop.output));
  if (const auto& network = model.document.network) HL_CHECK(check_may_write(network->asked, stop.output));
  return write_file(stop.output, png);
}

void remember_place(Shell& shell) {
  const auto frame = shell.window->frame();
  if (!frame) return;
  WindowPlace place{frame->x, frame->y, frame->width, frame->height, frame->maximized};
  const auto& before = shell.session->remembered().window;
  if (place.maximized && before) {  // to go back to
    place = *before;
    place.maximized = true;
  }
  shell.session->remember_window(place);
}

// Draws until it is asked to close and nothing is lost by it.
void run_window(Shell& shell, const EndSignals& signals, bool windowed) {
  Session& session = *shell.session;
  std::string title;
  while (!signals.came()) {
    if (!shell.window->next_frame()) {
      if (signals.came()) break;  // what is unsaved is kept
      if (!session.wants_to_quit()) session.act(Quit{});
      if (session.wants_to_quit()) break;
      shell.window->keep_open();
      continue;
    }
    run_frame(shell);
    if (!windowed) shell.window->fill_screen(shows_presenter(session.model()));
    if (shell.window->beside_closed()) session.act(ShowNotes{false});
    if (!shell.window->show_beside(shows_notes(session.model()), "Headlight: notes")) session.act(ShowNotes{false});
    remember_place(shell);
    remember_view(shell);
    if (session.wants_to_quit()) shell.window->close();
    const std::string now = session.model().title() + " — Headlight";
    if (now != title) shell.window->set_title(title = now);
  }
}

}  // namespace

int window_command(const WindowCommand& command) {
  EndSignals signals;  // before the threads
  auto shell = open_shell(command, 1600, 1000, false);
  if (!shell) return report(shell.error());
  signals.on_signal([session = (*shell)->session.get(), window = (*shell)->window.get()] {
    session->finish_keeping();
    window->close();
    window->wake();
  });
  run_window(**shell, signals, command.windowed);
  signals.stop();
  return 0;
}

Status take_screenshots(const ScreenshotOptions& options, const std::vector<ScreenshotStop>& stops) {
  for (const auto& stop : stops)
    if (stop.output.extension() != ".png")
      return fail("{}: screenshots are written as .png: name it so", utf8(stop.output));
  HL_TRY(auto shell, open_shell(options.window, options.width, options.height, true));
  HL_CHECK(settle(*shell->session, "the experiment"));
  const Model& model = shell->session->model();
  if (model.too_large && model.too_large->fits) {  // which the window asks about
    shell->session->act(Run{.whole = true});
    HL_CHECK(settle(*shell->session, "the experiment"));
  }
  if (model.shows_network() ? !model.net.run : !model.trace()) return fail("{}", model.error);
  for (const auto& stop : stops) HL_CHECK(take_stop(*shell, stop));
  return {};
}

int screenshot_command(const ScreenshotOptions& options) {
  const Status status = take_screenshots(options, {{options.actions, options.output}});
  return status ? 0 : report(status.error());
}

}  // namespace headlight::app
