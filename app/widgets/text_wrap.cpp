#include "app/widgets/text_wrap.h"

namespace headlight::app {

namespace {

bool is_ideograph(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

// The end of what stays on one row: a word with what follows it up to the next, or one ideograph.
std::size_t end_of_piece(const TextEditor& editor, std::size_t from, std::size_t& end_of_ink) {
  const std::u32string& text = editor.text();
  std::size_t at = from;
  while (at < text.size() && text[at] != ' ' && text[at] != '\n') {
    const bool alone = is_ideograph(text[at]);
    at = editor.next_cluster(at);
    if (alone || (at < text.size() && is_ideograph(text[at]))) break;
  }
  end_of_ink = at;
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

}  // namespace

std::vector<TextRow> wrapped_rows(const TextEditor& editor, float width,
                                  const std::function<float(std::u32string_view)>& width_of) {
  const std::u32string_view text = editor.text();
  std::vector<TextRow> rows;
  std::size_t first = 0, at = 0;
  float used = 0;  // of the row, up to `at`
  const auto end_row = [&](std::size_t last) {
    rows.push_back({first, last});
    first = last;
    used = 0;
  };
  while (at < text.size()) {
    if (text[at] == '\n') {
      end_row(++at);
      continue;
    }
    std::size_t ink = 0;
    const std::size_t end = end_of_piece(editor, at, ink);
    const float needed = width_of(text.substr(at, ink - at));
    if (used > 0 && used + needed > width) end_row(at);
    if (needed > width) {  // wider than any row
      for (std::size_t next = at; at < ink; at = next) {
        next = editor.next_cluster(at);
        const float one = width_of(text.substr(at, next - at));
        if (used > 0 && used + one > width) end_row(at);
        used += one;
      }
    } else {
      used += needed;
    }
    used += width_of(text.substr(ink, end - ink));
    at = end;
  }
  rows.push_back({first, text.size()});
  return rows;
}

}  // namespace headlight::app
