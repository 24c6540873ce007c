// The grid of positions of a signal, picture or video, as the parameters "dimension" and "sub_sample" of a mechanism
// have it.
#pragma once

#include <string>

#include "engine/variants/variant.h"

namespace headlight {

// Of the input: (L), (H, W) or (T, H, W).
Grid position_grid(const ParamValues& params, const Symbols& symbols);
// The positions that are pooled into one key: 2, 2 × 2 or 1 × 2 × 2, as time is never pooled; 1 where nothing is.
// Wang et al. 2018, section 3.3.
Grid pooled_cell(const ParamValues& params);
// Of the keys: what pooling leaves.
Grid key_grid(const ParamValues& params, const Symbols& symbols);
Index count(const Grid& grid);
// "4 × 8 × 8", "20 × 20", "20".
std::string grid_text(const Grid& grid, Index dimension);

}  // namespace headlight
