// headlight lesson check | run | print | new.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace headlight::app {

struct LessonOptions {
  std::string what;                            // check, run, print or new
  std::vector<std::filesystem::path> lessons;  // files, and folders of them
  std::string answers = "right";               // right, wrong or random
  std::uint64_t seed = 1;
  int copies = 1;                // of print: sheets in one file
  std::filesystem::path output;  // of run: a CSV file; empty: none; of print: the .pdf
  bool key = false;              // of print: the answers, too
  std::string paper = "a4";
  std::vector<std::string> screenshots;  // of run: a folder, and WxH
  bool quiet = false;
};

// A picture of the window after these actions, in their text form.
struct LessonPicture {
  std::vector<std::string> actions;
  std::filesystem::path output;
};
// Draws them one after the other in one window of that size, "1280x720".
using TakePictures = std::function<Status(const std::vector<LessonPicture>&, const std::string& size)>;

void add_lesson(CLI::App* command, LessonOptions& options);

// Every mistake is a line on standard error; 1 where there is one.
int lesson_command(const LessonOptions& options, const TakePictures& take_pictures);

}  // namespace headlight::app
