#include "engine/io/arrays.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"

namespace headlight {

namespace {

Result<std::vector<NamedArray>> read_single(const std::filesystem::path& path) {
  HL_TRY(NamedArray array, read_npy(path));
  std::vector<NamedArray> arrays;
  arrays.push_back(std::move(array));
  return arrays;
}

}  // namespace

Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path) {
  std::array<char, 9> start{};  // enough for the longest: a length of 8 bytes and the first of safetensors' JSON
  {
    HL_TRY(const InputFile file, InputFile::open(path));
    const std::string name = one_line(path.native());
    if (file.size() == 0) return fail("{}: is empty; a .npz, .npy or .safetensors file is needed", name);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file.size()));
    if (const auto status = file.read_at(0, std::span(start).first(length)); !status)
      return fail_at(name, status.error());
  }
  const std::string_view begins(start.data(), start.size());
  if (begins.starts_with("PK\x03\x04") || begins.starts_with("PK\x05\x06")) return read_npz(path);
  if (begins.starts_with("\x93NUMPY")) return read_single(path);
  if (begins.back() == '{') return read_safetensors(path);
  return fail("{}: is not a .npz, .npy or .safetensors file", one_line(path.native()));
}

Status check_array_name(std::string_view name) {
  constexpr std::size_t longest = 1000;  // bytes: far over any real name, well under what a zip can hold
  if (name.empty()) return fail("an array has no name");
  if (name.size() > longest)
    return fail("{}: the name of the array has {} bytes; at most {} are allowed", one_line(name), name.size(), longest);
  for (std::string_view rest = name; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    if (!step.sound) return fail("the name of an array is not valid UTF-8");
    if (static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == 0x7F)
      return fail("{}: the name of the array has a control character in it", one_line(name));
    rest.remove_prefix(step.size);
  }
  return {};
}

Status check_arrays_to_write(const std::vector<ArrayToWrite>& arrays) {
  std::unordered_set<std::string_view> seen;
  for (const ArrayToWrite& array : arrays) {
    HL_CHECK(check_array_name(array.name));
    if (!seen.insert(array.name).second) return fail("{}: two arrays have this name", array.name);
    if (!array.values.data()) return fail("{}: there is no array to write", array.name);
  }
  return {};
}

}  // namespace headlight
