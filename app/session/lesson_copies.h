// Copies of a lesson for a class on paper: each with its own numbers, where the lesson says which may be drawn, and
// with the choices in another order.
#pragma once

#include <cstdint>
#include <stop_token>

#include "app/model/lesson_scene.h"

namespace headlight::app {

inline constexpr int most_lesson_copies = 500;

// The copy of that number, from 1, which is the lesson as it stands. The same seed and number give the same copy. The
// lesson has no mistake. Error: no numbers that may be drawn leave what it asserts true; the first thing that they
// break.
Result<PlayedLesson> lesson_copy(const ParsedLesson& read, std::uint64_t seed, int number, std::stop_token stop = {});

}  // namespace headlight::app
