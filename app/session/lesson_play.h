// Carries a lesson out without a window: its experiments and actions step by step, the other runs that it asks for, its
// text with the numbers in it, and everything that it asserts.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "app/actions/action.h"
#include "app/model/lesson_scene.h"
#include "engine/core/random.h"

namespace headlight::app {

// What the file says wrongly is among the mistakes. Stopped: as far as it came.
PlayedLesson play_lesson(const ParsedLesson& read, std::stop_token stop = {});

// With other numbers, where the lesson says which may be drawn: what it claims of numbers is then what they come to.
PlayedLesson play_drawn(const ParsedLesson& read, Random& draws, std::stop_token stop = {});

// As far as the first step that shows a map of pairs.
PlayedLesson play_to_first_map(const ParsedLesson& read, std::stop_token stop = {});

// Besides: whether every reply is said to some answer, and whether every deed is reached by its solution and not
// without.
PlayedLesson check_lesson(const ParsedLesson& read, std::stop_token stop = {});

// The action that a line of a lesson stands for: those of --do, and "row fox", "view numbers", "mask causal"; tokens
// may stand for their places.
Result<Action> lesson_action(const std::string& line, const Trace* trace);

// Whether a line of "lock" is the beginning of some action. Error: of none.
Status check_lock_line(std::string_view line, const ParamValues& params);

// Adds what a line of "hide" covers. Error: it covers nothing.
Status add_hidden(const std::string& line, const Trace* trace, std::vector<LessonHidden>& hidden);

// A scene after further actions, each on its own run. Error: the line and what is wrong.
Result<LessonScene> scene_after(const LessonScene& scene, const std::vector<LessonLine>& lines,
                                std::vector<LessonMistake>& mistakes, std::stop_token stop = {});

}  // namespace headlight::app
