// Whole files in and out, and bytes in order: what every reader and writer of a format stands on.
//
// Not for formats: npy.h, npz.h and safetensors.h know those. Not for pipes, devices or folders as input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/core/system/files.h"

namespace headlight {

// A name or a path as it may stand in a one-line message: control characters become '?', long text is cut with "…", and
// of a file that is embedded in an experiment there is its name.
std::string one_line(std::string_view text);

// Reads a whole file. Errors: it does not exist, is not a regular file, cannot be read, or is over `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit);

// The number that up to eight bytes are, the lowest first.
inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Writes a whole file by FileWriter's rules: afterwards it holds all the bytes, or what it held before.
Status write_file(const std::filesystem::path& path, std::string_view bytes, Readers readers = Readers::usual);

// A regular file open for reading at any place, or one that stands in an experiment (embedded.h).
class InputFile {
 public:
  static Result<InputFile> open(const std::filesystem::path& path);
  // In bytes, as it was when the file was opened.
  std::uint64_t size() const;
  // Fills all of `into` from `offset` on. Errors: the file ends before that, or the disk fails.
  Status read_at(std::uint64_t offset, std::span<char> into) const;

 private:
  InputFile() = default;
  std::optional<ReadableFile> file_;                     // on the disk
  std::shared_ptr<const struct EmbeddedFile> embedded_;  // null where there is one on the disk
};

// A file being written, by the rules of WritableFile (core/system/files.h); errors name it.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path, Readers readers = Readers::usual);
  static Result<FileWriter> standard_output();
  Status append(std::string_view bytes);
  // Ends the writing; nothing can be appended after it. The bytes are on the disk before the file takes its place.
  Status commit();

 private:
  FileWriter(WritableFile file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}
  WritableFile file_;
  std::string name_;
};

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
