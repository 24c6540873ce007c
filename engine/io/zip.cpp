#include "engine/io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/io/array_source.h"

namespace headlight {

using namespace zip;

namespace {

constexpr std::uint64_t largest_directory = std::uint64_t{1} << 28;  // bytes: over a million members
constexpr std::uint64_t most_deflate_ratio = 1032;  // zlib's technical notes, "Maximum Compression Factor"
constexpr std::uint64_t unpacked_allowance = std::uint64_t{1} << 30;  // bytes: see npz.h
constexpr std::uint64_t unpacked_ratio = 64;

// A little-endian number of `width` bytes. The caller has made sure that it is there.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t width) {
  assert(offset + width <= bytes.size());
  return little_endian(bytes.substr(offset, width));
}

Result<std::string> read_bytes(const InputFile& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  HL_CHECK(file.read_at(offset, bytes));
  return bytes;
}

// Where the directory's end record points to in a zip64 archive (APPNOTE 4.3.14, 4.3.15).
Result<Directory> find_directory64(const InputFile& file, std::string_view locator, std::uint64_t locator_at) {
  const std::uint64_t at = number_at(locator, 8, 8);
  if (locator_at < end64_size || at > locator_at - end64_size) return fail("its zip64 directory is out of the file");
  HL_TRY(const std::string end, read_bytes(file, at, end64_size));
  if (!end.starts_with(end64_signature)) return fail("its zip64 directory is damaged");
  return Directory{number_at(end, 48, 8), number_at(end, 40, 8), number_at(end, 32, 8)};
}

// The directory is found from the file's end, which may carry a comment (APPNOTE 4.3.16).
Result<Directory> find_directory(const InputFile& file) {
  constexpr std::uint64_t longest_comment = 0xFFFF;
  const std::uint64_t tail_size = std::min<std::uint64_t>(file.size(), longest_comment + end_size + locator_size);
  HL_TRY(const std::string tail, read_bytes(file, file.size() - tail_size, static_cast<std::size_t>(tail_size)));
  std::size_t at = tail.rfind(end_signature);
  const auto is_end = [&] {
    return at + end_size <= tail.size() && at + end_size + number_at(tail, at + 20, 2) == tail.size();
  };
  while (at != std::string::npos && !is_end()) at = at == 0 ? std::string::npos : tail.rfind(end_signature, at - 1);
  if (at == std::string::npos) return fail("the zip's directory is missing; the file was cut short or is damaged");

  const std::uint64_t end_at = file.size() - tail_size + at;
  const std::string_view end = std::string_view(tail).substr(at);
  Directory directory{number_at(end, 16, 4), number_at(end, 12, 4), number_at(end, 10, 2)};
  std::uint64_t limit = end_at;
  if (at >= locator_size && std::string_view(tail).substr(at - locator_size).starts_with(locator_signature)) {
    limit = end_at - locator_size;
    HL_TRY(directory, find_directory64(file, std::string_view(tail).substr(at - locator_size), limit));
  } else if (number_at(end, 4, 2) != 0 || number_at(end, 8, 2) != directory.entries) {
    return fail("is one part of a zip in several parts; only whole ones are read");
  }
  if (directory.size > limit || directory.begin > limit - directory.size)
    return fail("the zip's directory is out of the file; the file was cut short or is damaged");
  if (directory.size > largest_directory)
    return fail("the zip's directory has {} bytes, too many to read", directory.size);
  return directory;
}

// Takes what does not fit in 4 bytes from the zip64 extra field (APPNOTE 4.5.3).
Status apply_zip64(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint64_t tag = number_at(extra, 0, 2);
    const std::size_t length = number_at(extra, 2, 2);
    if (length > extra.size() - 4) break;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (tag != zip64_tag) continue;
    for (std::uint64_t* value : {&member.size, &member.packed, &member.header}) {
      if (*value != in_zip64) continue;
      if (field.size() < 8) return fail("its zip64 sizes are missing");
      *value = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
    return {};
  }
  return {};  // no such field: the values are what they are
}

Status check_readable(const ZipMember& member) {
  HL_CHECK(check_array_name(member.stored_name));
  const std::string name = member.name_of_array();
  if ((member.flags & any_encryption) != 0) return fail("{}: is encrypted", name);
  if (member.method != stored && member.method != deflated)
    return fail("{}: is compressed by method {}; only stored and deflated members are read", name, member.method);
  if (member.method == stored && member.packed != member.size)
    return fail("{}: is stored, but has two sizes, {} and {} bytes", name, member.packed, member.size);
  return {};
}

// Takes one entry from the front of the directory's bytes (APPNOTE 4.3.12).
Result<ZipMember> take_entry(std::string_view& rest) {
  if (rest.size() < entry_size || !rest.starts_with(entry_signature)) return fail("the zip's directory is damaged");
  const std::size_t name_size = number_at(rest, 28, 2);
  const std::size_t extra_size = number_at(rest, 30, 2);
  const std::size_t size = entry_size + name_size + extra_size + number_at(rest, 32, 2);
  if (rest.size() < size) return fail("the zip's directory is damaged");
  ZipMember member;
  member.flags = number_at(rest, 8, 2);
  member.method = number_at(rest, 10, 2);
  member.crc = number_at(rest, 16, 4);
  member.packed = number_at(rest, 20, 4);
  member.size = number_at(rest, 24, 4);
  member.header = number_at(rest, 42, 4);
  member.stored_name = rest.substr(entry_size, name_size);
  const Status zip64 = apply_zip64(rest.substr(entry_size + name_size, extra_size), member);
  if (!zip64) return fail_at(one_line(member.stored_name), zip64.error());
  HL_CHECK(check_readable(member));
  rest.remove_prefix(size);
  return member;
}

// Finds where a member's bytes stand, which only its local header tells (APPNOTE 4.3.7).
Status locate(const InputFile& file, std::uint64_t limit, ZipMember& member) {
  if (limit < local_size || member.header > limit - local_size) return fail("its bytes are out of the file");
  HL_TRY(const std::string header, read_bytes(file, member.header, local_size));
  if (!header.starts_with(local_signature)) return fail("its header in the zip is damaged");
  const std::size_t name_size = number_at(header, 26, 2);
  member.begin = member.header + local_size + name_size + number_at(header, 28, 2);
  if (member.begin > limit || member.packed > limit - member.begin) return fail("its bytes are out of the file");
  HL_TRY(const std::string name, read_bytes(file, member.header + local_size, name_size));
  if (name != member.stored_name) return fail("has another name in its header, '{}'", one_line(name));
  if (number_at(header, 8, 2) != member.method) return fail("has another compression in its header");
  return {};
}

Status check_no_overlap(const std::vector<ZipMember>& members) {
  std::vector<const ZipMember*> by_place;
  for (const ZipMember& member : members) by_place.push_back(&member);
  std::sort(by_place.begin(), by_place.end(),
            [](const ZipMember* a, const ZipMember* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < by_place.size(); ++i)
    if (by_place[i - 1]->begin + by_place[i - 1]->packed > by_place[i]->header)
      return fail("{}: overlaps {}", by_place[i]->name_of_array(), by_place[i - 1]->name_of_array());
  return {};
}

Status check_unpacked_sizes(const std::vector<ZipMember>& members, std::uint64_t file_size) {
  std::uint64_t budget = unpacked_allowance + unpacked_ratio * file_size;
  for (const ZipMember& member : members) {
    if (member.method == stored) continue;
    if (member.size / most_deflate_ratio > member.packed)
      return fail("{}: claims to unpack {} bytes to {}, more than deflate can do", member.name_of_array(),
                  member.packed, member.size);
    if (member.size > budget)
      return fail("{}: would unpack to {} bytes, too many for a file of {} bytes", member.name_of_array(), member.size,
                  file_size);
    budget -= member.size;
  }
  return {};
}

// Unpacks the raw deflate data of another stream. Never gives more than the size it was told.
class InflateStream final : public ByteStream {
 public:
  InflateStream(ByteStream& packed, std::uint64_t size) : packed_(packed), left_(size), input_(input_bytes) {
    constexpr int raw_deflate = -15;  // a window of 2^15 bytes, and no zlib header
    ready_ = ::inflateInit2(&zlib_, raw_deflate) == Z_OK;
  }
  ~InflateStream() override {
    if (ready_) ::inflateEnd(&zlib_);
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  std::uint64_t most_left() const override { return left_; }

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
    std::size_t done = 0;
    while (done < wanted && !ended_) {
      HL_TRY(const std::size_t got, unpack(into.subspan(done, wanted - done)));
      done += got;
    }
    left_ -= done;
    return done;
  }

  // After the last byte: the packed data must end there too.
  Status finish() {
    char beyond = 0;
    while (!ended_) {
      HL_TRY(const std::size_t got, unpack({&beyond, 1}));
      if (got > 0) return fail("unpacks to more bytes than it claims");
    }
    if (zlib_.avail_in > 0 || packed_.most_left() > 0) return fail("has bytes left after its compressed data");
    return {};
  }

 private:
  static constexpr std::size_t input_bytes = std::size_t{1} << 16;
  static constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

  // One step of inflate; it may give nothing and still have gone on.
  Result<std::size_t> unpack(std::span<char> into) {
    if (!ready_) return fail("there is not enough memory to unpack it");
    if (zlib_.avail_in == 0) {
      HL_TRY(const std::size_t got, packed_.read(input_));
      zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
      zlib_.avail_in = static_cast<uInt>(got);
    }
    const auto room = static_cast<uInt>(std::min(into.size(), most_at_once));
    zlib_.next_out = reinterpret_cast<Bytef*>(into.data());
    zlib_.avail_out = room;
    const int code = ::inflate(&zlib_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) return fail("there is not enough memory to unpack it");
    if (code == Z_BUF_ERROR) return fail("its compressed data ends too early");
    if (code != Z_OK && code != Z_STREAM_END) return fail("its compressed data is damaged");
    ended_ = code == Z_STREAM_END;
    return room - zlib_.avail_out;
  }

  ByteStream& packed_;
  std::uint64_t left_;
  std::vector<char> input_;
  z_stream zlib_{};
  bool ready_ = false;
  bool ended_ = false;
};

// Passes bytes on and keeps their CRC-32.
class CrcStream final : public ByteStream {
 public:
  explicit CrcStream(ByteStream& from) : from_(from) {}
  std::uint64_t most_left() const override { return from_.most_left(); }
  Result<std::size_t> read(std::span<char> into) override {
    // In pieces, so that the sum is taken while they are still in the cache.
    constexpr std::size_t piece = std::size_t{1} << 18;
    std::size_t done = 0;
    while (done < into.size()) {
      const auto now = into.subspan(done, std::min(piece, into.size() - done));
      HL_TRY(const std::size_t got, from_.read(now));
      crc_ = ::crc32_z(crc_, reinterpret_cast<const Bytef*>(now.data()), got);
      done += got;
      if (got < now.size()) break;
    }
    return done;
  }
  std::uint64_t crc() const { return crc_; }

 private:
  ByteStream& from_;
  uLong crc_ = 0;
};

}  // namespace

std::string ZipMember::name_of_array() const {
  std::string_view name = stored_name;
  if (name.ends_with(".npy")) name.remove_suffix(4);
  return std::string(name);
}

Result<std::vector<ZipMember>> read_zip_directory(const InputFile& file) {
  HL_TRY(const Directory directory, find_directory(file));
  HL_TRY(const std::string bytes, read_bytes(file, directory.begin, static_cast<std::size_t>(directory.size)));
  std::vector<ZipMember> members;
  std::unordered_set<std::string> names;
  for (std::string_view rest = bytes; !rest.empty();) {
    HL_TRY(ZipMember member, take_entry(rest));
    const std::string name = member.name_of_array();
    if (!names.insert(name).second) return fail("{}: two arrays have this name", name);
    if (const auto status = locate(file, directory.begin, member); !status) return fail_at(name, status.error());
    members.push_back(std::move(member));
  }
  if (members.size() != directory.entries)
    return fail("the zip's directory has {} entries instead of {}", members.size(), directory.entries);
  HL_CHECK(check_no_overlap(members));
  HL_CHECK(check_unpacked_sizes(members, file.size()));
  return members;
}

Status read_start_of_zip_member(const InputFile& file, const ZipMember& member,
                                const std::function<Status(ByteStream&)>& read) {
  FileStream packed(file, member.begin, member.begin + member.packed);
  if (member.method != deflated) return read(packed);
  InflateStream bytes(packed, member.size);
  return read(bytes);
}

Status read_zip_member(const InputFile& file, const ZipMember& member, const std::function<Status(ByteStream&)>& read) {
  FileStream packed(file, member.begin, member.begin + member.packed);
  std::optional<InflateStream> inflated;
  if (member.method == deflated) inflated.emplace(packed, member.size);
  CrcStream bytes(inflated ? static_cast<ByteStream&>(*inflated) : packed);
  HL_CHECK(read(bytes));
  if (inflated) HL_CHECK(inflated->finish());
  if (bytes.crc() != member.crc) return fail("its CRC-32 is wrong; the file is damaged");
  return {};
}

}  // namespace headlight
