// Errors as values, for everything that a person or a file can get wrong.
//
// Not for programmers' mistakes: those are assert() and mistake(). No exception crosses a module.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace headlight {

// What an error is about, for whoever acts on it: nobody searches a message.
struct Subject {
  std::size_t edit = 0;   // its number, from 1; 0: no edit
  std::string array;      // its id; empty: no array
  bool gradient = false;  // what gradients are asked of
  // Of a picture whose sides do not fit, a size that does; 0: it is not that.
  std::ptrdiff_t rows = 0, columns = 0;
  bool operator==(const Subject&) const = default;
};

// One line that says what was wrong, where, and what to do about it.
struct Error {
  std::string message;
  Subject about = {};
};

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

// fail("heads must be at least 1, not {}", heads) converts to any Result.
template <class... Args>
tl::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

// The same error with the place it came from put before it: "arrays.npz: …".
inline tl::unexpected<Error> fail_at(const std::string& where, const Error& error) {
  return tl::unexpected<Error>(Error{where + ": " + error.message, error.about});
}

// The same result, whose error is about that edit or that array, unless it is about another already.
template <class T>
Result<T> about_edit(std::size_t number, Result<T> result) {
  if (!result && result.error().about == Subject()) result.error().about.edit = number;
  return result;
}
template <class T>
Result<T> about_array(std::string id, Result<T> result) {
  if (!result && result.error().about == Subject()) result.error().about.array = std::move(id);
  return result;
}

}  // namespace headlight

// HL_TRY(auto tensor, read_npy(path)) leaves the function with the error, or goes on with the value.
#define HL_CONCAT_(a, b) a##b
#define HL_CONCAT(a, b) HL_CONCAT_(a, b)
#define HL_TRY_(result, declaration, expression)                        \
  auto result = (expression);                                           \
  if (!result) return tl::unexpected<headlight::Error>(result.error()); \
  declaration = std::move(*result)
#define HL_TRY(declaration, expression) HL_TRY_(HL_CONCAT(hl_result_, __LINE__), declaration, expression)
// HL_CHECK(validate(x)) leaves the function with the error, or goes on.
#define HL_CHECK(expression)                                                                                   \
  do {                                                                                                         \
    if (auto hl_status = (expression); !hl_status) return tl::unexpected<headlight::Error>(hl_status.error()); \
  } while (false)
