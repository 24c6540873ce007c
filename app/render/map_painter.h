// Turns a matrix into a picture that a draw list can show. The window's painter is OpenGL's
// (app/render/gl_map_painter.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/picture/colormap.h"
#include "engine/picture/rasterizer.h"

namespace headlight::app {

// Which numbers a map is of: all that they depend on. Two maps of equal ones have equal numbers.
struct NumbersOf {
  std::uint64_t run = 0;  // ticket of the result; 0 where they are of none
  std::string what;       // id of the step, or what was made of it
  Index offset = 0;       // of the first cell in the step's tensor
  Index rows = 0, columns = 0, row_stride = 0, column_stride = 0;
  bool operator==(const NumbersOf&) const = default;
};

// One map to show.
struct MapData {
  std::string key;  // names it across frames
  NumbersOf numbers;
  MatrixView cells;
  std::shared_ptr<const Tensor> owner;  // keeps the cells, for what shows them longer than a frame
  ValueRange range;
  Colormap colormap = Colormap::dusk;
};

struct MapLook {
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  HeatmapStyle style;
  bool operator==(const MapLook&) const = default;
};

class MapPainter {
 public:
  virtual ~MapPainter() = default;
  // A texture of width × height pixels (row 0 on top), or 0. The key names the map across frames. Painted again only
  // when its numbers, its size or its look are others.
  virtual std::uintptr_t paint(const std::string& key, const NumbersOf& numbers, const MatrixView& cells, int width,
                               int height, const MapLook& look) = 0;
  // A texture of RGBA pixels made elsewhere (formulas, pictures). Whoever makes them gives each making a stamp of its
  // own: stamp().
  virtual std::uintptr_t picture(const std::string& key, std::uint64_t stamp, int width, int height,
                                 const std::uint32_t* rgba) = 0;
  // A number that was never given before.
  std::uint64_t stamp() { return ++stamps_; }

 private:
  std::uint64_t stamps_ = 0;
};

}  // namespace headlight::app
