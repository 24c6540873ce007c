// What the program says on standard error: a line each, whatever names and files hold.
#pragma once

#include <string>
#include <string_view>

namespace headlight::app {

// "headlight: …". Control characters, and bytes that are no UTF-8, are printed as '?'.
void print_error(std::string_view text);
void print_warning(std::string_view text);  // "headlight: warning: …"
void print_note(std::string_view text);     // "headlight: note: …"

// The same text with those characters as '?'.
std::string printable(std::string_view text);

// Ends the program with a line of its own where an exception, or the end of memory, went through everything: for
// std::set_terminate.
[[noreturn]] void report_termination();

}  // namespace headlight::app
