#include "engine/tokens/precompiled.h"

#include <array>

#include "engine/core/base64.h"
#include "engine/core/utf8.h"

namespace headlight {

namespace {

constexpr std::size_t longest_cluster = 5;  // bytes: longer ones are looked up character by character

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

// A unit of Darts-clone's array: a leaf's value, or how far its children lie, its label and whether a leaf is among
// them.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8U & 1U) == 1;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFFU;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FFU;
}
std::uint32_t offset_of(std::uint32_t unit) {
  return (unit >> 10U) << ((unit & 1U << 9U) >> 6U);
}

}  // namespace

Result<Precompiled> Precompiled::read(std::string_view base64) {
  const auto read = from_base64(base64);
  if (!read) return fail("precompiled_charsmap is not base64: {}", read.error().message);
  const std::string& bytes = *read;
  const std::size_t size = bytes.size() < 4 ? 0 : little_endian(bytes, 0);
  if (bytes.size() < 4 || size % 4 != 0 || size == 0 || size > bytes.size() - 4)
    return fail("precompiled_charsmap has {} bytes, and its trie would have {}", bytes.size(), size);
  Precompiled made;
  for (std::size_t at = 4; at < 4 + size; at += 4) made.units_.push_back(little_endian(bytes, at));
  made.texts_ = bytes.substr(4 + size);
  return made;
}

std::optional<std::string_view> Precompiled::replacement(std::string_view text) const {
  std::size_t node = offset_of(units_[0]);
  for (const char c : text) {
    const std::uint32_t label = static_cast<unsigned char>(c);
    node ^= label;
    if (label == 0 || node >= units_.size() || label_of(units_[node]) != label) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size() || value_of(units_[node]) >= texts_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(texts_).substr(value_of(units_[node]));
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

void Precompiled::normalize(Signs& signs) const {
  const SignText all = text_of(signs);
  const std::string_view text = all.text;
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return text.substr(all.begins[begin], all.begins[end] - all.begins[begin]);
  };
  Signs made;
  made.reserve(signs.size());
  GraphemeBreaks breaks;
  for (std::size_t at = 0, end = 0; at < signs.size(); at = end) {
    if (at == 0) breaks.begins(signs[0].character);
    for (end = at + 1; end < signs.size() && !breaks.begins(signs[end].character);) ++end;
    const std::string_view cluster = piece(at, end);
    if (cluster.size() <= longest_cluster)
      if (const auto found = replacement(cluster)) {
        append_signs(made, *found, span_of(std::span(signs).subspan(at, end - at)));
        continue;
      }
    for (std::size_t i = at; i < end; ++i) {
      if (const auto found = replacement(piece(i, i + 1)))
        append_signs(made, *found, signs[i].from);
      else
        made.push_back(signs[i]);
    }
  }
  signs = std::move(made);
}

}  // namespace headlight
