#include "app/widgets/formula_plain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace headlight::app {

namespace {

using Sign = std::pair<std::string_view, std::string_view>;

constexpr std::array symbols = std::to_array<Sign>({
    {"alpha", "α"},       {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"},  {"epsilon", "ε"},
    {"varepsilon", "ε"},  {"eta", "η"},    {"theta", "θ"},  {"lambda", "λ"}, {"mu", "μ"},
    {"phi", "φ"},         {"varphi", "φ"}, {"psi", "ψ"},    {"rho", "ρ"},    {"sigma", "σ"},
    {"tau", "τ"},         {"infty", "∞"},  {"dots", "…"},   {"ldots", "…"},  {"cdots", "⋯"},
    {"colon", ":"},       {"prime", "′"},  {"top", "⊤"},    {"lbrace", "{"}, {"rbrace", "}"},
    {"langle", "⟨"},      {"rangle", "⟩"}, {"lfloor", "⌊"}, {"rfloor", "⌋"}, {"lvert", "|"},
    {"rvert", "|"},       {"Delta", "Δ"},  {"Omega", "Ω"},  {"mathcal", ""}, {"mathrm", ""},
    {"mathbf", ""},       {"mathit", ""},  {"mathbb", ""},  {"left", ""},    {"right", ""},
    {"bigl", ""},         {"bigr", ""},    {"Bigl", ""},    {"Bigr", ""},    {"limits", ""},
    {"displaystyle", ""}, {"{", "{"},      {"}", "}"},      {"|", "‖"},      {"_", "_"},
    {"%", "%"},           {"!", ""},
});

// Signs that stand between two things, with a space on each side.
constexpr std::array relations = std::to_array<Sign>({
    {"cdot", "·"},  {"times", "×"}, {"in", "∈"}, {"to", "→"},  {"mapsto", "↦"}, {"le", "≤"},     {"leq", "≤"},
    {"ge", "≥"},    {"geq", "≥"},   {"ne", "≠"}, {"neq", "≠"}, {"sim", "∼"},    {"approx", "≈"}, {"odot", "⊙"},
    {"oplus", "⊕"}, {"cup", "∪"},   {"pm", "±"}, {"ast", "∗"}, {"mid", "|"},
});

// Words and signs that act on what follows.
constexpr std::array operators = std::to_array<Sign>({
    {"exp", "exp"},
    {"max", "max"},
    {"min", "min"},
    {"log", "log"},
    {"tanh", "tanh"},
    {"sum", "Σ"},
    {"prod", "Π"},
});

constexpr std::array accents = std::to_array<Sign>({{"tilde", "\u0303"}, {"hat", "\u0302"}, {"bar", "\u0304"}});

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

template <std::size_t n>
std::optional<std::string_view> look_up(const std::array<Sign, n>& signs, std::string_view name) {
  const auto found = std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) { return sign.first == name; });
  if (found == signs.end()) return std::nullopt;
  return found->second;
}

std::size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Every character raised or lowered, or nothing when Unicode lacks one of them.
template <std::size_t n>
std::optional<std::string> scripted(const std::array<Sign, n>& signs, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto sign = look_up(signs, text.substr(0, utf8_length(text.front())));
    if (!sign) return std::nullopt;
    out += *sign;
    text.remove_prefix(std::min(text.size(), utf8_length(text.front())));
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

// The text so far, with spaces set where two neighbours need one and never twice.
class Line {
 public:
  void space() { wants_space_ = true; }
  void put(std::string_view text) {
    if (text.empty()) return;
    const bool closes = text == ")" || text == "]" || text == "," || text == ";";
    if (wants_space_ && !text_.empty() && text_.back() != '(' && text_.back() != '[' && !closes) text_ += ' ';
    wants_space_ = false;
    text_ += text;
  }
  // Glues to what stands before.
  void attach(std::string_view text) { text_ += text; }
  void no_space() { wants_space_ = false; }
  bool empty() const { return text_.empty(); }
  char last() const { return text_.empty() ? ' ' : text_.back(); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool wants_space_ = false;
};

class PlainText {
 public:
  explicit PlainText(std::string_view latex) : rest_(latex) {}

  std::string all() {
    Line line;
    while (!rest_.empty()) sequence(line);
    return line.take();
  }

 private:
  static constexpr int deepest = 64;  // nesting beyond this is kept as it stands

  // Up to the end or a closing brace, which is taken.
  void sequence(Line& line) {
    while (!rest_.empty()) {
      if (take('}')) return;
      piece(line);
    }
  }

  void piece(Line& line) {
    const char c = rest_.front();
    if (c == '\\') return command(line);
    if (c == '_' || c == '^') return scripts(line);
    if (take('{')) return line.put(group());
    rest_.remove_prefix(1);
    switch (c) {
      case ' ':
        return;
      case '&':
        return line.space();
      case '\'':
        return line.attach("′");
      case '=':
      case '+':
      case '/':
      case '-':
        return sign(line, c == '-' ? "−" : std::string_view(&c, 1));
      case ',':
        line.put(",");
        return line.space();
      case ';':
        line.put(";");
        return line.space();
      default: {
        const std::size_t more = std::min(utf8_length(c) - 1, rest_.size());
        line.put(std::string(1, c) + std::string(rest_.substr(0, more)));
        rest_.remove_prefix(more);
      }
    }
  }

  // Between two things with spaces; at the start, or after an opening bracket or another sign, close to what follows.
  static void sign(Line& line, std::string_view text) {
    const bool starts = line.empty() || std::string_view("([{,;=").find(line.last()) != std::string_view::npos;
    const bool unary = text == "−" && starts;
    line.space();
    line.put(text);
    unary ? line.no_space() : line.space();
  }

  void command(Line& line) {
    const std::string name = command_name();
    if (name == "frac" || name == "tfrac" || name == "dfrac") {
      const std::string above = bracketed(argument()), below = bracketed(argument());
      return line.put(above + "/" + below);
    }
    if (name == "sqrt") {
      line.space();
      return line.put("√" + bracketed(argument()));
    }
    if (name == "hl") {
      raw_argument();
      return line.put(argument());
    }
    if (name == "text") return text(line);
    if (name == "operatorname") return act(line, raw_argument());
    if (name == "begin" || name == "end") return environment(line, name == "begin");
    if (name == "\\" || name == "quad" || name == "qquad") return part(line);
    if (name == "," || name == ";" || name == ":" || name == " ") return line.space();
    if (const auto mark = look_up(accents, name)) return line.put(argument() + std::string(*mark));
    if (const auto found = look_up(operators, name)) return act(line, *found);
    if (const auto found = look_up(relations, name)) return sign(line, *found);
    if (const auto found = look_up(symbols, name)) return line.put(*found);
    line.put(name);
    line.space();
  }

  // An operator takes its scripts and then a space, unless it is a word and what it acts on is in brackets.
  void act(Line& line, std::string_view name) {
    line.space();
    line.put(name);
    skip_spaces();
    if (!rest_.empty() && (rest_.front() == '_' || rest_.front() == '^')) scripts(line);
    skip_spaces();
    const bool opens = rest_.starts_with('(') || rest_.starts_with("\\bigl") || rest_.starts_with("\\left");
    if (!opens || name == "Σ" || name == "Π") line.space();
  }

  void text(Line& line) {
    line.space();
    line.put(raw_argument());
    line.space();
  }

  // Rows, with or without the space after them, and far parts of a formula become clauses of one line.
  void part(Line& line) {
    if (rest_.starts_with('[')) rest_.remove_prefix(std::min(rest_.find(']'), rest_.size() - 1) + 1);
    line.put(";");
    line.space();
  }

  void environment(Line& line, bool begins) {
    if (raw_argument() != "cases") return;
    line.space();
    line.put(begins ? "{" : "}");
    if (begins) line.space();
  }

  // Both scripts of one symbol, in Unicode if it has all their signs, else in ASCII.
  void scripts(Line& line) {
    std::string lower, upper;
    while (!rest_.empty() && (rest_.front() == '_' || rest_.front() == '^')) {
      const bool sub = rest_.front() == '_';
      rest_.remove_prefix(1);
      (sub ? lower : upper) += argument();
      skip_spaces();
    }
    const auto low = scripted(subscripts, lower);
    const auto high = scripted(superscripts, upper);
    if (low && high) return line.attach(*high + *low);
    const auto spelled = [](char mark, const std::string& script) {
      return script.empty() ? "" : mark + bracketed(script);
    };
    line.attach(spelled('^', upper) + spelled('_', lower));
  }

  std::string command_name() {
    rest_.remove_prefix(1);
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto letters = std::find_if_not(rest_.begin(), rest_.end(), is_letter) - rest_.begin();
    const std::size_t length = std::min(rest_.size(), std::max<std::size_t>(1, static_cast<std::size_t>(letters)));
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  // The next group, or the next single thing, as plain text.
  std::string argument() {
    skip_spaces();
    if (rest_.empty()) return {};
    if (take('{')) return group();
    Line line;
    if (depth_ >= deepest) return raw_rest();
    ++depth_;
    piece(line);
    --depth_;
    return line.take();
  }

  // The rest of a group whose brace is taken.
  std::string group() {
    if (depth_ >= deepest) return raw_rest();
    Line line;
    ++depth_;
    sequence(line);
    --depth_;
    return line.take();
  }

  // A group's text as it stands: ids and words.
  std::string raw_argument() {
    skip_spaces();
    if (!take('{')) return {};
    const std::size_t end = std::min(rest_.find('}'), rest_.size());
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }

  std::string raw_rest() { return std::string(std::exchange(rest_, {})); }

  void skip_spaces() {
    while (take(' ')) {
    }
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

std::string plain_formula(std::string_view latex) {
  return PlainText(latex).all();
}

}  // namespace headlight::app
