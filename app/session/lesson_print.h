// A lesson on paper, for a class without computers: its text, its tables with room to write, its questions, and a key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/model/lesson_scene.h"
#include "app/page/worksheet.h"

namespace headlight::app {

// As PDF; the same lesson, fonts and time give the same bytes. The sheet asks and hides what the lesson does; the key,
// on pages of its own behind it, has the answers, their reasons and what comes after them. The lesson was played
// without a mistake.
Result<std::string> lesson_pdf(const PlayedLesson& played, PaperSize paper, bool with_key, const FontFiles& fonts,
                               std::optional<std::int64_t> time);
// Several copies, each numbered, all keys behind them.
Result<std::string> lessons_pdf(const std::vector<PlayedLesson>& copies, PaperSize paper, bool with_key,
                                const FontFiles& fonts, std::optional<std::int64_t> time);

}  // namespace headlight::app
