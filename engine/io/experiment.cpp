#include "engine/io/experiment.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_edits.h"
#include "engine/io/experiment_inputs.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/io/param_fields.h"
#include "engine/variants/variant.h"

namespace headlight {

namespace {

constexpr Index format_version = 1;
constexpr std::size_t largest_file = std::size_t{1} << 26;  // 64 MiB of JSON: more than anyone types

Status read_inputs(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("inputs is {}: it must be an object", kind_of(object));
  for (const auto& item : object.items()) {
    HL_TRY(InputSpec spec, parse_input(item.value(), "inputs." + brief(item.key()), experiment.notices));
    experiment.inputs.insert_or_assign(item.key(), std::move(spec));
  }
  return {};
}

// One layer of a state dict.
Status read_state_dict(const Json& object, WeightsSpec& weights) {
  HL_TRY(weights.from, string_at(object, "from", "weights"));
  if (weights.from.empty()) return fail("weights.from is empty: it must be the path of a file or a folder");
  if (object.contains("names")) {
    if (object.contains("layout")) return fail("weights has layout and names: one of them says what the arrays are");
    HL_TRY(weights.names, parse_own_names(object.at("names"), "weights.names"));
  }
  return Fields(object, "weights")
      .text("layout", weights.layout)
      .text("prefix", weights.prefix)
      .word("stack", weights.stack, {"encoder", "decoder", "text", "vision"})
      .word("attention", weights.attention, {"self", "cross"})
      .whole("layer", weights.layer, 0, 511)
      .status();
}

Status read_weights(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("weights is {}: it must be an object", kind_of(object));
  WeightsSpec weights;
  Fields fields(object, "weights");
  HL_CHECK(fields.word("init", weights.init, weight_inits())
               .whole("seed", weights.seed, 0, INT64_MAX)
               .text("set", weights.set)
               .status());
  if (!weights.set.empty() && weights.init != "trained")
    return fail("weights.set names trained weights: add \"init\": \"trained\", or leave it out");
  const std::vector<std::string> known{"init",  "seed",  "set",       "from",   "layout",
                                       "layer", "stack", "attention", "prefix", "names"};
  if (object.contains("from")) {
    HL_CHECK(read_state_dict(object, weights));
  } else if (!object.contains("init")) {
    for (const auto& item : object.items())
      if (item.key() != "seed")
        return fail("weights has neither init nor from, but {}: {}", brief(item.key()), suggestion(item.key(), known));
  }
  note_unknown(object, "weights.", known, experiment.notices);
  experiment.weights = weights;
  return {};
}

// "shift": [rows, columns].
Result<Shift> parse_shift(const Json& value) {
  const auto whole = [](const Json& number) {
    if (number.is_number_unsigned()) return number.get<std::uint64_t>() <= std::uint64_t{farthest_shift};
    return number.is_number_integer() && number.get<Index>() >= -farthest_shift;
  };
  if (!value.is_array() || value.size() != 2 || !whole(value[0]) || !whole(value[1]))
    return fail("arrange.shift is {}: it must be [rows, columns], whole numbers from −{} to {} ([0, n] for a sequence)",
                kind_of(value), farthest_shift, farthest_shift);
  return Shift{value[0].get<Index>(), value[1].get<Index>()};
}

Status read_arrange(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("arrange is {}: it must be an object", kind_of(object));
  const bool shuffle = object.contains("shuffle"), shift = object.contains("shift");
  if (shuffle == shift)
    return fail("arrange has {}: give one of {{\"shuffle\": SEED}} and {{\"shift\": [rows, columns]}}",
                shuffle ? "both shuffle and shift" : "neither shuffle nor shift");
  if (shuffle) {
    HL_TRY(const Index seed, whole_at(object, "shuffle", "arrange", 0, INT64_MAX));
    experiment.arrange = Shuffle{static_cast<std::uint64_t>(seed)};
  } else {
    HL_TRY(experiment.arrange, parse_shift(object.at("shift")));
  }
  note_unknown(object, "arrange.", {"shuffle", "shift"}, experiment.notices);
  return {};
}

constexpr std::pair<const char*, std::optional<Index> View::*> indices_of_view[] = {
    {"batch", &View::batch}, {"head", &View::head}, {"query", &View::query}, {"key", &View::key}};

// Parts of the window, by their names.
Result<std::vector<std::string>> parse_parts(const Json& value) {
  const std::vector<std::string> known(parts_of_window.begin(), parts_of_window.end());
  std::vector<std::string> parts;
  for (const Json& part : value.is_array() ? value : Json::array({value})) {
    if (!part.is_string() && value.is_array())
      return fail("view.hide[{}] is {}: it must be one of {}", parts.size(), kind_of(part), brief_list(known));
    if (!part.is_string()) return fail("view.hide is {}: it must be a list of {}", kind_of(value), brief_list(known));
    parts.push_back(part.get<std::string>());
    if (std::ranges::find(known, parts.back()) == known.end())
      return fail("view.hide: the window has no part \"{}\": {}", brief(parts.back()), suggestion(parts.back(), known));
  }
  return parts;
}

Status read_view(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("view is {}: it must be an object", kind_of(object));
  View& view = experiment.view;
  Fields fields(object, "view");
  fields.text("step", view.step);
  for (const auto& [key, index] : indices_of_view) fields.whole(key, view.*index, 0, INT32_MAX);
  fields.word("mode", view.mode, {"map", "matrix", "lines", "numbers", "heads", "mechanism", "layers", "arrows"});
  HL_CHECK(fields.status());
  if (object.contains("hide")) {
    HL_TRY(view.hide, parse_parts(object.at("hide")));
  }
  note_unknown(object, "view.", {"step", "batch", "head", "query", "key", "mode", "hide"}, experiment.notices);
  return {};
}

Result<const Variant*> read_variant(const Json& object) {
  if (object.contains("model"))
    return fail(
        "this names a model: \"headlight trace\" runs it; a layer of it opens here by {{\"variant\": \"multi_head\", "
        "\"weights\": {{\"from\": {}, \"layer\": 0}}}}",
        kind_of(object.at("model")));
  std::vector<std::string> known;
  for (const Variant* variant : all_variants()) known.push_back(variant->info().id);
  if (!object.contains("variant") && object.contains("train"))
    return fail("this says what a network is to learn: headlight train lets it");
  if (!object.contains("variant")) return fail("\"variant\" is missing: name one of {}", brief_list(known));
  const Json& value = object.at("variant");
  if (!value.is_string()) return fail("variant is {}: it must be one of {}", kind_of(value), brief_list(known));
  const auto& id = value.get_ref<const std::string&>();
  const Variant* variant = find_variant(id);
  if (!variant) return fail("variant \"{}\" is not known: {}", brief(id), suggestion(id, known));
  return variant;
}

Status read_gradient(const Json& object, Experiment& experiment) {
  if (!object.is_object()) return fail("gradient is {}: it must be an object", kind_of(object));
  if (!object.contains("of")) return fail("gradient.of is missing: name the step whose number is asked about");
  GradientAsked asked;
  HL_TRY(asked.of, string_at(object, "of", "gradient"));
  if (object.contains("cell")) {
    const Json& cell = object.at("cell");
    constexpr std::size_t most = 8;
    const bool fits = cell.is_array() && cell.size() <= most && std::ranges::all_of(cell, [](const Json& index) {
                        return index.is_number_unsigned() && index.get<std::uint64_t>() <= INT32_MAX;
                      });
    if (!fits)
      return fail("gradient.cell must be a list of whole numbers from 0, one for each axis of {}", brief(asked.of));
    for (const Json& index : cell) asked.cell.push_back(index.get<Index>());
  }
  note_unknown(object, "gradient.", {"of", "cell"}, experiment.notices);
  experiment.gradient = std::move(asked);
  return {};
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
  if (object.contains("params"))
    HL_CHECK(read_params(object.at("params"), "params", "a parameter of " + variant->info().id, variant->params(),
                         experiment.params));
  if (object.contains("inputs")) HL_CHECK(read_inputs(object.at("inputs"), experiment));
  if (object.contains("weights")) HL_CHECK(read_weights(object.at("weights"), experiment));
  if (object.contains("arrays")) {
    if (!object.at("arrays").is_string()) return fail("arrays is {}: it must be a path", kind_of(object.at("arrays")));
    experiment.arrays = object.at("arrays").get<std::string>();
  }
  if (object.contains("arrange")) HL_CHECK(read_arrange(object.at("arrange"), experiment));
  if (object.contains("view")) HL_CHECK(read_view(object.at("view"), experiment));
  if (object.contains("edits")) {
    HL_TRY(experiment.edits, parse_edits(object.at("edits"), experiment.notices));
  }
  if (object.contains("gradient")) HL_CHECK(read_gradient(object.at("gradient"), experiment));
  if (object.contains("notes")) {
    if (!object.at("notes").is_string()) return fail("notes is {}: it must be a text", kind_of(object.at("notes")));
    experiment.notes = object.at("notes").get<std::string>();
  }
  note_unknown(object, "",
               {"headlight", "variant", "params", "inputs", "weights", "arrays", "arrange", "edits", "gradient", "view",
                "notes", "files"},
               experiment.notices);
  if (object.contains("files")) HL_CHECK(read_embedded(object.at("files"), experiment));
  return experiment;
}

}  // namespace

const std::vector<std::string>& weight_inits() {
  static const std::vector<std::string> inits{"textbook", "xavier_normal", "xavier_uniform", "normal",
                                              "identity", "zeros",         "trained"};
  return inits;
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
  for (const char* size : {"heads", "d_head"}) experiment.params.set(size, experiment.params.get(size));
  experiment.params.set("mask", std::string("causal"));
  experiment.params.set("positions", std::string("sinusoidal"));
  experiment.view = View{.step = "weights", .batch = 0, .head = 2, .query = 9, .key = 3};
  return experiment;
}

Result<Experiment> parse_experiment(std::string_view json, const std::filesystem::path& folder,
                                    const std::string& name) {
  if (json.find('\0') != std::string_view::npos)
    return fail("{}: this is no experiment: it holds binary data, not JSON", name);
  const auto object = read_json(json);
  if (!object) return fail("{}: {}", name, message_line(object.error().message));
  auto experiment = read_document(*object);
  if (!experiment) return fail("{}: {}", name, message_line(experiment.error().message));
  experiment->name = name;
  experiment->folder = folder;
  if (object->contains("files")) {
    // They are kept as bytes; what is known of the rest needs no megabytes of text.
    Json rest = *object;
    rest.erase("files");
    experiment->document = rest.dump();
  } else {
    experiment->document = std::string(json);
  }
  for (auto& notice : experiment->notices) notice = name + ": " + message_line(notice);
  return experiment;
}

Result<Experiment> read_experiment(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path / "config.json", ignored))
    return fail(
        "{0} is the folder of a model: \"headlight {0}\" shows it, \"headlight trace {0} --text … -o steps.npz\" runs "
        "it, and \"headlight info\" says what is in it; a layer opens here by {{\"variant\": \"multi_head\", "
        "\"weights\": {{\"from\": \"{0}\", "
        "\"layer\": 0}}}}",
        one_line(utf8(path)));
  HL_TRY(const std::string text, read_file(path, largest_file));
  return parse_experiment(text, path.parent_path(), utf8(path));
}

namespace {

void put_view(Json& document, const View& view) {
  if (view == View{} && !document.contains("view")) return;
  Json& object = document["view"];
  if (!object.is_object()) object = Json::object();
  put_or_erase(object, "step", view.step);
  for (const auto& [key, index] : indices_of_view) put_or_erase(object, key, view.*index);
  put_or_erase(object, "mode", view.mode);
  put_or_erase(object, "hide", view.hide.empty() ? std::nullopt : std::optional(view.hide));
}

void put_arrange(Json& document, const std::optional<Arrangement>& arrange) {
  if (!arrange) {
    document.erase("arrange");
    return;
  }
  Json& object = document["arrange"];
  if (!object.is_object()) object = Json::object();
  if (const auto* shuffle = std::get_if<Shuffle>(&*arrange)) {
    object.erase("shift");
    object["shuffle"] = shuffle->seed;
  } else {
    const Shift shift = std::get<Shift>(*arrange);
    object.erase("shuffle");
    object["shift"] = {shift.rows, shift.columns};
  }
}

void put_weights(Json& object, const WeightsSpec& weights, const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  if (!object.is_object()) object = Json::object();
  if (weights.from.empty()) {
    for (const char* key : {"from", "layout", "layer", "stack", "attention", "prefix", "names"}) object.erase(key);
    object["init"] = weights.init;
    object["seed"] = weights.seed;
    put_or_erase(object, "set", weights.set);
    return;
  }
  for (const char* key : {"init", "seed", "set"}) object.erase(key);
  object["from"] = relative_path(weights.from, from, to);
  put_or_erase(object, "layout", weights.layout);
  put_or_erase(object, "layer", weights.layer);
  put_or_erase(object, "stack", weights.stack);
  put_or_erase(object, "attention", weights.attention);
  put_or_erase(object, "prefix", weights.prefix);
  object.erase("names");
  if (!weights.names.empty()) object["names"] = json_of(weights.names);
  if (!weights.names.file.empty()) object["names"] = relative_path(weights.names.file, from, to);
}

void put_params(Json& document, const Experiment& experiment) {
  Json old = document.contains("params") ? document["params"] : Json::object();
  Json params = Json::object();
  for (const auto& item : old.items())  // those that were there keep their order
    if (experiment.params.is_given(item.key())) params[item.key()] = json_of(experiment.params.get(item.key()));
  const Variant* variant = find_variant(experiment.variant);
  for (const auto& spec : variant ? variant->params() : std::vector<ParamSpec>{}) {
    const ParamValue& value = experiment.params.get(spec.id);
    if (!params.contains(spec.id) && (experiment.params.is_given(spec.id) || value != spec.fallback))
      params[spec.id] = json_of(value);
  }
  document["params"] = std::move(params);
}

}  // namespace

std::string to_json(const Experiment& experiment, const std::filesystem::path& folder) {
  Json document = Json::parse(*experiment.document, nullptr, false);
  if (!document.is_object()) document = Json{{"headlight", format_version}};
  document["variant"] = experiment.variant;
  put_params(document, experiment);
  const Json old_inputs = document.contains("inputs") ? document["inputs"] : Json::object();
  if (!experiment.inputs.empty() || document.contains("inputs")) {
    document["inputs"] = Json::object();
    for (const auto& [id, spec] : experiment.inputs)
      document["inputs"][id] =
          json_of_input(spec, old_inputs.contains(id) ? old_inputs[id] : Json(), experiment.folder, folder);
  }
  if (experiment.weights) {
    put_weights(document["weights"], *experiment.weights, experiment.folder, folder);
  } else {
    document.erase("weights");
  }
  const auto seen = [&](const std::string& path) { return relative_path(path, experiment.folder, folder); };
  put_or_erase(document, "arrays", seen(experiment.arrays));
  put_arrange(document, experiment.arrange);
  if (experiment.edits.empty())
    document.erase("edits");
  else
    document["edits"] = json_of_edits(experiment.edits, document.contains("edits") ? document["edits"] : Json());
  if (!experiment.gradient) {
    document.erase("gradient");
  } else {
    document["gradient"]["of"] = experiment.gradient->of;
    if (experiment.gradient->cell.empty())
      document["gradient"].erase("cell");
    else
      document["gradient"]["cell"] = experiment.gradient->cell;
  }
  put_view(document, experiment.view);
  put_or_erase(document, "notes", experiment.notes);
  return with_embedded(document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", experiment);
}

Status write_experiment(const Experiment& experiment, const std::filesystem::path& path) {
  return write_file(path, to_json(experiment, path.parent_path()));
}

}  // namespace headlight
