// What the dialogs show of the disk: the files of a folder that the window opens, and a look into one of them.
//
// Reads and decodes: not for the window's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/io/signal.h"
#include "engine/picture/image.h"
#include "engine/run/embed.h"

namespace headlight::app {

enum class FileKind { folder, experiment, text, picture, frames, signal, arrays, figure };
// From its name alone. Nothing for what the window does not open.
std::optional<FileKind> kind_of_name(const std::filesystem::path& path);
// "Experiments (.headlight, .json), pictures (.png, …), …": all that opens.
std::string_view kinds_that_open();

struct Listed {
  std::string name;
  FileKind kind = FileKind::folder;
  std::uint64_t bytes = 0;
  std::string time;   // "2026-03-14 15:09"; empty for folders
  std::string about;  // of an example: what it shows
};

// Files that open, without those whose names begin with a point: folders first, then by kind, each in natural order.
struct Listing {
  std::filesystem::path folder;
  std::vector<Listed> files;
  std::string error;  // why there are none
};
Listing list_folder(const std::filesystem::path& folder);
// The experiments that come with the program, each with what it shows.
Listing list_examples(const std::filesystem::path& folder);

// The text of a file as an input takes it: UTF-8, without the ends of lines at its end.
inline constexpr std::uint64_t largest_text = 1 << 20;  // bytes
Result<std::string> read_text(const std::filesystem::path& path);

// When a file was written, "2026-03-14 15:09" on the clock of where one is; empty where there is none.
std::string time_of(const std::filesystem::path& path);
// "1.4 MB"
std::string size_in_words(std::uint64_t bytes);

// An array by its name and shape.
using NamedShape = std::pair<std::string, Shape>;

// A look into a file.
struct Preview {
  std::filesystem::path path;
  std::vector<std::string> lines;  // "Multi-head attention", "“the cat sat on the mat”", "w_q  8×32×8"
  std::optional<Image> picture;    // within preview_side each way
  std::optional<SignalInfo> signal;
  std::vector<NamedShape> arrays;
};
inline constexpr Index preview_side = 220;  // px of the design
Preview preview_of(const std::filesystem::path& path);

// What would go into a file that is saved with its inputs, while the dialog asks where.
struct InputsToEmbed {
  std::vector<ToEmbed> files;
  std::string error;  // why they cannot go into it
};

}  // namespace headlight::app
