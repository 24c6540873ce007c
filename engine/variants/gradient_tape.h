// What a run keeps while it goes forward so that it can go back: every array, and what its operation says of its
// gradient. Only a run that was asked for gradients has one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ops/operation.h"

namespace headlight {

class GradientTape {
 public:
  // An input or weight, as it was read; a second call with the same id changes nothing.
  void note_source(const Array& array) { arrays_.try_emplace(array.id, array); }
  // A result, in the order of the run. `reads`: the names in its lines of Python.
  void note_result(const Array& result, Backward backward, std::vector<std::string> reads);

  struct Entry {
    std::string id;
    Backward backward;  // empty: made from explanations
    std::vector<std::string> reads;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  // Null where nothing of that id was noted.
  const Array* find(const std::string& id) const;

 private:
  std::map<std::string, Array, std::less<>> arrays_;
  std::vector<Entry> entries_;
};

}  // namespace headlight
