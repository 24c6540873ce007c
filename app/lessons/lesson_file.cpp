#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "app/lessons/markdown.h"
#include "app/lessons/question_file.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/params/params.h"

namespace headlight::app {

namespace {

constexpr std::size_t largest_lesson = 1 << 20;  // bytes
const std::vector<std::string> fence_words{"show", "hide", "lock", "ask", "try", "check", "note", "experiment"};
const std::vector<std::string> front_keys{"title", "takes", "needs", "experiment", "draws"};

// Without what follows a "#" that begins a remark: at the start, or behind a blank.
std::string_view strip_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ') && (i + 1 == line.size() || line[i + 1] == ' '))
      return line.substr(0, i);
  return line;
}

LessonPlace place_in(const QuestionLine& line, std::string_view what) {
  const auto byte = what.empty() ? std::size_t{0} : static_cast<std::size_t>(what.data() - line.text.data());
  return {line.number, 1 + characters_before(line.text, byte)};
}

// The experiment that a text begins with, up to its last brace; empty where it begins with none.
std::string leading_json(std::string_view text) {
  if (!trimmed(text).starts_with('{')) return {};
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    depth += (text[i] == '{') - (text[i] == '}');
    if (text[i] == '}' && depth == 0) return std::string(text.substr(0, i + 1));
  }
  return std::string(text);
}

class FileReader {
 public:
  explicit FileReader(ParsedLesson& read) : read_(read), lesson_(read.lesson) {}

  void operator()(std::string_view text) {
    int line = 1;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text = front_matter(text, line);
    if (read_.malformed) return;
    if (const auto open = open_fence(text, {line, 1})) {
      read_.mistakes = {*open};
      read_.malformed = true;
      return;
    }
    for (auto& block : markdown_.blocks(text, {line, 1})) take(std::move(block));
    for (const auto& mistake : markdown_.mistakes) read_.mistakes.push_back(mistake);
    if (lesson_.steps.empty()) {
      read_.mistakes.clear();
      mistake({line, 1}, "there is no step: each begins with a heading, such as # Scores grow with width");
      read_.malformed = true;
    }
    if (lesson_.title.empty()) lesson_.title = lesson_.steps.empty() ? lesson_.name : lesson_.steps[0].title;
    for (auto& step : lesson_.steps)
      if (!step.ask) step.asked_at = step.parts.size();
    check_step_lengths();
    std::ranges::stable_sort(read_.mistakes, {},
                             [](const LessonMistake& m) { return std::pair(m.at.line, m.at.column); });
  }

 private:
  void mistake(LessonPlace at, std::string message) { read_.mistakes.push_back({at, std::move(message)}); }

  // Between two lines of three hyphens; what follows it is returned.
  std::string_view front_matter(std::string_view text, int& line) {
    if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return text;
    const auto all = numbered_lines(text, 1);
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (trimmed(all[i].text) == "---") {
        line = all[i].number + 1;
        return i + 1 < all.size() ? text.substr(static_cast<std::size_t>(all[i + 1].text.data() - text.data()))
                                  : std::string_view();
      }
      entry(all[i]);
    }
    read_.mistakes.clear();
    mistake({1, 1}, "the second line of three hyphens is missing: it ends what is said of the lesson as a whole");
    read_.malformed = true;
    return {};
  }

  void entry(const QuestionLine& line) {
    const std::string_view said = trimmed(strip_comment(line.text));
    if (said.empty()) return;
    const auto colon = said.find(':');
    const std::string key(trimmed(said.substr(0, colon)));
    if (colon == std::string_view::npos || std::ranges::find(front_keys, key) == front_keys.end()) {
      const std::string near = nearest_word(key, front_keys);
      return mistake(place_in(line, said), fmt::format("“{}” is nothing that is said of a lesson: {}", brief(key),
                                                       near.empty() ? "title, takes, needs, experiment and draws are"
                                                                    : "did you mean " + near + "?"));
    }
    std::string_view value = trimmed(said.substr(colon + 1));
    if (value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    if (value.empty()) return mistake(place_in(line, said), fmt::format("{} says nothing", key));
    if (!said_.insert(key).second) return mistake(place_in(line, said), fmt::format("{} was said before", key));
    if (key == "title") lesson_.title = value;
    if (key == "needs") {
      lesson_.needs = value;
      lesson_.needs_at = place_in(line, value);
    }
    if (key == "takes") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), lesson_.minutes);
      if (error != std::errc() || lesson_.minutes < 1 || lesson_.minutes > 600)
        mistake(place_in(line, value), "takes is a number of minutes, such as 8 minutes");
    }
    if (key == "draws") lesson_.draws = draws(value, place_in(line, value));
    if (key == "experiment") {
      LessonPart part;
      part.kind = LessonPart::Kind::experiment;
      part.at = place_in(line, value);
      part.file = value;
      lesson_.experiment = std::move(part);
    }
  }

  // "x_q from 0 to 3"
  std::optional<LessonDraws> draws(std::string_view said, LessonPlace at) {
    constexpr int largest = 99;
    LessonDraws found;
    found.at = at;
    std::istringstream words{std::string(said)};
    std::string from, to, more;
    const bool read =
        static_cast<bool>(words >> found.input >> from >> found.from >> to >> found.to) && !(words >> more);
    if (read && from == "from" && to == "to" && found.from < found.to && found.from >= -largest && found.to <= largest)
      return found;
    mistake(at, "draws names an input and a range of whole numbers, such as x_q from 0 to 3");
    return {};
  }

  void take(MarkdownReader::Block block) {
    using Kind = MarkdownReader::Block::Kind;
    if (block.kind == Kind::heading && block.level <= 2) {
      LessonStep step;
      step.at = block.at;
      for (const auto& piece : block.text) step.title += piece.text;
      if (step.title.empty()) mistake(block.at, "this step has no title");
      lesson_.steps.push_back(std::move(step));
      return;
    }
    if (block.kind == Kind::fence) return fence(block);
    LessonPart part;
    if (block.kind == Kind::heading) part.kind = LessonPart::Kind::heading;
    if (block.kind == Kind::paragraph) check_typos(block);
    if (block.kind == Kind::item) part.kind = LessonPart::Kind::item;
    part.at = block.at;
    part.text = std::move(block.text);
    add(std::move(part));
  }

  void check_step_lengths() {
    constexpr std::size_t most = 20000;  // characters that are set in each frame
    for (const auto& step : lesson_.steps) {
      Lesson alone;
      alone.steps = {step};
      std::size_t length = 0;
      for_each_text(alone, [&](const LessonText& text) {
        for (const auto& piece : text) length += piece.text.size();
      });
      if (length > most)
        mistake(step.at, fmt::format("this step has {} characters, and nobody reads more than {} at once: make several",
                                     length, most));
    }
  }

  // What was meant to begin a step, or a fence.
  void check_typos(const MarkdownReader::Block& block) {
    const LessonPiece* first = block.text.empty() ? nullptr : &block.text.front();
    if (!first) return;
    if (first->kind == LessonPiece::Kind::words && first->text.starts_with('#') &&
        first->text.find_first_not_of('#') < 3)
      mistake(block.at, "a heading has a blank behind its signs: # Scores grow with width");
    const std::string_view code = first->kind == LessonPiece::Kind::code ? trimmed(first->text) : std::string_view();
    const std::string word(code.substr(0, code.find_first_of(" \n")));
    if (code.size() > word.size() && std::ranges::find(fence_words, word) != fence_words.end())
      mistake(block.at, fmt::format("this is shown as code: a fence begins with three signs, ``` {}", word));
  }

  void add(LessonPart part) {
    if (lesson_.steps.empty()) return mistake(part.at, "this stands before the first heading, and belongs to no step");
    lesson_.steps.back().parts.push_back(std::move(part));
  }

  void fence(const MarkdownReader::Block& block) {
    const std::string_view info = block.info;
    const auto end = std::min(info.find(' '), info.size());
    const std::string word(info.substr(0, end));
    const std::string rest(trimmed(info.substr(end)));
    if (std::ranges::find(fence_words, word) == fence_words.end()) {
      if (const std::string near = nearest_word(word, fence_words); !near.empty())
        mistake(block.at, fmt::format("a fence called “{}” is shown as code: did you mean {}?", brief(word), near));
      LessonPart part;
      part.kind = LessonPart::Kind::code;
      part.at = block.at;
      part.words = block.body;
      return add(std::move(part));
    }
    const auto lines = numbered_lines(block.body, block.at.line + 1);
    if (word == "ask") return ask(block, rest, lines);
    LessonPart part;
    part.at = block.at;
    part.words = rest;
    if (word == "experiment") {
      part.kind = LessonPart::Kind::experiment;
      part.json = block.body;
      if (!lesson_.steps.empty()) return add(std::move(part));
      if (lesson_.experiment) mistake(block.at, "the experiment was named before");
      lesson_.experiment = std::move(part);
      return;
    }
    if (word == "note") {
      part.kind = LessonPart::Kind::note;
      part.text = markdown_.sentence(block.body, {block.at.line + 1, 1});
      return add(std::move(part));
    }
    if (word == "try") {
      part.kind = LessonPart::Kind::run;
      if (!is_name(rest))
        mistake(block.at, "a run has a name of letters, by which expressions ask for its numbers: try without");
      part.json = leading_json(block.body);
    } else if (!rest.empty()) {
      mistake(block.at, fmt::format("“{}” is more than {} takes", brief(rest), word));
    }
    if (word == "show") part.kind = LessonPart::Kind::show;
    if (word == "hide") part.kind = LessonPart::Kind::hide;
    if (word == "lock") part.kind = LessonPart::Kind::lock;
    if (word == "check") part.kind = LessonPart::Kind::check;
    for (const auto& line : lines) {
      const std::string_view said = trimmed(strip_comment(line.text));
      const bool of_experiment = line.text.data() < block.body.data() + part.json.size();
      if (said.empty() || (!part.json.empty() && of_experiment)) continue;
      const LessonPlace at = place_in(line, said);
      if (word == "check") {
        if (auto found = markdown_.expression(said, at)) part.checks.push_back(*std::move(found));
      } else if (word == "try" && said.starts_with("experiment ")) {
        part.file = trimmed(said.substr(11));
      } else {
        part.lines.push_back({std::string(said), at});
      }
    }
    // A run of nothing further is the one that is shown, as it is there.
    if (part.lines.empty() && part.checks.empty() && part.file.empty() && word != "try")
      mistake(block.at, fmt::format("this {} is empty", word));
    add(std::move(part));
  }

  static bool is_name(std::string_view word) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !word.empty() && letter(word[0]) && word != "params" && word != "measure" &&
           std::ranges::all_of(word, [&](char c) { return letter(c) || is_digit(c); });
  }

  void ask(const MarkdownReader::Block& block, const std::string& kind, const std::vector<QuestionLine>& lines) {
    LessonQuestion question;
    question.at = block.at;
    const auto found = std::ranges::find(ask_kinds, kind);
    if (found == ask_kinds.end())
      mistake(block.at,
              fmt::format("“ask {}” is no kind of question: cell, token, choice, number, order, drag and do are",
                          brief(kind)));
    else
      question.kind = static_cast<AskKind>(found - ask_kinds.begin());
    read_question(lines, markdown_, question);
    if (lesson_.steps.empty())
      return mistake(block.at, "this question stands before the first heading, and belongs to no step");
    LessonStep& step = lesson_.steps.back();
    if (step.ask) return mistake(block.at, "a step asks once: begin another step with a heading" + low_heading(step));
    step.ask = std::move(question);
    step.asked_at = step.parts.size();
    LessonPart part;
    part.kind = LessonPart::Kind::ask;
    part.at = block.at;
    step.parts.push_back(std::move(part));
  }

  // A heading of this step that begins none.
  static std::string low_heading(const LessonStep& step) {
    for (const auto& part : step.parts)
      if (part.kind == LessonPart::Kind::heading)
        return fmt::format("; the one in line {} has three signs or more, and only # and ## begin a step",
                           part.at.line);
    return {};
  }

  ParsedLesson& read_;
  Lesson& lesson_;
  std::set<std::string> said_;  // of the lesson as a whole
  MarkdownReader markdown_;
};

}  // namespace

std::string line_of(const std::string& file, const LessonMistake& mistake) {
  return fmt::format("{}:{}:{}: {}", file, mistake.at.line, mistake.at.column, mistake.message);
}

ParsedLesson read_lesson_text(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
  ParsedLesson read;
  read.lesson.name = name;
  read.lesson.folder = folder;
  FileReader reader(read);
  reader(text);
  return read;
}

bool is_lesson_file(const std::filesystem::path& path) {
  return utf8(path.filename()).ends_with(lesson_ending);
}

Result<ParsedLesson> read_lesson(const std::filesystem::path& path) {
  HL_TRY(const std::string text, read_file(path, largest_lesson));
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    return fail("{}: this is no text in UTF-8: save it as such", utf8(path.filename()));
  std::string name = utf8(path.filename());
  if (name.ends_with(lesson_ending)) name.resize(name.size() - lesson_ending.size());
  return read_lesson_text(text, name, path.parent_path());
}

}  // namespace headlight::app
