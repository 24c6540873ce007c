#include "engine/tokens/parts.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/words.h"
#include "engine/core/base64.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/signs.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

// ---- Unicode's normal forms. Source: Unicode Standard Annex 15 ------------------------------------------------------

constexpr char32_t first_decomposable = 0xA0;      // nothing below is another character in any form
constexpr char32_t first_composable = 0x300;       // nothing below goes into the character before it
constexpr std::size_t longest_decomposition = 32;  // Unicode's longest has 18 characters

int combining_class(char32_t c) {
  return c < first_composable ? 0 : utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// What two characters are as one; nothing where they stay two.
std::optional<char32_t> composition(char32_t first, char32_t second) {
  if (second < first_composable) return std::nullopt;
  std::array<utf8proc_int32_t, 2> pair{static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
  const auto size =
      utf8proc_normalize_utf32(pair.data(), 2, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (size != 1) return std::nullopt;
  return static_cast<char32_t>(pair[0]);
}

void part(const SourceChar& source, bool compatible, SourceChars& into) {
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  std::array<utf8proc_int32_t, longest_decomposition> parts;
  int ignored = 0;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(source.character), parts.data(), parts.size(),
                                            options, &ignored);
  if (size < 0 || size > static_cast<utf8proc_ssize_t>(parts.size())) return into.push_back(source);
  for (const auto c : std::span(parts).first(static_cast<std::size_t>(size)))
    into.push_back({static_cast<char32_t>(c), source.from});
}

// Marks behind a character stand in the order of their classes.
void order_marks(SourceChars& chars) {
  for (std::size_t i = 0; i < chars.size();) {
    const auto begin = i;
    while (i < chars.size() && combining_class(chars[i].character) != 0) ++i;
    if (i - begin > 1)
      std::stable_sort(chars.begin() + static_cast<std::ptrdiff_t>(begin),
                       chars.begin() + static_cast<std::ptrdiff_t>(i), [](const SourceChar& a, const SourceChar& b) {
                         return combining_class(a.character) < combining_class(b.character);
                       });
    i += i == begin;
  }
}

// NFD, or NFKD where `compatible`. Every character that one is parted into has its bytes.
void decompose(SourceChars& chars, bool compatible) {
  if (std::ranges::all_of(chars, [](const SourceChar& source) { return source.character < first_decomposable; }))
    return;
  SourceChars parted;
  parted.reserve(chars.size());
  for (const SourceChar& source : chars) {
    if (parted.size() > max_chars) break;  // which is refused
    if (source.character < first_decomposable)
      parted.push_back(source);
    else
      part(source, compatible, parted);
  }
  chars = std::move(parted);
  order_marks(chars);
}

// NFC, or NFKC. A character that is put together has the bytes of all that it was made of.
void compose(SourceChars& chars, bool compatible) {
  decompose(chars, compatible);
  constexpr auto none = static_cast<std::size_t>(-1);
  std::size_t starter = none;  // the last character that marks may go into
  int class_before = 0;        // of what stands between it and the next character
  std::size_t size = 0;
  for (const SourceChar source : chars) {
    const int its_class = combining_class(source.character);
    const bool reaches = starter != none && (class_before == 0 || class_before < its_class);
    if (const auto made = reaches ? composition(chars[starter].character, source.character) : std::nullopt) {
      ByteSpan& from = chars[starter].from;
      from = {std::min(from.begin, source.from.begin), std::max(from.end, source.from.end)};
      chars[starter].character = *made;
      continue;
    }
    if (its_class == 0) starter = size;
    class_before = its_class;
    chars[size++] = source;
  }
  chars.resize(size);
}

// ---- sentencepiece's table of replacements --------------------------------------------------------------------------

// "precompiled_charsmap" of tokenizer.json: a double-array trie and the texts that its leaves point at. Source: Kudo
// and Richardson 2018, section 3.2; Yata's Darts-clone for the trie.
class Precompiled {
 public:
  // Errors: no base64, or a trie that is longer than the whole.
  static Result<Precompiled> read(std::string_view base64);

  // Replaces grapheme clusters of fewer than 6 bytes that the table has, and single characters of the others.
  void normalize(SourceChars& chars) const;

 private:
  // What the shortest beginning of the text that is in the table becomes.
  std::optional<std::string_view> replacement(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;  // each ended by a 0
};

constexpr std::size_t longest_cluster = 5;  // bytes: longer ones are looked up character by character

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

Result<Precompiled> Precompiled::read(std::string_view base64) {
  const auto read = from_base64(base64);
  if (!read) return fail("precompiled_charsmap is not base64: {}", read.error().message);
  const std::string& bytes = *read;
  const auto unit_at = [&](std::size_t at) {
    return static_cast<std::uint32_t>(little_endian(std::string_view(bytes).substr(at, 4)));
  };
  const std::size_t size = bytes.size() < 4 ? 0 : unit_at(0);
  if (bytes.size() < 4 || size % 4 != 0 || size == 0 || size > bytes.size() - 4)
    return fail("precompiled_charsmap has {} bytes, and its trie would have {}", bytes.size(), size);
  Precompiled made;
  for (std::size_t at = 4; at < 4 + size; at += 4) made.units_.push_back(unit_at(at));
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

void Precompiled::normalize(SourceChars& chars) const {
  const CharText all = text_of(chars);
  const std::string_view text = all.text;
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return text.substr(all.begins[begin], all.begins[end] - all.begins[begin]);
  };
  SourceChars made;
  made.reserve(chars.size());
  GraphemeBreaks breaks;
  for (std::size_t at = 0, end = 0; at < chars.size(); at = end) {
    if (at == 0) breaks.begins(chars[0].character);
    for (end = at + 1; end < chars.size() && !breaks.begins(chars[end].character);) ++end;
    const std::string_view cluster = piece(at, end);
    if (cluster.size() <= longest_cluster)
      if (const auto found = replacement(cluster)) {
        append_chars(made, *found, span_of(std::span(chars).subspan(at, end - at)));
        continue;
      }
    for (std::size_t i = at; i < end; ++i) {
      if (const auto found = replacement(piece(i, i + 1)))
        append_chars(made, *found, chars[i].from);
      else
        made.push_back(chars[i]);
    }
  }
  chars = std::move(made);
}

template <class Change>
Normalizer step(Change change) {
  return [change = std::move(change)](SourceChars& chars) -> Status {
    change(chars);
    if (chars.size() > max_chars) return fail("the normalizer makes more than {} characters of the text", max_chars);
    return {};
  };
}

// Character by character, whatever stands beside it: the only one that becomes two is İ.
void lower(SourceChars& chars) {
  SourceChars made;
  made.reserve(chars.size());
  for (const SourceChar& source : chars) {
    constexpr char32_t dotted_capital_i = 0x130, dot_above = 0x307;
    if (source.character == dotted_capital_i) {
      made.push_back({'i', source.from});
      made.push_back({dot_above, source.from});
    } else {
      made.push_back(
          {static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(source.character))), source.from});
    }
  }
  chars = std::move(made);
}

void drop_marks(SourceChars& chars) {
  std::erase_if(chars, [](const SourceChar& source) { return is_nonspacing_mark(source.character); });
}

void strip(SourceChars& chars, bool left, bool right) {
  const auto stays = [](const SourceChar& source) { return !is_white(source.character); };
  if (right) chars.erase(std::find_if(chars.rbegin(), chars.rend(), stays).base(), chars.end());
  if (left) chars.erase(chars.begin(), std::ranges::find_if(chars, stays));
}

void prepend(SourceChars& chars, const std::string& text) {
  if (chars.empty()) return;
  const std::uint32_t at = chars.front().from.begin;
  SourceChars made;
  append_chars(made, text, {at, at});
  chars.insert(chars.begin(), made.begin(), made.end());
}

// Every run that `length` finds at a place, 0 for none, becomes the text.
template <class Length>
void replace(SourceChars& chars, const std::string& text, Length length) {
  SourceChars made;
  made.reserve(chars.size());
  for (std::size_t at = 0; at < chars.size();) {
    const std::size_t size = length(std::span(chars).subspan(at));
    if (size == 0) {
      made.push_back(chars[at++]);
      continue;
    }
    append_chars(made, text, span_of(std::span(chars).subspan(at, size)));
    at += size;
  }
  chars = std::move(made);
}

Result<Normalizer> replacer(const Json& part) {
  HL_TRY(const std::string content, text_or(part, "content", "normalizer Replace", ""));
  const Json none = Json::object();
  const Json& pattern = part.contains("pattern") && part.at("pattern").is_object() ? part.at("pattern") : none;
  HL_TRY(const std::string expression, text_or(pattern, "Regex", "normalizer Replace", ""));
  if (expression == " {2,}")
    return step([content](SourceChars& chars) {
      replace(chars, content, [](std::span<const SourceChar> rest) {
        const auto end = std::ranges::find_if(rest, [](const SourceChar& source) { return source.character != ' '; });
        const auto size = static_cast<std::size_t>(end - rest.begin());
        return size < 2 ? 0 : size;
      });
    });
  if (expression == "\\s+")
    return step([content](SourceChars& chars) {
      replace(chars, content, [](std::span<const SourceChar> rest) {
        const auto end =
            std::ranges::find_if(rest, [](const SourceChar& source) { return !is_white(source.character); });
        return static_cast<std::size_t>(end - rest.begin());
      });
    });
  if (!expression.empty())
    return fail("normalizer Replace by the pattern \"{}\" is not one that Headlight reads: give ids",
                brief(expression));
  HL_TRY(const std::string text, text_or(pattern, "String", "normalizer Replace", ""));
  if (text.empty()) return fail("normalizer Replace does not say what it replaces");
  SourceChars sought;
  append_chars(sought, text, {});
  return step([content, sought](SourceChars& chars) {
    replace(chars, content, [&](std::span<const SourceChar> rest) {
      const bool here =
          rest.size() >= sought.size() &&
          std::ranges::equal(rest.first(sought.size()), sought, {}, &SourceChar::character, &SourceChar::character);
      return here ? sought.size() : 0;
    });
  });
}

void clean(SourceChars& chars) {
  std::erase_if(chars, [](const SourceChar& source) {
    const char32_t c = source.character;
    return c == 0 || c == 0xFFFD || (is_other(c) && c != '\t' && c != '\n' && c != '\r');
  });
  for (SourceChar& source : chars)
    if (is_white(source.character)) source.character = ' ';
}

void space_ideographs(SourceChars& chars) {
  SourceChars made;
  made.reserve(chars.size());
  for (const SourceChar& source : chars) {
    const auto [begin, end] = source.from;
    const bool alone = is_ideograph(source.character);
    if (alone) made.push_back({' ', {begin, begin}});
    made.push_back(source);
    if (alone) made.push_back({' ', {end, end}});
  }
  chars = std::move(made);
}

Result<Normalizer> bert_normalizer(const Json& part) {
  const std::string where = "normalizer BertNormalizer";
  HL_TRY(const bool cleans, flag_or(part, "clean_text", where, true));
  HL_TRY(const bool spaces, flag_or(part, "handle_chinese_chars", where, true));
  HL_TRY(const bool lowers, flag_or(part, "lowercase", where, true));
  HL_TRY(const bool strips, flag_or(part, "strip_accents", where, lowers));
  return step([=](SourceChars& chars) {
    if (cleans) clean(chars);
    if (spaces) space_ideographs(chars);
    if (strips) {
      decompose(chars, false);
      drop_marks(chars);
    }
    if (lowers) lower(chars);
  });
}

Result<Normalizer> sequence_of_normalizers(const Json& part) {
  HL_TRY(const auto steps, make_all(part, "normalizers", "normalizer Sequence", &make_normalizer));
  return Normalizer([steps](SourceChars& chars) -> Status {
    for (const Normalizer& each : steps) HL_CHECK(each(chars));
    return {};
  });
}

Result<Normalizer> precompiled(const Json& part) {
  HL_TRY(const std::string text, text_or(part, "precompiled_charsmap", "normalizer Precompiled", ""));
  if (text.empty()) return step([](SourceChars&) {});
  HL_TRY(Precompiled table, Precompiled::read(text));
  return step(
      [table = std::make_shared<const Precompiled>(std::move(table))](SourceChars& chars) { table->normalize(chars); });
}

}  // namespace

Result<Normalizer> make_normalizer(const Json& part) {
  if (part.is_null()) return step([](SourceChars&) {});
  const std::string type = type_of(part);
  if (type == "Sequence") return sequence_of_normalizers(part);
  if (type == "NFC") return step([](SourceChars& chars) { compose(chars, false); });
  if (type == "NFD") return step([](SourceChars& chars) { decompose(chars, false); });
  if (type == "NFKC") return step([](SourceChars& chars) { compose(chars, true); });
  if (type == "NFKD") return step([](SourceChars& chars) { decompose(chars, true); });
  if (type == "Lowercase") return step(lower);
  if (type == "StripAccents") return step(drop_marks);
  if (type == "Replace") return replacer(part);
  if (type == "BertNormalizer") return bert_normalizer(part);
  if (type == "Precompiled") return precompiled(part);
  if (type == "Prepend") {
    HL_TRY(const std::string text, text_or(part, "prepend", "normalizer Prepend", ""));
    return step([text](SourceChars& chars) { prepend(chars, text); });
  }
  if (type == "Strip") {
    HL_TRY(const bool left, flag_or(part, "strip_left", "normalizer Strip", true));
    HL_TRY(const bool right, flag_or(part, "strip_right", "normalizer Strip", true));
    return step([=](SourceChars& chars) { strip(chars, left, right); });
  }
  return fail("normalizer {} is not one that Headlight reads: give ids", type.empty() ? kind_of(part) : brief(type));
}

}  // namespace headlight
