
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "engine/io/images/image_file.h"

namespace headlight {

namespace {

struct Source {
  std::string_view left;
};

int read_bytes(GifFileType* gif, GifByteType* into, int size) {
  auto& source = *static_cast<Source*>(gif->UserData);
  const auto count = std::min(source.left.size(), static_cast<std::size_t>(std::max(size, 0)));
  std::memcpy(into, source.left.data(), count);
  source.left.remove_prefix(count);
  return static_cast<int>(count);
}

struct Close {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using Gif = std::unique_ptr<GifFileType, Close>;

// What the graphic control extension before a frame says of it.
struct Control {
  int disposal = DISPOSAL_UNSPECIFIED;
  int transparent = NO_TRANSPARENT_COLOR;
};

class Animation {
 public:
  Animation(Gif gif, Index most_frames)
      : gif_(std::move(gif)),
        canvas_(filled_image(gif_->SWidth, gif_->SHeight, {0, 0, 0, 0})),
        most_frames_(most_frames) {}

  Result<std::vector<Image>> read() {
    while (static_cast<Index>(frames_.size()) < most_frames_) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(gif_.get(), &type) == GIF_ERROR) return damaged();
      if (type == TERMINATE_RECORD_TYPE) break;
      if (type == EXTENSION_RECORD_TYPE) HL_CHECK(read_extension());
      if (type == IMAGE_DESC_RECORD_TYPE) HL_CHECK(read_frame());
    }
    if (frames_.empty()) return fail("a GIF without a picture in it");
    return std::move(frames_);
  }

 private:
  tl::unexpected<Error> damaged() const {
    const bool ends = gif_->Error == D_GIF_ERR_READ_FAILED || gif_->Error == D_GIF_ERR_EOF_TOO_SOON;
    const char* known = GifErrorString(gif_->Error);
    const char* what = known ? known : "it is broken after";
    return fail("a damaged GIF: {} {} whole {}", ends ? "it is cut off after" : what, frames_.size(),
                frames_.size() == 1 ? "frame" : "frames");
  }

  Status read_extension() {
    int code = 0;
    GifByteType* block = nullptr;  // its first byte is its length
    if (DGifGetExtension(gif_.get(), &code, &block) == GIF_ERROR) return damaged();
    while (block) {
      GraphicsControlBlock graphics{};
      if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &graphics) == GIF_OK)
        control_ = {graphics.DisposalMode, graphics.TransparentColor};
      if (DGifGetExtensionNext(gif_.get(), &block) == GIF_ERROR) return damaged();
    }
    return {};
  }

  Status read_frame() {
    if (DGifGetImageDesc(gif_.get()) == GIF_ERROR) return damaged();
    const GifImageDesc& place = gif_->Image;
    HL_CHECK(check_picture_size("GIF frame", place.Width, place.Height));
    pixels_ += std::max<Index>(Index{place.Width} * place.Height, canvas_.width * canvas_.height);
    if (pixels_ > max_picture_pixels)
      return fail(
          "a GIF whose first {} frames of {}×{} have more pixels than the {} million that are read: make it "
          "shorter or smaller",
          frames_.size() + 1, canvas_.width, canvas_.height, max_picture_pixels / 1000000);
    const ColorMapObject* colors = place.ColorMap ? place.ColorMap : gif_->SColorMap;
    if (!colors) return fail("a damaged GIF: frame {} has no palette", frames_.size());
    const bool take_back = control_.disposal == DISPOSE_PREVIOUS;
    Image before = take_back ? canvas_ : Image{};
    HL_CHECK(draw_rows(place, *colors));
    frames_.push_back(canvas_);
    if (take_back) canvas_ = std::move(before);
    if (control_.disposal == DISPOSE_BACKGROUND) clear(place);
    control_ = {};
    return {};
  }

  // Interlaced rows come in four passes: every 8th from 0 and from 4, every 4th from 2, every 2nd from 1.
  Status draw_rows(const GifImageDesc& place, const ColorMapObject& colors) {
    struct Pass {
      Index first, step;
    };
    static constexpr Pass whole[] = {{0, 1}};
    static constexpr Pass interlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    std::vector<GifPixelType> row(static_cast<std::size_t>(place.Width));
    for (const Pass& pass : place.Interlace ? std::span<const Pass>(interlaced) : std::span<const Pass>(whole))
      for (Index y = pass.first; y < place.Height; y += pass.step) {
        if (DGifGetLine(gif_.get(), row.data(), place.Width) == GIF_ERROR) return damaged();
        draw_row(place, y, row, colors);
      }
    return {};
  }

  void draw_row(const GifImageDesc& place, Index y, const std::vector<GifPixelType>& row,
                const ColorMapObject& colors) {
    const Index to_y = place.Top + y;
    if (to_y >= canvas_.height) return;
    const Index columns = std::min<Index>(place.Width, canvas_.width - place.Left);
    for (Index x = 0; x < columns; ++x) {
      const int entry = row[static_cast<std::size_t>(x)];
      if (entry == control_.transparent || entry >= colors.ColorCount) continue;
      const GifColorType& color = colors.Colors[entry];
      canvas_.set(place.Left + x, to_y, {color.Red, color.Green, color.Blue, 255});
    }
  }

  void clear(const GifImageDesc& place) {
    for (Index y = place.Top; y < std::min<Index>(place.Top + place.Height, canvas_.height); ++y)
      for (Index x = place.Left; x < std::min<Index>(place.Left + place.Width, canvas_.width); ++x)
        canvas_.set(x, y, {0, 0, 0, 0});
  }

  Gif gif_;
  Image canvas_;
  Index most_frames_;
  Index pixels_ = 0;
  Control control_;
  std::vector<Image> frames_;
};

}  // namespace

Result<std::vector<Image>> decode_gif(std::string_view bytes, Index most_frames) {
  Source source{bytes};
  int error = 0;
  Gif gif(DGifOpen(&source, read_bytes, &error));
  if (!gif) {
    const char* known = GifErrorString(error);
    return fail("a damaged GIF: {}", known ? known : "its header cannot be read");
  }
  HL_CHECK(check_picture_size("GIF", gif->SWidth, gif->SHeight));
  return Animation(std::move(gif), std::min(most_frames, max_frames)).read();
}

}  // namespace headlight
