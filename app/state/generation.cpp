#include "app/state/generation.h"

#include <algorithm>

namespace headlight::app {

namespace {

// Most tokens that the model has places for; nothing: any number.
std::optional<Index> most_places(const ModelPlan& plan) {
  if (plan.positions <= 0) return std::nullopt;
  return plan.positions - (plan.padding ? *plan.padding + 1 : 0);
}

}  // namespace

std::string why_nothing_is_appended(const AppendToken& a, const Model& model) {
  if (!model.shows_network()) return "A layer is open: go back to the model first";
  const NetworkRun* run = model.net.run.get();
  if (!run) return "There is no result yet";
  const auto& asked = model.document.network->asked;
  if (!run->input.tokens || !run->logits || run->logits->shape().size() != 3) return "This model foretells no tokens";
  if (run->positions() > 1 && !run->hides_later()) return "This model sees both ways: it foretells no next token";
  if (run->input.items() > 1) return "It reads several texts at once";
  if (!ask_the_same(run->asked, asked)) return "The run before is under way";
  const auto places = most_places(run->plan());
  if (places && run->positions() >= *places) return fmt::format("The model has {} positions, all taken", *places);
  const Index vocabulary = run->logits->dim(2);
  if (a.id >= vocabulary) return fmt::format("The vocabulary has tokens 0 to {}", vocabulary - 1);
  return token_to_append(a, model) ? "" : "The likeliest token is not known";
}

std::optional<Index> token_to_append(const AppendToken& a, const Model& model) {
  if (a.id >= 0) return a.id;
  if (!model.net.run) return std::nullopt;
  const auto likely = model.net.run->likely(model.net.run->positions() - 1);
  return likely.empty() ? std::nullopt : std::optional(likely.front().number);
}

TokensInput with_token(const NetworkRun& run, const TokensInput& read, Index id) {
  std::vector<Index> ids = run.input.tokens->ids;
  ids.push_back(id);
  if (read.text && !read.pair && run.tokenizer) {
    const auto number = static_cast<std::int32_t>(id);
    TokensInput text = read;
    *text.text += run.tokenizer->decode(std::span(&number, 1));
    const auto again = run.tokenizer->encode(*text.text);
    if (again && std::ranges::equal(again->ids, ids)) return text;
  }
  return {{}, {}, {std::move(ids)}, {}};
}

}  // namespace headlight::app
