#include "engine/run/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <system_error>

#include "engine/core/memory.h"
#include "engine/core/natural_order.h"
#include "engine/core/pause.h"
#include "engine/core/system/paths.h"
#include "engine/inputs/features.h"
#include "engine/inputs/text.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/images/image_file.h"
#include "engine/io/signal.h"
#include "engine/picture/resize.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

// Looked at before anything is made: a text may be long, and d_model large.
Status check_text(const TextInput& text) {
  constexpr std::size_t longest = std::size_t{8} << 20;  // bytes: more than max_positions words
  if (text.text.size() > longest)
    return fail("text has {} bytes: at most {} are read, so make it shorter", text.text.size(), longest);
  return {};
}
Status check_tokens(std::size_t count, Index d_model) {
  if (static_cast<Index>(count) > max_positions)
    return fail("text has {} tokens: an input may have at most {}, so make it shorter", count, max_positions);
  constexpr double copies = 6;  // the embedding, the input, what is made of it: queries, keys, values, output
  const Status fits = check_memory(copies * sizeof(float) * static_cast<double>(count) * static_cast<double>(d_model));
  if (!fits) return fail("text of {} tokens with d_model {} {}", count, d_model, fits.error().message);
  return {};
}

Result<MadeInput> make(const TextInput& text, bool word_before) {
  HL_CHECK(check_text(text));
  auto tokens = tokenize(text.text, *tokenizer_by_name(text.tokenizer), text.start_token);
  if (tokens.tokens.empty()) return fail("text has no tokens: type at least one word, or keep the start token");
  HL_CHECK(check_tokens(tokens.tokens.size(), text.d_model));
  MadeInput made;
  made.kind = InputKind::text;
  made.warnings = std::move(tokens.warnings);
  std::vector<std::string> unread;  // whoever gave them is told before
  const Meanings meanings = read_meanings(text.means, unread);
  Tensor x = embed(tokens.tokens, text.d_model, text.seed, meanings);  // (1, n, d_model)
  if (word_before) write_previous_token(x, tokens.tokens, text.seed, meanings);
  const Index count = x.dim(1);
  made.values = std::move(x).reshaped({count, text.d_model});  // (n, d_model)
  made.grid = {1, 1, count};
  made.channels = text_channels_in_words(text.d_model, word_before);
  for (auto& token : tokens.tokens) made.labels.push_back(std::move(token.text));
  return made;
}

constexpr Index finest_side = 512;  // of what is kept to be seen

// A picture on its grid, and to be seen: whole pixels a cell, as many as the picture holds.
struct OnGrid {
  Image cells;
  std::optional<Image> fine;
};

OnGrid on_grid(const Image& picture, const PictureSize& size) {
  const Index held = std::min(picture.width / size.width, picture.height / size.height),
              kept = std::min(held, finest_side / std::max(size.width, size.height));
  OnGrid result{resized(picture, size.width, size.height), std::nullopt};
  if (kept >= 2) result.fine = resized(picture, size.width * kept, size.height * kept);
  return result;
}

MadeInput made_of_pictures(InputKind kind, std::vector<OnGrid> frames, const std::string& features, Index of = 1) {
  std::vector<Image> pictures, fine;
  for (OnGrid& frame : frames) {
    pictures.push_back(std::move(frame.cells));
    if (frame.fine) fine.push_back(std::move(*frame.fine));
  }
  MadeInput made;
  if (fine.size() != pictures.size()) fine.clear();
  made.kind = kind;
  const bool in_time = kind == InputKind::frames;
  Positions positions = picture_features(pictures, features, in_time);
  made.values = std::move(positions.values);
  made.grid = positions.grid;
  made.labels = grid_labels(made.grid, in_time);
  made.channels = picture_channels_in_words(features, in_time);
  Pictures seen = make_pictures(std::move(pictures), std::move(fine));
  seen.of = of;
  made.pictures = std::make_shared<const Pictures>(std::move(seen));
  return made;
}

// Columns and rows of the grid that a picture is brought to.
PictureSize size_on_grid(const Image& picture, const std::optional<GridSize>& asked, Index longest) {
  if (asked) return {asked->columns, asked->rows};
  return size_within(picture.width, picture.height, longest);
}

Result<MadeInput> make(const ImageInput& input, const fs::path& folder) {
  HL_TRY(const Image picture, read_image(resolve_path(folder, input.path)));
  std::vector<OnGrid> pictures;
  pictures.push_back(on_grid(picture, size_on_grid(picture, input.size, default_longest_side)));
  return made_of_pictures(InputKind::image, std::move(pictures), input.features);
}

bool is_picture_name(const fs::path& path) {
  constexpr std::string_view known[] = {".png", ".jpg", ".jpeg", ".gif", ".bmp"};
  return std::ranges::find(known, lower_extension(path)) != std::end(known) && !utf8(path.filename()).starts_with('.');
}

Result<std::vector<fs::path>> pictures_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_picture_name(at->path())) found.push_back(at->path());
  const std::string name = one_line(utf8(folder));
  if (error) return fail("{}: this folder cannot be read: {}", name, error.message());
  if (found.empty()) return fail("{}: there are no pictures in this folder (.png, .jpg, .gif, .bmp)", name);
  const auto before = [](const std::string& a, const std::string& b) { return natural_order(a, b) < 0; };
  std::ranges::sort(found, before, [](const fs::path& path) { return utf8(path.filename()); });
  return found;
}

Status check_frame_count(std::size_t count, const PictureSize& size) {
  if (count > static_cast<std::size_t>(max_frames)) return fail("{} frames: at most {} are read", count, max_frames);
  if (static_cast<Index>(count) * size.width * size.height > max_positions)
    return fail("{} frames of {}×{} have more than the {} positions that an input may have: make \"size\" smaller",
                count, size.height, size.width, max_positions);
  return {};
}

// Which of the frames that there are is the i-th that is read.
Result<std::vector<std::size_t>> frames_chosen(const FramesInput& input, std::size_t count) {
  const auto start = static_cast<std::size_t>(input.start), every = static_cast<std::size_t>(input.every);
  if (start >= count) return fail("start is {}, but there are {} frames: at most {}", start, count, count - 1);
  std::vector<std::size_t> chosen;
  for (std::size_t i = start; i < count; i += every) chosen.push_back(i);
  const auto length = static_cast<std::size_t>(input.length.value_or(static_cast<Index>(chosen.size())));
  if (length > chosen.size())
    return fail("length is {}, but from frame {} on there are {}{}: at most that", length, start, chosen.size(),
                every > 1 ? fmt::format(", every {} frames", every) : "");
  chosen.resize(length);
  return chosen;
}

// Files one after the other, each brought to the grid before the next is read.
Result<std::vector<OnGrid>> frames_of_files(const std::vector<fs::path>& paths, const FramesInput& input) {
  HL_TRY(const auto chosen, frames_chosen(input, paths.size()));
  std::vector<OnGrid> frames;
  PictureSize size;
  for (const std::size_t i : chosen) {
    pause_if_asked();
    HL_TRY(const Image picture, read_image(paths[i]));
    if (frames.empty()) {
      size = size_on_grid(picture, input.size, default_frame_side);
      HL_CHECK(check_frame_count(chosen.size(), size));
    }
    frames.push_back(on_grid(picture, size));
  }
  return frames;
}

Result<std::vector<OnGrid>> frames_of_animation(const std::vector<Image>& pictures, const FramesInput& input) {
  HL_TRY(const auto chosen, frames_chosen(input, pictures.size()));
  const PictureSize size = size_on_grid(pictures.front(), input.size, default_frame_side);
  HL_CHECK(check_frame_count(chosen.size(), size));
  std::vector<OnGrid> frames;
  for (const std::size_t i : chosen) {
    pause_if_asked();
    frames.push_back(on_grid(pictures[i], size));
  }
  return frames;
}

Result<MadeInput> make(const FramesInput& input, const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& path : input.paths) paths.push_back(resolve_path(folder, path));
  std::error_code ignored;
  const bool is_folder = paths.size() == 1 && fs::is_directory(paths[0], ignored);
  if (is_folder) {
    HL_TRY(paths, pictures_in(paths[0]));
  }
  const bool is_animation = paths.size() == 1 && !is_folder;
  std::vector<Image> animation;
  if (is_animation) {
    HL_TRY(animation, read_frames(paths[0]));
  }
  HL_TRY(auto frames, is_animation ? frames_of_animation(animation, input) : frames_of_files(paths, input));
  return made_of_pictures(InputKind::frames, std::move(frames), input.features,
                          static_cast<Index>(is_animation ? animation.size() : paths.size()));
}

Status cut_to(std::vector<float>& samples, Index start, const std::optional<Index>& length) {
  const auto count = static_cast<Index>(samples.size());
  if (start >= count) return fail("start is {}, but the signal has {} samples: at most {}", start, count, count - 1);
  if (length && *length > count - start)
    return fail("length is {} from sample {} on, but the signal has {} samples: at most {}", *length, start, count,
                count - start);
  samples.erase(samples.begin() + start + length.value_or(count - start), samples.end());
  samples.erase(samples.begin(), samples.begin() + start);
  return {};
}

Result<MadeInput> make(const SignalInput& input, const fs::path& folder) {
  HL_TRY(auto samples, read_signal(resolve_path(folder, input.path), input.column));
  HL_CHECK(cut_to(samples, input.start, input.length));
  MadeInput made;
  made.kind = InputKind::signal;
  const auto count = static_cast<Index>(samples.size());
  const Index wanted = input.samples.value_or(default_samples);
  if (count > wanted && !input.samples)
    made.warnings.push_back(
        fmt::format("{} samples were averaged down to {}: Positions in the window (\"samples\" in a file) keeps more",
                    count, wanted));
  Positions positions = signal_features(downsample(samples, wanted), input.features);
  made.values = std::move(positions.values);
  made.grid = positions.grid;
  made.channels = signal_channels_in_words(input.features);
  for (Index i = 0; i < made.grid.columns; ++i) made.labels.push_back(fmt::format("{}", i));
  return made;
}

}  // namespace

Result<MadeInput> make_input(const InputSpec& input, const fs::path& folder, bool word_before) {
  if (const auto* text = std::get_if<TextInput>(&input)) return make(*text, word_before);
  if (const auto* image = std::get_if<ImageInput>(&input)) return make(*image, folder);
  if (const auto* frames = std::get_if<FramesInput>(&input)) return make(*frames, folder);
  return make(std::get<SignalInput>(input), folder);
}

std::vector<fs::path> files_of(const InputSpec& input, const fs::path& folder) {
  std::vector<fs::path> files;
  if (const auto* image = std::get_if<ImageInput>(&input)) files = {resolve_path(folder, image->path)};
  if (const auto* signal = std::get_if<SignalInput>(&input)) files = {resolve_path(folder, signal->path)};
  const auto* frames = std::get_if<FramesInput>(&input);
  if (!frames) return files;
  for (const auto& path : frames->paths) files.push_back(resolve_path(folder, path));
  std::error_code ignored;
  if (files.size() != 1 || !fs::is_directory(files[0], ignored)) return files;
  if (auto inside = pictures_in(files[0]); inside && inside->size() <= static_cast<std::size_t>(max_frames))
    files.insert(files.end(), inside->begin(), inside->end());
  return files;
}

namespace {

bool is_sequence(InputKind kind) {
  return kind == InputKind::text || kind == InputKind::signal;
}

std::string in_words(InputKind kind) {
  if (kind == InputKind::text) return "text, which has one axis of positions";
  if (kind == InputKind::image) return "a picture, which has rows and columns";
  if (kind == InputKind::frames) return "frames, which have rows and columns";
  return kind == InputKind::signal ? "a signal, which has one axis of positions" : "an array";
}

// A parameter and its value.
using OneParam = std::pair<std::string, ParamValue>;

// The first parameter, of those that `may_change` allows, that alone gives the input `id` a shape as wanted.
std::optional<OneParam> setting_for(const Variant& variant, const ParamValues& params, const std::string& id,
                                    const std::function<bool(const ParamSpec&)>& may_change,
                                    const std::function<bool(const ArraySpec&)>& wanted) {
  constexpr Index most_tried = 8;  // values of a whole number
  for (const auto& param : variant.params()) {
    if (!may_change(param)) continue;
    std::vector<ParamValue> values;
    for (const auto& choice : param.choices) values.emplace_back(choice.id);
    if (param.type == ParamType::integer)
      for (Index i = 0; i < most_tried; ++i) values.emplace_back(static_cast<Index>(param.least) + i);
    for (const auto& value : values) {
      const auto checked = check_param(param, value);
      if (!checked || *checked == params.get(param.id)) continue;
      ParamValues tried = params;
      tried.set(param.id, *checked);
      const auto inputs = variant.arrays(tried, {id}).inputs;
      const auto same = std::ranges::find(inputs, id, &ArraySpec::id);
      if (same != inputs.end() && wanted(*same)) return OneParam{param.id, *checked};
    }
  }
  return std::nullopt;
}

// "set params.dimension to 2", where one parameter alone makes the array fit; else empty.
std::string parameter_that_fits(InputKind kind, const ArraySpec& spec, const Variant& variant,
                                const ParamValues& params) {
  const auto setting = setting_for(
      variant, params, spec.id, [](const ParamSpec&) { return true; },
      [&](const ArraySpec& other) { return fits(kind, other); });
  return setting ? fmt::format("set params.{} to {}", setting->first, to_string(setting->second)) : "";
}

// The id of the first other variant that takes such an input first; empty when there is none.
std::string variant_that_fits(InputKind kind, const Variant& variant, std::span<const Variant* const> variants) {
  for (const Variant* other : variants) {
    if (other->info().id == variant.info().id) continue;
    const auto inputs = other->arrays(ParamValues::defaults(other->params()), {}).inputs;
    if (!inputs.empty() && fits(kind, inputs.front())) return other->info().id;
  }
  return {};
}

}  // namespace

bool fits(InputKind kind, const ArraySpec& spec) {
  if (kind == InputKind::array || spec.layout == Layout::none) return false;
  if (spec.layout == Layout::rows) return true;
  const std::size_t rank = spec.shapes.front().size();
  return is_sequence(kind) ? rank == 3 : rank == 4 || rank == 5;
}

std::string positions_symbol(const ArraySpec& spec) {
  const auto& symbols = spec.shapes.front();
  if (spec.layout == Layout::rows) return symbols[1];
  return spec.layout == Layout::grid && symbols.size() == 3 ? symbols[2] : "";
}

std::size_t natural_rank(InputKind kind) {
  if (kind == InputKind::image) return 4;
  if (kind == InputKind::frames) return 5;
  return is_sequence(kind) ? 3 : 0;
}

InputKind kind_of(const InputSpec& input) {
  if (std::holds_alternative<TextInput>(input)) return InputKind::text;
  if (std::holds_alternative<ImageInput>(input)) return InputKind::image;
  if (std::holds_alternative<FramesInput>(input)) return InputKind::frames;
  if (std::holds_alternative<SignalInput>(input)) return InputKind::signal;
  return InputKind::array;
}

Result<std::shared_ptr<const Tensor>> numbers_of(const LiteralInput& input) {
  HL_TRY(const Index count, element_count(input.shape));
  if (const auto given = static_cast<Index>(input.values->size()); given != count)
    return fail("shape {} holds {} numbers, and {} are given", to_string(input.shape), count, given);
  return std::make_shared<const Tensor>(Tensor::from(input.shape, *input.values));
}

void infer_rank(const Variant& variant, const std::string& id, std::size_t rank, ParamValues& params) {
  const auto has_rank = [&](const ArraySpec& spec) {
    return spec.layout != Layout::grid || spec.shapes.front().size() == rank;
  };
  const auto inputs = variant.arrays(params, {id}).inputs;
  const auto spec = std::ranges::find(inputs, id, &ArraySpec::id);
  if (rank == 0 || spec == inputs.end() || has_rank(*spec)) return;
  const auto setting = setting_for(
      variant, params, id, [&](const ParamSpec& param) { return !params.is_given(param.id); }, has_rank);
  if (setting) params.infer(setting->first, setting->second);
}

std::vector<std::string> grid_labels(const Grid& grid, bool in_time) {
  std::vector<std::string> labels;
  for (Index t = 0; t < grid.frames; ++t)
    for (Index r = 0; r < grid.rows; ++r)
      for (Index c = 0; c < grid.columns; ++c)
        labels.push_back(in_time ? fmt::format("t{} {}, {}", t, r, c) : fmt::format("{}, {}", r, c));
  return labels;
}

Tensor laid_out(const MadeInput& input, const ArraySpec& spec) {
  assert(fits(input.kind, spec));
  const Index positions = input.values.dim(0), channels = input.values.dim(1);
  if (spec.layout == Layout::rows) return Tensor(input.values).reshaped({1, positions, channels});
  const auto& [frames, rows, columns] = input.grid;
  const std::size_t rank = spec.shapes.front().size();
  Shape shape{1, channels, frames, rows, columns};
  if (rank == 3) shape = {1, channels, positions};
  if (rank == 4) shape = {frames, channels, rows, columns};
  // Channels come before the positions of one batch item.
  const Index batches = shape[0], inner = positions / batches;
  Tensor result = Tensor::uninitialized(shape);
  for (Index b = 0; b < batches; ++b)
    for (Index p = 0; p < inner; ++p)
      for (Index c = 0; c < channels; ++c)
        result[(b * channels + c) * inner + p] = input.values[(b * inner + p) * channels + c];
  return result;
}

std::string why_not(InputKind kind, const ArraySpec& spec, const Variant& variant, const ParamValues& params,
                    std::span<const Variant* const> variants) {
  const std::string numbers = R"(give {"npy": …} or an array)";
  const std::string takes = spec.layout == Layout::none
                                ? "takes numbers only"
                                : fmt::format("takes ({})", fmt::join(spec.shapes.front(), ", "));
  std::string advice = spec.layout == Layout::none ? "" : parameter_that_fits(kind, spec, variant, params);
  if (advice.empty() && spec.layout != Layout::none)
    if (const std::string id = variant_that_fits(kind, variant, variants); !id.empty())
      advice = fmt::format("use the variant {}", id);
  return fmt::format("is {}, but {} of {} {}: {}", in_words(kind), spec.id, variant.info().id, takes,
                     advice.empty() ? numbers : advice);
}

}  // namespace headlight
