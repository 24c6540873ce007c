#include "app/lessons/markdown.h"

#include <cmark.h>

#include <algorithm>
#include <memory>

#include "app/formula/formula_tree.h"
#include "engine/base/words.h"
#include "engine/core/utf8.h"

namespace headlight::app {

namespace {

// Each pair of braces and each formula is one character for cmark, of those that nobody writes.
constexpr char32_t first_stand_in = 0xF0000, last_stand_in = 0xFFFFD;

struct Freed {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, Freed>;

// Where "=" says that what was typed is so: behind a number or quoted words, with nothing else before it.
std::optional<std::size_t> find_claim_end(std::string_view text) {
  const auto sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0 || text.substr(sign).starts_with("==")) return {};
  const std::string_view before = trimmed(text.substr(0, sign));
  if (before.empty()) return {};
  if (before.size() > 1 && before.front() == '"' && before.find('"', 1) == before.size() - 1) return sign;
  const auto parsed = Expression::parse(before);
  return parsed && parsed->is_typed_number() ? std::optional(sign) : std::nullopt;
}

// Follows fenced blocks line by line: within them braces are what they are (CommonMark 0.30, section 4.5).
class FencedLines {
 public:
  enum class Line { outside, opens, inside, opens_another, closes };

  Line next(std::string_view line) {
    std::string_view rest = line;
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    const char sign = rest.empty() ? ' ' : rest[0];
    std::size_t count = 0;
    while (count < rest.size() && rest[count] == sign) ++count;
    const bool named = !trimmed(rest.substr(count)).empty();
    const bool fence = (sign == '`' || sign == '~') && count >= 3 && line.size() - rest.size() <= 3;
    const bool may_open = fence && (sign == '~' || rest.find('`', count) == std::string_view::npos);
    if (fence_.empty()) {
      if (!may_open) return Line::outside;
      fence_ = std::string(count, sign);
      return Line::opens;
    }
    if (!fence || sign != fence_[0] || count < fence_.size()) return Line::inside;
    if (named) return may_open ? Line::opens_another : Line::inside;
    fence_.clear();
    return Line::closes;
  }
  bool open() const { return !fence_.empty(); }
  const std::string& signs() const { return fence_; }

 private:
  std::string fence_;
};

class Reading {
 public:
  Reading(MarkdownReader& reader, std::string_view text, LessonPlace from) : reader_(reader), from_(from) {
    std::string replaced;
    std::size_t begin = 0;
    int line = from.line;
    while (begin <= text.size()) {
      const auto end = std::min(text.find('\n', begin), text.size());
      replace(text.substr(begin, end - begin), {line, line == from.line ? from.column : 1}, replaced);
      if (end < text.size()) replaced += '\n';
      begin = end + 1;
      ++line;
    }
    document_.reset(cmark_parse_document(replaced.data(), replaced.size(), CMARK_OPT_DEFAULT));
  }

  cmark_node* document() const { return document_.get(); }
  LessonPlace place_of(cmark_node* node) const {
    return {from_.line + std::max(1, cmark_node_get_start_line(node)) - 1, 1};
  }

  LessonText text_of(cmark_node* block) {
    LessonText text;
    add(cmark_node_first_child(block), text, {});
    return text;
  }

 private:
  struct Marks {
    bool emphasis = false, strong = false;
  };

  void replace(std::string_view line, LessonPlace at, std::string& into) {
    if (fences_.next(line) != FencedLines::Line::outside) {
      into += line;
      return;
    }
    std::size_t i = 0;
    const auto place = [&](std::size_t byte) {
      return LessonPlace{at.line, at.column + characters_before(line, byte)};
    };
    while (i < line.size()) {
      const char c = line[i];
      if (c == '\\' && i + 1 < line.size()) {
        into += line.substr(i, 2);
        i += 2;
      } else if (c == '`') {
        std::size_t count = 1;
        while (i + count < line.size() && line[i + count] == '`') ++count;
        const auto end = line.find(std::string(count, '`'), i + count);
        const auto size = end == std::string_view::npos ? count : end + count - i;
        into += line.substr(i, size);
        i += size;
      } else if (c == '{') {
        const auto end = line.find('}', i);
        if (end == std::string_view::npos) {
          reader_.mistake(place(i), "“}” is missing on this line; a brace that is meant as such is written \\{");
          into += line.substr(i);
          return;
        }
        stand_in(braces(line.substr(i + 1, end - i - 1), place(i + 1)), into);
        i = end + 1;
      } else if (c == '$') {
        const auto end = line.find('$', i + 1);
        if (end == std::string_view::npos) {
          reader_.mistake(place(i),
                          "the second “$” of a formula is missing on this line; a sign of money is written \\$");
          into += line.substr(i);
          return;
        }
        LessonPiece piece;
        piece.kind = LessonPiece::Kind::formula;
        piece.text = line.substr(i + 1, end - i - 1);
        piece.at = place(i);
        if (const auto tree = parse_formula(piece.text); !tree) reader_.mistake(place(i), tree.error().message);
        stand_in(std::move(piece), into);
        i = end + 1;
      } else {
        into += c;
        ++i;
      }
    }
  }

  void stand_in(LessonPiece piece, std::string& into) {
    if (first_stand_in + static_cast<char32_t>(pieces_.size()) > last_stand_in) return;
    append_utf8(into, first_stand_in + static_cast<char32_t>(pieces_.size()));
    pieces_.push_back(std::move(piece));
  }

  LessonPiece braces(std::string_view inside, LessonPlace at) {
    LessonPiece piece;
    piece.at = at;
    const auto column = [&](std::size_t byte) {
      return LessonPlace{at.line, at.column + characters_before(inside, byte)};
    };
    const auto colon = find_colon(inside);
    if (colon != std::string_view::npos) {
      piece.kind = LessonPiece::Kind::link;
      piece.action = LessonLine{std::string(trimmed(inside.substr(0, colon))), at};
      piece.text = trimmed(inside.substr(colon + 1));
      if (piece.text.empty()) reader_.mistake(at, "the words that do this are missing behind the colon");
      return piece;
    }
    piece.kind = LessonPiece::Kind::expression;
    std::size_t begins = 0;
    if (const auto sign = find_claim_end(inside)) {
      piece.kind = LessonPiece::Kind::claim;
      piece.text = trimmed(inside.substr(0, *sign));
      begins = *sign + 1;
    }
    piece.expression = reader_.expression(inside.substr(begins), column(begins));
    return piece;
  }

  // A lesson opens nothing: other pages are for whoever reads it elsewhere.
  static std::string why_no_link(std::string_view url) {
    if (url.starts_with("https://") || url.starts_with("http://") || url.starts_with("mailto:")) return {};
    return fmt::format(
        "“{}” is a link that leads nowhere from a lesson: a page begins with https://, and needs: names "
        "another lesson",
        brief(url));
  }

  void add_words(std::string_view words, const Marks& marks, LessonText& text) {
    while (!words.empty()) {
      const auto step = utf8_step(words);
      const auto number = static_cast<std::size_t>(step.character - first_stand_in);
      if (step.sound && step.character >= first_stand_in && number < pieces_.size()) {
        text.push_back(pieces_[number]);
        text.back().emphasis = marks.emphasis;
        text.back().strong = marks.strong;
      } else {
        if (text.empty() || text.back().kind != LessonPiece::Kind::words || text.back().emphasis != marks.emphasis ||
            text.back().strong != marks.strong) {
          text.emplace_back();
          text.back().emphasis = marks.emphasis;
          text.back().strong = marks.strong;
        }
        text.back().text += words.substr(0, step.size);
      }
      words.remove_prefix(step.size);
    }
  }

  void add(cmark_node* node, LessonText& text, const Marks& marks) {
    for (; node; node = cmark_node_next(node)) {
      Marks inner = marks;
      const char* literal = cmark_node_get_literal(node);
      switch (cmark_node_get_type(node)) {
        case CMARK_NODE_TEXT:
          add_words(literal, marks, text);
          continue;
        case CMARK_NODE_SOFTBREAK:
          add_words(" ", marks, text);
          continue;
        case CMARK_NODE_LINEBREAK:
          add_words("\n", marks, text);
          continue;
        case CMARK_NODE_HTML_INLINE:
          add_words(literal, marks, text);
          continue;
        case CMARK_NODE_CODE: {
          LessonPiece piece;
          piece.kind = LessonPiece::Kind::code;
          piece.text = literal;
          text.push_back(std::move(piece));
          continue;
        }
        case CMARK_NODE_IMAGE: {
          LessonPiece piece;
          piece.kind = LessonPiece::Kind::picture;
          piece.text = cmark_node_get_url(node);
          LessonText about;
          add(cmark_node_first_child(node), about, {});
          for (const auto& words : about) piece.about += words.text;
          piece.at = place_of(node);
          text.push_back(std::move(piece));
          continue;
        }
        case CMARK_NODE_LINK:
          if (const std::string why = why_no_link(cmark_node_get_url(node)); !why.empty())
            reader_.mistake(place_of(node), why);
          break;
        case CMARK_NODE_EMPH:
          inner.emphasis = true;
          break;
        case CMARK_NODE_STRONG:
          inner.strong = true;
          break;
        default:
          break;
      }
      add(cmark_node_first_child(node), text, inner);
    }
  }

  MarkdownReader& reader_;
  LessonPlace from_;
  FencedLines fences_;
  std::vector<LessonPiece> pieces_;
  Document document_;
};

void add_blocks(Reading& reading, cmark_node* node, bool item, std::vector<MarkdownReader::Block>& blocks) {
  using Kind = MarkdownReader::Block::Kind;
  for (; node; node = cmark_node_next(node)) {
    MarkdownReader::Block block;
    block.at = reading.place_of(node);
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        block.kind = Kind::heading;
        block.level = cmark_node_get_heading_level(node);
        block.text = reading.text_of(node);
        break;
      case CMARK_NODE_PARAGRAPH:
        block.kind = item ? Kind::item : Kind::paragraph;
        block.text = reading.text_of(node);
        break;
      case CMARK_NODE_CODE_BLOCK:
        block.kind = Kind::fence;
        block.info = trimmed(cmark_node_get_fence_info(node));
        block.body = cmark_node_get_literal(node);
        break;
      case CMARK_NODE_HTML_BLOCK:  // a comment says nothing to who learns; other HTML is shown as it stands
        if (std::string_view(cmark_node_get_literal(node)).starts_with("<!--")) continue;
        block.kind = Kind::fence;
        block.body = cmark_node_get_literal(node);
        break;
      case CMARK_NODE_THEMATIC_BREAK:
        continue;
      default:
        add_blocks(reading, cmark_node_first_child(node), cmark_node_get_type(node) == CMARK_NODE_ITEM, blocks);
        continue;
    }
    blocks.push_back(std::move(block));
  }
}

}  // namespace

std::optional<LessonMistake> open_fence(std::string_view text, LessonPlace from) {
  FencedLines fences;
  int line = from.line, opened = from.line;
  const auto told = [&](const std::string& where) {
    return LessonMistake{
        {opened, 1},
        fmt::format("the fence that begins here does not end before {}: {} on a line of its own ends it", where,
                    fences.signs())};
  };
  for (const std::string_view said : split_lines(text)) {
    const auto is = fences.next(said);
    if (is == FencedLines::Line::opens) opened = line;
    if (is == FencedLines::Line::opens_another) return told(fmt::format("the next one, in line {}", line));
    ++line;
  }
  if (fences.open()) return told("the text does");
  return {};
}

int characters_before(std::string_view text, std::size_t byte) {
  int count = 0;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++count;
  return count;
}

std::size_t find_colon(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '[' || text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == ']' || text[i] == ')' || text[i] == '}') --depth;
    if (text[i] == ':' && depth <= 0) return i;
  }
  return std::string_view::npos;
}

std::vector<MarkdownReader::Block> MarkdownReader::blocks(std::string_view text, LessonPlace from) {
  Reading reading(*this, text, from);
  std::vector<Block> found;
  add_blocks(reading, cmark_node_first_child(reading.document()), false, found);
  return found;
}

LessonText MarkdownReader::sentence(std::string_view text, LessonPlace from) {
  LessonText words;
  for (auto& block : blocks(text, from)) {
    if (!words.empty()) words.push_back({LessonPiece::Kind::words, " "});
    words.insert(words.end(), block.text.begin(), block.text.end());
    if (block.kind == Block::Kind::fence) words.push_back({LessonPiece::Kind::words, block.body});
  }
  return words;
}

std::optional<LessonExpression> MarkdownReader::expression(std::string_view text, LessonPlace at) {
  auto parsed = Expression::parse(text);
  if (parsed) return LessonExpression{*std::move(parsed), at};
  mistake({at.line, at.column + characters_before(text, parsed.error().at)}, parsed.error().message);
  return {};
}

}  // namespace headlight::app
