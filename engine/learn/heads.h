// Heads of a network that learns: which there are, which numbers are theirs, and what may be done to one on the way.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/learn/optimizer.h"
#include "engine/learn/task.h"

namespace headlight::learn {

// Of that map (Task::maps()), both counted from 0.
struct TrainedHead {
  Index map = 0, head = 0;
  auto operator<=>(const TrainedHead&) const = default;
};
using TrainedHeads = std::set<TrainedHead>;

// A change of one head, after `step` steps.
struct HeadChange {
  enum class To {
    off,     // hands on 0, and stands still while the rest learns
    on,      // with the numbers that it had
    redrawn  // on, with other random numbers: it begins anew
  };
  Index step = 0;
  TrainedHead head;
  To to = To::off;
  bool operator==(const HeadChange&) const = default;
};

// "1.0", as files and commands name a head; of several "0.1, 1.0".
std::string name_of(TrainedHead head);
std::string names_of(const TrainedHeads& heads);
// Errors: no such name.
Result<TrainedHead> head_named(std::string_view name);
// "0.1,1.0"; "none" is none of them.
Result<TrainedHeads> heads_named(std::string_view names);
// "off", "on", "redrawn".
const std::vector<std::string>& names_of_changes();

// Those that are off after so many steps; `changes` by their steps.
TrainedHeads heads_off_at(const std::vector<HeadChange>& changes, Index step);

// A weight of a part, of which some cells are one head's.
struct OwnCells {
  std::string weight;     // its name in the network
  const ArraySpec* spec;  // of the problem
  std::vector<Cells> cells;
};
// Those of a head of multi_head, weights that all heads share left out.
std::vector<OwnCells> cells_of_head(const Part& part, const Problem& problem, Index head);
// How many heads the part has that can be switched off: those of multi_head, where w_o hands on what they found.
Index switchable_heads(const Part& part, const Problem& problem);

}  // namespace headlight::learn
