#include "engine/io/npz.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "engine/io/file.h"
#include "engine/io/npy.h"

namespace headlight {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::uint32_t in_zip64 = 0xFFFFFFFFU;  // "the true number stands in the zip64 extra field"
constexpr std::size_t end_size = 22;
constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
// Deflate turns 1 byte into at most 1032 (APPNOTE has no limit; this is zlib's own bound).
constexpr std::size_t most_expansion = 1032;

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

struct Member {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of the local header
};

// Replaces the numbers that say in_zip64 by those of the zip64 extra field, which has them in this order.
Status apply_zip64(std::string_view extra, Member& member) {
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const auto id = number_at<std::uint16_t>(extra, at);
    const std::size_t length = number_at<std::uint16_t>(extra, at + 2);
    if (at + 4 + length > extra.size()) break;
    if (id == 1) {
      std::size_t next = at + 4;
      for (std::uint64_t* field : {&member.size, &member.packed, &member.offset}) {
        if (*field != in_zip64) continue;
        if (next + 8 > at + 4 + length) return fail("{}: its zip64 sizes are cut off", member.name);
        *field = number_at<std::uint64_t>(extra, next);
        next += 8;
      }
      return {};
    }
    at += 4 + length;
  }
  return {};
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

Result<Directory> find_directory(std::string_view bytes) {
  if (bytes.size() < end_size) return fail("is too short to be a zip archive");
  const std::size_t lowest = bytes.size() - std::min<std::size_t>(bytes.size(), end_size + 0xFFFF);  // a comment may follow
  std::size_t end = bytes.size() - end_size;
  while (number_at<std::uint32_t>(bytes, end) != 0x06054b50U) {
    if (end == lowest) return fail("has no zip directory: it is cut off or not an archive");
    --end;
  }
  Directory directory{number_at<std::uint32_t>(bytes, end + 16), number_at<std::uint16_t>(bytes, end + 10)};
  if (directory.offset != in_zip64 && directory.count != 0xFFFFU) return directory;
  if (end < 20 || number_at<std::uint32_t>(bytes, end - 20) != 0x07064b50U) return fail("has no zip64 directory where one is due");
  const auto record = number_at<std::uint64_t>(bytes, end - 20 + 8);
  if (record > bytes.size() || bytes.size() - record < 56 || number_at<std::uint32_t>(bytes, record) != 0x06064b50U)
    return fail("has a damaged zip64 directory");
  return Directory{number_at<std::uint64_t>(bytes, record + 48), number_at<std::uint64_t>(bytes, record + 32)};
}

Result<Member> read_entry(std::string_view bytes, std::size_t& at) {
  if (at > bytes.size() || bytes.size() - at < central_size || number_at<std::uint32_t>(bytes, at) != 0x02014b50U)
    return fail("has a damaged zip directory");
  const std::size_t name_length = number_at<std::uint16_t>(bytes, at + 28);
  const std::size_t extra_length = number_at<std::uint16_t>(bytes, at + 30);
  const std::size_t comment_length = number_at<std::uint16_t>(bytes, at + 32);
  if (bytes.size() - at - central_size < name_length + extra_length + comment_length) return fail("has a damaged zip directory");
  Member member;
  member.name = std::string(bytes.substr(at + central_size, name_length));
  const auto flags = number_at<std::uint16_t>(bytes, at + 8);
  member.method = number_at<std::uint16_t>(bytes, at + 10);
  member.crc = number_at<std::uint32_t>(bytes, at + 16);
  member.packed = number_at<std::uint32_t>(bytes, at + 20);
  member.size = number_at<std::uint32_t>(bytes, at + 24);
  member.offset = number_at<std::uint32_t>(bytes, at + 42);
  HL_CHECK(apply_zip64(bytes.substr(at + central_size + name_length, extra_length), member));
  at += central_size + name_length + extra_length + comment_length;
  if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
  if (flags & 1U) return fail("{}: is encrypted", member.name);
  if (member.method != 0 && member.method != 8) return fail("{}: is packed by method {}: stored and deflated can be read", member.name, member.method);
  return member;
}

Result<std::string_view> packed_bytes(std::string_view bytes, const Member& member) {
  if (member.offset > bytes.size() || bytes.size() - member.offset < local_size ||
      number_at<std::uint32_t>(bytes, member.offset) != 0x04034b50U)
    return fail("{}: its place in the archive is damaged", member.name);
  const std::uint64_t start = member.offset + local_size + number_at<std::uint16_t>(bytes, member.offset + 26) +
                              number_at<std::uint16_t>(bytes, member.offset + 28);
  if (start > bytes.size() || member.packed > bytes.size() - start)
    return fail("{}: the file ends inside it ({} of {} bytes are there)", member.name,
                start > bytes.size() ? 0 : bytes.size() - start, member.packed);
  return bytes.substr(start, member.packed);
}

// Inflates exactly member.size bytes, and no more.
Result<std::string> inflate_member(std::string_view packed, const Member& member) {
  if (member.size / most_expansion > packed.size() + 1)
    return fail("{}: claims {} bytes, more than its {} packed bytes can hold", member.name, member.size, packed.size());
  std::string out(member.size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return fail("{}: cannot be inflated: zlib does not start", member.name);
  std::size_t taken = 0, given = 0;
  int status = Z_OK;
  constexpr std::size_t piece = 1U << 30;  // zlib counts in 32 bits
  while (status == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(std::min(piece, packed.size() - taken));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + given);
    stream.avail_out = static_cast<uInt>(std::min(piece, out.size() - given));
    const uInt in = stream.avail_in, room = stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    given += room - stream.avail_out;
    if (status == Z_OK && in == stream.avail_in && room == stream.avail_out) status = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || given != out.size()) return fail("{}: its packed data are damaged", member.name);
  return out;
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t crc = 0) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<NamedArray> read_member(std::string_view bytes, const Member& member) {
  HL_TRY(std::string_view data, packed_bytes(bytes, member));
  std::string inflated;
  if (member.method == 8) {
    HL_TRY(inflated, inflate_member(data, member));
    data = inflated;
  }
  if (crc_of(data) != member.crc) return fail("{}: its checksum does not match: the file is damaged", member.name);
  auto array = parse_npy(data);
  if (!array) return fail_at(member.name, array.error());
  array->name = member.name;
  return array;
}

}  // namespace

Result<std::vector<NamedArray>> parse_npz(std::string_view bytes) {
  HL_TRY(const Directory directory, find_directory(bytes));
  if (directory.count > bytes.size() / central_size) return fail("claims {} members, more than it can hold", directory.count);
  std::vector<NamedArray> arrays;
  std::set<std::string> names;
  std::size_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    HL_TRY(const Member member, read_entry(bytes, at));
    if (!names.insert(member.name).second) return fail("holds {} twice", member.name);
    HL_TRY(NamedArray array, read_member(bytes, member));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

namespace {

// Grows a record of little-endian numbers.
class Record {
 public:
  template <class T>
  Record& add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
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

struct Written {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

constexpr std::uint16_t needs_zip64 = 45;  // "version needed to extract" 4.5
constexpr std::uint32_t first_of_1980 = 0x00210000U;  // DOS date and time: the same arrays give the same bytes

std::string local_header(const Written& w) {
  return Record()
      .add(std::uint32_t{0x04034b50}).add(needs_zip64).add(std::uint16_t{0}).add(std::uint16_t{0}).add(first_of_1980).add(w.crc)
      .add(in_zip64).add(in_zip64).add(static_cast<std::uint16_t>(w.name.size())).add(std::uint16_t{20}).add(w.name)
      .add(std::uint16_t{1}).add(std::uint16_t{16}).add(w.size).add(w.size).bytes();
}

std::string central_header(const Written& w) {
  return Record()
      .add(std::uint32_t{0x02014b50}).add(std::uint16_t{0x0300 | needs_zip64}).add(needs_zip64).add(std::uint16_t{0})
      .add(std::uint16_t{0}).add(first_of_1980).add(w.crc).add(in_zip64).add(in_zip64)
      .add(static_cast<std::uint16_t>(w.name.size())).add(std::uint16_t{28}).add(std::uint16_t{0}).add(std::uint16_t{0})
      .add(std::uint16_t{0}).add(std::uint32_t{0600U << 16}).add(in_zip64).add(w.name).add(std::uint16_t{1})
      .add(std::uint16_t{24}).add(w.size).add(w.size).add(w.offset).bytes();
}

std::string directory_end(std::uint64_t count, std::uint64_t size, std::uint64_t offset) {
  const auto few = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xFFFF));
  return Record()
      .add(std::uint32_t{0x06064b50}).add(std::uint64_t{44}).add(needs_zip64).add(needs_zip64).add(std::uint32_t{0})
      .add(std::uint32_t{0}).add(count).add(count).add(size).add(offset)
      .add(std::uint32_t{0x07064b50}).add(std::uint32_t{0}).add(offset + size).add(std::uint32_t{1})
      .add(std::uint32_t{0x06054b50}).add(std::uint16_t{0}).add(std::uint16_t{0}).add(few).add(few)
      .add(in_zip64).add(in_zip64).add(std::uint16_t{0}).bytes();
}

}  // namespace

Status write_npz(const std::filesystem::path& path, const std::vector<std::pair<std::string, const Tensor*>>& arrays) {
  return write_file_in_pieces(path, [&](const Put& put) {
    std::vector<Written> members;
    std::uint64_t at = 0;
    const auto write = [&](std::string_view bytes) {
      put(bytes);
      at += bytes.size();
    };
    for (const auto& [name, tensor] : arrays) {
      const std::string header = npy_header(tensor->shape());
      const std::string_view data(reinterpret_cast<const char*>(tensor->data()), static_cast<std::size_t>(tensor->size()) * sizeof(float));
      Written member{name + ".npy", crc_of(data, crc_of(header)), header.size() + data.size(), at};
      write(local_header(member));
      write(header);
      write(data);
      members.push_back(std::move(member));
    }
    const std::uint64_t offset = at;
    for (const auto& member : members) write(central_header(member));
    write(directory_end(members.size(), at - offset, offset));
  });
}

}  // namespace headlight
