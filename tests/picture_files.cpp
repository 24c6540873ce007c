#include "tests/picture_files.h"

#include <cstdio>  // jpeglib.h wants FILE
#include <cstdlib>

extern "C" {
#include <jpeglib.h>
}
#include <zlib.h>

namespace headlight::test {

std::string little(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

std::string big(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> 8 * i);
  return text;
}

namespace {

std::string chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big(static_cast<std::uint32_t>(data.size()), 4) + body + big(static_cast<std::uint32_t>(sum), 4);
}

std::string deflated(const std::string& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
           static_cast<uLong>(data.size()));
  packed.resize(size);
  return packed;
}

}  // namespace

std::string png_bytes(const PngFile& file) {
  std::string bytes = "\x89PNG\r\n\x1a\n";
  bytes +=
      chunk("IHDR", big(file.width, 4) + big(file.height, 4) + static_cast<char>(file.bits) +
                        static_cast<char>(file.color_type) + std::string(2, '\0') + (file.interlaced ? '\1' : '\0'));
  if (!file.palette.empty()) bytes += chunk("PLTE", file.palette);
  if (!file.alpha.empty()) bytes += chunk("tRNS", file.alpha);
  return bytes + chunk("IDAT", deflated(file.rows)) + chunk("IEND", "");
}

namespace {

// Nine bits a code, low bits first, in blocks of at most 255 bytes.
std::string gif_codes(const std::string& indices) {
  constexpr std::uint32_t clear = 256, end = 257;
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  const auto put = [&](std::uint32_t code) {
    held |= code << bits;
    for (bits += 9; bits >= 8; bits -= 8, held >>= 8) bytes += static_cast<char>(held);
  };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i % 200 == 0) put(clear);
    put(static_cast<unsigned char>(indices[i]));
  }
  put(end);
  if (bits > 0) bytes += static_cast<char>(held);
  std::string blocks;
  for (std::size_t at = 0; at < bytes.size(); at += 255) {
    const std::string block = bytes.substr(at, 255);
    blocks += static_cast<char>(block.size()) + block;
  }
  return blocks + '\0';
}

// The flag and exponent of a palette: 2^(exponent + 1) colours.
int palette_flags(const std::string& palette) {
  int exponent = 0;
  while ((std::size_t{2} << exponent) * 3 < palette.size()) ++exponent;
  return palette.empty() ? 0 : 0x80 | exponent;
}

}  // namespace

std::string gif_bytes(int width, int height, const std::string& palette, const std::vector<GifFrame>& frames) {
  const auto two = [](int value) { return little(static_cast<std::uint32_t>(value), 2); };
  std::string bytes =
      "GIF89a" + two(width) + two(height) + static_cast<char>(palette_flags(palette)) + std::string(2, '\0') + palette;
  for (const GifFrame& frame : frames) {
    bytes += "\x21\xF9\x04" + std::string(1, static_cast<char>(frame.disposal << 2 | (frame.transparent >= 0))) +
             two(10) + static_cast<char>(frame.transparent >= 0 ? frame.transparent : 0) + '\0';
    bytes += ',' + two(frame.left) + two(frame.top) + two(frame.width) + two(frame.height);
    bytes += static_cast<char>(palette_flags(frame.palette) | (frame.interlaced ? 0x40 : 0));
    bytes += frame.palette + '\x08' + gif_codes(frame.indices);
  }
  return bytes + ';';
}

std::string bmp_bytes(const std::string& header_and_palette, const std::string& pixels) {
  const auto start = static_cast<std::uint32_t>(14 + header_and_palette.size());
  return "BM" + little(start + static_cast<std::uint32_t>(pixels.size()), 4) + little(0, 4) + little(start, 4) +
         header_and_palette + pixels;
}

std::string bmp_header(int width, int height, int bits, int compression, int colors, int size) {
  const auto four = [](int value) { return little(static_cast<std::uint32_t>(value), 4); };
  return four(size) + four(width) + four(height) + little(1, 2) + little(static_cast<std::uint32_t>(bits), 2) +
         four(compression) + four(0) + four(2835) + four(2835) + four(colors) + four(0);
}

namespace {

void write_orientation(jpeg_compress_struct& jpeg, int orientation) {
  using namespace std::string_literals;
  const std::string exif = "Exif\0\0MM\0*"s + big(8, 4) + big(1, 2) + big(0x0112, 2) + big(3, 2) + big(1, 4) +
                           big(static_cast<std::uint32_t>(orientation), 2) + big(0, 2) + big(0, 4);
  jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                    static_cast<unsigned>(exif.size()));
}

std::vector<JSAMPLE> samples(const JpegFile& file, Index y) {
  std::vector<JSAMPLE> row;
  for (Index x = 0; x < file.image.width; ++x) {
    const Color color = file.image.at(x, y);
    if (file.grey)
      row.push_back(color.r);
    else
      row.insert(row.end(), {color.r, color.g, color.b});
    if (file.cmyk) row.push_back(0);
  }
  return row;
}

}  // namespace

std::string jpeg_bytes(const JpegFile& file) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = static_cast<JDIMENSION>(file.image.width);
  jpeg.image_height = static_cast<JDIMENSION>(file.image.height);
  jpeg.input_components = file.grey ? 1 : file.cmyk ? 4 : 3;
  jpeg.in_color_space = file.grey ? JCS_GRAYSCALE : file.cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (file.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  if (file.orientation > 0) write_orientation(jpeg, file.orientation);
  for (Index y = 0; y < file.image.height; ++y) {
    std::vector<JSAMPLE> row = samples(file, y);
    JSAMPLE* data = row.data();
    jpeg_write_scanlines(&jpeg, &data, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&jpeg);
  std::free(memory);
  return bytes;
}

std::string wav_bytes(const WavFile& file) {
  const auto two = [](int value) { return little(static_cast<std::uint32_t>(value), 2); };
  const int block = file.channels * file.bits / 8;
  const std::string format = two(file.format) + two(file.channels) + little(8000, 4) +
                             little(static_cast<std::uint32_t>(8000 * block), 4) + two(block) + two(file.bits);
  const auto size = static_cast<std::uint32_t>(file.data.size());
  const std::string body = "WAVEfmt " + little(16, 4) + format + "data" + little(size, 4) + file.data;
  return "RIFF" + little(static_cast<std::uint32_t>(body.size()), 4) + body;
}

}  // namespace headlight::test
