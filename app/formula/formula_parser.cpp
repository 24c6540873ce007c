#include "app/formula/formula_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "app/formula/formula_commands.h"
#include "engine/base/result.h"
#include "engine/base/words.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

// ASCII.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Takes commands, characters and words off the front of a formula's LaTeX, and says where in it something is wrong.
class FormulaScanner {
 protected:
  explicit FormulaScanner(std::string_view latex) : rest_(latex), size_(latex.size()) {}

  template <class... Args>
  tl::unexpected<Error> wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return fail("formula, byte {}: {}", size_ - rest_.size(),
                one_line(fmt::format(format, std::forward<Args>(args)...)));
  }
  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  // Exactly this, if it comes next.
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // A command with its backslash, or one character; empty at the end.
  std::string_view next_word() const {
    if (!rest_.starts_with('\\')) return rest_.substr(0, rest_.empty() ? 0 : utf8_step(rest_).size);
    const auto letters = std::find_if_not(rest_.begin() + 1, rest_.end(), is_letter) - rest_.begin();
    return rest_.substr(0, std::max<std::size_t>(2, static_cast<std::size_t>(letters)));
  }
  std::string_view take_word() {
    const std::string_view word = next_word();
    rest_.remove_prefix(word.size());
    return word;
  }
  // The whole command, not the beginning of a longer one.
  bool take_command(std::string_view name) { return next_word() == name && take(name); }
  // What comes next closes a group, a cell, a row or a pair, or is the end.
  bool at_end_of_row() const {
    const std::string_view word = next_word();
    return word.empty() || word == "}" || word == "&" || word == "\\\\" || word == "\\end" || word == "\\right";
  }
  // What stands between braces, as it stands.
  Result<std::string> raw_argument(std::string_view of) {
    skip_spaces();
    if (!take("{")) return wrong("{} needs a {{…}} behind it", of);
    const std::size_t end = rest_.find_first_of("{}\\$");
    if (end == std::string_view::npos || rest_[end] != '}')
      return wrong("{} takes words alone, up to the next brace", of);
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return found;
  }

  std::string_view rest_;

 private:
  std::size_t size_;  // of all
};

using Kind = FormulaNode::Kind;
using Meaning = FormulaCommand::Meaning;

constexpr int deepest = 64;               // nesting, far beyond what a formula needs
constexpr std::size_t longest = 1 << 16;  // bytes
constexpr double widest_gap = 100;        // em
constexpr char32_t thin_space_sign = U'\u2009';

// The characters that stand for themselves, without letters and digits.
constexpr std::pair<MathClass, std::string_view> plain_characters[] = {
    {MathClass::bin, "+-*"},    {MathClass::rel, "=<>:"}, {MathClass::open, "(["},
    {MathClass::close, ")]!?"}, {MathClass::punct, ",;"}, {MathClass::ord, "/|."},
};

char32_t typeset_sign(char written) {
  if (written == '-') return U'−';
  return written == '*' ? U'∗' : static_cast<char32_t>(written);
}

constexpr std::array environments =
    std::to_array<std::string_view>({"gathered", "aligned", "cases", "matrix", "pmatrix", "bmatrix"});

FormulaNode symbol(char32_t character, MathClass math_class, MathAlphabet alphabet) {
  return {.kind = Kind::symbol, .math_class = math_class, .alphabet = alphabet, .character = character};
}

FormulaNode row_of(std::vector<FormulaNode> children) {
  return {.kind = Kind::row, .children = std::move(children)};
}

FormulaNode with_child(Kind kind, FormulaNode child) {
  FormulaNode made{.kind = kind};
  made.children.push_back(std::move(child));
  return made;
}

// What scripts are attached to: of a mark, the symbol that it marks.
const FormulaNode& marked(const FormulaNode& node) {
  if (node.kind != Kind::mark || node.children.front().children.size() != 1) return node;
  return marked(node.children.front().children.front());
}

class FormulaParser : FormulaScanner {
 public:
  explicit FormulaParser(std::string_view latex) : FormulaScanner(latex) {}

  Result<FormulaTree> read() {
    if (rest_.size() > longest) return wrong("a formula is at most {} bytes long", longest);
    tree_.marks.emplace_back();
    HL_TRY(tree_.root, row());
    if (!rest_.empty()) return wrong("{} closes nothing", next_word());
    if (tree_.root.children.empty()) return wrong("there is nothing to set");
    return std::move(tree_);
  }

 private:
  // Up to what ends it, which stays.
  Result<FormulaNode> row() {
    if (++depth_ > deepest) return wrong("this is nested too deep to set");
    FormulaNode made{.kind = Kind::row};
    for (skip_spaces(); !at_end_of_row(); skip_spaces()) {
      HL_TRY(auto node, atom());
      HL_TRY(node, with_scripts(std::move(node)));
      made.children.push_back(std::move(node));
    }
    --depth_;
    return made;
  }

  Result<FormulaNode> group() {
    HL_TRY(auto made, row());
    if (!take("}")) return rest_.empty() ? wrong("a }} is missing") : wrong("{} is not expected here", next_word());
    return made;
  }

  // A group or a single thing, as a row.
  Result<FormulaNode> argument(std::string_view of) {
    skip_spaces();
    if (take("{")) return group();
    if (at_end_of_row()) return wrong("{} needs something behind it", of);
    if (++depth_ > deepest) return wrong("this is nested too deep to set");
    std::vector<FormulaNode> one;
    HL_TRY(auto node, atom());
    --depth_;
    one.push_back(std::move(node));
    return row_of(std::move(one));
  }

  Result<FormulaNode> atom() {
    const char c = rest_.front();
    if (c == '\\') return command();
    if (take("{")) return group();
    if (is_letter(c) || is_digit(c)) {
      rest_.remove_prefix(1);
      const bool upright = is_digit(c) && alphabet_ == MathAlphabet::italic;
      return symbol(static_cast<char32_t>(c), MathClass::ord, upright ? MathAlphabet::upright : alphabet_);
    }
    if (c == '_' || c == '^' || c == '\'') return wrong("{} needs something before it", c);
    for (const auto& [math_class, characters] : plain_characters) {
      if (characters.find(c) == std::string_view::npos) continue;
      rest_.remove_prefix(1);
      return symbol(typeset_sign(c), math_class, MathAlphabet::upright);
    }
    return wrong("{} is no character of formulas; docs/formulas.md has the commands", next_word());
  }

  Result<FormulaNode> with_scripts(FormulaNode nucleus) {
    FormulaNode below{.kind = Kind::row}, above{.kind = Kind::row};
    bool has_below = false, has_above = false;
    for (skip_spaces(); !rest_.empty(); skip_spaces()) {
      if (!has_above && take("'")) {
        above.children.push_back(symbol(U'′', MathClass::ord, MathAlphabet::upright));
      } else if (rest_.front() == '_' || rest_.front() == '^') {
        const std::string_view mark = rest_.substr(0, 1);
        bool& has = mark == "_" ? has_below : has_above;
        if (has) return wrong("there are two {} at one symbol; set braces", mark);
        rest_.remove_prefix(1);
        has = true;
        HL_TRY(auto script, argument(mark));
        std::vector<FormulaNode>& into = (mark == "_" ? below : above).children;
        std::move(script.children.begin(), script.children.end(), std::back_inserter(into));
      } else {
        break;
      }
    }
    if (below.children.empty() && above.children.empty()) return nucleus;
    if (nucleus.kind == Kind::space) return wrong("a script needs a symbol before it");
    FormulaNode made{.kind = Kind::scripts, .math_class = marked(nucleus).math_class, .limits = marked(nucleus).limits};
    made.children.push_back(std::move(nucleus));
    made.children.push_back(std::move(below));
    made.children.push_back(std::move(above));
    return made;
  }

  Result<FormulaNode> command() {
    const std::string_view written = next_word();
    const FormulaCommand* found = formula_command(written.substr(1));
    if (!found) return wrong("{} is no command of formulas; docs/formulas.md has them", written);
    rest_.remove_prefix(written.size());
    switch (found->meaning) {
      case Meaning::symbol: {
        FormulaNode made = symbol(found->character, found->math_class, found->alphabet);
        made.plain = found->plain;
        made.large = found->large;
        made.limits = found->limits;
        return made;
      }
      case Meaning::word:
        return FormulaNode{
            .kind = Kind::word, .math_class = MathClass::op, .text = std::string(found->name), .limits = found->limits};
      case Meaning::space:
        return FormulaNode{.kind = Kind::space,
                           .width = found->width,
                           .in_style = std::string_view(",:;!").find(found->name) != std::string_view::npos};
      case Meaning::accent:
        return accent(*found, written);
      case Meaning::alphabet: {
        const MathAlphabet before = std::exchange(alphabet_, found->alphabet);
        HL_TRY(auto made, argument(written));
        alphabet_ = before;
        return made;
      }
      case Meaning::sized: {
        HL_TRY(const char32_t character, delimiter(written));
        if (character == 0) return wrong("{} needs a bracket behind it", written);
        return FormulaNode{
            .kind = Kind::delimiter, .math_class = found->math_class, .character = character, .size = found->size};
      }
      case Meaning::special:
        break;
    }
    return special_command(written);
  }

  Result<FormulaNode> accent(const FormulaCommand& command, std::string_view written) {
    HL_TRY(auto under, argument(written));
    if (under.children.empty()) return wrong("{} has nothing under it", written);
    FormulaNode made = with_child(Kind::accent, std::move(under));
    made.character = command.character;
    made.large = command.large;
    return made;
  }

  Result<FormulaNode> special_command(std::string_view written) {
    if (written == "\\hl") return mark();
    if (written == "\\left") return fence();
    if (written == "\\begin") return grid();
    if (written == "\\operatorname") return operator_name();
    if (written == "\\text") {
      HL_TRY(auto words, raw_argument(written));
      return FormulaNode{.kind = Kind::word, .text = std::move(words)};
    }
    if (written == "\\sqrt" || written == "\\overline") {
      HL_TRY(auto under, argument(written));
      return with_child(written == "\\sqrt" ? Kind::root : Kind::overline, std::move(under));
    }
    FormulaNode made{.kind = Kind::fraction};
    if (written == "\\tfrac") made.style = MathStyle::text;
    if (written == "\\dfrac") made.style = MathStyle::display;
    HL_TRY(auto above, argument(written));
    HL_TRY(auto below, argument(written));
    made.children.push_back(std::move(above));
    made.children.push_back(std::move(below));
    return made;
  }

  Result<FormulaNode> mark() {
    HL_TRY(auto id, raw_argument("\\hl"));
    if (id.empty()) return wrong("\\hl needs the id of what its symbols stand for");
    const std::size_t index = tree_.marks.size();
    tree_.marks.push_back({std::move(id), parent_});
    const std::size_t before = std::exchange(parent_, index);
    HL_TRY(auto symbols, argument("\\hl"));
    parent_ = before;
    if (symbols.children.empty()) return wrong("\\hl{{{}}} marks nothing", tree_.marks[index].id);
    FormulaNode made = with_child(Kind::mark, std::move(symbols));
    made.mark = index;
    return made;
  }

  // After \left and \bigl; 0 for the dot that is none.
  Result<char32_t> delimiter(std::string_view of) {
    skip_spaces();
    const std::string_view word = next_word();
    const char32_t character = delimiter_named(word);
    if (character == 0 && word != ".") return wrong("{} needs a bracket behind it, not {}", of, word);
    rest_.remove_prefix(word.size());
    return character;
  }

  Result<FormulaNode> fence() {
    HL_TRY(const char32_t opening, delimiter("\\left"));
    HL_TRY(auto inside, row());
    if (!take_command("\\right")) return wrong("\\left without its \\right");
    HL_TRY(const char32_t closing, delimiter("\\right"));
    FormulaNode made = with_child(Kind::fence, std::move(inside));
    made.math_class = MathClass::inner;
    made.character = opening;
    made.closing = closing;
    return made;
  }

  // Words, with \, between two of them.
  Result<FormulaNode> operator_name() {
    FormulaNode made{.kind = Kind::word, .math_class = MathClass::op};
    made.limits = take("*");
    if (!take("{")) return wrong("\\operatorname needs a {{…}} behind it");
    while (!take("}")) {
      const std::string_view word = take_word();
      if (word == "\\,")
        append_utf8(made.text, thin_space_sign);
      else if (word.size() == 1 && (is_letter(word[0]) || is_digit(word[0]) || word == "-"))
        made.text += word;
      else if (word != " ")
        return wrong("\\operatorname takes letters, digits and \\, alone");
    }
    if (made.text.empty()) return wrong("\\operatorname has no name");
    return made;
  }

  Result<FormulaNode> grid() {
    HL_TRY(auto name, raw_argument("\\begin"));
    if (std::find(environments.begin(), environments.end(), name) == environments.end())
      return wrong("\\begin{{{}}} is no environment of formulas; docs/formulas.md has them", name);
    FormulaNode made{.kind = Kind::grid, .text = name};
    if (name == "cases" || name == "pmatrix" || name == "bmatrix") made.math_class = MathClass::inner;
    made.children.emplace_back();
    for (;;) {
      HL_TRY(auto cell, row());
      FormulaNode& line = made.children.back();
      line.children.push_back(std::move(cell));
      if (take("&")) continue;
      if (!take("\\\\")) break;
      HL_TRY(line.width, row_gap());
      made.children.emplace_back();
    }
    if (!take_command("\\end")) return wrong("\\begin{{{}}} without its \\end", name);
    HL_TRY(const auto closed, raw_argument("\\end"));
    if (closed != name) return wrong("\\begin{{{}}} ends with \\end{{{}}}", name, closed);
    const auto& last = made.children.back().children;
    if (made.children.size() > 1 && last.size() == 1 && last.front().children.empty()) made.children.pop_back();
    return made;
  }

  // [0.4em], which may be left out.
  Result<double> row_gap() {
    if (!rest_.starts_with('[')) return 0;
    const std::size_t close = rest_.find(']');
    const std::string_view inside = close == std::string_view::npos ? "" : rest_.substr(1, close - 1);
    double em = 0;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), em);
    const std::string_view unit(end, static_cast<std::size_t>(inside.data() + inside.size() - end));
    if (error != std::errc() || unit != "em" || !(em >= -widest_gap && em <= widest_gap))
      return wrong("\\\\[…] takes a length in em, as [0.4em]");
    rest_.remove_prefix(inside.size() + 2);
    return em;
  }

  FormulaTree tree_;
  MathAlphabet alphabet_ = MathAlphabet::italic;
  std::size_t parent_ = 0;  // of marks that come now
  int depth_ = 0;
};

}  // namespace

Result<FormulaTree> parse_formula(std::string_view latex) {
  return FormulaParser(latex).read();
}

}  // namespace headlight
