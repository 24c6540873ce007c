// What a row behind a map of weights is made of, in shares of keys: "95 % sat, 5 % ⟨s⟩"; and which row of the values or
// of the input it has become most like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"

namespace headlight::app {

// Of one head: the keys whose values it takes, the largest share first.
struct TakenShares {
  struct Part {
    Index key = 0;
    std::string name;
    double share = 0;  // of 1
  };
  Index head = 0;           // of the run
  std::vector<Part> parts;  // at most three, each of a hundredth or more
  Index others = 0;         // keys that are not named and not hidden
  double rest = 0;          // what these have together
  bool nothing = false;     // all that it takes is 0
};

struct MadeOf {
  Index query = 0;
  std::string asker;               // what the query is called
  std::vector<TakenShares> heads;  // all of the run's where the step has them side by side or mixed, else one
  // The row that lies most nearly in its direction.
  struct Nearest {
    std::string of, name;  // "value", "input"; "sat"
    double cosine = 0;
  };
  std::optional<Nearest> nearest = {};
};

// The row of the focus's query, else of that query. Nothing where the step is no weighted sum of values by a map whose
// rows add up to 1, nor made of such sums and weights alone; where keys have no names; where nothing is left of a row.
std::optional<MadeOf> made_of(const Trace& trace, const Step& step, const Focus& focus, Index query);

// "95 % sat, 5 % ⟨s⟩", "31 % the, 22 % cat, 9 % on, 38 % of 9 others".
std::string in_words(const TakenShares& shares);

}  // namespace headlight::app
