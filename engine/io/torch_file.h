// Files that torch.save() writes: a zip of a pickle, which says what the tensors are, and of their numbers.
//
// The pickle is read, not run (pickle.h): collections.OrderedDict, torch._utils._rebuild_tensor_v2 and
// _rebuild_parameter mean something, every other name is passed over and named.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/io/zip.h"

namespace headlight {

// Whether a zip of these members is one.
bool is_torch_file(const std::vector<ZipMember>& members);

// The tensors of its state dict: the dict at the top where it holds tensors, else the only one below that does, else
// the one that the prefix begins with, else the one at state_dict, model_state_dict, model or module. Of nested ones
// the keys are joined by dots; those of a list are numbers.
Result<std::unique_ptr<ArraySource>> open_torch_file(const std::filesystem::path& path, const WhichTensors& which);

// Why there is no attention in what a model gave back and somebody saved so, as a sentence; empty where it is there, or
// the file is another.
std::string why_no_attention(const std::filesystem::path& path);

}  // namespace headlight
