// What the window says of files that are being written.
#pragma once

#include <cstddef>
#include <string>

namespace headlight::app {

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
