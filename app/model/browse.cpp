#include "app/model/browse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>

#include "app/figures/figure_recipe.h"
#include "engine/base/words.h"
#include "engine/core/natural_order.h"
#include "engine/core/system/clock.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/array_source.h"
#include "engine/io/embedded.h"
#include "engine/io/file.h"
#include "engine/io/images/image_file.h"
#include "engine/models/model_experiment.h"
#include "engine/models/plan.h"
#include "engine/picture/resize.h"
#include "engine/run/inputs.h"
#include "engine/run/trained.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_looked_into = std::uint64_t{64} << 20;  // bytes: more takes too long for a glance

// Runs of digits compare as numbers, and letters whatever their case.
bool natural_less(const Listed& a, const Listed& b) {
  if (a.kind != b.kind && (a.kind == FileKind::folder || b.kind == FileKind::folder)) return a.kind == FileKind::folder;
  if (a.kind != b.kind) return a.kind < b.kind;
  // Without the endings: "cat.png" comes before "cat-2.png".
  const auto key = [](const Listed& file) { return lower_case(utf8(path_of_utf8(file.name).stem())); };
  const int order = natural_order(key(a), key(b));
  return order != 0 ? order < 0 : a.name < b.name;
}

std::string name_in(const std::string& path) {
  return utf8(path_of_utf8(path).filename());
}

// "“the cat sat on the mat”", "scene.png".
std::string words_of(const InputSpec& input) {
  constexpr std::size_t longest = 60;  // bytes
  if (const auto* text = std::get_if<TextInput>(&input)) {
    std::string words = text->text.substr(0, longest);
    while (words.size() < text->text.size() && !words.empty() && (words.back() & 0x80) != 0) words.pop_back();
    return fmt::format("“{}{}”", words, words.size() < text->text.size() ? "…" : "");
  }
  if (const auto* image = std::get_if<ImageInput>(&input)) return name_in(image->path);
  if (const auto* frames = std::get_if<FramesInput>(&input))
    return frames->paths.size() == 1 ? name_in(frames->paths[0]) : fmt::format("{} frames", frames->paths.size());
  if (const auto* signal = std::get_if<SignalInput>(&input)) return name_in(signal->path);
  if (const auto* file = std::get_if<FileInput>(&input)) return name_in(file->path);
  return "numbers";
}

// Null where its weights are others, or there is none that fits.
const TrainedSet* trained_in(const Experiment& experiment) {
  if (!experiment.weights || experiment.weights->init != "trained") return nullptr;
  return trained_set_of(experiment).value_or(nullptr);
}

void look_into(const Experiment& experiment, Preview& preview) {
  const Variant* variant = find_variant(experiment.variant);
  preview.lines.push_back(variant ? variant->info().title : experiment.variant);
  for (const auto& [id, input] : experiment.inputs) {
    preview.lines.push_back(words_of(input));
    const auto* image = std::get_if<ImageInput>(&input);
    if (!image || preview.picture) continue;
    if (auto picture = read_image(experiment.folder / image->path)) preview.picture = std::move(*picture);
  }
  if (!experiment.arrays.empty()) preview.lines.push_back("Arrays from " + name_in(experiment.arrays));
  if (const TrainedSet* set = trained_in(experiment))
    preview.lines.push_back(fmt::format("{}: {}", set->title, lower_first(set->head.sentence)));
}

void look_into_picture(const fs::path& path, Preview& preview) {
  auto frames = read_frames(path, 1);
  if (!frames) {
    preview.lines.push_back(frames.error().message);
    return;
  }
  preview.lines.push_back(fmt::format("{} × {} px", frames->front().width, frames->front().height));
  preview.picture = std::move(frames->front());
}

void look_into_text(const fs::path& path, Preview& preview) {
  const auto text = read_text(path);
  preview.lines.push_back(text ? fmt::format("“{}”", brief(*text)) : text.error().message);
}

void look_into_arrays(const fs::path& path, Preview& preview) {
  constexpr std::size_t most_lines = 14;
  const auto source = open_arrays(path, {.all = true});
  if (!source) {
    preview.lines.push_back(source.error().message);
    return;
  }
  const auto& entries = (*source)->entries();
  for (const ArrayEntry& entry : entries) preview.arrays.emplace_back(entry.name, entry.shape);
  for (const ArrayEntry& entry : entries) {
    if (preview.lines.size() == most_lines) {
      preview.lines.push_back(fmt::format("and {} more", entries.size() - most_lines));
      return;
    }
    preview.lines.push_back(fmt::format("{}  {}  {}", entry.name, fmt::join(entry.shape, "×"), entry.dtype));
  }
}

void look_into_folder(const fs::path& path, Preview& preview) {
  const Listing listing = list_folder(path);
  if (!listing.error.empty()) preview.lines.push_back(listing.error);
  const auto pictures = std::ranges::count(listing.files, FileKind::picture, &Listed::kind);
  preview.lines.push_back(pictures == 0 ? "No pictures in it" : fmt::format("{} pictures, as frames", pictures));
  const auto first = std::ranges::find(listing.files, FileKind::picture, &Listed::kind);
  if (first == listing.files.end()) return;
  if (auto picture = read_image(path / first->name)) preview.picture = std::move(*picture);
}

void look_into_signal(const fs::path& path, Preview& preview) {
  auto info = read_signal_info(path, "");
  if (!info) {
    preview.lines.push_back(info.error().message);
    return;
  }
  preview.lines.push_back(fmt::format("{} samples", info->samples));
  if (info->rate > 0)
    preview.lines.push_back(
        fmt::format("{:.0f} a second: {:.2f} s", info->rate, static_cast<double>(info->samples) / info->rate));
  else
    preview.lines.push_back(fmt::format("Columns: {}", fmt::join(info->columns, ", ")));
  preview.signal = std::move(*info);
}

// The folder of a model, or the config.json in it; false where it is none.
bool look_into_model(const fs::path& path, Preview& preview) {
  const fs::path folder = path.filename() == "config.json" ? path.parent_path() : path;
  std::error_code ignored;
  if (!fs::exists(folder / "config.json", ignored)) return false;
  const auto config = ModelConfig::read(folder);
  const auto plan = config ? plan_of(*config) : tl::unexpected<Error>(config.error());
  preview.lines.push_back(plan ? fmt::format("A model: {}, {} layers × {} heads", plan->type, plan->layers, plan->heads)
                               : plan.error().message);
  return true;
}

void look_into_file(const fs::path& path, FileKind kind, Preview& preview) {
  if (kind == FileKind::text) return look_into_text(path, preview);
  if (kind == FileKind::signal) return look_into_signal(path, preview);
  if (kind == FileKind::arrays) return look_into_arrays(path, preview);
  if (kind == FileKind::experiment) {
    if (const auto json = read_file(path, largest_looked_into); json && is_model_experiment(*json)) {
      const auto asked = parse_model_experiment(*json, path.parent_path(), one_line(utf8(path)));
      return preview.lines.push_back(asked ? "A model: " + name_in(asked->model) : asked.error().message);
    }
    const auto experiment = read_experiment(path);
    if (experiment) return look_into(*experiment, preview);
    preview.lines.push_back(experiment.error().message);
    return;
  }
  const auto recipe = read_recipe(path);
  if (!recipe) preview.lines.push_back(recipe.error().message);
  if (recipe && *recipe) {
    preview.lines.emplace_back("A figure of");
    if (const auto& model = (*recipe)->model)
      preview.lines.push_back("A model: " + name_in(model->model));
    else
      look_into((*recipe)->experiment, preview);
  }
  if (kind != FileKind::figure) look_into_picture(path, preview);
}

}  // namespace

Result<std::string> read_text(const fs::path& path) {
  HL_TRY(std::string text, read_file(path, largest_text));
  std::erase(text, '\r');
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // the mark of its order of bytes
  if (text.empty()) return fail("{}: there is no text in it", one_line(utf8(path)));
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    return fail("{}: this is no text in UTF-8: save it as such", one_line(utf8(path)));
  return text;
}

std::string time_of(const fs::path& path) {
  const auto seconds = time_written(path);
  if (!seconds) return {};
  const std::tm parts = local_time(*seconds);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)};
}

std::string_view kinds_that_open() {
  return "Experiments (.headlight, .json), texts (.txt), pictures (.png, .jpg, .bmp), videos (.gif, or a folder of "
         "frames), signals and tables (.csv, .tsv, .wav), arrays and weights (.npy, .npz, .safetensors, .pt, .pth, "
         ".bin, .pkl), models (a folder with its config.json, .gguf) and figures made here (.pdf, .svg, .png, .tex).";
}

std::optional<FileKind> kind_of_name(const fs::path& path) {
  using enum FileKind;
  static const std::map<std::string_view, FileKind> known{
      {".headlight", experiment}, {".json", experiment}, {".txt", text},   {".png", picture},        {".jpg", picture},
      {".jpeg", picture},         {".bmp", picture},     {".gif", frames}, {".csv", signal},         {".tsv", signal},
      {".wav", signal},           {".npy", arrays},      {".npz", arrays}, {".safetensors", arrays}, {".pt", arrays},
      {".pth", arrays},           {".bin", arrays},      {".pkl", arrays}, {".pickle", arrays},      {".gguf", arrays},
      {".pdf", figure},           {".svg", figure},      {".tex", figure}};
  const std::string extension = lower_extension(path);
  const auto found = known.find(extension);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

Listing list_folder(const fs::path& folder) {
  Listing listing{folder, {}, {}};
  std::error_code error;
  for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    Listed listed{utf8(at->path().filename()), FileKind::folder, 0, {}, {}};
    if (listed.name.starts_with(".")) continue;
    if (!at->is_directory(ignored)) {
      const auto kind = kind_of_name(at->path());
      if (!kind || !at->is_regular_file(ignored)) continue;
      listed.kind = *kind;
      listed.bytes = at->file_size(ignored);
      listed.time = time_of(at->path());
    }
    listing.files.push_back(std::move(listed));
  }
  if (error) listing.error = fmt::format("{}: {}", one_line(utf8(folder)), error.message());
  std::ranges::sort(listing.files, natural_less);
  return listing;
}

Listing list_examples(const fs::path& folder) {
  Listing listing = list_folder(folder);
  std::erase_if(listing.files, [](const Listed& file) { return file.kind != FileKind::experiment; });
  for (Listed& file : listing.files) {
    const auto experiment = read_experiment(folder / file.name);
    if (!experiment) continue;
    const Variant* variant = find_variant(experiment->variant);
    file.about = variant ? variant->info().title : experiment->variant;
    if (const TrainedSet* set = trained_in(*experiment))
      file.about += fmt::format(": {}, learned", lower_first(set->title));
    else if (!experiment->inputs.empty())
      file.about += ": " + words_of(experiment->inputs.begin()->second);
  }
  return listing;
}

std::string size_in_words(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1000 && unit + 1 < units.size()) {
    size /= 1000;
    ++unit;
  }
  return unit == 0 || size >= 100 ? fmt::format("{:.0f} {}", size, units[unit])
                                  : fmt::format("{:.1f} {}", size, units[unit]);
}

Preview preview_of(const fs::path& path) {
  Preview preview;
  preview.path = path;
  std::error_code error;
  const auto kind = kind_of_name(path);
  if (look_into_model(path, preview)) return preview;
  if (fs::is_directory(path, error))
    look_into_folder(path, preview);
  else if (!kind)
    preview.lines.emplace_back("This is of no kind that opens here");
  else if (embedded_file(utf8(path)))
    look_into_file(path, *kind, preview);
  else if (kind != FileKind::arrays && fs::file_size(path, error) > largest_looked_into)
    preview.lines.push_back(fmt::format("{}: too large to be shown here", size_in_words(fs::file_size(path, error))));
  else if (!error)
    look_into_file(path, *kind, preview);
  else
    preview.lines.push_back(error.message());
  if (preview.picture && preview.picture->width > 0) {
    const PictureSize size = size_within(preview.picture->width, preview.picture->height, preview_side);
    preview.picture = resized(*preview.picture, size.width, size.height);
  }
  return preview;
}

}  // namespace headlight::app
