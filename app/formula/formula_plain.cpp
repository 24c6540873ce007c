#include "app/formula/formula_tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/utf8.h"

namespace headlight {

namespace {

using Kind = FormulaNode::Kind;
using Sign = std::pair<std::string_view, std::string_view>;

constexpr std::array subscripts = std::to_array<Sign>({
    {"0", "₀"}, {"1", "₁"}, {"2", "₂"}, {"3", "₃"}, {"4", "₄"}, {"5", "₅"}, {"6", "₆"}, {"7", "₇"}, {"8", "₈"},
    {"9", "₉"}, {"a", "ₐ"}, {"e", "ₑ"}, {"h", "ₕ"}, {"i", "ᵢ"}, {"j", "ⱼ"}, {"k", "ₖ"}, {"l", "ₗ"}, {"m", "ₘ"},
    {"n", "ₙ"}, {"o", "ₒ"}, {"p", "ₚ"}, {"r", "ᵣ"}, {"s", "ₛ"}, {"t", "ₜ"}, {"u", "ᵤ"}, {"v", "ᵥ"}, {"x", "ₓ"},
});

constexpr std::array superscripts = std::to_array<Sign>({
    {"0", "⁰"}, {"1", "¹"}, {"2", "²"}, {"3", "³"}, {"4", "⁴"}, {"5", "⁵"}, {"6", "⁶"},
    {"7", "⁷"}, {"8", "⁸"}, {"9", "⁹"}, {"h", "ʰ"}, {"i", "ⁱ"}, {"j", "ʲ"}, {"k", "ᵏ"},
    {"m", "ᵐ"}, {"n", "ⁿ"}, {"T", "ᵀ"}, {"M", "ᴹ"}, {"⊤", "ᵀ"}, {"′", "′"},
});

// Every character raised or lowered, or nothing when Unicode lacks one of them.
template <std::size_t n>
std::optional<std::string> scripted(const std::array<Sign, n>& signs, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, utf8_step(text).size);
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](const Sign& s) { return s.first == character; });
    if (sign == signs.end()) return std::nullopt;
    out += sign->second;
    text.remove_prefix(character.size());
  }
  return out;
}

// Whether `text` is more than one thing: it has a space outside brackets.
bool is_compound(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ' ' && depth == 0) return true;
  }
  return false;
}

std::string bracketed(std::string text) {
  return is_compound(text) ? "(" + text + ")" : text;
}

std::string utf8_of(char32_t character) {
  std::string text;
  append_utf8(text, character);
  return text;
}

// The text so far, with spaces set where two neighbours need one and never twice.
class Line {
 public:
  void space() { wants_space_ = !holds_; }
  void put(std::string_view text) {
    if (text.empty()) return;
    const bool closes = text == ")" || text == "]" || text == "," || text == ";";
    if (wants_space_ && !text_.empty() && text_.back() != '(' && text_.back() != '[' && !closes) text_ += ' ';
    wants_space_ = holds_ = false;
    text_ += text;
  }
  // Close to what follows, whatever that wants.
  void put_before(std::string_view text) {
    space();
    put(text);
    holds_ = true;
  }
  bool ends_with_comma() const { return text_.ends_with(',') || text_.ends_with(';'); }
  // Glues to what stands before.
  void attach(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool wants_space_ = false;
  bool holds_ = false;  // no space comes next
};

// What stands round a node: the class that it has there, and whether a bracket comes next.
struct Place {
  MathClass math_class = MathClass::ord;
  bool bracket_follows = false;
};

void add(Line& line, const FormulaNode& node, Place place);

bool opens(const FormulaNode& node) {
  return node.kind == Kind::fence || node.kind == Kind::delimiter ||
         (node.kind == Kind::symbol && node.math_class == MathClass::open);
}

void add_row(Line& line, const FormulaNode& row) {
  std::vector<const FormulaNode*> seen;  // all but spaces
  for (const FormulaNode& node : row.children)
    if (node.kind != Kind::space) seen.push_back(&node);
  std::vector<MathClass> classes;
  for (const FormulaNode* node : seen) classes.push_back(node->math_class);
  demote_binaries(classes);
  std::size_t at = 0;
  for (const FormulaNode& node : row.children) {
    if (node.kind == Kind::space) {
      add(line, node, {});
      continue;
    }
    add(line, node, {classes[at], at + 1 < seen.size() && opens(*seen[at + 1])});
    ++at;
  }
}

std::string text_of(const FormulaNode& row) {
  Line line;
  add_row(line, row);
  return line.take();
}

std::string name_of(const FormulaNode& symbol) {
  return symbol.plain.empty() ? utf8_of(symbol.character) : std::string(symbol.plain);
}

void add_symbol(Line& line, const FormulaNode& node, MathClass here) {
  const std::string name = name_of(node);
  if (node.math_class == MathClass::bin && here == MathClass::ord) return line.put_before(name);
  const bool parts = here == MathClass::bin || here == MathClass::rel || name == "/";
  if (parts) line.space();
  line.put(name);
  if (parts || here == MathClass::punct) line.space();
}

// Both scripts of one symbol, in Unicode if it has all their signs, else in ASCII. Primes stand first.
void add_scripts(Line& line, const FormulaNode& below, const FormulaNode& above) {
  FormulaNode rest{.kind = Kind::row};
  for (const FormulaNode& node : above.children)
    if (node.kind == Kind::symbol && node.character == U'′')
      line.attach("′");
    else
      rest.children.push_back(node);
  const std::string lower = text_of(below), upper = text_of(rest);
  const auto low = scripted(subscripts, lower);
  const auto high = scripted(superscripts, upper);
  if (low && high) return line.attach(*high + *low);
  const auto spelled = [](char mark, const std::string& script) {
    return script.empty() ? "" : mark + bracketed(script);
  };
  line.attach(spelled('^', upper) + spelled('_', lower));
}

// An operator takes its scripts and then a space, unless it is a word and what it acts on is in brackets.
void add_operator(Line& line, const FormulaNode& node, const FormulaNode* scripts, Place place) {
  line.space();
  if (node.kind == Kind::word) {
    std::string words = node.text;
    for (std::size_t at = words.find("\u2009"); at != std::string::npos; at = words.find("\u2009"))
      words.replace(at, std::string_view("\u2009").size(), " ");
    line.put(words);
  } else {
    line.put(name_of(node));
  }
  if (scripts) add_scripts(line, scripts->children[1], scripts->children[2]);
  if (node.kind != Kind::word || !place.bracket_follows) line.space();
}

void add_grid(Line& line, const FormulaNode& node) {
  const std::string& name = node.text;
  if (name == "cases") {
    line.space();
    line.put("{");
    line.space();
  }
  if (name == "pmatrix") line.put("(");
  if (name == "bmatrix") line.put("[");
  const bool listed = name.ends_with("matrix");
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) line.put(";");
    if (i > 0) line.space();
    const auto& cells = node.children[i].children;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j > 0 && listed) line.put(",");
      if (j > 0) line.space();
      add_row(line, cells[j]);
    }
  }
  if (name == "cases") line.space();
  if (name == "cases") line.put("}");
  if (name == "pmatrix") line.put(")");
  if (name == "bmatrix") line.put("]");
}

void add_space(Line& line, const FormulaNode& node) {
  if (node.width < 0) return;
  if (node.width >= 1 && !line.ends_with_comma()) line.put(";");  // far parts of a formula become clauses of one line
  line.space();
}

std::string accented(const FormulaNode& node) {
  const std::string under = text_of(node.children.front());
  const bool one = !under.empty() && grapheme_bounds(under).size() <= 2;
  const std::string mark = node.kind == Kind::overline ? "\u0305" : utf8_of(node.character);
  return (one ? under : "(" + under + ")") + mark;
}

void add_delimiter(Line& line, char32_t character) {
  if (character != 0) line.put(utf8_of(character));
}

void add_fence(Line& line, const FormulaNode& node) {
  add_delimiter(line, node.character);
  add_row(line, node.children.front());
  add_delimiter(line, node.closing);
}

void add(Line& line, const FormulaNode& node, Place place) {
  switch (node.kind) {
    case Kind::symbol:
      return node.large ? add_operator(line, node, nullptr, place) : add_symbol(line, node, place.math_class);
    case Kind::word:
      if (node.math_class == MathClass::op) return add_operator(line, node, nullptr, place);
      line.space();
      line.put(node.text);
      return line.space();
    case Kind::space:
      return add_space(line, node);
    case Kind::row:
      return line.put(text_of(node));
    case Kind::mark:
      return line.put(text_of(node.children.front()));
    case Kind::scripts:
      if (node.children[0].math_class == MathClass::op && node.children[0].kind != Kind::mark)
        return add_operator(line, node.children[0], &node, place);
      if (node.children[0].kind == Kind::row && node.children[0].children.empty()) {
        Line alone;
        add_scripts(alone, node.children[1], node.children[2]);
        return line.put(alone.take());
      }
      add(line, node.children[0], place);
      return add_scripts(line, node.children[1], node.children[2]);
    case Kind::fraction:
      return line.put(bracketed(text_of(node.children[0])) + "/" + bracketed(text_of(node.children[1])));
    case Kind::root:
      line.space();
      return line.put("√" + bracketed(text_of(node.children.front())));
    case Kind::accent:
    case Kind::overline:
      return line.put(accented(node));
    case Kind::delimiter:
      return add_delimiter(line, node.character);
    case Kind::fence:
      return add_fence(line, node);
    case Kind::grid:
      return add_grid(line, node);
  }
}

}  // namespace

std::string plain_formula(const FormulaTree& tree) {
  return text_of(tree.root);
}

std::string plain_formula(std::string_view latex) {
  const auto tree = parse_formula(latex);
  return tree ? plain_formula(*tree) : std::string(latex);
}

}  // namespace headlight
