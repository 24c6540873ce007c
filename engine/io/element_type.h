// The number types that array files hold, and their conversion to the float32 of a Tensor.
//
// Not for headers: each format says in its own words which type and shape follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/file.h"

namespace headlight {

inline constexpr std::size_t most_axes = 64;  // of an array in a file: NumPy 2's own limit

enum class ElementType {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

// NumPy's word: "bool", "int8", …, "float64".
std::string_view name_of(ElementType type);
// The type that a format calls so: "f4" of .npy, "F32" of safetensors, "torch.FloatStorage".
enum class Naming { numpy, npy, safetensors, torch };
std::optional<ElementType> type_by_name(Naming naming, std::string_view name);
// In bytes.
std::size_t size_of(ElementType type);

// Exact, for every bit pattern: IEEE 754 binary16, and the upper half of a binary32.
float float_from_half(std::uint16_t bits);
float float_from_bfloat16(std::uint16_t bits);

// How the elements of an array lie in a file.
struct ElementLayout {
  ElementType type = ElementType::float32;
  bool big_endian = false;
  bool fortran = false;  // the first index runs fastest
};

// Reads an array of this shape from the stream, which may go on after it. A boolean becomes 0 or 1. Errors, all before
// anything is allocated where that can be known: a shape that cannot be held, a stream too short for it, memory; and a
// finite double that float32 cannot hold.
Result<Tensor> read_elements(ByteStream& stream, const ElementLayout& layout, const Shape& shape);

}  // namespace headlight
