#include "app/session/exporter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "engine/code/script.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_names = 4;  // that are told one by one

std::size_t count_of(const ExportTask& task) {
  const auto* figures = std::get_if<FigureExport>(&task);
  return figures ? figures->jobs.size() : 1;
}

// The folder that all of them are in, as an absolute path.
fs::path folder_of(const std::vector<fs::path>& files) {
  std::error_code ignored;
  fs::path folder = fs::absolute(files.front(), ignored).lexically_normal().parent_path();
  for (const auto& file : files) {
    const fs::path other = fs::absolute(file, ignored).lexically_normal();
    while (folder.has_relative_path() && !utf8(other).starts_with(utf8(folder / ""))) folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

std::string words_of(const ExportOutcome& outcome) {
  const std::string written =
      fmt::format("{} of {} {} written", outcome.done, outcome.total, outcome.total == 1 ? "was" : "figures were");
  if (!outcome.error.empty()) return outcome.done == 0 ? outcome.error : fmt::format("{} ({})", outcome.error, written);
  if (outcome.files.empty()) return "Cancelled: nothing was written.";
  const std::string folder = utf8(folder_of(outcome.files));
  if (outcome.cancelled) return fmt::format("Cancelled: {}, in {}", written, folder);
  std::vector<std::string> names;
  for (const auto& file : outcome.files) names.push_back(utf8(file.filename()));
  if (names.size() <= most_names) return fmt::format("Saved {} in {}", fmt::join(names, ", "), folder);
  return outcome.total == 1 ? fmt::format("Saved {} and {} files beside it in {}", names[0], names.size() - 1, folder)
                            : fmt::format("Saved {} figures in {}", outcome.total, folder);
}

struct Exporter::State {
  std::function<void()> on_change;
  mutable std::mutex mutex;
  ExportProgress progress;
  std::chrono::steady_clock::time_point started;
  std::map<std::size_t, std::vector<fs::path>> written;  // by job
  std::optional<ExportOutcome> outcome;
  std::stop_source stop;
  ServedBy served_by = ServedBy::own_thread;
  std::optional<ExportTask> waiting;  // for pump()
  std::thread worker;

  void notify() const {
    if (on_change) on_change();
  }

  void add(std::size_t job, std::vector<fs::path> files) {
    {
      const std::scoped_lock lock(mutex);
      progress.name = utf8(files.front().filename());
      ++progress.done;
      written[job] = std::move(files);
    }
    notify();
  }

  Status carry_out(const FigureExport& figures, const std::stop_token& token) {
    const FigureDrawn drawn = [&](std::size_t job, const std::vector<FigureFile>& files) {
      std::vector<fs::path> paths;
      for (const FigureFile& file : files) paths.push_back(figures.jobs[job].output.parent_path() / file.name);
      add(job, std::move(paths));
    };
    return draw_figures(figures.jobs, figures.source, figures.extras, figures.fonts, token, drawn);
  }

  Status carry_out(const WorksheetJob& sheet, const std::stop_token& token) {
    const auto written = write_worksheet(sheet, token);
    if (!written && token.stop_requested()) return {};  // nothing is written
    HL_CHECK(written);
    std::vector<fs::path> files{sheet.output};
    if (!sheet.key.empty()) files.push_back(sheet.key);
    add(0, std::move(files));
    return {};
  }

  Status carry_out(const ArraysJob& job, const std::stop_token&) {
    HL_CHECK(write_npz(job.output, script_arrays(*job.trace)));
    add(0, {job.output});
    return {};
  }

  Status carry_out(const TextJob& job, const std::stop_token&) {
    HL_TRY(FileWriter writer, FileWriter::create(job.output));
    HL_CHECK(writer.append(job.text));
    HL_CHECK(writer.commit());
    add(0, {job.output});
    return {};
  }

  void run(const ExportTask& task, const std::stop_token& token) {
    const Status status =
        catch_all([&] { return std::visit([&](const auto& one) { return carry_out(one, token); }, task); });
    {
      const std::scoped_lock lock(mutex);
      ExportOutcome ended{{}, progress.done, progress.total, false, status ? "" : status.error().message};
      for (auto& [job, files] : written) ended.files.insert(ended.files.end(), files.begin(), files.end());
      ended.cancelled = status && ended.done < ended.total;
      outcome = std::move(ended);
    }
    notify();
  }
};

Exporter::Exporter(std::function<void()> on_change, ServedBy served_by) : state_(std::make_unique<State>()) {
  state_->served_by = served_by;
  state_->on_change = std::move(on_change);
}

Exporter::~Exporter() {
  cancel();
  if (state_->worker.joinable()) state_->worker.join();
}

Status Exporter::start(ExportTask task) {
  if (busy()) return fail("Another export is under way: wait for its end, or cancel it");
  if (state_->worker.joinable()) state_->worker.join();  // it has ended
  state_->stop = std::stop_source();
  state_->progress = {true, 0, count_of(task), {}, 0};
  state_->started = std::chrono::steady_clock::now();
  state_->written.clear();
  if (state_->served_by == ServedBy::caller) {
    state_->waiting = std::move(task);
    return {};
  }
  state_->worker = std::thread(
      [state = state_.get(), task = std::move(task), token = state_->stop.get_token()] { state->run(task, token); });
  return {};
}

bool Exporter::pump() {
  const auto task = std::exchange(state_->waiting, std::nullopt);
  if (task) state_->run(*task, state_->stop.get_token());
  return task.has_value();
}

void Exporter::cancel() {
  state_->stop.request_stop();
}

bool Exporter::busy() const {
  return progress().busy;
}

ExportProgress Exporter::progress() const {
  const std::scoped_lock lock(state_->mutex);
  ExportProgress progress = state_->progress;
  const auto since = std::chrono::steady_clock::now() - state_->started;
  if (progress.busy) progress.seconds = std::chrono::duration<double>(since).count();
  return progress;
}

std::optional<ExportOutcome> Exporter::poll() {
  const std::scoped_lock lock(state_->mutex);
  if (!state_->outcome) return std::nullopt;
  state_->progress = {};
  return std::exchange(state_->outcome, std::nullopt);
}

}  // namespace headlight::app
