// tokenizer.json as it stands in the file: its long lists apart, for they hold a hundred thousand tokens, and the rest
// as JSON. The two older forms, vocab.json with merges.txt and vocab.txt, read as the tokenizer.json that says the
// same.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/vocabulary.h"

namespace headlight {

struct TokenMerge {
  std::string left, right;
};

struct TokenizerFile {
  std::vector<std::filesystem::path> files;  // what it was read from, the vocabulary first
  Json parts;                                // all of it but model.vocab and model.merges
  std::vector<VocabularyEntry> vocabulary;
  std::vector<TokenMerge> merges;  // the first joins first
};

// Errors: no JSON, nested more than 64 deep, more than a million values beside the lists, lists of something else.
Result<TokenizerFile> read_tokenizer_json(std::string_view text);

// Of the folder of a model. Errors name the file; none there at all is one, too.
Result<TokenizerFile> read_tokenizer_folder(const std::filesystem::path& folder);

// Whether the folder has any of the forms.
bool has_tokenizer(const std::filesystem::path& folder);

// A field of one of the parts, or what it is where it is left out or null. Errors name `where` and the key.
Result<std::string> text_or(const Json& object, const char* key, const std::string& where, std::string fallback);
Result<bool> flag_or(const Json& object, const char* key, const std::string& where, bool fallback);
// The part's "type"; empty where there is none.
std::string type_of(const Json& part);

}  // namespace headlight
