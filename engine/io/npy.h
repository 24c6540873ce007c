// NumPy's .npy files: one array each. Format: numpy.lib.format, versions 1.0 to 3.0.
//
// Not for archives of several arrays: npz.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/array_source.h"
#include "engine/io/file.h"

namespace headlight {

// Reads the header of an .npy file; the array is named after the file, without the extension. Either byte order, either
// memory order (the tensor is C order), floats of 2, 4 or 8 bytes, integers and booleans; any other type is refused,
// and so is a file that goes on after the array.
Result<std::unique_ptr<ArraySource>> open_npy(const std::filesystem::path& path);
// With its numbers.
Result<NamedArray> read_npy(const std::filesystem::path& path);

// What an array is, without its numbers.
struct NpyAbout {
  Shape shape;
  std::string dtype;  // in NumPy's words
};
// From the bytes that an array begins with. Checked: that what is left of them is as long as the numbers.
Result<NpyAbout> read_npy_about(ByteStream& stream);

// The same as read_npy() from bytes in order, which must end with the array. Messages do not say where the bytes came
// from.
Result<NamedArray> read_npy(ByteStream& stream, std::string name);

// What stands before the data of a float32 array in C order, version 1.0. The data starts at a multiple of 64 bytes.
std::string npy_header(const Shape& shape);

// Writes float32, C order, version 1.0.
Status write_npy(const std::filesystem::path& path, const Tensor& tensor);

// The memory of a tensor, as the formats store it.
std::string_view bytes_of(const Tensor& tensor);

}  // namespace headlight
