// Whole files in and out. Every file that the project writes goes through here: to a temporary name in the same folder, then
// renamed, so that a full disk or a crash leaves what was there before.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace headlight {

// The bytes of a regular file of at most `most` bytes. Errors name the path and the reason.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most);

// Writes the bytes, replacing what was there only once all of them are written.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The same for contents that come in pieces: `fill` calls put(bytes) as often as it likes.
using Put = std::function<void(std::string_view bytes)>;
Status write_file_in_pieces(const std::filesystem::path& path, const std::function<void(const Put& put)>& fill);

}  // namespace headlight
