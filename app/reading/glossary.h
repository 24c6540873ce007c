// The words on the screen that a beginner does not know: what they mean, in two sentences, and which of the screen's
// own numbers show it. They are in assets/glossary.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight::app {

// Rows of numbers as strips of colours, a row as bars, or a whole map.
enum class TermPicture { none, strip, bars, map };

struct GlossaryEntry {
  std::string term;                 // "Softmax"
  std::vector<std::string> forms;   // in which it is written, folded: "softmax", "soft maximum"
  std::vector<std::string> stages;  // of runs that are about it, by their titles or their tiles: "Turn", "÷ N"
  std::string text;
  TermPicture picture = TermPicture::none;
  std::vector<std::string> arrays;  // of a run, the first that there is: "weights"
  std::string head;                 // how the head is called that shows it; empty: whichever is looked at
};

const std::vector<GlossaryEntry>& glossary();
// By any of its forms; null where it is none.
const GlossaryEntry* term_named(std::string_view words);
// Of up to three words of a text, the longer before the shorter, round that byte of it. Null where that is none.
const GlossaryEntry* term_at(std::string_view text, std::size_t at);
// What a stage of a run is about, by its tile and else by its title; null where the glossary does not say.
const GlossaryEntry* term_of(const Stage& stage);

}  // namespace headlight::app
