#include "app/page/raised_line.h"

#include <utf8proc.h>

#include <algorithm>

#include "engine/core/utf8.h"

namespace headlight {

namespace {

// Parts of the size of the line.
constexpr double script_size = 0.72;
constexpr double raised_by = 0.34;
constexpr double lowered_by = 0.2;

enum class Shift { none, up, down };

struct Span {
  Shift shift = Shift::none;
  std::string text;
};

struct Letter {
  utf8proc_int32_t point = 0;  // −1: it is not UTF-8
  std::string_view utf8;
};

// The next character of `rest`, which is not empty.
Letter letter_at(std::string_view rest) {
  const Utf8Step step = utf8_step(rest);
  return {step.sound ? static_cast<utf8proc_int32_t>(step.character) : -1, rest.substr(0, step.size)};
}

// What Unicode has raised or lowered of its own accord.
Shift shift_of(const Letter& letter) {
  const auto type = utf8proc_get_property(letter.point)->decomp_type;
  if (type == UTF8PROC_DECOMP_TYPE_SUPER) return Shift::up;
  return type == UTF8PROC_DECOMP_TYPE_SUB ? Shift::down : Shift::none;
}

// The letter that it is of.
std::string plain(const Letter& letter) {
  utf8proc_int32_t points[4];
  int boundary = 0;
  const auto count = utf8proc_decompose_char(
      letter.point, points, 4, static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE), &boundary);
  std::string text;
  for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, 4); ++i)
    append_utf8(text, static_cast<char32_t>(points[i]));
  return text;
}

bool is_alphanumeric(const Letter& letter) {
  const auto category = utf8proc_category(letter.point);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ND) || letter.utf8 == "′";
}

// Takes what a "_" or "^" shifts.
std::string read_script(std::string_view& rest) {
  std::size_t length = 0;
  if (rest.starts_with('(')) {
    int depth = 0;
    do {
      depth += (rest[length] == '(') - (rest[length] == ')');
      ++length;
    } while (depth > 0 && length < rest.size());
  } else {
    while (length < rest.size() && is_alphanumeric(letter_at(rest.substr(length))) &&
           shift_of(letter_at(rest.substr(length))) == Shift::none)
      length += letter_at(rest.substr(length)).utf8.size();
  }
  std::string text(rest.substr(0, length));
  rest.remove_prefix(length);
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') return text.substr(1, text.size() - 2);
  return text;
}

std::vector<Span> spans_of(std::string_view rest) {
  std::vector<Span> spans;
  const auto add = [&](Shift shift, std::string_view text) {
    if (spans.empty() || spans.back().shift != shift) spans.push_back({shift, {}});
    spans.back().text += text;
  };
  while (!rest.empty()) {
    const Letter letter = letter_at(rest);
    rest.remove_prefix(letter.utf8.size());
    if (letter.utf8 == "_" || letter.utf8 == "^") {
      const std::string script = read_script(rest);
      if (script.empty())
        add(Shift::none, letter.utf8);
      else
        add(letter.utf8 == "_" ? Shift::down : Shift::up, script);
    } else if (const Shift shift = letter.point < 0 ? Shift::none : shift_of(letter); shift != Shift::none) {
      add(shift, plain(letter));
    } else {
      add(Shift::none, letter.utf8);
    }
  }
  return spans;
}

RaisedLine placed(const FontSet& fonts, Face face, double size, const std::vector<Span>& spans, double limit) {
  RaisedLine made;
  double start = 0;  // of the span before
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Shift shift = spans[i].shift;
    const bool below_last = i > 0 && shift == Shift::down && spans[i - 1].shift == Shift::up;
    start = below_last ? start : made.width;
    TextLine line =
        fonts.set_within(limit - start, face, shift == Shift::none ? size : script_size * size, spans[i].text);
    const bool cut = !line.cut.empty();
    double y = 0;
    if (shift == Shift::up) y = -raised_by * size;
    if (shift == Shift::down) y = lowered_by * size;
    made.width = std::max(made.width, start + line.width);
    made.parts.push_back({std::move(line), start, y});
    if (cut) break;
  }
  return made;
}

}  // namespace

RaisedLine set_raised(const FontSet& fonts, double limit, Face face, double size, double smallest,
                      std::string_view formula) {
  const std::vector<Span> spans = spans_of(formula);
  constexpr double no_limit = 1e9;
  RaisedLine line = placed(fonts, face, size, spans, no_limit);
  if (line.width <= limit) return line;
  constexpr double rounding = 0.999;  // so that what just fits is not cut
  return placed(fonts, face, std::max(smallest, rounding * size * limit / line.width), spans, limit);
}

}  // namespace headlight
