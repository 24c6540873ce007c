// The pictures of a lesson's texts.
#pragma once

#include "app/model/lesson_scene.h"

namespace headlight::app {

// Reads every picture that a text names, its longer side at most `longest_lesson_picture` pixels. Mistakes are added
// for those that are missing, lie elsewhere or cannot be read.
void read_pictures(PlayedLesson& played);

inline constexpr Index longest_lesson_picture = 1200;

}  // namespace headlight::app
