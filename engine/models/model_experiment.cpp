#include "engine/models/model_experiment.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/models/plan.h"

namespace headlight {

namespace {

constexpr Index most_top = 100;

Result<Index> id_in(const Json& value, const std::string& where) {
  const bool whole = value.is_number_integer() && value >= 0 && value <= largest_vocabulary;
  if (!whole) return fail("{} is {}: it must be a whole number from 0 on", where, kind_of(value));
  return value.get<Index>();
}

Result<std::vector<Index>> list_in(const Json& list, const std::string& where) {
  std::vector<Index> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    HL_TRY(const Index id, id_in(list[i], fmt::format("{}[{}]", where, i)));
    ids.push_back(id);
  }
  if (ids.empty()) return fail("{} is empty: at least one token is needed", where);
  if (static_cast<Index>(ids.size()) > most_tokens)
    return fail("{} has {} tokens: at most {} are run", where, ids.size(), most_tokens);
  return ids;
}

Result<std::vector<std::vector<Index>>> lists_in(const Json& value, const std::string& where) {
  if (!value.is_array()) return fail("{} is {}: it must be a list of numbers", where, kind_of(value));
  std::vector<std::vector<Index>> lists;
  if (value.empty() || !value[0].is_array()) {
    HL_TRY(auto list, list_in(value, where));
    lists.push_back(std::move(list));
    return lists;
  }
  for (std::size_t b = 0; b < value.size(); ++b) {
    const std::string at = fmt::format("{}[{}]", where, b);
    if (!value[b].is_array()) return fail("{} is {}: it must be a list, as the first is", at, kind_of(value[b]));
    HL_TRY(auto list, list_in(value[b], at));
    if (!lists.empty() && list.size() != lists.front().size())
      return fail("{} has {} tokens and the first {}: there is no padding, so lists must be of one length", at,
                  list.size(), lists.front().size());
    lists.push_back(std::move(list));
    if (static_cast<Index>(lists.size() * lists.front().size()) > most_tokens)
      return fail("{} has more than {} tokens", where, most_tokens);
  }
  return lists;
}

// What the Transformers library calls by other names, or takes beside ids.
Status check_names_of_library(const Json& value, const std::string& where) {
  constexpr std::pair<const char*, const char*> known[] = {
      {"input_ids", "the list is called ids"},
      {"token_type_ids", "the list is called types"},
      {"position_ids", "positions count from 0 on"},
      {"attention_mask", "a model reads every token: leave the padding out of ids, one length at a time"}};
  const auto hides_nothing = [](const Json& mask) {
    const Json numbers = mask.flatten();
    return std::ranges::all_of(numbers, [](const Json& number) { return number == 1; });
  };
  for (const auto& [name, instead] : known)
    if (value.contains(name) && !(name == std::string_view("attention_mask") && hides_nothing(value.at(name))))
      return fail("{}.{} is not taken: {}", where, name, instead);
  return {};
}

Result<TokensInput> tokens_in(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  if (!value.is_object()) return fail("{} is {}: it must be an object with text or ids", where, kind_of(value));
  HL_CHECK(check_names_of_library(value, where));
  TokensInput tokens;
  HL_CHECK(Fields(value, where).text("text", tokens.text).text("pair", tokens.pair).status());
  if (value.contains("ids")) {
    HL_TRY(tokens.ids, lists_in(value.at("ids"), where + ".ids"));
  }
  if (value.contains("types")) {
    HL_TRY(tokens.types, lists_in(value.at("types"), where + ".types"));
    const bool alike = tokens.types.size() == tokens.ids.size() && !tokens.ids.empty() &&
                       tokens.types.front().size() == tokens.ids.front().size();
    if (!alike) return fail("{}.types must be as many as ids", where);
  }
  if (tokens.text.has_value() == !tokens.ids.empty() || (tokens.pair && !tokens.text))
    return fail("{} must have text (and perhaps a pair) or ids", where);
  note_unknown(value, where + ".", {"text", "pair", "ids", "types"}, notices);
  return tokens;
}

Result<PixelsInput> pixels_in(const Json& value, const std::string& where, std::vector<std::string>& notices) {
  if (!value.is_object()) return fail("{} is {}: it must be an object with image or npy", where, kind_of(value));
  PixelsInput pixels;
  Fields fields(value, where);
  HL_CHECK(fields.text("image", pixels.image).text("npy", pixels.numbers).text("member", pixels.member).status());
  if (pixels.image.empty() == pixels.numbers.empty()) return fail("{} must have image or npy, one of both", where);
  if (where.ends_with("features") && pixels.numbers.empty()) return fail("{} must have npy", where);
  note_unknown(value, where + ".", {"image", "npy", "member"}, notices);
  return pixels;
}

Status read_inputs(const Json& inputs, ModelExperiment& experiment) {
  if (!inputs.is_object()) return fail("inputs is {}: it must be an object", kind_of(inputs));
  for (const auto& item : inputs.items()) {
    if (item.key() == "tokens") {
      HL_TRY(experiment.tokens, tokens_in(item.value(), "inputs.tokens", experiment.notices));
    } else if (item.key() == "decoder_tokens") {
      HL_TRY(experiment.decoder_tokens, tokens_in(item.value(), "inputs.decoder_tokens", experiment.notices));
    } else if (item.key() == "pixels") {
      HL_TRY(experiment.pixels, pixels_in(item.value(), "inputs.pixels", experiment.notices));
    } else if (item.key() == "features") {
      HL_TRY(experiment.features, pixels_in(item.value(), "inputs.features", experiment.notices));
    } else {
      return fail("inputs.{} is not an input of a model: it takes tokens, decoder_tokens, pixels or features",
                  brief(item.key()));
    }
  }
  return {};
}

// [layer, head], or ["cross", layer, head] where a model has a decoder.
Result<ModelHead> head_in(const Json& list) {
  const std::size_t named = list.is_array() && !list.empty() && list[0].is_string() ? 1 : 0;
  const auto part = named == 1 ? part_named(list[0].get<std::string>()) : std::optional(ModelPart::first);
  const auto number = [&](std::size_t at, Index most) {
    return list[at].is_number_integer() && list[at] >= 0 && list[at] <= most;
  };
  if (!list.is_array() || list.size() != 2 + named || !part || !number(named, most_layers_of_model) ||
      !number(named + 1, most_heads))
    return fail(
        "params.ablate holds {}: it must be a list of [layer, head], counted from 0, or [\"decoder\", layer, head], "
        "[\"cross\", layer, head]",
        brief(list.dump()));
  return ModelHead{list[named].get<Index>(), list[named + 1].get<Index>(), *part};
}

Status read_params(const Json& params, ModelExperiment& experiment) {
  if (!params.is_object()) return fail("params is {}: it must be an object", kind_of(params));
  for (const auto& item : params.items())
    if (item.key() != "top" && item.key() != "ablate")
      return fail("params.{} is not a parameter of a model: it takes top and ablate", brief(item.key()));
  HL_CHECK(Fields(params, "params").whole("top", experiment.top, 1, most_top).status());
  if (!params.contains("ablate")) return {};
  const Json& list = params.at("ablate");
  if (!list.is_array()) return fail("params.ablate is {}: it must be a list of [layer, head]", kind_of(list));
  for (const Json& one : list) {
    HL_TRY(const ModelHead head, head_in(one));
    experiment.ablate.push_back(head);
  }
  return {};
}

Status read_view(const Json& view, ModelExperiment& experiment) {
  if (!view.is_object()) return fail("view is {}: it must be an object", kind_of(view));
  if (view.contains("part")) {
    HL_TRY(const std::string name, string_at(view, "part", "view"));
    const auto part = part_named(name);
    if (!part) return fail("view.part is {}: encoder, decoder or cross", brief(name));
    experiment.view.part = *part;
  }
  return Fields(view, "view")
      .whole("layer", experiment.view.layer, 0, most_tokens)
      .whole("head", experiment.view.head, 0, most_tokens)
      .whole("query", experiment.view.query, 0, most_tokens)
      .whole("key", experiment.view.key, 0, most_tokens)
      .whole("batch", experiment.view.batch, 0, most_tokens)
      .status();
}

Result<ModelExperiment> read_document(const Json& object) {
  ModelExperiment experiment;
  if (!object.is_object()) return fail("this is {}: an experiment is a JSON object", kind_of(object));
  if (object.contains("headlight") && object.at("headlight") != 1)
    return fail("headlight is {}: this program reads format 1", kind_of(object.at("headlight")));
  if (object.contains("variant") && object.at("variant") != "model")
    return fail("variant is {} beside a model: leave it out", kind_of(object.at("variant")));
  if (!object.contains("model") || !object.at("model").is_string())
    return fail("model must be the path of a folder with config.json");
  experiment.model = object.at("model").get<std::string>();
  if (object.contains("inputs")) HL_CHECK(read_inputs(object.at("inputs"), experiment));
  if (object.contains("params")) HL_CHECK(read_params(object.at("params"), experiment));
  if (object.contains("view")) HL_CHECK(read_view(object.at("view"), experiment));
  note_unknown(object, "", {"headlight", "variant", "model", "inputs", "params", "view"}, experiment.notices);
  return experiment;
}

}  // namespace

bool is_model_experiment(std::string_view json) {
  const auto object = read_json(json);
  return object && object->is_object() &&
         (object->contains("model") || (object->contains("variant") && object->at("variant") == "model"));
}

namespace {

std::vector<std::string> paths_of(const ModelExperiment& experiment) {
  std::vector<std::string> paths{experiment.model};
  for (const auto* input : {&experiment.pixels, &experiment.features})
    if (*input) paths.insert(paths.end(), {(*input)->image, (*input)->numbers});
  std::erase_if(paths, [](const std::string& path) { return path.empty(); });
  return paths;
}

}  // namespace

Result<ModelExperiment> parse_model_experiment(std::string_view json, const std::filesystem::path& folder,
                                               const std::string& name) {
  const auto object = read_json(json);
  auto experiment = object ? read_document(*object) : Result<ModelExperiment>(tl::unexpected<Error>(object.error()));
  if (!experiment) return fail("{}: {}", name, message_line(experiment.error().message));
  experiment->name = name;
  experiment->folder = folder;
  std::vector<std::string> outside;
  for (const std::string& path : paths_of(*experiment))
    if (lies_outside(folder, path)) outside.push_back(path);
  if (!outside.empty())
    experiment->notices.push_back(fmt::format("{} reads what lies outside its folder: {}", name, brief_list(outside)));
  return experiment;
}

namespace {

Json json_of(const TokensInput& tokens) {
  Json json = Json::object();
  if (tokens.text) json["text"] = *tokens.text;
  if (tokens.pair) json["pair"] = *tokens.pair;
  const auto put = [&](const char* key, const std::vector<std::vector<Index>>& lists) {
    if (lists.size() == 1) json[key] = lists.front();
    if (lists.size() > 1) json[key] = lists;
  };
  put("ids", tokens.ids);
  put("types", tokens.types);
  return json;
}

}  // namespace

std::string to_json(const ModelExperiment& experiment, const std::filesystem::path& folder) {
  const auto seen = [&](const std::string& path) { return relative_path(path, experiment.folder, folder); };
  Json json;
  json["headlight"] = 1;
  json["model"] = seen(experiment.model);
  json["inputs"] = Json::object();
  if (experiment.tokens) json["inputs"]["tokens"] = json_of(*experiment.tokens);
  if (experiment.decoder_tokens) json["inputs"]["decoder_tokens"] = json_of(*experiment.decoder_tokens);
  const auto put_file = [&](const char* key, const std::optional<PixelsInput>& given) {
    if (!given) return;
    Json& to = json["inputs"][key] = Json::object();
    if (!given->image.empty()) to["image"] = seen(given->image);
    if (!given->numbers.empty()) to["npy"] = seen(given->numbers);
    if (!given->member.empty()) to["member"] = given->member;
  };
  put_file("pixels", experiment.pixels);
  put_file("features", experiment.features);
  const ModelExperiment usual;
  if (experiment.top != usual.top) json["params"]["top"] = experiment.top;
  for (const ModelHead& head : experiment.ablate) {
    Json& list = json["params"]["ablate"];
    if (head.part == ModelPart::first)
      list.push_back({head.layer, head.head});
    else
      list.push_back({name_of(head.part), head.layer, head.head});
  }
  if (experiment.view.part != usual.view.part) json["view"]["part"] = name_of(experiment.view.part);
  const auto put = [&](const char* key, const std::optional<Index>& value) {
    if (value) json["view"][key] = *value;
  };
  put("layer", experiment.view.layer);
  put("head", experiment.view.head);
  put("query", experiment.view.query);
  put("key", experiment.view.key);
  put("batch", experiment.view.batch);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_model_experiment(const ModelExperiment& experiment, const std::filesystem::path& path) {
  return write_file(path, to_json(experiment, path.parent_path()));
}

namespace {

// Whether a file of a model's folder may be its weights, its configuration or its vocabulary.
bool may_be_of_model(const std::filesystem::path& file) {
  static const std::set<std::string> kinds{".safetensors", ".bin", ".pt", ".pth", ".gguf"};
  static const std::set<std::string> names{"config.json",
                                           "params.json",
                                           "preprocessor_config.json",
                                           "special_tokens_map.json",
                                           "tokenizer.json",
                                           "tokenizer_config.json",
                                           "vocab.json",
                                           "vocab.txt",
                                           "merges.txt"};
  const std::string name = utf8(file.filename());
  return names.contains(name) || name.ends_with(".index.json") || kinds.contains(utf8(file.extension()));
}

}  // namespace

std::vector<std::filesystem::path> input_files(const ModelExperiment& experiment) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_regular_file(experiment.name, error)) files.emplace_back(experiment.name);
  const fs::path model = resolve_path(experiment.folder, experiment.model);
  for (fs::directory_iterator at(model, error), end; !error && at != end; at.increment(error))
    if (may_be_of_model(at->path())) files.push_back(at->path());
  if (fs::is_regular_file(model, error)) files.push_back(model);
  for (const auto* input : {&experiment.pixels, &experiment.features})
    for (const std::string& given :
         *input ? std::vector{(*input)->image, (*input)->numbers} : std::vector<std::string>())
      if (!given.empty()) files.push_back(resolve_path(experiment.folder, given));
  return files;
}

Status check_may_write(const ModelExperiment& experiment, const std::filesystem::path& output) {
  return check_not_input(input_files(experiment), output);
}

bool same_request(const ModelExperiment& a, const ModelExperiment& b) {
  return a.model == b.model && a.folder == b.folder && a.tokens == b.tokens && a.decoder_tokens == b.decoder_tokens &&
         a.pixels == b.pixels && a.features == b.features && a.top == b.top && a.ablate == b.ablate;
}

Result<std::vector<std::vector<Index>>> ids_in(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at <= end) {
    while (at < end && *at == ' ') ++at;
    Index id = 0;
    const auto parsed = std::from_chars(at, end, id);
    if (parsed.ec != std::errc() || id < 0 || id > largest_vocabulary)
      return fail("--ids {}: it must be whole numbers from 0 on with commas between, such as 1,2,3", brief(text));
    ids.push_back(id);
    at = parsed.ptr;
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    if (*at++ != ',') return fail("--ids {}: it must be whole numbers with commas between", brief(text));
  }
  if (static_cast<Index>(ids.size()) > most_tokens) return fail("--ids: at most {} tokens are run", most_tokens);
  return std::vector<std::vector<Index>>{std::move(ids)};
}

}  // namespace headlight
