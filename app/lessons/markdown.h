// Lesson text from Markdown (CommonMark, read by cmark), with braces and formulas of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.h"

namespace headlight::app {

// What braces stand for, and what was wrong in them.
struct MarkdownReader {
  // One or several lines that begin at that place of the file: its paragraphs, headings, items and fenced blocks.
  struct Block {
    enum class Kind { heading, paragraph, item, fence } kind = Kind::paragraph;
    int level = 0;     // of a heading
    std::string info;  // of a fence: what stands behind its signs
    std::string body;  // of a fence
    LessonPlace at;
    LessonText text;
  };
  std::vector<Block> blocks(std::string_view text, LessonPlace from);
  // The same of text that is one paragraph: a sentence.
  LessonText sentence(std::string_view text, LessonPlace from);
  // An expression that begins at that place; a mistake where it is none.
  std::optional<LessonExpression> expression(std::string_view text, LessonPlace at);

  void mistake(LessonPlace at, std::string message) { mistakes.push_back({at, std::move(message)}); }
  std::vector<LessonMistake> mistakes;
};

// What is wrong with a fenced block that does not end before the next one begins, or before the text does.
std::optional<LessonMistake> open_fence(std::string_view text, LessonPlace from);

// How many characters lie before that byte.
int characters_before(std::string_view text, std::size_t byte);
// The colon that parts an action or a condition from its words: outside of brackets and quotes. npos: nowhere.
std::size_t find_colon(std::string_view text);

}  // namespace headlight::app
