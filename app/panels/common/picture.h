// The picture that was given as an input, drawn on its grid: as it is, or greyed with numbers over it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/panels/common/shown.h"
#include "engine/picture/image.h"
#include "engine/picture/overlay.h"

namespace headlight::app {

// Which picture: its pixels, and which of several.
struct PictureKey {
  std::uint64_t run = 0;          // of a feature map: the result that it is the input of
  std::uint64_t fingerprint = 0;  // of all pixels that were given
  std::size_t item = 0;           // batch item or frame
  bool operator==(const PictureKey&) const = default;
};

// The cells of a picture that are shown alone.
struct PicturePart {
  Index row = 0, column = 0, rows = 0, columns = 0;
  bool operator==(const PicturePart&) const = default;
};

// All that a picture in grey, which numbers are laid over, depends on.
struct GroundKey {
  PictureKey picture;
  bool dark = false;
  Index width = 0, height = 0;
  std::optional<PicturePart> part = {};
  bool operator==(const GroundKey&) const = default;
};

// All that a picture depends on as it is drawn.
struct ComposedKey {
  PictureKey picture;
  bool cells = false;  // its cells, not what people see
  bool over = false;   // in grey with numbers over it; what follows is theirs
  bool dark = false;
  NumbersOf numbers;
  OverlayPlace place;
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  Index width = 0, height = 0;
  std::optional<PicturePart> part = {};
  bool operator==(const ComposedKey&) const = default;
};

// A picture as it was drawn, kept until something of it changes; and what numbers are laid over, which changes less.
struct ComposedPicture {
  ComposedKey of;
  Image image;
  std::uint64_t stamp = 0;
  GroundKey ground_of;
  Image ground;
};

// A feature map that was given as an array, its channels' mean in grey.
struct FeaturePicture {
  PictureKey of;
  Image image;
  Index channels = 0;
};

struct PictureMemory {
  std::map<std::string, ComposedPicture> composed;     // by key
  std::map<std::size_t, FeaturePicture> feature_maps;  // by batch item or frame
};

// The input behind the shown trace: of that frame, or of that batch item where frames are the batch.
struct InputPicture {
  const Image* cells = nullptr;  // on its grid, as the mechanism sees it; null where the input was no picture
  const Image* seen = nullptr;   // as people see it: finer where the file holds more
  PictureKey of;
  const FeaturePicture* features = nullptr;  // where it stands for an array
  std::optional<PicturePart> part = {};      // that is laid under numbers; all where there is none

  explicit operator bool() const { return cells != nullptr; }
};
InputPicture base_picture(const Model& model, Index frame, const Axis* positions = nullptr);
// The same of the input that positions are of, or where the input is an array of features on a grid, the mean of its
// channels in grey.
InputPicture picture_or_features(const Model& model, PanelMemory& memory, Index frame, const Axis* positions = nullptr);

// Numbers to draw over a picture.
struct OverNumbers {
  MatrixView cells;
  OverlayPlace place;
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  NumbersOf of;
};

// Draws the picture into the box, which should have its aspect: as people see it, or its cells.
void draw_picture(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const InputPicture& picture,
                  bool cells = false);
// The same in grey, with the numbers over it.
void draw_overlay(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const InputPicture& picture,
                  const OverNumbers& numbers);

// The largest box of the picture's aspect inside, at its top left.
Rect fitted(Rect room, Index rows, Index columns);
// A pixel's place in such a box.
Rect pixel_rect(Rect box, Index rows, Index columns, Index row, Index column);
// The pixel under the point, or next to it.
CellAt pixel_at(Rect box, Index rows, Index columns, Point at);
// A ring round a pixel, in a role's colour with a halo, at least 9 design px wide so that it can be seen.
void mark_pixel(Ui& ui, Rect pixel, Color32 color);

}  // namespace headlight::app
