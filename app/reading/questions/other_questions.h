// What a class can be asked besides which key wins: what becomes of its weight, which head this is, what the row will
// be made of. All answers are read from traces.
#pragma once

#include <string_view>

#include "app/reading/questions/question.h"

namespace headlight::app {

// "Which key wins?"
std::string_view title_of(AskAbout about);

// What is changed about a run before it is asked whether the winner's weight becomes more or less.
struct RunChange {
  std::string_view id;       // as actions/what_if.h has it
  std::string_view label;    // "More or less: without the division"
  std::string_view happens;  // "the scores are not divided by √d"
};
// Null where there is none of that id.
const RunChange* run_change(std::string_view id);

// Whether the winner's weight becomes more, less, or stays the same to two decimals. `winner` is the row's question;
// `changed` the run with that change, null while there is none yet.
Question change_question(Question winner, const Step& map, const RowOf& row, const RunChange& change,
                         const Trace* changed);

// Which of the run's named heads the map is of. A head whose map is nearly the same is right as well.
Question head_question(const Trace& trace, const Step& map, const RowOf& row);

// What the weighted sum makes of the row: the shares of its weights beside the mistakes that are usual: the winner
// alone, equal parts, the word itself, shares the wrong way round. `winner` is the row's question.
Question mix_question(Question winner, const Trace& trace, const RowOf& row);

}  // namespace headlight::app
