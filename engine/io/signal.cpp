#include "engine/io/signal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/csv.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

constexpr std::uint64_t largest_signal = std::uint64_t{1} << 28;  // 256 MiB: max_samples of 16 bytes of text each

// Where the column stands in the first line: by name, else by number, else the last.
Result<std::size_t> find_column(const CsvFields& first, const std::string& column, char mark) {
  if (column.empty()) return first.size() - 1;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (trimmed_field(first[i]) == column && !csv_number(first[i], mark)) return i;
  const auto number = parse_number<std::size_t>(column);
  if (number && *number < first.size()) return *number;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < std::min<std::size_t>(first.size(), 20); ++i) {
    const std::string name = one_line(trimmed_field(first[i]));
    known.push_back(name.empty() || csv_number(first[i], mark) ? fmt::format("{}", i) : name);
  }
  return fail("there is no column {}: it has {}", one_line(column), fmt::join(known, ", "));
}

// "1,5" on a line of its own may be one number or two: which, nobody but the file's owner knows.
Status check_no_decimal_commas(const CsvFields& first, char mark) {
  const auto is_whole = [](std::string_view field) {
    field = trimmed_field(field);
    if (field.starts_with('-')) field.remove_prefix(1);
    return !field.empty() && field.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (mark != '.' || first.size() != 2 || !is_whole(first[0]) || !is_whole(first[1]) ||
      trimmed_field(first[1])[0] == '-')
    return {};
  const std::string line = fmt::format("{},{}", brief(trimmed_field(first[0])), brief(trimmed_field(first[1])));
  return fail(
      "line 1: \"{}\" may be one number or two: for two columns give \"column\", 0 or 1; for decimals write a point, "
      "or a name on the first line",
      line);
}

// What is no number in the first line is a name, but where it has a typing error.
Status check_is_name(const CsvFields& first, std::size_t column, char mark) {
  const std::string& field = first[column];
  if (csv_number(field, mark)) return {};
  if (first.size() == 1 ? !begins_as_number(field) : !find_mistyped(first, mark)) return {};
  return fail("line 1: \"{}\" is not a number: write it as 1.5 or -2e3; as a name give it as \"column\"", brief(field));
}

std::string title_of(const CsvFields& first, std::size_t column, char mark) {
  const std::string name = csv_number(first[column], mark) ? "" : one_line(trimmed_field(first[column]));
  return name.empty() ? fmt::format("column {}", column) : fmt::format("column {}", name);
}

}  // namespace

Result<std::vector<float>> decode_csv(std::string_view text, const std::string& column) {
  CsvLines table(text);
  HL_TRY(auto first, table.next());
  if (!first) return fail("this file is empty: it must be a table of numbers (CSV) or a WAV");
  const char mark = table.decimal_mark();
  if (column.empty()) HL_CHECK(check_no_decimal_commas(*first, mark));
  HL_TRY(const std::size_t at, find_column(*first, column, mark));
  if (trimmed_field((*first)[at]) != column) HL_CHECK(check_is_name(*first, at, mark));
  const std::string title = title_of(*first, at, mark);
  std::vector<float> samples;
  if (const auto number = csv_number((*first)[at], mark)) samples.push_back(*number);
  while (true) {
    HL_TRY(auto fields, table.next());
    if (!fields) break;
    if (fields->size() > first->size())
      return fail("line {}: the line has {} fields, and the first {}", table.line(), fields->size(), first->size());
    if (at >= fields->size())
      return fail("{}, line {}: the line has only {} fields", title, table.line(), fields->size());
    const auto number = csv_number((*fields)[at], mark);
    if (!number)
      return fail("{}, line {}: \"{}\" is not a number: write it as 1.5 or -2e3", title, table.line(),
                  brief((*fields)[at]));
    samples.push_back(*number);
    if (static_cast<Index>(samples.size()) > max_samples)
      return fail("{} has more than {} samples: make it shorter", title, max_samples);
  }
  if (samples.empty()) return fail("{} has no samples: there is nothing below the header", title);
  return samples;
}

namespace {

// Bytes past the end are 0.
std::uint32_t little(std::string_view bytes, std::size_t at, std::size_t size) {
  return static_cast<std::uint32_t>(little_endian(bytes.substr(std::min(at, bytes.size()), size)));
}

struct WavFormat {
  std::uint32_t format = 0;  // 1 PCM, 3 float
  std::size_t channels = 0;
  std::uint32_t bits = 0;
  std::uint32_t rate = 0;  // samples a second
};

Result<WavFormat> read_wav_format(std::string_view chunk) {
  constexpr std::uint32_t pcm = 1, ieee_float = 3, extensible = 0xFFFE;
  if (chunk.size() < 16) return fail("a damaged WAV: its format takes {} bytes, not 16", chunk.size());
  WavFormat format{little(chunk, 0, 2), little(chunk, 2, 2), little(chunk, 14, 2), little(chunk, 4, 4)};
  if (format.format == extensible) format.format = little(chunk, 24, 2);  // the first bytes of its GUID
  if (format.format != pcm && format.format != ieee_float)
    return fail("a WAV with compression {}: save it as PCM", format.format);
  const bool known = format.format == pcm
                         ? format.bits == 8 || format.bits == 16 || format.bits == 24 || format.bits == 32
                         : format.bits == 32;
  if (!known)
    return fail("a WAV of {} bits{}: PCM of 8, 16, 24 and 32 bits and float of 32 bits are read", format.bits,
                format.format == pcm ? "" : " in floating point");
  if (format.channels == 0) return fail("a damaged WAV: it has no channels");
  return format;
}

// −1 … 1: 8 bits count from 128, the others from 0.
double wav_sample(std::string_view data, std::size_t at, const WavFormat& format) {
  if (format.format == 3) return std::bit_cast<float>(little(data, at, 4));
  if (format.bits == 8) return (little(data, at, 1) - 128.0) / 128;
  const std::uint32_t raised = little(data, at, format.bits / 8) << (32 - format.bits);  // the sign to the top
  return static_cast<std::int32_t>(raised) / 2147483648.0;
}

Result<std::vector<float>> read_wav_data(std::string_view data, const WavFormat& format) {
  const std::size_t sample_size = format.bits / 8, block = sample_size * format.channels;
  const std::size_t count = data.size() / block;
  if (count == 0) return fail("a WAV without samples");
  if (count > static_cast<std::size_t>(max_samples))
    return fail("a WAV of {} samples: at most {} are read, so make it shorter", count, max_samples);
  std::vector<float> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t channel = 0; channel < format.channels; ++channel)
      sum += wav_sample(data, i * block + channel * sample_size, format);
    const auto sample = static_cast<float>(sum / static_cast<double>(format.channels));
    if (!std::isfinite(sample)) return fail("a damaged WAV: sample {} is not a finite number", i);
    samples.push_back(sample);
  }
  return samples;
}

struct Wav {
  WavFormat format;
  std::vector<float> samples;
};

Result<Wav> read_wav(std::string_view bytes) {
  std::optional<WavFormat> format;
  std::size_t at = 12;  // behind "RIFF", a size and "WAVE"
  while (at + 8 <= bytes.size()) {
    const std::string_view id = bytes.substr(at, 4);
    const std::size_t claimed = little(bytes, at + 4, 4);
    const std::string_view chunk = bytes.substr(at + 8, claimed);
    if (chunk.size() < claimed)
      return fail("a damaged WAV: its chunk \"{}\" claims {} bytes and {} are left", one_line(id), claimed,
                  chunk.size());
    if (id == "fmt ") {
      HL_TRY(format, read_wav_format(chunk));
    }
    if (id == "data") {
      if (!format) return fail("a damaged WAV: its samples come before its format");
      HL_TRY(auto samples, read_wav_data(chunk, *format));
      return Wav{*format, std::move(samples)};
    }
    at += 8 + claimed + claimed % 2;  // chunks begin at even places
  }
  return fail("a damaged WAV: there are no samples in it");
}

bool is_wav(std::string_view bytes) {
  return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WAVE");
}

Result<SignalInfo> signal_info(std::string_view bytes, const std::string& column) {
  SignalInfo info;
  if (is_wav(bytes)) {
    HL_TRY(const Wav wav, read_wav(bytes));
    return SignalInfo{{"mean of the channels"}, static_cast<Index>(wav.samples.size()), double(wav.format.rate)};
  }
  CsvLines table(bytes);
  HL_TRY(const auto first, table.next());
  const std::string last = first ? fmt::format("{}", first->size() - 1) : "";
  HL_TRY(const auto samples, decode_csv(bytes, column.empty() ? last : column));
  const auto is_number = [](std::string text) {
    std::ranges::replace(text, ',', '.');
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size();
  };
  for (std::size_t i = 0; i < first->size(); ++i) {
    const std::string name = one_line(trimmed_field((*first)[i]));
    info.columns.push_back(is_number(name) ? fmt::format("{}", i) : name);  // an empty one, too
  }
  info.samples = static_cast<Index>(samples.size());
  return info;
}

}  // namespace

Result<std::vector<float>> decode_wav(std::string_view bytes) {
  HL_TRY(Wav wav, read_wav(bytes));
  return std::move(wav.samples);
}

Result<std::vector<float>> read_signal(const std::filesystem::path& path, const std::string& column) {
  HL_TRY(const std::string bytes, read_file(path, largest_signal));
  auto samples = is_wav(bytes) ? decode_wav(bytes) : decode_csv(bytes, column);
  if (!samples) return fail_at(one_line(utf8(path)), samples.error());
  return samples;
}

Result<SignalInfo> read_signal_info(const std::filesystem::path& path, const std::string& column) {
  HL_TRY(const std::string bytes, read_file(path, largest_signal));
  auto info = signal_info(bytes, column);
  if (!info) return fail_at(one_line(utf8(path)), info.error());
  return info;
}

std::vector<float> downsample(const std::vector<float>& samples, Index count) {
  const auto pieces = static_cast<Index>(samples.size());
  if (count >= pieces) return samples;
  std::vector<float> result;
  for (Index to = 0; to < count; ++to) {
    // Cell `to` covers [to · pieces, (to + 1) · pieces) where sample i covers [i · count, (i + 1) · count).
    double sum = 0;
    for (Index i = to * pieces / count; i * count < (to + 1) * pieces; ++i) {
      const Index overlap = std::min((i + 1) * count, (to + 1) * pieces) - std::max(i * count, to * pieces);
      sum += static_cast<double>(overlap) * samples[static_cast<std::size_t>(i)];
    }
    result.push_back(static_cast<float>(sum / static_cast<double>(pieces)));
  }
  return result;
}

}  // namespace headlight
