// A network that was trained here as a short Python script: it reads the weights from the folder, and computes what the
// network says of a row of symbols in double precision with NumPy or PyTorch alone.
//
// Not for a single layer with all that it computes: script.h.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/code/script.h"

namespace headlight {

// What stands round the layers, and the row that it is tried on.
struct NetworkScript {
  std::string name, command;   // of the folder, and what one types to have the script
  std::string folder;          // as a file beside the script has it
  std::string stream, places;  // ids of what a layer reads, and of what it adds for where that stands
  Index layers = 0;
  bool adds_places = false, norms_input = false, adds_input = false, last_norm = false;
  std::set<std::string> of_layer;    // the ids of a layer's arrays in the file
  std::vector<std::string> symbols;  // by number
  std::vector<Index> row;
};

// `layer`: the first layer on that row; `shorter` on a row that is shorter by one, from which the script learns what of
// its lines is the length of the row: null where there is none.
std::string script(const Trace& layer, const Trace* shorter, Language language, const NetworkScript& network);

}  // namespace headlight
