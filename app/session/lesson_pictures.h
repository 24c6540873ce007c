// Pictures and formulas of a lesson's texts: what of them can be held to nothing but themselves.
#pragma once

#include "app/model/lesson_scene.h"

namespace headlight::app {

// Reads every picture that a text names, its longer side at most `longest_lesson_picture` pixels. Mistakes are added: a
// picture that is missing, lies elsewhere or cannot be read, and a formula that is none.
void read_pictures(PlayedLesson& played);

inline constexpr Index longest_lesson_picture = 1200;

}  // namespace headlight::app
