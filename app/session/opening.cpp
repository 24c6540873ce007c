#include "app/session/opening.h"

#include <algorithm>

#include "app/reading/inputs.h"
#include "app/session/dump.h"
#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/file.h"
#include "engine/io/images/image_file.h"
#include "engine/io/torch_file.h"
#include "engine/learn/training_folder.h"
#include "engine/models/plan.h"
#include "engine/run/state_dict.h"
#include "engine/tokens/tokenizer.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// An animation of one frame is a picture.
Opened read_input(InputSpec input, const fs::path& path) {
  std::error_code ignored;
  const std::string absolute = utf8(fs::absolute(path, ignored).lexically_normal());
  if (std::holds_alternative<FramesInput>(input) && !fs::is_directory(path, ignored)) {
    const auto read = read_frames(path, 2);
    if (!read) return read.error();
    if (read->size() == 1) input = ImageInput{absolute, {}};
  }
  // One that cannot be read takes nobody's place.
  if (auto* image = std::get_if<ImageInput>(&input)) {
    if (const auto read = read_image(path); !read) return read.error();
    image->path = absolute;
  }
  if (auto* frames = std::get_if<FramesInput>(&input)) frames->paths = {absolute};
  if (auto* signal = std::get_if<SignalInput>(&input)) {
    if (const auto read = read_signal(path, ""); !read) return read.error();
    signal->path = absolute;
  }
  return input;
}

constexpr std::uint64_t largest_experiment = 1 << 26;  // bytes
// With a word that comes twice, for heads that look for what came after it the first time.
constexpr const char* first_text = "The old lamplighter lit the lamp at dusk. When it rained hard, the old lamplighter";

constexpr const char* variant_of_dialog = "multi_head";  // whose layers are opened by it

// The names that somebody has kept beside the file count before those that are guessed.
void take_names_beside(const ArraySource& source, OpenedArrays& opened) {
  std::error_code ignored;
  if (!opened.proposed || !fs::exists(opened.path.parent_path() / names_file, ignored)) return;
  const auto names = read_own_names({.file = names_file, .arrays = {}}, opened.path.parent_path());
  if (!names) {
    opened.names_beside = names.error().message;
    return;
  }
  const auto families = families_in(source);
  for (const auto& [id, own] : names->arrays)
    if (std::ranges::find(families, own.name, &NamedFamily::name) == families.end()) {
      opened.names_beside =
          fmt::format("{} names {}, which is not in this file: it is passed over.", names_file, one_line(own.name));
      return;
    }
  opened.names_beside = fmt::format("These are the names of {} beside it.", names_file);
  opened.proposed->names = *names;
}

Opened read_shapes(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  if (!source) return source.error();
  if (const std::string why = why_no_attention(path); !why.empty())
    return Error{fmt::format("{}: {}", one_line(utf8(path)), why)};
  if ((*source)->entries().empty()) return Error{fmt::format("{}: there is no array in it", utf8(path))};
  OpenedArrays opened{path, {}};
  for (const ArrayEntry& entry : (*source)->entries()) opened.arrays.emplace_back(entry.name, entry.shape);
  opened.proposed = propose_names(**source);
  take_names_beside(**source, opened);
  if (const Index heads = config_beside_of(path).heads_of(""); heads > 0) opened.heads = heads;
  return opened;
}

// Of a state dict names and shapes are read, not its numbers; nothing where its names are those of no layer.
std::optional<Opened> state_dict_in(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  if (!source) return std::nullopt;
  const ConfigBeside config = config_beside_of(path);
  OpenedArrays opened{path, {}, layers_of_config(**source, config)};
  if (opened.layers.empty()) return std::nullopt;
  const std::string other = opened.layers.front().variant;
  std::erase_if(opened.layers, [](const LayersInFile& layers) { return layers.variant != variant_of_dialog; });
  if (opened.layers.empty())
    return Error{
        fmt::format("{}: its layers are of variant {}: open the folder of the model, or name the file in an "
                    "experiment of that variant (weights.from)",
                    one_line(utf8(path)), other)};
  for (const ArrayEntry& entry : (*source)->entries()) opened.arrays.emplace_back(entry.name, entry.shape);
  const Index heads = config.heads_of(opened.layers.front().stack);
  if (heads > 0) opened.heads = heads;
  return opened;
}

// Where a file holds attention in several places, those.
std::optional<OpenedArrays> lists_of_attention_in(const fs::path& path) {
  const auto source = open_arrays(path, {.all = true});
  if (!source) return std::nullopt;
  OpenedArrays opened{path, {}};
  opened.members = attention_in(**source);
  if (opened.members.size() < 2) return std::nullopt;
  for (const ArrayEntry& entry : (*source)->entries()) opened.arrays.emplace_back(entry.name, entry.shape);
  return opened;
}

// The first text, cut to the positions that the model has.
std::string sample_text(const fs::path& folder, Index positions) {
  constexpr Index surely = 256;
  std::string text = first_text;
  const auto tokenizer = positions > 0 && positions < surely ? Tokenizer::open(folder) : fail("it need not be asked");
  while (tokenizer && text.find(' ') != std::string::npos) {
    const auto tokens = tokenizer->encode(text);
    if (!tokens || static_cast<Index>(tokens->ids.size()) <= positions) break;
    text.resize(text.rfind(' '));
  }
  return text;
}

// Numbers that come again, for heads that look for it.
std::vector<Index> sample_ids(Index positions) {
  std::vector<Index> ids{0, 1, 2, 3, 0, 1, 2, 3};
  if (positions > 0) ids.resize(std::min(ids.size(), static_cast<std::size_t>(positions)));
  return ids;
}

}  // namespace

Status go_to_step(fs::path& folder, const GivenInput& given) {
  if (!given.at) return {};
  if (folder.empty()) return fail("--at is of the folder of a training: name it");
  ThreadPool pool;
  Compute compute(pool);
  HL_TRY(folder, learn::model_at(folder, *given.at, compute));
  return {};
}

Result<ModelExperiment> experiment_of_folder(const fs::path& folder, const GivenInput& given) {
  ModelExperiment experiment;
  experiment.name = one_line(utf8(folder));
  experiment.model = utf8(folder);
  if (given.text || given.pair) experiment.tokens = TokensInput{given.text, given.pair, {}, {}};
  if (given.pair && !given.text) return fail("--pair is the second text: give --text as well");
  if (!given.ids.empty()) {
    if (given.text) return fail("--text and --ids: give one of them");
    HL_TRY(auto ids, ids_in(given.ids));
    experiment.tokens = TokensInput{{}, {}, std::move(ids), {}};
  }
  if (given.decoder) experiment.decoder_tokens = TokensInput{given.decoder, {}, {}, {}};
  if (!given.image.empty()) experiment.pixels = PixelsInput{given.image, "", ""};
  return experiment;
}

bool opens_as_training(const fs::path& folder) {
  if (!learn::is_training_folder(folder)) return false;
  const auto config = ModelConfig::read(folder);
  return !config || !plan_of(*config);
}

std::optional<ModelExperiment> model_in(const fs::path& path, const fs::path& examples) {
  std::error_code ignored;
  const fs::path folder = path.filename() == "config.json" ? path.parent_path() : path;
  const bool alone = path.extension() == ".gguf" && fs::is_regular_file(path, ignored);
  if (!alone && !fs::exists(folder / "config.json", ignored)) return std::nullopt;
  ModelExperiment asked;
  asked.name = one_line(utf8(folder));
  asked.model = utf8(fs::absolute(folder, ignored).lexically_normal());
  const auto config = alone ? Result<ModelConfig>(fail("it says by itself what it is")) : ModelConfig::read(folder);
  const auto plan = config ? plan_of(*config) : tl::unexpected<Error>(config.error());
  const bool both = plan && !plan->towers.empty();
  if (both || (plan && plan->pixels))
    asked.pixels = PixelsInput{std::get<ImageInput>(example_input(InputKind::image, examples)).path, "", ""};
  if (plan && plan->pixels) return asked;
  const Index positions = plan ? plan->of(ModelPart::text).positions : 0;
  if (plan && !plan->example.empty())
    asked.tokens = TokensInput{plan->example, {}, {}, {}};
  else if (has_tokenizer(folder))
    asked.tokens = TokensInput{sample_text(folder, positions), {}, {}, {}};
  else
    asked.tokens = TokensInput{{}, {}, {sample_ids(positions)}, {}};
  return asked;
}

Opened read_to_open(const fs::path& path, const fs::path& examples, const std::string& member) {
  std::error_code ignored;
  const fs::path folder = path.filename() == "config.json" ? path.parent_path() : path;
  if (opens_as_training(folder)) return TrainingFolder{folder};
  if (auto model = model_in(path, examples)) return OpenedNetwork{std::move(*model), {}};
  if (is_array_file(path)) {
    const fs::path whole = fs::absolute(path, ignored).lexically_normal();
    if (auto layers = state_dict_in(whole)) return std::move(*layers);
    if (!holds_attention(whole) && !holds_attention_among_others(whole)) return read_shapes(whole);
    if (auto several = member.empty() ? lists_of_attention_in(whole) : std::nullopt) return std::move(*several);
    auto dump = experiment_of_dump(whole, {.member = member});
    if (!dump) return dump.error();
    return OpenedDump{std::move(*dump)};
  }
  if (table_holds_attention(path)) {
    auto table = experiment_of_table(fs::absolute(path, ignored).lexically_normal());
    if (!table) return table.error();
    return OpenedDump{std::move(*table)};
  }
  auto recipe = read_recipe(path);
  if (!recipe) return recipe.error();
  if (*recipe) return std::move(**recipe);
  if (auto input = input_of_file(path)) return read_input(std::move(*input), path);
  const auto kind = kind_of_name(path);
  if (kind == FileKind::text) {
    auto text = read_text(path);
    if (!text) return text.error();
    return InputSpec{TextInput{.text = std::move(*text)}};
  }
  const auto json = read_file(path, largest_experiment);
  if (json && !foreign_picture(*json).empty()) return read_image(path).error();
  // Of another name it may be an experiment nevertheless.
  if (json && kind != FileKind::experiment && json->find_first_not_of(" \t\r\n") != json->find('{'))
    return Error{
        fmt::format("{}: this is no file that opens here. What does: {}", one_line(utf8(path)), kinds_that_open())};
  if (json && is_model_experiment(*json)) {
    auto asked = parse_model_experiment(*json, path.parent_path(), one_line(utf8(path)));
    if (!asked) return asked.error();
    return OpenedNetwork{std::move(*asked), path};
  }
  auto experiment = read_experiment(path);
  if (!experiment) return experiment.error();
  return std::move(*experiment);
}

}  // namespace headlight::app
