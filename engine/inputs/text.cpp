#include "engine/inputs/text.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "engine/base/words.h"
#include "engine/core/random.h"
#include "engine/core/utf8.h"

namespace headlight {

std::optional<TextSplit> tokenizer_by_name(std::string_view name) {
  if (name == "words") return TextSplit::words;
  if (name == "characters") return TextSplit::characters;
  if (name == "bytes") return TextSplit::bytes;
  if (name == "whitespace") return TextSplit::whitespace;
  return std::nullopt;
}

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr char32_t enclosing_keycap = 0x20E3;             // makes one sign of a digit

// Closed-class words of six languages, lower case: what the "function words" flag of an embedding means.
constexpr std::string_view function_words =
    // English
    "a an the and or but if because as until while of at by for with about into through before after to from in "
    "out on off over under then than so not no nor this that these those is are was were be been being am do does "
    "did has have had i you he she it we they me him her us them my your his its our their who which what when "
    "where how will would can could should may might must there here very too just "
    // Russian
    "и в во на не что он она оно они я ты мы вы с со а но как это этот эта к по из за от о об у до для же бы был "
    "была было были или если потому когда где его её их под над при так то та тот "
    // German
    "der die das den dem des ein eine einen einem einer und oder aber weil wenn als auf aus bei mit nach von zu "
    "zum zur im am um für ist war sind nicht er sie es wir ihr ich du sich dass "
    // French
    "le la les un une des du de et ou mais car parce que qui dans sur sous avec pour par est était sont ne pas il "
    "elle ils elles je tu nous vous ce cette au aux "
    // Spanish
    "el los las uno una y o pero porque en con sin por para sobre es era son no lo se su al del "
    // Greek
    "ο η το οι τα του της των τον την ένας μία μια ένα και ή αλλά γιατί επειδή αν στο στη στην στον με για από σε "
    "είναι ήταν δεν να θα που ότι";

enum class Sort { space, letter, ideograph, joiner, invisible, sign };

// Ideographs and kana stand for themselves; they are not run together into one token.
bool is_ideograph(utf8proc_int32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

Sort sort_of(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Sort::space;
    case UTF8PROC_CATEGORY_CF:  // a byte order mark and a zero-width space part words; soft hyphens do not
      return c == 0xFEFF || c == 0x200B ? Sort::space : Sort::invisible;
    case UTF8PROC_CATEGORY_CC:
      return c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == 0x85 ? Sort::space : Sort::sign;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return is_ideograph(c) ? Sort::ideograph : Sort::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Sort::letter;
    default:
      return c == '\'' || c == 0x2019 || c == '-' || c == 0x2010 || c == 0x2011 ? Sort::joiner : Sort::sign;
  }
}

// One extended grapheme cluster of the input.
struct Cluster {
  std::string text;
  std::size_t begin = 0;
  std::size_t end = 0;
  Sort sort = Sort::sign;
};

// Bytes that are not UTF-8: how many, and where the first stands.
struct BadBytes {
  std::size_t count = 0;
  std::size_t first = 0;
};

std::vector<Cluster> clusters_of(std::string_view text, BadBytes& bad) {
  std::vector<Cluster> clusters;
  GraphemeBreaks breaks;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (!step.sound && bad.count++ == 0) bad.first = at;
    if (breaks.begins(step.character))
      clusters.push_back({{}, at, at, sort_of(static_cast<utf8proc_int32_t>(step.character))});
    Cluster& cluster = clusters.back();
    cluster.text += step.sound ? text.substr(at, step.size) : replacement;
    if (step.character == enclosing_keycap) cluster.sort = Sort::sign;
    cluster.end = at += step.size;
  }
  return clusters;
}

void append(Token& token, const Cluster& cluster) {
  token.text += cluster.text;
  token.end = cluster.end;
}

std::vector<Token> words_of(const std::vector<Cluster>& clusters) {
  std::vector<Token> tokens;
  bool in_word = false;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Cluster& c = clusters[i];
    const bool may_join = c.sort == Sort::joiner || c.sort == Sort::invisible;
    const bool joins = may_join && in_word && i + 1 < clusters.size() && clusters[i + 1].sort == Sort::letter;
    if (in_word && (c.sort == Sort::letter || joins)) {
      append(tokens.back(), c);
      continue;
    }
    in_word = c.sort == Sort::letter;
    if (c.sort != Sort::space && c.sort != Sort::invisible) tokens.push_back({c.text, c.begin, c.end});
  }
  return tokens;
}

std::vector<Token> runs_between_spaces(const std::vector<Cluster>& clusters) {
  std::vector<Token> tokens;
  bool in_run = false;
  for (const Cluster& c : clusters) {
    if (c.sort != Sort::space && in_run) append(tokens.back(), c);
    if (c.sort != Sort::space && !in_run) tokens.push_back({c.text, c.begin, c.end});
    in_run = c.sort != Sort::space;
  }
  return tokens;
}

std::vector<Token> bytes_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool printable = byte >= 0x20 && byte < 0x7F;
    tokens.push_back({printable ? std::string(1, text[i]) : fmt::format("{:02x}", byte), i, i + 1});
  }
  return tokens;
}

bool is_punctuation(std::string_view text) {
  BadBytes bad;
  const auto clusters = clusters_of(text, bad);
  return !clusters.empty() &&
         std::ranges::all_of(clusters, [](const Cluster& c) { return c.sort == Sort::sign || c.sort == Sort::joiner; });
}

// A vector of length identity_size that is the word's own. Its first 7 channels, its first 15, and so on have their
// share of the length exactly, so that heads that read no more of it find all words equally long.
void write_identity(std::string_view word, std::uint64_t seed, Index width, float* out) {
  if (word == start_token_text) return;  // it is no word
  Random random(seed, "token:" + case_folded(word));
  Index done = 0;
  for (Index upto = 7; done < width; upto = 2 * upto + 1) {
    const Index end = std::min(upto, width);
    std::vector<double> part(static_cast<std::size_t>(end - done));
    double square = 0;
    for (double& x : part) {
      x = random.normal();
      square += x * x;
    }
    const double length = identity_size * std::sqrt(static_cast<double>(end - done) / static_cast<double>(width));
    for (const double x : part) out[done++] = static_cast<float>(x * length / std::sqrt(square));
  }
}

}  // namespace

bool is_function_word(std::string_view word) {
  static const auto known = [] {
    std::unordered_set<std::string_view> words;
    for (std::string_view rest = function_words; !rest.empty();) {
      const auto end = std::min(rest.find(' '), rest.size());
      words.insert(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
  }();
  return known.contains(case_folded(word));
}

bool same_word(std::string_view a, std::string_view b, const Meanings& meanings) {
  return meaning_of(a, meanings) == meaning_of(b, meanings);
}

std::string word_folded(std::string_view text) {
  return case_folded(text);
}

bool is_padding(std::string_view token) {
  constexpr std::array names{"<pad>", "[PAD]", "<PAD>", "[pad]", "<|pad|>", "<|padding|>", "<blank>", "<|PAD_TOKEN|>"};
  return std::ranges::find(names, token) != names.end();
}

SplitText tokenize(std::string_view text, TextSplit tokenizer, bool start_token) {
  SplitText result;
  BadBytes bad;
  if (tokenizer == TextSplit::bytes) {
    result.tokens = bytes_of(text);
  } else {
    const auto clusters = clusters_of(text, bad);
    if (tokenizer == TextSplit::words) result.tokens = words_of(clusters);
    if (tokenizer == TextSplit::whitespace) result.tokens = runs_between_spaces(clusters);
    if (tokenizer == TextSplit::characters)
      for (const Cluster& c : clusters) result.tokens.push_back({c.text, c.begin, c.end});
  }
  if (bad.count == 1)
    result.warnings.push_back(fmt::format("byte {} of the text is not UTF-8: shown as U+FFFD", bad.first));
  if (bad.count > 1)
    result.warnings.push_back(fmt::format(
        "{} bytes of the text are not UTF-8, the first at byte {}: each is shown as U+FFFD", bad.count, bad.first));
  if (start_token) result.tokens.insert(result.tokens.begin(), Token{std::string(start_token_text), 0, 0});
  return result;
}

TextChannels text_channels(Index d_model) {
  TextChannels channels;
  if (d_model < 16) {  // too narrow for anything but the token itself
    channels.width = d_model;
    return channels;
  }
  const Index quarter = d_model / 4;
  channels.flags = 2 * quarter - 4;
  channels.position_pairs = channels.flags / 2;
  channels.identity = 2 * quarter;
  channels.previous = 3 * quarter;
  channels.width = quarter - 1;
  channels.constant = 3 * quarter - 1;
  channels.first = 4 * quarter - 1;
  channels.has_previous = true;
  return channels;
}

Tensor embed(const std::vector<Token>& tokens, Index d_model, std::uint64_t seed, const Meanings& meanings) {
  const auto n = static_cast<Index>(tokens.size());
  const TextChannels channels = text_channels(d_model);
  Tensor x({1, n, d_model});
  for (Index i = 0; i < n; ++i) {
    const std::string& word = tokens[static_cast<std::size_t>(i)].text;
    float* row = x.data() + i * d_model;
    write_identity(meaning_of(word, meanings), seed, channels.width, row + channels.identity);
    if (channels.flags < 0) continue;
    const bool start = word == start_token_text;
    row[channels.flags] = !start && is_punctuation(word) ? flag_size : 0;
    row[channels.flags + 1] = start ? flag_size : 0;
    row[channels.flags + 2] = is_function_word(word) ? flag_size : 0;
    row[channels.flags + 3] = flag_size;
    row[channels.constant] = identity_size;
  }
  return x;
}

void write_previous_token(Tensor& x, const std::vector<Token>& tokens, std::uint64_t seed, const Meanings& meanings) {
  const Index d_model = x.dim(-1);
  const TextChannels channels = text_channels(d_model);
  if (!channels.has_previous || x.dim(-2) == 0) return;
  x[channels.first] = identity_size;
  for (Index i = 1; i < x.dim(-2); ++i)
    write_identity(meaning_of(tokens[static_cast<std::size_t>(i - 1)].text, meanings), seed, channels.width,
                   x.data() + i * d_model + channels.previous);
}

std::vector<ChannelGroup> text_channel_groups(Index d_model, bool word_before) {
  const TextChannels at = text_channels(d_model);
  if (at.flags < 0) return {{0, at.width, "which word", "the same for the same word"}};
  std::vector<ChannelGroup> groups;
  if (at.flags > 0) groups.push_back({0, at.flags, "which place", "kept 0: a place is added later"});
  groups.push_back({at.flags, 4, "marks", "kind of word"});
  groups.push_back({at.identity, at.constant + 1 - at.identity, "which word", "the same for the same word"});
  if (word_before)
    groups.push_back({at.previous, at.first + 1 - at.previous, "the word before", "noted by an earlier layer"});
  return groups;
}

std::string text_channels_in_words(Index d_model, bool word_before) {
  const TextChannels at = text_channels(d_model);
  std::string words = fmt::format(
      "A sentence is cut into tokens. Each becomes a vector: a row of {} numbers, one in each channel. They say which "
      "word it is, the same numbers for the same word",
      d_model);
  if (at.flags < 0) return words + ".";
  const auto channels = [](Index first, Index count) { return fmt::format("{} to {}", first, first + count - 1); };
  words += fmt::format(" ({}), and what kind of word ({})", channels(at.identity, at.width), channels(at.flags, 4));
  if (word_before)
    words += fmt::format(
        ". They also say which word stood before ({}), as an earlier layer would note it that knows the order",
        channels(at.previous, at.width));
  words += ". ";
  if (at.flags > 0) words += fmt::format("Channels {} are kept 0 for places. ", channels(0, at.flags));
  words += fmt::format("Channel {} is {} in every token", at.constant, identity_size);
  return words + (word_before ? fmt::format(", channel {} in the first alone.", at.first) : ", and the others are 0.");
}

namespace {

// A token with what stands before it.
struct TextPiece {
  std::string before, raw;
  std::string shown;       // as tokenize() has it
  Index from = -1;         // where it stood; −1: it is new
  bool was_first = false;  // nothing parted it from a token before
};

struct TextPieces {
  std::vector<TextPiece> list;
  std::string after;  // the last token
};

TextPieces pieces_of(std::string_view text, TextSplit split) {
  TextPieces pieces;
  std::size_t end = 0;
  for (const Token& token : tokenize(text, split, false).tokens) {
    const auto place = static_cast<Index>(pieces.list.size());
    pieces.list.push_back({std::string(text.substr(end, token.begin - end)),
                           std::string(text.substr(token.begin, token.end - token.begin)), token.text, place,
                           place == 0});
    end = token.end;
  }
  pieces.after = text.substr(end);
  return pieces;
}

// What every token of a kind can be parted by; characters and bytes need nothing.
const char* space_of(TextSplit split) {
  return split == TextSplit::words || split == TextSplit::whitespace ? " " : "";
}

bool follows(const TextPiece& one, const TextPiece& next) {
  return one.from >= 0 && next.from == one.from + 1;
}

// `apart`: tokens that did not follow each other before are parted by a space, whatever stood before them.
std::string joined(const TextPieces& pieces, TextSplit split, bool apart) {
  std::string text;
  for (std::size_t i = 0; i < pieces.list.size(); ++i) {
    const TextPiece& piece = pieces.list[i];
    if (i == 0)
      text += piece.was_first ? piece.before : "";
    else if (follows(pieces.list[i - 1], piece) || (!apart && !piece.was_first))
      text += piece.before;
    else
      text += space_of(split);
    text += piece.raw;
  }
  return text + pieces.after;
}

// The text that splits into these pieces, and is UTF-8 where it was before.
Result<std::string> text_of(const TextPieces& pieces, TextSplit split, std::string_view before) {
  for (const bool apart : {false, true}) {
    std::string text = joined(pieces, split, apart);
    const SplitText now = tokenize(text, split, false);
    const auto same = [](const Token& token, const TextPiece& piece) { return token.text == piece.shown; };
    if ((is_utf8(text) || !is_utf8(before)) && std::ranges::equal(now.tokens, pieces.list, same)) return text;
  }
  return fail("the text would not be split there: its tokens would be others than those asked for");
}

Status check_place(const TextPieces& pieces, Index at, Index least, Index most) {
  if (at >= least && at <= most) return {};
  if (pieces.list.empty()) return fail("the text has no tokens");
  return fail("there is no token {}: the text has {}", at, pieces.list.size());
}

Index last_of(const TextPieces& pieces) {
  return static_cast<Index>(pieces.list.size()) - 1;
}

}  // namespace

Result<std::string> with_token_moved(std::string_view text, TextSplit split, Index from, Index to) {
  TextPieces pieces = pieces_of(text, split);
  HL_CHECK(check_place(pieces, from, 0, last_of(pieces)));
  HL_CHECK(check_place(pieces, to, 0, last_of(pieces)));
  const auto begin = pieces.list.begin();
  if (from < to)
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  else
    std::rotate(begin + to, begin + from, begin + from + 1);
  return text_of(pieces, split, text);
}

Result<std::string> with_token_doubled(std::string_view text, TextSplit split, Index at) {
  TextPieces pieces = pieces_of(text, split);
  HL_CHECK(check_place(pieces, at, 0, last_of(pieces)));
  TextPiece copy = pieces.list[static_cast<std::size_t>(at)];
  copy.from = -1;
  pieces.list.insert(pieces.list.begin() + at + 1, std::move(copy));
  return text_of(pieces, split, text);
}

Result<std::string> without_token(std::string_view text, TextSplit split, Index at) {
  TextPieces pieces = pieces_of(text, split);
  HL_CHECK(check_place(pieces, at, 0, last_of(pieces)));
  pieces.list.erase(pieces.list.begin() + at);
  return text_of(pieces, split, text);
}

Result<std::string> with_tokens_inserted(std::string_view text, TextSplit split, Index at, std::string_view words) {
  TextPieces pieces = pieces_of(text, split), put = pieces_of(words, split);
  HL_CHECK(check_place(pieces, at, 0, last_of(pieces) + 1));
  if (put.list.empty()) return fail("\"{}\" holds no token", brief(words));
  for (TextPiece& piece : put.list) piece.from = piece.was_first ? -1 : -2;
  pieces.list.insert(pieces.list.begin() + at, put.list.begin(), put.list.end());
  return text_of(pieces, split, text);
}

}  // namespace headlight
