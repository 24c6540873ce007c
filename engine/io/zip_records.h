// What a zip file is made of, for its reader and its writer. Format: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
//
// Not for reading: zip.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headlight::zip {

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

}  // namespace headlight::zip
