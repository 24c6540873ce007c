// Answers: the right one, those that somebody could give, and how they are said.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/lessons/judging.h"
#include "app/lessons/markdown.h"
#include "engine/base/words.h"
#include "engine/expressions/arrays.h"

namespace headlight::app {

std::string answer_in_words(const LessonQuestion& question, const Value& answer) {
  if (question.kind == AskKind::deed) return std::get<bool>(answer) ? "done" : "not done";
  if (question.kind != AskKind::order) return printed_value(answer).value_or("…");
  std::vector<std::string> words;
  for (const auto& place : std::get<AxisPlaces>(answer)) words.push_back(label_of_place(place));
  return fmt::format("{}", fmt::join(words, ", "));
}

Value right_answer(const LessonQuestion& question, const LessonTruth& truth) {
  if (question.kind == AskKind::deed) return true;
  if (question.kind != AskKind::cell && question.kind != AskKind::token) return truth.value;
  AxisPlaces one = std::get<AxisPlaces>(truth.value);
  for (auto& place : one) place.positions.resize(1);
  return one;
}

namespace {

// Words apart; those in quotes are one.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (quoted) words.emplace_back();
      inside = quoted;
    } else if (c == ' ' && !quoted) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  return words;
}

std::optional<WrittenNumber> parse_written_number(std::string text) {
  for (std::size_t at = 0; (at = text.find("−")) != std::string::npos;) text.replace(at, 3, "-");
  std::ranges::replace(text, ',', '.');
  const auto parsed = Expression::parse(text);
  if (!parsed || !parsed->is_typed_number()) return {};
  const auto value = parsed->evaluate({});
  return value ? std::optional(std::get<WrittenNumber>(*value)) : std::nullopt;
}

// A place by its word, or by its number where words do not say it.
Result<AxisPlace> parse_place(const Axis& axis, const std::string& word) {
  const auto sign = word.rfind('#');
  const auto nth = sign == std::string::npos || sign == 0 ? 0 : std::atoi(word.c_str() + sign + 1);
  if (const auto found = position_of_label(axis, nth ? word.substr(0, sign) : word, nth))
    return AxisPlace{axis, {*found}};
  const bool digits = !word.empty() && word.size() < 9 && std::ranges::all_of(word, is_digit);
  if (digits && std::atoll(word.c_str()) < axis.size) return AxisPlace{axis, {std::atoll(word.c_str())}};
  return fail("“{}” is no {} here", brief(word), axis.name);
}

}  // namespace

Result<Value> parse_answer(const LessonQuestion& question, const LessonTruth& truth, const std::string& text) {
  const auto words = split_words(text);
  switch (question.kind) {
    case AskKind::number:
      if (const auto number = parse_written_number(std::string(trimmed(text)))) return Value(*number);
      return fail("a number is asked for, such as 4 or 0.62");
    case AskKind::drag: {
      NumberArray sketch = std::get<NumberArray>(truth.value);
      if (words.size() != sketch.numbers.size())
        return fail("{} numbers are asked for, one a bar", sketch.numbers.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto number = parse_written_number(words[i]);
        if (!number) return fail("“{}” is no number", brief(words[i]));
        sketch.numbers[i] = number->number;
      }
      return Value(std::move(sketch));
    }
    case AskKind::choice: {
      const std::string said(trimmed(text));
      for (const auto& option : question.options)
        if (option.plain == said) return value_of_option(option);
      if (said.size() == 1) {
        const auto at = static_cast<std::size_t>(said[0] >= 'a' ? said[0] - 'a' : said[0] - 'A');
        if (at < question.options.size()) return value_of_option(question.options[at]);
      }
      return fail("one of A to {} is asked for", static_cast<char>('A' + question.options.size() - 1));
    }
    case AskKind::token:
    case AskKind::cell: {
      const auto& places = std::get<AxisPlaces>(truth.value);
      if (words.size() != places.size())
        return fail("{}", places.size() == 1 ? "one token is asked for" : "a query and a key are asked for");
      AxisPlaces said;
      for (std::size_t i = 0; i < words.size(); ++i) {
        HL_TRY(AxisPlace place, parse_place(places[i].axis, words[i]));
        said.push_back(std::move(place));
      }
      return Value(std::move(said));
    }
    case AskKind::order: {
      AxisPlaces said;
      for (const auto& word : words) {
        HL_TRY(AxisPlace place, parse_place(truth.items, word));
        const bool twice =
            std::ranges::any_of(said, [&](const AxisPlace& one) { return one.positions == place.positions; });
        if (twice) return fail("“{}” stands there twice", brief(word));
        said.push_back(std::move(place));
      }
      if (said.size() != truth.by.size()) return fail("all {} are put in order", truth.by.size());
      return Value(std::move(said));
    }
    case AskKind::deed:
      break;
  }
  return fail("this is to be done, not said");
}

std::vector<Value> answers_to_try(const LessonQuestion& question, const LessonTruth& truth,
                                  const ExpressionScope& scope) {
  std::vector<Value> answers;
  switch (question.kind) {
    case AskKind::choice:
      for (const auto& option : question.options) answers.push_back(value_of_option(option));
      break;
    case AskKind::token:
    case AskKind::cell: {
      const auto& places = std::get<AxisPlaces>(truth.value);
      const bool cell = places.size() > 1;
      const Index outer = cell ? std::min<Index>(places[0].axis.size, 64) : 1,
                  inner = std::min<Index>(places.back().axis.size, 256);
      for (Index i = 0; i < outer; ++i)
        for (Index j = 0; j < inner; ++j) {
          AxisPlaces at{{places.back().axis, {j}}};
          if (cell) at.insert(at.begin(), {places[0].axis, {i}});
          answers.push_back(std::move(at));
        }
      break;
    }
    case AskKind::order: {
      std::vector<Index> order(truth.by.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        AxisPlaces places;
        for (const Index place : order) places.push_back({truth.items, {place}});
        answers.emplace_back(std::move(places));
      } while (std::ranges::next_permutation(order).found);
      break;
    }
    case AskKind::number:
    case AskKind::drag: {
      std::vector<double> marks{0, 1, -1};
      const auto* array = std::get_if<NumberArray>(&truth.value);
      const auto add = [&](const Value& value) {
        if (const auto number = as_number(value)) marks.push_back(*number);
      };
      add(truth.value);
      if (truth.now) add(*truth.now);
      for (const auto& reply : question.replies)
        for (const double number : reply.when.expression.numbers_within(scope)) marks.push_back(number);
      const double step = std::max(truth.within, 1e-3);
      std::vector<double> tried;
      for (const double mark : marks)
        for (const double off :
             {0.0, step, -step, 2.5 * step, -2.5 * step, 0.1 * std::abs(mark), -0.1 * std::abs(mark), 1.0, -1.0})
          tried.push_back(mark + off);
      for (std::size_t i = 0; i < marks.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) tried.push_back((marks[i] + marks[j]) / 2);
      for (const double number : tried) {
        if (question.kind == AskKind::number) {
          answers.emplace_back(WrittenNumber{number, 6});
          continue;
        }
        // One bar off, the others as they are; or all alike.
        for (std::size_t bar = 0; bar < array->numbers.size(); ++bar) {
          NumberArray sketch = *array;
          sketch.numbers[bar] = number;
          answers.emplace_back(std::move(sketch));
        }
        answers.emplace_back(NumberArray{array->axes, std::vector<double>(array->numbers.size(), number)});
      }
      break;
    }
    case AskKind::deed:
      break;
  }
  return answers;
}

}  // namespace headlight::app
