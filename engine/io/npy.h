// NumPy's .npy format, versions 1 to 3: one array.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "engine/io/arrays.h"

namespace headlight {

struct NpyHeader {
  Shape shape;
  ElementType type = ElementType::f32;
  std::string dtype;
  bool big_endian = false;
  bool fortran_order = false;
  std::size_t data_offset = 0;  // of the first element's byte
};

// Reads the header alone. `bytes` may end right after it.
Result<NpyHeader> parse_npy_header(std::string_view bytes);
// float16 to float64, integers and booleans, either endianness, C or Fortran order. Extra bytes after the data are an error.
Result<NamedArray> parse_npy(std::string_view bytes);

// The header of a float32 array in C order, version 1, padded to a multiple of 64 bytes.
std::string npy_header(const Shape& shape);

}  // namespace headlight
