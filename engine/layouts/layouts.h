// One layer of a state dict as the arrays and parameters of multi_head: which names a framework gives to which matrix,
// what is transposed, and how rows and columns are cut into heads.
//
// Not for reading files: array_source.h.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment.h"

namespace headlight {

struct LayerOfStateDict {
  std::map<std::string, Tensor, std::less<>> arrays;            // by the ids of multi_head
  std::vector<std::pair<std::string, ParamValue>> params = {};  // that the layout sets
  std::vector<std::string> notices = {};                        // what was used, what was not, what was assumed
};

// The layer that `asked` names, of the file `name`. Without a layout it is found by the names of the arrays: the one
// that uses the most of them. `heads` is 0 where nobody says how many there are. Errors begin with the file's name.
Result<LayerOfStateDict> layer_of(const ArraySource& source, const WeightsSpec& asked, Index heads,
                                  const std::string& name);

// The layouts that a file's names fit, as "torch.MultiheadAttention", the fullest first.
std::vector<std::string> layouts_of(const ArraySource& source);

}  // namespace headlight
