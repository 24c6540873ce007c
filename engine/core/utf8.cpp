#include "engine/core/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace headlight {

namespace {

std::string mapped(std::string_view text, int options) {
  utf8proc_uint8_t* result = nullptr;
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, std::free);
  return length < 0 ? std::string(text)
                    : std::string(reinterpret_cast<const char*>(result), static_cast<std::size_t>(length));
}

}  // namespace

Utf8Step utf8_step(std::string_view text) {
  utf8proc_int32_t point = 0;
  const auto room = static_cast<utf8proc_ssize_t>(std::min<std::size_t>(4, text.size()));
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), room, &point);
  if (size <= 0) return {0xFFFD, 1, false};
  return {static_cast<char32_t>(point), static_cast<std::size_t>(size), true};
}

void append_utf8(std::string& text, char32_t character) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool GraphemeBreaks::begins(char32_t character) {
  const bool breaks = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before_),
                                                       static_cast<utf8proc_int32_t>(character), &state_);
  before_ = character;
  return std::exchange(first_, false) || breaks;
}

std::vector<std::size_t> grapheme_bounds(std::string_view text) {
  std::vector<std::size_t> bounds;
  GraphemeBreaks breaks;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (breaks.begins(step.character)) bounds.push_back(at);
    at += step.size;
  }
  bounds.push_back(text.size());
  return bounds;
}

std::string composed(std::string_view text) {
  return mapped(text, 0);
}

std::string case_folded(std::string_view text) {
  return mapped(text, UTF8PROC_CASEFOLD);
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (!step.sound) return false;
    at += step.size;
  }
  return true;
}

}  // namespace headlight
