#include "engine/params/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/words.h"
#include "engine/core/mistake.h"

namespace headlight {

std::string_view in_words(ParamQuestion question) {
  switch (question) {
    case ParamQuestion::size:
      return "How many heads, how wide?";
    case ParamQuestion::positions:
      return "How are places told?";
    case ParamQuestion::visible:
      return "Who may look?";
    case ParamQuestion::keys:
      return "How are keys shared?";
    case ParamQuestion::weights:
      return "How are weights made?";
    case ParamQuestion::layer:
      return "What stands around it?";
  }
  return "";
}

namespace {

ParamSpec completed(ParamSpec rest, ParamType type, std::string& id, std::string& title, std::string& help,
                    ParamValue fallback) {
  rest.id = std::move(id);
  rest.title = std::move(title);
  rest.help = std::move(help);
  rest.type = type;
  rest.automatic = std::holds_alternative<std::monostate>(fallback);
  rest.fallback = std::move(fallback);
  return rest;
}

}  // namespace

ParamSpec param::integer(std::string id, std::string title, std::string help, ParamValue fallback, double least,
                         double most, ParamSpec rest) {
  rest.least = least;
  rest.most = most;
  return completed(std::move(rest), ParamType::integer, id, title, help, std::move(fallback));
}

ParamSpec param::real(std::string id, std::string title, std::string help, ParamValue fallback, double least,
                      double most, ParamSpec rest) {
  ParamSpec spec =
      integer(std::move(id), std::move(title), std::move(help), std::move(fallback), least, most, std::move(rest));
  spec.type = ParamType::real;
  return spec;
}

ParamSpec param::flag(std::string id, std::string title, std::string help, bool fallback, ParamSpec rest) {
  return completed(std::move(rest), ParamType::flag, id, title, help, fallback);
}

ParamSpec param::choice(std::string id, std::string title, std::string help, std::vector<Choice> choices,
                        ParamSpec rest) {
  const std::string first = choices.front().id;
  rest.choices = std::move(choices);
  return completed(std::move(rest), ParamType::choice, id, title, help, first);
}

ParamValues ParamValues::defaults(const std::vector<ParamSpec>& specs) {
  ParamValues values;
  for (const auto& spec : specs) values.values_.emplace(spec.id, spec.fallback);
  return values;
}

namespace {

std::vector<std::string> names_of(const std::map<std::string, ParamValue, std::less<>>& values) {
  std::vector<std::string> names;
  for (const auto& [id, value] : values) names.push_back(id);
  return names;
}

}  // namespace

const ParamValue& ParamValues::get(std::string_view id) const {
  const auto found = values_.find(id);
  if (found == values_.end())
    mistake("the parameter {} is not declared in params(): {}", id, nearest_or_all(id, names_of(values_)));
  return found->second;
}

template <class T>
const T& ParamValues::as(std::string_view id, const char* type) const {
  const ParamValue& value = get(id);
  if (!std::holds_alternative<T>(value)) mistake("the parameter {} is {}, which is not {}", id, to_string(value), type);
  return std::get<T>(value);
}

bool ParamValues::set(std::string_view id, ParamValue value) {
  if (!infer(id, std::move(value))) return false;
  given_.emplace(id);
  return true;
}

void ParamValues::reset(const ParamSpec& spec) {
  values_.insert_or_assign(spec.id, spec.fallback);
  given_.erase(spec.id);
}

bool ParamValues::infer(std::string_view id, ParamValue value) {
  if (const auto found = values_.find(id); found != values_.end()) {
    found->second = std::move(value);
    return true;
  }
  if (refused_.empty()) refused_ = id;
  return false;
}

Index ParamValues::integer(std::string_view id) const {
  return as<Index>(id, "a whole number");
}
double ParamValues::real(std::string_view id) const {
  return as<double>(id, "a number with a fraction");
}
const std::string& ParamValues::choice(std::string_view id) const {
  return as<std::string>(id, "a word");
}
bool ParamValues::flag(std::string_view id) const {
  return as<bool>(id, "true or false");
}
bool ParamValues::is_automatic(std::string_view id) const {
  return std::holds_alternative<std::monostate>(get(id));
}

std::string to_string(const ParamValue& value) {
  struct {
    std::string operator()(std::monostate) const { return "automatic"; }
    std::string operator()(Index v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
  } const text;
  return std::visit(text, value);
}

namespace {

std::string allowed_range(const ParamSpec& spec) {
  if (spec.type == ParamType::integer)
    return fmt::format("a whole number from {} to {}", static_cast<Index>(spec.least), static_cast<Index>(spec.most));
  return fmt::format("a number from {} to {}", spec.least, spec.most);
}

std::string allowed(const ParamSpec& spec) {
  std::string text;
  if (spec.type == ParamType::flag) text = "true or false";
  if (spec.type == ParamType::integer || spec.type == ParamType::real) text = allowed_range(spec);
  if (spec.type == ParamType::choice) {
    std::vector<std::string> ids;
    for (const auto& choice : spec.choices) ids.push_back(choice.id);
    text = fmt::format("one of {}", fmt::join(ids, ", "));
  }
  return spec.automatic ? text + ", or null for automatic" : text;
}

bool in_range(const ParamSpec& spec, double number) {
  return std::isfinite(number) && number >= spec.least && number <= spec.most;
}

}  // namespace

Result<ParamValue> check_param(const ParamSpec& spec, const ParamValue& value) {
  const auto refuse = [&] {
    const bool word = std::holds_alternative<std::string>(value);
    const std::string found = word ? fmt::format("\"{}\"", brief(to_string(value))) : to_string(value);
    return fail("{} is {}: it must be {}", spec.id, found, allowed(spec));
  };
  if (std::holds_alternative<std::monostate>(value)) return spec.automatic ? Result<ParamValue>(value) : refuse();
  switch (spec.type) {
    case ParamType::integer:
      if (const auto* number = std::get_if<Index>(&value); number && in_range(spec, static_cast<double>(*number)))
        return value;
      return refuse();
    case ParamType::real: {
      double number = NAN;
      if (const auto* whole = std::get_if<Index>(&value)) number = static_cast<double>(*whole);
      if (const auto* real = std::get_if<double>(&value)) number = *real;
      if (!in_range(spec, number)) return refuse();
      return ParamValue(number);
    }
    case ParamType::choice: {
      const auto* word = std::get_if<std::string>(&value);
      const auto is_word = [&](const Choice& choice) { return word && choice.id == *word; };
      return std::ranges::any_of(spec.choices, is_word) ? Result<ParamValue>(value) : refuse();
    }
    case ParamType::flag:
      return std::holds_alternative<bool>(value) ? Result<ParamValue>(value) : refuse();
  }
  return refuse();
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  constexpr std::size_t longest = 80;  // no name is longer, and the work is the product of both lengths
  if (word.size() > longest) return best;
  // Two letters may be wrong, in a long word a third of them; of three letters one.
  std::size_t best_distance = (word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3)) + 1;
  for (const auto& candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);  // Levenshtein distance, one row at a time
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replace = diagonal + (word[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string nearest_or_all(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? fmt::format("it takes {}", brief_list(known)) : fmt::format("did you mean {}?", near);
}

const ParamSpec* find_param(const std::vector<ParamSpec>& specs, std::string_view id) {
  const auto found = std::ranges::find(specs, id, &ParamSpec::id);
  return found == specs.end() ? nullptr : &*found;
}

bool is_active(const std::vector<ParamSpec>& specs, const ParamSpec& spec, const ParamValues& values) {
  if (spec.part_of.empty()) return true;
  if (!spec.part_of_choice.empty()) {  // "shaw shaw_keys": any of them
    const std::string chosen = " " + values.choice(spec.part_of) + " ";
    return fmt::format(" {} ", spec.part_of_choice).find(chosen) != std::string::npos;
  }
  const ParamSpec* whole = find_param(specs, spec.part_of);
  return whole && values.get(spec.part_of) != whole->fallback;
}

}  // namespace headlight
