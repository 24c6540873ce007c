#include "engine/io/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/zip.h"

namespace headlight {

using namespace zip;

namespace {

Result<NamedArray> read_member(const InputFile& file, const ZipMember& member) {
  NamedArray array;
  HL_CHECK(read_zip_member(file, member, [&](ByteStream& bytes) -> Status {
    HL_TRY(array, read_npy(bytes, member.name_of_array()));
    return {};
  }));
  return array;
}

// The headers of its arrays were read.
class NpzFile final : public ArraySource {
 public:
  NpzFile(const std::filesystem::path& path, InputFile file, std::vector<ZipMember> members)
      : file_(std::move(file)), members_(std::move(members)) {
    files_ = {path};
  }

  Status read_headers() {
    for (const ZipMember& member : members_) {
      const auto status = read_start_of_zip_member(file_, member, [&](ByteStream& bytes) -> Status {
        HL_TRY(NpyAbout about, read_npy_about(bytes));
        entries_.push_back({member.name_of_array(), std::move(about.shape), std::move(about.dtype)});
        return {};
      });
      if (!status) return fail_at(where(member), status.error());
    }
    return {};
  }

  Result<NamedArray> read(std::size_t entry) const override {
    auto array = read_member(file_, members_[entry]);
    if (!array) return fail_at(where(members_[entry]), array.error());
    return array;
  }

 private:
  std::string where(const ZipMember& member) const {
    return one_line(utf8(files_.front())) + ": " + member.name_of_array();
  }

  InputFile file_;
  std::vector<ZipMember> members_;
};

// Little-endian fields of a record, one after the other.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}
  Record& add(std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  Record& add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

bool needs_zip64(std::uint64_t value) {
  return value >= in_zip64;
}

// What the local header and the directory's entry have in common (APPNOTE 4.4.2 to 4.4.9).
void add_common(Record& record, const ZipMember& member, std::uint64_t version) {
  const std::uint64_t size = std::min(member.size, in_zip64);
  record.add(version, 2).add(member.flags, 2).add(stored, 2).add(0, 2).add(first_date, 2);
  record.add(member.crc, 4).add(size, 4).add(size, 4).add(member.stored_name.size(), 2);
}

std::string local_header(const ZipMember& member) {
  const bool zip64 = needs_zip64(member.size);
  Record record(local_signature);
  add_common(record, member, zip64 ? version_zip64 : version_plain);
  record.add(zip64 ? 20 : 0, 2).add(member.stored_name);
  if (zip64) record.add(zip64_tag, 2).add(16, 2).add(member.size, 8).add(member.size, 8);
  return record.bytes();
}

std::string directory_entry(const ZipMember& member) {
  Record extra("");
  if (needs_zip64(member.size)) extra.add(member.size, 8).add(member.size, 8);
  if (needs_zip64(member.header)) extra.add(member.header, 8);
  const bool zip64 = !extra.bytes().empty();
  constexpr std::uint64_t made_by_unix = 3U << 8;
  constexpr std::uint64_t plain_file = 0100644U << 16;  // the mode that Unix tools give the file when they unpack it
  Record record(entry_signature);
  record.add(made_by_unix | version_zip64, 2);
  add_common(record, member, zip64 ? version_zip64 : version_plain);
  record.add(zip64 ? 4 + extra.bytes().size() : 0, 2).add(0, 2).add(0, 2).add(0, 2).add(plain_file, 4);
  record.add(std::min(member.header, in_zip64), 4).add(member.stored_name);
  if (zip64) record.add(zip64_tag, 2).add(extra.bytes().size(), 2).add(extra.bytes());
  return record.bytes();
}

std::string end_of_directory(const Directory& directory) {
  const bool zip64 = needs_zip64(directory.begin) || needs_zip64(directory.size) || directory.entries >= in_zip64_short;
  std::string bytes;
  if (zip64) {
    Record end64(end64_signature);
    end64.add(end64_size - 12, 8).add(version_zip64, 2).add(version_zip64, 2).add(0, 4).add(0, 4);
    end64.add(directory.entries, 8).add(directory.entries, 8).add(directory.size, 8).add(directory.begin, 8);
    Record locator(locator_signature);
    locator.add(0, 4).add(directory.begin + directory.size, 8).add(1, 4);
    bytes = end64.bytes() + locator.bytes();
  }
  const std::uint64_t entries = std::min(directory.entries, in_zip64_short);
  Record end(end_signature);
  end.add(0, 2).add(0, 2).add(entries, 2).add(entries, 2);
  end.add(std::min(directory.size, in_zip64), 4).add(std::min(directory.begin, in_zip64), 4).add(0, 2);
  return bytes + end.bytes();
}

std::uint64_t crc_of(std::string_view header, std::string_view data) {
  const auto bytes = [](std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); };
  return ::crc32_z(::crc32_z(0, bytes(header), header.size()), bytes(data), data.size());
}

}  // namespace

Result<std::unique_ptr<ArraySource>> open_npz(const std::filesystem::path& path) {
  HL_TRY(InputFile file, InputFile::open(path));
  auto members = read_zip_directory(file);
  if (!members) return fail_at(one_line(utf8(path)), members.error());
  auto source = std::make_unique<NpzFile>(path, std::move(file), std::move(*members));
  HL_CHECK(source->read_headers());
  return source;
}

Result<std::vector<NamedArray>> read_npz(const std::filesystem::path& path) {
  HL_TRY(const auto source, open_npz(path));
  return read_all(*source);
}

Status write_npz(const std::filesystem::path& path, const std::vector<ArrayToWrite>& arrays) {
  if (const auto status = check_arrays_to_write(arrays); !status) return fail_at(one_line(utf8(path)), status.error());
  HL_TRY(FileWriter writer, FileWriter::create(path));
  return write_npz(std::move(writer), arrays);
}

Status write_npz(FileWriter writer, const std::vector<ArrayToWrite>& arrays) {
  HL_CHECK(check_arrays_to_write(arrays));
  Directory directory{0, 0, arrays.size()};
  std::string entries;
  for (const ArrayToWrite& array : arrays) {
    const std::string header = npy_header(array.values.shape());
    const std::string_view data = bytes_of(array.values);
    ZipMember member;
    member.stored_name = array.name + ".npy";
    member.flags = utf8_flag;
    member.size = header.size() + data.size();
    member.crc = crc_of(header, data);
    member.header = directory.begin;
    const std::string local = local_header(member);
    for (const std::string_view bytes : {std::string_view(local), std::string_view(header), data})
      HL_CHECK(writer.append(bytes));
    directory.begin += local.size() + member.size;
    entries += directory_entry(member);
  }
  directory.size = entries.size();
  HL_CHECK(writer.append(entries));
  HL_CHECK(writer.append(end_of_directory(directory)));
  return writer.commit();
}

}  // namespace headlight
