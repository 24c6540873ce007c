#include "engine/io/element_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "engine/core/memory.h"

namespace headlight {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the readers and writers of arrays expect a little-endian machine");

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;  // stays in the second-level cache, long enough for the disk

template <class T>
T reversed_bytes(T value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

struct TypeRow {
  std::array<std::string_view, 4> names;  // by Naming; empty: the format has no such type
  std::size_t size = 0;
  std::size_t (*convert)(const char* from, std::size_t count, bool big_endian, float* to) = nullptr;
};

// Converts `count` elements. Returns the position of the first that float32 cannot hold, or `count`.
template <class Stored, float (*convert)(Stored)>
std::size_t convert_with(const char* from, std::size_t count, bool big_endian, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, from + i * sizeof(Stored), sizeof(Stored));
    if (big_endian) value = reversed_bytes(value);
    if constexpr (std::same_as<Stored, double>) {
      // From halfway between the largest float32 and 2^128 on, rounding to the nearest gives infinity.
      if (std::isfinite(value) && std::abs(value) >= 0x1.ffffffp127) return i;
    }
    to[i] = convert(value);
  }
  return count;
}

template <class Stored>
float as_float(Stored value) {
  return static_cast<float>(value);
}

float float_from_boolean(std::uint8_t value) {
  return value != 0 ? 1.0F : 0.0F;
}

template <class Stored, float (*convert)(Stored) = as_float<Stored>>
constexpr TypeRow row_of(std::array<std::string_view, 4> names) {
  return {names, sizeof(Stored), convert_with<Stored, convert>};
}

// In the order of ElementType.
constexpr std::array<TypeRow, 13> type_rows{
    row_of<std::uint8_t, float_from_boolean>({"bool", "b1", "BOOL", "torch.BoolStorage"}),
    row_of<std::int8_t>({"int8", "i1", "I8", "torch.CharStorage"}),
    row_of<std::int16_t>({"int16", "i2", "I16", "torch.ShortStorage"}),
    row_of<std::int32_t>({"int32", "i4", "I32", "torch.IntStorage"}),
    row_of<std::int64_t>({"int64", "i8", "I64", "torch.LongStorage"}),
    row_of<std::uint8_t>({"uint8", "u1", "U8", "torch.ByteStorage"}),
    row_of<std::uint16_t>({"uint16", "u2", "U16", ""}),
    row_of<std::uint32_t>({"uint32", "u4", "U32", ""}),
    row_of<std::uint64_t>({"uint64", "u8", "U64", ""}),
    row_of<std::uint16_t, float_from_half>({"float16", "f2", "F16", "torch.HalfStorage"}),
    row_of<std::uint16_t, float_from_bfloat16>({"bfloat16", "", "BF16", "torch.BFloat16Storage"}),
    row_of<float>({"float32", "f4", "F32", "torch.FloatStorage"}),
    row_of<double>({"float64", "f8", "F64", "torch.DoubleStorage"})};

const TypeRow& row_of_type(ElementType type) {
  return type_rows[static_cast<std::size_t>(type)];
}

// Puts elements that come with the first index fastest where they belong in C order.
class FortranOrder {
 public:
  explicit FortranOrder(const Shape& shape) : shape_(shape), stride_(shape.size(), 1), index_(shape.size(), 0) {
    for (std::size_t axis = shape.size(); axis-- > 1;) stride_[axis - 1] = stride_[axis] * shape[axis];
  }

  void scatter(std::span<const float> values, float* to) {
    for (const float value : values) {
      to[flat_] = value;
      advance();
    }
  }

 private:
  void advance() {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      flat_ += stride_[axis];
      if (++index_[axis] < shape_[axis]) return;
      flat_ -= stride_[axis] * shape_[axis];
      index_[axis] = 0;
    }
  }

  Shape shape_;
  std::vector<Index> stride_;
  std::vector<Index> index_;
  Index flat_ = 0;
};

tl::unexpected<Error> too_short(std::uint64_t got, std::uint64_t needed) {
  return fail("the file ends after {} of {} bytes of data", got, needed);
}

tl::unexpected<Error> too_large(const ElementLayout& layout, const Shape& shape, std::size_t position,
                                const char* bytes) {
  double value = 0;
  std::memcpy(&value, bytes, sizeof value);
  if (layout.big_endian) value = reversed_bytes(value);
  auto index =
      index_at_flat(layout.fortran ? Shape(shape.rbegin(), shape.rend()) : shape, static_cast<Index>(position));
  if (layout.fortran) std::ranges::reverse(index);
  return fail("element {} is {:.6g}, beyond float32's range of ±3.4e38; use inf, or a smaller number", to_string(index),
              value);
}

// Reads in chunks and converts each: the file is never in memory beside the tensor.
Status read_converted(ByteStream& stream, const ElementLayout& layout, Tensor& tensor) {
  const std::size_t element = size_of(layout.type);
  const std::size_t count = static_cast<std::size_t>(tensor.size());
  const std::size_t at_once = std::min(count, chunk_bytes / element);
  std::vector<char> bytes(at_once * element);
  std::optional<FortranOrder> order;
  if (layout.fortran) order.emplace(tensor.shape());
  std::vector<float> ordered(layout.fortran ? at_once : 0);
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(at_once, count - done);
    HL_TRY(const std::size_t got, stream.read(std::span(bytes).first(now * element)));
    if (got < now * element) return too_short(done * element + got, count * element);
    float* const to = layout.fortran ? ordered.data() : tensor.data() + done;
    const std::size_t good = row_of_type(layout.type).convert(bytes.data(), now, layout.big_endian, to);
    if (good < now) return too_large(layout, tensor.shape(), done + good, bytes.data() + good * element);
    if (order) order->scatter(std::span(ordered).first(now), tensor.data());
    done += now;
  }
  return {};
}

Status read_plain(ByteStream& stream, Tensor& tensor) {
  const std::size_t size = static_cast<std::size_t>(tensor.size()) * sizeof(float);
  HL_TRY(const std::size_t got, stream.read({reinterpret_cast<char*>(tensor.data()), size}));
  if (got < size) return too_short(got, size);
  return {};
}

}  // namespace

std::string_view name_of(ElementType type) {
  return row_of_type(type).names[0];
}

std::optional<ElementType> type_by_name(Naming naming, std::string_view name) {
  const auto found = std::ranges::find(type_rows, name,
                                       [&](const TypeRow& row) { return row.names[static_cast<std::size_t>(naming)]; });
  if (name.empty() || found == type_rows.end()) return std::nullopt;
  return static_cast<ElementType>(found - type_rows.begin());
}

std::size_t size_of(ElementType type) {
  return row_of_type(type).size;
}

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  // Subnormals count in steps of 2^-24, which float32 holds as normal numbers.
  if (exponent == 0) return std::copysign(static_cast<float>(fraction) * 0x1p-24F, std::bit_cast<float>(sign));
  // The exponents' biases are 15 and 127; 31 stands for infinity and NaN, as 255 does.
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

Result<Tensor> read_elements(ByteStream& stream, const ElementLayout& layout, const Shape& shape) {
  HL_TRY(const Index count, element_count(shape));
  const std::uint64_t needed = static_cast<std::uint64_t>(count) * size_of(layout.type);
  if (needed > stream.most_left()) return too_short(stream.most_left(), needed);
  HL_CHECK(check_memory(static_cast<double>(count) * sizeof(float)));
  try {
    Tensor tensor = Tensor::uninitialized(shape);
    const bool plain =
        layout.type == ElementType::float32 && !layout.big_endian && (!layout.fortran || shape.size() < 2);
    HL_CHECK(plain ? read_plain(stream, tensor) : read_converted(stream, layout, tensor));
    return tensor;
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for the {} elements of shape {}", count, to_string(shape));
  }
}

}  // namespace headlight
