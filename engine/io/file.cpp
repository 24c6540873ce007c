#include "engine/io/file.h"

#include <algorithm>
#include <new>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/embedded.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> cannot_write(const std::string& name, const Error& why) {
  return fail("{}: cannot be written: {}", one_line(name), why.message);
}

}  // namespace

std::string one_line(std::string_view text) {
  const std::string_view name = embedded_name(text);
  return name.empty() ? in_one_line(text) : in_one_line(name) + " (embedded)";
}

Result<InputFile> InputFile::open(const fs::path& path) {
  InputFile input;
  if ((input.embedded_ = embedded_file(utf8(path)))) return input;
  auto file = ReadableFile::open(path);
  if (!file) return fail_at(one_line(utf8(path)), file.error());
  input.file_ = std::move(*file);
  return input;
}

std::uint64_t InputFile::size() const {
  return file_ ? file_->size() : embedded_->bytes.size();
}

Status InputFile::read_at(std::uint64_t offset, std::span<char> into) const {
  if (file_) return file_->read_at(offset, into);
  const std::string_view left = std::string_view(embedded_->bytes).substr(std::min<std::uint64_t>(offset, size()));
  if (left.size() < into.size())
    return fail("the file ends at byte {}, {} bytes too early", size(), into.size() - left.size());
  std::ranges::copy(left.substr(0, into.size()), into.begin());
  return {};
}

Result<std::size_t> FileStream::read(std::span<char> into) {
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), most_left()));
  HL_CHECK(file_.read_at(at_, into.first(size)));
  at_ += size;
  return size;
}

Result<std::string> read_file(const fs::path& path, std::uint64_t limit) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const std::string name = one_line(utf8(path));
  if (file.size() > limit) return fail("{}: has {} bytes; at most {} are read here", name, file.size(), limit);
  try {
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    if (const auto status = file.read_at(0, bytes); !status) return fail_at(name, status.error());
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("{}: there is not enough memory for its {} bytes", name, file.size());
  }
}

Result<FileWriter> FileWriter::create(const fs::path& path, Readers readers) {
  if (path.empty()) return fail("cannot write a file without a name");
  auto file = WritableFile::create(path, readers);
  if (!file) return cannot_write(utf8(path), file.error());
  return FileWriter(std::move(*file), utf8(path));
}

Result<FileWriter> FileWriter::standard_output() {
  const std::string name = "standard output";
  auto file = WritableFile::standard_output();
  if (!file) return cannot_write(name, file.error());
  return FileWriter(std::move(*file), name);
}

Status FileWriter::append(std::string_view bytes) {
  const Status done = file_.append(bytes);
  return done ? done : cannot_write(name_, done.error());
}

Status FileWriter::commit() {
  const Status done = file_.commit();
  return done ? done : cannot_write(name_, done.error());
}

Status write_file(const fs::path& path, std::string_view bytes, Readers readers) {
  HL_TRY(FileWriter writer, FileWriter::create(path, readers));
  HL_CHECK(writer.append(bytes));
  return writer.commit();
}

}  // namespace headlight
