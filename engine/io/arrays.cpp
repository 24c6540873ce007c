#include "engine/io/arrays.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"

namespace headlight {

namespace {

// The length of the UTF-8 character that `text` starts with, or 0 when it is none (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond_unicode = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

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
    const std::size_t length = character_length(rest);
    if (length == 0) return fail("the name of an array is not valid UTF-8");
    if (static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == 0x7F)
      return fail("{}: the name of the array has a control character in it", one_line(name));
    rest.remove_prefix(length);
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
