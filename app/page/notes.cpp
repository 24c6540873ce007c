#include "app/page/notes.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "engine/core/utf8.h"

namespace headlight {

namespace {

// A recipe is small: streams of a PDF are unpacked up to so many bytes in all, of at most so many streams. A file of a
// few kilobytes can name the same streams a thousand times, and each can unpack to a thousand times its size.
constexpr std::size_t most_unpacked = std::size_t{1} << 26;
constexpr int most_streams = 1024;

constexpr std::array<std::pair<std::string_view, char>, 5> xml_entities{
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

const Error no_recipe{"there is no recipe in it: it was left out, or another program made the file"};

// Which Unicode keeps free for good: no file need hold them, and cairo takes none.
bool is_noncharacter(char32_t point) {
  return (point & 0xFFFEU) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF);
}

bool xml_can_hold(char32_t point) {
  return point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && !is_noncharacter(point));
}

// ---- PNG

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The text of a tEXt chunk, or of an iTXt chunk that is not compressed: after the keyword, a zero, two flags, and the
// two names of its language.
Result<std::string> text_of_chunk(std::string_view type, std::string_view body) {
  std::string_view text = body.substr(recipe_key.size() + 1);
  if (type == "tEXt") return std::string(text);
  if (text.size() < 2 || text[0] != 0) return tl::unexpected(no_recipe);
  text.remove_prefix(2);
  for (int names = 0; names < 2; ++names) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return fail("a damaged PNG: a text without its language");
    text.remove_prefix(end + 1);
  }
  return std::string(text);
}

Result<std::string> recipe_of_png(std::string_view bytes) {
  const std::string start = std::string(recipe_key) + '\0';
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t length = big_endian(bytes.substr(at));
    if (length > bytes.size() - at - 12) return fail("a damaged PNG: a chunk reaches beyond its end");
    const std::string_view type = bytes.substr(at + 4, 4);
    const std::string_view body = bytes.substr(at + 8, length);
    if ((type == "tEXt" || type == "iTXt") && body.starts_with(start)) return text_of_chunk(type, body);
    at += length + 12;
  }
  return tl::unexpected(no_recipe);
}

// ---- SVG

Result<std::string> recipe_of_svg(std::string_view svg) {
  const std::size_t begin = svg.find(svg_recipe_begin);
  if (begin == std::string_view::npos) return tl::unexpected(no_recipe);
  svg.remove_prefix(begin + svg_recipe_begin.size());
  const std::size_t end = svg.find(svg_recipe_end);
  if (end == std::string_view::npos) return fail("a damaged SVG: its recipe does not end");
  std::string recipe;
  for (std::string_view left = svg.substr(0, end); !left.empty();) {
    const auto* entity = std::ranges::find_if(xml_entities, [&](const auto& e) { return left.starts_with(e.first); });
    recipe += entity == xml_entities.end() ? left[0] : entity->second;
    left.remove_prefix(entity == xml_entities.end() ? 1 : entity->first.size());
  }
  return recipe;
}

// ---- PDF (ISO 32000-1, 7.3.4 string objects and 7.9.2.2 text strings)

std::string bytes_of_hex(std::string_view hex) {
  constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
  std::string bytes;
  int high = -1;
  for (const char c : hex) {
    const std::size_t at = digits.find(c);
    if (at == digits.npos) continue;
    const int digit = static_cast<int>(at % 16);
    if (high >= 0) bytes += static_cast<char>(high << 4 | digit);
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

// Appends what stands after a backslash; gives how much of `text` that was.
std::size_t append_escaped(std::string& bytes, std::string_view text) {
  constexpr std::string_view names = "nrtbf";
  constexpr std::string_view meant = "\n\r\t\b\f";
  std::size_t digits = 0;
  unsigned octal = 0;
  while (digits < 3 && digits < text.size() && text[digits] >= '0' && text[digits] <= '7')
    octal = octal * 8 + static_cast<unsigned>(text[digits++] - '0');
  if (digits > 0) {
    bytes += static_cast<char>(octal);
    return digits;
  }
  if (text.empty()) return 0;
  const std::size_t named = names.find(text[0]);
  if (text[0] != '\n') bytes += named == std::string_view::npos ? text[0] : meant[named];
  return 1;
}

// The bytes of the string object that `pdf` starts with, up to its end.
Result<std::string> pdf_string(std::string_view pdf) {
  if (pdf.starts_with('<')) {
    const std::size_t end = pdf.find('>');
    if (end == std::string_view::npos) return fail("a damaged PDF: a string without an end");
    return bytes_of_hex(pdf.substr(1, end - 1));
  }
  if (!pdf.starts_with('(')) return tl::unexpected(no_recipe);
  std::string bytes;
  int depth = 1;
  for (std::size_t i = 1; i < pdf.size(); ++i) {
    if (pdf[i] == '\\') {
      i += append_escaped(bytes, pdf.substr(i + 1));
      continue;
    }
    depth += (pdf[i] == '(') - (pdf[i] == ')');
    if (depth == 0) return bytes;
    bytes += pdf[i];
  }
  return fail("a damaged PDF: a string without an end");
}

// UTF-8 of UTF-16 with its most significant byte first.
std::string utf8_of_utf16(std::string_view bytes) {
  const auto unit = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]) << 8 |
                                      static_cast<unsigned char>(bytes[at + 1]));
  };
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t point = unit(i);
    if (point >= 0xD800 && point < 0xDC00 && i + 3 < bytes.size() && unit(i + 2) >= 0xDC00 && unit(i + 2) < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    }
    append_utf8(text, point >= 0xD800 && point < 0xE000 ? 0xFFFD : point);
  }
  return text;
}

Result<std::string> recipe_of_dictionary(std::string_view pdf) {
  constexpr std::string_view name = "/Keywords";
  const std::size_t at = pdf.find(name);
  if (at == std::string_view::npos) return tl::unexpected(no_recipe);
  pdf.remove_prefix(at + name.size());
  pdf.remove_prefix(std::min(pdf.size(), pdf.find_first_not_of(" \r\n\t")));
  HL_TRY(std::string text, pdf_string(pdf));
  if (text.starts_with("\xFE\xFF")) text = utf8_of_utf16(std::string_view(text).substr(2));
  if (!text.starts_with(pdf_recipe_begin)) return tl::unexpected(no_recipe);
  return text.substr(pdf_recipe_begin.size());
}

// What a zlib stream unpacks to, as far as it is sound and `most` bytes go.
std::string unpacked(std::string_view packed, std::size_t most) {
  std::string bytes;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return bytes;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), most_unpacked));
  std::array<char, 4096> part{};
  int status = Z_OK;
  while (status == Z_OK && bytes.size() < most) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return bytes;
}

// The dictionary of document information stands in the file as it is, or in an object stream with newer writers.
Result<std::string> recipe_of_pdf(std::string_view pdf) {
  auto plain = recipe_of_dictionary(pdf);
  if (plain) return plain;
  std::size_t left = most_unpacked;
  int streams = 0;
  constexpr std::string_view object_stream = "/ObjStm";
  for (std::size_t at = pdf.find(object_stream); at != std::string_view::npos; at = pdf.find(object_stream, at + 1)) {
    std::size_t begin = pdf.find("stream", at + object_stream.size());
    if (begin == std::string_view::npos) break;
    begin = pdf.find('\n', begin);
    if (begin == std::string_view::npos || left == 0 || ++streams > most_streams) break;
    const std::string bytes = unpacked(pdf.substr(begin + 1), left);
    left -= std::min(left, bytes.size());
    if (auto packed = recipe_of_dictionary(bytes)) return packed;
    at = begin;  // the next mention of one stands after this stream's beginning
  }
  return plain;
}

// ---- LaTeX

Result<std::string> recipe_of_tex(std::string_view tex) {
  const std::string start = fmt::format("\n{}", tex_recipe_begin);
  const std::size_t begin = tex.find(start);
  const std::size_t end = begin == std::string_view::npos ? begin : tex.find('\n', begin + start.size());
  if (end == std::string_view::npos) return tl::unexpected(no_recipe);
  return std::string(tex.substr(begin + start.size(), end - begin - start.size()));
}

}  // namespace

std::string iso_time(std::int64_t seconds) {
  constexpr std::int64_t last = 253402300799;  // the end of the year 9999
  const std::chrono::sys_seconds time(std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, last)));
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

Result<std::optional<std::int64_t>> source_date() {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  if (!text || *text == '\0') return std::nullopt;
  std::int64_t seconds = 0;
  for (const char* at = text; *at; ++at) {
    if (*at < '0' || *at > '9' || at - text >= 12)
      return fail("SOURCE_DATE_EPOCH is \"{}\": it must be a number of seconds since 1970", text);
    seconds = seconds * 10 + (*at - '0');
  }
  return seconds;
}

std::string sanitized(std::string_view utf8) {
  std::string text;
  while (!utf8.empty()) {
    const Utf8Step step = utf8_step(utf8);
    text += step.sound && xml_can_hold(step.character) ? utf8.substr(0, step.size) : "\uFFFD";
    utf8.remove_prefix(step.size);
  }
  return text;
}

std::string json_of_characters(std::string_view json) {
  std::string text;
  while (!json.empty()) {
    const Utf8Step step = utf8_step(json);
    const char32_t point = step.character;
    if (!step.sound || !is_noncharacter(point))
      text += json.substr(0, step.size);
    else if (point < 0x10000)
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(point));
    else
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + static_cast<unsigned>(point >> 10),
                          0xDC00 + static_cast<unsigned>(point & 0x3FF));
    json.remove_prefix(step.size);
  }
  return text;
}

std::string xml_text(std::string_view utf8) {
  std::string text;
  for (const char c : sanitized(utf8)) {
    const auto* entity = std::ranges::find(xml_entities, c, &std::pair<std::string_view, char>::second);
    text += entity == xml_entities.end() ? std::string_view(&c, 1) : entity->first;
  }
  return text;
}

std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string tsv_field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

Result<std::string> recipe_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return recipe_of_png(bytes);
  if (bytes.starts_with("%PDF-")) return recipe_of_pdf(bytes);
  if (bytes.substr(0, 512).find("<svg") != std::string_view::npos) return recipe_of_svg(bytes);
  if (bytes.starts_with(tex_begin)) return recipe_of_tex(bytes);
  return fail("not a PNG, SVG, PDF or LaTeX file of a figure");
}

}  // namespace headlight
