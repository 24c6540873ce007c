// An expression as a tree, as its parser makes it and its evaluation walks it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/expressions/expression.h"

namespace headlight {

using NodePointer = std::shared_ptr<const ExpressionNode>;

// What stands between two commas of brackets.
struct IndexItem {
  enum class Kind {
    all,       // ":"
    lettered,  // "h3": a position of the axis with that letter
    numbered,  // "3", "-1": of the next axis
    token,     // cat, "cat"#2
    computed,  // "(argmax weights[h3, q9, :])"
  } kind = Kind::all;
  std::size_t at = 0;
  char letter = 0;
  Index position = 0;
  std::string token;
  int nth = 0;  // of the positions with that label, from 1; 0: there must be one
  NodePointer computed;
};
// One position, or all from the first to the last. Ends given by name are inclusive; plain numbers exclude the last, as
// in Python.
struct IndexRange {
  IndexItem first;
  bool range = false;
  bool open_first = false, open_last = false;
  IndexItem last;
};

struct ExpressionNode {
  enum class Kind {
    number,
    text,       // "the same"
    name,       // weights, params.d_head, answer, or a token
    token,      // "cat"#2
    indexed,    // children[0] [ranges]
    group,      // (fox, red)
    apply,      // word children[0], over an axis or over all
    unary,      // -, not
    binary,     // + - * / ^
    comparison  // a < b < c: words between children
  } kind = Kind::number;
  std::size_t at = 0;
  WrittenNumber number;
  std::string run;                 // before the point
  std::string word;                // the name, the function, the operator
  std::string over;                // of apply: the letter or the name of an axis; empty: all
  std::vector<std::string> words;  // of comparison
  std::vector<IndexRange> ranges;
  int nth = 0;
  std::vector<NodePointer> children;
};

// A text of any length as a tree; brackets may lie only so deep in it.
ExpressionResult<NodePointer> parse_expression_text(std::string_view text);

ExpressionResult<Value> evaluate_node(const ExpressionNode& node, const ExpressionScope& scope);

template <class... Args>
tl::unexpected<ExpressionError> wrong_at(std::size_t at, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<ExpressionError>(ExpressionError{at, fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace headlight

// EXPR_TRY(auto value, evaluate(node)) leaves the function with the error, or goes on with the value.
#define EXPR_TRY_(result, declaration, expression)                                \
  auto result = (expression);                                                     \
  if (!result) return tl::unexpected<headlight::ExpressionError>(result.error()); \
  declaration = std::move(*result)
#define EXPR_TRY(declaration, expression) EXPR_TRY_(HL_CONCAT(expr_result_, __LINE__), declaration, expression)
