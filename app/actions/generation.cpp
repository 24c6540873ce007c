#include "app/actions/generation.h"

#include <algorithm>

namespace headlight::app {

namespace {

// Most tokens that the model has places for; nothing: any number.
std::optional<Index> most_places(const ModelPlan& plan) {
  if (plan.positions <= 0) return std::nullopt;
  return plan.positions - (plan.padding ? *plan.padding + 1 : 0);
}

// What the stack that says has read.
const StackInput& read_by_saying(const NetworkRun& run) {
  return run.input.of(run.saying().part);
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
  const Index count = run->saying().queries();
  if (count > 1 && !run->saying().hides_later()) return "This model sees both ways: it foretells no next token";
  if (run->input.items() > 1) return "It reads several texts at once";
  if (!ask_the_same(run->asked, asked)) return "The run before is under way";
  const auto places = most_places(run->plan());
  if (places && count >= *places) return fmt::format("The model has {} positions, all taken", *places);
  const Index vocabulary = run->logits->dim(2);
  if (a.id >= vocabulary) return fmt::format("The vocabulary has tokens 0 to {}", vocabulary - 1);
  return token_to_append(a, model) ? "" : "The likeliest token is not known";
}

std::optional<Index> token_to_append(const AppendToken& a, const Model& model) {
  if (a.id >= 0) return a.id;
  if (!model.net.run) return std::nullopt;
  const auto likely = model.net.run->likely(model.net.run->saying().queries() - 1);
  return likely.empty() ? std::nullopt : std::optional(likely.front().number);
}

TokensInput with_token(const NetworkRun& run, const std::optional<TokensInput>& read, Index id) {
  std::vector<Index> ids = read_by_saying(run).tokens->ids;
  ids.push_back(id);
  const bool is_text = read ? read->text && !read->pair : run.input.decoder && run.asked.tokens->text;
  if (is_text && run.tokenizer) {
    const auto number = static_cast<std::int32_t>(id);
    TokensInput text = read.value_or(TokensInput{std::string(), {}, {}, {}});
    *text.text += run.tokenizer->decode(std::span(&number, 1));
    if (ids_of_text(run, *text.text) == ids) return text;
  }
  return {{}, {}, {std::move(ids)}, {}};
}

}  // namespace headlight::app
