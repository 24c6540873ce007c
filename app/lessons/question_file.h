// The lines of a question: its words, its answers, and what is said to each.
#pragma once

#include <string_view>
#include <vector>

#include "app/lessons/markdown.h"

namespace headlight::app {

struct QuestionLine {
  std::string_view text;
  int number;
};
std::vector<QuestionLine> numbered_lines(std::string_view text, int first);

// The kind must be known. Mistakes go to the reader.
void read_question(const std::vector<QuestionLine>& lines, MarkdownReader& reader, LessonQuestion& question);

}  // namespace headlight::app
