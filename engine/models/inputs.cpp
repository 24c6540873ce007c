#include "engine/models/inputs.h"

#include <algorithm>
#include <iterator>

#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/tokens/tokenizer.h"

namespace headlight {

namespace {

// A text in the model's tokens.
struct TokenizedText {
  std::vector<Index> ids, types;
  std::vector<std::string> tokens;
  std::vector<std::array<Index, 2>> offsets;
  std::vector<std::string> shown;
};

// By the folder's own tokenizer. `where` names the input.
Result<TokenizedText> tokenized(const StoredModel& model, const TokensInput& input, const std::string& where,
                                const Tokenizer* known) {
  if (!has_tokenizer(model.folder()))
    return fail("{}: has no tokenizer (tokenizer.json, vocab.json with merges.txt, or vocab.txt): give {}.ids",
                one_line(utf8(model.folder())), where);
  HL_TRY(Tokens made, known->encode(*input.text, input.pair));
  if (static_cast<Index>(made.ids.size()) > most_tokens)
    return fail("{}.text has {} tokens: at most {} are run", where, made.ids.size(), most_tokens);
  TokenizedText text;
  text.ids.assign(made.ids.begin(), made.ids.end());
  for (std::size_t i = 0; i < made.ids.size(); ++i)
    text.shown.push_back(display_token(made, i, *input.text, input.pair ? *input.pair : std::string_view()));
  text.types.assign(made.type_ids.begin(), made.type_ids.end());
  text.tokens = std::move(made.tokens);
  text.offsets = std::move(made.offsets);
  return text;
}

// `positions`: the most tokens that the stack has places for; 0: any number.
Status check_ids(const ModelPlan& plan, const TokenIds& tokens, Index positions, const std::string& where) {
  for (std::size_t i = 0; i < tokens.ids.size(); ++i)
    if (tokens.ids[i] >= plan.vocabulary)
      return fail("{}{}[{}] is {}: the vocabulary has {} tokens, 0 to {}", where,
                  tokens.items > 1 ? fmt::format("[{}]", i / static_cast<std::size_t>(tokens.count)) : "",
                  i % static_cast<std::size_t>(tokens.count), tokens.ids[i], plan.vocabulary, plan.vocabulary - 1);
  for (const Index type : tokens.types)
    if (!plan.types.empty() && type >= plan.type_count)
      return fail("{} has a token of type {}: {} has {} types", where, type, plan.type, plan.type_count);
  const Index room = positions - (plan.padding ? *plan.padding + 1 : 0);
  if (positions > 0 && tokens.count > room)
    return fail("{} tokens, but {} has {} positions ({}): shorten the text", tokens.count, plan.type, room,
                plan.positions_key);
  return {};
}

// A text and its tokens, without what its tokenizer would close it with.
void remove_end_token(TokenizedText& text, Index end_token) {
  if (text.ids.empty() || text.ids.back() != end_token || text.offsets.back()[0] >= 0) return;
  text.ids.pop_back();
  text.types.pop_back();
  text.tokens.pop_back();
  text.offsets.pop_back();
  text.shown.pop_back();
}

// A decoder begins with a token of its own, which stands for no text.
void insert_start_token(TokenizedText& text, const ModelPlan& plan, const Tokenizer* tokenizer) {
  const std::string* known = tokenizer ? tokenizer->token(static_cast<std::int32_t>(plan.start_token)) : nullptr;
  const std::string word = known ? *known : fmt::format("{}", plan.start_token);
  text.ids.insert(text.ids.begin(), plan.start_token);
  text.types.insert(text.types.begin(), 0);
  text.tokens.insert(text.tokens.begin(), word);
  text.offsets.insert(text.offsets.begin(), {-1, -1});
  text.shown.insert(text.shown.begin(), word);
}

StackInput input_of_text(TokenizedText text) {
  StackInput input;
  input.tokens = TokenIds{1, static_cast<Index>(text.ids.size()), std::move(text.ids), std::move(text.types)};
  input.words = {std::move(text.tokens)};
  input.offsets = std::move(text.offsets);
  input.shown = std::move(text.shown);
  return input;
}

// Whether no character is cut.
bool is_whole(std::string_view text) {
  if (text.find("\uFFFD") != std::string_view::npos) return false;
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.sound) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

}  // namespace

std::string word_of_id(Index id, const ModelPlan& plan, const Tokenizer* known) {
  if (id < static_cast<Index>(plan.token_names.size())) {
    const std::string& name = plan.token_names[static_cast<std::size_t>(id)];
    for (const std::string_view space : {"▁", "Ġ"})
      if (name.starts_with(space)) return "·" + name.substr(space.size());
    return name;
  }
  const auto number = static_cast<std::int32_t>(id);
  const std::string* token = known ? known->token(number) : nullptr;
  if (!token) return fmt::format("{}", id);
  const std::string text = known->decode(std::array{number});
  if (text.empty() || !is_whole(text)) return *token;
  return text.front() == ' ' ? "·" + text.substr(1) : text;
}

namespace {

StackInput input_of_ids(const TokensInput& given, const ModelPlan& plan, const Tokenizer* known) {
  StackInput input;
  TokenIds tokens;
  tokens.items = static_cast<Index>(given.ids.size());
  tokens.count = static_cast<Index>(given.ids.front().size());
  for (const auto& list : given.ids) {
    tokens.ids.insert(tokens.ids.end(), list.begin(), list.end());
    input.words.emplace_back();
    for (const Index id : list) input.words.back().push_back(word_of_id(id, plan, known));
  }
  input.tokens = std::move(tokens);
  return input;
}

Result<StackInput> input_of_tokens(const StoredModel& model, const TokensInput& given, const Tokenizer* known) {
  const ModelPlan& plan = model.plan();
  StackInput input;
  if (given.text) {
    HL_TRY(TokenizedText text, tokenized(model, given, "inputs.tokens", known));
    if (text.ids.empty()) return fail("inputs.tokens.text has no tokens: {} needs one", plan.type);
    input = input_of_text(std::move(text));
  } else {
    input = input_of_ids(given, plan, known);
  }
  TokenIds& tokens = *input.tokens;
  for (const auto& list : given.types) tokens.types.insert(tokens.types.end(), list.begin(), list.end());
  if (plan.types.empty()) tokens.types.clear();
  HL_CHECK(check_ids(plan, tokens, plan.positions, given.text ? "inputs.tokens.text" : "inputs.tokens.ids"));
  return input;
}

// What the decoder has said already: its start token and a text, ids as they are, or the start token alone.
Result<StackInput> input_of_decoder(const StoredModel& model, const ModelExperiment& experiment, Index items,
                                    const Tokenizer* known) {
  const ModelPlan& plan = model.plan();
  const auto& given = experiment.decoder_tokens;
  StackInput input;
  if (given && !given->text) {
    input = input_of_ids(*given, plan, known);
  } else if (given || (experiment.tokens && experiment.tokens->text)) {
    TokenizedText text;
    if (given && given->pair) return fail("inputs.decoder_tokens.pair: a decoder goes on with one text");
    if (given) {
      HL_TRY(text, tokenized(model, *given, "inputs.decoder_tokens", known));
      remove_end_token(text, plan.end_token);
    }
    insert_start_token(text, plan, known);
    input = input_of_text(std::move(text));
  } else {
    TokensInput start;
    start.ids.assign(static_cast<std::size_t>(items), {plan.start_token});
    input = input_of_ids(start, plan, known);
  }
  input.tokens->types.clear();
  const Index positions = plan.decoder_positions > 0 ? plan.decoder_positions : plan.positions;
  HL_CHECK(check_ids(plan, *input.tokens, positions,
                     given && given->text ? "inputs.decoder_tokens.text" : "inputs.decoder_tokens.ids"));
  if (input.items() != items)
    return fail("inputs.decoder_tokens has {} texts, but inputs.{} has {}", input.items(),
                experiment.features ? "features" : "tokens", items);
  return input;
}

// `where` names the input.
Result<Tensor> numbers_in(const PixelsInput& given, const char* where, const std::filesystem::path& folder) {
  HL_TRY(const auto source, open_arrays(resolve_path(folder, given.numbers)));
  const std::size_t entry = given.member.empty() ? 0 : source->find(given.member);
  if (entry >= source->entries().size() || (given.member.empty() && source->entries().size() > 1))
    return fail("{}: {} holds {} arrays: name one of them as \"member\"", where, one_line(given.numbers),
                source->entries().size());
  HL_TRY(NamedArray array, source->read(entry));
  return std::move(array.values);
}

// What both stacks read: texts, or of the first one sound.
Result<ModelInput> input_of_texts(const StoredModel& model, const ModelExperiment& experiment, const Tokenizer* known) {
  const ModelPlan& plan = model.plan();
  // Both texts, and the start token's name, are of one tokenizer.
  const auto& decoder = experiment.decoder_tokens;
  const bool text = (experiment.tokens && experiment.tokens->text) || (decoder && decoder->text);
  std::optional<Tokenizer> opened;
  if (!known && has_tokenizer(model.folder())) {
    auto tokenizer = Tokenizer::open(model.folder());
    if (!tokenizer && text) return tl::unexpected<Error>(tokenizer.error());
    if (tokenizer) opened = std::move(*tokenizer);  // else ids stand for themselves
    known = opened ? &*opened : nullptr;
  }
  ModelInput input;
  if (plan.mel_bins > 0) {
    HL_TRY(input.features, numbers_in(*experiment.features, "inputs.features", experiment.folder));
    const Shape& shape = input.features->shape();
    if (shape.size() != 3 || shape[0] < 1 || shape[1] != plan.mel_bins || shape[2] != 2 * plan.positions)
      return fail("inputs.features has shape {}: {} takes (items, {}, {})", to_string(shape), plan.type, plan.mel_bins,
                  2 * plan.positions);
  } else {
    HL_TRY(static_cast<StackInput&>(input), input_of_tokens(model, *experiment.tokens, known));
  }
  if (!plan.head_note.empty()) input.notices.push_back(plan.head_note);
  if (const Index count = input.tokens ? input.tokens->count : 0; plan.trained_for > 0 && count > plan.trained_for)
    input.notices.push_back(
        fmt::format("{} tokens, but {} was made for {} (max_position_embeddings)", count, plan.type, plan.trained_for));
  if (plan.has_decoder()) {
    HL_TRY(input.decoder, input_of_decoder(model, experiment, input.items(), known));
  }
  return input;
}

Result<ModelInput> input_of_pixels(const StoredModel& model, const PixelsInput& given,
                                   const std::filesystem::path& folder) {
  ModelInput input;
  if (!given.image.empty()) {
    HL_TRY(const PictureRules rules, picture_rules(model));
    HL_TRY(input.pixels, pixels_of(resolve_path(folder, given.image), rules));
    input.notices = rules.notices;
  } else {
    HL_TRY(input.pixels, numbers_in(given, "inputs.pixels", folder));
  }
  const ModelPlan& plan = model.plan();
  const Index size = plan.image_size;
  const Shape& shape = input.pixels->shape();
  if (plan.any_grid && shape.size() == 4 && shape[0] > 0 && shape[1] == plan.channels && shape[2] > 0 && shape[3] > 0) {
    if (shape[2] % plan.patch == 0 && shape[3] % plan.patch == 0) return input;
    return fail("inputs.pixels is {} high and {} wide: {} takes patches of {}, which must divide both", shape[2],
                shape[3], plan.type, plan.patch);
  }
  if (shape.size() != 4 || shape[0] < 1 || shape[1] != model.plan().channels || shape[2] != size || shape[3] != size)
    return fail("inputs.pixels has shape {}: {} takes (items, {}, {}, {})", to_string(shape), model.plan().type,
                model.plan().channels, size, size);
  return input;
}

}  // namespace

PatchGrid patches_of(const ModelPlan& plan, const Tensor& pixels) {
  return {pixels.dim(2) / plan.patch, pixels.dim(3) / plan.patch, plan.before_patches()};
}

std::vector<Index> StackInput::special() const {
  std::vector<Index> found;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i][0] < 0) found.push_back(static_cast<Index>(i));
  return found;
}

namespace {

// A text, a picture or both, each for its tower.
Result<ModelInput> input_of_towers(const StoredModel& model, const ModelExperiment& experiment,
                                   const Tokenizer* known) {
  if (!experiment.tokens && !experiment.pixels)
    return fail("inputs.tokens and inputs.pixels are missing: {} reads one of them, or both", model.plan().type);
  if (experiment.decoder_tokens || experiment.features)
    return fail("{} reads inputs.tokens, inputs.pixels or both", model.plan().type);
  ModelInput input;
  for (const auto& tower : model.towers()) {
    ModelExperiment own = experiment;
    if (tower->plan().pixels)
      own.tokens.reset();
    else
      own.pixels.reset();
    input.towers.emplace_back();
    if (!own.tokens && !own.pixels) continue;
    HL_TRY(input.towers.back(), model_input(*tower, own, known));
    std::ranges::move(input.towers.back().notices, std::back_inserter(input.notices));
  }
  return input;
}

}  // namespace

Result<ModelInput> model_input(const StoredModel& model, const ModelExperiment& experiment, const Tokenizer* known) {
  if (!model.towers().empty()) return input_of_towers(model, experiment, known);
  struct Kind {
    const char *input, *what, *example;
    bool read, given;
  };
  const ModelPlan& plan = model.plan();
  const bool pixels = plan.pixels, sound = plan.mel_bins > 0;
  const Kind kinds[] = {
      {"pixels", "a picture", "{\"image\": \"cat.png\"}", pixels, experiment.pixels.has_value()},
      {"features", "a spectrogram", "{\"npy\": \"features.npy\"}", sound, experiment.features.has_value()},
      {"tokens", "tokens", "{\"text\": \"…\"} or {\"ids\": [1, 2, 3]}", !pixels && !sound,
       experiment.tokens.has_value()}};
  const Kind& wanted = *std::ranges::find(kinds, true, &Kind::read);
  for (const Kind& kind : kinds)
    if (kind.given && !kind.read) return fail("{} reads {}: give inputs.{}", plan.type, wanted.what, wanted.input);
  if (!wanted.given) return fail("inputs.{} is missing: {}", wanted.input, wanted.example);
  if (experiment.decoder_tokens && !plan.has_decoder())
    return fail("{} has no decoder: leave out inputs.decoder_tokens", plan.type);
  return pixels ? input_of_pixels(model, *experiment.pixels, experiment.folder)
                : input_of_texts(model, experiment, known);
}

}  // namespace headlight
