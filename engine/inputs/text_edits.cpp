#include "engine/inputs/text_edits.h"

#include <algorithm>
#include <vector>

#include "engine/core/utf8.h"
#include "engine/core/words.h"

namespace headlight {

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

Result<std::string> with_tokens_put(std::string_view text, TextSplit split, Index at, std::string_view words) {
  TextPieces pieces = pieces_of(text, split), put = pieces_of(words, split);
  HL_CHECK(check_place(pieces, at, 0, last_of(pieces) + 1));
  if (put.list.empty()) return fail("\"{}\" holds no token", brief(words));
  for (TextPiece& piece : put.list) piece.from = piece.was_first ? -1 : -2;
  pieces.list.insert(pieces.list.begin() + at, put.list.begin(), put.list.end());
  return text_of(pieces, split, text);
}

}  // namespace headlight
