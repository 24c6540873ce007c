// Whole files in and out, and bytes in order: what every reader and writer of a format stands on.
//
// Not for formats: npy.h, npz.h and safetensors.h know those. Not for pipes, devices or folders as input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headlight {

// A name or a path as it may stand in a one-line message: control characters become '?', long text is cut with "…", and
// of a file that is embedded in an experiment there is its name.
std::string one_line(std::string_view text);

// Reads a whole file. Errors: it does not exist, is not a regular file, cannot be read, or is over `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit);

// Writes a whole file by FileWriter's rules: afterwards it holds all the bytes, or what it held before.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// A regular file open for reading at any place, or one that stands in an experiment (embedded.h).
class InputFile {
 public:
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;

  // In bytes, as it was when the file was opened.
  std::uint64_t size() const { return size_; }
  // Fills all of `into` from `offset` on. Errors: the file ends before that, or the disk fails.
  Status read_at(std::uint64_t offset, std::span<char> into) const;

 private:
  InputFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::shared_ptr<const struct EmbeddedFile> embedded_;  // null: it is on the disk
};

// A file being written in the same folder, without a name where the file system can do that, else under a temporary
// one. commit() puts it in its place, once its bytes are on the disk; without commit() it goes away and what stood
// there before stays. A link is followed, also where its file is not there yet. A device, or a pipe that somebody
// reads, is written directly.
class FileWriter {
 public:
  // Errors: the folder does not exist, the path is a folder or a pipe that nobody reads, or one of them may not be
  // written.
  static Result<FileWriter> create(const std::filesystem::path& path);
  // Standard output, which is written directly. Errors: it is closed.
  static Result<FileWriter> standard_output();
  ~FileWriter();
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;

  Status append(std::string_view bytes);
  // Ends the writing; nothing can be appended after it. The bytes are on the disk before the file takes its place.
  Status commit();

 private:
  FileWriter(int descriptor, std::filesystem::path path, std::filesystem::path temporary, bool replaces)
      : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)), replaces_(replaces) {}
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty while the file has no name
  bool replaces_ = false;            // else the path is written directly
};

// Removes the temporary files that killed programs of the same user left in a folder, where nothing was written to them
// for a while.
void remove_stale_temporaries(const std::filesystem::path& folder);

// Bytes that come in order, from a file or from what unpacks it.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills `into` as far as the bytes last and says how many came; fewer than asked for means the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // The most that can still come, in bytes. A header that claims more is false, and is refused before any allocation.
  virtual std::uint64_t most_left() const = 0;
};

// The bytes [begin, end) of a file, which must outlive the stream. `end` is at most the file's size.
class FileStream final : public ByteStream {
 public:
  FileStream(const InputFile& file, std::uint64_t begin, std::uint64_t end) : file_(file), at_(begin), end_(end) {}
  Result<std::size_t> read(std::span<char> into) override;
  std::uint64_t most_left() const override { return end_ - at_; }

 private:
  const InputFile& file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

}  // namespace headlight
