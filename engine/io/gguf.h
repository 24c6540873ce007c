// The .gguf files of llama.cpp: what is said of a model, and its arrays, whole or in blocks of few bits.
//
// Format: ggml-org/ggml, docs/gguf.md. Not for what the names mean: layouts/ and models/gguf.cpp know those.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"

namespace headlight {

// Numbers of any width, texts, and lists; a list keeps the kind of its values, and nothing of lists in lists.
using GgufValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>>;
using GgufPairs = std::map<std::string, GgufValue, std::less<>>;

struct GgufFile {
  GgufPairs pairs;
  std::unique_ptr<ArraySource> arrays;
};

// Whether a file begins as such files do.
bool is_gguf(std::string_view begin);
// Names, shapes and what is said; no numbers. Shapes stand with the slowest extent first: (out, in). Errors name the
// file: another version, a length beyond the file, a name given twice, a type of numbers that is not read.
Result<GgufFile> open_gguf(const std::filesystem::path& path);

}  // namespace headlight
