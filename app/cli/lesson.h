// headlight lesson check | run | print: what needs no window of a lesson.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace headlight::app {

struct LessonOptions {
  std::string what;                            // check, run or print
  std::vector<std::filesystem::path> lessons;  // files, and folders of them
  std::string answers = "right";               // right, wrong or random
  std::uint64_t seed = 1;
  std::filesystem::path output;  // of run: a CSV file; empty: none; of print: the .pdf
  bool key = false;              // of print: the answers, too
  std::string paper = "a4";
  bool quiet = false;
};
void add_lesson(CLI::App* command, LessonOptions& options);

// Every mistake is a line on standard error; 1 where there is one.
int lesson_command(const LessonOptions& options);

}  // namespace headlight::app
