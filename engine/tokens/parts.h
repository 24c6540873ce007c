// The parts of a tokenizer in the order in which a text goes through them, each made of its part of tokenizer.json.
//
// Not for the model between them: model.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/json_fields.h"
#include "engine/tokens/signs.h"

namespace headlight {

// Changes characters before words are looked for. Errors: more than max_chars come out.
using Normalizer = std::function<Status(SourceChars&)>;

// Of "normalizer" in tokenizer.json; null does nothing. Errors: a kind that is not read, by its name.
Result<Normalizer> make_normalizer(const Json& part);

// Parts characters into words, of which the model makes tokens one by one.
struct Words {
  SourceChars chars;
  std::vector<std::pair<std::size_t, std::size_t>> words;  // of chars, begin and end, in order; none is empty
  bool at_start = false;                                   // the first of them begins the text
};
using PreTokenizer = std::function<void(Words&)>;

// Of "pre_tokenizer" in tokenizer.json; null leaves one word. Errors: a kind or a pattern that is not read, by name.
Result<PreTokenizer> make_pre_tokenizer(const Json& part);

// Whether bytes are written as letters anywhere in it.
bool is_byte_level(const Json& part);

// What stands round a text, or round two: [CLS] A [SEP] B [SEP]. One of the texts, or a token that stands for none of
// them.
struct TemplateSlot {
  int text = -1;          // 0, and 1 for a pair's second
  std::int32_t id = 0;    // where text is −1
  std::int32_t type = 0;  // of all its tokens
};

struct TokenTemplate {
  std::vector<TemplateSlot> single{{0, 0, 0}};
  std::vector<TemplateSlot> pair{{0, 0, 0}, {1, 0, 1}};
};

// Of "post_processor" in tokenizer.json; null puts nothing round. Errors: a kind that is not read, by its name; a
// template that leaves out a text or has one twice.
Result<TokenTemplate> make_template(const Json& part);

// The way back: from tokens to the text that they may have come from.
using Decoder = std::function<void(std::vector<std::string>&)>;

// Of "decoder" in tokenizer.json: what it makes of tokens stands side by side; null puts spaces between them, and
// one of another kind leaves them as they are. Errors: fields that are missing or of another type.
Result<Decoder> make_decoder(const Json& part);

// What `make` makes of each part in the list under the key. Errors: no such list (`where` names its owner), and those
// of `make`.
template <class Made>
Result<std::vector<Made>> make_all(const Json& part, const char* key, const char* where,
                                   Result<Made> (*make)(const Json&)) {
  if (!part.contains(key) || !part.at(key).is_array()) return fail("{} has no list of {}", where, key);
  std::vector<Made> all;
  for (const Json& each : part.at(key)) {
    HL_TRY(Made made, make(each));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace headlight
