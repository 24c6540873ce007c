#include "engine/io/experiment.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/io/file.h"
#include "engine/variants/variant.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index format_version = 1;
constexpr std::size_t largest_file = std::size_t{1} << 30;  // 1 GiB of JSON: a text of any length that a person types

// Keys and words of a file may hold anything; a message is one line.
std::string without_control_characters(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

std::string quoted(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// "an object", "a string": what was found, for messages.
std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return fmt::format("\"{}\"", value.get_ref<const std::string&>().substr(0, 40));
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return value.dump().substr(0, 40);
  }
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? fmt::format("known: {}", quoted(known)) : fmt::format("did you mean {}?", near);
}

Result<std::string> string_at(const Json& object, const char* key, const std::string& where) {
  const Json& value = object.at(key);
  if (!value.is_string()) return fail("{}.{} is {}: it must be a string", where, key, kind_of(value));
  return value.get<std::string>();
}

Result<Index> whole_at(const Json& object, const char* key, const std::string& where, Index least, Index most) {
  const Json& value = object.at(key);
  const bool whole =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!whole || value.get<Index>() < least || value.get<Index>() > most)
    return fail("{}.{} is {}: it must be a whole number from {} to {}", where, key, kind_of(value), least, most);
  return value.get<Index>();
}

Result<bool> flag_at(const Json& object, const char* key, const std::string& where) {
  const Json& value = object.at(key);
  if (!value.is_boolean()) return fail("{}.{} is {}: it must be true or false", where, key, kind_of(value));
  return value.get<bool>();
}

Result<std::string> word_at(const Json& object, const char* key, const std::string& where,
                            const std::vector<std::string>& allowed) {
  HL_TRY(std::string word, string_at(object, key, where));
  if (std::ranges::find(allowed, word) == allowed.end())
    return fail("{}.{} is \"{}\": it must be one of {}", where, key, word, quoted(allowed));
  return word;
}

// Reports keys that are not known; they are kept when the file is saved again.
void note_unknown(const Json& object, const std::string& where, const std::vector<std::string>& known,
                  std::vector<std::string>& notices) {
  for (const auto& item : object.items())
    if (std::ranges::find(known, item.key()) == known.end())
      notices.push_back(fmt::format("{}{} is not a key that Headlight knows; it is kept as it is", where, item.key()));
}

Result<ParamValue> param_value(const Json& value) {
  if (value.is_null()) return ParamValue(std::monostate{});
  if (value.is_boolean()) return ParamValue(value.get<bool>());
  if (value.is_string()) return ParamValue(value.get<std::string>());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return ParamValue(value.get<double>());
  if (value.is_number_integer()) return ParamValue(value.get<Index>());
  if (value.is_number()) return ParamValue(value.get<double>());
  return fail("is {}: it must be a number, a word, true, false or null", kind_of(value));
}

Status read_params(const Json& object, const Variant& variant, Experiment& experiment) {
  if (!object.is_object()) return fail("params is {}: it must be an object", kind_of(object));
  std::vector<std::string> known;
  for (const auto& spec : variant.params()) known.push_back(spec.id);
  for (const auto& item : object.items()) {
    const auto spec = std::ranges::find(variant.params(), item.key(), &ParamSpec::id);
    if (spec == variant.params().end())
      return fail("params.{} is not a parameter of {}: {}", item.key(), variant.info().id,
                  suggestion(item.key(), known));
    auto value = param_value(item.value());
    if (!value) return fail("params.{} {}", item.key(), value.error().message);
    auto checked = check_param(*spec, *value);
    if (!checked) return fail("params.{}", checked.error().message);
    experiment.params.set(item.key(), std::move(*checked));
    experiment.given.insert(item.key());
  }
  return {};
}

// Nested arrays of numbers, every row as long as the first.
Status read_literal(const Json& value, const std::string& where, std::size_t depth, LiteralInput& literal) {
  constexpr std::size_t deepest = 8;
  if (depth > deepest) return fail("{} is nested more than {} deep", where, deepest);
  if (!value.is_array()) {
    if (!value.is_number()) return fail("{} holds {}: an array may hold numbers only", where, kind_of(value));
    if (depth != literal.shape.size()) return fail("{} mixes numbers and arrays at one depth", where);
    const auto number = static_cast<float>(value.get<double>());
    if (!std::isfinite(number)) return fail("{} holds {}: it is beyond float32", where, kind_of(value));
    literal.values.push_back(number);
    return {};
  }
  const auto extent = static_cast<Index>(value.size());
  const bool first = literal.values.empty();
  if (depth == literal.shape.size() && first) literal.shape.push_back(extent);
  if (depth >= literal.shape.size()) return fail("{} mixes numbers and arrays at one depth", where);
  if (literal.shape[depth] != extent)
    return fail("{} has a row of {} where another has {}: all rows must be of one length", where, extent,
                literal.shape[depth]);
  for (const Json& item : value) HL_CHECK(read_literal(item, where, depth + 1, literal));
  return {};
}

Result<InputSpec> read_text(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  TextInput text;
  HL_TRY(text.text, string_at(value, "text", where));
  if (value.contains("tokenizer")) {
    HL_TRY(text.tokenizer, word_at(value, "tokenizer", where, tokenizers()));
  }
  if (value.contains("start_token")) {
    HL_TRY(text.start_token, flag_at(value, "start_token", where));
  }
  if (value.contains("d_model")) {
    HL_TRY(text.d_model, whole_at(value, "d_model", where, 1, 65536));
  }
  if (value.contains("seed")) {
    HL_TRY(const Index seed, whole_at(value, "seed", where, 0, INT64_MAX));
    text.seed = static_cast<std::uint64_t>(seed);
  }
  note_unknown(value, where + ".", {"text", "tokenizer", "start_token", "d_model", "seed"}, notices);
  return InputSpec(std::move(text));
}

Result<InputSpec> read_input(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  if (value.is_array()) {
    LiteralInput literal;
    HL_CHECK(read_literal(value, where, 0, literal));
    return InputSpec(std::move(literal));
  }
  if (!value.is_object())
    return fail("{} is {}: it must be {{\"text\": …}}, {{\"npy\": …}} or an array", where, kind_of(value));
  if (value.contains("text")) return read_text(value, where, notices);
  if (value.contains("npy")) {
    FileInput file;
    HL_TRY(file.path, string_at(value, "npy", where));
    note_unknown(value, where + ".", {"npy"}, notices);
    return InputSpec(std::move(file));
  }
  return fail("{} has none of the keys it needs: give {{\"text\": …}}, {{\"npy\": …}} or an array", where);
}

Status read_inputs(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("inputs is {}: it must be an object", kind_of(object));
  for (const auto& item : object.items()) {
    HL_TRY(InputSpec spec, read_input(item.value(), "inputs." + item.key(), experiment.notices));
    experiment.inputs.insert_or_assign(item.key(), std::move(spec));
  }
  return {};
}

Status read_weights(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("weights is {}: it must be an object", kind_of(object));
  WeightsSpec weights;
  if (object.contains("init")) {
    HL_TRY(weights.init, word_at(object, "init", "weights", weight_inits()));
  }
  if (object.contains("seed")) {
    HL_TRY(const Index seed, whole_at(object, "seed", "weights", 0, INT64_MAX));
    weights.seed = static_cast<std::uint64_t>(seed);
  }
  note_unknown(object, "weights.", {"init", "seed"}, experiment.notices);
  experiment.weights = weights;
  return {};
}

Status read_view(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("view is {}: it must be an object", kind_of(object));
  if (object.contains("step")) {
    HL_TRY(experiment.view.step, string_at(object, "step", "view"));
  }
  const auto position = [&](const char* key, std::optional<Index>& into) -> Status {
    if (object.contains(key)) {
      HL_TRY(into, whole_at(object, key, "view", 0, INT32_MAX));
    }
    return {};
  };
  HL_CHECK(position("batch", experiment.view.batch));
  HL_CHECK(position("head", experiment.view.head));
  HL_CHECK(position("query", experiment.view.query));
  HL_CHECK(position("key", experiment.view.key));
  if (object.contains("mode")) {
    HL_TRY(std::string mode, string_at(object, "mode", "view"));
    if (mode != "heatmap" && mode != "lines" && mode != "numbers")
      return fail("view.mode is \"{}\": it must be one of heatmap, lines, numbers", mode);
    experiment.view.mode = std::move(mode);
  }
  note_unknown(object, "view.", {"step", "batch", "head", "query", "key", "mode"}, experiment.notices);
  return {};
}

Result<const Variant*> read_variant(const Json& object) {
  std::vector<std::string> known;
  for (const Variant* variant : all_variants()) known.push_back(variant->info().id);
  if (!object.contains("variant")) return fail("\"variant\" is missing: name one of {}", quoted(known));
  const Json& value = object.at("variant");
  if (!value.is_string()) return fail("variant is {}: it must be one of {}", kind_of(value), quoted(known));
  const auto& id = value.get_ref<const std::string&>();
  const Variant* variant = find_variant(id);
  if (!variant) return fail("variant \"{}\" is not known: {}", id, suggestion(id, known));
  return variant;
}

Result<Experiment> read_document(const Json& object) {
  if (!object.is_object()) return fail("this is {}: an experiment is a JSON object", kind_of(object));
  if (object.contains("headlight")) {
    const Json& version = object.at("headlight");
    if (!version.is_number_integer() || version != format_version)
      return fail("headlight is {}: this program reads format {}", kind_of(version), format_version);
  }
  HL_TRY(const Variant* variant, read_variant(object));
  Experiment experiment = default_experiment(variant->info().id);
  if (object.contains("params")) HL_CHECK(read_params(object.at("params"), *variant, experiment));
  if (object.contains("inputs")) HL_CHECK(read_inputs(object.at("inputs"), experiment));
  if (object.contains("weights")) HL_CHECK(read_weights(object.at("weights"), experiment));
  if (object.contains("arrays")) {
    if (!object.at("arrays").is_string()) return fail("arrays is {}: it must be a path", kind_of(object.at("arrays")));
    experiment.arrays = object.at("arrays").get<std::string>();
  }
  if (object.contains("view")) HL_CHECK(read_view(object.at("view"), experiment));
  note_unknown(object, "", {"headlight", "variant", "params", "inputs", "weights", "arrays", "view"},
               experiment.notices);
  return experiment;
}

}  // namespace

const std::vector<std::string>& weight_inits() {
  static const std::vector<std::string> inits{"textbook", "xavier_normal", "xavier_uniform",
                                              "normal",   "identity",      "zeros"};
  return inits;
}

const std::vector<std::string>& tokenizers() {
  static const std::vector<std::string> names{"words", "characters", "bytes", "whitespace"};
  return names;
}

Experiment default_experiment(std::string_view variant) {
  Experiment experiment;
  experiment.variant = variant;
  if (const Variant* found = find_variant(variant)) experiment.params = ParamValues::defaults(found->params());
  return experiment;
}

Experiment example_experiment() {
  Experiment experiment = default_experiment("multi_head");
  experiment.inputs["x_q"] = TextInput{.text = "the cat sat on the mat because the cat was warm"};
  experiment.weights = WeightsSpec{.init = "textbook", .seed = 1};
  experiment.params.set("mask", std::string("causal"));
  experiment.params.set("positions", std::string("sinusoidal"));
  experiment.given = {"heads", "d_head", "mask", "positions"};
  experiment.view = View{.step = "weights", .batch = 0, .head = 2, .query = 9, .key = 3};
  return experiment;
}

Result<Experiment> parse_experiment(std::string_view json, const std::filesystem::path& folder,
                                    const std::string& name) {
  Json object;
  try {
    object = Json::parse(json);
  } catch (const Json::exception& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: …"
    if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
    return fail("{}: this is not JSON: {}", name, without_control_characters(what));
  }
  auto experiment = read_document(object);
  if (!experiment) return fail("{}: {}", name, without_control_characters(experiment.error().message));
  experiment->name = name;
  experiment->folder = folder;
  experiment->document = std::string(json);
  for (auto& notice : experiment->notices) notice = name + ": " + without_control_characters(notice);
  return experiment;
}

Result<Experiment> read_experiment(const std::filesystem::path& path) {
  HL_TRY(const std::string text, read_file(path, largest_file));
  return parse_experiment(text, path.parent_path(), path.string());
}

namespace {

Json json_of(const ParamValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

Json json_of(const LiteralInput& literal, std::size_t axis, std::size_t& next) {
  if (axis == literal.shape.size()) return literal.values[next++];
  Json rows = Json::array();
  for (Index i = 0; i < literal.shape[axis]; ++i) rows.push_back(json_of(literal, axis + 1, next));
  return rows;
}

// `old` is what stood there before: its unknown keys stay.
Json json_of(const TextInput& text, const Json& old) {
  Json object = old.is_object() && old.contains("text") ? old : Json::object();
  const TextInput usual;
  const auto put = [&](const char* key, const Json& value, bool is_usual) {
    if (!is_usual || object.contains(key)) object[key] = value;
  };
  object["text"] = text.text;
  put("tokenizer", text.tokenizer, text.tokenizer == usual.tokenizer);
  put("start_token", text.start_token, text.start_token == usual.start_token);
  put("d_model", text.d_model, text.d_model == usual.d_model);
  put("seed", text.seed, text.seed == usual.seed);
  return object;
}

std::string path_seen_from(const std::string& path, const std::filesystem::path& from,
                           const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  if (path.empty() || fs::path(path).is_absolute() || from == to) return path;
  std::error_code ignored;
  const fs::path whole = fs::absolute(from / path, ignored);
  const fs::path seen = whole.lexically_relative(fs::absolute(to, ignored));
  return seen.empty() ? whole.string() : seen.string();
}

Json json_of(const InputSpec& spec, const Json& old, const Experiment& experiment,
             const std::filesystem::path& folder) {
  if (const auto* text = std::get_if<TextInput>(&spec)) return json_of(*text, old);
  if (const auto* file = std::get_if<FileInput>(&spec)) {
    Json object = old.is_object() && old.contains("npy") ? old : Json::object();
    object["npy"] = path_seen_from(file->path, experiment.folder, folder);
    return object;
  }
  std::size_t next = 0;
  return json_of(std::get<LiteralInput>(spec), 0, next);
}

void put_view(Json& document, const View& view) {
  if (view == View{} && !document.contains("view")) return;
  Json& object = document["view"];
  if (!object.is_object()) object = Json::object();
  const auto put = [&](const char* key, const auto& value) {
    if (value)
      object[key] = *value;
    else
      object.erase(key);
  };
  put("step", view.step);
  put("batch", view.batch);
  put("head", view.head);
  put("query", view.query);
  put("key", view.key);
  put("mode", view.mode);
}

void put_params(Json& document, const Experiment& experiment) {
  Json old = document.contains("params") ? document["params"] : Json::object();
  Json params = Json::object();
  for (const auto& item : old.items())  // those that were there keep their order
    if (experiment.given.contains(item.key())) params[item.key()] = json_of(experiment.params.get(item.key()));
  const Variant* variant = find_variant(experiment.variant);
  for (const auto& spec : variant ? variant->params() : std::vector<ParamSpec>{}) {
    const ParamValue& value = experiment.params.get(spec.id);
    if (!params.contains(spec.id) && (experiment.given.contains(spec.id) || value != spec.fallback))
      params[spec.id] = json_of(value);
  }
  document["params"] = std::move(params);
}

}  // namespace

std::string to_json(const Experiment& experiment, const std::filesystem::path& folder) {
  Json document = Json::parse(experiment.document, nullptr, false);
  if (!document.is_object()) document = Json{{"headlight", format_version}};
  document["variant"] = experiment.variant;
  put_params(document, experiment);
  const Json old_inputs = document.contains("inputs") ? document["inputs"] : Json::object();
  if (!experiment.inputs.empty() || document.contains("inputs")) {
    document["inputs"] = Json::object();
    for (const auto& [id, spec] : experiment.inputs)
      document["inputs"][id] = json_of(spec, old_inputs.contains(id) ? old_inputs[id] : Json(), experiment, folder);
  }
  if (experiment.weights) {
    document["weights"]["init"] = experiment.weights->init;
    document["weights"]["seed"] = experiment.weights->seed;
  } else {
    document.erase("weights");
  }
  if (experiment.arrays.empty())
    document.erase("arrays");
  else
    document["arrays"] = path_seen_from(experiment.arrays, experiment.folder, folder);
  put_view(document, experiment.view);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_experiment(const Experiment& experiment, const std::filesystem::path& path) {
  return write_file(path, to_json(experiment, path.parent_path()));
}

}  // namespace headlight
