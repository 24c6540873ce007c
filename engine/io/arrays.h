// Arrays with names, as files hold them, whatever the format.
//
// Not for files of them: open_arrays.h. Not for what the names mean to a variant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace headlight {

// Values are float32 whatever the file held. Integers and doubles are rounded to the nearest float32; a finite double
// beyond float32's range is an error of the reader, so that no number turns into infinity unseen.
struct NamedArray {
  std::string name;
  Tensor values;
  std::string dtype;     // as in the file, in NumPy's words: "float64", "int32", "bool", "bfloat16"
  bool boolean = false;  // each value is 0 or 1
};

// An array to be written; the tensor must outlive it.
struct ArrayToWrite {
  std::string name;
  const Tensor& values;
};

// What every name in a file must be: not empty, valid UTF-8, without control characters, of at most 1000 bytes.
Status check_array_name(std::string_view name);

// Whether the arrays can be written side by side: names as above, none twice, each tensor with a shape and values.
Status check_arrays_to_write(const std::vector<ArrayToWrite>& arrays);

}  // namespace headlight
