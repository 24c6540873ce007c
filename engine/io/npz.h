// NumPy's .npz files: a zip archive of .npy arrays, as numpy.savez and numpy.savez_compressed write it.
//
// Not a general zip tool: members are stored or deflated arrays, zip64 or not, in one file.
// Format: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/io/file.h"

namespace headlight {

// Reads the header of every array, in the order of the archive's directory, named after its member without ".npy".
//
// Checked: each member's place and name, and its CRC-32 once it is read. Refused: two members of one name, members that
// overlap, encryption, other compression, members that are not arrays. Sizes that the file only claims are never
// believed: a member cannot unpack to more than 1032 times its size (the most that deflate can do), and all packed
// members together to no more than 1 GiB + 64 times the file's size.
Result<std::unique_ptr<ArraySource>> open_npz(const std::filesystem::path& path);
// With their numbers.
Result<std::vector<NamedArray>> read_npz(const std::filesystem::path& path);

// Writes float32 arrays, stored, in the order given. The same arrays give the same bytes: there is no date in them.
// The memory of the tensors goes straight to the file.
Status write_npz(const std::filesystem::path& path, const std::vector<ArrayToWrite>& arrays);
// The same to what is open for writing, from its first byte on, and ends that.
Status write_npz(FileWriter writer, const std::vector<ArrayToWrite>& arrays);

}  // namespace headlight
