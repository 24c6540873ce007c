// The window and the screenshot of it: the commands that draw with OpenGL.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/dump.h"
#include "app/session/opening.h"
#include "engine/base/result.h"

namespace headlight::app {

struct Model;

struct WindowCommand {
  std::filesystem::path experiment;                    // empty: the built-in example
  DumpOptions dump;                                    // of a file of attention
  GivenInput given;                                    // of a model's folder
  bool as_attention = false;                           // a file of arrays is one, whatever its numbers
  std::optional<std::string> theme;                    // absent: as remembered, else light
  std::optional<float> scale;                          // absent: as remembered, else 1
  bool windowed = false;                               // what is presented does not fill the screen
  bool first_lesson = true;                            // whoever never used it begins with the first lesson
  std::function<Status(const Model&)> copy_link = {};  // as in Surroundings
};

// Opens the window and returns when it is closed. 1 with one line when there is no display or no OpenGL 3.3.
int window_command(const WindowCommand& options);

struct ScreenshotOptions {
  WindowCommand window;
  std::filesystem::path output;
  int width = 1600;
  int height = 1000;
  std::vector<std::string> actions;  // carried out, in their text form, before the frame is taken
};
int screenshot_command(const ScreenshotOptions& options);

// One of several pictures of a window: what is carried out before it, and where it goes.
struct ScreenshotStop {
  std::vector<std::string> actions;
  std::filesystem::path output;
};
// One after the other, without opening another window.
Status take_screenshots(const ScreenshotOptions& options, const std::vector<ScreenshotStop>& stops);

}  // namespace headlight::app
