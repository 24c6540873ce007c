// Picture and sound files made byte by byte, for tests of the readers: no picture library wrote them, but for JPEG.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/picture/image.h"

namespace headlight::test {

std::string little(std::uint32_t value, int bytes);
std::string big(std::uint32_t value, int bytes);

struct PngFile {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  int bits = 8;
  int color_type = 2;  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  bool interlaced = false;
  std::string rows = {};     // each after its filter byte; the passes of Adam7 in order where it is interlaced
  std::string palette = {};  // of PLTE
  std::string alpha = {};    // of tRNS
};
std::string png_bytes(const PngFile& file);

struct GifFrame {
  int left = 0, top = 0, width = 1, height = 1;
  std::string indices = {};  // rows in the order in which they are stored
  int disposal = 0;
  int transparent = -1;
  bool interlaced = false;
  std::string palette = {};  // of its own: three bytes a colour; 2, 4 … 256 colours
};
// Not compressed: a clear code before the codes would grow.
std::string gif_bytes(int width, int height, const std::string& palette, const std::vector<GifFrame>& frames);

// Everything behind the file header: 14 bytes are put before it. `start` is where the pixels begin.
std::string bmp_bytes(const std::string& header_and_palette, const std::string& pixels);
// A BITMAPINFOHEADER.
std::string bmp_header(int width, int height, int bits, int compression = 0, int colors = 0, int size = 40);

// An EXIF orientation of 0 is not written. Grey where `grey`; CMYK where `cmyk`, with any colours.
struct JpegFile {
  Image image;
  int orientation = 0;
  bool grey = false;
  bool cmyk = false;
  bool progressive = false;
};
std::string jpeg_bytes(const JpegFile& file);

// A RIFF file with a format chunk and a data chunk.
struct WavFile {
  int format = 1;  // 1 PCM, 3 float
  int channels = 1;
  int bits = 16;
  std::string data = {};
};
std::string wav_bytes(const WavFile& file);

}  // namespace headlight::test
