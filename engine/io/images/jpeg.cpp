
#include <csetjmp>
#include <cstdio>  // jpeglib.h wants FILE
#include <cstring>

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

#include "engine/io/images/image_file.h"

namespace headlight {

namespace {

// A file of a few bytes can ask for thousands of passes over a large picture.
constexpr int most_scans = 200;

// libjpeg's state and what its callbacks leave behind; the words outlive the jump out of it.
struct JpegReader {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  char message[JMSG_LENGTH_MAX] = "";
  bool cmyk = false;
};

[[noreturn]] void leave(JpegReader& reader) {
  std::longjmp(reader.escape, 1);
}

[[noreturn]] void on_error(j_common_ptr common) {
  auto& reader = *static_cast<JpegReader*>(common->client_data);
  common->err->format_message(common, reader.message);
  leave(reader);
}

// Damage that libjpeg would paint over; other warnings are about oddities that change no pixel.
void on_message(j_common_ptr common, int level) {
  const int code = common->err->msg_code;
  const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
  if (level < 0 && !harmless) on_error(common);
}

void on_progress(j_common_ptr common) {
  auto& reader = *static_cast<JpegReader*>(common->client_data);
  if (reader.jpeg.input_scan_number <= most_scans) return;
  std::snprintf(reader.message, sizeof reader.message, "it has more than %d scans", most_scans);
  leave(reader);
}

// libjpeg leaves by longjmp on an error, so these functions own nothing that has a destructor.
bool read_header(JpegReader& reader, std::string_view bytes) {
  if (setjmp(reader.escape)) return false;
  jpeg_create_decompress(&reader.jpeg);
  reader.jpeg.client_data = &reader;
  reader.progress.progress_monitor = on_progress;
  reader.jpeg.progress = &reader.progress;
  jpeg_mem_src(&reader.jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&reader.jpeg, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&reader.jpeg, TRUE);
  reader.cmyk = reader.jpeg.jpeg_color_space == JCS_CMYK || reader.jpeg.jpeg_color_space == JCS_YCCK;
  return true;
}

void read_row(jpeg_decompress_struct& jpeg, JSAMPLE* row, Image& image) {
  std::uint8_t* rgba = image.rgba.data() + std::size_t{4} * jpeg.output_scanline * jpeg.output_width;
  jpeg_read_scanlines(&jpeg, &row, 1);
  for (JDIMENSION x = 0; x < jpeg.output_width; ++x, rgba += 4) {
    std::memcpy(rgba, row + 3 * x, 3);
    rgba[3] = 255;
  }
}

bool read_pixels(JpegReader& reader, JSAMPLE* row, Image& image) {
  if (setjmp(reader.escape)) return false;
  reader.jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&reader.jpeg);
  while (reader.jpeg.output_scanline < reader.jpeg.output_height) read_row(reader.jpeg, row, image);
  jpeg_finish_decompress(&reader.jpeg);
  return true;
}

// 1 to 8 out of an APP1 segment ("Exif\0\0" and a TIFF directory), 1 where it does not say.
int orientation_in(std::string_view segment) {
  using namespace std::string_view_literals;
  if (!segment.starts_with("Exif\0\0"sv)) return 1;
  const std::string_view tiff = segment.substr(6);
  const bool low_first = tiff.starts_with("II");
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = at + (low_first ? size - 1 - i : i);
      value = value << 8 | (from < tiff.size() ? static_cast<unsigned char>(tiff[from]) : 0U);
    }
    return value;
  };
  const std::size_t directory = number(4, 4);
  for (std::size_t entry = 0; entry < number(directory, 2); ++entry) {
    const std::size_t at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.size()) break;
    const std::uint32_t value = number(at + 8, 2);
    if (number(at, 2) == 0x0112) return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

int orientation_of(const jpeg_decompress_struct& jpeg) {
  for (const jpeg_marker_struct* marker = jpeg.marker_list; marker; marker = marker->next) {
    const int found = orientation_in({reinterpret_cast<const char*>(marker->data), marker->data_length});
    if (found != 1) return found;
  }
  return 1;
}

// Orientations 5 to 8 swap rows and columns; the corner that is stored first says the rest.
Image upright(const Image& image, int orientation) {
  if (orientation == 1) return image;
  const bool swapped = orientation >= 5;
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image result = filled_image(swapped ? image.height : image.width, swapped ? image.width : image.height, {});
  for (Index y = 0; y < result.height; ++y)
    for (Index x = 0; x < result.width; ++x) {
      const Index along = swapped ? y : x, down = swapped ? x : y;
      result.set(x, y,
                 image.at(from_right ? image.width - 1 - along : along, from_bottom ? image.height - 1 - down : down));
    }
  return result;
}

Result<Image> decode(JpegReader& reader, std::string_view bytes) {
  if (!read_header(reader, bytes)) return fail("a damaged JPEG: {}", reader.message);
  const Index width = reader.jpeg.image_width, height = reader.jpeg.image_height;
  HL_CHECK(check_picture_size("JPEG", width, height));
  if (reader.cmyk) return fail("a JPEG in CMYK, made for printing: save it as RGB");
  const int orientation = orientation_of(reader.jpeg);
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height))};
  std::vector<JSAMPLE> row(static_cast<std::size_t>(3 * width));
  if (!read_pixels(reader, row.data(), image)) return fail("a damaged JPEG: {}", reader.message);
  return upright(image, orientation);
}

}  // namespace

Result<Image> decode_jpeg(std::string_view bytes) {
  JpegReader reader;
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = on_error;
  reader.errors.emit_message = on_message;
  reader.jpeg.client_data = &reader;
  auto image = decode(reader, bytes);
  jpeg_destroy_decompress(&reader.jpeg);
  return image;
}

}  // namespace headlight
