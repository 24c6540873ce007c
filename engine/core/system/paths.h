// Paths and their texts, which are UTF-8 here and whatever the system wants there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace headlight {

// The path as a text. On POSIX these are its bytes as they are.
std::string utf8(const std::filesystem::path& path);
// "gpt2" of "models/gpt2/", "attn.npy" of "dumps/attn.npy".
std::string name_without_folders(const std::filesystem::path& path);
// ".png" of "cat.PNG".
std::string lower_extension(const std::filesystem::path& path);
// The path that such a text names.
std::filesystem::path path_of_utf8(std::string_view text);

// Where nothing can lie: what a path begins with that is none of a file.
inline constexpr std::string_view nowhere = "/dev/null/";

// The program that runs; empty where the system does not tell.
std::filesystem::path program_file();

}  // namespace headlight
