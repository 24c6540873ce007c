// Models in several files: an index, model.safetensors.index.json or pytorch_model.bin.index.json, says which file
// beside it holds which array.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/core/result.h"
#include "engine/io/array_source.h"

namespace headlight {

// Checked: files are named plainly, without folders; every name is in the file that is said to hold it, and in no
// other. `open` opens each of them.
using OpenShard = std::function<Result<std::unique_ptr<ArraySource>>(const std::filesystem::path&)>;
Result<std::unique_ptr<ArraySource>> open_shards(const std::filesystem::path& path, OpenShard open);

}  // namespace headlight
