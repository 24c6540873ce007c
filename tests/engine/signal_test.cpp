#include "engine/io/signal.h"

#include <bit>
#include <limits>

#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/picture_files.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;
using namespace std::string_literals;

namespace {

using Samples = std::vector<float>;

std::string csv_error(const std::string& text, const std::string& column = "") {
  const auto samples = decode_csv(text, column);
  return samples ? "" : samples.error().message;
}

std::string wav_error(const std::string& bytes) {
  const auto samples = decode_wav(bytes);
  return samples ? "" : samples.error().message;
}

}  // namespace

TEST_CASE("a column by name, by number, or the last, with a header or without") {
  const std::string text = "t, y ,\"a \"\"z\"\"\"\n0,1.5,\"7\"\r\n\n1,-2e1,+8\n";
  CHECK(decode_csv(text, "y").value() == Samples{1.5F, -20});
  CHECK(decode_csv(text, "0").value() == Samples{0, 1});
  CHECK(decode_csv(text, "a \"z\"").value() == Samples{7, 8});
  CHECK(decode_csv(text, "").value() == Samples{7, 8});
  CHECK(decode_csv("1;2\n3;4", "1").value() == Samples{2, 4});
  CHECK(decode_csv("1,5;2\n3;4", "1").value() == Samples{2, 4});  // a comma does not separate where a semicolon does
  CHECK(decode_csv("x\ty\n3\t4", "x").value() == Samples{3});
  CHECK(decode_csv("\xEF\xBB\xBFy\n3", "y").value() == Samples{3});
  CHECK(decode_csv("4", "").value() == Samples{4});
}

TEST_CASE("what is wrong with a table is said with its line and column") {
  CHECK(csv_error("t,y\n0,1\n\n1,n/a\n", "y") == "column y, line 4: \"n/a\" is not a number: write it as 1.5 or -2e3");
  CHECK(csv_error("1,2\n1,2,5\n", "1") == "line 2: the line has 3 fields, and the first 2");
  CHECK(csv_error("1;2\n1;2,5,5\n") == "column 1, line 2: \"2,5,5\" is not a number: write it as 1.5 or -2e3");
  CHECK(csv_error("1\nnan") == "column 0, line 2: \"nan\" is not a number: write it as 1.5 or -2e3");
  CHECK(csv_error("1\n1e99") == "column 0, line 2: \"1e99\" is not a number: write it as 1.5 or -2e3");
  // A typing error on the first line is no name of a column.
  CHECK(csv_error("0.x1\n2\n") ==
        "line 1: \"0.x1\" is not a number: write it as 1.5 or -2e3; as a name give it as \"column\"");
  CHECK(csv_error("0.5,1,0.x1\n1,2,3\n").starts_with("line 1: \"0.x1\" is not a number"));
  CHECK(csv_error("0.5,nan\n1,2\n").starts_with("line 1: \"nan\" is not a number"));
  CHECK(decode_csv("year,1,2,3,total\n1,2,3,4,5\n", "").value() == Samples{5});
  CHECK(decode_csv("0.5,1,0.x1\n1,2,3\n", "1").value() == Samples{1, 2});
  CHECK(decode_csv("2nd\n3\n", "2nd").value() == Samples{3});
  CHECK(decode_csv("t,2nd\n0,3\n", "").value() == Samples{3});
  CHECK(csv_error("t,y\n0\n", "y") == "column y, line 2: the line has only 1 fields");
  CHECK(csv_error("t,y\n0,1\n", "z") == "there is no column z: it has t, y");
  CHECK(csv_error("1,2\n", "2") == "there is no column 2: it has 0, 1");
  CHECK(csv_error("t,y\n") == "column y has no samples: there is nothing below the header");
  CHECK(csv_error("") == "this file is empty: it must be a table of numbers (CSV) or a WAV");
  CHECK(csv_error("y\n1\n\"2") == "line 3: a quote is opened and never closed");
}

TEST_CASE("WAVs of every width, several channels by their mean") {
  CHECK(decode_wav(wav_bytes({.bits = 8, .data = "\x00\x80\xC0"s})).value() == Samples{-1, 0, 0.5F});
  CHECK(decode_wav(wav_bytes({.bits = 16, .data = "\x00\x80\x00\x40"s})).value() == Samples{-1, 0.5F});
  CHECK(decode_wav(wav_bytes({.bits = 24, .data = "\x00\x00\x80\x00\x00\x40"s})).value() == Samples{-1, 0.5F});
  CHECK(decode_wav(wav_bytes({.bits = 32, .data = "\x00\x00\x00\xC0"s})).value() == Samples{-0.5F});
  const std::string quarter = little(std::bit_cast<std::uint32_t>(0.25F), 4);
  CHECK(decode_wav(wav_bytes({.format = 3, .bits = 32, .data = quarter})).value() == Samples{0.25F});
  CHECK(decode_wav(wav_bytes({.channels = 2, .bits = 8, .data = "\x00\x80\xC0\x80"s})).value() ==
        Samples{-0.5F, 0.25F});
}

TEST_CASE("WAVs that are broken or of another kind") {
  const std::string sound = wav_bytes({.bits = 8, .data = "\x01\x02"s});
  CHECK(wav_error(sound.substr(0, sound.size() - 1)) ==
        "a damaged WAV: its chunk \"data\" claims 2 bytes and 1 are left");
  CHECK(wav_error(sound.substr(0, 36)) == "a damaged WAV: there are no samples in it");
  CHECK(wav_error(wav_bytes({.data = ""})) == "a WAV without samples");
  CHECK(wav_error(wav_bytes({.format = 2, .data = "12"})) == "a WAV with compression 2: save it as PCM");
  CHECK(wav_error(wav_bytes({.bits = 12, .data = "12"})) ==
        "a WAV of 12 bits: PCM of 8, 16, 24 and 32 bits and float of 32 bits are read");
  CHECK(wav_error(wav_bytes({.channels = 0, .data = "12"})) == "a damaged WAV: it has no channels");
  const std::string infinity = little(std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity()), 4);
  CHECK(wav_error(wav_bytes({.format = 3, .bits = 32, .data = infinity})) ==
        "a damaged WAV: sample 0 is not a finite number");
}

TEST_CASE("a file's content decides, and a long signal is averaged down") {
  const Scratch folder;
  REQUIRE(write_file(folder / "x.csv", wav_bytes({.bits = 8, .data = "\xC0"s})));
  CHECK(read_signal(folder / "x.csv", "").value() == Samples{0.5F});
  REQUIRE(write_file(folder / "y.wav", ""));
  std::ofstream(folder / "commas.csv") << std::string(70000, ',');
  CHECK(read_signal(folder / "commas.csv", "").error().message.ends_with("the table has more than 65536 fields"));
  CHECK(read_signal(folder / "y.wav", "").error().message.starts_with((folder / "y.wav").string() + ": this file is"));
  CHECK(downsample({1, 3, 5, 7}, 2) == Samples{2, 6});
  CHECK(downsample({0, 3, 0}, 2) == Samples{1, 1});
  CHECK(downsample({1, 2}, 4) == Samples{1, 2});
}

TEST_CASE("decimal commas are read as such, or asked about, and never taken for whole numbers") {
  CHECK(decode_csv("1;2,5\n3;-0,25", "").value() == Samples{2.5F, -0.25F});
  CHECK(decode_csv("t\ty\n0\t1,5", "y").value() == Samples{1.5F});
  CHECK(decode_csv("volts\n1,5\n2,25\n", "").value() == Samples{1.5F, 2.25F});  // one name, one column
  CHECK(decode_csv("volts\r\n1,5\r\n", "volts").value() == Samples{1.5F});
  CHECK(csv_error("1,5\n2,25\n").starts_with("line 1: \"1,5\" may be one number or two"));
  CHECK(decode_csv("1,5\n2,25\n", "1").value() == Samples{5, 25});
  CHECK(decode_csv("1,5,7\n2,25,8\n", "").value() == Samples{7, 8});
}
