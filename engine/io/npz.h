// NumPy's .npz: a zip archive of .npy members, stored or deflated, with zip64 where it is needed.
// PKWARE APPNOTE 6.3.9, sections 4.3 to 4.5.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/arrays.h"

namespace headlight {

// Every member in the archive's order. Sizes that the archive claims are never believed beyond what it can hold.
Result<std::vector<NamedArray>> parse_npz(std::string_view bytes);

// Stored members, float32, in the order given; the same arrays give the same bytes. numpy.load reads it.
Status write_npz(const std::filesystem::path& path, const std::vector<std::pair<std::string, const Tensor*>>& arrays);

}  // namespace headlight
