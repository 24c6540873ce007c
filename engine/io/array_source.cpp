#include "engine/io/array_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/core/memory.h"
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

// Of the formats that are read at once, since what they hold is only known from within.
class WholeFile final : public ArraySource {
 public:
  WholeFile(const std::filesystem::path& path, std::vector<NamedArray> arrays) : arrays_(std::move(arrays)) {
    files_ = {path};
    for (const NamedArray& array : arrays_) entries_.push_back({array.name, array.values.shape(), array.dtype});
  }
  Result<NamedArray> read(std::size_t entry) const override { return arrays_[entry]; }

 private:
  std::vector<NamedArray> arrays_;
};

Result<std::unique_ptr<ArraySource>> whole(const std::filesystem::path& path, Result<std::vector<NamedArray>> arrays) {
  if (!arrays) return tl::unexpected<Error>(arrays.error());
  return std::make_unique<WholeFile>(path, std::move(*arrays));
}

Result<std::vector<NamedArray>> read_single(const std::filesystem::path& path) {
  HL_TRY(NamedArray array, read_npy(path));
  std::vector<NamedArray> arrays;
  arrays.push_back(std::move(array));
  return arrays;
}

// Both are zip files: one of arrays, the other with a pickle that says what the arrays are.
Result<std::unique_ptr<ArraySource>> open_zip(const std::filesystem::path& path, const WhichTensors& which) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const auto members = read_zip_directory(file);
  if (!members) return fail_at(one_line(path.native()), members.error());
  if (is_torch_file(*members)) return open_torch_file(path, which);
  return whole(path, read_npz(path));
}

}  // namespace

std::size_t ArraySource::find(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(entries_, name, &ArrayEntry::name) - entries_.begin());
}

bool in_natural_order(const std::string& a, const std::string& b) {
  return ::strverscmp(a.c_str(), b.c_str()) < 0;
}

Result<std::unique_ptr<ArraySource>> open_arrays(const std::filesystem::path& path, const WhichTensors& which) {
  std::array<char, 9> start{};  // enough for the longest: a length of 8 bytes and the first of safetensors' JSON
  const std::string name = one_line(path.native());
  {
    HL_TRY(const InputFile file, InputFile::open(path));
    if (file.size() == 0) return fail("{}: is empty; a {} file is needed", name, known_files);
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(start.size(), file.size()));
    if (const auto status = file.read_at(0, std::span(start).first(length)); !status)
      return fail_at(name, status.error());
  }
  const std::string_view begins(start.data(), start.size());
  if (begins.starts_with("PK\x03\x04") || begins.starts_with("PK\x05\x06")) return open_zip(path, which);
  if (begins.starts_with("\x93NUMPY")) return whole(path, read_single(path));
  if (begins.back() == '{') return open_safetensors(path);
  if (begins.front() == '{') return open_shards(path);
  if (begins.starts_with('\x80'))
    return fail("{} was written by torch before 1.6, or without zip: load and save it again", name);
  return fail("{}: is not a {} file", name, known_files);
}

Result<std::vector<NamedArray>> read_all(const ArraySource& source) {
  double bytes = 0;
  for (const ArrayEntry& entry : source.entries())
    if (const auto count = element_count(entry.shape)) bytes += sizeof(float) * static_cast<double>(*count);
  if (const auto status = check_memory(bytes); !status)
    return fail_at(one_line(source.files().front().native()), status.error());
  std::vector<NamedArray> arrays;
  arrays.reserve(source.entries().size());
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    HL_TRY(NamedArray array, source.read(i));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace headlight
