// What arrays are called in lines of Python: by their ids, but for those that are words of the language.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headlight {

inline bool is_word_of_python(std::string_view id) {
  constexpr std::array<std::string_view, 14> words{"and", "as", "def",    "del", "for", "from", "if",
                                                   "in",  "is", "lambda", "not", "or",  "pass", "with"};
  return std::ranges::find(words, id) != words.end();
}

// "lambda_" for "lambda".
inline std::string python_name(std::string_view id) {
  return std::string(id) + (is_word_of_python(id) ? "_" : "");
}
// The way back.
inline std::string_view id_of_name(std::string_view name) {
  if (name.ends_with('_') && is_word_of_python(name.substr(0, name.size() - 1))) name.remove_suffix(1);
  return name;
}

// Lines with a name where they have {to}, the result.
inline std::string assign_to(const std::string& name, std::string code) {
  constexpr std::string_view placeholder = "{to}";
  for (auto at = code.find(placeholder); at != std::string::npos; at = code.find(placeholder, at + name.size()))
    code.replace(at, placeholder.size(), name);
  return code;
}

}  // namespace headlight
