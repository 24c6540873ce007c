// Small pictures of the maps of recent files, in a folder of their own: made once a file was opened or saved and has
// run, shown where recent files are listed. One that is missing or damaged is left out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "app/model/model.h"
#include "engine/picture/image.h"

namespace headlight::app {

inline constexpr Index thumbnail_side = 96;         // pixels, shown at half of that and more
inline constexpr std::size_t most_thumbnails = 64;  // pictures that are kept in the folder

struct Thumbnails {
  using ByFile = std::map<std::filesystem::path, Image>;  // by the file that they are of
  ByFile light, dark;
};

// Makes (rows, columns) of what is shown large, no more of them than a thumbnail has pixels; −∞ where masked. It holds
// all that it reads, for another thread. Null where nothing is shown.
using MapToShrink = std::function<Tensor()>;
MapToShrink map_to_shrink(const Model& model);

// The picture that is kept for a file, on a light or a dark ground: its name is made of the file's whole path.
std::filesystem::path thumbnail_file(const std::filesystem::path& cache, const std::filesystem::path& of, bool dark);

// Off the window's thread. A folder that cannot be written has none. The oldest go when there are too many.
void write_thumbnails(const MapToShrink& shrink, const std::filesystem::path& cache, const std::filesystem::path& of);
Thumbnails thumbnails_of(const std::filesystem::path& cache, const std::vector<std::filesystem::path>& files);

}  // namespace headlight::app
