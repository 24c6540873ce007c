// Files of the safetensors format: a JSON header that says where each array's bytes are, and the bytes.
//
// Not for the metadata that a header may carry: it is checked and passed over.
// Format: https://github.com/huggingface/safetensors, README, section "Format".
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"

namespace headlight {

// Arrays in the header's order. F16, BF16, F32, F64, I8 to I64, U8 to U64 and BOOL; other types are refused.
// Checked: each range of bytes against type, shape and file. As the format has it, names are given once, the arrays
// fill the file without overlaps or holes, and the header has at most 100 MB.
Result<std::unique_ptr<ArraySource>> open_safetensors(const std::filesystem::path& path);
// All of them.
Result<std::vector<NamedArray>> read_safetensors(const std::filesystem::path& path);

// Writes F32 in the order given. "__metadata__" is not a name for an array.
Status write_safetensors(const std::filesystem::path& path, const std::vector<ArrayToWrite>& arrays);

}  // namespace headlight
