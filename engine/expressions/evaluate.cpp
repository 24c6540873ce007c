#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/words.h"
#include "engine/expressions/arrays.h"

namespace headlight {

namespace {

using Evaluated = ExpressionResult<Value>;

NumberArray array_of(double number) {
  return {{}, {number}};
}

// Numbers, one or many; null where it is none.
std::optional<NumberArray> numbers_of(const Value& value) {
  if (const auto* array = std::get_if<NumberArray>(&value)) return *array;
  if (const auto number = as_number(value)) return array_of(*number);
  return {};
}

Value unwrapped(NumberArray array) {
  if (array.axes.empty() && array.numbers.size() == 1) return number_value(array.numbers[0]);
  return array;
}

// Whether one of the places that serve is that position.
bool contains(const AxisPlace& place, Index position) {
  return std::ranges::find(place.positions, position) != place.positions.end();
}

BinaryFunction arithmetic(std::string_view sign) {
  if (sign == "+") return [](double x, double y) { return x + y; };
  if (sign == "-") return [](double x, double y) { return x - y; };
  if (sign == "*") return [](double x, double y) { return x * y; };
  if (sign == "/") return [](double x, double y) { return x / y; };
  return [](double x, double y) { return std::pow(x, y); };
}

bool ordered(std::string_view sign, double a, double b) {
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  return sign == "<=" ? a <= b : a >= b;
}

class Evaluation {
 public:
  explicit Evaluation(const ExpressionScope& scope) : scope_(scope) {}

  Evaluated of(const ExpressionNode& node) const {
    using Kind = ExpressionNode::Kind;
    switch (node.kind) {
      case Kind::number:
        return node.number;
      case Kind::text:
        return node.word;
      case Kind::token:
        return token_on_map(node, AxisRole::key);
      case Kind::name:
        return named(node);
      case Kind::indexed:
        return indexed(node);
      case Kind::group:
        return cell(node);
      case Kind::apply:
        return applied(node);
      case Kind::unary:
        return unary(node);
      case Kind::binary:
        return binary(node);
      case Kind::comparison:
        return comparison(node);
    }
    return wrong_at(node.at, "this cannot be carried out");
  }

 private:
  const RunValues* run_of(std::string_view run) const {
    if (run.empty()) return &scope_.run;
    const auto found = scope_.runs.find(run);
    return found == scope_.runs.end() ? nullptr : &found->second;
  }
  std::string runs_in_words() const {
    std::vector<std::string> names;
    for (const auto& [name, run] : scope_.runs) names.push_back(name);
    return names.empty() ? "no other run is made before this" : "other runs here are " + brief_list(names);
  }

  // The run and what is asked of it: "params" or "measure", or nothing where it is a step.
  struct Owner {
    const RunValues* run = nullptr;
    std::string_view part;
  };
  ExpressionResult<Owner> owner(const ExpressionNode& node) const {
    std::string_view run = node.run, part;
    const auto point = run.rfind('.');
    const std::string_view last = point == std::string_view::npos ? run : run.substr(point + 1);
    if (last == "params" || last == "measure") {
      part = last;
      run = point == std::string_view::npos ? std::string_view() : run.substr(0, point);
    }
    const RunValues* found = run_of(run);
    if (!found) return wrong_at(node.at, "no run is called “{}”: {}", brief(run), runs_in_words());
    if (!found->trace) return wrong_at(node.at, "there is no result to take numbers from");
    return Owner{found, part};
  }
  static Evaluated look_up(const ExpressionNode& node, const Owner& owner) {
    const auto& function = owner.part == "params" ? owner.run->parameter : owner.run->measure;
    if (!function) return wrong_at(node.at, "there are no {} here", owner.part == "params" ? "parameters" : "measures");
    auto value = function(node.word);
    if (!value) return wrong_at(node.at, "{}", value.error().message);
    return *std::move(value);
  }
  static ExpressionResult<const Step*> step(const ExpressionNode& node, const Owner& owner) {
    const Step* found = owner.run->trace->find(node.word);
    if (found) return found;
    std::vector<std::string> ids;
    for (const auto* list : {&owner.run->trace->steps, &owner.run->trace->sources})
      for (const auto& one : *list) ids.push_back(one.info.id);
    return wrong_at(node.at, "nothing is called “{}”: there are {}", brief(node.word), brief_list(ids));
  }

  Evaluated named(const ExpressionNode& node) const {
    if (node.run.empty()) {
      if (const auto found = scope_.values.find(node.word); found != scope_.values.end()) return found->second;
      if (node.word == "inf") return number_value(std::numeric_limits<double>::infinity());
      if (node.word == "true" || node.word == "false") return node.word == "true";
    }
    EXPR_TRY(const Owner from, owner(node));
    if (!from.part.empty()) return look_up(node, from);
    EXPR_TRY(const Step* found, step(node, from));
    EXPR_TRY(NumberArray all, select(source_of(*found), {}, node.at, node.word, computed()));
    return unwrapped(std::move(all));
  }

  std::function<Evaluated(const ExpressionNode&)> computed() const {
    return [this](const ExpressionNode& node) { return of(node); };
  }

  Evaluated indexed(const ExpressionNode& node) const {
    const ExpressionNode& base = *node.children[0];
    const bool is_value = base.run.empty() && scope_.values.contains(base.word);
    if (base.kind == ExpressionNode::Kind::name && !is_value) {
      EXPR_TRY(const Owner from, owner(base));
      if (from.part.empty()) {
        EXPR_TRY(const Step* found, step(base, from));
        EXPR_TRY(NumberArray some, select(source_of(*found), node.ranges, node.at, base.word, computed()));
        return unwrapped(std::move(some));
      }
    }
    EXPR_TRY(Value value, of(base));
    if (const auto* places = std::get_if<AxisPlaces>(&value)) {  // answer[0] of an order
      const auto& range = node.ranges.front();
      if (node.ranges.size() > 1 || range.range || range.first.kind != IndexItem::Kind::numbered ||
          range.first.position < 0 || range.first.position >= static_cast<Index>(places->size()))
        return wrong_at(node.at, "of {} places one is taken by its number, from 0", places->size());
      return AxisPlaces{(*places)[static_cast<std::size_t>(range.first.position)]};
    }
    const auto* array = std::get_if<NumberArray>(&value);
    if (!array) return wrong_at(node.at, "brackets take numbers of an array, and this is {}", kind_of(value));
    EXPR_TRY(NumberArray some, select(source_of(*array), node.ranges, node.at, "this", computed()));
    return unwrapped(std::move(some));
  }

  // A token, or a name such as q9, as a place along an axis of the run's map.
  Evaluated token_on_map(const ExpressionNode& node, AxisRole along) const {
    const Step* map = scope_.run.trace ? scope_.run.trace->map() : nullptr;
    const Axis* axis = map ? map->axis(along) : nullptr;
    if (!axis) return wrong_at(node.at, "there is no map in which “{}” could be a place", brief(node.word));
    if (node.kind == ExpressionNode::Kind::number) {
      const auto at = static_cast<Index>(node.number.number);
      if (at < 0 || at >= axis->size) return wrong_at(node.at, "{} is no {}: there are {}", at, axis->name, axis->size);
      return AxisPlaces{AxisPlace{*axis, {at}}};
    }
    const auto found = position_of_label(*axis, node.word, node.nth);
    if (found) return AxisPlaces{AxisPlace{*axis, {*found}}};
    if (node.kind == ExpressionNode::Kind::name && node.word.size() > 1 && letter_of(along) == node.word.substr(0, 1) &&
        std::ranges::all_of(node.word.substr(1), is_digit)) {
      const Index at = std::atoll(node.word.substr(1, 9).c_str());
      if (at < axis->size) return AxisPlaces{AxisPlace{*axis, {at}}};
    }
    return wrong_at(node.at, "{}", found.error().message);
  }

  // (query, key): a cell of the map; (head, query, key) where it has several heads.
  Evaluated cell(const ExpressionNode& node) const {
    const auto count = node.children.size();
    if (count > 3)
      return wrong_at(node.at, "a cell has a query and a key, and a head before them: not {} places", count);
    constexpr std::array along{AxisRole::head, AxisRole::query, AxisRole::key};
    AxisPlaces places;
    for (std::size_t i = 0; i < count; ++i) {
      const ExpressionNode& child = *node.children[i];
      const bool computed = child.kind != ExpressionNode::Kind::name && child.kind != ExpressionNode::Kind::text &&
                            child.kind != ExpressionNode::Kind::token && child.kind != ExpressionNode::Kind::number;
      EXPR_TRY(const Value value, computed ? of(child) : token_on_map(child, along[3 - count + i]));
      const auto* place = std::get_if<AxisPlaces>(&value);
      if (!place || place->size() != 1)
        return wrong_at(child.at, "a place is needed here, and this is {}", kind_of(value));
      places.push_back(place->front());
    }
    return places;
  }

  Evaluated applied(const ExpressionNode& node) const {
    EXPR_TRY(const Value value, of(*node.children[0]));
    const auto numbers = numbers_of(value);
    if (!numbers) return wrong_at(node.children[0]->at, "{} is of numbers, and this is {}", node.word, kind_of(value));
    for (const auto& [word, function] : elementwise)
      if (word == node.word) {
        if (!node.over.empty())
          return wrong_at(node.at, "{} is of each number alone: leave “over {}” out", word, brief(node.over));
        NumberArray made = *numbers;
        for (double& number : made.numbers) number = function(number);
        return unwrapped(std::move(made));
      }
    const auto at = [&](const Error& error) { return wrong_at(node.at, "{}", error.message); };
    if (node.word.starts_with("arg")) {
      if (!node.over.empty())
        return wrong_at(node.at, "{} finds one place: leave “over {}” out", node.word, brief(node.over));
      auto places = place_of_extreme(*numbers, node.word == "argmax");
      if (!places) return at(places.error());
      return *std::move(places);
    }
    std::optional<std::size_t> along;
    if (!node.over.empty()) {
      const auto axis = axis_named(*numbers, node.over);
      if (!axis) return at(axis.error());
      along = *axis;
    }
    auto made = reduced(*numbers, node.word, along);
    if (!made) return at(made.error());
    return unwrapped(*std::move(made));
  }

  ExpressionResult<bool> truth(const ExpressionNode& node) const {
    EXPR_TRY(const Value value, of(node));
    const bool* found = std::get_if<bool>(&value);
    if (!found) return wrong_at(node.at, "a condition is needed here, such as a < b, and this is {}", kind_of(value));
    return *found;
  }

  Evaluated unary(const ExpressionNode& node) const {
    const ExpressionNode& child = *node.children[0];
    if (node.word == "not") {
      EXPR_TRY(const bool yes, truth(child));
      return !yes;
    }
    EXPR_TRY(const Value value, of(child));
    if (const auto* written = std::get_if<WrittenNumber>(&value))
      return WrittenNumber{-written->number, written->decimals};
    auto numbers = numbers_of(value);
    if (!numbers) return wrong_at(node.at, "a minus stands before numbers, and this is {}", kind_of(value));
    for (double& number : numbers->numbers) number = -number;
    return unwrapped(*std::move(numbers));
  }

  Evaluated binary(const ExpressionNode& node) const {
    if (node.word == "and" || node.word == "or") {
      EXPR_TRY(const bool left, truth(*node.children[0]));
      if (left == (node.word == "or")) return left;
      EXPR_TRY(const bool right, truth(*node.children[1]));
      return right;
    }
    EXPR_TRY(const Value left, of(*node.children[0]));
    EXPR_TRY(const Value right, of(*node.children[1]));
    const auto a = numbers_of(left), b = numbers_of(right);
    if (!a || !b) {
      const bool first = !a;
      return wrong_at(node.children[first ? 0 : 1]->at,
                      "{} takes numbers, and this is {}: brackets ( ) say what belongs together", node.word,
                      kind_of(first ? left : right));
    }
    const BinaryFunction function = arithmetic(node.word);
    const bool swapped = a->axes.empty() && !b->axes.empty();
    auto made = swapped ? combined(broadcast(*a, *b), *b, function) : combined(*a, *b, function);
    if (!made) return wrong_at(node.at, "{}", made.error().message);
    return unwrapped(*std::move(made));
  }
  // One number as often as the other has.
  static NumberArray broadcast(const NumberArray& one, const NumberArray& like) {
    return {like.axes, std::vector<double>(like.numbers.size(), one.numbers[0])};
  }

  // Names, texts and tokens that stand beside a place are places as well.
  static bool may_be_place(const ExpressionNode& node) {
    using Kind = ExpressionNode::Kind;
    return (node.kind == Kind::name && node.run.empty()) || node.kind == Kind::text || node.kind == Kind::token ||
           node.kind == Kind::number;
  }
  ExpressionResult<std::vector<Value>> operands(const ExpressionNode& node) const {
    std::vector<std::optional<Value>> found(node.children.size());
    std::optional<AxisPlaces> places;
    std::optional<ExpressionError> first;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (auto value = of(*node.children[i])) {
        found[i] = *std::move(value);
        if (const auto* place = std::get_if<AxisPlaces>(&*found[i])) places = *place;
      } else if (!first) {
        first = value.error();
      }
    }
    const bool with_words = std::ranges::any_of(
        found, [](const auto& value) { return value && std::holds_alternative<std::string>(*value); });
    std::vector<Value> values;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const ExpressionNode& child = *node.children[i];
      if (places && places->size() == 1 && may_be_place(child) &&
          (!found[i] || !std::holds_alternative<AxisPlaces>(*found[i]) || child.kind == ExpressionNode::Kind::token)) {
        EXPR_TRY(Value value, place_along(child, places->front().axis));
        found[i] = std::move(value);
      } else if (!found[i] && with_words && child.kind == ExpressionNode::Kind::name && child.run.empty()) {
        found[i] = child.word;  // answer = less
      }
      if (!found[i]) return tl::unexpected<ExpressionError>(*first);
      values.push_back(*std::move(found[i]));
    }
    return values;
  }
  static Evaluated place_along(const ExpressionNode& node, const Axis& axis) {
    if (node.kind == ExpressionNode::Kind::number)
      return AxisPlaces{AxisPlace{axis, {static_cast<Index>(node.number.number)}}};
    const auto found = position_of_label(axis, node.word, node.nth);
    if (found) return AxisPlaces{AxisPlace{axis, {*found}}};
    // Any of several tokens of that name.
    AxisPlace any{axis, {}};
    for (int nth = 1;; ++nth) {
      const auto one = position_of_label(axis, node.word, nth);
      if (!one) break;
      any.positions.push_back(*one);
    }
    if (any.positions.empty()) return wrong_at(node.at, "{}", found.error().message);
    return AxisPlaces{any};
  }

  Evaluated comparison(const ExpressionNode& node) const {
    EXPR_TRY(const std::vector<Value> values, operands(node));
    bool holds = true;
    for (std::size_t i = 0; i < node.words.size(); ++i) {
      const std::string& word = node.words[i];
      if (word == "=" || word == "!=") {
        const auto agree = values_agree(values[i], values[i + 1]);
        if (!agree) return wrong_at(node.at, "{}", agree.error().message);
        holds = holds && *agree == (word == "=");
        continue;
      }
      const auto a = as_number(values[i]), b = as_number(values[i + 1]);
      if (!a || !b)
        return wrong_at(node.children[a ? i + 1 : i]->at,
                        "{} compares one number with one, and this is {}: max, min, sum and "
                        "mean make one of many",
                        word, kind_of(values[a ? i + 1 : i]));
      holds = holds && ordered(word, *a, *b);
    }
    return holds;
  }

  static constexpr std::array<std::pair<std::string_view, double (*)(double)>, 4> elementwise{
      {{"abs", [](double x) { return std::abs(x); }},
       {"sqrt", [](double x) { return std::sqrt(x); }},
       {"exp", [](double x) { return std::exp(x); }},
       {"log", [](double x) { return std::log(x); }}}};

  const ExpressionScope& scope_;
};

bool numbers_agree(double a, int decimals_a, double b, int decimals_b) {
  if (a == b) return true;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if ((decimals_a < 0) == (decimals_b < 0))
    return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)) + (decimals_a < 0 ? 1e-7 : 0);
  return std::abs(a - b) <= 0.5 * std::pow(10.0, -std::max(decimals_a, decimals_b)) * (1 + 1e-6);
}

}  // namespace

ExpressionResult<Value> evaluate_node(const ExpressionNode& node, const ExpressionScope& scope) {
  return Evaluation(scope).of(node);
}

ExpressionResult<Value> Expression::evaluate(const ExpressionScope& scope) const {
  return evaluate_node(*root_, scope);
}

Result<bool> values_agree(const Value& a, const Value& b) {
  const auto decimals = [](const Value& value) {
    const auto* written = std::get_if<WrittenNumber>(&value);
    return written ? written->decimals : -1;
  };
  if (const auto x = numbers_of(a), y = numbers_of(b); x && y) {
    if (x->numbers.size() != y->numbers.size() && x->numbers.size() != 1 && y->numbers.size() != 1)
      return fail("{} cannot equal {}", kind_of(a), kind_of(b));
    const auto count = std::max(x->numbers.size(), y->numbers.size());
    for (std::size_t i = 0; i < count; ++i)
      if (!numbers_agree(x->numbers[x->numbers.size() == 1 ? 0 : i], decimals(a),
                         y->numbers[y->numbers.size() == 1 ? 0 : i], decimals(b)))
        return false;
    return true;
  }
  const auto* p = std::get_if<AxisPlaces>(&a);
  const auto* q = std::get_if<AxisPlaces>(&b);
  if (p && q) {
    if (p->size() != q->size()) return fail("{} cannot equal {}", kind_of(a), kind_of(b));
    for (std::size_t i = 0; i < p->size(); ++i)
      if (std::ranges::none_of((*p)[i].positions, [&](Index at) { return contains((*q)[i], at); })) return false;
    return true;
  }
  if (a.index() == b.index() && !p)
    return a.index() == 1 ? std::get<bool>(a) == std::get<bool>(b)
                          : std::get<std::string>(a) == std::get<std::string>(b);
  return fail("{} cannot equal {}", kind_of(a), kind_of(b));
}

}  // namespace headlight
