// The picture that was given as an input, drawn on its grid: as it is, or greyed with numbers over it.
#pragma once

#include <map>
#include <string>

#include "app/panels/shown.h"
#include "engine/picture/overlay.h"

namespace headlight::app {

// The input behind the shown trace: of that frame, or of that batch item where frames are the batch.
struct InputPicture {
  const Image* cells = nullptr;  // on its grid, as the mechanism sees it; null where the input was no picture
  const Image* seen = nullptr;   // as people see it: finer where the file holds more
  PictureOf of;
  const FeaturePicture* features = nullptr;  // where it stands for an array

  explicit operator bool() const { return cells != nullptr; }
};
InputPicture base_picture(const Model& model, Index frame);
// The same, or where the input is an array of features on a grid, the mean of its channels in grey.
InputPicture base_or_features(const Model& model, PanelMemory& memory, Index frame);

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
// A ring round a pixel, in a role's colour with a halo, at least 9 design px wide so that it can be seen.
void mark_pixel(Ui& ui, Rect pixel, Color32 color);

}  // namespace headlight::app
