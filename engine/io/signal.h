// Signals in one dimension: a column of a CSV file, or a WAV file.
//
// Not for what a signal means to a variant: features.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight {

// The most samples read; five minutes at 48 kHz have 14 million.
inline constexpr Index max_samples = Index{1} << 24;

// One column of a text table, in order. Separated by semicolons, tabs or commas, whichever the first line has, in that
// order; fields may be in double quotes ("" is a quote inside them; RFC 4180). Numbers have a decimal point. The first
// line is a header when the column's field in it is not a number. `column` is a name of the header, or a number from 0;
// empty: the last column, so that a column of times before it does no harm. Blank lines are skipped.
// Errors: "column y, line 7: "n/a" is not a number", no such column (with those that there are), no samples, too many.
Result<std::vector<float>> decode_csv(std::string_view text, const std::string& column);

// What there is to choose from in a signal's file.
struct SignalInfo {
  std::vector<std::string> columns;  // of a table: names of the header, else numbers from 0; one for a WAV
  Index samples = 0;                 // of the column
  double rate = 0;                   // samples a second of a WAV; 0 where the file does not say
};
// Errors: as of read_signal().
Result<SignalInfo> read_signal_info(const std::filesystem::path& path, const std::string& column);

// Samples of a RIFF WAVE file as −1 … 1: PCM of 8, 16, 24 or 32 bits, or float of 32 bits, plain or "extensible".
// Several channels become one by their mean. Sizes in the file are never trusted: a data chunk that claims more than
// there is, is cut off, and is an error. Errors also where a sample is not finite.
Result<std::vector<float>> decode_wav(std::string_view bytes);

// Either of the two; the content decides. Errors begin with the path. `column` is for CSV alone.
Result<std::vector<float>> read_signal(const std::filesystem::path& path, const std::string& column);

// The signal at `count` samples, each the mean of the stretch it covers; as it is when it is no longer than that.
std::vector<float> downsample(const std::vector<float>& samples, Index count);

}  // namespace headlight
