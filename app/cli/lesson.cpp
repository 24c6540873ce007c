#include "app/cli/lesson.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "app/cli/assets.h"
#include "app/cli/file_options.h"
#include "app/cli/messages.h"
#include "app/cli/progress.h"
#include "app/lessons/new_lesson.h"
#include "app/page/notes.h"
#include "app/session/lesson_answers.h"
#include "app/session/lesson_copies.h"
#include "app/session/lesson_play.h"
#include "app/session/lesson_print.h"
#include "engine/base/words.h"
#include "engine/core/natural_order.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// The lessons that are named, and those of the folders that are, in the order of their names.
Result<std::vector<fs::path>> lessons_named(const std::vector<fs::path>& named) {
  std::vector<fs::path> found;
  for (const auto& path : named) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      found.push_back(path);
      continue;
    }
    const auto before = found.size();
    for (const auto& entry : fs::directory_iterator(path, error))
      if (is_lesson_file(entry.path())) found.push_back(entry.path());
    if (error) return fail("{}: {}", utf8(path), error.message());
    if (found.size() == before)
      return fail("{}: this folder has no lesson: their names end in {}", utf8(path), lesson_ending);
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
  }
  return found;
}

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// "7 steps, 6 questions, 19 numbers computed, 12 asserted and so"
std::string summary(const Lesson& lesson) {
  std::size_t questions = 0, numbers = 0, asserted = 0;
  for (const auto& step : lesson.steps) {
    questions += step.ask ? 1 : 0;
    for (const auto& part : step.parts) asserted += part.checks.size();
  }
  for_each_text(lesson, [&](const LessonText& text) {
    for (const auto& piece : text) {
      numbers += piece.kind == LessonPiece::Kind::expression ? 1 : 0;
      asserted += piece.kind == LessonPiece::Kind::claim ? 1 : 0;
    }
  });
  return fmt::format("{}, {}, {} computed, {} asserted and so", counted(lesson.steps.size(), "step"),
                     counted(questions, "question"), counted(numbers, "number"), asserted);
}

// Its file, its pictures, and what its runs read: nothing is written over these.
std::vector<fs::path> files_of(const fs::path& path, const PlayedLesson& played) {
  std::vector<fs::path> files{path};
  for (const auto& [name, image] : played.pictures) files.push_back(played.lesson->folder / path_of_utf8(name));
  const auto add = [&](const std::shared_ptr<const Experiment>& experiment) {
    if (experiment)
      for (const auto& file : input_files(*experiment)) files.push_back(file);
  };
  for (const auto& step : played.steps) {
    add(step.asked.outcome.experiment);
    add(step.answered.outcome.experiment);
    for (const auto& [name, run] : step.answered.runs) add(run.experiment);
  }
  return files;
}

Result<bool> check(const fs::path& path, const LessonOptions& options, const Progress& progress) {
  HL_TRY(const ParsedLesson read, read_lesson(path));
  const PlayedLesson played = check_lesson(read, progress.stop_token());
  if (progress.stop_token().stop_requested()) return fail("cancelled");
  for (const auto& mistake : played.mistakes) print_error(line_of(utf8(path), mistake));
  if (played.mistakes.empty() && !options.quiet) fmt::print("{}: {}\n", utf8(path), summary(*played.lesson));
  return played.mistakes.empty();
}

// Each step as it asks and after its answer: "why-divide-3.png" and "why-divide-3-answered.png".
std::vector<LessonPicture> pictures_of(const fs::path& path, const PlayedLesson& played,
                                       const std::vector<GivenAnswer>& answers, const fs::path& folder) {
  std::vector<LessonPicture> pictures;
  const auto add = [&](std::vector<std::string> actions, std::size_t step, const char* state) {
    pictures.push_back({std::move(actions), folder / fmt::format("{}-{}{}.png", played.lesson->name, step + 1, state)});
  };
  for (std::size_t step = 0; step < played.steps.size(); ++step) {
    std::vector<std::string> there;
    if (step == 0) there.push_back("lesson " + utf8(fs::absolute(path)));
    there.push_back(fmt::format("lesson-step {}", step));
    add(std::move(there), step, "");
    const auto answer = std::ranges::find(answers, step, &GivenAnswer::step);
    if (answer == answers.end()) continue;
    if (!answer->typed.empty())
      add({"lesson-answer " + answer->typed}, step, "-answered");
    else if (answer->right)
      add({"lesson-solution"}, step, "-answered");
  }
  return pictures;
}

Result<bool> run(const fs::path& path, const LessonOptions& options, const Progress& progress,
                 const TakePictures& take_pictures, std::string& table) {
  HL_TRY(const ParsedLesson read, read_lesson(path));
  const PlayedLesson played = play_lesson(read, progress.stop_token());
  if (progress.stop_token().stop_requested()) return fail("cancelled");
  for (const auto& mistake : played.mistakes) print_error(line_of(utf8(path), mistake));
  if (!played.mistakes.empty()) return false;
  if (!options.output.empty()) HL_CHECK(check_not_input(files_of(path, played), options.output));
  AnswerMode how = AnswerMode::random;
  if (options.answers == "right") how = AnswerMode::right;
  if (options.answers == "wrong") how = AnswerMode::wrong;
  const auto answers = answers_given(played, how, options.seed);
  for (const auto& given : answers) {
    if (!options.quiet)
      fmt::print("{}, step {}: {}\n  said: {}\n  {}: {}\n{}", read.lesson.name, given.step, given.question, given.said,
                 given.right ? "right" : "it is", given.truth, given.reply.empty() ? "" : "  " + given.reply + "\n");
  }
  table += answers_as_csv(read.lesson, answers);
  if (options.screenshots.empty()) return true;
  const fs::path folder = path_of_utf8(options.screenshots[0]);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("{}: {}", utf8(folder), error.message());
  HL_CHECK(take_pictures(pictures_of(path, played, answers, folder), options.screenshots[1]));
  return true;
}

Result<bool> print(const LessonOptions& options, const Progress& progress) {
  if (options.lessons.size() != 1 || options.output.empty())
    return fail("print: name one lesson, and the .pdf to write behind -o");
  if (options.output.extension() != ".pdf")
    return fail("{}: lessons are printed as .pdf: name it so", utf8(options.output));
  HL_TRY(const ParsedLesson read, read_lesson(options.lessons[0]));
  const PlayedLesson played = play_lesson(read, progress.stop_token());
  if (progress.stop_token().stop_requested()) return fail("cancelled");
  for (const auto& mistake : played.mistakes) print_error(line_of(utf8(options.lessons[0]), mistake));
  if (!played.mistakes.empty()) return false;
  HL_CHECK(check_not_input(files_of(options.lessons[0], played), options.output));
  HL_TRY(const auto time, source_date());
  const PaperSize paper = options.paper == "letter" ? letter_paper : a4_paper;
  std::vector<PlayedLesson> copies;
  for (int number = 1; number <= options.copies; ++number) {
    auto copy = lesson_copy(read, options.seed, number, progress.stop_token());
    if (!copy) return fail("{}: --copies: {}", utf8(options.lessons[0]), copy.error().message);
    copies.push_back(*std::move(copy));
  }
  if (options.copies > 1 && !read.lesson.draws && !options.quiet)
    print_note(
        fmt::format("{}: all copies have the lesson's own numbers, and their choices in other orders: draws: says "
                    "which numbers may be others",
                    utf8(options.lessons[0])));
  const bool with_key = options.key || options.copies > 1;
  HL_TRY(const std::string pdf, lessons_pdf(copies, paper, with_key, font_files_in(assets_folder() / "fonts"), time));
  HL_CHECK(write_file(options.output, pdf));
  return true;
}

Result<bool> begin(const LessonOptions& options) {
  for (const auto& path : options.lessons) {
    HL_CHECK(write_new_lesson(path));
    if (!options.quiet)
      fmt::print("{}: write in it, and hold it to its runs with headlight lesson check\n", utf8(path));
  }
  return true;
}

Result<bool> all(const LessonOptions& options, const TakePictures& take_pictures) {
  const Progress progress(options.quiet);
  if (options.what == "print") return print(options, progress);
  if (options.what == "new") return begin(options);
  int width = 0, height = 0;
  if (!options.screenshots.empty() && !parse_size(options.screenshots[1], width, height))
    return fail("--screenshots: {}: a size is WIDTHxHEIGHT from 320x240 to 16384x16384, such as 1280x720",
                brief(options.screenshots[1]));
  HL_TRY(const auto paths, lessons_named(options.lessons));
  std::string table = answers_heading;
  bool good = true;
  for (const auto& path : paths) {
    const auto one =
        options.what == "check" ? check(path, options, progress) : run(path, options, progress, take_pictures, table);
    if (!one) print_error(one.error().message);
    if (!one && one.error().message == "cancelled") return false;
    good = good && one && *one;
  }
  if (good && !options.output.empty()) HL_CHECK(write_file(options.output, table));
  return good;
}

// What another of its deeds takes would be dropped in silence.
void reject_foreign_options(const CLI::App& command, const std::string& what) {
  const std::pair<const char*, std::vector<std::string>> takers[] = {
      {"--answers", {"run"}},     {"--copies", {"print"}}, {"--seed", {"run", "print"}}, {"--output", {"run", "print"}},
      {"--screenshots", {"run"}}, {"--key", {"print"}},    {"--paper", {"print"}}};
  for (const auto& [option, deeds] : takers)
    if (command.count(option) > 0 && std::ranges::find(deeds, what) == deeds.end())
      throw CLI::ValidationError(option, fmt::format("it is of lesson {}, not of {}", fmt::join(deeds, " and "), what));
}

}  // namespace

void add_lesson(CLI::App* command, LessonOptions& options) {
  command->footer(
      "check holds every number that a lesson says to its runs, and every reply and deed to what can be answered and\n"
      "done; run answers its questions without hands; print puts it on paper;\n"
      "new writes one to begin with. Lessons are text: docs/lessons.md says "
      "how they are written.\n"
      "Try it:\n"
      "  headlight lesson new mine.lesson.md\n"
      "  headlight lesson check why-divide.lesson.md\n"
      "  headlight lesson run why-divide.lesson.md --answers wrong\n"
      "  headlight lesson print why-divide.lesson.md -o sheet.pdf --key\n"
      "  headlight lesson print mine.lesson.md -o class.pdf --copies 30");
  command->add_option("what", options.what, "check, run, print or new")
      ->required()
      ->check(CLI::IsMember({"check", "run", "print", "new"}));
  command->add_option("lessons", options.lessons, "Lessons (.lesson.md), and folders of them")->required();
  command->add_option("--answers", options.answers, "Of run: right, wrong or random (right)")
      ->check(CLI::IsMember({"right", "wrong", "random"}));
  command->add_option("--seed", options.seed, "Of random answers, and of the numbers and orders of copies: others (1)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  command
      ->add_option("--copies", options.copies,
                   "Of print: sheets in one PDF, each with numbers of its own where the lesson draws any, the answers "
                   "behind them (1)")
      ->check(CLI::Range(1, most_lesson_copies));
  command->add_option("-o,--output", options.output,
                      "Of run: a CSV file for what was answered; of print: the .pdf to write");
  command
      ->add_option("--screenshots", options.screenshots,
                   "Of run: a folder for pictures of each step and its answer, and their size, WIDTHxHEIGHT")
      ->type_name("FOLDER SIZE")
      ->expected(2);
  command->add_flag("--key", options.key, "Of print: the answers as well, on pages of their own");
  command->add_option("--paper", options.paper, "Of print: a4 or letter")->check(CLI::IsMember({"a4", "letter"}));
  command->add_flag("-q,--quiet", options.quiet, "Mistakes alone");
  command->parse_complete_callback([command, &options] { reject_foreign_options(*command, options.what); });
}

int lesson_command(const LessonOptions& options, const TakePictures& take_pictures) {
  const auto good = all(options, take_pictures);
  if (!good) print_error(good.error().message);
  return good && *good ? 0 : 1;
}

}  // namespace headlight::app
