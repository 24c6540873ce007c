#include "app/session/settings_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/actions/action_members.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest = 1 << 20;  // bytes: far more than is ever written

Result<Json> read_object(const fs::path& file) {
  HL_TRY(const std::string text, read_file(file, largest));
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return fail("{}: this is no JSON object, so the usual settings are used", one_line(utf8(file)));
  return json;
}

void take_flag(const Json& json, const char* key, bool& flag) {
  if (const auto found = json.find(key); found != json.end() && found->is_boolean()) flag = found->get<bool>();
}

std::optional<int> whole(const Json& json, const char* key, int least, int most) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer() || *found < least || *found > most) return std::nullopt;
  return found->get<int>();
}

std::optional<WindowPlace> window_in(const Json& json) {
  constexpr int farthest = 32768;  // px: what window systems count to
  const auto x = whole(json, "x", -farthest, farthest), y = whole(json, "y", -farthest, farthest);
  const auto width = whole(json, "width", 320, farthest), height = whole(json, "height", 240, farthest);
  if (!x || !y || !width || !height) return std::nullopt;
  WindowPlace place{*x, *y, *width, *height};
  take_flag(json, "maximized", place.maximized);
  return place;
}

constexpr auto question_names = action_members::names<ParamQuestion>;

std::set<ParamQuestion> questions_in(const Json& json) {
  std::set<ParamQuestion> questions;
  if (!json.is_array()) return questions;
  for (std::size_t i = 0; i < question_names.size(); ++i)
    if (std::ranges::count(json, question_names[i]) > 0) questions.insert(static_cast<ParamQuestion>(i));
  return questions;
}

Json names_in_json(const std::set<ParamQuestion>& questions) {
  Json names = Json::array();
  for (const ParamQuestion question : questions) names.push_back(question_names[static_cast<std::size_t>(question)]);
  return names;
}

std::map<std::string, LessonProgress> lessons_in(const Json& json) {
  constexpr int most_steps = 1000;
  std::map<std::string, LessonProgress> lessons;
  if (!json.is_object()) return lessons;
  for (const auto& [name, entry] : json.items()) {
    const auto step = entry.is_object() ? whole(entry, "step", 0, most_steps) : std::nullopt;
    const auto of = entry.is_object() ? whole(entry, "of", 1, most_steps) : std::nullopt;
    if (!step || !of) continue;
    LessonProgress& progress = lessons[name];
    progress = {static_cast<std::size_t>(*step), static_cast<std::size_t>(*of), false};
    take_flag(entry, "done", progress.done);
  }
  return lessons;
}

}  // namespace

Result<Remembered> read_settings(const fs::path& file) {
  Remembered remembered;
  std::error_code error;
  if (!fs::exists(file, error)) return remembered;
  HL_TRY(const Json json, read_object(file));
  Settings& settings = remembered.settings;
  if (const auto theme = json.find("theme"); theme != json.end() && theme->is_string())
    for (std::size_t i = 0; i < theme_names.size(); ++i)
      if (*theme == theme_names[i]) settings.theme = static_cast<ThemeName>(i);
  if (const auto scale = json.find("scale"); scale != json.end() && scale->is_number())
    settings.scale = std::clamp(scale->get<float>(), 0.75F, 3.0F);
  if (const auto start = json.find("start_with"); start != json.end() && start->is_string())
    for (std::size_t i = 0; i < start_names.size(); ++i)
      if (*start == start_names[i]) settings.start = static_cast<StartWith>(i);
  if (const auto left = json.find("left"); left != json.end() && left->is_string())
    remembered.left = left->get<std::string>();
  take_flag(json, "expert", settings.expert);
  take_flag(json, "notes", settings.notes);
  take_flag(json, "reduce_motion", settings.reduce_motion);
  if (const auto folded = json.find("folded"); folded != json.end()) remembered.folds.questions = questions_in(*folded);
  take_flag(json, "all_parameters", remembered.folds.all_parameters);
  if (const auto window = json.find("window"); window != json.end() && window->is_object())
    remembered.window = window_in(*window);
  if (const auto lessons = json.find("lessons"); lessons != json.end()) remembered.lessons = lessons_in(*lessons);
  if (const auto recent = json.find("recent"); recent != json.end() && recent->is_array())
    for (const auto& path : *recent)
      if (path.is_string() && remembered.recent.size() < most_recent)
        remembered.recent.emplace_back(path.get<std::string>());
  return remembered;
}

Status write_settings(const fs::path& file, const Remembered& remembered, const Remembered& before) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  Json json = Json::object();
  if (fs::exists(file, error)) {
    auto old = read_object(file);
    if (old)
      json = std::move(*old);
    else
      fs::rename(file, fs::path(file) += ".broken", error);
  }
  const Settings &now = remembered.settings, &was = before.settings;
  const auto put = [&](const char* key, bool changed, const auto& value) {
    if (changed || !json.contains(key)) json[key] = value;
  };
  put("theme", now.theme != was.theme, theme_names[static_cast<std::size_t>(now.theme)]);
  put("scale", now.scale != was.scale, std::round(now.scale * 100) / 100.0);
  put("start_with", now.start != was.start, start_names[static_cast<std::size_t>(now.start)]);
  put("left", remembered.left != before.left, utf8(remembered.left));
  put("expert", now.expert != was.expert, now.expert);
  put("notes", now.notes != was.notes, now.notes);
  put("reduce_motion", now.reduce_motion != was.reduce_motion, now.reduce_motion);
  const Folds &folds = remembered.folds, &old_folds = before.folds;
  put("folded", folds.questions != old_folds.questions, names_in_json(folds.questions));
  put("all_parameters", folds.all_parameters != old_folds.all_parameters, folds.all_parameters);
  if (remembered.window && remembered.window != before.window) {
    Json& window = json["window"];
    if (!window.is_object()) window = Json::object();
    window["x"] = remembered.window->x;
    window["y"] = remembered.window->y;
    window["width"] = remembered.window->width;
    window["height"] = remembered.window->height;
    window["maximized"] = remembered.window->maximized;
  }
  for (const auto& [name, progress] : remembered.lessons) {
    const auto then = before.lessons.find(name);
    if (then != before.lessons.end() && then->second == progress) continue;
    if (!json["lessons"].is_object()) json["lessons"] = Json::object();
    json["lessons"][name] = {{"step", progress.step}, {"of", progress.of}, {"done", progress.done}};
  }
  // Those that other windows opened meanwhile follow.
  Json recent = Json::array();
  for (const auto& path : remembered.recent) recent.push_back(utf8(path));
  if (const auto others = json.find("recent"); others != json.end() && others->is_array())
    for (const auto& path : *others)
      if (recent.size() < most_recent && std::ranges::find(recent, path) == recent.end()) recent.push_back(path);
  json["recent"] = std::move(recent);
  return write_file(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", Readers::user);
}

void remember_recent(std::vector<fs::path>& recent, const fs::path& file) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(file, ignored).lexically_normal();
  std::erase(recent, whole);
  recent.insert(recent.begin(), whole);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

}  // namespace headlight::app
