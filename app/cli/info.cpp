#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/standard_streams.h"
#include "app/session/dump.h"
#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/csv.h"
#include "engine/io/file.h"
#include "engine/io/json_fields.h"
#include "engine/io/torch_file.h"
#include "engine/layouts/layouts.h"
#include "engine/models/model.h"
#include "engine/run/given_maps.h"
#include "engine/run/labels.h"
#include "engine/run/state_dict.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

namespace {

// Arrays that differ by one number in their names alone are one line.
struct Line {
  std::string name;  // with {} for that number
  const ArrayEntry* entry = nullptr;
  std::vector<Index> numbers;
};

// "encoder.layer.3.x" → "encoder.layer.{}.x" and 3; the first number that stands between dots or at an end.
std::pair<std::string, std::optional<Index>> without_number(const std::string& name) {
  for (std::size_t at = 0; at < name.size();) {
    const auto end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    const bool number = !part.empty() && part.size() < 6 && part.find_first_not_of("0123456789") == std::string::npos;
    if (number) return {name.substr(0, at) + "{}" + name.substr(end), std::stoll(part)};
    at = end + 1;
  }
  return {name, std::nullopt};
}

std::vector<Line> folded(const ArraySource& source) {
  std::vector<Line> lines;
  std::map<std::string, std::size_t> known;
  for (const ArrayEntry& entry : source.entries()) {
    const auto [name, number] = without_number(entry.name);
    const std::string key = fmt::format("{} {} {}", name, entry.dtype, to_string(entry.shape));
    const auto [found, fresh] = known.emplace(key, lines.size());
    if (fresh) lines.push_back({name, &entry, {}});
    if (number) lines[found->second].numbers.push_back(*number);
  }
  return lines;
}

std::string name_of(const Line& line) {
  if (line.numbers.empty()) return line.entry->name;
  const auto [least, most] = std::ranges::minmax(line.numbers);
  const std::string numbers = least == most ? fmt::format("{}", least) : fmt::format("{{{}-{}}}", least, most);
  std::string name = line.name;
  return name.replace(name.find("{}"), 2, numbers);
}

// The first array that a model's inputs are read by which its file does not hold; empty where it holds all.
std::string lacking_embedding(const StoredModel& model) {
  for (const auto& tower : model.towers())
    if (std::string name = lacking_embedding(*tower); !name.empty()) return name;
  if (!model.towers().empty()) return {};
  const ModelPlan& plan = model.plan();
  const std::string& first = plan.pixels ? plan.projection : plan.words;
  return first.empty() || model.has(first + ".weight") ? "" : first + ".weight";
}

// What a folder's config makes of it, as sentences, or why it does not run.
struct FolderReport {
  std::vector<std::string> sentences = {};
  bool layers_open = true;
};

// Of a model whose arrays are there as its config says.
std::vector<std::string> model_sentences(const ModelPlan& plan, const std::filesystem::path& folder) {
  std::string sizes = plan.has_decoder()
                          ? fmt::format("{}: encoder of {} layers, decoder of {}, {} heads each, width {}", plan.type,
                                        plan.layers, plan.decoder_layers, plan.heads, plan.width)
                          : fmt::format("{}: {} layers of {} heads, width {}", plan.type, plan.layers,
                                        plan.heads_in_words(), plan.width);
  for (const ModelPlan& tower : plan.towers)
    sizes =
        fmt::format("{}{} of {} layers of {} heads, width {}", &tower == &plan.towers.front() ? "clip: " : sizes + ", ",
                    name_of(tower.only), tower.layers, tower.heads, tower.width);
  if (plan.key_heads > 0 && plan.key_heads != plan.heads) sizes += fmt::format(", {} heads of keys", plan.key_heads);
  if (!plan.towers.empty())
    sizes += fmt::format(", pictures of {0} × {0} in patches of {1}, {2} tokens in its vocabulary",
                         plan.towers.back().image_size, plan.towers.back().patch, plan.towers.front().vocabulary);
  else if (plan.pixels)
    sizes += fmt::format(", pictures of {0} × {0} in patches of {1}", plan.image_size, plan.patch);
  else
    sizes += fmt::format(", {} tokens in its vocabulary", plan.vocabulary);
  if (plan.positions > 0 && !plan.pixels) sizes += fmt::format(", {} positions", plan.positions);
  sizes += fmt::format("; runs as a model: headlight trace {}", one_line(utf8(folder)));
  if (!plan.stages.empty()) return {sizes};
  constexpr double n = 512, bytes = sizeof(float);
  const auto layers = static_cast<double>(plan.order().size());
  return {sizes, fmt::format("for {} tokens: {} of streams, {} of attention weights where all are kept", n,
                             bytes_text(layers * n * static_cast<double>(plan.width) * bytes),
                             bytes_text(layers * static_cast<double>(plan.heads) * n * n * bytes))};
}

FolderReport report_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored) || !std::filesystem::exists(folder / "config.json", ignored))
    return {};
  const auto model = StoredModel::open(folder);
  if (!model) {
    const auto config = ModelConfig::read(folder);
    return {{model.error().message}, !config || !is_known_model(*config) || plan_of(*config)};
  }
  const Status fits = check_arrays(**model);
  if (fits) {
    FolderReport runs{model_sentences((*model)->plan(), folder)};
    if (const std::string& note = (*model)->plan().head_note; !note.empty()) runs.sentences.push_back(note);
    return runs;
  }
  const bool layers_open = check_layers(**model).has_value();
  const std::string name = lacking_embedding(**model);
  if (name.empty() || !layers_open) return {{fits.error().message}, layers_open};
  return {{fmt::format("{}: {} is missing, so the model does not run, but its layers open", (*model)->file(), name)}};
}

std::string layer_sentence(const LayersInFile& layers, const ConfigBeside& config) {
  if (!layers.refusal.empty()) return layers.refusal;
  if (layers.variant != "multi_head") return fmt::format("{}; opens as variant {}", layers.title, layers.variant);
  const Index heads = config.heads_of(layers.stack);
  std::string words = heads > 0 ? fmt::format("{}; {} heads (config.json)", layers.title, heads)
                                : fmt::format("{}; heads not known", layers.title);
  if (!config.unknown_type.empty() && !layers.layout.starts_with("torch."))
    words += fmt::format("; config.json says model_type {}, which may differ: weights.layout \"{}\" opens it",
                         brief(config.unknown_type), layers.layout);
  return words;
}

// What opens it, as sentences.
std::vector<std::string> array_sentences(const ArraySource& source, const std::filesystem::path& file) {
  std::vector<std::string> found;
  const ConfigBeside config = config_beside_of(file);
  for (const LayersInFile& layers : layers_of_config(source, config)) found.push_back(layer_sentence(layers, config));
  if (!found.empty()) return found;
  ReadArrays all;
  const auto members = attention_in(source);
  for (std::size_t i = 0; i < source.entries().size() && !members.empty(); ++i)
    if (auto array = source.read(i))
      all.emplace(array->name, ReadArray{std::make_shared<const Tensor>(std::move(array->values)), false});
  for (const std::string& member : members) {
    if (const std::string why = window_hint(shapes_in(source), member); !why.empty()) {
      found.push_back(why);
      continue;
    }
    const auto arrays = members_of(all, member, utf8(file.filename()));
    const auto maps = arrays ? given_maps(*arrays, {}, utf8(file.filename()))
                             : Result<GivenMaps>(tl::unexpected<Error>(arrays.error()));
    if (maps)
      found.push_back(fmt::format(
          "{}{}: attention ({}{}): headlight view {}{}", member.empty() ? "" : one_line(member) + ": ",
          maps->of_edges ? "edges with their weights" : "rows add up to 1",
          maps->layered && arrays->size() > 1 ? "layers are arrays of " : "", maps->axes,
          one_line(utf8(file.filename())), member.empty() ? "" : fmt::format(" --member '{}'", one_line(member))));
  }
  return found;
}

// Of a table of numbers what it is, as a sentence.
std::string table_sentence(const std::filesystem::path& path, const NamedMatrix& table) {
  const char* sums = table_holds_attention(path) ? ", whose rows add up to 1" : "";
  return fmt::format(
      "a table of {} × {} numbers{}: headlight view {} shows it as attention, queries down and keys across",
      table.cells.dim(0), table.cells.dim(1), sums, one_line(utf8(path)));
}

// Of a model's folder: what its tokenizer is, or why it does not open; nothing where it has none.
std::optional<std::string> tokenizer_in(const std::filesystem::path& folder) {
  if (!has_tokenizer(folder)) return std::nullopt;
  const auto tokenizer = Tokenizer::open(folder);
  if (!tokenizer) return tokenizer.error().message;
  return fmt::format("{}: {}, {} tokens", one_line(utf8(tokenizer->files().front().filename())), tokenizer->kind(),
                     tokenizer->size());
}

Json json_of(const ArraySource& source, const std::string& file, const std::vector<std::string>& fits) {
  Json arrays = Json::array();
  for (const ArrayEntry& entry : source.entries())
    arrays.push_back({{"name", entry.name}, {"dtype", entry.dtype}, {"shape", entry.shape}});
  Json json{{"file", file}, {"arrays", std::move(arrays)}, {"fits", fits}};
  if (!source.note().empty()) json["note"] = source.note();
  return json;
}

// Of a file of JSON what it is, as a sentence; nothing where it may be the index of arrays in several files.
Result<std::optional<std::string>> json_sentence(const std::filesystem::path& path) {
  constexpr std::uint64_t largest = 1 << 26;  // bytes
  std::error_code ignored;
  if ((path.extension() != ".json" && path.extension() != ".headlight") ||
      !std::filesystem::is_regular_file(path, ignored))
    return std::nullopt;
  const std::string name = one_line(utf8(path));
  HL_TRY(const std::string text, read_file(path, largest));
  const auto json = read_json(text);
  if (!json) return fail("{}: {}", name, message_line(json.error().message));
  if (json->is_object() && json->contains("weight_map")) return std::nullopt;
  if (json->is_object() && (json->contains("variant") || json->contains("model")))
    return fmt::format("an experiment: headlight {} opens it, headlight list says what may stand in it", name);
  if (json->is_object() && json->contains("train") && !json->contains("model_type"))
    return fmt::format("what a network is to learn: headlight train {} -o FOLDER lets it", name);
  if (json->is_object() && json->contains("model_type"))
    return fmt::format("the config of a model: headlight info {} says what is in its folder",
                       one_line(path.has_parent_path() ? utf8(path.parent_path()) : "."));
  if (json->is_object() && !json->contains("tokens"))
    return fail("{}: is no experiment, no list of tokens and no index of arrays", name);
  HL_TRY(const auto lists, read_tokens({.path = utf8(std::filesystem::absolute(path, ignored)), .lists = {}}, {}));
  const std::string count = lists.size() == 1 ? fmt::format("{} tokens", lists.front().size())
                                              : fmt::format("{} lists of tokens", lists.size());
  return fmt::format("{}: headlight view ATTENTION --tokens {} calls positions so", count, name);
}

}  // namespace

Status info_command(const std::filesystem::path& path, bool as_json) {
  if (is_standard_stream(path)) return fail("-: info looks into files and folders, not into standard input");
  std::optional<std::string> known;
  const bool may_be_table = is_table(path);
  const auto table = may_be_table ? read_named_matrix(path) : Result<NamedMatrix>(fail("no table"));
  if (table) known = table_sentence(path, *table);
  if (may_be_table && !table && path.extension() != ".json") return tl::unexpected<Error>(table.error());
  if (!known) {
    HL_TRY(known, json_sentence(path));
  }
  if (known && as_json)
    fmt::print("{}\n", Json{{"file", utf8(path)}, {"arrays", Json::array()}, {"fits", {*known}}}.dump(
                           2, ' ', false, Json::error_handler_t::replace));
  else if (known)
    fmt::print("{}: {}\n", one_line(utf8(path)), *known);
  if (known) return {};
  HL_TRY(const auto file, model_file(path));
  HL_TRY(const auto source, open_arrays(file, {.all = true}));
  auto [fits, layers_open] = report_folder(path);
  if (layers_open) std::ranges::copy(array_sentences(*source, file), std::back_inserter(fits));
  if (std::string why = why_no_attention(file); !why.empty()) fits.push_back(std::move(why));
  const auto tokenizer = tokenizer_in(path);
  if (as_json) {
    Json json = json_of(*source, utf8(file), fits);
    if (tokenizer) json["tokenizer"] = *tokenizer;
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  const std::size_t count = source->entries().size();
  fmt::print("{}: {} array{}\n", one_line(utf8(file)), count, count == 1 ? "" : "s");
  for (const Line& line : folded(*source))
    fmt::print("  {}  {} {}\n", one_line(name_of(line)), line.entry->dtype, to_string(line.entry->shape));
  if (!source->note().empty()) fmt::print("{}\n", source->note());
  if (tokenizer) fmt::print("{}\n", *tokenizer);
  for (const std::string& fit : fits) fmt::print("{}\n", fit);
  if (fits.empty()) fmt::print("opens as arrays by name: \"arrays\", or {{\"npy\": …}} in \"inputs\"\n");
  return {};
}

}  // namespace headlight::app
