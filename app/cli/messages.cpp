#include "app/cli/messages.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
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

void report_termination() {
  if (const auto thrown = std::current_exception()) try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {  // in a thread that has no way to say so
      std::fputs("headlight: there is not enough memory: use fewer positions, fewer heads or smaller files\n", stderr);
      std::_Exit(1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "headlight: %s: this is a mistake in the program\n", error.what());
    }
  std::abort();
}

}  // namespace headlight::app
