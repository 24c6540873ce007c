// The language in which lessons speak of runs: max without.weights[h3, q9], sum weights[:, "cat"#2], params.d_head.
//
// Small and total: an expression has no loops, no names of its own and no effects, and comes to a value or to one line
// that says where it goes wrong. Numbers are computed in double precision from those of the trace, which are float32.
// The grammar, for who writes lessons: docs/lessons.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/expressions/value.h"
#include "engine/trace/trace.h"

namespace headlight {

// What an expression may ask of a run.
struct RunValues {
  const Trace* trace = nullptr;
  // params.NAME and measure.NAME: what is not there is an error that says what is.
  std::function<Result<Value>(std::string_view name)> parameter = {}, measure = {};
};

// What its names stand for.
struct ExpressionScope {
  RunValues run;                                       // of names without a run before them
  std::map<std::string, RunValues, std::less<>> runs;  // without.weights
  std::map<std::string, Value, std::less<>> values;    // answer, now
};

// Where in its text an expression is wrong, and what would fit.
struct ExpressionError {
  std::size_t at = 0;  // byte
  std::string message;
};
template <class T>
using ExpressionResult = tl::expected<T, ExpressionError>;

struct ExpressionNode;

class Expression {
 public:
  static ExpressionResult<Expression> parse(std::string_view text);

  ExpressionResult<Value> evaluate(const ExpressionScope& scope) const;
  const std::string& text() const { return text_; }
  // A number that was typed, be it with a minus sign before it: nothing is computed.
  bool is_typed_number() const;
  // The runs that it names before a point, each once.
  std::vector<std::string> runs() const;
  // What its parts come to, as far as they are numbers and can be carried out.
  std::vector<double> numbers_within(const ExpressionScope& scope) const;
  // The same of the first run alone: no run stands before a name.
  Expression without_runs() const;

 private:
  Expression(std::string text, std::shared_ptr<const ExpressionNode> root);
  std::string text_;
  std::shared_ptr<const ExpressionNode> root_;
};

// Whether two values are what a reader calls the same: to the digits that are written where one of them was typed, else
// to a millionth of their size. Error: they cannot be compared.
Result<bool> values_agree(const Value& a, const Value& b);

}  // namespace headlight
