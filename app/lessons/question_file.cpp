#include "app/lessons/question_file.h"

#include <algorithm>

#include "engine/base/words.h"
#include "engine/params/params.h"

namespace headlight::app {

namespace {

const std::vector<std::string> keys{"answer", "within", "until",   "solution", "attempt",
                                    "when",   "else",   "because", "hint"};

// A line and those behind it that are indented: they go on with it.
struct Entry {
  std::string key;        // empty: words of the question
  std::string text;       // behind the colon; of an option, behind the hyphen
  std::string condition;  // of "when"
  LessonPlace at, condition_at;
  bool misspelt = false;  // its key, which was told
};

bool is_option(std::string_view line) {
  return line.starts_with("- ") || line.starts_with("* ");
}

// A remark that ends a line of computation; sentences keep their signs.
std::string_view without_comment(std::string_view text) {
  const auto sign = text.find(" #");
  return sign == std::string_view::npos || (sign + 2 < text.size() && text[sign + 2] != ' ') ? text
                                                                                             : text.substr(0, sign);
}

class QuestionReader {
 public:
  QuestionReader(MarkdownReader& reader, LessonQuestion& question) : reader_(reader), question_(question) {}

  void operator()(const std::vector<QuestionLine>& lines) {
    std::vector<Entry> entries;
    for (const auto& line : lines) {
      const std::string_view said = trimmed(line.text);
      if (said.empty()) continue;
      const bool indented = line.text.front() == ' ' || line.text.front() == '\t';
      if (indented && !entries.empty() && !is_option(said))
        entries.back().text += (entries.back().text.empty() ? "" : " ") + std::string(said);
      else
        entries.push_back(entry(said, line));
    }
    std::string words;
    LessonPlace words_at;
    bool keyed = false;
    for (const auto& entry : entries) {
      if (entry.key.empty() && keyed) {
        reader_.mistake(entry.at, fmt::format("“{}” stands behind the question and begins with no key such as hint: or "
                                              "because: ; a line that goes on with the one before is indented",
                                              brief(entry.text)));
        continue;
      }
      keyed = keyed || !entry.key.empty();
      if (entry.key.empty()) {
        if (words.empty()) words_at = entry.at;
        words += (words.empty() ? "" : "\n") + entry.text;
      } else if (!entry.misspelt) {
        take(entry);
      }
    }
    if (!words.empty()) question_.question = reader_.sentence(words, words_at);
    complete(words.empty());
  }

 private:
  Entry entry(std::string_view said, const QuestionLine& line) {
    const LessonPlace at{line.number,
                         1 + characters_before(line.text, static_cast<std::size_t>(said.data() - line.text.data()))};
    const auto place = [&](std::string_view what) {
      return LessonPlace{at.line,
                         at.column + characters_before(said, static_cast<std::size_t>(what.data() - said.data()))};
    };
    if (is_option(said)) {
      const std::string_view text = trimmed(said.substr(2));
      return {"-", std::string(text), {}, text.empty() ? at : place(text), {}};
    }
    if (said.starts_with("when ")) {
      const auto colon = find_colon(said);
      if (colon == std::string_view::npos) {
        reader_.mistake(at,
                        "a colon is missing between the condition and what is said: when answer < 1: It is larger.");
        return {"when", {}, {}, at, at, true};
      }
      const std::string_view condition = trimmed(said.substr(5, colon - 5)), text = trimmed(said.substr(colon + 1));
      return {"when", std::string(text), std::string(condition), text.empty() ? at : place(text),
              condition.empty() ? at : place(condition)};
    }
    const auto colon = said.find(':');
    const std::string key(trimmed(said.substr(0, colon)));
    const bool one_word = key.find_first_of(" \t{") == std::string::npos;
    if (colon != std::string_view::npos && one_word) {
      if (std::ranges::find(keys, key) != keys.end()) {
        const std::string_view text = trimmed(said.substr(colon + 1));
        return {key, std::string(text), {}, text.empty() ? at : place(text), {}};
      }
      if (const std::string near = nearest_word(key, keys); !near.empty()) {
        reader_.mistake(at, fmt::format("“{}:” is no key of a question: did you mean {}:?", brief(key), near));
        return {near, {}, {}, at, {}, true};
      }
    }
    return {{}, std::string(said), {}, at, {}};
  }

  void once(const Entry& entry, std::optional<LessonExpression>& into) {
    if (into) return reader_.mistake(entry.at, fmt::format("{} was said before", entry.key));
    into = reader_.expression(without_comment(entry.text), entry.at);
  }
  void once(const Entry& entry, std::optional<LessonText>& into) {
    if (into) return reader_.mistake(entry.at, fmt::format("{} was said before", entry.key));
    into = reader_.sentence(entry.text, entry.at);
  }

  void take(const Entry& entry) {
    if (entry.text.empty()) return reader_.mistake(entry.at, fmt::format("nothing stands behind “{}”", entry.key));
    if (entry.key == "-") return option(entry);
    if (entry.key == "answer") return once(entry, question_.answer);
    if (entry.key == "within") return once(entry, question_.within);
    if (entry.key == "until") return once(entry, question_.until);
    if (entry.key == "else") return once(entry, question_.otherwise);
    if (entry.key == "because") return once(entry, question_.because);
    if (entry.key == "hint") return question_.hints.push_back(reader_.sentence(entry.text, entry.at));
    if (entry.key == "solution")
      return question_.solution.push_back({std::string(without_comment(entry.text)), entry.at});
    if (entry.key == "attempt")
      return question_.attempts.push_back({std::string(without_comment(entry.text)), entry.at});
    auto condition = reader_.expression(entry.condition, entry.condition_at);
    if (condition) question_.replies.push_back({*std::move(condition), reader_.sentence(entry.text, entry.at)});
  }

  // "- less if weights[a, b] < weights[b, a]"; of an order "- all by 1.00".
  void option(const Entry& entry) {
    LessonOption option;
    option.at = entry.at;
    std::string_view text = entry.text;
    const std::string_view word = question_.kind == AskKind::order ? " by " : " if ";
    if (const auto at = text.rfind(word); at != std::string_view::npos) {
      const std::string_view condition = trimmed(text.substr(at + word.size()));
      if (auto parsed = Expression::parse(condition)) {
        option.is = LessonExpression{*std::move(parsed),
                                     {entry.at.line, entry.at.column + characters_before(text, at + word.size())}};
        text = trimmed(text.substr(0, at));
      } else if (question_.kind == AskKind::order) {
        reader_.expression(condition, {entry.at.line, entry.at.column + characters_before(text, at + word.size())});
      }
    }
    option.plain = text;
    option.text = reader_.sentence(text, entry.at);
    question_.options.push_back(std::move(option));
  }

  void complete(bool without_words) {
    const LessonPlace at = question_.at;
    const AskKind kind = question_.kind;
    const std::string_view name = ask_kinds[static_cast<std::size_t>(kind)];
    if (without_words) reader_.mistake(at, "the question itself is missing");
    const bool by_options =
        std::ranges::any_of(question_.options, [](const auto& option) { return option.is.has_value(); });
    if (kind == AskKind::deed) {
      if (!question_.until) reader_.mistake(at, "what is to be reached is missing: until: weights[h3, q9, k9] > 0.5");
      if (question_.solution.empty())
        reader_.mistake(at, "the way there is missing: solution: and an action, on as many lines as it takes");
      if (question_.answer)
        reader_.mistake(question_.answer->at, "a deed has no answer: until: says what is to be reached");
    } else {
      if (question_.until) reader_.mistake(question_.until->at, "until: belongs to ask do");
      if (!question_.solution.empty()) reader_.mistake(question_.solution[0].at, "solution: belongs to ask do");
      const bool made = kind == AskKind::choice && question_.options.empty() && !question_.answer;  // by the engine
      if (!question_.answer && !by_options && !made)
        reader_.mistake(at, "the answer is missing: answer: and an expression");
    }
    if (question_.within && kind != AskKind::number && kind != AskKind::drag)
      reader_.mistake(question_.within->at, "within: belongs to numbers and bars");
    if (kind == AskKind::choice && question_.options.empty() && question_.answer)
      reader_.mistake(at, "there is nothing to choose from: each answer stands on a line that begins with “- ”");
    if (!question_.options.empty()) {
      if (kind != AskKind::choice && kind != AskKind::order)
        reader_.mistake(question_.options[0].at, fmt::format("ask {} has no answers to choose from", name));
      if (question_.options.size() == 1)
        reader_.mistake(question_.options[0].at, "one answer is no choice: write two to six");
      if (question_.options.size() > 6)
        reader_.mistake(question_.options[6].at, "more than six answers cannot be kept in mind");
      for (const auto& option : question_.options)
        if (kind == AskKind::order && !option.is)
          reader_.mistake(option.at, "what is ordered has a number: - all layers by max weights");
    }
  }

  MarkdownReader& reader_;
  LessonQuestion& question_;
};

}  // namespace

std::vector<QuestionLine> numbered_lines(std::string_view text, int first) {
  std::vector<QuestionLine> lines;
  for (const std::string_view line : split_lines(text)) lines.push_back({line, first++});
  return lines;
}

void read_question(const std::vector<QuestionLine>& lines, MarkdownReader& reader, LessonQuestion& question) {
  const std::size_t before = reader.mistakes.size();
  QuestionReader read(reader, question);
  read(lines);
  question.sound = reader.mistakes.size() == before;
}

}  // namespace headlight::app
