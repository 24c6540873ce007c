#include "app/session/lesson_play.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "app/actions/update.h"
#include "app/lessons/markdown.h"
#include "app/session/lesson_pictures.h"
#include "app/session/lesson_stage.h"
#include "app/session/lesson_training.h"
#include "engine/base/words.h"
#include "engine/core/random.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/learn/training_file.h"

namespace headlight::app {

namespace {

enum class Playing { whole, checking, to_first_map };

// ---- A whole lesson ----------------------------------------------------------------------------------------------

class Player {
 public:
  // `draws`: where other numbers come from; null: the lesson's own.
  Player(PlayedLesson& played, Playing how, Random* draws, std::stop_token stop)
      : played_(played), how_(how), draws_(draws), stop_(std::move(stop)) {}

  void operator()() {
    const Lesson& lesson = *played_.lesson;
    if (!begin(lesson)) return;
    for (const auto& step : lesson.steps) {
      if (stop_.stop_requested()) return;
      play(step);
      if (how_ == Playing::to_first_map && has_map(played_.steps.back().answered)) return;
    }
  }

 private:
  using Part = LessonPart;

  static bool has_map(const LessonScene& scene) { return scene.outcome.trace && scene.outcome.trace->map(); }

  void mistake(LessonPlace at, std::string message) { played_.mistakes.push_back({at, std::move(message)}); }

  bool begin(const Lesson& lesson) {
    auto experiment = lesson.experiment ? experiment_of(*lesson.experiment) : Result<Experiment>(example_experiment());
    const LessonPlace at = lesson.experiment ? lesson.experiment->at : LessonPlace{1, 1};
    if (!experiment) return mistake(at, experiment.error().message), false;
    if (lesson.draws) {
      const Status drawn = draw_numbers(*experiment, *lesson.draws);
      if (!drawn) return mistake(lesson.draws->at, drawn.error().message), false;
    }
    named_["first"] = *experiment;
    const std::size_t before = played_.mistakes.size();
    open(scene_, *experiment, at);
    return played_.mistakes.size() == before;
  }

  // Other numbers of an input that has its numbers written out, where others are asked for.
  Status draw_numbers(Experiment& experiment, const LessonDraws& draws) {
    const auto found = experiment.inputs.find(draws.input);
    auto* numbers = found == experiment.inputs.end() ? nullptr : std::get_if<LiteralInput>(&found->second);
    if (!numbers) return fail("{} is no input whose numbers are written out in the lesson's experiment", draws.input);
    if (!draws_) return {};
    std::vector<float> drawn(numbers->values->size());
    for (float& number : drawn)
      number = static_cast<float>(draws.from + static_cast<int>(draws_->uniform() * (draws.to - draws.from + 1)));
    numbers->values = std::move(drawn);
    return {};
  }

  PrintedText print(const LessonText& text) {
    return render_text(text, scope(), played_.mistakes, draws_ ? Claims::show_computed : Claims::hold);
  }

  Result<Experiment> experiment_of(const Part& part) {
    const auto& folder = played_.lesson->folder;
    if (!part.file.empty()) {
      if (const auto found = named_.find(part.file); found != named_.end()) return found->second;
      const auto path = path_of_utf8(part.file);
      if (lies_outside(folder, path))
        return fail("{} lies outside of the lesson's folder, and a lesson reads nothing there", brief(part.file));
      return read_experiment(folder / path);
    }
    const std::string name = part.words.empty() ? "experiment" : part.words;
    if (learn::is_training(part.json)) return trainings_.experiment_of(part.json, folder, name, stop_);
    // Lines are counted as the file has them.
    const std::string text = std::string(static_cast<std::size_t>(part.at.line), '\n') + part.json;
    HL_TRY(Experiment experiment, parse_experiment(text, folder, name));
    experiment.name.clear();  // of a file, which messages of a run would begin with
    return experiment;
  }

  void play(const LessonStep& step) {
    PlayedStep made;
    scene_.hidden.clear();
    scene_.locked.clear();
    made.texts.resize(step.parts.size());
    take_all(step, 0, step.asked_at, made);
    made.asked = scene_;
    if (step.ask) ask(*step.ask, made);
    scene_.hidden.clear();
    if (step.ask && step.ask->kind == AskKind::deed)  // what comes after it is about what was done
      for (const auto& line : step.ask->solution) {
        if (const auto action = lesson_action(line.text, scene_.outcome.trace.get()))
          made.solution.push_back(to_text(*action));
        act(scene_, line);
      }
    if (step.ask && step.ask->kind == AskKind::deed && step.ask->because)
      made.question.because = print(*step.ask->because);
    take_all(step, step.asked_at + 1, step.parts.size(), made);
    made.answered = scene_;
    played_.steps.push_back(std::move(made));
  }

  // What is shown first: the text speaks of that, wherever in the step it stands.
  void take_all(const LessonStep& step, std::size_t first, std::size_t end, PlayedStep& made) {
    for (const bool text : {false, true})
      for (std::size_t i = first; i < end; ++i)
        if (says(step.parts[i]) == text) take(step.parts[i], made.texts[i]);
  }
  static bool says(const Part& part) {
    return part.kind == Part::Kind::paragraph || part.kind == Part::Kind::item || part.kind == Part::Kind::heading ||
           part.kind == Part::Kind::check || part.kind == Part::Kind::note;
  }

  ExpressionScope scope() const { return make_scope(scene_.shown(), scene_.runs); }

  void take(const Part& part, PrintedText& text) {
    switch (part.kind) {
      case Part::Kind::paragraph:
      case Part::Kind::item:
      case Part::Kind::heading:
      case Part::Kind::note:
        return take_text(part.text, text);
      case Part::Kind::experiment:
        return take_experiment(part);
      case Part::Kind::run:
        return take_run(part);
      case Part::Kind::show:
        for (const auto& line : part.lines) show(line);
        return;
      case Part::Kind::hide:
        for (const auto& line : part.lines)
          if (const Status done = add_hidden(line.text, scene_.outcome.trace.get(), scene_.hidden); !done)
            mistake(line.at, done.error().message);
        return;
      case Part::Kind::lock:
        for (const auto& line : part.lines) {
          if (const Status locks = check_lock_line(line.text, scene_.document.experiment->params); !locks)
            mistake(line.at, locks.error().message);
          scene_.locked.push_back(line.text);
        }
        return;
      case Part::Kind::check:
        for (const auto& check : part.checks) assert_that(check);
        return;
      case Part::Kind::code:
      case Part::Kind::ask:
        return;
    }
  }

  void take_text(const LessonText& text, PrintedText& into) {
    into = print(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!text[i].action) continue;
      if (const auto action = lesson_action(text[i].action->text, scene_.outcome.trace.get()))
        into[i].action = to_text(*action);
      LessonScene there = scene_;
      act(there, *text[i].action);
    }
  }

  void take_experiment(const Part& part) {
    const auto experiment = experiment_of(part);
    if (!experiment) return mistake(part.at, experiment.error().message);
    if (!part.words.empty() && named_.contains(part.words) && part.file.empty())
      mistake(part.at, fmt::format("an experiment called {} stands above", brief(part.words)));
    if (!part.words.empty()) named_[part.words] = *experiment;
    open(scene_, *experiment, part.at);
  }
  void open(LessonScene& scene, const Experiment& experiment, LessonPlace at) {
    for (const auto& notice : experiment.notices) mistake(at, notice);
    if (const Status opened = LessonStage(scene, stop_).open(experiment); !opened) mistake(at, opened.error().message);
  }

  // Another run beside the one that is shown.
  void take_run(const Part& part) {
    LessonScene there = scene_;
    if (!part.json.empty() || !part.file.empty()) {
      const auto experiment = experiment_of(part);
      if (!experiment) return mistake(part.at, experiment.error().message);
      open(there, *experiment, part.at);
    }
    for (const auto& line : part.lines) act(there, line);
    scene_.runs[part.words] = there.shown();
    if (there.outcome.experiment) named_[part.words] = *there.outcome.experiment;
  }

  void show(const LessonLine& line) {
    if (line.text.starts_with("experiment ")) {
      const std::string name(trimmed(std::string_view(line.text).substr(11)));
      const auto found = named_.find(name);
      if (found == named_.end())
        return mistake(
            line.at,
            fmt::format(
                "no experiment is called “{}”: the lesson's own is called first, others by the name of their fence",
                brief(name)));
      return open(scene_, found->second, line.at);
    }
    if (!line.text.starts_with("part ")) return act(scene_, line);
    const std::string name(trimmed(std::string_view(line.text).substr(5)));
    if (name == "none") return scene_.parts.clear();
    if (std::ranges::find(lesson_parts, name) == lesson_parts.end())
      return mistake(
          line.at, fmt::format("“{}” is no part beside the map: arrows, sum, bars, heads, strip, formula and none are",
                               brief(name)));
    if (std::ranges::find(scene_.parts, name) == scene_.parts.end()) scene_.parts.push_back(name);
  }

  void act(LessonScene& scene, const LessonLine& line) {
    if (const Status done = LessonStage(scene, stop_).act(line.text); !done) mistake(line.at, done.error().message);
  }

  void assert_that(const LessonExpression& check) {
    const auto value = value_of(check, scope(), played_.mistakes);
    if (!value) return;
    const bool* holds = std::get_if<bool>(&*value);
    if (!holds)
      mistake(check.at, fmt::format("a check is a condition, such as a < b, and this is {}", kind_of(*value)));
    else if (!*holds)
      mistake(check.at, fmt::format("this does not hold: {}", brief(check.expression.text())));
  }

  // ---- Questions

  void ask(const LessonQuestion& question, PlayedStep& made) {
    auto& mistakes = played_.mistakes;
    made.question.question = print(question.question);
    for (const auto& option : question.options) made.question.options.push_back(print(option.text));
    for (const auto& hint : question.hints) made.question.hints.push_back(print(hint));
    if (question.because && question.kind != AskKind::deed) made.question.because = print(*question.because);
    if (!question.sound) return;
    const std::size_t before = mistakes.size();
    made.truth = truth_of(question, scope(), scene_.document.look.selection.query, mistakes);
    if (!made.truth || mistakes.size() > before) return;
    const bool checks = how_ == Playing::checking;
    if (question.kind == AskKind::deed && (checks || draws_)) return check_deed(question, *made.truth);
    if (checks && question.kind != AskKind::deed) check_replies(question, *made.truth);
  }

  // Each reply is said to some wrong answer, and prints.
  void check_replies(const LessonQuestion& question, const LessonTruth& truth) {
    std::vector<bool> said(question.replies.size(), false);
    std::vector<LessonMistake> in_conditions;
    for (const auto& answer : answers_to_try(question, truth, scope())) {
      in_conditions.clear();
      const auto verdict = judge(question, truth, answer, scope(), in_conditions);
      if (!in_conditions.empty()) break;
      if (!verdict.reply || said[*verdict.reply]) continue;
      said[*verdict.reply] = true;
      print_reply(*verdict.says, truth, answer);
    }
    played_.mistakes.insert(played_.mistakes.end(), in_conditions.begin(), in_conditions.end());
    if (in_conditions.empty()) report_unreached(question, said);
    if (question.otherwise) print_reply(*question.otherwise, truth, right_answer(question, truth));
  }
  void print_reply(const LessonText& says, const LessonTruth& truth, const Value& answer) {
    ExpressionScope with = scope();
    with.values["answer"] = answer;
    if (truth.now) with.values["now"] = *truth.now;
    render_text(says, with, played_.mistakes);
  }
  void report_unreached(const LessonQuestion& question, const std::vector<bool>& said) {
    std::string words = fmt::format(
        "no wrong answer leads here: it is right{}, cannot be given, or an earlier reply "
        "takes it",
        question.within ? " within what within: allows" : "");
    if (question.kind == AskKind::deed)
      words = "no attempt: leads here: write one as an action on a line of its own, or leave the reply out";
    for (std::size_t i = 0; i < said.size(); ++i)
      if (!said[i]) mistake(question.replies[i].when.at, words);
  }

  void check_deed(const LessonQuestion& question, const LessonTruth& truth) {
    if (!question.until) return;
    const auto reached = [&](const LessonScene& scene) -> std::optional<bool> {
      const auto value = value_of(*question.until, make_scope(scene.shown(), scene.runs), played_.mistakes);
      const bool* holds = value ? std::get_if<bool>(&*value) : nullptr;
      if (value && !holds)
        mistake(question.until->at, fmt::format("until: is a condition, and this is {}", kind_of(*value)));
      return holds ? std::optional(*holds) : std::nullopt;
    };
    for (const auto& line : question.solution)
      if (const auto action = lesson_action(line.text, scene_.outcome.trace.get());
          action && is_locked(scene_, *action))
        mistake(line.at, fmt::format("“{}” is locked in this step", brief(line.text)));
    const auto before = reached(scene_);
    if (!before) return;
    if (*before) return mistake(question.until->at, "this is so from the start: there is nothing to do");
    LessonScene there = scene_;
    const std::size_t mistakes = played_.mistakes.size();
    for (const auto& line : question.solution) act(there, line);
    if (played_.mistakes.size() > mistakes) return;
    if (const auto after = reached(there); after && !*after)
      mistake(question.solution.front().at, "the solution does not lead to what until: says");
    if (how_ != Playing::checking) return;
    std::vector<bool> said(question.replies.size(), false);
    for (const auto& attempt : question.attempts) {
      there = scene_;
      act(there, attempt);
      const auto arrived = reached(there);
      if (arrived && *arrived) mistake(attempt.at, "this attempt reaches what is asked for: it is no mistake");
      const auto verdict = judge(question, truth, false, make_scope(there.shown(), there.runs), played_.mistakes);
      if (verdict.reply) said[*verdict.reply] = true;
    }
    if (played_.mistakes.size() == mistakes) report_unreached(question, said);
  }

  PlayedLesson& played_;
  Playing how_;
  Random* draws_;
  std::stop_token stop_;
  LessonScene scene_;
  std::map<std::string, Experiment> named_;  // by the name of their fence
  LessonTrainings trainings_;
};

void look_for_needed(PlayedLesson& played) {
  const Lesson& lesson = *played.lesson;
  std::error_code error;
  const std::string file = lesson.needs + std::string(lesson_ending);
  if (!lesson.needs.empty() && lesson.needs == lesson.name)
    return played.mistakes.push_back({lesson.needs_at, "a lesson does not need itself"});
  if (lesson.needs.empty() || std::ranges::find(lesson_path, lesson.needs) != lesson_path.end() ||
      std::filesystem::exists(lesson.folder / path_of_utf8(file), error))
    return;
  played.mistakes.push_back(
      {lesson.needs_at,
       fmt::format("there is no lesson called {}: neither {} beside this one, nor one of the program's",
                   brief(lesson.needs), brief(file))});
}

PlayedLesson play(const ParsedLesson& read, Playing how, std::stop_token stop, Random* draws = nullptr) {
  PlayedLesson played;
  played.lesson = std::make_shared<const Lesson>(read.lesson);
  played.mistakes = read.mistakes;
  if (read.malformed) return played;
  if (how != Playing::to_first_map) read_pictures(played);
  if (how == Playing::checking) look_for_needed(played);
  Player(played, how, draws, std::move(stop))();
  std::ranges::stable_sort(played.mistakes, {},
                           [](const LessonMistake& m) { return std::pair(m.at.line, m.at.column); });
  const auto same = [](const LessonMistake& a, const LessonMistake& b) {
    return a.at.line == b.at.line && a.at.column == b.at.column && a.message == b.message;
  };
  played.mistakes.erase(std::unique(played.mistakes.begin(), played.mistakes.end(), same), played.mistakes.end());
  return played;
}

}  // namespace

PlayedLesson play_lesson(const ParsedLesson& read, std::stop_token stop) {
  return play(read, Playing::whole, std::move(stop));
}

PlayedLesson play_drawn(const ParsedLesson& read, Random& draws, std::stop_token stop) {
  return play(read, Playing::whole, std::move(stop), &draws);
}

PlayedLesson check_lesson(const ParsedLesson& read, std::stop_token stop) {
  return play(read, Playing::checking, std::move(stop));
}

PlayedLesson play_to_first_map(const ParsedLesson& read, std::stop_token stop) {
  return play(read, Playing::to_first_map, std::move(stop));
}

Result<LessonScene> scene_after(const LessonScene& scene, const std::vector<LessonLine>& lines,
                                std::vector<LessonMistake>& mistakes, std::stop_token stop) {
  LessonScene there = scene;
  for (const auto& line : lines)
    if (const Status done = LessonStage(there, stop).act(line.text); !done) {
      mistakes.push_back({line.at, done.error().message});
      return fail("{}", done.error().message);
    }
  return there;
}

}  // namespace headlight::app
