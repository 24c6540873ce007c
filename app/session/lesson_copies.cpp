#include "app/session/lesson_copies.h"

#include <fmt/format.h>

#include "app/session/lesson_play.h"
#include "engine/core/pause.h"
#include "engine/core/random.h"

namespace headlight::app {

namespace {

constexpr int most_draws = 200;

// Its choices in another order, with the right one among them.
void shuffle_choices(PlayedLesson& played, Random& random) {
  Lesson lesson = *played.lesson;
  for (std::size_t i = 0; i < played.steps.size(); ++i) {
    auto& ask = lesson.steps[i].ask;
    auto& step = played.steps[i];
    if (!ask || ask->kind != AskKind::choice || !step.truth) continue;
    const auto order = shuffled(std::ssize(ask->options), random);
    std::vector<LessonOption> options;
    std::vector<PrintedText> printed;
    const std::size_t right = step.truth->option;
    for (const auto at : order) {
      if (static_cast<std::size_t>(at) == right) step.truth->option = options.size();
      options.push_back(ask->options[static_cast<std::size_t>(at)]);
      printed.push_back(step.question.options[static_cast<std::size_t>(at)]);
    }
    ask->options = std::move(options);
    step.question.options = std::move(printed);
  }
  played.lesson = std::make_shared<const Lesson>(std::move(lesson));
}

}  // namespace

Result<PlayedLesson> lesson_copy(const ParsedLesson& read, std::uint64_t seed, int number, std::stop_token stop) {
  if (number == 1) return play_lesson(read, stop);
  PlayedLesson played;
  const int draws = read.lesson.draws ? most_draws : 1;
  LessonMistake first;
  for (int draw = 0; draw < draws && !stop.stop_requested(); ++draw) {
    pause_if_asked();
    Random random(seed, fmt::format("lesson copy {}.{}", number, draw));
    played = play_drawn(read, random, stop);
    if (played.mistakes.empty()) {
      shuffle_choices(played, random);
      return played;
    }
    if (draw == 0) first = played.mistakes.front();
  }
  if (stop.stop_requested()) return fail("cancelled");
  return fail("{} draws of {} break what the lesson says; the first in line {}: {}", most_draws,
              read.lesson.draws ? read.lesson.draws->input : "", first.at.line, first.message);
}

}  // namespace headlight::app
