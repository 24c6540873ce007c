#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/base/words.h"
#include "engine/expressions/node.h"

namespace headlight {

namespace {

constexpr std::array function_words{"min", "max",  "sum", "mean", "argmax", "argmin",
                                    "abs", "sqrt", "exp", "log",  "norm",   "entropy"};
constexpr int deepest = 64;  // of brackets within brackets

bool is_function(std::string_view word) {
  return std::ranges::find(function_words, word) != function_words.end();
}
// Letters of any script: all bytes of what is not ASCII.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Signs that are no letters, though they are not ASCII: the minus, the times, comparisons.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> other_signs{
    {{"−", "-"}, {"·", "*"}, {"×", "*"}, {"≤", "<="}, {"≥", ">="}}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  ExpressionResult<NodePointer> whole() {
    skip();
    if (at_ == text_.size()) return wrong_at(0, "an expression is missing, such as max weights[h3, q9]");
    EXPR_TRY(NodePointer node, parse_or());
    skip();
    const auto digit = [&](std::size_t at) { return at < text_.size() && is_digit(text_[at]); };
    if (here() == ',' && at_ > 0 && digit(at_ - 1) && digit(at_ + 1))
      return wrong_at(at_, "a number has a point, not a comma: 0.02");
    if (at_ < text_.size())
      return wrong_at(at_, "the expression ends before “{}”: put an operator between, such as + or <",
                      brief(text_.substr(at_)));
    return node;
  }

 private:
  using Parsed = ExpressionResult<NodePointer>;

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  // Takes an operator that stands here, by its ASCII or its mathematical sign.
  bool take(std::string_view sign) {
    skip();
    for (const auto& [shown, meant] : other_signs)
      if (meant == sign && starts(shown)) return at_ += shown.size(), true;
    if (!starts(sign)) return false;
    // "<" is not the beginning of "<=".
    if ((sign == "<" || sign == ">") && next() == '=') return false;
    return at_ += sign.size(), true;
  }
  // The one of two that stands here; null where neither does.
  const char* take_either(const char* one, const char* other) {
    if (take(one)) return one;
    return take(other) ? other : nullptr;
  }
  bool sign_begins() const {
    return std::ranges::any_of(other_signs, [&](const auto& sign) { return starts(sign.first); });
  }
  std::string_view peek_word() {
    skip();
    std::size_t end = at_;
    if (end < text_.size() && is_letter(text_[end]) && !sign_begins())
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) {
        const std::size_t before = at_;
        at_ = end;
        const bool sign = sign_begins();
        at_ = before;
        if (sign) break;
        ++end;
      }
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view word) {
    if (peek_word() != word) return false;
    return at_ += word.size(), true;
  }

  static std::shared_ptr<ExpressionNode> node(ExpressionNode::Kind kind, std::size_t at) {
    auto made = std::make_shared<ExpressionNode>();
    made->kind = kind;
    made->at = at;
    return made;
  }
  static NodePointer binary_node(std::size_t at, std::string word, NodePointer a, NodePointer b) {
    auto made = node(ExpressionNode::Kind::binary, at);
    made->word = std::move(word);
    made->children = {std::move(a), std::move(b)};
    return made;
  }

  Parsed parse_or() {
    EXPR_TRY(NodePointer left, parse_and());
    while (peek_word() == "or") {
      const auto at = at_;
      at_ += 2;
      EXPR_TRY(NodePointer right, parse_and());
      left = binary_node(at, "or", left, right);
    }
    return left;
  }
  Parsed parse_and() {
    EXPR_TRY(NodePointer left, parse_not());
    while (peek_word() == "and") {
      const auto at = at_;
      at_ += 3;
      EXPR_TRY(NodePointer right, parse_not());
      left = binary_node(at, "and", left, right);
    }
    return left;
  }
  Parsed parse_not() {
    if (peek_word() != "not") return comparison();
    auto made = node(ExpressionNode::Kind::unary, at_);
    at_ += 3;
    made->word = "not";
    EXPR_TRY(NodePointer of, parse_not());
    made->children = {std::move(of)};
    return made;
  }
  Parsed comparison() {
    skip();
    auto made = node(ExpressionNode::Kind::comparison, at_);
    EXPR_TRY(NodePointer first, sum());
    made->children = {first};
    for (;;) {
      std::string_view found;
      skip();
      const auto at = at_;
      for (const std::string_view sign : {"<=", ">=", "!=", "==", "=", "<", ">"})
        if (take(sign)) {
          found = sign;
          break;
        }
      if (found.empty() && starts("≠")) {
        at_ += std::string_view("≠").size();
        found = "!=";
      }
      if (found.empty()) break;
      if (made->words.empty()) made->at = at;
      EXPR_TRY(NodePointer right, sum());
      made->words.emplace_back(found == "==" ? "=" : found);
      made->children.push_back(std::move(right));
    }
    return made->words.empty() ? Parsed(first) : Parsed(made);
  }
  Parsed sum() {
    EXPR_TRY(NodePointer left, product());
    for (;;) {
      skip();
      const auto at = at_;
      const char* sign = take_either("+", "-");
      if (!sign) return left;
      EXPR_TRY(NodePointer right, product());
      left = binary_node(at, sign, left, right);
    }
  }
  Parsed product() {
    EXPR_TRY(NodePointer left, signed_power());
    for (;;) {
      skip();
      const auto at = at_;
      const char* sign = take_either("*", "/");
      if (!sign) return left;
      EXPR_TRY(NodePointer right, signed_power());
      left = binary_node(at, sign, left, right);
    }
  }
  Parsed signed_power() {
    skip();
    const auto at = at_;
    if (++depth_ > deepest)
      return wrong_at(at_, "brackets and signs lie more than {} deep: say it more simply", deepest);
    Parsed made = [&]() -> Parsed {
      if (take("-")) {
        auto minus = node(ExpressionNode::Kind::unary, at);
        minus->word = "-";
        EXPR_TRY(NodePointer of, signed_power());
        minus->children = {std::move(of)};
        return minus;
      }
      EXPR_TRY(NodePointer base, applied());
      skip();
      const auto sign = at_;
      if (!take("^")) return base;
      EXPR_TRY(NodePointer power, signed_power());
      return binary_node(sign, "^", base, power);
    }();
    --depth_;
    return made;
  }
  Parsed applied() {
    const auto word = peek_word();
    if (!is_function(word)) return indexed();
    if (++depth_ > deepest)
      return wrong_at(at_, "brackets and signs lie more than {} deep: say it more simply", deepest);
    auto made = node(ExpressionNode::Kind::apply, at_);
    made->word = word;
    at_ += word.size();
    EXPR_TRY(NodePointer of, applied());
    made->children = {std::move(of)};
    if (take_word("over")) {
      made->over = peek_word();
      if (made->over.empty()) return wrong_at(at_, "an axis follows “over”, such as “over k”");
      at_ += made->over.size();
    }
    --depth_;
    return made;
  }
  Parsed indexed() {
    EXPR_TRY(NodePointer of, primary());
    while (here() == '[') {
      auto made = node(ExpressionNode::Kind::indexed, at_++);
      made->children = {std::move(of)};
      do {
        EXPR_TRY(IndexRange range, one_range());
        made->ranges.push_back(std::move(range));
      } while (take(","));
      if (!take("]")) return wrong_at(at_, "“]” is missing after the places in brackets");
      of = made;
    }
    return of;
  }
  ExpressionResult<IndexRange> one_range() {
    IndexRange range;
    skip();
    range.first.at = at_;
    if (take(":")) {
      range.range = range.open_first = true;
    } else {
      EXPR_TRY(range.first, item());
      if (!take(":")) return range;
      range.range = true;
    }
    skip();
    range.last.at = at_;
    if (here() == ',' || here() == ']') {
      range.open_last = true;
      return range;
    }
    EXPR_TRY(range.last, item());
    return range;
  }
  ExpressionResult<IndexItem> item() {
    skip();
    IndexItem item;
    item.at = at_;
    const char c = here();
    if (c == '(') {
      item.kind = IndexItem::Kind::computed;
      EXPR_TRY(item.computed, primary());
      return item;
    }
    if (c == '"') {
      item.kind = IndexItem::Kind::token;
      EXPR_TRY(item.token, quoted());
      EXPR_TRY(item.nth, occurrence());
      return item;
    }
    const bool minus = take("-");
    if (is_digit(here())) {
      item.kind = IndexItem::Kind::numbered;
      EXPR_TRY(const Index number, whole_number());
      item.position = minus ? -number : number;
      return item;
    }
    const auto word = peek_word();
    if (minus || word.empty())
      return wrong_at(
          at_, "a place is missing here: h3 (head), q9 (query), k3 (key), c5 (channel), a number, a token, or :");
    at_ += word.size();
    // h3 is a head; a token of that name stands in quotes.
    if (word.size() > 1 && std::string_view("bhqkc").find(word[0]) != std::string_view::npos &&
        std::ranges::all_of(word.substr(1), is_digit)) {
      item.kind = IndexItem::Kind::lettered;
      item.letter = word[0];
      if (word.size() > 10) return wrong_at(item.at, "{} is further than any axis is long", brief(word));
      item.position = std::atoll(std::string(word.substr(1)).c_str());
      return item;
    }
    item.kind = IndexItem::Kind::token;
    item.token = word;
    EXPR_TRY(item.nth, occurrence());
    return item;
  }

  // "#2" behind a token: the second of its name; 0 where nothing stands there.
  ExpressionResult<int> occurrence() {
    if (here() != '#') return 0;
    const auto at = at_++;
    if (!is_digit(here())) return wrong_at(at, "a number follows #: \"cat\"#2 is the second “cat”");
    EXPR_TRY(const Index number, whole_number());
    if (number < 1 || number > 1'000'000)
      return wrong_at(at, "tokens of one name are counted from 1: \"cat\"#1 is the first");
    return static_cast<int>(number);
  }
  ExpressionResult<Index> whole_number() {
    const auto at = at_;
    while (is_digit(here())) ++at_;
    if (at_ - at > 9) return wrong_at(at, "{} is further than any axis is long", brief(text_.substr(at, at_ - at)));
    return static_cast<Index>(std::atoll(std::string(text_.substr(at, at_ - at)).c_str()));
  }
  ExpressionResult<std::string> quoted() {
    const auto end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) return wrong_at(at_, "the closing \" is missing");
    std::string text(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }

  Parsed typed_number() {
    auto made = node(ExpressionNode::Kind::number, at_);
    const auto begin = at_;
    while (is_digit(here())) ++at_;
    int decimals = 0;
    if (here() == '.' && is_digit(next()))
      for (++at_; is_digit(here()); ++at_) ++decimals;
    if (here() == 'e' || here() == 'E') {
      std::size_t end = at_ + 1;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      if (end < text_.size() && is_digit(text_[end])) {
        const auto power = end;
        while (end < text_.size() && is_digit(text_[end])) ++end;
        if (end - power > 3) return wrong_at(begin, "a number as large or small as that cannot be held");
        decimals -= std::atoi(std::string(text_.substr(at_ + 1, end - at_ - 1)).c_str());
        at_ = end;
      }
    }
    if (is_letter(here()) && !sign_begins())
      return wrong_at(begin, "“{}” is neither a number nor a name", brief(text_.substr(begin, at_ - begin + 1)));
    const std::string digits(text_.substr(begin, at_ - begin));
    made->number = {std::strtod(digits.c_str(), nullptr), std::max(0, decimals)};
    if (!std::isfinite(made->number.number))
      return wrong_at(begin, "{} is larger than any number that can be held", brief(digits));
    return made;
  }

  Parsed primary() {
    skip();
    const auto at = at_;
    const char c = here();
    if (is_digit(c) || (c == '.' && is_digit(next()))) return typed_number();
    if (c == '"') {
      auto made = node(ExpressionNode::Kind::text, at);
      EXPR_TRY(made->word, quoted());
      EXPR_TRY(made->nth, occurrence());
      if (made->nth) made->kind = ExpressionNode::Kind::token;
      return made;
    }
    if (c == '(') {
      ++at_;
      auto group = node(ExpressionNode::Kind::group, at);
      do {
        EXPR_TRY(NodePointer of, nested());
        group->children.push_back(std::move(of));
      } while (take(","));
      if (!take(")")) return wrong_at(at_, "“)” is missing");
      if (group->children.size() == 1) return group->children[0];
      return group;
    }
    const auto word = peek_word();
    if (word.empty() || word == "and" || word == "or" || word == "over")
      return c == '\0'
                 ? wrong_at(at, "the expression ends too soon: a number, a step or a function follows")
                 : wrong_at(at, "“{}” is no beginning of a number, a step or a function", brief(text_.substr(at)));
    auto made = node(ExpressionNode::Kind::name, at);
    at_ += word.size();
    made->word = word;
    // A point leads into a run: without.weights; steps of layers have a stroke: layer3/weights.
    while ((here() == '.' || here() == '/') && is_letter(next())) {
      const char between = here();
      ++at_;
      const auto behind = peek_word();
      at_ += behind.size();
      if (between == '/') {
        made->word += "/" + std::string(behind);
      } else {
        made->run += (made->run.empty() ? "" : ".") + made->word;
        made->word = behind;
      }
    }
    EXPR_TRY(made->nth, occurrence());
    if (made->nth) made->kind = ExpressionNode::Kind::token;
    return made;
  }
  Parsed nested() {
    if (++depth_ > deepest)
      return wrong_at(at_, "brackets and signs lie more than {} deep: say it more simply", deepest);
    Parsed made = parse_or();
    --depth_;
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ExpressionResult<NodePointer> parse_expression_text(std::string_view text) {
  return Parser(text).whole();
}

}  // namespace headlight
