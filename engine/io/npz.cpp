#include "engine/io/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/core/memory.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"

namespace headlight {

namespace {

// Records of a zip file and their sizes in bytes, without what varies (APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16).
constexpr std::string_view local_signature = "PK\x03\x04";
constexpr std::string_view entry_signature = "PK\x01\x02";
constexpr std::string_view end64_signature = "PK\x06\x06";
constexpr std::string_view locator_signature = "PK\x06\x07";
constexpr std::string_view end_signature = "PK\x05\x06";
constexpr std::size_t local_size = 30;
constexpr std::size_t entry_size = 46;
constexpr std::size_t end64_size = 56;
constexpr std::size_t locator_size = 20;
constexpr std::size_t end_size = 22;

constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;    // a 4-byte field whose value stands in the zip64 extra field
constexpr std::uint64_t in_zip64_short = 0xFFFF;  // a 2-byte one
constexpr std::uint64_t zip64_tag = 1;            // of the extra field
constexpr std::uint64_t encrypted_flag = 1;       // bit 0; bit 6 is its strong form, bit 13 hides the directory
constexpr std::uint64_t any_encryption = encrypted_flag | 1U << 6 | 1U << 13;
constexpr std::uint64_t utf8_flag = 1U << 11;
constexpr std::uint64_t stored = 0;
constexpr std::uint64_t deflated = 8;
constexpr std::uint64_t version_plain = 20;  // APPNOTE 4.4.3: "2.0", what deflate needs
constexpr std::uint64_t version_zip64 = 45;
constexpr std::uint64_t first_date = 1U << 5 | 1;  // 1980-01-01, the earliest that a zip can say

constexpr std::uint64_t largest_directory = std::uint64_t{1} << 28;  // bytes: over a million members
constexpr std::uint64_t most_deflate_ratio = 1032;  // zlib's technical notes, "Maximum Compression Factor"
constexpr std::uint64_t unpacked_allowance = std::uint64_t{1} << 30;  // bytes: see npz.h
constexpr std::uint64_t unpacked_ratio = 64;

struct Member {
  std::string stored_name;  // as in the archive
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed = 0;  // bytes in the file
  std::uint64_t size = 0;    // bytes unpacked, as the archive claims
  std::uint64_t header = 0;  // where its local header stands
  std::uint64_t begin = 0;   // where its bytes stand
};

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

// A little-endian number of `width` bytes. The caller has made sure that it is there.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t width) {
  assert(offset + width <= bytes.size());
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

Result<std::string> read_bytes(const InputFile& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  HL_CHECK(file.read_at(offset, bytes));
  return bytes;
}

std::string name_of_array(const Member& member) {
  std::string_view name = member.stored_name;
  if (name.ends_with(".npy")) name.remove_suffix(4);
  return std::string(name);
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
Status apply_zip64(std::string_view extra, Member& member) {
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

Status check_readable(const Member& member) {
  HL_CHECK(check_array_name(member.stored_name));
  const std::string name = name_of_array(member);
  if ((member.flags & any_encryption) != 0) return fail("{}: is encrypted", name);
  if (member.method != stored && member.method != deflated)
    return fail("{}: is compressed by method {}; only stored and deflated members are read", name, member.method);
  if (member.method == stored && member.packed != member.size)
    return fail("{}: is stored, but has two sizes, {} and {} bytes", name, member.packed, member.size);
  return {};
}

// Takes one entry from the front of the directory's bytes (APPNOTE 4.3.12).
Result<Member> take_entry(std::string_view& rest) {
  if (rest.size() < entry_size || !rest.starts_with(entry_signature)) return fail("the zip's directory is damaged");
  const std::size_t name_size = number_at(rest, 28, 2);
  const std::size_t extra_size = number_at(rest, 30, 2);
  const std::size_t size = entry_size + name_size + extra_size + number_at(rest, 32, 2);
  if (rest.size() < size) return fail("the zip's directory is damaged");
  Member member;
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
Status locate(const InputFile& file, std::uint64_t limit, Member& member) {
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

Status check_no_overlap(const std::vector<Member>& members) {
  std::vector<const Member*> by_place;
  for (const Member& member : members) by_place.push_back(&member);
  std::sort(by_place.begin(), by_place.end(), [](const Member* a, const Member* b) { return a->header < b->header; });
  for (std::size_t i = 1; i < by_place.size(); ++i)
    if (by_place[i - 1]->begin + by_place[i - 1]->packed > by_place[i]->header)
      return fail("{}: overlaps {}", name_of_array(*by_place[i]), name_of_array(*by_place[i - 1]));
  return {};
}

Status check_unpacked_sizes(const std::vector<Member>& members, std::uint64_t file_size) {
  std::uint64_t budget = unpacked_allowance + unpacked_ratio * file_size;
  for (const Member& member : members) {
    if (member.method == stored) continue;
    if (member.size / most_deflate_ratio > member.packed)
      return fail("{}: claims to unpack {} bytes to {}, more than deflate can do", name_of_array(member), member.packed,
                  member.size);
    if (member.size > budget)
      return fail("{}: would unpack to {} bytes, too many for a file of {} bytes", name_of_array(member), member.size,
                  file_size);
    budget -= member.size;
  }
  return {};
}

Result<std::vector<Member>> read_directory(const InputFile& file) {
  HL_TRY(const Directory directory, find_directory(file));
  HL_TRY(const std::string bytes, read_bytes(file, directory.begin, static_cast<std::size_t>(directory.size)));
  std::vector<Member> members;
  std::unordered_set<std::string> names;
  for (std::string_view rest = bytes; !rest.empty();) {
    HL_TRY(Member member, take_entry(rest));
    const std::string name = name_of_array(member);
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

Result<NamedArray> read_member(const InputFile& file, const Member& member) {
  FileStream packed(file, member.begin, member.begin + member.packed);
  std::optional<InflateStream> inflated;
  if (member.method == deflated) inflated.emplace(packed, member.size);
  CrcStream bytes(inflated ? static_cast<ByteStream&>(*inflated) : packed);
  HL_TRY(NamedArray array, read_npy(bytes, name_of_array(member)));
  if (inflated) HL_CHECK(inflated->finish());
  if (bytes.crc() != member.crc) return fail("its CRC-32 is wrong; the file is damaged");
  return array;
}

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
void add_common(Record& record, const Member& member, std::uint64_t version) {
  const std::uint64_t size = std::min(member.size, in_zip64);
  record.add(version, 2).add(member.flags, 2).add(stored, 2).add(0, 2).add(first_date, 2);
  record.add(member.crc, 4).add(size, 4).add(size, 4).add(member.stored_name.size(), 2);
}

std::string local_header(const Member& member) {
  const bool zip64 = needs_zip64(member.size);
  Record record(local_signature);
  add_common(record, member, zip64 ? version_zip64 : version_plain);
  record.add(zip64 ? 20 : 0, 2).add(member.stored_name);
  if (zip64) record.add(zip64_tag, 2).add(16, 2).add(member.size, 8).add(member.size, 8);
  return record.bytes();
}

std::string directory_entry(const Member& member) {
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

Result<std::vector<NamedArray>> read_npz(const std::filesystem::path& path) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const std::string where = one_line(path.native());
  const auto members = read_directory(file);
  if (!members) return fail_at(where, members.error());
  double bytes = 0;  // as they are stored: halved below, since of doubles only half are kept
  for (const Member& member : *members) bytes += static_cast<double>(member.size);
  if (const auto status = check_memory(bytes / 2); !status) return fail_at(where, status.error());
  std::vector<NamedArray> arrays;
  arrays.reserve(members->size());
  for (const Member& member : *members) {
    auto array = read_member(file, member);
    if (!array) return fail_at(where + ": " + name_of_array(member), array.error());
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Status write_npz(const std::filesystem::path& path, const std::vector<ArrayToWrite>& arrays) {
  if (const auto status = check_arrays_to_write(arrays); !status)
    return fail_at(one_line(path.native()), status.error());
  HL_TRY(FileWriter writer, FileWriter::create(path));
  Directory directory{0, 0, arrays.size()};
  std::string entries;
  for (const ArrayToWrite& array : arrays) {
    const std::string header = npy_header(array.values.shape());
    const std::string_view data = bytes_of(array.values);
    Member member;
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
