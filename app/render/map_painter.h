// Turns a matrix into a picture that a draw list can show. The window's painter is OpenGL's
// (app/render/gl_map_painter.h); without a window there is one that paints nothing, so that widgets run all the same.
#pragma once

#include <cstdint>
#include <string>

#include "engine/picture/colormap.h"
#include "engine/picture/rasterizer.h"

namespace headlight::app {

// One map to show.
struct MapData {
  std::string key;             // names it across frames
  std::uint64_t revision = 0;  // changes when the numbers do
  MatrixView cells;
  ValueRange range;
  Colormap colormap = Colormap::dusk;
};

struct MapLook {
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  HeatmapStyle style;
};

class MapPainter {
 public:
  virtual ~MapPainter() = default;
  // A texture of width × height pixels (row 0 on top), or 0. The key names the map across frames; the revision changes
  // when its numbers do. Painted again only when something changed.
  virtual std::uintptr_t paint(const std::string& key, std::uint64_t revision, const MatrixView& cells, int width,
                               int height, const MapLook& look) = 0;
  // A texture of RGBA pixels made elsewhere (formulas).
  virtual std::uintptr_t picture(const std::string& key, std::uint64_t revision, int width, int height,
                                 const std::uint32_t* rgba) = 0;
};

class NullPainter final : public MapPainter {
 public:
  std::uintptr_t paint(const std::string&, std::uint64_t, const MatrixView&, int, int, const MapLook&) override {
    return 0;
  }
  std::uintptr_t picture(const std::string&, std::uint64_t, int, int, const std::uint32_t*) override { return 0; }
};

}  // namespace headlight::app
