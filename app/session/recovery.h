// Work that is not saved, kept beside the windows that are open so that it outlives them: one file a window, in a
// folder of its own, locked as long as the window lives.
//
// Not for when it is kept: session.h.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/model/model.h"
#include "engine/core/system/file_lock.h"
#include "engine/models/model_experiment.h"

namespace headlight::app {

// A network that learns. The same steps come to the same bits, so that they are all that is kept.
struct KeptTraining {
  learn::TrainingPlan plan;
  learn::Schedule schedule;
  Index step = 0;         // steps that were taken
  Index steps_asked = 0;  // the plan's, but for those that heads were given to heal
};

// The document and its file, as they are at one moment.
struct Work {
  Experiment experiment;  // with its view
  FigureRequest figure;
  std::filesystem::path path;              // of the file that it was opened from; empty: none
  std::string name;                        // where there is no path
  std::string stamp;                       // of that file
  std::optional<ModelExperiment> network;  // in place of the experiment, where it is a model of many layers
  std::optional<KeptTraining> training = {};
  bool training_alone = false;  // the rest is as its file has it
};

std::string work_text(const Work& work);
// `name` begins every error.
Result<Work> parse_work(std::string_view text, const std::string& name);

// A window's place in the folder. All of it may be called from any thread.
class WorkPlace {
 public:
  // Makes the folder where there is none, readable by its owner alone. Errors: it cannot be written.
  static Result<std::unique_ptr<WorkPlace>> take(const std::filesystem::path& folder);
  // Gives the place up; the work in it stays, to be recovered.
  ~WorkPlace();
  WorkPlace(const WorkPlace&) = delete;
  WorkPlace& operator=(const WorkPlace&) = delete;

  Status keep(const Work& work);
  // Nothing is unsaved any more.
  void clear();

  // The work of windows that are gone, the newest first. It is this window's from here on: no other will find it.
  std::vector<Recoverable> claim();
  // Takes claimed work over: its file becomes this window's own. Errors: it is damaged; then it stays where it is.
  Result<Work> adopt(const std::filesystem::path& file);
  void discard(const std::filesystem::path& file);

 private:
  WorkPlace(std::filesystem::path own, FileLock lock) : own_(std::move(own)), lock_(std::move(lock)) {}
  void release(const std::filesystem::path& file);
  std::mutex mutex_;
  std::filesystem::path own_;                          // the file of this window's work
  FileLock lock_;                                      // on the lock file beside it
  std::map<std::filesystem::path, FileLock> claimed_;  // by file
};

}  // namespace headlight::app
