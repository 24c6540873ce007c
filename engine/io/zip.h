// Members of a zip archive: where they are, and their bytes in order.
//
// Not a general zip tool: members are stored or deflated, zip64 or not, in one file. Not for what they hold: npz.h and
// torch_file.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/file.h"

namespace headlight {

struct ZipMember {
  std::string stored_name;  // as in the archive
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed = 0;  // bytes in the file
  std::uint64_t size = 0;    // bytes unpacked, as the archive claims
  std::uint64_t header = 0;  // where its local header stands
  std::uint64_t begin = 0;   // where its bytes stand

  bool is_stored() const { return method == 0; }
  std::string name_of_array() const;  // without ".npy"
};

// Every member, in the order of the archive's directory. Checked: each one's place and name. Refused: two members of
// one name, members that overlap, encryption, other compression. Sizes that the file only claims are never believed: a
// member cannot unpack to more than 1032 times its size (the most that deflate can do), and all packed members together
// to no more than 1 GiB + 64 times the file's size. Errors do not name the file.
Result<std::vector<ZipMember>> read_zip_directory(const InputFile& file);

// Hands over the member's bytes from its first one on, as many as are asked for; their CRC-32 is not checked.
Status read_start_of_zip_member(const InputFile& file, const ZipMember& member,
                                const std::function<Status(ByteStream&)>& read);

// Hands over the member's bytes, which must be read to their end, and then checks their CRC-32.
Status read_zip_member(const InputFile& file, const ZipMember& member, const std::function<Status(ByteStream&)>& read);

// What a zip file is made of. Format: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
namespace zip {

// Records of a zip file and their sizes in bytes, without what varies (APPNOTE 4.3.7, 4.3.12, 4.3.14 to 4.3.16).
inline constexpr std::string_view local_signature = "PK\x03\x04";
inline constexpr std::string_view entry_signature = "PK\x01\x02";
inline constexpr std::string_view end64_signature = "PK\x06\x06";
inline constexpr std::string_view locator_signature = "PK\x06\x07";
inline constexpr std::string_view end_signature = "PK\x05\x06";
inline constexpr std::size_t local_size = 30;
inline constexpr std::size_t entry_size = 46;
inline constexpr std::size_t end64_size = 56;
inline constexpr std::size_t locator_size = 20;
inline constexpr std::size_t end_size = 22;

inline constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;    // a 4-byte field whose value stands in the zip64 extra field
inline constexpr std::uint64_t in_zip64_short = 0xFFFF;  // a 2-byte one
inline constexpr std::uint64_t zip64_tag = 1;            // of the extra field
inline constexpr std::uint64_t encrypted_flag = 1;       // bit 0; bit 6 is its strong form, bit 13 hides the directory
inline constexpr std::uint64_t any_encryption = encrypted_flag | 1U << 6 | 1U << 13;
inline constexpr std::uint64_t utf8_flag = 1U << 11;
inline constexpr std::uint64_t stored = 0;
inline constexpr std::uint64_t deflated = 8;
inline constexpr std::uint64_t version_plain = 20;  // APPNOTE 4.4.3: "2.0", what deflate needs
inline constexpr std::uint64_t version_zip64 = 45;
inline constexpr std::uint64_t first_date = 1U << 5 | 1;  // 1980-01-01, the earliest that a zip can say

// Where the list of all members stands.
struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

}  // namespace zip

}  // namespace headlight
