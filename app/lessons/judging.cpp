#include "app/lessons/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/lessons/markdown.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr double usual_margin = 0.005;
constexpr std::size_t most_permuted = 6;
constexpr double in_order = 1e-9;  // by how much what stands behind may be larger

// Digits behind the point of the most exact of them.
int decimals_in(const std::string& text) {
  int most = 0;
  for (auto point = text.find('.'); point != std::string::npos; point = text.find('.', point + 1)) {
    int count = 0;
    while (point + 1 + static_cast<std::size_t>(count) < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[point + 1 + static_cast<std::size_t>(count)])))
      ++count;
    most = std::max(most, count);
  }
  return most;
}

// How far the numbers of an answer to choose from are from that value, where they say it to their digits; words say it
// or do not. Nothing where it says another.
std::optional<double> distance_to(const LessonOption& option, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return option.plain == *text ? std::optional(0.0) : std::nullopt;
  if (const auto* places = std::get_if<AxisPlaces>(&value); places && places->size() == 1) {
    const AxisPlace& place = places->front();
    const bool named = std::ranges::any_of(place.positions, [&](Index at) {
      return label_of_place({place.axis, {at}}) == option.plain;
    });
    return named ? std::optional(0.0) : std::nullopt;
  }
  std::vector<double> wanted;
  if (const auto number = as_number(value))
    wanted = {*number};
  else if (const auto* array = std::get_if<NumberArray>(&value))
    wanted = array->numbers;
  const auto found = numbers_in_text(option.plain);
  if (wanted.empty() || found.size() != wanted.size()) return {};
  const int decimals = decimals_in(option.plain);
  double farthest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto agree = values_agree(WrittenNumber{found[i], decimals}, number_value(wanted[i]));
    if (!agree || !*agree) return {};
    farthest = std::max(farthest, std::abs(found[i] - wanted[i]));
  }
  return farthest;
}

class Truth {
 public:
  Truth(const LessonQuestion& question, const ExpressionScope& scope, std::vector<LessonMistake>& mistakes)
      : question_(question), scope_(scope), mistakes_(mistakes) {}

  std::optional<LessonTruth> operator()(std::optional<Index> row) {
    truth_.kind = question_.kind;
    if (question_.answer) {
      const auto value = value_of(*question_.answer, scope_, mistakes_);
      if (!value) return {};
      truth_.value = *value;
      if (!question_.answer->expression.runs().empty()) {
        auto now = question_.answer->expression.without_runs().evaluate(scope_);
        if (now) truth_.now = *std::move(now);
      }
    }
    if (!within()) return {};
    switch (question_.kind) {
      case AskKind::number:
        return number();
      case AskKind::token:
        return places(1, row);
      case AskKind::cell:
        return places(2, row);
      case AskKind::choice:
        return choice();
      case AskKind::order:
        return order();
      case AskKind::drag:
        return bars();
      case AskKind::deed:
        return truth_;
    }
    return {};
  }

 private:
  std::nullopt_t wrong(LessonPlace at, std::string message) {
    mistakes_.push_back({at, std::move(message)});
    return std::nullopt;
  }
  LessonPlace at() const { return question_.answer ? question_.answer->at : question_.at; }

  bool within() {
    truth_.within = usual_margin;
    if (!question_.within) return true;
    const auto value = value_of(*question_.within, scope_, mistakes_);
    const auto number = value ? as_number(*value) : std::nullopt;
    if (value && (!number || *number < 0))
      wrong(question_.within->at, number ? std::string("within is a distance, and this is below 0")
                                         : fmt::format("within is a distance, and this is {}", kind_of(*value)));
    if (number) truth_.within = *number;
    return number && *number >= 0;
  }

  std::optional<LessonTruth> number() {
    const auto number = as_number(truth_.value);
    if (!number)
      return wrong(
          at(),
          fmt::format("the answer is {}, and ask number wants one number: max, min, sum and mean make one of many",
                      kind_of(truth_.value)));
    if (!std::isfinite(*number)) return wrong(at(), "the answer is not finite: nobody can type it");
    constexpr double digits_typed = 1e6;
    if (truth_.within < 0.5 / digits_typed && std::round(*number * digits_typed) / digits_typed != *number)
      return wrong(question_.within->at, fmt::format("nobody types {} to its last digit: within: says how far off is "
                                                     "right, such as 0.005",
                                                     fmt::format("{:.3g}", *number)));
    return truth_;
  }

  std::optional<LessonTruth> places(std::size_t count, std::optional<Index> row) {
    auto* places = std::get_if<AxisPlaces>(&truth_.value);
    if (!places)
      return wrong(at(),
                   fmt::format("the answer is {}, and a place is asked for: argmax finds one", kind_of(truth_.value)));
    if (count == 2 && places->size() == 3) places->erase(places->begin());  // the head is the one that is shown
    if (count == 2 && places->size() == 1 && row && scope_.run.trace) {     // of the row that asks, by its key
      const Step* map = scope_.run.trace->map();
      if (const Axis* queries = map ? map->axis(AxisRole::query) : nullptr)
        places->insert(places->begin(), AxisPlace{*queries, {*row}});
    }
    if (places->size() != count)
      return wrong(at(), count == 1 ? "a token is one place: choose a row, as in argmax weights[q9, :]"
                                    : "a cell is a query and a key: (q9, k3)");
    return truth_;
  }

  std::optional<LessonTruth> choice() {
    std::vector<std::size_t> right;
    for (std::size_t i = 0; i < question_.options.size(); ++i) {
      const auto& option = question_.options[i];
      if (option.is && question_.answer)
        return wrong(option.is->at, "what is right is said twice: by answer: or by conditions behind “if”");
      if (is_duplicate(i)) return wrong(option.at, fmt::format("“{}” stands here twice", brief(option.plain)));
      if (!option.is) continue;
      const auto value = value_of(*option.is, scope_, mistakes_);
      if (!value) return {};
      const bool* holds = std::get_if<bool>(&*value);
      if (!holds) return wrong(option.is->at, fmt::format("a condition follows “if”, and this is {}", kind_of(*value)));
      if (*holds) right.push_back(i);
    }
    double nearest = std::numeric_limits<double>::infinity();  // ".33" says a third better than "0" does
    for (std::size_t i = 0; question_.answer && i < question_.options.size(); ++i) {
      const auto distance = question_.options[i].is ? std::nullopt : distance_to(question_.options[i], truth_.value);
      if (!distance || *distance > nearest) continue;
      if (*distance < nearest) right.clear();
      nearest = *distance;
      right.push_back(i);
    }
    if (right.size() != 1) {
      if (!right.empty()) return wrong(at(), fmt::format("{} of the answers are right: one must be", right.size()));
      const auto words = question_.answer ? printed_value(truth_.value) : Result<std::string>("");
      const std::string it_is = words && !words->empty() ? ": it is " + *words : "";
      return wrong(at(),
                   fmt::format("none of the answers is right{}: answer: names one by the number that it says, and a "
                               "condition stands behind “if”",
                               it_is));
    }
    truth_.option = right[0];
    truth_.value = value_of_option(question_.options[right[0]]);
    return truth_;
  }

  std::optional<LessonTruth> order() {
    if (question_.options.empty()) {
      const auto* array = std::get_if<NumberArray>(&truth_.value);
      if (!array || array->axes.size() != 1 || array->numbers.size() < 2 || array->numbers.size() > most_permuted)
        return wrong(at(), fmt::format("two to {} numbers are put in order, such as scores[runs, :], and this is {}",
                                       most_permuted, kind_of(truth_.value)));
      const TakenAxis& axis = array->axes[0];
      truth_.items = {.symbol = axis.axis.symbol,
                      .name = axis.axis.name,
                      .size = static_cast<Index>(array->numbers.size()),
                      .along = axis.axis.along};
      for (const Index position : axis.positions)
        truth_.items.labels.push_back(label_of_place({axis.axis, {position}}));
      truth_.by = array->numbers;
    } else {
      truth_.items = {.symbol = "",
                      .name = "answer",
                      .size = static_cast<Index>(question_.options.size()),
                      .along = AxisRole::place};
      for (std::size_t i = 0; i < question_.options.size(); ++i) {
        const auto& option = question_.options[i];
        if (!option.is) return {};
        if (is_duplicate(i)) return wrong(option.at, fmt::format("“{}” stands here twice", brief(option.plain)));
        const auto value = value_of(*option.is, scope_, mistakes_);
        if (!value) return {};
        const auto number = as_number(*value);
        if (!number) return wrong(option.is->at, fmt::format("a number follows “by”, and this is {}", kind_of(*value)));
        truth_.items.labels.push_back(option.plain);
        truth_.by.push_back(*number);
      }
    }
    if (std::ranges::any_of(truth_.by, [](double number) { return std::isnan(number); }))
      return wrong(at(), "not all that is put in order is a number: there is NaN");
    if (std::ranges::max(truth_.by) - std::ranges::min(truth_.by) <= in_order)
      return wrong(at(), "all of these are alike, and any order is right");
    std::vector<Index> places(truth_.by.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, [&](Index a, Index b) {
      return truth_.by[static_cast<std::size_t>(a)] > truth_.by[static_cast<std::size_t>(b)];
    });
    AxisPlaces sorted;
    for (const Index place : places) sorted.push_back({truth_.items, {place}});
    truth_.value = std::move(sorted);
    return truth_;
  }

  std::optional<LessonTruth> bars() {
    const auto* array = std::get_if<NumberArray>(&truth_.value);
    if (!array || array->axes.size() != 1 || array->numbers.size() > 32)
      return wrong(at(), fmt::format("a row of up to 32 numbers is sketched, such as weights[q9, :], and this is {}",
                                     kind_of(truth_.value)));
    if (!std::ranges::all_of(array->numbers, [](double number) { return std::isfinite(number); }))
      return wrong(at(), "not all of these numbers are finite: nobody can draw them");
    return truth_;
  }

  bool is_duplicate(std::size_t option) const {
    const auto& options = question_.options;
    return std::any_of(options.begin(), options.begin() + static_cast<std::ptrdiff_t>(option),
                       [&](const LessonOption& other) { return other.plain == options[option].plain; });
  }

  const LessonQuestion& question_;
  const ExpressionScope& scope_;
  std::vector<LessonMistake>& mistakes_;
  LessonTruth truth_;
};

bool is_right(const LessonTruth& truth, const Value& answer) {
  switch (truth.kind) {
    case AskKind::number: {
      const auto said = as_number(answer), is = as_number(truth.value);
      return said && is && std::abs(*said - *is) <= truth.within * (1 + 1e-9) + 1e-9;
    }
    case AskKind::drag: {
      const auto* said = std::get_if<NumberArray>(&answer);
      const auto& is = std::get<NumberArray>(truth.value);
      if (!said || said->numbers.size() != is.numbers.size()) return false;
      for (std::size_t i = 0; i < is.numbers.size(); ++i)
        if (!(std::abs(said->numbers[i] - is.numbers[i]) <= truth.within + 1e-9)) return false;
      return true;
    }
    case AskKind::order: {
      const auto* said = std::get_if<AxisPlaces>(&answer);
      if (!said || said->size() != truth.by.size()) return false;
      for (std::size_t i = 1; i < said->size(); ++i)
        if (truth.by[static_cast<std::size_t>((*said)[i - 1].positions[0])] <
            truth.by[static_cast<std::size_t>((*said)[i].positions[0])] - in_order)
          return false;
      return true;
    }
    case AskKind::deed: {
      const bool* done = std::get_if<bool>(&answer);
      return done && *done;
    }
    case AskKind::cell:
    case AskKind::token:
    case AskKind::choice:
      break;
  }
  const auto agree = values_agree(truth.value, answer);
  return agree && *agree;
}

}  // namespace

std::vector<double> numbers_in_text(std::string text) {
  std::vector<double> numbers;
  for (std::size_t at = 0; (at = text.find("−")) != std::string::npos;) text.replace(at, 3, "-");
  const char* here = text.c_str();
  while (*here) {
    char* end = nullptr;
    const bool begins = is_digit(*here) || *here == '.' || *here == '-';
    const double number = begins ? std::strtod(here, &end) : 0;
    if (!begins || end == here) {
      ++here;
      continue;
    }
    numbers.push_back(number);
    here = end;
  }
  return numbers;
}

std::optional<LessonTruth> truth_of(const LessonQuestion& question, const ExpressionScope& scope,
                                    std::optional<Index> row, std::vector<LessonMistake>& mistakes) {
  return Truth(question, scope, mistakes)(row);
}

Value value_of_option(const LessonOption& option) {
  if (const auto number = Expression::parse(option.plain); number && number->is_typed_number())
    if (auto value = number->evaluate({})) return *std::move(value);
  return option.plain;
}

LessonVerdict judge(const LessonQuestion& question, const LessonTruth& truth, const Value& answer,
                    ExpressionScope scope, std::vector<LessonMistake>& mistakes) {
  LessonVerdict verdict;
  verdict.right = is_right(truth, answer);
  if (verdict.right) return verdict;
  scope.values["answer"] = answer;
  if (truth.now) scope.values["now"] = *truth.now;
  for (std::size_t i = 0; i < question.replies.size(); ++i) {
    const auto& reply = question.replies[i];
    const auto value = value_of(reply.when, scope, mistakes);
    if (!value) continue;
    const bool* holds = std::get_if<bool>(&*value);
    if (!holds)
      mistakes.push_back({reply.when.at, fmt::format("a condition follows “when”, and this is {}", kind_of(*value))});
    if (!holds || !*holds) continue;
    verdict.reply = i;
    verdict.says = &reply.says;
    return verdict;
  }
  if (question.otherwise) verdict.says = &*question.otherwise;
  return verdict;
}

}  // namespace headlight::app
