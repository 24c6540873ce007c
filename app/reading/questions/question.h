// What a class is asked of a map of weights. Here: which key wins a row. The answer and what stands beside it are read
// from the trace: the key of the largest weight, and other keys that the query sees which it could well have been.
//
// Other questions: other_questions.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight::app {

enum class AskAbout {
  winner,  // which key has the largest weight
  change,  // whether that becomes more or less if something is changed
  head,    // which of the run's heads this is
  mix,     // what the row is made of afterwards
  own      // what the notes ask
};

struct CandidateKey {
  Index key = -1;        // −1: the answer is no key
  std::string name;      // "sat"; "row 3, column 4" of a picture
  std::string number;    // "3", beside a word that may stand there twice; empty where the name is the place
  std::string relation;  // to the query: "the word just before"
  double weight = 0;
  bool right = false;  // where no weight decides it
};

// An answer that is no key.
inline CandidateKey plain_answer(std::string name, std::string relation, bool right) {
  return {-1, std::move(name), {}, std::move(relation), 0, right};
}

struct Question {
  AskAbout about = AskAbout::winner;
  Index query = 0;
  std::string asker;  // "cat"; "row 3, column 4"
  int nth = 0;        // of the queries with its label, from 1; 0: there is one, or it has no label
  std::vector<CandidateKey>
      choices;                   // in the order of their positions, one of them the winner; none: there is no question
  std::size_t winner = 0;        // of the choices
  std::string why_none;          // then, in one line
  std::string asked, because;    // of the notes' own: its words, and what is said after the answer
  bool of_row = false;           // and whether it is about the query's row
  std::string happens;           // of a change: "the scores are not divided by √d"
  double before = 0, after = 0;  // and the winner's weight then

  // Whether a choice is right: the winner is, and what weighs nearly as much, which nobody could have told from it.
  bool wins(std::size_t choice) const {
    if (about != AskAbout::winner) return choices[choice].right;
    const double most = choices[winner].weight;
    return choices[choice].weight >= most - 0.05 * (most < 0 ? -most : most);
  }
};

inline constexpr std::size_t most_choices = 4;

// What the positions of a run are called.
struct PositionWords {
  std::string one = "position";  // "word", "patch", "sample"
  bool one_sequence = true;      // keys are of the same sequence as queries
};

// Which of a map's matrices, and whose row.
struct RowOf {
  Index batch = 0, head = 0, query = 0;
};

// `map` is one of the trace's maps(). The winner must weigh more than every other key that the query sees; where two
// weigh the same, where fewer than two are seen, or where a weight is no number, nothing is asked.
Question question_of(const Trace& trace, const Step& map, const RowOf& row, const PositionWords& words);

// The query whose row tells most. In this order: it has what the head looks for; it sees most_choices keys or more; two
// rows stand above it, which show what the head does; it is no start token, nor is its winner; its winner weighs most
// beside the others. Nothing where no row has a question.
std::optional<Index> example_query(const Trace& trace, const Step& map, Index batch, Index head);

}  // namespace headlight::app
