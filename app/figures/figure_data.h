// The files that a figure's numbers were read from, with a checksum of each, so that it is said where one is another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace headlight::app {

struct DataFile {
  std::filesystem::path path;
  std::string sum;  // "5547120 9e3779b97f4a7c15": bytes, and a hash of them
  bool operator==(const DataFile&) const = default;
};

// Of these files those that are there, each once, of folders what is in them. A sum is kept as long as the file's size
// and time stay.
std::vector<DataFile> data_files(const std::vector<std::filesystem::path>& read);

// Errors: a file that is there holds something else than it did. One that is gone is for whoever reads it.
Status check_unchanged(const std::vector<DataFile>& files);

}  // namespace headlight::app
