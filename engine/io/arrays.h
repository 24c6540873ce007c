// Arrays from files, whatever their format: .npy, .npz or .safetensors, told apart by their first bytes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace headlight {

struct NamedArray {
  std::string name;     // the member's name; empty for an .npy
  Tensor values;        // as float32, whatever it was
  std::string dtype;    // as the file calls it: "<f8", "BF16"
  bool boolean = false; // it held true and false
};

// Errors name the file, the member and the reason.
Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path);

// Element types that a file may hold.
enum class ElementType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
std::size_t size_of(ElementType type);

// Number of bytes of an array, or an error when the shape cannot be ("(1000000000000,)" of a 4 KiB file is caught by the caller
// comparing with what the file holds).
Result<std::size_t> byte_count(const Shape& shape, ElementType type);

// count elements at `bytes`, in C order, to float32. Integers and doubles are rounded; a double too large for float32 becomes
// an infinity.
void to_float(const char* bytes, Index count, ElementType type, bool big_endian, float* out);

// Bytes of a Fortran-ordered array put into C order, element by element.
std::string c_order_from_fortran(std::string_view bytes, const Shape& shape, std::size_t element_size);

}  // namespace headlight
