// The lessons of a session: which there are, the one that is opened, and what of it changes on the disk while it is
// open.
#include <algorithm>
#include <array>

#include "app/lessons/new_lesson.h"
#include "app/session/free_path.h"
#include "app/session/lesson_answers.h"
#include "app/session/lesson_play.h"
#include "app/session/lesson_print.h"
#include "app/session/session.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

constexpr auto between_looks = std::chrono::milliseconds(400);  // at a lesson's file

// What comes with the program holds, so that of it only the first map is wanted; of others the first mistake as well.
ListedLesson listed(const fs::path& path, bool shipped) {
  ListedLesson entry;
  entry.path = path;
  const auto read = read_lesson(path);
  if (!read) {
    entry.name = entry.title = utf8(path.filename());
    entry.mistake = read.error().message;
    return entry;
  }
  entry.name = read->lesson.name;
  entry.title = read->lesson.title;
  entry.needs = read->lesson.needs;
  entry.minutes = read->lesson.minutes;
  entry.steps = read->lesson.steps.size();
  entry.played = std::make_shared<const PlayedLesson>(shipped ? play_to_first_map(*read) : play_lesson(*read));
  const auto& mistakes = entry.played->mistakes;
  if (!mistakes.empty()) entry.mistake = fmt::format("line {}: {}", mistakes[0].at.line, mistakes[0].message);
  return entry;
}

std::vector<ListedLesson> listed_in(const fs::path& folder, bool shipped) {
  std::vector<ListedLesson> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_lesson_file(entry.path())) found.push_back(listed(entry.path(), shipped));
  std::ranges::sort(found, {}, &ListedLesson::name);
  return found;
}

// Those that come with the program, each behind what it needs.
std::vector<ListedLesson> in_path_order(std::vector<ListedLesson> lessons) {
  const auto place = [](const ListedLesson& lesson) {
    return std::ranges::find(lesson_path, lesson.name) - lesson_path.begin();
  };
  std::ranges::stable_sort(lessons, {}, place);
  return lessons;
}

}  // namespace

void Session::refresh_lessons() {
  const bool wanted = model_.screen == Screen::lessons || model_.dialog == Dialog::palette;
  const fs::path own = folder_beside(model_);
  const auto& known = model_.learner.listed;
  if (!wanted || (known && known->folder == own) || lessons_asked_) return;
  lessons_asked_ = true;
  const fs::path shipped = lessons_folder(model_.examples);
  reading_.run("lessons", [this, shipped, own]() -> Background::Taken {
    auto lists = std::make_shared<ListedLessons>();
    if (!shipped.empty()) lists->shipped = in_path_order(listed_in(shipped, true));
    lists->folder = own;
    if (own != shipped) lists->own = listed_in(own, false);
    return [this, lists] {
      model_.learner.listed = lists;
      lessons_asked_ = false;
    };
  });
}

// One to write over, beside the experiment, in the editor that one likes: the window follows what is saved.
void Session::begin_lesson() {
  const fs::path folder = folder_beside(model_);
  reading_.run("new lesson", [this, folder]() -> Background::Taken {
    const fs::path path = free_lesson_path(folder);
    const Status written = write_new_lesson(path);
    return [this, path, written] {
      if (!written) return note(Notice::Level::error, written.error().message);
      model_.learner.listed = nullptr;  // it is one of them
      note(Notice::Level::note,
           fmt::format("{} is yours: write in it with any editor, and the window follows what is saved", utf8(path)));
      open_lesson(path);
    };
  });
}

void Session::save_answers() {
  const fs::path folder = folder_beside(model_);
  const std::string name = model_.learner.played->lesson->name + "-answers";
  const std::string table =
      std::string(answers_heading) + answers_as_csv(*model_.learner.played->lesson, answers_of(model_.learner));
  reading_.run("answers", [this, folder, name, table]() -> Background::Taken {
    const fs::path path = free_path(folder, name, ".csv");
    const Status written = write_file(path, table);
    return [this, path, written] {
      if (!written) return note(Notice::Level::error, written.error().message);
      note(Notice::Level::note, fmt::format("{} has what was answered", utf8(path)));
    };
  });
}

void Session::print_lesson() {
  static constexpr const char* under_way = "Printing the lesson…";
  const fs::path folder = folder_beside(model_);
  const PaperSize paper = model_.sheet.letter ? letter_paper : a4_paper;
  note(Notice::Level::note, under_way);
  reading_.run("lesson on paper",
               [this, folder, paper, played = model_.learner.played,
                fonts = font_files_in(model_.fonts)]() -> Background::Taken {
                 const fs::path path = free_path(folder, played->lesson->name, ".pdf");
                 const Status written = [&]() -> Status {
                   HL_TRY(const auto time, source_date());
                   HL_TRY(const std::string pdf, lesson_pdf(*played, paper, true, fonts, time));
                   return write_file(path, pdf);
                 }();
                 return [this, path, written] {
                   std::erase_if(model_.notices, [](const Notice& notice) { return notice.text == under_way; });
                   if (!written) return note(Notice::Level::error, written.error().message);
                   note(Notice::Level::note,
                        fmt::format("{} has the lesson, and its answers on pages of their own", utf8(path)));
                 };
               });
}

void Session::stop_opening_lesson() {
  lesson_stop_.request_stop();
  reading_.drop("lesson");
  model_.learner.opening = false;
}

void Session::open_lesson(const fs::path& path) {
  stop_opening_lesson();
  lesson_stop_ = {};
  model_.learner.opening = true;
  const bool again = model_.learner.played && model_.learner.path == path;
  reading_.run("lesson", [this, path, again, stop = lesson_stop_.get_token()]() -> Background::Taken {
    const std::string stamp = stamp_of(path);
    auto read = read_lesson(path);
    if (!read) {
      return [this, message = read.error().message, again, stamp] {
        model_.learner.opening = false;
        model_.learner.stamp = stamp;
        if (again)
          model_.learner.problem = message;
        else
          note(Notice::Level::error, message);
      };
    }
    auto played = std::make_shared<const PlayedLesson>(play_lesson(*read, stop));
    return [this, path, played, again, stamp] { take_lesson(path, played, again, stamp); };
  });
}

// A lesson with mistakes opens where all its steps could be played; one that is open stays as it was.
void Session::take_lesson(const fs::path& path, const std::shared_ptr<const PlayedLesson>& played, bool again,
                          const std::string& stamp) {
  Learner& learner = model_.learner;
  learner.opening = false;
  learner.stamp = stamp;
  const std::string problem = played->mistakes.empty() ? "" : line_of(utf8(path.filename()), played->mistakes.front());
  const bool whole = !played->steps.empty() && played->steps.size() == played->lesson->steps.size();
  if (again && learner.path != path) return;  // another was opened meanwhile
  if (!problem.empty() && (again || !whole)) {
    if (again)
      learner.problem = problem;
    else
      note(Notice::Level::error, problem);
    return;
  }
  enter_lesson(model_, played, path);
  learner.problem = problem;
  keep_progress();
  rerun();
}

void Session::refresh_lesson_file() {
  const Learner& learner = model_.learner;
  const auto now = std::chrono::steady_clock::now();
  if (!learner.played || learner.opening || now - lesson_looked_at_ < between_looks) return;
  lesson_looked_at_ = now;
  keeping_.run("lesson file", [this, path = learner.path, known = learner.stamp]() -> Background::Taken {
    const std::string stamp = stamp_of(path);
    if (stamp.empty() || stamp == known) return {};
    return [this, path] {
      if (model_.learner.played && model_.learner.path == path) open_lesson(path);
    };
  });
}

// How far one came is remembered from one start to the next.
void Session::keep_progress() {
  if (remembered_.lessons == model_.learner.progress) return;
  remembered_.lessons = model_.learner.progress;
  write_remembered();
}

}  // namespace headlight::app
