#include "app/figures/figure_recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

#include "app/page/notes.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/math/kernels.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// Eight bytes at a time; what tells files apart, not what keeps anybody from making two alike.
std::optional<std::uint64_t> hash_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto read = static_cast<std::size_t>(file.gcount());
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(read),
              block.begin() + static_cast<std::ptrdiff_t>((read + 7) / 8 * 8), '\0');
    for (std::size_t at = 0; at < read; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + at, sizeof word);
      hash = (hash ^ word) * 0xFF51AFD7ED558CCD;
      hash ^= hash >> 32;
    }
  }
  return file.eof() ? std::optional(hash) : std::nullopt;
}

std::string sum_of(const fs::path& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> kept;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  if (error) return {};
  const std::string key = fmt::format("{} {} {}", utf8(path), size, time);
  const std::scoped_lock lock(mutex);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  const auto hash = hash_of(path);
  return hash ? kept[key] = fmt::format("{} {:016x}", size, *hash) : std::string();
}

void add_file(std::set<fs::path>& files, const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) files.insert(fs::absolute(path, error).lexically_normal());
}

// Of these files those that are there, each once, of folders what is in them. A sum is kept as long as the file's size
// and time stay.
std::vector<DataFile> data_files(const std::vector<fs::path>& read) {
  std::set<fs::path> files;
  for (const fs::path& path : read) {
    add_file(files, path);
    std::error_code error;
    if (!fs::is_directory(path, error)) continue;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      add_file(files, at->path());
  }
  std::vector<DataFile> found;
  for (const fs::path& path : files)
    if (std::string sum = sum_of(path); !sum.empty()) found.push_back({path, std::move(sum)});
  return found;
}

// The figure says itself what it shows.
Json without_view(const FigureSubject& of, const std::filesystem::path& folder) {
  Json json = Json::parse(of.json(folder));
  json.erase("view");
  return json;
}

}  // namespace

const std::string& FigureSubject::name() const {
  return std::visit([](const auto* one) -> const std::string& { return one->name; }, of_);
}

std::string FigureSubject::json(const std::filesystem::path& folder) const {
  return std::visit([&](const auto* one) { return to_json(*one, folder); }, of_);
}

std::vector<std::filesystem::path> FigureSubject::files() const {
  return std::visit([](const auto* one) { return input_files(*one); }, of_);
}

std::vector<std::filesystem::path> FigureSubject::data() const {
  std::vector<std::filesystem::path> read = files();
  std::erase_if(read, [&](const std::filesystem::path& path) { return path == name(); });
  const auto* model = std::get_if<const ModelExperiment*>(&of_);
  if (!model) return read;
  // What else lies in a model's folder takes no part.
  const std::filesystem::path folder = resolve_path((*model)->folder, (*model)->model);
  std::erase_if(read, [&](const std::filesystem::path& path) {
    constexpr std::array known{".json", ".txt", ".safetensors", ".bin", ".pt", ".pth"};
    return path.parent_path() == folder && std::ranges::find(known, utf8(path.extension())) == known.end();
  });
  return read;
}

std::optional<FigureSubject> figure_subject(const Companion& companion) {
  if (companion.model) return FigureSubject(*companion.model);
  return companion.experiment ? std::optional(FigureSubject(*companion.experiment)) : std::nullopt;
}

std::string recipe_text(const FigureSubject& of, const FigureRequest& request, const Companions& companions,
                        const std::filesystem::path& folder) {
  const std::filesystem::path beside = folder.empty() ? std::filesystem::path(".") : folder;
  Json recipe;
  recipe["headlight_figure"] = 1;
  recipe["kernels"] = math::kernels().name;
  recipe["experiment"] = without_view(of, beside);
  recipe["figure"] = Json::object();
  for (const auto& [key, text] : settings_of(request)) recipe["figure"][key] = text;
  std::vector<std::filesystem::path> read = of.data();
  for (const auto& path : companions_of(request)) {
    const auto found = companions.find(path);
    const auto other = found == companions.end() ? std::nullopt : figure_subject(found->second);
    if (!other) continue;
    recipe["companions"][path] = without_view(*other, beside);
    for (auto& file : other->data()) read.push_back(std::move(file));
  }
  std::error_code ignored;  // without a folder that the program runs in, paths stay as they are
  const std::filesystem::path from = std::filesystem::absolute(beside, ignored);
  for (const DataFile& file : data_files(read)) recipe["files"][relative_path(utf8(file.path), {}, from)] = file.sum;
  return json_of_characters(recipe.dump());
}

Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name) {
  const auto read = read_json(text);
  if (!read) return fail("{}: its recipe is damaged: {}", name, message_line(read.error().message));
  const Json& json = *read;
  if (!json.is_object() || !json.contains("experiment") || !json["experiment"].is_object())
    return fail("{}: its recipe is damaged: open the experiment itself", name);
  constexpr int version = 1;
  if (const auto made = json.find("headlight_figure"); made != json.end() && *made != Json(version))
    return fail("{}: its recipe is of version {}, and this program knows {}: it needs a newer one", name,
                kind_of(*made), version);
  const std::string asked = json["experiment"].dump();
  Experiment experiment;
  std::optional<ModelExperiment> model;
  if (is_model_experiment(asked)) {
    HL_TRY(model, parse_model_experiment(asked, folder, name));
  } else {
    HL_TRY(experiment, parse_experiment(asked, folder, name));
  }
  FigureRequest request;
  if (const auto figure = json.find("figure"); figure != json.end() && figure->is_object())
    for (const auto& [key, value] : figure->items()) {
      if (!value.is_string()) return fail("{}: its recipe is damaged: \"{}\" is no text", name, brief(key));
      if (const Status set = set_figure(request, key, value.get<std::string>()); !set)
        return fail_at(name, set.error());
    }
  std::map<std::string, Experiment> companions;
  std::map<std::string, ModelExperiment> model_companions;
  if (const auto others = json.find("companions"); others != json.end() && others->is_object())
    for (const auto& path : companions_of(request)) {
      const auto other = others->find(path);
      if (other == others->end()) continue;  // then its file is read
      const std::string whole = other->dump(), where = fmt::format("{}: {}", name, brief(path));
      if (is_model_experiment(whole)) {
        HL_TRY(ModelExperiment companion, parse_model_experiment(whole, folder, where));
        model_companions.emplace(path, std::move(companion));
        continue;
      }
      HL_TRY(Experiment companion, parse_experiment(whole, folder, where));
      companions.emplace(path, std::move(companion));
    }
  std::vector<DataFile> files;
  if (const auto sums = json.find("files"); sums != json.end() && sums->is_object())
    for (const auto& [path, sum] : sums->items())
      if (sum.is_string()) files.push_back({resolve_path(folder, path), sum.get<std::string>()});
  const auto kernels = json.find("kernels");
  return Recipe{
      std::move(experiment),      std::move(request),
      std::move(companions),      kernels != json.end() && kernels->is_string() ? kernels->get<std::string>() : "",
      std::move(model),           std::move(files),
      std::move(model_companions)};
}

Result<std::optional<Recipe>> read_recipe(const std::filesystem::path& path) {
  if (!figure_format_of(path)) return std::nullopt;
  constexpr std::uint64_t most = 256ULL << 20;
  HL_TRY(const std::string bytes, read_file(path, most));
  const std::string name = one_line(utf8(path.filename()));
  const auto text = recipe_of(bytes);
  if (!text && path.extension() == ".png") return std::nullopt;
  if (!text) return fail("{}: {}", name, text.error().message);
  HL_TRY(Recipe recipe, parse_recipe(*text, path.parent_path(), name));
  return recipe;
}

Result<std::optional<Recipe>> read_recipe(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name) {
  const auto text = recipe_of(bytes);
  if (!text) return std::nullopt;
  HL_TRY(Recipe recipe, parse_recipe(*text, folder, name));
  return recipe;
}

Status check_unchanged(const std::vector<DataFile>& files) {
  std::vector<std::string> changed;
  for (const DataFile& file : files)
    if (const std::string sum = sum_of(file.path); !sum.empty() && sum != file.sum)
      changed.push_back(one_line(utf8(file.path.filename())));
  if (changed.empty()) return {};
  return fail("{} {} changed since the figure was made, and its numbers with it", brief_list(changed),
              changed.size() == 1 ? "has" : "have");
}

}  // namespace headlight::app
