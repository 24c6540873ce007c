// The .safetensors format: a length, a JSON header, the arrays' bytes.
// https://github.com/huggingface/safetensors, "Format"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/io/arrays.h"

namespace headlight {

// F16, BF16, F32, F64, integers and BOOL. Every offset is checked against the dtype, the shape and the file.
Result<std::vector<NamedArray>> parse_safetensors(std::string_view bytes);

// Float32 tensors, in the order given; the same arrays give the same bytes.
Status write_safetensors(const std::filesystem::path& path, const std::vector<std::pair<std::string, const Tensor*>>& arrays);

}  // namespace headlight
