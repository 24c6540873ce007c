
#include <algorithm>
#include <array>
#include <bit>

#include "engine/io/images/image_file.h"

namespace headlight {

namespace {

constexpr std::size_t file_header = 14;
constexpr std::uint32_t core_header = 12;      // BITMAPCOREHEADER: 16-bit extents, palette of three bytes a colour
constexpr std::uint32_t info_header = 40;      // BITMAPINFOHEADER
constexpr std::uint32_t largest_header = 124;  // BITMAPV5HEADER

// Bytes that are read past the end count as 0: places are checked once, where a picture's rows begin.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size(); }
  std::uint32_t byte(std::size_t at) const { return at < size() ? static_cast<unsigned char>(bytes_[at]) : 0U; }
  std::uint32_t two(std::size_t at) const { return byte(at) | byte(at + 1) << 8; }
  std::uint32_t four(std::size_t at) const { return two(at) | two(at + 2) << 16; }
  Index extent(std::size_t at) const { return static_cast<std::int32_t>(four(at)); }

 private:
  std::string_view bytes_;
};

struct Field {
  std::uint32_t mask = 0;

  // The field's bits, spread over 0 … 255; `none` where the field is empty.
  std::uint8_t of(std::uint32_t pixel, std::uint8_t none) const {
    if (mask == 0) return none;
    const auto shift = std::countr_zero(mask);
    const std::uint64_t most = mask >> shift;
    const std::uint64_t value = (pixel & mask) >> shift;
    return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
  }
};

struct BmpHeader {
  std::uint32_t size = 0;
  Index width = 0;
  Index height = 0;
  bool top_down = false;
  std::uint32_t bits = 0;
  std::array<Field, 4> fields;  // red, green, blue, alpha
  std::vector<Color> palette;
};

Status read_compression(const Bytes& bytes, BmpHeader& header) {
  constexpr std::uint32_t rle8 = 1, rle4 = 2, bit_fields = 3, jpeg = 4, png = 5, alpha_bit_fields = 6;
  const std::uint32_t compression = bytes.four(file_header + 16);
  if (compression == rle8 || compression == rle4)
    return fail("a BMP with run-length compression: save it uncompressed, or as a PNG");
  if (compression == jpeg || compression == png)
    return fail("a BMP with a {} inside: save it as a {}", compression == jpeg ? "JPEG" : "PNG",
                compression == jpeg ? "JPEG" : "PNG");
  if (compression != 0 && compression != bit_fields && compression != alpha_bit_fields)
    return fail("a BMP of unknown compression {}: save it uncompressed, or as a PNG", compression);
  if (header.bits == 16) header.fields = {Field{0x7C00}, {0x03E0}, {0x001F}, {0}};
  if (header.bits == 32) header.fields = {Field{0xFF0000}, {0x00FF00}, {0x0000FF}, {0}};
  if (compression == 0) return {};
  if (header.bits != 16 && header.bits != 32) return fail("a damaged BMP: bit fields with {} bits", header.bits);
  // Behind the header of 40 bytes, or inside the longer ones, which is the same place.
  constexpr std::size_t fields_at = file_header + info_header;
  const bool alpha = compression == alpha_bit_fields || header.size >= 56;
  for (std::size_t i = 0; i < (alpha ? 4U : 3U); ++i) header.fields[i].mask = bytes.four(fields_at + 4 * i);
  if (header.bits == 16)
    for (Field& field : header.fields) field.mask &= 0xFFFF;
  return {};
}

Result<BmpHeader> read_header(const Bytes& bytes) {
  BmpHeader header;
  header.size = bytes.four(file_header);
  if (header.size != core_header && (header.size < info_header || header.size > largest_header))
    return fail("a damaged BMP: its header claims {} bytes", header.size);
  if (bytes.size() < file_header + header.size) return fail("a damaged BMP: it ends after {} bytes", bytes.size());
  const bool core = header.size == core_header;
  header.width = core ? Index{bytes.two(file_header + 4)} : bytes.extent(file_header + 4);
  header.height = core ? Index{bytes.two(file_header + 6)} : bytes.extent(file_header + 8);
  header.top_down = header.height < 0;
  if (header.top_down) header.height = -header.height;
  header.bits = bytes.two(file_header + (core ? 10 : 14));
  HL_CHECK(check_picture_size("BMP", header.width, header.height));
  constexpr std::array<std::uint32_t, 6> known{1, 4, 8, 16, 24, 32};
  if (std::ranges::find(known, header.bits) == known.end())
    return fail("a BMP of {} bits a pixel: 1, 4, 8, 16, 24 and 32 are read", header.bits);
  if (!core) HL_CHECK(read_compression(bytes, header));
  return header;
}

void read_palette(const Bytes& bytes, BmpHeader& header) {
  const bool core = header.size == core_header;
  const std::size_t most = std::size_t{1} << header.bits;
  const std::uint32_t used = core ? 0 : bytes.four(file_header + 32);
  const std::size_t count = used == 0 || used > most ? most : used;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = file_header + header.size + i * (core ? 3 : 4);
    header.palette.push_back({static_cast<std::uint8_t>(bytes.byte(at + 2)),
                              static_cast<std::uint8_t>(bytes.byte(at + 1)), static_cast<std::uint8_t>(bytes.byte(at)),
                              255});
  }
}

Color pixel_at(const Bytes& bytes, const BmpHeader& header, std::size_t row, Index x) {
  const auto column = static_cast<std::size_t>(x);
  if (header.bits <= 8) {
    const std::size_t bit = column * header.bits;
    const std::uint32_t shift = 8 - header.bits - static_cast<std::uint32_t>(bit % 8);
    const std::size_t entry = bytes.byte(row + bit / 8) >> shift & ((1U << header.bits) - 1);
    return entry < header.palette.size() ? header.palette[entry] : Color{};
  }
  if (header.bits == 24) {
    const std::size_t at = row + 3 * column;
    return {static_cast<std::uint8_t>(bytes.byte(at + 2)), static_cast<std::uint8_t>(bytes.byte(at + 1)),
            static_cast<std::uint8_t>(bytes.byte(at)), 255};
  }
  const std::uint32_t pixel = header.bits == 16 ? bytes.two(row + 2 * column) : bytes.four(row + 4 * column);
  const auto& [red, green, blue, alpha] = header.fields;
  return {red.of(pixel, 0), green.of(pixel, 0), blue.of(pixel, 0), alpha.of(pixel, 255)};
}

}  // namespace

Result<Image> decode_bmp(std::string_view file) {
  const Bytes bytes(file);
  HL_TRY(BmpHeader header, read_header(bytes));
  if (header.bits <= 8) read_palette(bytes, header);
  const std::uint64_t start = bytes.four(10);
  const std::uint64_t stride = (static_cast<std::uint64_t>(header.width) * header.bits + 31) / 32 * 4;
  // The padding of the last row may be missing.
  const std::uint64_t last_row = (static_cast<std::uint64_t>(header.width) * header.bits + 7) / 8;
  const std::uint64_t end = start + stride * static_cast<std::uint64_t>(header.height - 1) + last_row;
  if (start < file_header + header.size) return fail("a damaged BMP: its pixels begin inside its header");
  if (end > bytes.size())
    return fail("a damaged BMP: {}×{} pixels of {} bits end at byte {}, but the file has {}", header.width,
                header.height, header.bits, end, bytes.size());
  Image image = filled_image(header.width, header.height, {});
  for (Index y = 0; y < header.height; ++y) {
    const Index stored = header.top_down ? y : header.height - 1 - y;
    const auto row = static_cast<std::size_t>(start + stride * static_cast<std::uint64_t>(stored));
    for (Index x = 0; x < header.width; ++x) image.set(x, y, pixel_at(bytes, header, row, x));
  }
  return image;
}

}  // namespace headlight
