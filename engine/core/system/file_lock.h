// A file that one process at a time can hold, and that is let go however the process ends.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace headlight {

class FileLock {
 public:
  // Makes the file where there is none. Nothing where another process holds it, or it cannot be opened.
  static std::optional<FileLock> take(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace headlight
