// Tokens of a text: chosen, moved about, doubled, taken out and put in by changing the text.
#include <algorithm>

#include "app/actions/tokens.h"
#include "app/actions/updating.h"
#include "engine/inputs/text.h"

namespace headlight::app {

namespace {

// Who is selected stays selected at the place where it stands now.
void follow(std::optional<Index>& at, const MovedPlace& moved) {
  if (at) at = moved(*at);
}

Index clamped(const Model& model, const TokenAt& token, Index at) {
  return std::clamp<Index>(at, 0, std::max<Index>(0, token_count(model, token.input) - 1));
}

}  // namespace

// The text of the token's input becomes another, and what is looked at goes along with it.
void Updating::change_tokens(const Action& action, const TokenAt& token, Result<std::string> text,
                             const MovedPlace& moved) {
  if (!text) {
    std::string words = text.error().message;
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    return note(std::move(words));
  }
  if (*text == text_at(model, token.input)->text) return;
  edit(action, "tokens");
  forget_notes();
  leave_file(token.input);
  std::get<TextInput>(edit_experiment().inputs[token.input]).text = *std::move(text);
  const bool cross = model.has_second_input(), keys = axis_of_tokens(model, token.input) == AxisRole::key;
  if (!keys) follow(look().selection.query, moved);
  if (keys || !cross) follow(look().selection.key, moved);
  look().second.reset();
  model.token.reset();
  if (const auto now = moved(token.at)) model.token = TokenAt{token.input, *now};
}

void Updating::operator()(const PickToken& a) {
  if (a.token.at < 0 || a.token.at >= token_count(model, a.token.input)) return;
  model.token = a.token;
  Selection next = look().selection;
  (axis_of_tokens(model, a.token.input) == AxisRole::key ? next.key : next.query) = a.token.at;
  (*this)(Select{next, next.query && next.key});
}

void Updating::operator()(const MoveToken& a) {
  if (!why_not_token(model, a.token).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const Index first = start_tokens(text), from = a.token.at, to = std::max(first, clamped(model, a.token, a.to));
  if (from == to) return;
  change_tokens(a, a.token, with_token_moved(text.text, *tokenizer_by_name(text.tokenizer), from - first, to - first),
                [=](Index at) -> std::optional<Index> {
                  if (at == from) return to;
                  return at + (from < at && at <= to ? -1 : to <= at && at < from ? 1 : 0);
                });
}

void Updating::operator()(const DuplicateToken& a) {
  if (!why_not_token(model, a.token).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const Index from = a.token.at;
  change_tokens(a, a.token,
                with_token_doubled(text.text, *tokenizer_by_name(text.tokenizer), from - start_tokens(text)),
                [=](Index at) { return std::optional(at > from ? at + 1 : at); });
}

void Updating::operator()(const RemoveToken& a) {
  if (!why_not_token(model, a.token).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const Index from = a.token.at, last = token_count(model, a.token.input) - 2;
  change_tokens(a, a.token, without_token(text.text, *tokenizer_by_name(text.tokenizer), from - start_tokens(text)),
                [=](Index at) -> std::optional<Index> {
                  const Index now = std::min(at > from ? at - 1 : at, last);
                  return now < 0 ? std::nullopt : std::optional(now);
                });
}

void Updating::operator()(const InsertToken& a) {
  if (!why_not_tokens(model, a.token.input).empty()) return;
  const TextInput& text = *text_at(model, a.token.input);
  const TextSplit split = *tokenizer_by_name(text.tokenizer);
  const Index first = start_tokens(text), before = std::max(first, a.token.at);
  const auto put = static_cast<Index>(tokenize(a.text, split, false).tokens.size());
  change_tokens(a, {a.token.input, before}, with_tokens_put(text.text, split, before - first, a.text),
                [=](Index at) { return std::optional(at >= before ? at + put : at); });
  // What was put in is what is meant from here on.
  if (model.token && model.token->at == before + put) model.token->at = before;
}

}  // namespace headlight::app
