// Everything behind one window, and one frame of it: the same on the desktop and in a browser.
#pragma once

#include <memory>

#include "app/panels/common/shown.h"
#include "app/platform/fonts.h"
#include "app/platform/window.h"
#include "app/render/gl_map_painter.h"
#include "app/session/session.h"
#include "app/shell/window_command.h"

namespace headlight::app {

// Members are in the order in which they must come and go.
struct Shell {
  std::unique_ptr<Fonts> fonts;
  std::unique_ptr<Window> window;
  std::unique_ptr<GlMapPainter> painter;
  std::unique_ptr<Session> session;
  PanelMemory memory{work_is_served_by()};
};

// With what the command names. A hidden one is the same for everybody. Errors: what is named cannot be opened, or there
// is no display.
Result<std::unique_ptr<Shell>> open_shell(const WindowCommand& command, int width, int height, bool hidden);

// Takes what was dropped and what is done, draws, and carries out what was asked for. After Window::next_frame(). What
// the widgets tell of themselves goes into the log.
void run_frame(Shell& shell, WidgetLog* log = nullptr);

// Where no thread serves long work: does some of it for a few milliseconds, and says whether anything was done. Called
// again from within what it does, it does nothing.
bool do_work(Shell& shell);

// What is folded and which lesson or file is open, to be remembered.
void remember_view(Shell& shell);

}  // namespace headlight::app
