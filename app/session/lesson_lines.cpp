// Lines of a lesson that say what is shown and hidden, with tokens for places.
#include <algorithm>
#include <cstdlib>

#include "app/actions/action_table.h"
#include "app/lessons/scope.h"
#include "app/session/lesson_play.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// Words apart, where blanks in quotes part nothing.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  return words;
}

const Step* map_of(const Trace* trace) {
  return trace ? trace->map() : nullptr;
}

Result<std::string> place_word(const Trace* trace, AxisRole along, const std::string& word) {
  const Step* map = map_of(trace);
  const Axis* axis = map ? map->axis(along) : nullptr;
  if (!axis) return fail("“{}”: this run has no map in which it could stand", brief(word));
  HL_TRY(const Index at, parse_position(*axis, word));
  return std::to_string(at);
}

}  // namespace

Status add_hidden(const std::string& line, const Trace* trace, std::vector<LessonHidden>& hidden) {
  using What = LessonHidden::What;
  const auto words = words_of(line);
  const auto alone = [&](std::string_view word, What what) {
    if (words.size() != 1 || words[0] != word) return false;
    hidden.push_back({what});
    return true;
  };
  if (alone("map", What::map) || alone("numbers", What::numbers) || alone("name", What::name) ||
      alone("sums", What::sums))
    return {};
  const std::string& first = words[0];
  const bool rows = first == "row" || first == "rows", columns = first == "column" || first == "columns";
  if (first == "cell" && words.size() == 3) {
    HL_TRY(const std::string query, place_word(trace, AxisRole::query, words[1]));
    HL_TRY(const std::string key, place_word(trace, AxisRole::key, words[2]));
    hidden.push_back({What::cell, std::atoll(query.c_str()), std::atoll(key.c_str())});
    return {};
  }
  if ((!rows && !columns) || words.size() < 2)
    return fail("“{}” hides nothing: map, numbers, name, sums, row fox, rows red fox, column runs and cell runs red do",
                brief(line));
  for (std::size_t i = 1; i < words.size(); ++i) {
    HL_TRY(const std::string place, place_word(trace, rows ? AxisRole::query : AxisRole::key, words[i]));
    const Index at = std::atoll(place.c_str());
    hidden.push_back(rows ? LessonHidden{What::row, at, -1} : LessonHidden{What::column, -1, at});
  }
  return {};
}

Status check_lock_line(std::string_view line, const ParamValues& params) {
  const auto words = words_of(std::string(line));
  std::vector<std::string> known;
  for (const auto& row : action_table()) known.emplace_back(row.id);
  if (std::ranges::find(known, words[0]) == known.end()) {
    const std::string near = nearest_word(words[0], known);
    return fail("“{}” begins no action that could be locked{}", brief(words[0]),
                near.empty() ? "" : fmt::format(": did you mean {}?", near));
  }
  if (words[0] != "param" || words.size() < 2) return {};
  known.clear();
  for (const auto& [id, value] : params) known.push_back(id);
  if (std::ranges::find(known, words[1]) != known.end()) return {};
  return fail("“{}” is no parameter here: there are {}", brief(words[1]), brief_list(known));
}

Result<Action> lesson_action(const std::string& line, const Trace* trace) {
  auto words = words_of(line);
  if (words.empty()) return fail("an action is missing");
  if (words[0] == "view" || words[0] == "mask") {
    const std::string rest = line.substr(words[0].size());
    return parse_action((words[0] == "view" ? "mode" : "param mask") + rest);
  }
  if (words[0] == "row" && words.size() == 2) {
    HL_TRY(const std::string query, place_word(trace, AxisRole::query, words[1]));
    return parse_action("select " + query + " -");
  }
  const bool of_places = words[0] == "pin" || words[0] == "select" || words[0] == "pin-second";
  if (of_places && words.size() == 3) {
    if (words[1] != "-") {
      HL_TRY(words[1], place_word(trace, AxisRole::query, words[1]));
    }
    if (words[2] != "-") {
      HL_TRY(words[2], place_word(trace, AxisRole::key, words[2]));
    }
    return parse_action(words[0] + " " + words[1] + " " + words[2]);
  }
  auto action = parse_action(line);
  std::vector<std::string> known{"row", "view", "mask", "part", "experiment"};
  for (const auto& row : action_table()) known.emplace_back(row.id);
  if (action || std::ranges::find(known, words[0]) != known.end()) return action;
  const std::string near = nearest_word(words[0], known);
  return fail("“{}” is not an action: {}", brief(words[0]),
              near.empty() ? "the user guide lists them all" : fmt::format("did you mean {}?", near));
}

}  // namespace headlight::app
