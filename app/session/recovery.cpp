#include "app/session/recovery.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/figures/figure_request.h"
#include "app/model/browse.h"
#include "engine/core/system/paths.h"
#include "engine/core/system/process.h"
#include "engine/io/file.h"
#include "engine/learn/training_file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr const char* extension = ".work";
constexpr std::uint64_t largest_recovery = std::uint64_t{1} << 30;  // bytes, as of an experiment's file

fs::path lock_of(const fs::path& work) {
  return fs::path(work).replace_extension(".lock");
}

std::string name_of(const Work& work) {
  if (work.training_alone)
    return fmt::format("{} after {} steps of training", work.training->plan.task->info().title, work.training->step);
  if (!work.path.empty()) return utf8(work.path.filename());
  return work.name.empty() ? "Example" : work.name;
}

Result<Work> read_work(const fs::path& file) {
  HL_TRY(const std::string text, read_file(file, largest_recovery));
  return parse_work(text, one_line(utf8(file.filename())));
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string work_text(const Work& work) {
  std::error_code ignored;
  Json json;
  json["headlight_work"] = version;
  json["path"] = work.path.empty() ? "" : utf8(fs::absolute(work.path, ignored));
  json["name"] = work.name;
  json["stamp"] = work.stamp;
  json["folder"] = utf8(fs::absolute(work.experiment.folder, ignored));
  if (work.network) {
    json["folder"] = utf8(fs::absolute(work.network->folder, ignored));
    json["model"] = to_json(*work.network, work.network->folder);
  } else {
    json["experiment"] = to_json(work.experiment, work.experiment.folder);
  }
  json["figure"] = Json::object();
  for (const auto& [key, text] : settings_of(work.figure)) json["figure"][key] = text;
  if (work.training) {
    Json& training = json["training"];
    training["plan"] = learn::to_json(work.training->plan);
    training["step"] = work.training->step;
    training["steps_asked"] = work.training->steps_asked;
    training["alone"] = work.training_alone;
    for (const auto& [step, settings] : work.training->schedule)
      training["rates"].push_back({step, settings.rate, settings.batch});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

Result<KeptTraining> parse_kept_training(const Json& json, const std::string& name) {
  const auto step = json.find("step"), rates = json.find("rates");
  if (step == json.end() || !step->is_number_integer()) return fail("{}: its training is damaged", name);
  KeptTraining kept;
  std::vector<std::string> notices;
  HL_TRY(kept.plan, learn::parse_training(text_at(json, "plan"), {}, name, notices));
  kept.step = step->get<Index>();
  const auto asked = json.find("steps_asked");
  const bool is_said = asked != json.end() && asked->is_number_integer();
  kept.steps_asked = is_said ? std::max<Index>(1, asked->get<Index>()) : kept.plan.steps;
  const Index first_batch = learn::first_settings(kept.plan).batch;  // of an older version, which kept no batch
  if (rates != json.end() && rates->is_array())
    for (const Json& each : *rates)
      if (each.is_array() && each.size() >= 2 && each[0].is_number_integer() && each[1].is_number())
        kept.schedule[each[0].get<Index>()] = {
            each[1].get<double>(), each.size() > 2 && each[2].is_number_integer() ? each[2].get<Index>() : first_batch};
  if (!kept.schedule.contains(0)) return fail("{}: its training is damaged", name);
  return kept;
}

}  // namespace

Result<Work> parse_work(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || (text_at(json, "experiment").empty() && text_at(json, "model").empty()))
    return fail("{}: this kept work is damaged", name);
  if (const auto made = json.find("headlight_work"); made == json.end() || *made != Json(version))
    return fail("{}: this work was kept by another version of Headlight", name);
  Work work;
  work.path = text_at(json, "path");
  work.name = text_at(json, "name");
  work.stamp = text_at(json, "stamp");
  if (const auto training = json.find("training"); training != json.end() && training->is_object()) {
    HL_TRY(work.training, parse_kept_training(*training, name));
    const auto alone = training->find("alone");
    work.training_alone = alone != training->end() && *alone == Json(true);
  }
  if (const std::string asked = text_at(json, "model"); !asked.empty()) {
    HL_TRY(work.network, parse_model_experiment(asked, text_at(json, "folder"), name_of(work)));
    return work;
  }
  HL_TRY(work.experiment, parse_experiment(text_at(json, "experiment"), text_at(json, "folder"), name_of(work)));
  work.experiment.name = utf8(work.path);
  if (const auto figure = json.find("figure"); figure != json.end() && figure->is_object())
    for (const auto& [key, value] : figure->items())
      if (value.is_string()) static_cast<void>(set_figure(work.figure, key, value.get<std::string>()));
  return work;
}

Result<std::unique_ptr<WorkPlace>> WorkPlace::take(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("unsaved work cannot be kept in {}: {}", one_line(utf8(folder)), error.message());
  fs::permissions(folder, fs::perms::owner_all, error);
  constexpr int most_windows = 1000;
  for (int i = 0; i < most_windows; ++i) {
    const fs::path own = folder / fmt::format("window-{}-{}{}", process_number(), i, extension);
    if (fs::exists(own, error)) continue;  // of a process that had our number
    if (auto lock = FileLock::take(lock_of(own)))
      return std::unique_ptr<WorkPlace>(new WorkPlace(own, std::move(*lock)));
  }
  return fail("unsaved work cannot be kept in {}: it may not be written", one_line(utf8(folder)));
}

WorkPlace::~WorkPlace() {
  std::error_code ignored;
  if (!fs::exists(own_, ignored)) fs::remove(lock_of(own_), ignored);
}

Status WorkPlace::keep(const Work& work) {
  const std::scoped_lock lock(mutex_);
  return write_file(own_, work_text(work), Readers::user);
}

void WorkPlace::clear() {
  const std::scoped_lock lock(mutex_);
  std::error_code ignored;
  fs::remove(own_, ignored);
}

std::vector<Recoverable> WorkPlace::claim() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<fs::file_time_type, Recoverable>> found;
  std::error_code error;
  for (fs::directory_iterator at(own_.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const fs::path& file = at->path();
    if (file.extension() != extension || file == own_ || claimed_.contains(file)) continue;
    auto held = FileLock::take(lock_of(file));
    if (!held) continue;  // its window lives
    const auto work = read_work(file);
    if (!work) {  // perhaps of a newer version: it stays
      std::error_code ignored;
      fs::remove(lock_of(file), ignored);
      continue;
    }
    claimed_.emplace(file, std::move(*held));
    std::error_code ignored;
    found.push_back({fs::last_write_time(file, ignored), {file, name_of(*work), time_of(file)}});
  }
  std::ranges::sort(found, std::ranges::greater(), [](const auto& one) { return one.first; });
  std::vector<Recoverable> list;
  for (auto& [time, one] : found) list.push_back(std::move(one));
  return list;
}

Result<Work> WorkPlace::adopt(const fs::path& file) {
  const std::scoped_lock lock(mutex_);
  HL_TRY(Work work, read_work(file));
  std::error_code error;
  fs::rename(file, own_, error);
  if (error) return fail("{}: cannot be taken over: {}", one_line(utf8(file)), error.message());
  release(file);
  return work;
}

void WorkPlace::discard(const fs::path& file) {
  const std::scoped_lock lock(mutex_);
  std::error_code ignored;
  fs::remove(file, ignored);
  release(file);
}

void WorkPlace::release(const fs::path& file) {
  std::error_code ignored;
  fs::remove(lock_of(file), ignored);
  claimed_.erase(file);
}

}  // namespace headlight::app
