// Writes figures and worksheets off the caller's thread: one export at a time, with its progress and a way to stop.
//
// What it writes is fixed when it starts: it shares what is constant and copies the rest, so that nothing done
// meanwhile changes the files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/export_task.h"
#include "engine/core/served_by.h"

namespace headlight::app {

// What an export left. Without an error and not cancelled, all of it was written.
struct ExportOutcome {
  std::vector<std::filesystem::path> files;  // in the order of the jobs
  std::size_t done = 0, total = 0;           // figures, or sheets
  bool cancelled = false;
  std::string error;
};

// "Saved fig.pdf, fig.csv in /folder", "Saved 8 figures in /folder", "Cancelled: 3 of 8 figures were written …".
std::string words_of(const ExportOutcome& outcome);

class Exporter {
 public:
  // `on_change` is called from a worker when the progress is another or the outcome waits.
  // Served by its caller it starts no thread of its own, and pump() writes.
  explicit Exporter(std::function<void()> on_change = {}, ServedBy served_by = ServedBy::own_thread);
  // Stops after the figures that are being drawn, which are dropped.
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // Never waits. Errors: another export is under way, or its outcome has not been taken; that one goes on.
  Status start(ExportTask task);
  // Where the caller serves: carries out an export that was started, to its end; false where none was.
  bool pump();
  void cancel();
  // Until the outcome has been taken.
  bool busy() const;
  ExportProgress progress() const;
  // The outcome of the export that has ended, once.
  std::optional<ExportOutcome> poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
