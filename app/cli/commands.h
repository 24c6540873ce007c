// The commands that need no window: list, trace, code and render. Each returns the process's exit status: 0, or 1 for
// bad input with one line on standard error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/code/script.h"
#include "engine/core/tensor.h"

namespace headlight::app {

int list_command(bool json);

struct TraceOptions {
  std::filesystem::path experiment;
  std::filesystem::path output;
  bool quiet = false;
};
int trace_command(const TraceOptions& options);

struct CodeOptions {
  std::filesystem::path experiment;
  std::filesystem::path output;  // empty: the script goes to standard output, and nothing is written
  Language language = Language::numpy;
  bool quiet = false;
};
int code_command(const CodeOptions& options);

struct RenderOptions {
  std::filesystem::path experiment;  // empty: the built-in example
  std::filesystem::path output;
  std::string step;  // empty: the experiment's view, else weights
  std::string head;  // a number counted from 0; "all" or empty: all heads
  std::optional<Index> batch;
  double width_mm = 0;  // 0: the figure's natural width
  double dpi = 300;
  bool quiet = false;
};
int render_command(const RenderOptions& options);

}  // namespace headlight::app
