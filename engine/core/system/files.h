// Files as the system has them: read at any place, written so that nothing is lost, and told from each other.
//
// Errors are reasons without the file's name: engine/io/file.h puts that before them.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace headlight {

// An open file by its number; closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { static_cast<void>(close()); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  // False where the system says only now that there was no room for what was written.
  bool close();

 private:
  int number_;
};

// A regular file that is read at any place.
class ReadableFile {
 public:
  // Errors: it does not exist, is not a regular file, or cannot be read.
  static Result<ReadableFile> open(const std::filesystem::path& path);
  // In bytes, as it was when the file was opened.
  std::uint64_t size() const { return size_; }
  // Fills all of `into` from `offset` on. Errors: the file ends before that, or the disk fails.
  Status read_at(std::uint64_t offset, std::span<char> into) const;

 private:
  ReadableFile(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}
  Descriptor file_;
  std::uint64_t size_;
};

// Who may read a file that is written: whoever the user's defaults let, or the user alone.
enum class Readers { usual, user };

// A file being written in the same folder, without a name where the file system can do that, else under a temporary
// one. commit() puts it in its place, once its bytes are on the disk; without commit() it goes away and what stood
// there before stays. A link is followed, also where its file is not there yet. A device, or a pipe that somebody
// reads, is written directly.
class WritableFile {
 public:
  // Errors: the folder does not exist, the path is a folder or a pipe that nobody reads, or one of them may not be
  // written.
  static Result<WritableFile> create(const std::filesystem::path& path, Readers readers = Readers::usual);
  // Standard output, which is written directly. Errors: it is closed.
  static Result<WritableFile> standard_output();
  ~WritableFile();
  WritableFile(WritableFile&& other) noexcept;
  WritableFile& operator=(WritableFile&& other) noexcept;

  Status append(std::string_view bytes);
  // Ends the writing; nothing can be appended after it. The bytes are on the disk before the file takes its place.
  Status commit();

 private:
  WritableFile(Descriptor file, std::filesystem::path path, std::filesystem::path temporary, bool replaces)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)), replaces_(replaces) {}
  Descriptor file_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty while the file has no name
  bool replaces_ = false;            // else the path is written directly
};

// Removes the temporary files that killed programs of the same user left in a folder, where nothing was written to them
// for a while.
void remove_stale_temporaries(const std::filesystem::path& folder);

// When it was written last, in seconds since 1970; nothing where it does not exist.
std::optional<std::time_t> time_written(const std::filesystem::path& path);

// Another text whenever the file may be another: one of the same size written in its place, too.
std::string file_identity(const std::filesystem::path& path);

}  // namespace headlight
