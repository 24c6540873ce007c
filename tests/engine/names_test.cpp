// Reads the source and finds ids of steps and symbols of axes where nobody may know them: whoever shows numbers asks a
// trace by role (docs/architecture.md). What is looked for is what the registered variants record, so that a new
// variant's names count from its first day.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;
using Words = std::set<std::string, std::less<>>;

constexpr const char* rooms[] = {"app", "engine/run", "engine/code", "engine/trace", "engine/picture"};

// Words that are also names of something else there.
struct Permit {
  const char* file;
  const char* reason;
  Words words;
};
const std::vector<Permit> permits{
    {"app/cli/list.cpp", "the heading of all learned arrays, in JSON and print", {"weights"}},
    {"app/formula/formula_plain.cpp",
     "letters that are raised or lowered",
     {"1", "h", "k", "r", "u", "v", "x", "M", "T"}},
    {"app/page/pgf_page.cpp", "coordinates in PGF", {"x", "y"}},
    {"app/panels/compare/maps.cpp", "which of two experiments", {"B"}},
    {"app/panels/compare/side.cpp", "which of two experiments", {"B"}},
    {"app/panels/compare/compare_view.cpp", "which of two experiments", {"B"}},
    {"app/panels/setup/settings.cpp",
     "how many axes there are, 2D; the control of how weights are made",
     {"D", "weights"}},
    {"app/panels/screen/shortcuts.cpp", "keys of the keyboard", {"1", "B", "C", "D", "G", "H", "L", "M", "N", "T"}},
    {"app/reading/cell_story.cpp", "the word that a line about masking is headed by", {"mask"}},
    {"app/reading/step_words.cpp", "what numbers of that kind are called", {"mask"}},
    {"app/actions/input_actions.h", "the word of the action that sets how weights are made", {"weights"}},
    {"app/actions/action_rows_compare.h", "a key of the keyboard", {"D"}},
    {"app/actions/action_rows_input.h", "what undo calls that action", {"weights"}},
    {"app/actions/action_rows_look.h", "keys of the keyboard", {"H", "L", "M", "N"}},
    {"app/actions/action_rows_network.h", "a key of the keyboard", {"B"}},
    {"app/actions/action_rows_present.h", "keys of the keyboard", {"1", "B", "C", "D", "H", "M", "N", "T"}},
    {"app/actions/action_rows_training.h", "keys of the keyboard", {"B", "C", "D", "G"}},
    {"app/session/settings_file.cpp", "where the window stood", {"x", "y"}},
    {"app/actions/update_input.cpp", "the parameter", {"mask"}},
    {"app/actions/update_params.cpp", "which changes are one step of undo", {"weights"}},
    {"app/actions/what_if.cpp", "the parameter", {"mask"}},
    {"engine/run/trained.cpp", "the parameter", {"mask"}},
    {"engine/trace/code_names.h", "words of Python", {"lambda"}},
    {"engine/code/helpers.cpp", "a function for scripts", {"windows"}},
    {"app/widgets/paragraph.cpp", "names of roles in notes", {"output", "mask"}},
    {"app/panels/lesson/text.cpp",
     "words of lessons that have a role's colour",
     {"scores", "weights", "output", "mask"}},
    {"app/panels/lesson/controls.cpp", "an action's first word and a parameter", {"mask"}},
    {"app/session/lesson_lines.cpp", "an action's first word", {"mask"}},
    {"app/model/learner.h", "a lesson's name", {"windows"}},
    {"app/actions/action_rows_lesson.h", "keys", {"1", "B", "C", "D", "H"}},
};

// Ids of all arrays and symbols of all their axes, of every sample of every variant.
Words recorded_names() {
  Words names;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment run = ran(parse_experiment(json, {}, ""));
      for (const auto* list : {&run.trace->sources, &run.trace->steps})
        for (const Step& step : *list) {
          names.insert(step.info.id);
          for (const Axis& axis : step.info.axes) names.insert(axis.symbol);
        }
    }
  return names;
}

// What stands in quotes in a line of C++, comments and raw strings aside. `raw` is how the raw string that goes on from
// line to line will end, or empty.
std::vector<std::string> quoted(const std::string& line, std::string& raw) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!raw.empty()) {
      const auto end = line.find(raw, i);
      if (end == std::string::npos) return found;
      i = end + raw.size() - 1;
      raw.clear();
      continue;
    }
    if (line.compare(i, 2, "//") == 0) return found;
    if (line.compare(i, 2, "R\"") == 0) {
      const auto open = line.find('(', i);
      raw = ")" + line.substr(i + 2, open - i - 2) + "\"";
      i = open;
      continue;
    }
    const char quote = line[i];
    const bool digits = quote == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(line[i - 1]));  // 1'000
    if ((quote != '"' && quote != '\'') || digits) continue;
    std::string text;
    for (++i; i < line.size() && line[i] != quote; ++i) {
      text += line[i];
      if (line[i] == '\\' && i + 1 < line.size()) text += line[++i];
    }
    if (quote == '"') found.push_back(text);
  }
  return found;
}

bool permitted(const std::string& file, const std::string& word) {
  return std::ranges::any_of(
      permits, [&](const Permit& permit) { return file.ends_with(permit.file) && permit.words.contains(word); });
}

std::vector<std::string> complaints(const fs::path& file, const Words& names) {
  std::vector<std::string> result;
  std::ifstream in(file);
  std::string raw;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("#include") || line.starts_with("extern \"C\"")) continue;
    for (const std::string& word : quoted(line, raw))
      if (names.contains(word) && !permitted(file.generic_string(), word))
        result.push_back(fmt::format(
            "{0}:{1} knows \"{2}\", which a variant calls a step, an array or the symbol of an axis. Code there "
            "must not ask for it: ask the trace by role. Where \"{2}\" is a word that people read, give it a "
            "permit in names_test.cpp, or call the step otherwise",
            file.string(), number, word));
  }
  return result;
}

std::vector<fs::path> sources_of_rooms() {
  std::vector<fs::path> files;
  for (const char* room : rooms)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEADLIGHT_SOURCE_DIR) / room))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp") files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("no step's id and no axis' symbol is known outside the variants") {
  const Words names = recorded_names();
  for (const char* known : {"weights", "masked_scores", "x_k", "n_q", "M", "2P-1"}) CHECK(names.contains(known));
  const auto files = sources_of_rooms();
  CHECK(files.size() > 200);
  for (const fs::path& file : files)
    for (const auto& complaint : complaints(file, names)) FAIL_CHECK(complaint);
}

TEST_CASE("a name that somebody knows is found, and nothing else") {
  const Scratch scratch;
  const fs::path file = scratch / "names.cpp";
  std::ofstream(file) << "// \"weights\" in a comment\n"
                         "const Step* step = trace.find(\"weights\");\n"
                         "if (axis.symbol == \"n_q\" || c == '\"' || axis.symbol == \"M\") say(\"weights of M\");\n"
                         "auto text = R\"x(\"weights\n\"n_q\")x\" + std::string(\"n_k\");\n";
  const auto found = complaints(file, {"weights", "n_q", "n_k", "M"});
  CHECK(found.size() == 4);
}

TEST_CASE("every permit is needed") {
  const Words names = recorded_names();
  for (const Permit& permit : permits) {
    INFO(permit.file << ", " << permit.reason);
    std::ifstream in(fs::path(HEADLIGHT_SOURCE_DIR) / permit.file);
    Words met;
    std::string raw;
    for (std::string line; std::getline(in, line);)
      for (const std::string& word : quoted(line, raw)) met.insert(word);
    for (const std::string& word : permit.words) {
      INFO(word);
      CHECK(names.contains(word));
      CHECK(met.contains(word));
    }
  }
}
