// A file of arrays that was looked through but not read: what each is called, its shape and type, and its numbers when
// they are asked for. Whoever needs one layer of a model reads that layer.
//
// Not for opening one, nor for reading all of a small file: open_arrays.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/io/arrays.h"

namespace headlight {

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
  const std::string& within() const { return within_; }
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

}  // namespace headlight
