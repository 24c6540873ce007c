#include "app/reading/inputs.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/core/system/paths.h"
#include "engine/io/axes.h"
#include "engine/run/inputs.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

// What an array's axes say, where they are named, is as good as a picture.
InputKind shaped_like(const InputSpec& input) {
  const auto* file = std::get_if<FileInput>(&input);
  return file && !file->axes.empty() ? kind_of_axes(file->axes) : kind_of(input);
}

// Whether it is attention that was saved, by what its axes are said to be.
bool is_attention(const InputSpec& input) {
  const auto* file = std::get_if<FileInput>(&input);
  return file && are_map_axes(file->axes);
}

ArraySpec first_input(const Variant& variant) {
  return variant.arrays(ParamValues::defaults(variant.params()), {}).inputs.front();
}

// The variant that shows such an input best: multi_head for text and signals, stand_alone_2d for a picture, non_local
// for frames.
const Variant& natural_variant(InputKind kind) {
  for (const Variant* variant : all_variants())
    if (std::ranges::count(variant->info().first_choice_for, kind) > 0) return *variant;
  return *all_variants().front();
}

}  // namespace

bool takes(const Variant& variant, const ParamValues& params, const InputSpec& input) {
  if (is_attention(input)) return takes_maps(variant);
  const InputKind kind = shaped_like(input);
  if (kind == InputKind::array) return true;  // only its shape can tell
  ParamValues tried = params;
  const std::string id = variant.arrays(params, {}).inputs.front().id;
  infer_rank(variant, id, natural_rank(kind), tried);
  return fits(kind, variant.arrays(tried, {id}).inputs.front());
}

InputKind natural_kind(const Variant& variant) {
  const ArraySpec first = first_input(variant);
  if (first.layout != Layout::grid) return InputKind::text;
  const std::size_t rank = first.shapes.front().size();
  if (rank == 3) return InputKind::signal;
  return rank == 4 ? InputKind::image : InputKind::frames;
}

const Variant& variant_for(const Variant& variant, const ParamValues& params, const InputSpec& input) {
  if (takes(variant, params, input)) return variant;
  return is_attention(input) ? maps_variant() : natural_variant(shaped_like(input));
}

const Variant& maps_variant() {
  return **std::ranges::find_if(all_variants(), [](const Variant* variant) { return takes_maps(*variant); });
}

bool takes_maps(const Variant& variant) {
  return first_input(variant).layout == Layout::maps;
}

std::string axes_in_letters(std::string_view axes) {
  std::string letters(axes);
  for (char& c : letters) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return letters;
}

std::string likely_axes(const Shape& shape, const Variant& variant) {
  constexpr Index most_colors = 4;  // channels of a picture that nothing was made of yet
  const bool channels_last = shape.size() >= 3 && shape.back() <= most_colors && shape[shape.size() - 2] > most_colors;
  if (shape.size() == 3) {
    const bool rows = first_input(variant).layout == Layout::rows;
    if (channels_last && shape[0] > most_colors) return "hwc";
    return rows && (shape[0] == 1 || shape[0] > most_colors) ? "bnc" : "chw";
  }
  if (channels_last && shape.size() == 4) return "bhwc";
  if (channels_last && shape.size() == 5) return "bthwc";
  const auto& known = axes_of_rank(shape.size());
  return known.empty() ? "" : known.front();
}

bool axes_are_plain(const Shape& shape, const Variant& variant) {
  return shape.size() == 3 && shape[0] == 1 && first_input(variant).layout == Layout::rows;
}

bool is_used_as_given(const Problem& problem, const std::string& id, const InputSpec& input) {
  const auto spec = std::ranges::find(problem.specs.inputs, id, &ArraySpec::id);
  const InputKind kind = kind_of(input);
  if (spec == problem.specs.inputs.end() || kind == InputKind::array) return true;
  if (problem.given_labels.contains(positions_symbol(*spec))) return false;  // it is a label of numbers that are given
  if (kind == InputKind::image || kind == InputKind::frames) return problem.pictures.contains(id);
  return problem.labels.contains(positions_symbol(*spec));
}

std::vector<std::string> inputs_of_file(const Problem& problem, const Experiment& experiment) {
  std::vector<std::string> found;
  if (experiment.arrays.empty()) return found;
  for (const ArraySpec& spec : problem.specs.inputs) {
    const auto array = problem.arrays.find(spec.id);
    if (array == problem.arrays.end()) continue;
    const auto said = experiment.inputs.find(spec.id);
    const auto served = problem.arrays.find(spec.alias_of);
    const bool is_alias = served != problem.arrays.end() && served->second == array->second;
    const bool is_given = spec.fill == Fill::required || spec.fill == Fill::absent || spec.fill == Fill::alias;
    const bool is_said = said != experiment.inputs.end() && is_used_as_given(problem, spec.id, said->second);
    if (is_given && !is_alias && !is_said) found.push_back(spec.id);
  }
  return found;
}

InputSpec example_input(InputKind kind, const fs::path& examples) {
  const auto file = [&](const std::string& name) { return utf8(examples / name); };
  if (kind == InputKind::image) return ImageInput{file("scene.png"), {}};
  if (kind == InputKind::signal) return SignalInput{file("signal.csv")};
  if (kind == InputKind::frames) {
    FramesInput frames;
    for (int i = 0; i < 8; ++i) frames.paths.push_back(file(fmt::format("scene_{}.png", i)));
    return frames;
  }
  return example_experiment().inputs.begin()->second;
}

std::string kind_in_words(const InputSpec& input) {
  // In the order of InputKind.
  static constexpr std::array arrays{"an array", "an array of rows and columns", "an array of frames",
                                     "an array of positions in a row", "an array"};
  static constexpr std::array others{"a sentence", "a picture", "a video", "a signal", "a signal"};
  const auto kind = static_cast<std::size_t>(shaped_like(input));
  return kind_of(input) == InputKind::array ? arrays[kind] : others[kind];
}

std::optional<InputSpec> input_of_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return FramesInput{{utf8(path)}, {}};
  const std::string extension = lower_extension(path);
  if (extension == ".gif") return FramesInput{{utf8(path)}, {}};
  if (extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".bmp")
    return ImageInput{utf8(path), {}};
  if (extension == ".csv" || extension == ".wav") return SignalInput{utf8(path)};
  if (extension == ".npy") return FileInput{utf8(path)};
  return std::nullopt;
}

}  // namespace headlight::app
