#include "app/actions/tokens.h"

#include <algorithm>

#include "app/model/masks.h"
#include "app/reading/masks/mask_layers.h"

namespace headlight::app {

const TextInput* text_at(const Model& model, const std::string& input) {
  const InputSpec* spec = model.input(input);
  return spec ? std::get_if<TextInput>(spec) : nullptr;
}

AxisRole axis_of_tokens(const Model& model, const std::string& input) {
  return input == model.primary_input() ? AxisRole::query : AxisRole::key;
}

const std::vector<std::string>* labels_along(const Model& model, AxisRole along) {
  if (!model.shown.problem) return nullptr;
  const Problem& problem = *model.shown.problem;
  const std::string symbol(symbol_of(along));
  const auto item = static_cast<std::size_t>(model.document.look.batch);
  if (const auto given = problem.given_labels.find(symbol);
      given != problem.given_labels.end() && item < given->second.size())
    return &given->second[item];
  const auto found = problem.labels.find(symbol);
  return found == problem.labels.end() ? nullptr : &found->second;
}

Index token_count(const Model& model, const std::string& input) {
  if (!model.shown.problem) return 0;
  const Problem& problem = *model.shown.problem;
  if (!text_at(model, input) && !problem.given_labels.contains(symbol_of(axis_of_tokens(model, input)))) return 0;
  // Where one query alone is computed, the keys of self-attention name all tokens.
  const bool all = problem.only_query && !model.has_second_input();
  const AxisRole along = all ? AxisRole::key : axis_of_tokens(model, input);
  const auto* labels = labels_along(model, along);
  return labels ? static_cast<Index>(labels->size()) : 0;
}

Index start_tokens(const TextInput& text) {
  return text.start_token ? 1 : 0;
}

std::optional<TokenAt> target_token(const Model& model) {
  const auto is_there = [&](const TokenAt& token) {
    return token.at >= 0 && token.at < token_count(model, token.input);
  };
  if (model.token && is_there(*model.token)) return model.token;
  const TokenAt asking{model.primary_input(), model.document.look.selection.query.value_or(-1)};
  return is_there(asking) ? std::optional(asking) : std::nullopt;
}

std::string why_not_tokens(const Model& model, const std::string& input) {
  if (!text_at(model, input)) return "There is no sentence";
  return model.document.experiment->arrange ? "The positions are moved about: put them back first" : "";
}

std::string why_not_token(const Model& model, const TokenAt& token) {
  if (std::string why = why_not_tokens(model, token.input); !why.empty()) return why;
  if (token.at >= start_tokens(*text_at(model, token.input))) return {};
  return "The start token stands before the sentence, and is no part of it";
}

std::set<Index> masked_tokens(const Model& model, const std::string& input) {
  std::set<Index> masked;
  const bool keys = !model.has_second_input() || axis_of_tokens(model, input) == AxisRole::key;
  if (model.document.experiment->edits.empty() || !model.trace() || !model.trace()->map() || !keys) return masked;
  const Index queries = model.extent(AxisRole::query), count = model.extent(AxisRole::key);
  const Paint paint = paint_from(model.document.experiment->edits, queries_of_mask(model), count);
  const Index first = queries_of_mask(model) - queries;  // of those that were computed
  const auto hidden = [&](Index query, Index key) {
    const auto found = paint.cells.find({query, key});
    return found != paint.cells.end()
               ? found->second
               : rules_hide(*model.trace(), model.document.look.batch, model.document.look.head, query - first, key);
  };
  for (const auto& [cell, hides] : paint.cells) {
    if (!paint.on || !hides || masked.contains(cell.second)) continue;
    bool all = true;
    for (Index query = first; query < first + queries && all; ++query) all = hidden(query, cell.second);
    if (all) masked.insert(cell.second);
  }
  return masked;
}

PaintMask mask_or_show(const Model& model, const TokenAt& token) {
  const Index last = std::max<Index>(0, model.extent(AxisRole::query) - 1);
  return {!masked_tokens(model, token.input).contains(token.at), 0, last, token.at, token.at, false};
}

namespace {

// Most tokens that the model has places for; nothing: any number.
std::optional<Index> most_places(const ModelPlan& plan) {
  if (plan.positions <= 0) return std::nullopt;
  return plan.positions - (plan.padding ? *plan.padding + 1 : 0);
}

// What the stack that says has read.
const StackInput& output_part_input(const NetworkRun& run) {
  return run.input.of(run.output_part().part);
}

// What it would read of a text.
std::optional<std::vector<Index>> ids_of_text(const NetworkRun& run, const std::string& text) {
  auto made = run.tokenizer->encode(text);
  if (!made) return std::nullopt;
  std::vector<Index> ids(made->ids.begin(), made->ids.end());
  if (!run.input.decoder) return ids;
  // A decoder begins with a token of its own, and its text is not closed yet.
  if (!ids.empty() && ids.back() == run.plan().end_token && made->offsets.back()[0] < 0) ids.pop_back();
  ids.insert(ids.begin(), run.plan().start_token);
  return ids;
}

}  // namespace

std::string why_not_appended(const AppendToken& a, const Model& model) {
  if (!model.shows_network()) return "A layer is open: go back to the model first";
  const NetworkRun* run = model.net.run.get();
  if (!run) return "There is no result yet";
  const auto& asked = model.document.network->asked;
  if (!run->input.tokens || !run->logits || run->logits->shape().size() != 3) return "This model foretells no tokens";
  const Index count = run->output_part().queries();
  if (!run->predicts_next()) return "This model sees both ways: it foretells no next token";
  if (run->input.items() > 1) return "It reads several texts at once";
  if (!same_request(run->asked, asked)) return "The run before is under way";
  const auto places = most_places(run->plan());
  if (places && count >= *places) return fmt::format("The model has {} positions, all taken", *places);
  const Index vocabulary = run->logits->dim(2);
  if (a.id >= vocabulary) return fmt::format("The vocabulary has tokens 0 to {}", vocabulary - 1);
  return token_to_append(a, model) ? "" : "The likeliest token is not known";
}

std::optional<Index> token_to_append(const AppendToken& a, const Model& model) {
  if (a.id >= 0) return a.id;
  if (!model.net.run) return std::nullopt;
  const auto likely = model.net.run->likely(model.net.run->output_part().queries() - 1);
  return likely.empty() ? std::nullopt : std::optional(likely.front().number);
}

TokensInput with_token(const NetworkRun& run, const std::optional<TokensInput>& read, Index id) {
  std::vector<Index> ids = output_part_input(run).tokens->ids;
  ids.push_back(id);
  const bool is_text =
      read ? read->text && !read->pair : run.input.decoder && (!run.asked.tokens || run.asked.tokens->text);
  if (is_text && run.tokenizer) {
    const auto number = static_cast<std::int32_t>(id);
    TokensInput text = read.value_or(TokensInput{std::string(), {}, {}, {}});
    *text.text += run.tokenizer->decode(std::span(&number, 1));
    if (ids_of_text(run, *text.text) == ids) return text;
  }
  return {{}, {}, {std::move(ids)}, {}};
}

}  // namespace headlight::app
