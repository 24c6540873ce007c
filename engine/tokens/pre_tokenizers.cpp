#include "engine/tokens/parts.h"

#include <algorithm>
#include <string>

#include "engine/base/words.h"
#include "engine/core/utf8.h"
#include "engine/tokens/characters.h"
#include "engine/tokens/split_patterns.h"
#include "engine/tokens/tokenizer_file.h"

namespace headlight {

namespace {

using Range = std::pair<std::size_t, std::size_t>;

// Every word becomes those that `cut(begin, end, add)` hands to add(begin, end).
template <class Cut>
void cut_words(Words& words, Cut cut) {
  std::vector<Range> made;
  made.reserve(words.words.size());
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin < end) made.emplace_back(begin, end);
  };
  for (const auto& [begin, end] : words.words) cut(begin, end, add);
  words.words = std::move(made);
}

// Every word is written anew by `write(word, is_first, into)`.
template <class Write>
void rewrite_words(Words& words, Write write) {
  SourceChars made;
  made.reserve(words.chars.size() + words.words.size());
  bool first = words.at_start;
  for (auto& [begin, end] : words.words) {
    const auto start = made.size();
    write(std::span<const SourceChar>(words.chars).subspan(begin, end - begin), first, made);
    begin = start;
    end = made.size();
    first = false;
  }
  words.chars = std::move(made);
}

// What becomes of the characters that part words.
enum class Behavior { removed, isolated, with_previous, with_next, contiguous };

constexpr std::pair<const char*, Behavior> behaviors[] = {{"Removed", Behavior::removed},
                                                          {"Isolated", Behavior::isolated},
                                                          {"MergedWithPrevious", Behavior::with_previous},
                                                          {"MergedWithNext", Behavior::with_next},
                                                          {"Contiguous", Behavior::contiguous}};

std::optional<Behavior> behavior_named(const std::string& word) {
  for (const auto& [name, behavior] : behaviors)
    if (word == name) return behavior;
  return std::nullopt;
}

using KindOfCharacter = bool (*)(char32_t);

void split_at(Words& words, KindOfCharacter parts, Behavior behavior) {
  cut_words(words, [&](std::size_t begin, std::size_t end, const auto& add) {
    const auto is_mark = [&](std::size_t i) { return parts(words.chars[i].character); };
    std::size_t from = begin;
    for (std::size_t at = begin + 1; at < end; ++at) {
      const bool before = is_mark(at - 1), here = is_mark(at);
      const bool joined = (!before && !here) || (before && here && behavior == Behavior::contiguous) ||
                          (!before && here && behavior == Behavior::with_previous) ||
                          (before && !here && behavior == Behavior::with_next);
      if (joined) continue;
      if (behavior != Behavior::removed || !before) add(from, at);
      from = at;
    }
    if (behavior != Behavior::removed || !is_mark(end - 1)) add(from, end);
  });
}

PreTokenizer splitter(KindOfCharacter parts, Behavior behavior) {
  return [=](Words& words) { split_at(words, parts, behavior); };
}

void split_by_pattern(Words& words, SplitPattern pattern) {
  cut_words(words, [&](std::size_t begin, std::size_t end, const auto& add) {
    const auto word = std::span<const SourceChar>(words.chars).subspan(begin, end - begin);
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t stop = end_of_piece(pattern, word, at);
      add(begin + at, begin + stop);
      at = stop;
    }
  });
}

// \w+|[^\w\s]+, and what is neither drops out.
void split_by_kind(Words& words) {
  const auto kind = [&](std::size_t i) {
    const char32_t c = words.chars[i].character;
    if (is_word(c)) return 1;
    return is_white(c) ? 0 : 2;
  };
  cut_words(words, [&](std::size_t begin, std::size_t end, const auto& add) {
    for (std::size_t at = begin, stop = begin; at < end; at = stop) {
      while (stop < end && kind(stop) == kind(at)) ++stop;
      if (kind(at) != 0) add(at, stop);
    }
  });
}

void write_bytes(std::span<const SourceChar> word, SourceChars& into) {
  for (const SourceChar& source : word) {
    std::string bytes;
    append_utf8(bytes, source.character);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      into.push_back({letter_of_byte(static_cast<std::uint8_t>(bytes[i])), span_of_byte(source, i)});
  }
}

// Put in where the word begins: it stands for no text.
void insert_text(SourceChars& into, const std::string& text, std::span<const SourceChar> before) {
  const std::uint32_t at = before.front().from.begin;
  append_chars(into, text, {at, at});
}

Result<PreTokenizer> byte_level(const Json& part) {
  HL_TRY(const bool prefixes, flag_or(part, "add_prefix_space", "pre_tokenizer ByteLevel", true));
  HL_TRY(const bool parts, flag_or(part, "use_regex", "pre_tokenizer ByteLevel", true));
  return PreTokenizer([=](Words& words) {
    if (prefixes)
      rewrite_words(words, [](std::span<const SourceChar> word, bool, SourceChars& into) {
        if (word.front().character != ' ') insert_text(into, " ", word);
        into.insert(into.end(), word.begin(), word.end());
      });
    if (parts) split_by_pattern(words, SplitPattern::gpt2);
    rewrite_words(words, [](std::span<const SourceChar> word, bool, SourceChars& into) { write_bytes(word, into); });
  });
}

// Newer files say where ▁ is put in front, older ones whether.
Result<std::string> prepend_scheme(const Json& part) {
  const std::string where = "pre_tokenizer Metaspace";
  if (part.contains("prepend_scheme")) return word_at(part, "prepend_scheme", where, {"always", "first", "never"});
  HL_TRY(const bool prefixes, flag_or(part, "add_prefix_space", where, true));
  return std::string(prefixes ? "always" : "never");
}

Result<PreTokenizer> metaspace(const Json& part) {
  HL_TRY(const std::string scheme, prepend_scheme(part));
  HL_TRY(const bool splits, flag_or(part, "split", "pre_tokenizer Metaspace", true));
  HL_TRY(const std::string text, text_or(part, "replacement", "pre_tokenizer Metaspace", "▁"));
  const Utf8Step mark = utf8_step(text + '\0');
  if (text.empty() || mark.size != text.size())
    return fail("pre_tokenizer Metaspace puts \"{}\" for a space: it must be one character", brief(text));
  return PreTokenizer([=, space = mark.character](Words& words) {
    for (SourceChar& source : words.chars)
      if (source.character == ' ') source.character = space;
    rewrite_words(words, [&](std::span<const SourceChar> word, bool first, SourceChars& into) {
      const bool prefixes = scheme == "always" || (scheme == "first" && first);
      if (prefixes && word.front().character != space) insert_text(into, text, word);
      into.insert(into.end(), word.begin(), word.end());
    });
    if (!splits) return;
    cut_words(words, [&](std::size_t begin, std::size_t end, const auto& add) {
      for (std::size_t at = begin, stop = begin; at < end; at = stop) {
        ++stop;
        while (stop < end && words.chars[stop].character != space) ++stop;
        add(at, stop);
      }
    });
  });
}

Result<PreTokenizer> split(const Json& part) {
  const Json none = Json::object();
  const Json& pattern = part.contains("pattern") && part.at("pattern").is_object() ? part.at("pattern") : none;
  HL_TRY(const std::string expression, text_or(pattern, "Regex", "pre_tokenizer Split", ""));
  HL_TRY(const std::string behavior, text_or(part, "behavior", "pre_tokenizer Split", "Isolated"));
  if (!behavior_named(behavior))
    return fail("pre_tokenizer Split {} is not one that Headlight reads: give ids", brief(behavior));
  HL_TRY(const bool inverted, flag_or(part, "invert", "pre_tokenizer Split", false));
  HL_TRY(const std::string text, text_or(pattern, "String", "pre_tokenizer Split", ""));
  if (text == " ") return splitter([](char32_t c) { return c == ' '; }, *behavior_named(behavior));
  const auto known = pattern_of(expression);
  if (known == SplitPattern::clip && behavior == "Removed" && inverted)  // what the pattern finds stays
    return PreTokenizer([](Words& words) {
      split_by_pattern(words, SplitPattern::clip);
      std::erase_if(words.words, [&](const Range& word) { return is_white(words.chars[word.first].character); });
    });
  if (!known)
    return fail("pre_tokenizer Split by the pattern {} is not one that Headlight reads: give ids",
                expression.empty() ? kind_of(pattern) : fmt::format("\"{}\"", brief(expression)));
  if (behavior != "Isolated" || inverted || known == SplitPattern::clip)
    return fail("pre_tokenizer Split {}{} is not one that Headlight reads: give ids", brief(behavior),
                inverted ? ", inverted," : "");
  return PreTokenizer([pattern = *known](Words& words) { split_by_pattern(words, pattern); });
}

Result<PreTokenizer> punctuation(const Json& part) {
  HL_TRY(const std::string word, text_or(part, "behavior", "pre_tokenizer Punctuation", "Isolated"));
  const auto behavior = behavior_named(word);
  if (!behavior) return fail("pre_tokenizer Punctuation {} is not one that Headlight reads: give ids", brief(word));
  return splitter(is_bert_punctuation, *behavior);
}

Result<PreTokenizer> sequence(const Json& part) {
  HL_TRY(const auto steps, make_all(part, "pretokenizers", "pre_tokenizer Sequence", &make_pre_tokenizer));
  return PreTokenizer([steps](Words& words) {
    for (const PreTokenizer& step : steps) step(words);
  });
}

}  // namespace

Result<PreTokenizer> make_pre_tokenizer(const Json& part) {
  if (part.is_null()) return PreTokenizer([](Words&) {});
  const std::string type = type_of(part);
  if (type == "Sequence") return sequence(part);
  if (type == "ByteLevel") return byte_level(part);
  if (type == "Metaspace") return metaspace(part);
  if (type == "Split") return split(part);
  if (type == "Punctuation") return punctuation(part);
  if (type == "WhitespaceSplit") return splitter(is_white, Behavior::removed);
  if (type == "Whitespace") return PreTokenizer(split_by_kind);
  if (type == "BertPreTokenizer")
    return PreTokenizer([](Words& words) {
      split_at(words, is_white, Behavior::removed);
      split_at(words, is_bert_punctuation, Behavior::isolated);
    });
  if (type == "Digits") {
    HL_TRY(const bool alone, flag_or(part, "individual_digits", "pre_tokenizer Digits", false));
    return splitter(is_number, alone ? Behavior::isolated : Behavior::contiguous);
  }
  return fail("pre_tokenizer {} is not one that Headlight reads: give ids", type.empty() ? kind_of(part) : brief(type));
}

bool is_byte_level(const Json& part) {
  if (type_of(part) == "ByteLevel") return true;
  return part.is_object() && part.contains("pretokenizers") && part.at("pretokenizers").is_array() &&
         std::ranges::any_of(part.at("pretokenizers"), is_byte_level);
}

}  // namespace headlight
