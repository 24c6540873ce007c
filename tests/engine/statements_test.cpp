// Reads every source file and holds what docs/style.md says of statements: no conditional operator within another, and
// never two statements that a comma joins.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The text of a source file with blanks for its comments, strings and characters.
std::string code_alone(const std::string& text) {
  const auto past = [&](const std::string& mark, std::size_t from) {
    return std::min(text.size(), text.find(mark, from)) + mark.size();
  };
  std::string code;
  while (code.size() < text.size()) {
    const std::size_t at = code.size();
    std::size_t end = at + 1;
    bool blank = true;
    if (is_of_word(text[at])) {
      const bool number = std::isdigit(static_cast<unsigned char>(text[at]));  // whose quotes are no characters: 1'000
      while (end < text.size() && (is_of_word(text[end]) || (number && text[end] == '\''))) ++end;
      blank = text.compare(end - 1, 2, "R\"") == 0;
      const auto open = text.find('(', end);
      if (blank) end = past(")" + text.substr(end + 1, open - end - 1) + "\"", open);
    } else if (text.compare(at, 2, "//") == 0) {
      end = past("\n", at);
    } else if (text.compare(at, 2, "/*") == 0) {
      end = past("*/", at + 2);
    } else if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else {
      blank = false;
    }
    for (end = std::min(end, text.size()); code.size() < end;) {
      const char c = text[code.size()];
      code += blank && c != '\n' ? ' ' : c;
    }
  }
  return code;
}

// What is open at a place of the code, from a bracket on.
struct Level {
  char bracket = '{';
  bool after_if = false;     // or for, while, switch
  bool conditional = false;  // the expression is in one
  bool holds_one = false;    // brackets of the expression hold one
};

// The lines with a conditional operator that is an operand of another, or stands within one.
std::vector<int> nested_conditionals(const std::string& text) {
  const std::string code = code_alone(text);
  std::vector<Level> levels(1);
  std::vector<int> lines;
  const std::set<std::string> before_condition{"if", "constexpr", "for", "while", "switch"};
  const std::set<char> comparison{'=', '<', '>', '!'};
  std::string word;
  int line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    Level& level = levels.back();
    if (is_of_word(c)) {
      if (i == 0 || !is_of_word(code[i - 1])) word.clear();
      word += c;
      if (word == "return" && !is_of_word(code[i + 1])) level.conditional = level.holds_one = false;
    } else if (c == '(' || c == '[' || c == '{') {
      levels.push_back({c, c == '(' && before_condition.contains(word)});
      word.clear();
    } else if ((c == ')' || c == ']' || c == '}') && levels.size() > 1) {
      const Level inner = level;
      levels.pop_back();
      Level& outer = levels.back();
      const bool ends = inner.after_if || (c == '}' && outer.bracket == '{');  // another statement begins
      outer.holds_one = !ends && (outer.holds_one || (c != '}' && (inner.conditional || inner.holds_one)));
      outer.conditional = outer.conditional && !inner.after_if;
    } else if (c == ';' || c == ',') {
      level.conditional = level.holds_one = false;
    } else if (c == '=' && i > 0 && code[i + 1] != '=' && !comparison.contains(code[i - 1])) {
      level.holds_one = false;  // what is assigned to is no operand
    } else if (c == '?') {
      if (level.holds_one || std::ranges::any_of(levels, &Level::conditional)) lines.push_back(line);
      level.conditional = true;
    } else if (c == '\n') {
      ++line;
    }
  }
  return lines;
}

// A statement as it is read: without what stands in its brackets, strings and comments.
struct Statement {
  char bracket;  // that is open around it
  std::string text;
};

// Whether commas join what could be statements of their own, `i = 1, j = 2;` or `f(), g();`: what a declaration
// declares, it declares together.
bool is_joined_by_commas(const std::string& statement) {
  static const std::regex joined(
      R"(\s*(else\b)?\s*(\*|\+\+|--)?[A-Za-z_][\w:]*((\.|->)\w+|\[\]|\(\))*\s*([-+*/|&^%]?=[^=][^,]*|\+\+|--)?,[^]*)");
  const std::regex arguments("<[^<>;=]*>");  // of templates, which may stand in others
  const std::string plain = std::regex_replace(std::regex_replace(statement, arguments, ""), arguments, "");
  return std::regex_match(plain, joined);
}

// The lines of statements that are several, joined by commas.
std::vector<int> comma_statements(const std::string& text) {
  static const std::regex condition(R"(\s*(else\s+)?(if|for|while|switch)\s*(constexpr\s*)?)");
  static const std::regex label(R"(\s*(case\b[^?]*|default|public|private|protected)\s*)");
  const std::string code = code_alone(text);
  std::vector<Statement> levels{{'{', ""}};
  std::vector<int> lines;
  int line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') ++line;
    if (c == '(' || c == '[' || c == '{') {
      levels.push_back({c, ""});
    } else if ((c == ')' || c == ']' || c == '}') && levels.size() > 1) {
      levels.pop_back();
      std::string& outer = levels.back().text;
      const std::size_t next = code.find_first_not_of(" \n", i + 1);
      const bool goes_on = next != std::string::npos && std::string(";,.)-(?:").find(code[next]) != std::string::npos;
      if ((c == ')' && std::regex_match(outer, condition)) || (c == '}' && !goes_on))
        outer.clear();
      else if (c != '}')
        outer += c == ')' ? "()" : "[]";
    } else if (c == ';') {
      if (levels.back().bracket == '{' && is_joined_by_commas(levels.back().text)) lines.push_back(line);
      levels.back().text.clear();
    } else if (c == ':' && std::regex_match(levels.back().text, label) && code[i + 1] != ':' && code[i - 1] != ':') {
      levels.back().text.clear();
    } else {
      levels.back().text += c;
    }
  }
  return lines;
}

// Calls found(path, text) for each file of those folders.
void each_source(std::initializer_list<const char*> folders,
                 const std::function<void(const std::string&, const std::string&)>& found) {
  const fs::path source = HEADLIGHT_SOURCE_DIR;
  int files = 0;
  for (const char* folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      ++files;
      std::ifstream in(entry.path());
      found(entry.path().string(), {std::istreambuf_iterator<char>(in), {}});
    }
  CHECK(files > 20);
}

}  // namespace

TEST_CASE("no conditional operator stands within another") {
  each_source({"engine", "app"}, [](const std::string& path, const std::string& text) {
    for (const int line : nested_conditionals(text))
      FAIL_CHECK(path << ":" << line << ": a conditional operator within another: use if, or name one of the two");
  });
}

TEST_CASE("a conditional operator within another is found, by its line") {
  for (const char* bad : {
           "int x = a ? b : c ? d : e;",
           "int x = a ? b ? c : d : e;",
           "f(a ? g(b ? c : d) : e);",
           "int x = (a ? b : c) ? d : e;",
           "if (f(a ? b : c) == d ? e : g) return;",
           "auto x = a ? std::vector{b ? c : d} : e;",
           "auto x = a ? [&] { return b ? c : d; }() : e;",
           "char32_t x = a ? U'?' : b ? 1'000 : '\\'';",
       }) {
    INFO(bad);
    CHECK(nested_conditionals("int above;  // ?\n" + std::string(bad)) == std::vector<int>{2});
  }
  for (const char* good : {
           "int x = a ? b : c; int y = d ? e : f;",
           "f(a ? b : c, d ? e : f);",
           "if (a ? b : c) return d ? e : f;",
           "for (int i : a ? b : c) x += d ? e : f;",
           "(a ? b : c) = d ? e : std::f;",
           "std::vector x{a ? b : c};\nint y = d ? e : f;",
           "int f(int x = a ? 1 : 2) { return b ? 1 : 2; }\nint y = c ? 1 : 2;",
           "switch (a) { case 1: return b ? c : d; default: return e ? f : g; }",
           "x = a ? b : c;  // or d ? e : f",
           "x = a /* ? b : c */ ? d : e;",
           "x = a ? \"? \\\" :\" : '?';",
           "x = a ? 1'000 : 2'000; y = b ? '\\'' : '\"';",
           "std::regex r(R\"x((a)?(b)? \" : (c)?)x\"); x = a ? b : c;",
       }) {
    INFO(good);
    CHECK(nested_conditionals(good).empty());
  }
}

TEST_CASE("no comma joins two statements") {
  each_source({"engine", "app", "tests"}, [](const std::string& path, const std::string& text) {
    for (const int line : comma_statements(text))
      FAIL_CHECK(path << ":" << line << ": statements that a comma joins: give each a line of its own");
  });
}

TEST_CASE("statements that a comma joins are found, by their line") {
  for (const char* bad : {
           "void f() { i = 1, j = 2; }",
           "void f() { if (a) i = 1, j = 2; }",
           "void f() { if (a) g(); else i += 1, ++j; }",
           "void f() { for (int x : all) a.push_back(x), b.push_back(x); }",
           "void f() { all.clear(), others[2].clear(); }",
           "void f() { rows->first = g(1, 2), rows->last = 3; }",
           "void f() { ++counted, sum += x; }",
           "void f() { if (a) { g(); } i = 1, j = 2; }",
           "auto f = [&] { i = 1, j = 2; };",
           "void f() { switch (a) { case E::x: i = 1, j = 2; } }",
           "void f() { switch (a) { default: i = 1, j = 2; } }",
       }) {
    INFO(bad);
    CHECK(comma_statements("int above;  // a = 1, b = 2;\n" + std::string(bad)) == std::vector<int>{2});
  }
  for (const char* good : {
           "int i = 1, j = 2;",
           "const Index i = g(1, 2), j = 2;",
           "std::pair<int, int> x = g(1, 2);",
           "for (i = 1, j = 2; i < 3; ++i, --j) g(i, j);",
           "g(1, 2);",
           "x = g<Packet, 2>(1, 2);",
           "x = g<A, B<C, D>>;",
           "Point p{1, 2};\np = {1, 2};",
           "p = {.x = 1, .y = 2};",
           "enum class E { a, b };",
           "C::C() : a(1), b(2) { g(); }",
           "g([&] { return 1; }, 2);",
           "const char* s = \"a = 1, b = 2;\";  // a = 1, b = 2;",
       }) {
    INFO(good);
    CHECK(comma_statements(good).empty());
  }
}
