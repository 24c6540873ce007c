#include "app/session/lesson_training.h"

#include <iterator>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/parallel.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/json_fields.h"
#include "engine/learn/part_experiment.h"
#include "engine/learn/training_file.h"

namespace headlight::app {

namespace {

constexpr Index most_steps = 1000;

struct Asked {
  learn::TrainingPlan plan;
  Index after = 0;
  learn::PartIndex part = {};
};

// The file whose text is to be learned; empty where none is named.
std::string text_named(const Json& document) {
  const Json::json_pointer place("/train/options/file");
  return document.contains(place) && document.at(place).is_string() ? document.at(place).get<std::string>() : "";
}

Result<Asked> read_asked(Json document, const std::filesystem::path& folder, const std::string& name) {
  Asked asked;
  const auto take = [&](const char* key, Index most) -> Result<std::optional<Index>> {
    if (!document.contains(key)) return std::optional<Index>();
    HL_TRY(const Index value, whole_at(document, key, name, 0, most));
    document.erase(key);
    return std::optional(value);
  };
  HL_TRY(const auto after, take("after", most_steps));
  HL_TRY(asked.part.map, take("map", most_steps));
  HL_TRY(const auto example, take("example", most_steps));
  asked.part.example = example.value_or(0);
  if (const std::string text = text_named(document); !text.empty() && lies_outside(folder, path_of_utf8(text)))
    return fail("{} lies outside of the lesson's folder, and a lesson reads nothing there", brief(text));
  std::vector<std::string> unknown;
  HL_TRY(asked.plan, learn::parse_training(document.dump(), folder, name, unknown));
  if (!unknown.empty()) return fail("{}", unknown.front());
  asked.after = after.value_or(asked.plan.steps);
  if (asked.after > most_steps)
    return fail("{}: {} steps are too many to wait for: a lesson takes at most {}", name, asked.after, most_steps);
  if (const Status known = check_part(asked.plan, asked.part); !known)
    return fail("{}: {}", name, known.error().message);
  return asked;
}

}  // namespace

// From the nearest place before it that was looked at.
Status LessonTrainings::go_to(Index step, Taken& taken, Compute& compute) {
  learn::Training& training = *taken.training;
  HL_CHECK(training.restore(std::prev(taken.snapshots.upper_bound(step))->second));
  while (training.step() < step && !compute.cancelled() && !training.broken()) training.take_step(compute);
  if (compute.cancelled()) return fail("cancelled");
  if (training.broken()) return fail("its numbers are no longer finite after {} steps", training.step());
  taken.snapshots[step] = training.snapshot();
  return {};
}

Result<Experiment> LessonTrainings::experiment_of(const std::string& json, const std::filesystem::path& folder,
                                                  const std::string& name, const std::stop_token& stop) {
  auto document = read_json(json);
  if (!document) return fail("{}: {}", name, document.error().message);
  HL_TRY(Asked asked, read_asked(std::move(*document), folder, name));
  ThreadPool pool;
  Compute compute(pool, stop);
  Taken& taken = trainings_[to_json(asked.plan)];
  if (!taken.training) {
    HL_TRY(taken.training, learn::Training::make(asked.plan, compute));
    taken.snapshots[0] = taken.training->snapshot();
  }
  if (const Status there = go_to(asked.after, taken, compute); !there)
    return fail("{}: {}", name, there.error().message);
  return part_experiment(*taken.training, asked.part, compute);
}

}  // namespace headlight::app
