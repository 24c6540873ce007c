#include "engine/io/experiment_inputs.h"

#include <algorithm>
#include <cmath>

#include "engine/inputs/features.h"
#include "engine/inputs/text.h"
#include "engine/io/axes.h"
#include "engine/io/signal.h"

namespace headlight {

namespace {

constexpr Index longest_side = 1024;       // of a grid: a million positions
constexpr Index most_samples = 1'000'000;  // of a signal's positions

// Nested arrays of numbers, every row as long as the first.
Status read_numbers(const Json& value, const std::string& where, std::size_t depth, Shape& shape,
                    std::vector<float>& numbers) {
  constexpr std::size_t deepest = 8;
  if (depth > deepest) return fail("{} is nested more than {} deep", where, deepest);
  if (!value.is_array()) {
    if (!value.is_number()) return fail("{} holds {}: an array may hold numbers only", where, kind_of(value));
    if (depth != shape.size()) return fail("{} mixes numbers and arrays at one depth", where);
    const auto number = static_cast<float>(value.get<double>());
    if (!std::isfinite(number)) return fail("{} holds {}: it is beyond float32", where, kind_of(value));
    numbers.push_back(number);
    return {};
  }
  const auto extent = static_cast<Index>(value.size());
  const bool first = numbers.empty();
  if (depth == shape.size() && first) shape.push_back(extent);
  if (depth >= shape.size()) return fail("{} mixes numbers and arrays at one depth", where);
  if (shape[depth] != extent)
    return fail("{} has a row of {} where another has {}: all rows must be of one length", where, extent, shape[depth]);
  for (const Json& item : value) HL_CHECK(read_numbers(item, where, depth + 1, shape, numbers));
  return {};
}

Result<LiteralInput> read_literal(const Json& value, const std::string& where) {
  LiteralInput literal;
  std::vector<float> numbers;
  HL_CHECK(read_numbers(value, where, 0, literal.shape, numbers));
  literal.values = std::move(numbers);
  return literal;
}

Result<InputSpec> parse_text(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  TextInput text;
  HL_TRY(text.text, string_at(value, "text", where));
  HL_CHECK(Fields(value, where)
               .word("tokenizer", text.tokenizer, tokenizers())
               .flag("start_token", text.start_token)
               .whole("d_model", text.d_model, 1, 65536)
               .whole("seed", text.seed, 0, INT64_MAX)
               .text("means", text.means)
               .status());
  note_unknown(value, where + ".", {"text", "tokenizer", "start_token", "d_model", "seed", "means"}, notices);
  return InputSpec(std::move(text));
}

// [rows, columns] under a key that may be left out.
Status read_grid_size(const Json& value, const std::string& key, const std::string& where,
                      std::optional<GridSize>& size) {
  if (!value.contains(key)) return {};
  const Json& extents = value.at(key);
  const auto side = [](const Json& extent) {
    return extent.is_number_integer() && extent >= 1 && extent <= longest_side;
  };
  if (!extents.is_array() || extents.size() != 2 || !side(extents[0]) || !side(extents[1]))
    return fail("{}.{} is {}: it must be [rows, columns], each from 1 to {}", where, key, kind_of(extents),
                longest_side);
  size = GridSize{extents[0].get<Index>(), extents[1].get<Index>()};
  return {};
}

// "features" and "size" of what is a picture.
Status read_picture_fields(const Json& value, const std::string& where, std::optional<GridSize>& size,
                           std::string& features) {
  HL_CHECK(Fields(value, where).word("features", features, picture_feature_sets()).status());
  return read_grid_size(value, "size", where, size);
}

Result<InputSpec> parse_image(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  ImageInput image;
  HL_TRY(image.path, string_at(value, "image", where));
  HL_CHECK(read_picture_fields(value, where, image.size, image.features));
  note_unknown(value, where + ".", {"image", "size", "features"}, notices);
  return InputSpec(std::move(image));
}

constexpr Index most_frame = 1'000'000;

Result<InputSpec> parse_frames(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  FramesInput frames;
  const Json& paths = value.at("frames");
  const auto is_string = [](const Json& path) { return path.is_string(); };
  if (paths.is_string())
    frames.paths.push_back(paths.get<std::string>());
  else if (paths.is_array() && !paths.empty() && std::ranges::all_of(paths, is_string))
    frames.paths = paths.get<std::vector<std::string>>();
  else
    return fail("{}.frames is {}: it must be a list of pictures, a folder of them, or an animated GIF", where,
                kind_of(paths));
  HL_CHECK(read_picture_fields(value, where, frames.size, frames.features));
  HL_CHECK(Fields(value, where)
               .whole("start", frames.start, 0, most_frame)
               .whole("every", frames.every, 1, most_frame)
               .whole("length", frames.length, 1, most_frame)
               .status());
  note_unknown(value, where + ".", {"frames", "size", "features", "start", "every", "length"}, notices);
  return InputSpec(std::move(frames));
}

Result<InputSpec> parse_signal(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  SignalInput signal;
  HL_TRY(signal.path, string_at(value, "signal", where));
  if (value.contains("column") && value.at("column").is_string()) {
    signal.column = value.at("column").get<std::string>();
  } else if (value.contains("column")) {
    HL_TRY(const Index column, whole_at(value, "column", where, 0, INT32_MAX));
    signal.column = fmt::format("{}", column);
  }
  HL_CHECK(Fields(value, where)
               .whole("start", signal.start, 0, max_samples - 1)
               .whole("length", signal.length, 1, max_samples)
               .whole("samples", signal.samples, 1, most_samples)
               .word("features", signal.features, signal_feature_sets())
               .status());
  note_unknown(value, where + ".", {"signal", "column", "start", "length", "samples", "features"}, notices);
  return InputSpec(std::move(signal));
}

// A list of texts, or a list of such lists, or the path of a file with them.
Result<TokenList> parse_tokens(const Json& value, const char* key, const std::string& where) {
  TokenList tokens;
  if (!value.contains(key)) return tokens;
  const Json& given = value.at(key);
  if (given.is_string() && !given.get_ref<const std::string&>().empty())
    tokens.path = given.get<std::string>();
  else if (given.is_array() && !given.empty()) {
    HL_TRY(tokens.lists, lists_of_texts(given, fmt::format("{}.{}", where, key)));
  } else
    return fail("{}.{} is {}: it must be a list of texts, or the path of a file with them", where, key,
                given.is_array() ? "an empty list" : kind_of(given));
  return tokens;
}

Status read_picture_label(const Json& value, const std::string& before, const std::string& where, PictureLabel& label) {
  HL_CHECK(Fields(value, where).text(before + "image", label.path).status());
  HL_CHECK(read_grid_size(value, before + "grid", where, label.grid));
  return Fields(value, where).whole(before + "offset", label.offset, 0, longest_side * longest_side).status();
}

const std::vector<std::string> label_keys{"tokens",        "key_tokens", "image",        "grid",       "offset",
                                          "key_image",     "key_grid",   "key_offset",   "raw_tokens", "positions",
                                          "key_positions", "pieces",     "global_tokens"};

Result<ArrayLabels> parse_labels(const Json& value, const std::string& where) {
  ArrayLabels labels;
  HL_TRY(labels.tokens, parse_tokens(value, "tokens", where));
  HL_TRY(labels.key_tokens, parse_tokens(value, "key_tokens", where));
  HL_CHECK(read_picture_label(value, "", where, labels.picture));
  HL_CHECK(read_picture_label(value, "key_", where, labels.key_picture));
  std::string pieces = "apart";
  HL_CHECK(Fields(value, where)
               .flag("raw_tokens", labels.raw_tokens)
               .text("positions", labels.positions)
               .text("key_positions", labels.key_positions)
               .text("global_tokens", labels.global_tokens)
               .word("pieces", pieces, {"apart", "words"})
               .status());
  labels.whole_words = pieces == "words";
  return labels;
}

std::vector<std::string> with_label_keys(std::vector<std::string> keys) {
  keys.insert(keys.end(), label_keys.begin(), label_keys.end());
  return keys;
}

Result<std::string> parse_axes(const Json& value, const std::string& where) {
  if (!value.contains("axes")) return std::string();
  HL_TRY(std::string axes, string_at(value, "axes", where));
  if (axes.empty()) return axes;
  const Status known = are_map_axes(axes) ? check_map_axes(axes) : check_axes(axes);
  if (!known) return fail("{}.axes: {}", where, known.error().message);
  return axes;
}

Result<InputSpec> parse_labels_alone(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  LabelsInput input;
  HL_TRY(input.labels, parse_labels(value, where));
  note_unknown(value, where + ".", label_keys, notices);
  return InputSpec(std::move(input));
}

Result<InputSpec> parse_literal(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  HL_TRY(LiteralInput literal, read_literal(value.at("array"), where + ".array"));
  HL_TRY(literal.axes, parse_axes(value, where));
  HL_TRY(literal.labels, parse_labels(value, where));
  note_unknown(value, where + ".", with_label_keys({"array", "axes"}), notices);
  return InputSpec(std::move(literal));
}

Result<InputSpec> parse_step(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  StepInput step;
  HL_TRY(step.step, string_at(value, "step", where));
  if (!value.contains("of") || (!value.at("of").is_string() && !value.at("of").is_object()))
    return fail("{}.of must be the experiment of a model: its path, or itself", where);
  step.of = value.at("of").is_string() ? value.at("of").get<std::string>() : value.at("of").dump();
  note_unknown(value, where + ".", {"step", "of"}, notices);
  return InputSpec(std::move(step));
}

Result<InputSpec> parse_file(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  FileInput file;
  HL_TRY(file.path, string_at(value, "npy", where));
  HL_CHECK(Fields(value, where).text("member", file.member).status());
  HL_TRY(file.axes, parse_axes(value, where));
  HL_TRY(file.labels, parse_labels(value, where));
  note_unknown(value, where + ".", with_label_keys({"npy", "member", "axes"}), notices);
  return InputSpec(std::move(file));
}

}  // namespace

const std::vector<std::string>& tokenizers() {
  static const std::vector<std::string> names{"words", "characters", "bytes", "whitespace"};
  return names;
}

LiteralInput literal_input(const Tensor& numbers) {
  return {numbers.shape(), std::vector<float>(numbers.values().begin(), numbers.values().end())};
}

const ArrayLabels* labels_of(const InputSpec& input) {
  if (const auto* file = std::get_if<FileInput>(&input)) return &file->labels;
  if (const auto* literal = std::get_if<LiteralInput>(&input)) return &literal->labels;
  if (const auto* alone = std::get_if<LabelsInput>(&input)) return &alone->labels;
  if (const auto* step = std::get_if<StepInput>(&input)) return step->known ? &step->known->labels : nullptr;
  return nullptr;
}

Result<InputSpec> parse_input(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  constexpr const char* kinds = R"({"text": …}, {"image": …}, {"frames": …}, {"signal": …}, {"npy": …} or an array)";
  if (value.is_array()) {
    HL_TRY(LiteralInput literal, read_literal(value, where));
    return InputSpec(std::move(literal));
  }
  if (!value.is_object()) return fail("{} is {}: it must be {}", where, kind_of(value), kinds);
  if (value.contains("npy")) return parse_file(value, where, notices);
  if (value.contains("array")) return parse_literal(value, where, notices);
  if (value.contains("step")) return parse_step(value, where, notices);
  if (value.contains("text")) return parse_text(value, where, notices);
  const auto has = [&](const char* key) { return value.contains(key); };
  if (has("image") && !has("size") && !has("features") &&
      std::ranges::any_of(label_keys, [&](const std::string& key) { return key != "image" && has(key.c_str()); }))
    return parse_labels_alone(value, where, notices);
  if (value.contains("image")) return parse_image(value, where, notices);
  if (value.contains("frames")) return parse_frames(value, where, notices);
  if (value.contains("signal")) return parse_signal(value, where, notices);
  if (std::ranges::any_of(label_keys, [&](const std::string& key) { return has(key.c_str()); }))
    return parse_labels_alone(value, where, notices);
  return fail("{} has none of the keys it needs: give {}", where, kinds);
}

namespace {

// An object being written: what stood there before keeps its unknown keys, unless it was of another kind.
class Written {
 public:
  Written(const char* kind, const Json& old) : object_(old.is_object() && old.contains(kind) ? old : Json::object()) {}

  // A default is left out, unless the key stood there.
  void put(const char* key, const Json& value, bool is_default = false) {
    if (!is_default || object_.contains(key)) object_[key] = value;
  }
  // What says nothing is left out.
  template <class Value>
  void put_if_set(const std::string& key, const Value& value) {
    put_or_erase(object_, key, value);
  }
  void put_size(const std::string& key, const std::optional<GridSize>& size) {
    put_if_set(key, size ? std::optional(Json{size->rows, size->columns}) : std::nullopt);
  }
  Json take() && { return std::move(object_); }

 private:
  Json object_;
};

struct Folders {
  const std::filesystem::path& from;
  const std::filesystem::path& to;
  std::string seen(const std::string& path) const { return relative_path(path, from, to); }
};

Json json_of(const LiteralInput& literal, std::size_t axis, std::size_t& next) {
  if (axis == literal.shape.size()) return (*literal.values)[next++];
  Json rows = Json::array();
  for (Index i = 0; i < literal.shape[axis]; ++i) rows.push_back(json_of(literal, axis + 1, next));
  return rows;
}

void put_tokens(Written& written, const char* key, const TokenList& tokens, const Folders& folders) {
  if (tokens.lists.empty() || !tokens.path.empty())
    written.put_if_set(key, folders.seen(tokens.path));
  else if (tokens.lists.size() == 1)
    written.put(key, tokens.lists.front());
  else
    written.put(key, tokens.lists);
}

void put_picture_label(Written& written, const std::string& before, const PictureLabel& label, const Folders& folders) {
  written.put_if_set(before + "image", folders.seen(label.path));
  written.put_size(before + "grid", label.grid);
  written.put_if_set(before + "offset", label.offset);
}

void put_labels(Written& written, const ArrayLabels& labels, const Folders& folders) {
  put_tokens(written, "tokens", labels.tokens, folders);
  put_tokens(written, "key_tokens", labels.key_tokens, folders);
  put_picture_label(written, "", labels.picture, folders);
  put_picture_label(written, "key_", labels.key_picture, folders);
  written.put("raw_tokens", labels.raw_tokens, !labels.raw_tokens);
  written.put("positions", labels.positions, labels.positions.empty());
  written.put("key_positions", labels.key_positions, labels.key_positions.empty());
  written.put("global_tokens", labels.global_tokens, labels.global_tokens.empty());
  written.put("pieces", labels.whole_words ? "words" : "apart", !labels.whole_words);
}

Json json_of(const LiteralInput& literal, const Json& old, const Folders& folders) {
  std::size_t next = 0;
  Json numbers = json_of(literal, 0, next);
  if (literal.labels.empty() && literal.axes.empty() && !(old.is_object() && old.contains("array"))) return numbers;
  Written written("array", old);
  written.put("array", numbers);
  written.put("axes", literal.axes, literal.axes.empty());
  put_labels(written, literal.labels, folders);
  return std::move(written).take();
}

Json json_of(const LabelsInput& input, const Json& old, const Folders& folders) {
  const bool same = old.is_object() && !old.contains("npy") && !old.contains("text") && !old.contains("array");
  Written written("", same ? Json::object() : old);
  put_labels(written, input.labels, folders);
  return std::move(written).take();
}

Json json_of(const TextInput& text, const Json& old, const Folders&) {
  const TextInput defaults;
  Written written("text", old);
  written.put("text", text.text);
  written.put("tokenizer", text.tokenizer, text.tokenizer == defaults.tokenizer);
  written.put("start_token", text.start_token, text.start_token == defaults.start_token);
  written.put("d_model", text.d_model, text.d_model == defaults.d_model);
  written.put("seed", text.seed, text.seed == defaults.seed);
  written.put("means", text.means, text.means.empty());
  return std::move(written).take();
}

Json json_of(const ImageInput& image, const Json& old, const Folders& folders) {
  Written written("image", old);
  written.put("image", folders.seen(image.path));
  written.put_size("size", image.size);
  written.put("features", image.features, image.features == ImageInput{}.features);
  return std::move(written).take();
}

Json json_of(const FramesInput& frames, const Json& old, const Folders& folders) {
  Written written("frames", old);
  const bool listed = old.is_object() && old.contains("frames") && old.at("frames").is_array();
  Json paths = Json::array();
  for (const auto& path : frames.paths) paths.push_back(folders.seen(path));
  written.put("frames", paths.size() == 1 && !listed ? paths[0] : paths);
  written.put_size("size", frames.size);
  written.put("features", frames.features, frames.features == FramesInput{}.features);
  written.put("start", frames.start, frames.start == 0);
  written.put("every", frames.every, frames.every == 1);
  written.put_if_set("length", frames.length);
  return std::move(written).take();
}

Json json_of(const SignalInput& signal, const Json& old, const Folders& folders) {
  Written written("signal", old);
  written.put("signal", folders.seen(signal.path));
  const bool as_number = old.is_object() && old.contains("column") && old.at("column").is_number_integer() &&
                         old.at("column").dump() == signal.column;
  if (!as_number) written.put("column", signal.column, signal.column.empty());
  written.put("start", signal.start, signal.start == 0);
  written.put_if_set("length", signal.length);
  written.put_if_set("samples", signal.samples);
  written.put("features", signal.features, signal.features == SignalInput{}.features);
  return std::move(written).take();
}

Json json_of(const StepInput& step, const Json& old, const Folders& folders) {
  Written written("step", old);
  written.put("step", step.step);
  Json of = step.of.starts_with("{") ? Json::parse(step.of, nullptr, false) : Json(folders.seen(step.of));
  if (of.is_object() && of.contains("model") && of.at("model").is_string())
    of["model"] = folders.seen(of.at("model").get<std::string>());
  written.put("of", of);
  return std::move(written).take();
}

Json json_of(const FileInput& file, const Json& old, const Folders& folders) {
  Written written("npy", old);
  written.put("npy", folders.seen(file.path));
  written.put("member", file.member, file.member.empty());
  written.put("axes", file.axes, file.axes.empty());
  put_labels(written, file.labels, folders);
  return std::move(written).take();
}

}  // namespace

Json json_of_input(const InputSpec& spec, const Json& old, const std::filesystem::path& from,
                   const std::filesystem::path& to) {
  return std::visit([&](const auto& input) { return json_of(input, old, Folders{from, to}); }, spec);
}

}  // namespace headlight
