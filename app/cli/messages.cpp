#include "app/cli/messages.h"

#include <fmt/format.h>

#include <string>

#include "engine/core/utf8.h"

namespace headlight::app {

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    const bool control = step.character < 0x20 || (step.character >= 0x7F && step.character < 0xA0);
    if (step.sound && !control)
      line += text.substr(0, step.size);
    else
      line += '?';
    text.remove_prefix(step.size);
  }
  return line;
}

void print_error(std::string_view text) {
  fmt::print(stderr, "headlight: {}\n", printable(text));
}

void print_warning(std::string_view text) {
  fmt::print(stderr, "headlight: warning: {}\n", printable(text));
}

void print_note(std::string_view text) {
  fmt::print(stderr, "headlight: note: {}\n", printable(text));
}

}  // namespace headlight::app
