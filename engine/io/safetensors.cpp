#include "engine/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/io/file.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

const std::map<std::string, ElementType>& types() {
  static const std::map<std::string, ElementType> known{
      {"F16", ElementType::f16}, {"BF16", ElementType::bf16}, {"F32", ElementType::f32}, {"F64", ElementType::f64},
      {"I8", ElementType::i8},   {"I16", ElementType::i16},   {"I32", ElementType::i32}, {"I64", ElementType::i64},
      {"U8", ElementType::u8},   {"U16", ElementType::u16},   {"U32", ElementType::u32}, {"U64", ElementType::u64},
      {"BOOL", ElementType::boolean}};
  return known;
}

struct Entry {
  std::string name;
  std::string dtype;
  ElementType type = ElementType::f32;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_whole(const Json& value) { return value.is_number_unsigned() || (value.is_number_integer() && value.get<Index>() >= 0); }

Result<Entry> read_entry(const std::string& name, const Json& json, std::uint64_t data_size) {
  const auto damaged = [&](const char* what) { return fail("{}: its header entry is damaged: {}", name, what); };
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets"))
    return damaged("dtype, shape or data_offsets is missing");
  const Json &dtype = json["dtype"], &shape = json["shape"], &offsets = json["data_offsets"];
  if (!dtype.is_string() || !shape.is_array() || !offsets.is_array() || offsets.size() != 2) return damaged("a field is of the wrong kind");
  Entry entry;
  entry.name = name;
  entry.dtype = dtype.get<std::string>();
  const auto type = types().find(entry.dtype);
  if (type == types().end()) return fail("{}: is of type {}, which cannot be read", name, entry.dtype.substr(0, 20));
  entry.type = type->second;
  for (const Json& extent : shape) {
    if (!is_whole(extent) || extent.get<std::uint64_t>() > INT64_MAX) return damaged("an extent is not a whole number");
    entry.shape.push_back(extent.get<Index>());
  }
  if (!is_whole(offsets[0]) || !is_whole(offsets[1])) return damaged("an offset is not a whole number");
  entry.begin = offsets[0].get<std::uint64_t>();
  entry.end = offsets[1].get<std::uint64_t>();
  auto wanted = byte_count(entry.shape, entry.type);
  if (!wanted) return fail_at(name, wanted.error());
  if (entry.begin > entry.end || entry.end > data_size)
    return fail("{}: its data lie at {} to {}, outside the file's {} bytes of data", name, entry.begin, entry.end, data_size);
  if (entry.end - entry.begin != *wanted)
    return fail("{}: has shape {} of {}, {} bytes, but {} bytes of data", name, to_string(entry.shape), entry.dtype, *wanted,
                entry.end - entry.begin);
  return entry;
}

Status check_overlaps(std::vector<Entry> entries) {
  std::ranges::sort(entries, {}, &Entry::begin);
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (entries[i].begin < entries[i - 1].end) return fail("{} and {} overlap", entries[i - 1].name, entries[i].name);
  return {};
}

}  // namespace

Result<std::vector<NamedArray>> parse_safetensors(std::string_view bytes) {
  if (bytes.size() < 8) return fail("is too short for a .safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > longest_header || length > bytes.size() - 8)
    return fail("is not a .safetensors file: it claims a header of {} bytes in a file of {}", length, bytes.size());
  const Json header = Json::parse(bytes.substr(8, length), nullptr, false);
  if (!header.is_object()) return fail("is not a .safetensors file: its header is not JSON");
  const std::string_view data = bytes.substr(8 + length);
  std::vector<Entry> entries;
  for (const auto& item : header.items()) {
    if (item.key() == "__metadata__") continue;
    HL_TRY(Entry entry, read_entry(item.key(), item.value(), data.size()));
    entries.push_back(std::move(entry));
  }
  HL_CHECK(check_overlaps(entries));
  std::vector<NamedArray> arrays;
  for (const auto& entry : entries) {
    NamedArray array{entry.name, Tensor::uninitialized(entry.shape), entry.dtype, entry.type == ElementType::boolean};
    to_float(data.data() + entry.begin, array.values.size(), entry.type, false, array.values.data());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Status write_safetensors(const std::filesystem::path& path, const std::vector<std::pair<std::string, const Tensor*>>& arrays) {
  Json header = Json::object();
  std::uint64_t at = 0;
  for (const auto& [name, tensor] : arrays) {
    const std::uint64_t size = static_cast<std::uint64_t>(tensor->size()) * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor->shape()}, {"data_offsets", {at, at + size}}};
    at += size;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return write_file_in_pieces(path, [&](const Put& put) {
    const std::uint64_t length = text.size();
    put({reinterpret_cast<const char*>(&length), 8});
    put(text);
    for (const auto& [name, tensor] : arrays)
      put({reinterpret_cast<const char*>(tensor->data()), static_cast<std::size_t>(tensor->size()) * sizeof(float)});
  });
}

}  // namespace headlight
