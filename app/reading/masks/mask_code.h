// The lines of PyTorch that make a run's mask, in the three forms that PyTorch takes one in.
#pragma once

#include <optional>
#include <string>

#include "app/reading/masks/mask_layers.h"

namespace headlight::app {

enum class TorchMask { hidden, visible, added };  // in the order of MaskForm

struct MaskCode {
  std::string lines;  // ends with the mask under the name of its argument
  std::string call;   // the line that takes it, or those of a mechanism that PyTorch has none for
  std::string shape;  // "(12, 12), bool"
};

// Nothing where the keys of a query are a window of a picture, which no mask of PyTorch's tells. All heads and batch
// items are in it where they differ.
std::optional<MaskCode> mask_code(const Trace& trace, const MaskReading& mask, TorchMask as);

// What a true stands for in it, in one sentence that names who reads it so.
std::string polarity_in_words(TorchMask as);

}  // namespace headlight::app
