#include "engine/io/gguf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/element_type.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr std::string_view gguf_magic = "GGUF";
constexpr std::uint64_t longest_text = 1 << 24;  // bytes
constexpr std::uint64_t longest_list = 1 << 24;  // values
constexpr std::uint64_t most_arrays = 1'000'000, most_pairs = 100'000;
constexpr std::uint64_t most_extents = 4, longest_name = 64;

// ---- How numbers lie in blocks ------------------------------------------------------------------------------------

using BlockBytes = const std::uint8_t*;

float half_at(BlockBytes at) {
  return float_from_half(static_cast<std::uint16_t>(at[0] | at[1] << 8));
}

void read_f32(BlockBytes from, float* to) {
  std::memcpy(to, from, sizeof(float));
}
void read_f16(BlockBytes from, float* to) {
  *to = half_at(from);
}
void read_bf16(BlockBytes from, float* to) {
  *to = float_from_bfloat16(static_cast<std::uint16_t>(from[0] | from[1] << 8));
}

// d · q of 32 numbers.
void read_q8_0(BlockBytes from, float* to) {
  const float d = half_at(from);
  for (int i = 0; i < 32; ++i) to[i] = d * static_cast<float>(static_cast<std::int8_t>(from[2 + i]));
}

// d · (q − 8); the lower halves of 16 bytes are numbers 0 to 15, the upper ones the rest.
void read_q4_0(BlockBytes from, float* to) {
  const float d = half_at(from);
  for (int i = 0; i < 16; ++i) {
    const int b = from[2 + i];
    to[i] = d * static_cast<float>((b & 15) - 8);
    to[16 + i] = d * static_cast<float>((b >> 4) - 8);
  }
}

// d · S · q − m · N of eight parts of 32, whose S and N have six bits each.
void read_q4_k(BlockBytes from, float* to) {
  const float d = half_at(from), m = half_at(from + 2);
  const BlockBytes s = from + 4, b = from + 16;
  for (int part = 0; part < 8; ++part) {
    const int scale = part < 4 ? s[part] & 63 : (s[part + 4] & 15) + 16 * (s[part - 4] >> 6),
              least = part < 4 ? s[part + 4] & 63 : (s[part + 4] >> 4) + 16 * (s[part] >> 6);
    for (int i = 0; i < 32; ++i) {
      const int two = b[32 * (part / 2) + i], q = part % 2 == 0 ? two & 15 : two >> 4;
      to[32 * part + i] = d * static_cast<float>(scale) * static_cast<float>(q) - m * static_cast<float>(least);
    }
  }
}

// d · S · (q − 32) of sixteen parts of 16; q has four bits in one place and two in another.
void read_q6_k(BlockBytes from, float* to) {
  const BlockBytes low = from, high = from + 128, scales = from + 192;
  const float d = half_at(from + 208);
  for (int h = 0; h < 2; ++h)
    for (int t = 0; t < 4; ++t)
      for (int i = 0; i < 32; ++i) {
        const int q =
            ((low[64 * h + 32 * (t % 2) + i] >> (4 * (t / 2))) & 15) + 16 * ((high[32 * h + i] >> (2 * t)) & 3);
        const auto scale = static_cast<std::int8_t>(scales[8 * h + 2 * t + i / 16]);
        to[128 * h + 32 * t + i] = d * static_cast<float>(scale) * static_cast<float>(q - 32);
      }
}

struct BlockType {
  std::uint32_t number;
  const char* name;
  Index numbers;  // in a block
  std::size_t bytes;
  void (*read)(BlockBytes from, float* to);
  bool rounded;  // to few values in each block
};
constexpr BlockType block_types[] = {
    {0, "F32", 1, 4, read_f32, false},       {1, "F16", 1, 2, read_f16, false},
    {30, "BF16", 1, 2, read_bf16, false},    {8, "Q8_0", 32, 34, read_q8_0, true},
    {2, "Q4_0", 32, 18, read_q4_0, true},    {12, "Q4_K", 256, 144, read_q4_k, true},
    {14, "Q6_K", 256, 210, read_q6_k, true},
};

// For messages, of types that are not read.
std::string type_name(std::uint32_t number) {
  constexpr std::pair<std::uint32_t, const char*> others[] = {
      {3, "Q4_1"},   {6, "Q5_0"},     {7, "Q5_1"},    {9, "Q8_1"},     {10, "Q2_K"},  {11, "Q3_K"},   {13, "Q5_K"},
      {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},
      {22, "IQ2_S"}, {23, "IQ4_XS"},  {24, "I8"},     {25, "I16"},     {26, "I32"},   {27, "I64"},    {28, "F64"},
      {29, "IQ1_M"}, {34, "TQ1_0"},   {35, "TQ2_0"},  {39, "MXFP4"}};
  for (const auto& [known, name] : others)
    if (known == number) return name;
  return fmt::format("type {}", number);
}

// ---- The header ---------------------------------------------------------------------------------------------------

// Values in the order of a file; lengths are held to what is left of it before anything is allocated.
class GgufReader {
 public:
  GgufReader(const InputFile& file, std::uint64_t at) : file_(file), at_(at) {}

  std::uint64_t at() const { return at_; }

  template <typename T>
  Result<T> number() {
    std::array<char, sizeof(T)> bytes;
    HL_CHECK(take(bytes));
    return std::bit_cast<T>(bytes);
  }
  Result<std::string> text(std::uint64_t longest, const char* what) {
    HL_TRY(const auto length, number<std::uint64_t>());
    if (length > longest || length > file_.size() - at_) return fail("{} of {} bytes is claimed", what, length);
    std::string result(static_cast<std::size_t>(length), '\0');
    HL_CHECK(take(result));
    return result;
  }
  // A value of one of the format's types, lists among them.
  Result<GgufValue> value() {
    HL_TRY(const auto type, number<std::uint32_t>());
    return type == list_type ? list() : scalar(type);
  }

 private:
  static constexpr std::uint32_t text_type = 8, list_type = 9;

  Status take(std::span<char> into) {
    HL_CHECK(file_.read_at(at_, into));
    at_ += into.size();
    return {};
  }
  template <typename T>
  Result<GgufValue> whole() {
    HL_TRY(const T value, number<T>());
    if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
      if (value > static_cast<T>(INT64_MAX)) return fail("a whole number is too large: {}", value);
    return GgufValue(static_cast<std::int64_t>(value));
  }
  template <typename T>
  Result<GgufValue> real() {
    HL_TRY(const T value, number<T>());
    return GgufValue(static_cast<double>(value));
  }
  Result<GgufValue> scalar(std::uint32_t type) {
    switch (type) {
      case 0:
        return whole<std::uint8_t>();
      case 1:
        return whole<std::int8_t>();
      case 2:
        return whole<std::uint16_t>();
      case 3:
        return whole<std::int16_t>();
      case 4:
        return whole<std::uint32_t>();
      case 5:
        return whole<std::int32_t>();
      case 6:
        return real<float>();
      case 7: {
        HL_TRY(const auto flag, number<std::uint8_t>());
        return GgufValue(flag != 0);
      }
      case text_type: {
        HL_TRY(std::string words, text(longest_text, "a text"));
        return GgufValue(std::move(words));
      }
      case 10:
        return whole<std::uint64_t>();
      case 11:
        return whole<std::int64_t>();
      case 12:
        return real<double>();
      default:
        return fail("a value is of type {}, which the format does not have", type);
    }
  }
  Result<GgufValue> list() {
    HL_TRY(const auto type, number<std::uint32_t>());
    HL_TRY(const auto count, number<std::uint64_t>());
    if (count > longest_list || count > file_.size() - at_) return fail("a list of {} values is claimed", count);
    if (type == list_type) return fail("a list of lists is not read");
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < count; ++i) {
      HL_TRY(GgufValue one, scalar(type));
      if (auto* words = std::get_if<std::string>(&one)) texts.push_back(std::move(*words));
      if (const auto* whole_number = std::get_if<std::int64_t>(&one))
        numbers.push_back(static_cast<double>(*whole_number));
      if (const auto* real_number = std::get_if<double>(&one)) numbers.push_back(*real_number);
      if (const auto* flag = std::get_if<bool>(&one)) numbers.push_back(*flag ? 1 : 0);
    }
    return type == text_type ? GgufValue(std::move(texts)) : GgufValue(std::move(numbers));
  }

  const InputFile& file_;
  std::uint64_t at_;
};

struct BlockPlace {
  const BlockType* type;
  std::uint64_t begin;  // in the file
  Index blocks;
};

class GgufArrays final : public ArraySource {
 public:
  GgufArrays(const std::filesystem::path& path, InputFile file) : file_(std::move(file)) { files_ = {path}; }

  const InputFile& file() const { return file_; }

  // An array whose header comes next; `data` is where the offsets count from, once it is known.
  Status read_entry(GgufReader& reader) {
    ArrayEntry entry;
    HL_TRY(entry.name, reader.text(longest_name, "the name of an array"));
    HL_CHECK(check_array_name(entry.name));
    if (!names_.insert(entry.name).second) return fail("{}: two arrays have this name", one_line(entry.name));
    HL_TRY(const auto rank, reader.number<std::uint32_t>());
    if (rank < 1 || rank > most_extents)
      return fail("{}: has {} axes: 1 to {} are read", one_line(entry.name), rank, most_extents);
    Index numbers = 1;
    for (std::uint32_t i = 0; i < rank; ++i) {  // the fastest first
      HL_TRY(const auto extent, reader.number<std::uint64_t>());
      if (extent == 0 || extent > static_cast<std::uint64_t>(Index{1} << 40) / static_cast<std::uint64_t>(numbers))
        return fail("{}: has an extent of {}", one_line(entry.name), extent);
      entry.shape.insert(entry.shape.begin(), static_cast<Index>(extent));
      numbers *= static_cast<Index>(extent);
    }
    HL_TRY(const auto number, reader.number<std::uint32_t>());
    HL_TRY(const auto offset, reader.number<std::uint64_t>());
    const auto* type = std::ranges::find(block_types, number, &BlockType::number);
    if (type == std::end(block_types))
      return fail("{} is {}: F32, F16, BF16, Q8_0, Q4_0, Q4_K and Q6_K are read", one_line(entry.name),
                  type_name(number));
    if (entry.shape.back() % type->numbers != 0)
      return fail("{}: its rows of {} are no whole blocks of {}", one_line(entry.name), entry.shape.back(),
                  type->numbers);
    entry.dtype = type->number == 1 ? "float16" : "bfloat16";
    if (type->number == 0) entry.dtype = "float32";
    if (type->rounded) entry.dtype = fmt::format("float32 from {}", type->name);
    if (type->rounded) rounded_.insert(type->name);
    entries_.push_back(std::move(entry));
    places_.push_back({type, offset, numbers / type->numbers});
    return {};
  }

  // Offsets count from there.
  Status begin_data(std::uint64_t data, std::uint64_t alignment) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      BlockPlace& place = places_[i];
      const std::uint64_t bytes = static_cast<std::uint64_t>(place.blocks) * place.type->bytes, end = file_.size();
      if (place.begin % alignment != 0 || data > end || place.begin > end - data || bytes > end - data - place.begin)
        return fail("{}: its numbers do not lie in the file", one_line(entries_[i].name));
      place.begin += data;
    }
    if (!rounded_.empty())
      note_ = fmt::format("its numbers are rounded to few values in each block ({}), and are shown as they are held",
                          fmt::join(rounded_, ", "));
    return {};
  }

  Result<NamedArray> read(std::size_t at) const override {
    const ArrayEntry& entry = entries_[at];
    auto array = numbers_of(places_[at], entry.shape);
    if (!array) return fail_at(one_line(utf8(files_.front())) + ": " + entry.name, array.error());
    return NamedArray{entry.name, std::move(*array), entry.dtype, false};
  }

 private:
  Result<Tensor> numbers_of(const BlockPlace& place, const Shape& shape) const {
    HL_CHECK(check_memory(static_cast<double>(place.blocks * place.type->numbers) * sizeof(float)));
    Tensor result = Tensor::uninitialized(shape);
    constexpr Index at_once = 4096;  // blocks
    std::vector<char> bytes(static_cast<std::size_t>(std::min(at_once, place.blocks)) * place.type->bytes);
    for (Index block = 0; block < place.blocks; block += at_once) {
      const Index count = std::min(at_once, place.blocks - block);
      const auto some = std::span(bytes).first(static_cast<std::size_t>(count) * place.type->bytes);
      HL_CHECK(file_.read_at(place.begin + static_cast<std::uint64_t>(block) * place.type->bytes, some));
      const auto* from = reinterpret_cast<BlockBytes>(some.data());
      for (Index i = 0; i < count; ++i)
        place.type->read(from + static_cast<std::size_t>(i) * place.type->bytes,
                         result.data() + (block + i) * place.type->numbers);
    }
    return result;
  }

  InputFile file_;
  std::vector<BlockPlace> places_;
  std::set<std::string> names_, rounded_;
};

Status read_header(GgufArrays& arrays, GgufPairs& pairs) {
  GgufReader reader(arrays.file(), gguf_magic.size());
  HL_TRY(const auto version, reader.number<std::uint32_t>());
  if (version != 2 && version != 3) return fail("is of version {}: 2 and 3 are read", version);
  HL_TRY(const auto count, reader.number<std::uint64_t>());
  HL_TRY(const auto said, reader.number<std::uint64_t>());
  if (count > most_arrays || said > most_pairs) return fail("claims {} arrays and {} facts", count, said);
  for (std::uint64_t i = 0; i < said; ++i) {
    HL_TRY(std::string key, reader.text(longest_text, "a key"));
    auto value = reader.value();
    if (!value) return fail("{}: {}", one_line(key), value.error().message);
    if (!pairs.emplace(key, std::move(*value)).second) return fail("{} is said twice", one_line(key));
  }
  for (std::uint64_t i = 0; i < count; ++i) HL_CHECK(arrays.read_entry(reader));
  std::int64_t alignment = 32;
  if (const auto found = pairs.find("general.alignment"); found != pairs.end()) {
    const auto* number = std::get_if<std::int64_t>(&found->second);
    if (!number || *number < 1 || *number > 1 << 20) return fail("general.alignment is no number that numbers lie at");
    alignment = *number;
  }
  const auto step = static_cast<std::uint64_t>(alignment);
  return arrays.begin_data((reader.at() + step - 1) / step * step, step);
}

}  // namespace

bool is_gguf(std::string_view begin) {
  return begin.starts_with(gguf_magic);
}

Result<GgufFile> open_gguf(const std::filesystem::path& path) {
  HL_TRY(InputFile file, InputFile::open(path));
  auto arrays = std::make_unique<GgufArrays>(path, std::move(file));
  GgufFile result;
  if (const Status read = read_header(*arrays, result.pairs); !read) return fail_at(one_line(utf8(path)), read.error());
  result.arrays = std::move(arrays);
  return result;
}

}  // namespace headlight
