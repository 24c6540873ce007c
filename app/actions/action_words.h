// How each kind of member of an action is written and read, as words of one line. An action that has a member of
// another kind does not compile until it is said here. For action.cpp alone.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/actions/action_members.h"
#include "app/figures/figure_files.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_edits.h"
#include "engine/io/experiment_inputs.h"
#include "engine/io/json_fields.h"
#include "engine/params/params.h"

namespace headlight::app::action_members {

// Words of one line, taken from the front. The first is the action's.
struct Words {
  std::string_view rest;
  std::string_view verb = {};  // for errors

  std::string_view next() {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
    return word;
  }
  std::string_view peek() const { return Words{rest}.next(); }
  std::string remaining() {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    return std::string(std::exchange(rest, {}));
  }
  // With its spaces, but for the one that parts it from the word before.
  std::string exactly() {
    if (!rest.empty()) rest.remove_prefix(1);
    return std::string(std::exchange(rest, {}));
  }
  bool at_end() const { return rest.find_first_not_of(' ') == std::string_view::npos; }
};

template <class T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>;
template <class T>
concept Number = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

// ---- Writing. Nothing: an empty text.

inline std::string write(bool on) {
  return on ? "on" : "off";
}
template <Number T>
std::string write(T number) {
  return fmt::format("{}", number);
}
inline std::string write(const std::string& text) {
  return text;
}
inline std::string write(const std::filesystem::path& path) {
  return utf8(path);
}
template <Named T>
std::string write(T value) {
  return names<T>[static_cast<std::size_t>(value)];
}
inline std::string write(Language language) {
  return std::string(id_of(language));
}

// ---- Reading.

template <Number T>
Status read(Words& words, T& into) {
  const auto word = words.next();
  const auto number = parse_number<T>(word);
  if (!number) return fail("{}: \"{}\" is not a number", words.verb, word);
  into = *number;
  return {};
}
template <Named T>
Status read(Words& words, T& into) {
  const auto word = words.next();
  const auto found = std::ranges::find(names<T>, word);
  if (found == names<T>.end()) return fail("{}: \"{}\" must be one of {}", words.verb, word, fmt::join(names<T>, ", "));
  into = static_cast<T>(found - names<T>.begin());
  return {};
}

// ---- Plain ones

inline Status read(Words& words, bool& into) {
  const auto word = words.next();
  if (word != "on" && word != "off") return fail("{}: \"{}\" must be on or off", words.verb, word);
  into = word == "on";
  return {};
}

template <Text T>
Status read(Words& words, T& into) {
  into = words.remaining();
  return {};
}

inline Status read(Words& words, Language& into) {
  const auto language = language_of(words.next());
  if (!language) return fail("{}: it must be numpy or pytorch", words.verb);
  into = *language;
  return {};
}

inline std::string write(FigureFormat format) {
  return extension_of(format).substr(1);
}

inline Status read(Words& words, FigureFormat& into) {
  HL_TRY(into, figure_format_of("figure." + words.remaining()));
  return {};
}

inline std::string write(const HeadOrder& order) {
  return order ? std::string(id_of(*order)) : "number";
}

inline Status read(Words& words, HeadOrder& into) {
  const auto word = words.next();
  into = measure_by_id(word);
  if (into || word == "number") return {};
  std::vector<std::string_view> ids{"number"};
  for (const MeasureRow& row : measure_rows()) ids.emplace_back(row.id);
  return fail("{}: \"{}\" must be one of {}", words.verb, word, fmt::join(ids, ", "));
}

inline std::string write(GridSize size) {
  return fmt::format("{} {}", size.rows, size.columns);
}

inline Status read(Words& words, GridSize& into) {
  HL_CHECK(read(words, into.rows));
  return read(words, into.columns);
}

inline std::string write(const TokenAt& token) {
  return fmt::format("{} {}", token.input, token.at);
}

inline Status read(Words& words, TokenAt& into) {
  into.input = words.next();
  return read(words, into.at);
}

// ---- Values of parameters: what is no word of theirs and no number is a choice.

inline std::string write(const ParamValue& value) {
  return headlight::to_string(value);
}

inline Status read(Words& words, ParamValue& into) {
  const std::string word = words.remaining();
  if (word == "true" || word == "on" || word == "false" || word == "off")
    into = word == "true" || word == "on";
  else if (word == "automatic")
    into = std::monostate{};
  else if (const auto whole = parse_number<Index>(word))
    into = *whole;
  else if (const auto number = parse_number<double>(word))
    into = *number;
  else
    into = word;
  return {};
}

// ---- Scalings, in the order of scaling_choices()

inline constexpr std::array scalings{"auto", "linear", "log", "auto-each", "linear-each", "log-each"};

inline std::string write(const Scaling& scaling) {
  const auto found = std::ranges::find(scaling_choices(), scaling, &ScalingChoice::scaling);
  return scalings[static_cast<std::size_t>(found - scaling_choices().begin())];
}

inline Status read(Words& words, Scaling& into) {
  const auto word = words.next();
  const auto* found = std::ranges::find(scalings, word);
  if (found == scalings.end()) return fail("{}: \"{}\" must be one of {}", words.verb, word, fmt::join(scalings, ", "));
  into = scaling_choices()[static_cast<std::size_t>(found - scalings.begin())].scaling;
  return {};
}

// ---- Selections: "9 3", with "-" for what is not selected; what is missing at the end is left out.

inline std::string write(const Selection& selection) {
  std::vector<std::string> words;
  for (const auto& part : {selection.query, selection.key, selection.channel, selection.side_query, selection.side_key})
    words.push_back(part ? fmt::format("{}", *part) : "-");
  while (words.size() > 2 && words.back() == "-") words.pop_back();
  return fmt::format("{}", fmt::join(words, " "));
}

inline Status read(Words& words, Selection& into) {
  int parts = 0;
  for (auto* part : {&into.query, &into.key, &into.channel, &into.side_query, &into.side_key}) {
    if (parts++ >= 2 && words.at_end()) break;
    if (words.peek() == "-") {
      words.next();
      continue;
    }
    Index at = 0;
    HL_CHECK(read(words, at));
    *part = at;
  }
  return {};
}

// "hover weights 2 9 3", or "hover" where nothing is.
inline std::string write(const std::optional<Hover>& hover) {
  if (!hover) return {};
  return fmt::format("{} {} {}", hover->step.empty() ? "-" : hover->step, hover->head, write(hover->selection));
}

inline Status read(Words& words, std::optional<Hover>& into) {
  if (words.at_end()) return {};
  into.emplace();
  if (const auto step = words.next(); step != "-") into->step = step;
  HL_CHECK(read(words, into->head));
  return read(words, into->selection);
}

// ---- "shuffle 1", "shift 1 0", "off".

inline std::string write(const std::optional<Arrangement>& arrangement) {
  if (!arrangement) return "off";
  if (const auto* shuffle = std::get_if<Shuffle>(&*arrangement)) return fmt::format("shuffle {}", shuffle->seed);
  const Shift shift = std::get<Shift>(*arrangement);
  return fmt::format("shift {} {}", shift.rows, shift.columns);
}

inline Status read(Words& words, std::optional<Arrangement>& into) {
  const auto how = words.next();
  if (how == "off") return {};
  if (how == "shuffle") {
    Shuffle shuffle;
    HL_CHECK(read(words, shuffle.seed));
    if (shuffle.seed > INT64_MAX) return fail("arrange shuffle: {} must be at most {}", shuffle.seed, INT64_MAX);
    into = shuffle;
    return {};
  }
  if (how != "shift") return fail("arrange: \"{}\" must be one of shuffle, shift, off", how);
  Shift shift;
  for (Index* by : {&shift.rows, &shift.columns}) {
    HL_CHECK(read(words, *by));
    if (*by < -farthest_shift || *by > farthest_shift)
      return fail("arrange shift: {} is more than {}", *by, farthest_shift);
  }
  into = shift;
  return {};
}

// ---- Edits, as an experiment file has them.

inline std::string write(const Edit& edit) {
  return line_of(edit);
}

inline Status read(Words& words, Edit& into) {
  HL_TRY(into, parse_edit_line(words.remaining()));
  return {};
}

// ---- Inputs: "image cat.png", also frames (a GIF or a folder), signal and npy, where they are nothing but a path;
// else as an experiment file has it.

inline std::string write(const InputSpec& spec) {
  const auto alone = [&](const char* kind, const std::string& path, const InputSpec& plain) {
    return spec == plain ? fmt::format("{} {}", kind, path) : "";
  };
  std::string text;
  if (const auto* image = std::get_if<ImageInput>(&spec))
    text = alone("image", image->path, ImageInput{image->path, {}});
  if (const auto* frames = std::get_if<FramesInput>(&spec); frames && frames->paths.size() == 1)
    text = alone("frames", frames->paths[0], FramesInput{{frames->paths[0]}, {}});
  if (const auto* signal = std::get_if<SignalInput>(&spec))
    text = alone("signal", signal->path, SignalInput{signal->path});
  if (const auto* file = std::get_if<FileInput>(&spec)) text = alone("npy", file->path, FileInput{file->path});
  return text.empty() ? json_of_input(spec, Json(), {}, {}).dump(-1, ' ', false, Json::error_handler_t::replace) : text;
}

inline Status read(Words& words, InputSpec& into) {
  if (const auto start = words.peek(); start.starts_with('{') || start.starts_with('[')) {
    const std::string text = words.remaining();
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return fail("input: {} is not JSON", text);
    std::vector<std::string> ignored;
    HL_TRY(into, parse_input(json, "input", ignored));
    return {};
  }
  const std::string kind(words.next()), path = words.remaining();
  if (kind == "image")
    into = ImageInput{path, {}};
  else if (kind == "frames")
    into = FramesInput{{path}, {}};
  else if (kind == "signal")
    into = SignalInput{path};
  else if (kind == "npy")
    into = FileInput{path};
  else
    return fail("input: \"{}\" must be one of image, frames, signal, npy", kind);
  return {};
}

// ---- Places of a figure: "one", or several with commas: "step,head".

inline std::string write(const std::vector<std::string>& list) {
  return list.empty() ? "one" : fmt::format("{}", fmt::join(list, ","));
}

inline Status read(Words& words, std::vector<std::string>& into) {
  const std::string line = words.remaining();
  std::string_view text = line;
  while (!text.empty() && text != "one") {
    const auto end = std::min(text.find(','), text.size());
    into.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::ranges::find(figure_places, into.back()) == figure_places.end())
      return fail("figure-each: \"{}\" must be one, or of {} with commas", into.back(), fmt::join(figure_places, ", "));
  }
  return {};
}

}  // namespace headlight::app::action_members
