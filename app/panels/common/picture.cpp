#include "app/panels/common/picture.h"

#include <imgui.h>

#include <cmath>
#include <limits>

#include "app/reading/key_place.h"
#include "app/widgets/map_cells.h"
#include "engine/picture/resize.h"

namespace headlight::app {

InputPicture base_picture(const Model& model, Index frame, const Axis* positions) {
  if (!model.shown.problem) return {};
  const Pictures* under = pictures_of_positions(*model.shown.problem, positions);
  if (!under) return {};
  const Pictures& pictures = *under;
  const auto last = static_cast<Index>(pictures.cells.size()) - 1;
  const Step* opening = model.trace()->default_step();
  const bool in_time = opening && frames_of(*opening) > 1;
  const auto at = static_cast<std::size_t>(std::clamp<Index>(in_time ? frame : model.document.look.batch, 0, last));
  return {&pictures.cells[at],
          pictures.fine.empty() ? &pictures.cells[at] : &pictures.fine[at],
          {0, pictures.fingerprint, at},
          nullptr};
}

namespace {

// What stands for an array that lies on a grid: its numbers, as a grey that the colours above can be told from.
FeaturePicture grey_picture(const std::vector<double>& mean, Index rows, Index columns, Index channels) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : mean)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  FeaturePicture picture{{}, filled_image(columns, rows, {}), channels};
  if (low > high) return picture;
  for (Index r = 0; r < rows; ++r)
    for (Index k = 0; k < columns; ++k) {
      const double value = mean[static_cast<std::size_t>(r * columns + k)];
      const double part = !std::isfinite(value) || high <= low ? 0.5 : (value - low) / (high - low);
      const auto grey = static_cast<std::uint8_t>(std::lround(150 + 105 * part));
      picture.image.set(k, r, {grey, grey, grey, 255});
    }
  return picture;
}

// (…, C, …, H, W): the mean over C of one batch item and frame; empty where the array lies on no such grid.
std::optional<FeaturePicture> mean_of_channels(const Step& x, Focus focus) {
  const Axis* channels = x.axis(AxisRole::channel);
  const Slice first = slice_of(x, focus);
  if (!channels || !x.axis(AxisRole::row) || !first.is_picture()) return std::nullopt;
  const Index rows = first.matrix.rows, columns = first.matrix.columns;
  std::vector<double> mean(static_cast<std::size_t>(rows * columns));
  for (Index c = 0; c < channels->size; ++c) {
    focus.selection.channel = c;
    const MatrixView cells = slice_of(x, focus).matrix;
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < columns; ++k)
        mean[static_cast<std::size_t>(r * columns + k)] += cells.at(r, k) / static_cast<double>(channels->size);
  }
  return grey_picture(mean, rows, columns, channels->size);
}

// (B, n, d), where n lies on a grid: the mean over d of one batch item and frame.
std::optional<FeaturePicture> mean_of_rows(const Step& x, const Focus& focus) {
  if (x.info.axes.size() != 3 || !x.info.axes[1].grid) return std::nullopt;
  const Grid& grid = *x.info.axes[1].grid;
  const Tensor& tensor = x.tensor();
  const Index positions = tensor.dim(1), channels = tensor.dim(2), plane = grid.rows * grid.columns;
  if (positions != grid.frames * plane) return std::nullopt;  // of one query alone
  const Index item = std::clamp<Index>(focus.batch, 0, tensor.dim(0) - 1),
              frame = std::clamp<Index>(focus.frame, 0, grid.frames - 1);
  std::vector<double> mean(static_cast<std::size_t>(plane));
  for (Index i = 0; i < plane; ++i)
    for (Index c = 0; c < channels; ++c)
      mean[static_cast<std::size_t>(i)] +=
          tensor[(item * positions + frame * plane + i) * channels + c] / static_cast<double>(channels);
  return grey_picture(mean, grid.rows, grid.columns, channels);
}

// In so many pixels: cells stay crisp, what is finer is averaged.
Image resampled(const Image& picture, Index width, Index height) {
  return picture.width > width || picture.height > height ? resized(picture, width, height)
                                                          : enlarged(picture, width, height);
}

// The pixels of some of its cells.
Image cut_out(const Image& whole, const PicturePart& part, Index rows, Index columns) {
  const Index left = part.column * whole.width / columns, right = (part.column + part.columns) * whole.width / columns,
              top = part.row * whole.height / rows, bottom = (part.row + part.rows) * whole.height / rows;
  Image image = filled_image(right - left, bottom - top, {});
  for (Index y = top; y < bottom; ++y)
    std::copy_n(whole.rgba.data() + 4 * (y * whole.width + left), 4 * image.width,
                image.rgba.data() + 4 * (y - top) * image.width);
  return image;
}

// Composes only when something changed: compose(kept, width, height).
template <class Compose>
void draw_composed(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, ComposedKey of,
                   const Compose& compose) {
  const Rect r = rounded(box);
  if (r.w < 1 || r.h < 1) return;
  ComposedPicture& kept = memory.get<PictureMemory>().composed[key];
  of.width = static_cast<Index>(r.w);
  of.height = static_cast<Index>(r.h);
  if (kept.stamp == 0 || kept.of != of) {
    kept.image = compose(kept, of.width, of.height);
    kept.of = std::move(of);
    kept.stamp = ui.painter().stamp();
  }
  const auto texture = ui.painter().picture("picture/" + key, kept.stamp, static_cast<int>(kept.image.width),
                                            static_cast<int>(kept.image.height),
                                            reinterpret_cast<const std::uint32_t*>(kept.image.rgba.data()));
  if (texture) ui.list().AddImage((ImTextureID)(texture), {r.x, r.y}, {r.right(), r.bottom()});
}

}  // namespace

InputPicture picture_or_features(const Model& model, PanelMemory& memory, Index frame, const Axis* positions) {
  if (const InputPicture given = base_picture(model, frame, positions)) return given;
  if (!model.trace() || !model.shown.problem || model.shown.problem->specs.inputs.empty()) return {};
  const Step* x = model.trace()->find(input_of_positions(*model.shown.problem, positions));
  if (!x) return {};
  Focus focus;
  focus.batch = model.document.look.batch;
  focus.frame = frame;
  const auto item = static_cast<std::size_t>(std::max<Index>(0, frames_of(*x) > 1 ? frame : focus.batch));
  const PictureKey of{model.shown.ticket, static_cast<std::uint64_t>(focus.batch), item};
  FeaturePicture& kept = memory.get<PictureMemory>().feature_maps[item];
  if (kept.of != of) {
    auto made = mean_of_channels(*x, focus);
    if (!made) made = mean_of_rows(*x, focus);
    kept = made ? std::move(*made) : FeaturePicture{};
    kept.of = of;
  }
  if (kept.image.width == 0) return {};
  return {&kept.image, &kept.image, of, &kept};
}

void draw_picture(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const InputPicture& picture,
                  bool cells) {
  ComposedKey of;
  of.picture = picture.of;
  of.cells = cells;
  draw_composed(ui, memory, key, box, std::move(of), [&](ComposedPicture&, Index width, Index height) {
    return cells ? enlarged(*picture.cells, width, height) : resampled(*picture.seen, width, height);
  });
}

void draw_overlay(Ui& ui, PanelMemory& memory, const std::string& key, Rect box, const InputPicture& picture,
                  const OverNumbers& numbers) {
  const bool dark = ui.theme().dark;
  ComposedKey of{picture.of,       false, true, dark,        numbers.of, numbers.place, numbers.range,
                 numbers.colormap, 0,     0,    picture.part};
  const Index rows = picture.cells->height, columns = picture.cells->width;
  const PicturePart part = picture.part.value_or(PicturePart{0, 0, rows, columns});
  draw_composed(ui, memory, key, box, std::move(of), [&](ComposedPicture& kept, Index width, Index height) {
    const GroundKey ground_of{picture.of, dark, width, height, picture.part};
    if (kept.stamp == 0 || kept.ground_of != ground_of) {
      const Image seen = picture.part ? cut_out(*picture.seen, part, rows, columns) : *picture.seen;
      kept.ground = resampled(greyed(seen, dark), width, height);
      kept.ground_of = ground_of;
    }
    return overlaid(kept.ground, part.rows, part.columns, numbers.cells, numbers.place, numbers.range,
                    color_table(numbers.colormap));
  });
}

Rect fitted(Rect room, Index rows, Index columns) {
  const float scale = std::min(room.w / static_cast<float>(columns), room.h / static_cast<float>(rows));
  // Whole pixels a cell where cells are large enough to be counted, so that all are alike.
  const float cell = scale >= 8 ? std::floor(scale) : scale;
  return {std::round(room.x), std::round(room.y), std::max(1.0F, std::round(cell * static_cast<float>(columns))),
          std::max(1.0F, std::round(cell * static_cast<float>(rows)))};
}

Rect pixel_rect(Rect box, Index rows, Index columns, Index row, Index column) {
  const float w = box.w / static_cast<float>(columns), h = box.h / static_cast<float>(rows);
  return {box.x + w * static_cast<float>(column), box.y + h * static_cast<float>(row), w, h};
}

CellAt pixel_at(Rect box, Index rows, Index columns, Point at) {
  const auto place = [](float along, float length, Index count) {
    return std::clamp<Index>(static_cast<Index>(along / length * static_cast<float>(count)), 0, count - 1);
  };
  return {place(at.y - box.y, box.h, rows), place(at.x - box.x, box.w, columns)};
}

void mark_pixel(Ui& ui, Rect pixel, Color32 color) {
  const float least = ui.px(9);
  if (pixel.w < least) pixel = {pixel.middle().x - least / 2, pixel.y, least, pixel.h};
  if (pixel.h < least) pixel = {pixel.x, pixel.middle().y - least / 2, pixel.w, least};
  const Rect r = rounded(pixel).inset(-1);
  ui.frame(r.inset(-ui.px(1.5F)), ui.theme().canvas, 0, ui.px(2) + ui.px(3));
  ui.frame(r, color, 0, ui.px(2));
}

}  // namespace headlight::app
