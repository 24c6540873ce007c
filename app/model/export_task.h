// What an export is to write, fixed when it is asked for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/figures/figure_files.h"
#include "app/worksheets/worksheet_of.h"

namespace headlight::app {

struct FigureExport {
  FigureSource source;
  std::vector<FigureJob> jobs;  // at least one
  FigureExtras extras;
  std::filesystem::path fonts;
};

// The arrays that a script of the trace reads.
struct ArraysJob {
  std::shared_ptr<const Trace> trace;
  std::filesystem::path output;
};

// A text that was made already.
struct TextJob {
  std::string text;
  std::filesystem::path output;
};

using ExportTask = std::variant<FigureExport, WorksheetJob, ArraysJob, TextJob>;

// How far an export is.
struct ExportProgress {
  bool busy = false;
  std::size_t done = 0, total = 0;  // figures, or sheets
  std::string name;                 // of the file written last; empty before the first
  double seconds = 0;               // since it began

  // A short one comes and goes unseen.
  bool shows() const { return busy && seconds >= 0.15; }
};

}  // namespace headlight::app
