#include "engine/io/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/core/system/paths.h"
#include "engine/io/element_type.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"

namespace headlight {

namespace {

using nlohmann::json;

constexpr std::uint64_t longest_header = 100'000'000;  // bytes: the format's own limit
constexpr std::size_t length_size = 8;                 // bytes of the number before the header
constexpr std::size_t data_alignment = 8;              // bytes: where the format wants the data to begin
constexpr std::string_view metadata_key = "__metadata__";

struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<Shape> shape;
  std::optional<std::vector<std::uint64_t>> range;  // begin and end, counted from the header's end
};

// Takes the header as it is parsed, so that a hostile one never grows into a tree, and a key given twice is seen:
// {"w_q": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"any": "text"}}.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  std::vector<Entry> take_entries() { return std::move(entries_); }
  // What is wrong, once the parser has stopped.
  const std::string& why() const { return why_; }

  bool start_object(std::size_t) override {
    return go(Place::start, Place::names) || go(Place::array, Place::fields) || go(Place::metadata, Place::texts) ||
           wrong("has an object where none belongs");
  }
  bool end_object() override {
    if (place_ == Place::fields && !is_complete(entries_.back()))
      return wrong("lacks 'dtype', 'shape' or 'data_offsets'");
    return go(Place::names, Place::end) || go(Place::fields, Place::names) || go(Place::texts, Place::names);
  }
  bool start_array(std::size_t) override {
    return go(Place::shape, Place::extents) || go(Place::offsets, Place::range) ||
           wrong("has a list where none belongs");
  }
  bool end_array() override { return go(Place::extents, Place::fields) || go(Place::range, Place::fields); }
  bool key(std::string& name) override {
    if (place_ == Place::names) return start_entry(name);
    if (place_ == Place::fields) return start_field(name);
    return go(Place::texts, Place::text);
  }
  bool string(std::string& text) override {
    if (place_ == Place::dtype) entries_.back().dtype = text;
    return go(Place::dtype, Place::fields) || go(Place::text, Place::texts) || wrong("has text where none belongs");
  }
  bool number_unsigned(std::uint64_t number) override {
    if (place_ == Place::extents) return add_extent(number);
    if (place_ != Place::range) return wrong("has a number where none belongs");
    entries_.back().range->push_back(number);
    return entries_.back().range->size() <= 2 || wrong("has more than two 'data_offsets'");
  }
  bool number_integer(std::int64_t number) override { return wrong(fmt::format("has {} where none belongs", number)); }
  bool number_float(double, const std::string& text) override { return wrong("has " + text + " where none belongs"); }
  bool boolean(bool value) override { return wrong(fmt::format("has {} where none belongs", value)); }
  bool null() override { return wrong("has null where none belongs"); }
  bool binary(binary_t&) override { return wrong("has binary data where none belongs"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    why_ = fmt::format("it is not JSON from byte {} on", length_size + position - 1);
    return false;
  }

 private:
  // Between which of the header's parts the parser stands.
  enum class Place { start, names, array, fields, dtype, shape, extents, offsets, range, metadata, texts, text, end };

  bool go(Place from, Place to) {
    if (place_ != from) return false;
    place_ = to;
    return true;
  }
  bool wrong(const std::string& what) {
    const bool in_array = !entries_.empty() && place_ > Place::names && place_ < Place::metadata;
    why_ = one_line((in_array ? entries_.back().name : "it") + " " + what);
    return false;
  }
  static bool is_complete(const Entry& entry) {
    return entry.dtype && entry.shape && entry.range && entry.range->size() == 2;
  }

  bool start_entry(const std::string& name) {
    if (!names_.insert(name).second) return wrong("gives the name '" + name + "' twice");
    if (name == metadata_key) return go(Place::names, Place::metadata);
    entries_.push_back({name, {}, {}, {}});
    return go(Place::names, Place::array);
  }
  bool start_field(const std::string& name) {
    Entry& entry = entries_.back();
    if (name == "dtype" && !entry.dtype) return go(Place::fields, Place::dtype);
    if (name == "shape" && !entry.shape) {
      entry.shape.emplace();
      return go(Place::fields, Place::shape);
    }
    if (name == "data_offsets" && !entry.range) {
      entry.range.emplace();
      return go(Place::fields, Place::offsets);
    }
    return wrong("has a key too many, '" + name + "'");
  }
  bool add_extent(std::uint64_t extent) {
    Shape& shape = *entries_.back().shape;
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) return wrong("has too large a shape");
    shape.push_back(static_cast<Index>(extent));
    return shape.size() <= most_axes || wrong(fmt::format("has more than {} axes", most_axes));
  }

  std::vector<Entry> entries_;
  std::unordered_set<std::string> names_;
  std::string why_;
  Place place_ = Place::start;
};

struct Header {
  std::vector<Entry> entries;
  std::uint64_t data = 0;  // where the arrays' bytes begin
};

Result<Header> read_header(const InputFile& file) {
  if (file.size() < length_size) return fail("has {} bytes, too few for a safetensors file", file.size());
  std::array<char, length_size> field{};
  HL_CHECK(file.read_at(0, field));
  const auto length = std::bit_cast<std::uint64_t>(field);  // little-endian, as the machine is: see element_type.cpp
  if (length > longest_header) return fail("claims a header of {} bytes; at most {} are read", length, longest_header);
  if (length > file.size() - length_size)
    return fail("the file ends after {} of {} bytes of its header", file.size() - length_size, length);
  std::string text(static_cast<std::size_t>(length), '\0');
  HL_CHECK(file.read_at(length_size, text));
  HeaderReader reader;
  if (!json::sax_parse(text, &reader)) return fail("the header is damaged: {}", reader.why());
  return Header{reader.take_entries(), length_size + length};
}

Result<ElementType> element_type(const std::string& dtype) {
  if (const auto type = type_by_name(Naming::safetensors, dtype)) return *type;
  return fail("holds values of type {}; only floats of 2 to 8 bytes, integers and booleans are read", one_line(dtype));
}

Status check_entry(const Entry& entry, std::uint64_t data_size) {
  HL_TRY(const ElementType type, element_type(*entry.dtype));
  HL_TRY(const Index count, element_count(*entry.shape));
  const std::uint64_t begin = (*entry.range)[0];
  const std::uint64_t end = (*entry.range)[1];
  const std::uint64_t needed = static_cast<std::uint64_t>(count) * size_of(type);
  if (begin > end) return fail("its bytes end at {}, before they begin at {}", end, begin);
  if (end - begin != needed)
    return fail("has {} bytes, but {} of shape {} needs {}", end - begin, *entry.dtype, to_string(*entry.shape),
                needed);
  if (end > data_size)
    return fail("the file ends after {} of {} bytes of data", data_size - std::min(begin, data_size), needed);
  return {};
}

Status check_entries(const std::vector<Entry>& entries, std::uint64_t data_size) {
  std::vector<const Entry*> by_place;
  for (const Entry& entry : entries) {
    HL_CHECK(check_array_name(entry.name));
    if (const auto status = check_entry(entry, data_size); !status) return fail_at(entry.name, status.error());
    by_place.push_back(&entry);
  }
  std::sort(by_place.begin(), by_place.end(), [](const Entry* a, const Entry* b) { return *a->range < *b->range; });
  std::uint64_t covered = 0;
  for (const Entry* entry : by_place) {
    const std::uint64_t begin = (*entry->range)[0];
    if (begin < covered) return fail("{}: its bytes overlap those of another array", entry->name);
    if (begin > covered) return fail("{}: {} bytes before it belong to no array", entry->name, begin - covered);
    covered = (*entry->range)[1];
  }
  if (covered < data_size) return fail("{} bytes too many follow the arrays", data_size - covered);
  return {};
}

Result<NamedArray> read_entry(const InputFile& file, const Entry& entry, std::uint64_t data) {
  HL_TRY(const ElementType type, element_type(*entry.dtype));
  FileStream stream(file, data + (*entry.range)[0], data + (*entry.range)[1]);
  HL_TRY(Tensor values, read_elements(stream, {type, false, false}, *entry.shape));
  return NamedArray{entry.name, std::move(values), std::string(name_of(type)), type == ElementType::boolean};
}

class SafetensorsFile final : public ArraySource {
 public:
  SafetensorsFile(const std::filesystem::path& path, InputFile file, Header header)
      : file_(std::move(file)), header_(std::move(header)) {
    files_ = {path};
    for (const Entry& entry : header_.entries)
      entries_.push_back({entry.name, *entry.shape, std::string(name_of(*element_type(*entry.dtype)))});
  }
  Result<NamedArray> read(std::size_t entry) const override {
    auto array = read_entry(file_, header_.entries[entry], header_.data);
    if (!array) return fail_at(one_line(utf8(files_.front())) + ": " + entries_[entry].name, array.error());
    return array;
  }

 private:
  InputFile file_;
  Header header_;
};

std::string header_text(const std::vector<ArrayToWrite>& arrays) {
  std::string text = "{";
  std::uint64_t at = 0;
  for (const ArrayToWrite& array : arrays) {
    const std::uint64_t end = at + bytes_of(array.values).size();
    text +=
        fmt::format("{}{}:{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", text.size() == 1 ? "" : ",",
                    json(array.name).dump(), fmt::join(array.values.shape(), ","), at, end);
    at = end;
  }
  text += '}';
  text.append((data_alignment - text.size() % data_alignment) % data_alignment, ' ');
  return text;
}

}  // namespace

Result<std::unique_ptr<ArraySource>> open_safetensors(const std::filesystem::path& path) {
  HL_TRY(InputFile file, InputFile::open(path));
  const std::string where = one_line(utf8(path));
  auto header = read_header(file);
  if (!header) return fail_at(where, header.error());
  if (const auto status = check_entries(header->entries, file.size() - header->data); !status)
    return fail_at(where, status.error());
  return std::make_unique<SafetensorsFile>(path, std::move(file), std::move(*header));
}

Result<std::vector<NamedArray>> read_safetensors(const std::filesystem::path& path) {
  HL_TRY(const auto source, open_safetensors(path));
  return read_all(*source);
}

Status write_safetensors(const std::filesystem::path& path, const std::vector<ArrayToWrite>& arrays) {
  const std::string where = one_line(utf8(path));
  if (const auto status = check_arrays_to_write(arrays); !status) return fail_at(where, status.error());
  for (const ArrayToWrite& array : arrays)
    if (array.name == metadata_key) return fail("{}: {} cannot be the name of an array", where, metadata_key);
  const std::string header = header_text(arrays);
  const auto length = std::bit_cast<std::array<char, length_size>>(static_cast<std::uint64_t>(header.size()));
  HL_TRY(FileWriter writer, FileWriter::create(path));
  HL_CHECK(writer.append({length.data(), length.size()}));
  HL_CHECK(writer.append(header));
  for (const ArrayToWrite& array : arrays) HL_CHECK(writer.append(bytes_of(array.values)));
  return writer.commit();
}

}  // namespace headlight
