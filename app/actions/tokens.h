// The tokens of the texts that were typed: which one commands mean, and what can be done with it.
//
// Not for how a text is changed so that its tokens are others: engine/inputs/text.h.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "app/actions/action.h"
#include "app/model/model.h"
#include "app/model/network_run.h"
#include "engine/inputs/text.h"

namespace headlight::app {

// The text of an input; null where it is none.
const TextInput* text_at(const Model& model, const std::string& input);
// The token that was chosen last, else the one that asks; nothing where there is no sentence.
std::optional<TokenAt> target_token(const Model& model);
// Which axis the tokens of an input lie along: those of a second text are keys.
AxisRole axis_of_tokens(const Model& model, const std::string& input);
// What positions along such an axis are called in the item of the batch that is looked at; null where they have no
// names.
const std::vector<std::string>* labels_along(const Model& model, AxisRole along);
// How many the result has, the start token with them; 0 without a result.
Index token_count(const Model& model, const std::string& input);
// 1 where a start token stands before those of the text.
Index start_tokens(const TextInput& text);

// Why the tokens of an input cannot be changed; empty where they can.
std::string why_not_tokens(const Model& model, const std::string& input);
// Why that one cannot.
std::string why_not_token(const Model& model, const TokenAt& token);

// Those of an input that are hidden as keys from every query, some of them by paint.
std::set<Index> masked_tokens(const Model& model, const std::string& input);
// Hides that token as a key from every query, or shows it again.
PaintMask mask_or_show(const Model& model, const TokenAt& token);

// One token more for a model that foretells the next: which, why not, and how it is kept as exactly that token.

// Why nothing can be appended to what the model reads; empty where it can.
std::string why_not_appended(const AppendToken& a, const Model& model);

// The token that is named, else the likeliest after the last one in the run as it is asked, heads off and all. Nothing
// where none is known.
std::optional<Index> token_to_append(const AppendToken& a, const Model& model);

// What was read, by a decoder where there is one, and the token behind it. It stays a text where the text with the
// token's characters is read as exactly the same tokens and this one; else it becomes a list of ids.
TokensInput with_token(const NetworkRun& run, const std::optional<TokensInput>& read, Index id);

}  // namespace headlight::app
