// Members of a zip archive: where they are, and their bytes in order.
//
// Not a general zip tool: members are stored or deflated, zip64 or not, in one file. Not for what they hold: npz.h and
// torch_file.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
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

}  // namespace headlight
