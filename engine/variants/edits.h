// Interventions in a run, as an experiment lists them under "edits": numbers of an input, a weight, the mask or a step
// that are set to others, while what is downstream is computed from them as it is from any.
//
// Not for where they stand in a file (io/experiment_edits.h), nor for whether they fit a run (run/edits.h). Variants
// know nothing of them: the recorder carries them out once an operation has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/trace/step.h"

namespace headlight {

// Positions along an axis, from 0; both ends belong to it.
struct Span {
  Index first = 0;
  Index last = 0;
  bool operator==(const Span&) const = default;
};

struct Edit {
  enum class Make {
    set,       // to `values`
    zero,      // to 0: of head_outputs, that is a head switched off
    uniform,   // of a map: 1/n over the n visible keys of each row
    one_hot,   // of a map: 1 at `key`, 0 elsewhere; a row that hides the key stays as it is
    permuted,  // of a map: the weights of each row's visible keys change places, in an order drawn from `seed`
  };
  std::string array;                    // the id of an input, a weight, a mask or a step
  std::vector<std::optional<Span>> at;  // an entry an axis, absent where it is the whole axis; empty: the whole array
  Make make = Make::set;
  std::vector<double> values = {};  // one number, or one for each cell in C order
  Index key = 0;
  std::uint64_t seed = 1;
  bool on = true;  // else it is kept and not carried out
  bool operator==(const Edit&) const = default;
};

// Whether it is made of whole rows of a map.
bool sets_whole_rows(Edit::Make make);

// "weights, head 3, query 4 made uniform": all is counted from 0.
std::string words_of(const Edit& edit, const std::vector<Axis>& axes);

// Why an edit cannot be carried out on an array; edits are counted from 1 in what it says.
Status check_edit(const Edit& edit, std::size_t number, const StepInfo& info);

// What edits did to one array.
struct EditsDone {
  std::shared_ptr<const EditedCells> cells;  // null where nothing was changed
  Code code = {};                            // lines that do the same to the array recomputed
  std::vector<AppliedEdit> applied;
  std::vector<std::string> warnings;
};

// Changes `values`, an array of `info`, by those of the edits that name it and are on, in their order. All of them must
// have passed check_edit() on the whole array; where one query of many was kept, those of its row count. `scores` are
// what a map was made of, of its shape: −∞ there hides a key; null where there are none.
EditsDone carry_out(std::span<const Edit> edits, const StepInfo& info, Tensor& values, const Step* scores);

// What the cells that were edited say instead: the number, by which edit, and what it was.
Explain explain_edited(Explain made, std::shared_ptr<const EditedCells> cells, std::shared_ptr<const Tensor> values,
                       const std::vector<AppliedEdit>& applied);

}  // namespace headlight
