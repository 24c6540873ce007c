#include "engine/inputs/padding.h"

#include <algorithm>
#include <array>

#include "engine/inputs/text.h"

namespace headlight {

namespace {

bool ends_texts(std::string_view token) {
  constexpr std::array names{"<|endoftext|>", "</s>", "<eos>", "[EOS]", "<|end_of_text|>", "<|eot_id|>", "<|im_end|>"};
  return std::ranges::find(names, token) != names.end();
}

// How many equal tokens that end texts stand first.
template <class Iterator>
std::ptrdiff_t end_tokens_first(Iterator first, Iterator last) {
  const auto other = std::find_if(first, last, [&](const std::string& token) { return token != *first; });
  return ends_texts(*first) ? other - first : 0;
}

}  // namespace

std::vector<bool> padding_among(const std::vector<std::string>& tokens) {
  std::vector<bool> padding;
  for (const std::string& token : tokens) padding.push_back(is_padding(token));
  if (tokens.empty()) return padding;
  const auto before = end_tokens_first(tokens.begin(), tokens.end()),
             after = end_tokens_first(tokens.rbegin(), tokens.rend());
  if (before > 1 && before < std::ssize(tokens)) std::fill_n(padding.begin(), before - 1, true);
  if (after > 1 && after < std::ssize(tokens)) std::fill_n(padding.rbegin(), after - 1, true);
  return padding;
}

bool stands_for_no_text(std::string_view token) {
  constexpr std::array names{
      "[CLS]",       "[SEP]", "[BOS]", "<s>", "<cls>", "<sep>", "<bos>", "<|startoftext|>", "<|begin_of_text|>",
      "<|im_start|>"};
  return token == start_token_text || is_padding(token) || ends_texts(token) ||
         std::ranges::find(names, token) != names.end();
}

}  // namespace headlight
