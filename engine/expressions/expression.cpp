#include "engine/expressions/expression.h"

#include <algorithm>
#include <cmath>

#include "engine/expressions/node.h"

namespace headlight {

namespace {

void add_runs(const ExpressionNode& node, std::vector<std::string>& runs) {
  if (!node.run.empty()) {
    const std::string first = node.run.substr(0, node.run.find('.'));
    if (first != "params" && first != "measure" && std::ranges::find(runs, first) == runs.end()) runs.push_back(first);
  }
  for (const auto& child : node.children) add_runs(*child, runs);
  for (const auto& range : node.ranges)
    for (const auto* item : {&range.first, &range.last})
      if (item->computed) add_runs(*item->computed, runs);
}

void add_numbers(const NodePointer& node, const ExpressionScope& scope, std::vector<double>& numbers) {
  const auto value = evaluate_node(*node, scope);
  const auto number = value ? as_number(*value) : std::nullopt;
  if (number && std::isfinite(*number)) numbers.push_back(*number);
  for (const auto& child : node->children) add_numbers(child, scope, numbers);
}

NodePointer of_first_run(const NodePointer& node) {
  auto made = std::make_shared<ExpressionNode>(*node);
  const std::string first = made->run.substr(0, made->run.find('.'));
  if (first != "params" && first != "measure")
    made->run = made->run.size() > first.size() ? made->run.substr(first.size() + 1) : "";
  for (auto& child : made->children) child = of_first_run(child);
  for (auto& range : made->ranges)
    for (auto* item : {&range.first, &range.last})
      if (item->computed) item->computed = of_first_run(item->computed);
  return made;
}

}  // namespace

Expression::Expression(std::string text, std::shared_ptr<const ExpressionNode> root)
    : text_(std::move(text)), root_(std::move(root)) {}

ExpressionResult<Expression> Expression::parse(std::string_view text) {
  if (text.size() > 2000) return wrong_at(0, "an expression has at most 2,000 characters, not {}", text.size());
  EXPR_TRY(NodePointer root, parse_expression_text(text));
  return Expression(std::string(text), std::move(root));
}

bool Expression::is_typed_number() const {
  const ExpressionNode* node = root_.get();
  if (node->kind == ExpressionNode::Kind::unary && node->word == "-") node = node->children[0].get();
  return node->kind == ExpressionNode::Kind::number;
}

std::vector<std::string> Expression::runs() const {
  std::vector<std::string> runs;
  add_runs(*root_, runs);
  return runs;
}

std::vector<double> Expression::numbers_within(const ExpressionScope& scope) const {
  std::vector<double> numbers;
  add_numbers(root_, scope, numbers);
  return numbers;
}

Expression Expression::without_runs() const {
  return {text_, of_first_run(root_)};
}

}  // namespace headlight
