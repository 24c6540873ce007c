// A folder of a model as large as the small GPT-2, its numbers drawn: 12 layers of 12 heads, width 768, 50,257 tokens.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace headlight::bench {

// Makes the folder where it is not there yet: config.json, model.safetensors, vocab.json, merges.txt.
Status make_model_folder(const std::filesystem::path& folder);

// A text that its tokenizer reads as so many tokens; another `variant` differs in its middle token alone.
std::string text_of_tokens(int tokens, int variant);

}  // namespace headlight::bench
