#include "engine/io/images/image_file.h"

#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"

namespace headlight {

namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t largest_picture = std::uint64_t{1}
                                          << 28;  // 256 MiB: more than any allowed picture, uncompressed

// The header of a PNG says its size before libpng takes memory for it: 4 bytes each at 16 and 20, high byte first.
// PNG specification (third edition), section 11.2.1.
Result<Image> decode_checked_png(std::string_view bytes) {
  const auto whole_at = [&](std::size_t at) {
    Index value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  constexpr std::size_t header_end = 24;
  if (bytes.size() < header_end) return fail("a damaged PNG: it ends after {} bytes", bytes.size());
  HL_CHECK(check_picture_size("PNG", whole_at(16), whole_at(20)));
  return decode_png(bytes);
}

Result<std::vector<Image>> one_frame(Result<Image> image) {
  HL_TRY(Image picture, std::move(image));
  std::vector<Image> frames;
  frames.push_back(std::move(picture));
  return frames;
}

}  // namespace

std::string_view foreign_picture(std::string_view bytes) {
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "a WebP picture";
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return "a TIFF picture";
  if (bytes.size() > 12 && bytes.substr(4, 4) == "ftyp") return "a HEIC or AVIF picture, or a film";
  if (bytes.starts_with("<svg") || bytes.starts_with("<?xml")) return "an SVG drawing";
  return {};
}

Status check_picture_size(std::string_view format, Index width, Index height) {
  if (width < 1 || height < 1) return fail("a {} of {}×{} pixels: there is nothing in it", format, width, height);
  if (width > max_picture_pixels / height)
    return fail("a {} of {}×{} pixels: at most {} million pixels are read, so make it smaller", format, width, height,
                max_picture_pixels / 1000000);
  constexpr double bytes_of_pixel = 4;
  return check_memory(bytes_of_pixel * static_cast<double>(width) * static_cast<double>(height));
}

Result<std::vector<Image>> decode_frames(std::string_view bytes, Index most_frames) {
  if (bytes.empty()) return fail("this file is empty: it must be a PNG, JPEG, GIF or BMP picture");
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return one_frame(decode_checked_png(bytes));
  if (bytes.starts_with("\xFF\xD8\xFF")) return one_frame(decode_jpeg(bytes));
  if (bytes.starts_with("GIF8")) return decode_gif(bytes, most_frames);
  if (bytes.starts_with("BM")) return one_frame(decode_bmp(bytes));
  const std::string_view kind = foreign_picture(bytes);
  if (!kind.empty()) return fail("this is {}: save it as a PNG, JPEG, GIF or BMP", kind);
  return fail("this is not a PNG, JPEG, GIF or BMP picture");
}

Result<std::vector<Image>> read_frames(const std::filesystem::path& path, Index most_frames) {
  HL_TRY(const std::string bytes, read_file(path, largest_picture));
  auto frames = decode_frames(bytes, most_frames);
  if (!frames) return fail_at(one_line(utf8(path)), frames.error());
  return frames;
}

Result<Image> read_image(const std::filesystem::path& path) {
  HL_TRY(auto frames, read_frames(path, 1));
  return std::move(frames.front());
}

}  // namespace headlight
