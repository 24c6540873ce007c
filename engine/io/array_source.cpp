#include "engine/io/array_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "engine/base/result.h"
#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"
#include "engine/io/gguf.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"
#include "engine/io/torch_file.h"
#include "engine/io/zip.h"

namespace headlight {

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

std::size_t ArraySource::find(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(entries_, name, &ArrayEntry::name) - entries_.begin());
}

Result<std::vector<NamedArray>> read_all(const ArraySource& source) {
  double bytes = 0;
  for (const ArrayEntry& entry : source.entries())
    if (const auto count = element_count(entry.shape)) bytes += sizeof(float) * static_cast<double>(*count);
  HL_CHECK(check_memory(bytes, one_line(utf8(source.files().front()))));
  std::vector<NamedArray> arrays;
  arrays.reserve(source.entries().size());
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    HL_TRY(NamedArray array, source.read(i));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_index = 32'000'000;  // bytes: hundreds of thousands of arrays
constexpr std::size_t most_shards = 10'000;

// {"metadata": …, "weight_map": {name: file}}; what is nested deeper is not kept.
Result<Json> read_weight_map(const std::filesystem::path& path) {
  HL_TRY(const std::string text, read_file(path, largest_index));
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= 2; };
  const Json index = Json::parse(text, shallow, false);
  const std::string where = one_line(utf8(path));
  if (!index.is_object() || !index.contains("weight_map") || !index.at("weight_map").is_object())
    return fail("{}: is no index of arrays: it has no \"weight_map\"", where);
  for (const auto& item : index.at("weight_map").items())
    if (!item.value().is_string()) return fail("{}: {}: its file is not a text", where, one_line(item.key()));
  return index.at("weight_map");
}

bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// A model in several files: an index, model.safetensors.index.json or pytorch_model.bin.index.json, says which file
// beside it holds which array. Files are named plainly, without folders; every name is in the file that is said to hold
// it, and in no other.
class Shards final : public ArraySource {
 public:
  Status open(const std::filesystem::path& path) {
    files_ = {path};
    const std::string where = one_line(utf8(path));
    HL_TRY(const Json map, read_weight_map(path));
    std::map<std::string, std::size_t, std::less<>> shard_of;
    for (const auto& item : map.items()) {
      const auto file = item.value().get<std::string>();
      if (!is_plain(file))
        return fail("{}: {}: a file beside the index is needed, not {}", where, one_line(item.key()), one_line(file));
      auto found = shard_of.find(file);
      if (found == shard_of.end()) {
        if (shards_.size() == most_shards) return fail("{}: at most {} files are read", where, most_shards);
        HL_CHECK(open_shard(path.parent_path() / file));
        found = shard_of.emplace(file, shards_.size() - 1).first;
      }
      const ArraySource& shard = *shards_[found->second];
      const auto at = places_[found->second].find(item.key());
      if (at == places_[found->second].end())
        return fail("{}: {} is not in {}", where, one_line(item.key()), one_line(file));
      entries_.push_back(shard.entries()[at->second]);
      held_.emplace_back(found->second, at->second);
    }
    return check_once(where);
  }

  Result<NamedArray> read(std::size_t entry) const override {
    const auto [shard, at] = held_[entry];
    return shards_[shard]->read(at);
  }

 private:
  Status open_shard(const std::filesystem::path& path) {
    if (utf8(path).ends_with(".json")) return fail("{}: is an index, not a file of arrays", one_line(utf8(path)));
    HL_TRY(auto shard, open_arrays(path));
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < shard->entries().size(); ++i) places.emplace(shard->entries()[i].name, i);
    if (note_.empty()) note_ = shard->note();
    files_.push_back(path);
    shards_.push_back(std::move(shard));
    places_.push_back(std::move(places));
    return {};
  }

  Status check_once(const std::string& where) const {
    std::map<std::string_view, std::size_t> holders;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (const auto& [name, at] : places_[i])
        if (const auto [first, fresh] = holders.emplace(name, i); !fresh)
          return fail("{}: {} is in {} and in {}", where, one_line(name),
                      one_line(utf8(files_[first->second + 1].filename())), one_line(utf8(files_[i + 1].filename())));
    return {};
  }

  std::vector<std::unique_ptr<ArraySource>> shards_;
  std::vector<std::map<std::string, std::size_t, std::less<>>> places_;  // of each shard's arrays
  std::vector<std::pair<std::size_t, std::size_t>> held_;                // by which shard, and where in it
};

Result<std::unique_ptr<ArraySource>> open_shards(const std::filesystem::path& path) {
  auto shards = std::make_unique<Shards>();
  HL_CHECK(shards->open(path));
  return shards;
}

constexpr const char* known_files = ".npz, .npy, .safetensors, .gguf, .pt or .bin";

// Both are zip files: one of arrays, the other with a pickle that says what the arrays are.
Result<std::unique_ptr<ArraySource>> open_zip(const std::filesystem::path& path, const WhichTensors& which) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const auto members = read_zip_directory(file);
  if (!members) return fail_at(one_line(utf8(path)), members.error());
  return is_torch_file(*members) ? open_torch_file(path, which) : open_npz(path);
}

// Whether a pickle names NumPy near its beginning.
bool is_numpy_pickle(const std::filesystem::path& path) {
  constexpr std::uint64_t near = 4096;  // bytes
  const auto file = InputFile::open(path);
  std::string begin(file ? static_cast<std::size_t>(std::min(near, file->size())) : 0, '\0');
  return file && file->read_at(0, begin) && begin.find("numpy") != std::string::npos;
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
  if (is_gguf(begins)) {
    HL_TRY(GgufFile file, open_gguf(path));
    return std::move(file.arrays);
  }
  if (begins.back() == '{') return open_safetensors(path);
  if (begins.front() == '{') return open_shards(path);
  if (begins.starts_with('\x80') && is_numpy_pickle(path))
    return fail("{}: is a pickle of NumPy arrays, which is not run: save them with np.savez(FILE, *arrays)", name);
  if (begins.starts_with('\x80'))
    return fail("{} was written by torch before 1.6, or without zip: load and save it again", name);
  return fail("{}: is not a {} file", name, known_files);
}

Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path) {
  HL_TRY(const auto source, open_arrays(path, {.all = true}));
  return read_all(*source);
}

}  // namespace headlight
