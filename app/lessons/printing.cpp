#include "app/lessons/printing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/formula/formula_tree.h"
#include "app/lessons/markdown.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_numbers_printed = 24;

std::string number_in_words(double number) {
  const double whole = std::round(number);
  const double size = std::abs(number);
  if (size >= 1e-4 && size < 0.01) return with_minus_signs(fmt::format("{:.4f}", number));
  if (whole == 0 && number != 0) return number_text(number, 2);  // little is not nothing
  if (std::abs(number) < 1e6 && std::abs(number - whole) <= 2e-6 * std::max(1.0, std::abs(number)))
    return with_minus_signs(fmt::format("{:.0f}", whole + 0.0));
  return number_text(number, 2);
}

// What a place is called; with its number where others are called the same.
std::string unique_label(const AxisPlace& place) {
  const std::string label = label_of_place(place);
  const auto& labels = place.axis.given_labels.empty() ? place.axis.labels : place.axis.given_labels.front();
  if (std::ranges::count(labels, label) < 2) return label;
  return fmt::format("{} ({})", label, place.positions.front());
}

// What is claimed, held against the run.
std::string claim(const LessonPiece& piece, const Value& value, std::vector<LessonMistake>& mistakes) {
  const auto said = Expression::parse(piece.text);
  const auto written = said ? said->evaluate({}) : ExpressionResult<Value>(number_value(0));
  const auto complain = [&](const std::string& it_is) {
    mistakes.push_back({piece.at, fmt::format("this says {}: it is {}", brief(piece.text), it_is)});
  };
  const std::string text =
      piece.text.starts_with('"') ? piece.text.substr(1, piece.text.size() - 2) : with_minus_signs(piece.text);
  if (const auto* places = std::get_if<AxisPlaces>(&value); places && places->size() == 1) {
    const AxisPlace& place = places->front();
    bool found = false;
    for (const Index at : place.positions) found = found || label_of_place({place.axis, {at}}) == text;
    if (!found) complain(label_of_place(place));
    return text;
  }
  const auto agree = written ? values_agree(*written, value) : Result<bool>(false);
  const auto number = as_number(value);
  if (!agree) {
    complain(kind_of(value));
  } else if (!*agree) {
    const auto* typed = std::get_if<WrittenNumber>(&*written);
    const int decimals = typed ? std::max(2, typed->decimals + 2) : 2;
    complain(number ? number_text(*number, decimals) : printed_value(value).value_or("something else"));
  }
  return text;
}

// What a claim comes to, with as many digits as it was typed with.
std::string computed_claim(const LessonPiece& piece, const Value& value) {
  const auto number = as_number(value);
  const auto said = Expression::parse(piece.text);
  const auto written = said ? said->evaluate({}) : ExpressionResult<Value>(number_value(0));
  const auto* typed = written ? std::get_if<WrittenNumber>(&*written) : nullptr;
  if (!number || !typed || typed->decimals < 0) return printed_value(value).value_or("?");
  return with_minus_signs(fmt::format("{:.{}f}", *number + 0.0, typed->decimals));
}

// Of an expression in the text: what a reader would not take for what it is. Empty: nothing.
std::string why_not_printed(const Value& value) {
  if (std::holds_alternative<bool>(value))
    return "a condition prints true or false: what is typed stands first, as in {0.62 = weights[h3, q9, k3]}, and what "
           "must hold stands in a fence called check";
  const auto* array = std::get_if<NumberArray>(&value);
  const auto number = as_number(value);
  const bool broken = (number && std::isnan(*number)) ||
                      (array && std::ranges::any_of(array->numbers, [](double each) { return std::isnan(each); }));
  return broken ? "there is NaN in what this comes to, and not a number" : "";
}

}  // namespace

LessonMistake mistake_in(const LessonExpression& expression, const ExpressionError& error) {
  const LessonPlace at = expression.at;
  return {{at.line, at.column + characters_before(expression.expression.text(), error.at)}, error.message};
}

std::optional<Value> value_of(const LessonExpression& expression, const ExpressionScope& scope,
                              std::vector<LessonMistake>& mistakes) {
  auto value = expression.expression.evaluate(scope);
  if (value) return *std::move(value);
  mistakes.push_back(mistake_in(expression, value.error()));
  return {};
}

Result<std::string> printed_value(const Value& value) {
  if (const auto* written = std::get_if<WrittenNumber>(&value)) {
    if (written->decimals < 0) return number_in_words(written->number);
    return with_minus_signs(fmt::format("{:.{}f}", written->number, written->decimals));
  }
  if (const auto* truth = std::get_if<bool>(&value)) return std::string(*truth ? "true" : "false");
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::vector<std::string> words;
  if (const auto* places = std::get_if<AxisPlaces>(&value)) {
    for (const auto& place : *places) words.push_back(unique_label(place));
    return fmt::format("{}", fmt::join(words, " → "));
  }
  const auto& numbers = std::get<NumberArray>(value).numbers;
  if (numbers.size() == 1) return number_in_words(numbers[0]);
  if (numbers.size() > most_numbers_printed)
    return fail("{} are too many to print: take a row, or their max, min, sum or mean", kind_of(value));
  for (const double number : numbers) words.push_back(number_in_words(number));
  return fmt::format("({})", fmt::join(words, ", "));
}

PrintedText render_text(const LessonText& text, const ExpressionScope& scope, std::vector<LessonMistake>& mistakes,
                        Claims claims) {
  PrintedText made;
  for (const auto& piece : text) {
    PrintedPiece print{piece.kind, piece.text, piece.emphasis, piece.strong};
    print.about = piece.kind == LessonPiece::Kind::formula ? plain_formula(piece.text) : piece.about;
    if (piece.action) print.action = piece.action->text;
    const bool computed = piece.kind == LessonPiece::Kind::expression || piece.kind == LessonPiece::Kind::claim;
    if (computed) {
      print.text = "?";
      const auto value = piece.expression ? value_of(*piece.expression, scope, mistakes) : std::nullopt;
      if (value && piece.kind == LessonPiece::Kind::claim) {
        print.text = claims == Claims::hold ? claim(piece, *value, mistakes) : computed_claim(piece, *value);
      } else if (value) {
        if (const std::string why = why_not_printed(*value); !why.empty()) mistakes.push_back({piece.at, why});
        auto words = printed_value(*value);
        if (words)
          print.text = *std::move(words);
        else
          mistakes.push_back({piece.at, words.error().message});
      }
    }
    made.push_back(std::move(print));
  }
  return made;
}

std::string plain_text(const PrintedText& text) {
  std::string line;
  for (const auto& piece : text) {
    const bool drawn = piece.kind == LessonPiece::Kind::picture || piece.kind == LessonPiece::Kind::formula;
    line += drawn ? piece.about : piece.text;
  }
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line;
}

}  // namespace headlight::app
