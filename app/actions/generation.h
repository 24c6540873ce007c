// One token more for a model that foretells the next: which, why not, and how it is kept as exactly that token.
#pragma once

#include <optional>
#include <string>

#include "app/actions/action.h"
#include "app/model/network_run.h"

namespace headlight::app {

// Why nothing can be appended to what the model reads; empty where it can.
std::string why_not_appended(const AppendToken& a, const Model& model);

// The token that is named, else the likeliest after the last one in the run as it is asked, heads off and all. Nothing
// where none is known.
std::optional<Index> token_to_append(const AppendToken& a, const Model& model);

// What was read, by a decoder where there is one, and the token behind it. It stays a text where the text with the
// token's characters is read as exactly the same tokens and this one; else it becomes a list of ids.
TokensInput with_token(const NetworkRun& run, const std::optional<TokensInput>& read, Index id);

}  // namespace headlight::app
