// What a tokenizer puts round a text, or round two: [CLS] A [SEP] B [SEP].
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/json_fields.h"

namespace headlight {

// One of the texts, or a token that stands for none of them.
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
Result<TokenTemplate> template_of(const Json& part);

}  // namespace headlight
