// Takes commands, characters and words off the front of a formula's LaTeX, and says where in it something is wrong.
//
// Not what they mean: formula_parser.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/core/result.h"
#include "engine/io/file.h"

namespace headlight {

class FormulaScanner {
 protected:
  explicit FormulaScanner(std::string_view latex) : rest_(latex), size_(latex.size()) {}

  template <class... Args>
  tl::unexpected<Error> wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return fail("formula, byte {}: {}", size_ - rest_.size(),
                one_line(fmt::format(format, std::forward<Args>(args)...)));
  }

  void skip_spaces();
  // Exactly this, if it comes next.
  bool take(std::string_view text);
  // A command with its backslash, or one character; empty at the end.
  std::string_view next_word() const;
  std::string_view take_word();
  // The whole command, not the beginning of a longer one.
  bool take_command(std::string_view name);
  // What comes next closes a group, a cell, a row or a pair, or is the end.
  bool at_end_of_row() const;
  // What stands between braces, as it stands.
  Result<std::string> raw_argument(std::string_view of);

  std::string_view rest_;

 private:
  std::size_t size_;  // of all
};

// ASCII.
bool is_letter(char c);

}  // namespace headlight
