#include "engine/io/arrays.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"

namespace headlight {

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 38;  // 256 GiB: beyond any machine that runs this

template <class T>
T element(const char* bytes, bool swap) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swap)
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(copy[i], copy[sizeof(T) - 1 - i]);
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return value;
}

// IEEE 754 binary16.
float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction · 2⁻²⁴
    const float size = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -size : size;
  }
  const std::uint32_t rebased = exponent == 31 ? 255U : exponent + 112U;  // 127 − 15
  return std::bit_cast<float>(sign | (rebased << 23) | (fraction << 13));
}

float float_of_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
void convert(const char* bytes, Index count, bool swap, float* out) {
  for (Index i = 0; i < count; ++i) out[i] = static_cast<float>(element<T>(bytes + i * static_cast<Index>(sizeof(T)), swap));
}

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::boolean: return 1;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16: return 2;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32: return 4;
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64: return 8;
  }
  return 1;
}

Result<std::size_t> byte_count(const Shape& shape, ElementType type) {
  HL_TRY(const Index count, element_count(shape));
  return static_cast<std::size_t>(count) * size_of(type);
}

void to_float(const char* bytes, Index count, ElementType type, bool big_endian, float* out) {
  const bool swap = big_endian == (std::endian::native == std::endian::little);
  const bool swapped = swap && size_of(type) > 1;
  switch (type) {
    case ElementType::f16:
      for (Index i = 0; i < count; ++i) out[i] = float_of_half(element<std::uint16_t>(bytes + 2 * i, swapped));
      break;
    case ElementType::bf16:
      for (Index i = 0; i < count; ++i) out[i] = float_of_bfloat(element<std::uint16_t>(bytes + 2 * i, swapped));
      break;
    case ElementType::f32: convert<float>(bytes, count, swapped, out); break;
    case ElementType::f64:
      for (Index i = 0; i < count; ++i) {
        const double value = element<double>(bytes + 8 * i, swapped);
        constexpr double most = 3.4028235677973366e38;  // halfway from the largest float32 to the next: rounds to infinity
        out[i] = value >= most ? HUGE_VALF : value <= -most ? -HUGE_VALF : static_cast<float>(value);
      }
      break;
    case ElementType::i8: convert<std::int8_t>(bytes, count, false, out); break;
    case ElementType::i16: convert<std::int16_t>(bytes, count, swapped, out); break;
    case ElementType::i32: convert<std::int32_t>(bytes, count, swapped, out); break;
    case ElementType::i64: convert<std::int64_t>(bytes, count, swapped, out); break;
    case ElementType::u8: convert<std::uint8_t>(bytes, count, false, out); break;
    case ElementType::u16: convert<std::uint16_t>(bytes, count, swapped, out); break;
    case ElementType::u32: convert<std::uint32_t>(bytes, count, swapped, out); break;
    case ElementType::u64: convert<std::uint64_t>(bytes, count, swapped, out); break;
    case ElementType::boolean:
      for (Index i = 0; i < count; ++i) out[i] = bytes[i] != 0 ? 1.0F : 0.0F;
      break;
  }
}

std::string c_order_from_fortran(std::string_view bytes, const Shape& shape, std::size_t element_size) {
  std::string out(bytes.size(), '\0');
  const std::size_t count = bytes.size() / element_size;
  std::vector<Index> index(shape.size(), 0);
  std::vector<std::size_t> strides(shape.size());  // of the Fortran order, in elements
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= static_cast<std::size_t>(shape[axis]);
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < count; ++to) {
    std::memcpy(out.data() + to * element_size, bytes.data() + from * element_size, element_size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {  // the next index in C order
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return out;
}

Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path) {
  HL_TRY(const std::string bytes, read_file(path, largest_file));
  const auto located = [&](auto result) -> Result<std::vector<NamedArray>> {
    if (!result) return fail_at(path.string(), result.error());
    return std::move(*result);
  };
  if (bytes.starts_with("\x93NUMPY")) {
    auto array = parse_npy(bytes);
    if (!array) return fail_at(path.string(), array.error());
    std::vector<NamedArray> list;
    list.push_back(std::move(*array));
    return list;
  }
  if (bytes.starts_with("PK")) return located(parse_npz(bytes));
  if (path.extension() == ".npz" || path.extension() == ".npy")
    return fail("{}: is not a NumPy file: its first bytes are not NumPy's", path.string());
  return located(parse_safetensors(bytes));
}

}  // namespace headlight
