// A file of arrays that was looked through but not read: what each is called, its shape and type, and its numbers when
// they are asked for. Whoever needs one layer of a model reads that layer.
//
// Not for what the names mean to a variant.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
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

struct ArrayEntry {
  std::string name;
  Shape shape;
  std::string dtype;  // in NumPy's words, or in the file's own where they are none of those
};

class ArraySource {
 public:
  virtual ~ArraySource() = default;
  // The numbers of one of the entries. Errors name the file and the array.
  virtual Result<NamedArray> read(std::size_t entry) const = 0;

  const std::vector<ArrayEntry>& entries() const { return entries_; }
  // Where an array of that name stands among the entries; their number where there is none.
  std::size_t find(std::string_view name) const;
  // What of the file was passed over, as a sentence without its name; empty where nothing was.
  const std::string& note() const { return note_; }
  // The key of the dict that names begin below, where a prefix chose it among several: "generator"; else empty.
  const std::string& dict_key() const { return within_; }
  // Every file that is read, the one that was opened first.
  const std::vector<std::filesystem::path>& files() const { return files_; }

 protected:
  std::vector<ArrayEntry> entries_;
  std::string note_, within_;
  std::vector<std::filesystem::path> files_;
};

// Of a .pt with several state dicts, which are meant.
struct WhichTensors {
  std::string_view prefix = {};  // begins with the key of the one that is meant
  bool all = false;              // all of them, names beginning with their keys
};

// All of its arrays, where memory allows.
Result<std::vector<NamedArray>> read_all(const ArraySource& source);

// Opens .npy, .npz, .safetensors, .safetensors.index.json, .bin.index.json, .pt, .pth and .bin; the content decides
// which it is. Names, shapes and types are read, no numbers. Errors name the file.
Result<std::unique_ptr<ArraySource>> open_arrays(const std::filesystem::path& path, const WhichTensors& which = {});

// Reads all arrays of such a file, in its order. The array of an .npy file is named after the file. Errors:
// "arrays.npz: w_q: the file ends after …".
Result<std::vector<NamedArray>> read_arrays(const std::filesystem::path& path);

}  // namespace headlight
