// The corpus in tests/data/arrays, and what its files must give. tests/data/make_arrays.py wrote both,
// make_torch.py those of torch.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/io/array_source.h"

namespace headlight {

inline std::filesystem::path corpus(const std::string& name) {
  return std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "tests/data/arrays" / name;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// The arrays that expected.txt has for a file, in order.
inline std::vector<NamedArray> expected_arrays(const std::string& file) {
  std::vector<NamedArray> arrays;
  std::ifstream stream(corpus(file.starts_with("torch/") ? "expected_torch.txt" : "expected.txt"));
  for (std::string line; std::getline(stream, line);) {
    const auto fields = split(line, '\t');
    if (fields.size() < 3 || fields[0] != file) continue;
    Shape shape;
    if (fields.size() > 3)
      for (const std::string& extent : split(fields[3], ',')) shape.push_back(std::stoll(extent));
    std::vector<float> values;
    for (std::size_t i = 4; i < fields.size(); ++i) values.push_back(std::strtof(fields[i].c_str(), nullptr));
    arrays.push_back({fields[1], Tensor::from(shape, values), fields[2], fields[2] == "bool"});
  }
  return arrays;
}

// The same bits, or both NaN.
inline bool same_value(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// What differs first, or nothing.
inline std::string difference(const NamedArray& found, const NamedArray& expected) {
  if (found.name != expected.name) return "the name is " + found.name + ", not " + expected.name;
  const std::string where = expected.name + ": ";
  if (found.dtype != expected.dtype) return where + "the dtype is " + found.dtype + ", not " + expected.dtype;
  if (found.boolean != expected.boolean) return where + "boolean is wrong";
  if (found.values.shape() != expected.values.shape())
    return where + "the shape is " + to_string(found.values.shape()) + ", not " + to_string(expected.values.shape());
  for (Index i = 0; i < expected.values.size(); ++i)
    if (!same_value(found.values[i], expected.values[i]))
      return where + fmt::format("value {} is {}, not {}", i, found.values[i], expected.values[i]);
  return "";
}

// Reads a file of the corpus and says what is wrong with what came, or nothing.
inline std::string corpus_difference(const std::string& file) {
  const auto arrays = read_arrays(corpus(file));
  if (!arrays) return arrays.error().message;
  const auto expected = expected_arrays(file);
  if (arrays->size() != expected.size())
    return fmt::format("{} arrays came instead of {}", arrays->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (auto wrong = difference((*arrays)[i], expected[i]); !wrong.empty()) return wrong;
  return "";
}

// The message of a result that should be an error, without the path before it.
template <class T>
std::string reason(const Result<T>& result, const std::filesystem::path& path) {
  if (result) return "no error";
  const std::string before = path.string() + ": ";
  if (!result.error().message.starts_with(before)) return "the path is missing: " + result.error().message;
  return result.error().message.substr(before.size());
}

}  // namespace headlight
