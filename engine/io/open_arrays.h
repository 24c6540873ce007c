// Any file of arrays that is known, opened by what is in it.
//
// Not for what an open one offers: array_source.h. Not for what the names mean to a variant.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/array_source.h"

namespace headlight {

// Opens .npy, .npz, .safetensors, .safetensors.index.json, .bin.index.json, .pt, .pth and .bin; the content decides
// which it is. Names, shapes and types are read, no numbers. Errors name the file.
Result<std::unique_ptr<ArraySource>> open_arrays(const std::filesystem::path& path, const WhichTensors& which = {});

// Reads all arrays of such a file, in its order. The array of an .npy file is named after the file. Errors:
// "arrays.npz: w_q: the file ends after …".
Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path);

}  // namespace headlight
