#include "engine/io/open_arrays.h"

#include <algorithm>
#include <array>

#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"
#include "engine/io/shards.h"
#include "engine/io/torch_file.h"
#include "engine/io/zip.h"

namespace headlight {

namespace {

constexpr const char* known_files = ".npz, .npy, .safetensors, .pt or .bin";

// Both are zip files: one of arrays, the other with a pickle that says what the arrays are.
Result<std::unique_ptr<ArraySource>> open_zip(const std::filesystem::path& path, const WhichTensors& which) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const auto members = read_zip_directory(file);
  if (!members) return fail_at(one_line(utf8(path)), members.error());
  return is_torch_file(*members) ? open_torch_file(path, which) : open_npz(path);
}

}  // namespace

Result<std::unique_ptr<ArraySource>> open_arrays(const std::filesystem::path& path, const WhichTensors& which) {
  std::array<char, 9> start{};  // enough for the longest: a length of 8 bytes and the first of safetensors' JSON
  const std::string name = one_line(utf8(path));
  {
    HL_TRY(const InputFile file, InputFile::open(path));
    if (file.size() == 0) return fail("{}: is empty; a {} file is needed", name, known_files);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file.size()));
    if (const auto status = file.read_at(0, std::span(start).first(length)); !status)
      return fail_at(name, status.error());
  }
  const std::string_view begins(start.data(), start.size());
  if (begins.starts_with("PK\x03\x04") || begins.starts_with("PK\x05\x06")) return open_zip(path, which);
  if (begins.starts_with("\x93NUMPY")) return open_npy(path);
  if (begins.back() == '{') return open_safetensors(path);
  if (begins.front() == '{') return open_shards(path, [](const auto& shard) { return open_arrays(shard); });
  if (begins.starts_with('\x80'))
    return fail("{} was written by torch before 1.6, or without zip: load and save it again", name);
  return fail("{}: is not a {} file", name, known_files);
}

Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path) {
  HL_TRY(const auto source, open_arrays(path, {.all = true}));
  return read_all(*source);
}

}  // namespace headlight
