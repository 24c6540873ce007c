#include "engine/tokens/normalizers.h"

#include <utf8proc.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/core/words.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/precompiled.h"
#include "engine/tokens/sequence.h"
#include "engine/tokens/tokenizer_file.h"
#include "engine/tokens/unicode_forms.h"

namespace headlight {

namespace {

template <class Change>
Normalizer step(Change change) {
  return [change = std::move(change)](Signs& signs) -> Status {
    change(signs);
    if (signs.size() > most_signs) return fail("the normalizer makes more than {} characters of the text", most_signs);
    return {};
  };
}

// Character by character, whatever stands beside it: the only one that becomes two is İ.
void lower(Signs& signs) {
  Signs made;
  made.reserve(signs.size());
  for (const Sign& sign : signs) {
    constexpr char32_t dotted_capital_i = 0x130, dot_above = 0x307;
    if (sign.character == dotted_capital_i) {
      made.push_back({'i', sign.from});
      made.push_back({dot_above, sign.from});
    } else {
      made.push_back(
          {static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(sign.character))), sign.from});
    }
  }
  signs = std::move(made);
}

void drop_marks(Signs& signs) {
  std::erase_if(signs, [](const Sign& sign) { return is_nonspacing_mark(sign.character); });
}

void strip(Signs& signs, bool left, bool right) {
  const auto stays = [](const Sign& sign) { return !is_white(sign.character); };
  if (right) signs.erase(std::find_if(signs.rbegin(), signs.rend(), stays).base(), signs.end());
  if (left) signs.erase(signs.begin(), std::ranges::find_if(signs, stays));
}

void prepend(Signs& signs, const std::string& text) {
  if (signs.empty()) return;
  const std::uint32_t at = signs.front().from.begin;
  Signs made;
  append_signs(made, text, {at, at});
  signs.insert(signs.begin(), made.begin(), made.end());
}

// Every run that `length` finds at a place, 0 for none, becomes the text.
template <class Length>
void replace(Signs& signs, const std::string& text, Length length) {
  Signs made;
  made.reserve(signs.size());
  for (std::size_t at = 0; at < signs.size();) {
    const std::size_t size = length(std::span(signs).subspan(at));
    if (size == 0) {
      made.push_back(signs[at++]);
      continue;
    }
    append_signs(made, text, span_of(std::span(signs).subspan(at, size)));
    at += size;
  }
  signs = std::move(made);
}

Result<Normalizer> replacer(const Json& part) {
  HL_TRY(const std::string content, text_or(part, "content", "normalizer Replace", ""));
  const Json none = Json::object();
  const Json& pattern = part.contains("pattern") && part.at("pattern").is_object() ? part.at("pattern") : none;
  HL_TRY(const std::string expression, text_or(pattern, "Regex", "normalizer Replace", ""));
  if (expression == " {2,}")
    return step([content](Signs& signs) {
      replace(signs, content, [](std::span<const Sign> rest) {
        const auto end = std::ranges::find_if(rest, [](const Sign& sign) { return sign.character != ' '; });
        const auto size = static_cast<std::size_t>(end - rest.begin());
        return size < 2 ? 0 : size;
      });
    });
  if (!expression.empty())
    return fail("normalizer Replace by the pattern \"{}\" is not one that Headlight reads: give ids",
                brief(expression));
  HL_TRY(const std::string text, text_or(pattern, "String", "normalizer Replace", ""));
  if (text.empty()) return fail("normalizer Replace does not say what it replaces");
  Signs sought;
  append_signs(sought, text, {});
  return step([content, sought](Signs& signs) {
    replace(signs, content, [&](std::span<const Sign> rest) {
      const bool here = rest.size() >= sought.size() &&
                        std::ranges::equal(rest.first(sought.size()), sought, {}, &Sign::character, &Sign::character);
      return here ? sought.size() : 0;
    });
  });
}

void clean(Signs& signs) {
  std::erase_if(signs, [](const Sign& sign) {
    const char32_t c = sign.character;
    return c == 0 || c == 0xFFFD || (is_other(c) && c != '\t' && c != '\n' && c != '\r');
  });
  for (Sign& sign : signs)
    if (is_white(sign.character)) sign.character = ' ';
}

void space_ideographs(Signs& signs) {
  Signs made;
  made.reserve(signs.size());
  for (const Sign& sign : signs) {
    const auto [begin, end] = sign.from;
    const bool alone = is_ideograph(sign.character);
    if (alone) made.push_back({' ', {begin, begin}});
    made.push_back(sign);
    if (alone) made.push_back({' ', {end, end}});
  }
  signs = std::move(made);
}

Result<Normalizer> bert_normalizer(const Json& part) {
  const std::string where = "normalizer BertNormalizer";
  HL_TRY(const bool cleans, flag_or(part, "clean_text", where, true));
  HL_TRY(const bool spaces, flag_or(part, "handle_chinese_chars", where, true));
  HL_TRY(const bool lowers, flag_or(part, "lowercase", where, true));
  HL_TRY(const bool strips, flag_or(part, "strip_accents", where, lowers));
  return step([=](Signs& signs) {
    if (cleans) clean(signs);
    if (spaces) space_ideographs(signs);
    if (strips) {
      decompose(signs, false);
      drop_marks(signs);
    }
    if (lowers) lower(signs);
  });
}

Result<Normalizer> sequence_of_normalizers(const Json& part) {
  HL_TRY(const auto steps, all_of(part, "normalizers", "normalizer Sequence", &normalizer_of));
  return Normalizer([steps](Signs& signs) -> Status {
    for (const Normalizer& each : steps) HL_CHECK(each(signs));
    return {};
  });
}

Result<Normalizer> precompiled(const Json& part) {
  HL_TRY(const std::string text, text_or(part, "precompiled_charsmap", "normalizer Precompiled", ""));
  if (text.empty()) return step([](Signs&) {});
  HL_TRY(Precompiled table, Precompiled::read(text));
  return step(
      [table = std::make_shared<const Precompiled>(std::move(table))](Signs& signs) { table->normalize(signs); });
}

}  // namespace

Result<Normalizer> normalizer_of(const Json& part) {
  if (part.is_null()) return step([](Signs&) {});
  const std::string type = type_of(part);
  if (type == "Sequence") return sequence_of_normalizers(part);
  if (type == "NFC") return step([](Signs& signs) { compose(signs, false); });
  if (type == "NFD") return step([](Signs& signs) { decompose(signs, false); });
  if (type == "NFKC") return step([](Signs& signs) { compose(signs, true); });
  if (type == "NFKD") return step([](Signs& signs) { decompose(signs, true); });
  if (type == "Lowercase") return step(lower);
  if (type == "StripAccents") return step(drop_marks);
  if (type == "Replace") return replacer(part);
  if (type == "BertNormalizer") return bert_normalizer(part);
  if (type == "Precompiled") return precompiled(part);
  if (type == "Prepend") {
    HL_TRY(const std::string text, text_or(part, "prepend", "normalizer Prepend", ""));
    return step([text](Signs& signs) { prepend(signs, text); });
  }
  if (type == "Strip") {
    HL_TRY(const bool left, flag_or(part, "strip_left", "normalizer Strip", true));
    HL_TRY(const bool right, flag_or(part, "strip_right", "normalizer Strip", true));
    return step([=](Signs& signs) { strip(signs, left, right); });
  }
  return fail("normalizer {} is not one that Headlight reads: give ids", type.empty() ? kind_of(part) : brief(type));
}

}  // namespace headlight
