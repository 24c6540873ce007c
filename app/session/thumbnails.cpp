#include "app/session/thumbnails.h"

#include <algorithm>

#include "app/model/network_run.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/picture/pooling.h"
#include "engine/picture/rasterizer.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

Tensor downsampled(const MatrixView& cells) {
  const auto block = [](Index count) { return std::max<Index>(1, (count + thumbnail_side - 1) / thumbnail_side); };
  return pooled(cells, {block(cells.rows), block(cells.columns)}, Pooling::magnitude);
}

Image picture_of(const Tensor& map, bool dark) {
  const MatrixView cells = matrix_at(map, {});
  const Extent extent = extent_of(cells);
  const bool is_signed = extent.least < 0;
  ValueRange range = value_range(Kind::activation, extent);  // out to its own greatest number
  if (!is_signed) range.low = 0;
  const Index most = std::max(cells.rows, cells.columns);
  const auto side = [&](Index count) { return std::max<Index>(1, count * thumbnail_side / most); };
  HeatmapStyle style = dark ? dark_heatmap_style(1) : light_heatmap_style(1);
  style.gap = 0;
  Image image = filled_image(side(cells.columns), side(cells.rows), style.canvas);
  draw_heatmap(image, {0, 0, image.width, image.height}, cells, range, color_table(default_colormap(is_signed, dark)),
               style);
  return image;
}

void remove_oldest(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".png") files.emplace_back(fs::last_write_time(at->path(), error), at->path());
  if (files.size() <= most_thumbnails) return;
  std::ranges::sort(files);
  files.resize(files.size() - most_thumbnails);
  for (const auto& file : files) fs::remove(file.second, error);
}

}  // namespace

MapToShrink map_to_shrink(const Model& model) {
  if (model.shows_network()) {
    const auto run = model.net.run;
    if (!run) return {};
    const NetworkLook look = model.document.network->look;
    const PartRun& part = run->of(look.part);
    const auto layer = static_cast<std::size_t>(look.layer);
    return [map = part.maps[layer] ? part.maps[layer] : part.small[layer], item = part.item, head = look.head] {
      return downsampled(matrix_at(*map, {item, head}));
    };
  }
  const Step* step = model.step();
  if (!step || !step->values) return {};
  return [trace = model.shown.trace, step, focus = focus_of(model.document.look)] {
    std::shared_ptr<const Tensor> owner;
    return downsampled(cells_of(*trace, *step, focus, owner));
  };
}

fs::path thumbnail_file(const fs::path& cache, const fs::path& of, bool dark) {
  std::error_code ignored;
  const std::string whole = utf8(fs::absolute(of, ignored).lexically_normal());
  return cache / "thumbnails" / fmt::format("{:016x}{}.png", std::hash<std::string>()(whole), dark ? "-dark" : "");
}

void write_thumbnails(const MapToShrink& shrink, const fs::path& cache, const fs::path& of) {
  const Tensor map = shrink();
  if (map.size() == 0) return;
  for (const bool dark : {false, true}) {
    const fs::path file = thumbnail_file(cache, of, dark);
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    if (const auto png = encode_png(picture_of(map, dark))) static_cast<void>(write_file(file, *png, Readers::user));
    remove_oldest(file.parent_path());
  }
}

Thumbnails thumbnails_of(const fs::path& cache, const std::vector<fs::path>& files) {
  constexpr std::uint64_t largest = 1 << 20;  // bytes: far more than is ever written
  Thumbnails thumbnails;
  for (const fs::path& file : files)
    for (const bool dark : {false, true}) {
      const auto bytes = read_file(thumbnail_file(cache, file, dark), largest);
      const auto picture = bytes ? decode_png(*bytes) : tl::unexpected<Error>(bytes.error());
      if (picture && picture->width <= thumbnail_side && picture->height <= thumbnail_side)
        (dark ? thumbnails.dark : thumbnails.light).insert_or_assign(file, *picture);
    }
  return thumbnails;
}

}  // namespace headlight::app
