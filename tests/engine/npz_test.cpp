#include "engine/io/npz.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/safetensors.h"
#include "tests/catch.h"
#include "tests/engine/expected_arrays.h"
#include "tests/missing.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

std::string bytes_of_corpus(const std::string& file) {
  return read_file(corpus(file), 1 << 20).value();
}

// The bytes with others put at a place, which negative numbers count from the end.
std::string patched(std::string bytes, long place, const std::string& with) {
  const std::size_t at = place < 0 ? bytes.size() - static_cast<std::size_t>(-place) : static_cast<std::size_t>(place);
  return bytes.replace(at, with.size(), with);
}

long place_of(const std::string& bytes, const std::string& text) {
  return static_cast<long>(bytes.find(text));
}

}  // namespace

TEST_CASE("every .npz file of NumPy's reads as NumPy reads it") {
  const auto file = GENERATE(as<std::string>(), "every_type.npz", "every_type_deflated.npz", "commented.npz",
                             "no_members.npz", "zip64.npz", "streamed.npz", "streamed_deflated.npz");
  CHECK(corpus_difference(file) == "");
}

TEST_CASE("an array of many buffers reads whole, in either order") {
  const auto arrays = read_npz(corpus("large.npz"));
  REQUIRE(arrays);
  REQUIRE(arrays->size() == 2);
  for (const NamedArray& array : *arrays) {
    REQUIRE(array.values.shape() == Shape{4, 250, 100});
    for (Index i = 0; i < array.values.size(); ++i)
      if (array.values[i] != static_cast<float>(i % 97)) FAIL(array.name << " at " << i);
  }
}

TEST_CASE("arrays written as .npz come back, and the bytes are always the same") {
  const Scratch scratch;
  const Tensor a = Tensor::from({2, 2}, std::vector<float>{1, -0.0F, INFINITY, NAN});
  const Tensor b = Tensor::from({}, std::vector<float>{7});
  const Tensor c({0, 3});
  const std::vector<ArrayToWrite> arrays{{"z", a}, {"größe", b}, {"a/b.npy", c}};
  REQUIRE(write_npz(scratch / "1.npz", arrays));
  REQUIRE(write_npz(scratch / "2.npz", arrays));
  CHECK(read_file(scratch / "1.npz", 9999).value() == read_file(scratch / "2.npz", 9999).value());
  const auto back = read_npz(scratch / "1.npz");
  REQUIRE(back);
  REQUIRE(back->size() == arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    CHECK(difference((*back)[i], {arrays[i].name, arrays[i].values, "float32", false}) == "");
}

TEST_CASE("70 000 arrays need a zip64 directory, and come back") {
  const Scratch scratch;
  const Tensor one = Tensor::from({}, std::vector<float>{1});
  std::vector<ArrayToWrite> arrays;
  for (int i = 0; i < 70000; ++i) arrays.push_back({std::to_string(i), one});
  REQUIRE(write_npz(scratch / "many.npz", arrays));
  const auto back = read_npz(scratch / "many.npz");
  REQUIRE(back);
  REQUIRE(back->size() == arrays.size());
  CHECK(back->back().name == "69999");
}

TEST_CASE("arrays beyond 4 GiB are written and read in zip64", "[.][large]") {  // 5 GiB of memory, 10 of disk
  const Scratch scratch;
  Tensor tensor({(Index{1} << 30) + 5});
  tensor[tensor.size() - 1] = 3;
  const Tensor last = Tensor::from({1}, std::vector<float>{4});
  REQUIRE(write_npz(scratch / "large.npz", {{"large", tensor}, {"last", last}}));
  tensor = Tensor();
  const std::string numpy =
      "import numpy, sys; a = numpy.load(sys.argv[1]); assert a['large'][-1] == 3 and a['last'] == 4";
  CHECK(std::system(("/usr/bin/python3 -c \"" + numpy + "\" '" + (scratch / "large.npz").string() + "'").c_str()) == 0);
  const auto back = read_npz(scratch / "large.npz");
  REQUIRE(back);
  const Tensor& large = (*back)[0].values;
  CHECK(large.size() == (Index{1} << 30) + 5);
  CHECK(large[large.size() - 1] == 3);
  CHECK((*back)[1].values[0] == 4);
}

TEST_CASE("arrays that cannot stand side by side are not written") {
  const Scratch scratch;
  const auto path = scratch / "x.npz";
  const Tensor t({1});
  const Tensor none;
  CHECK(reason(write_npz(path, {{"a", t}, {"a", t}}), path) == "a: two arrays have this name");
  CHECK(reason(write_npz(path, {{"", t}}), path) == "an array has no name");
  CHECK(reason(write_npz(path, {{"a\n", t}}), path) == "a?: the name of the array has a control character in it");
  CHECK(reason(write_npz(path, {{"\xFF", t}}), path) == "the name of an array is not valid UTF-8");
  CHECK(reason(write_npz(path, {{"\xED\xA0\x80", t}}), path) == "the name of an array is not valid UTF-8");
  CHECK(reason(write_npz(path, {{"a", none}}), path) == "a: there is no array to write");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a damaged .npz file is refused with its reason") {
  const Scratch scratch;
  const std::string plain = bytes_of_corpus("streamed.npz");
  const std::string packed = bytes_of_corpus("streamed_deflated.npz");
  const long entry = place_of(plain, "PK\x01\x02");
  const long packed_entry = place_of(packed, "PK\x01\x02");
  const std::string huge = "\xFE\xFF\xFF\xFF";
  const std::string end = "the zip's directory is missing; the file was cut short or is damaged";
  const auto [bytes, expected] = GENERATE_COPY(table<std::string, std::string>({
      {plain.substr(0, plain.size() - 1), end},
      {plain.substr(0, 100), end},
      {plain + "more", end},
      {patched(plain, -6, huge), "the zip's directory is out of the file; the file was cut short or is damaged"},
      {patched(plain, -12, "\x03"), "is one part of a zip in several parts; only whole ones are read"},
      {patched(plain, -14, std::string("\x03\0\x03\0", 4)), "the zip's directory has 4 entries instead of 3"},
      {patched(plain, entry, "X"), "the zip's directory is damaged"},
      {patched(plain, entry + 8, "\x09"), "w_q: is encrypted"},
      {patched(plain, entry + 10, "\x0E"),
       "w_q: is compressed by method 14; only stored and deflated members are read"},
      {patched(plain, entry + 20, "\x01"), "w_q: is stored, but has two sizes, 1 and 176 bytes"},
      {patched(patched(plain, entry + 20, huge), entry + 24, huge), "w_q: its bytes are out of the file"},
      {patched(plain, entry + 42, huge), "w_q: its bytes are out of the file"},
      {patched(plain, entry + 46, "v"), "v_q: has another name in its header, 'w_q.npy'"},
      {patched(plain, entry + 46, "\n"), "?_q.npy: the name of the array has a control character in it"},
      {patched(plain, 0, "X"), "w_q: its header in the zip is damaged"},
      {patched(plain, 8, "\x08"), "w_q: has another compression in its header"},
      {patched(plain, place_of(plain, "NUMPY") - 1, "X"), "w_q: is not an .npy array"},
      {patched(plain, place_of(plain, "(2, 3, 2)"), "(9, 3, 2)"), "w_q: the file ends after 48 of 216 bytes of data"},
      {patched(plain, place_of(plain, "(2, 3, 2)"), "(1, 3, 2)"),
       "w_q: 24 bytes too many follow the array of shape (1, 3, 2)"},
      {patched(plain, place_of(plain, "NUMPY") - 1 + 130, "X"), "w_q: its CRC-32 is wrong; the file is damaged"},
      {patched(packed, packed_entry + 24, huge),
       "w_q: claims to unpack 113 bytes to 4294967294, more than deflate can do"},
      {patched(packed, packed_entry + 24, "\xAF"), "w_q: the file ends after 47 of 48 bytes of data"},
      {patched(packed, packed_entry + 24, "\xB1"), "w_q: 1 bytes too many follow the array of shape (2, 3, 2)"},
      {patched(packed, 37, "\xFF\xFF\xFF"), "w_q: its compressed data is damaged"},
  }));
  REQUIRE(write_file(scratch / "x.npz", bytes));
  CHECK(reason(read_npz(scratch / "x.npz"), scratch / "x.npz") == expected);
}

TEST_CASE("members of one name, members in each other and claims beyond reason are refused") {
  const auto [file, expected] = GENERATE(table<std::string, std::string>({
      {"twice", "x: two arrays have this name"},
      {"twice_stripped", "x: two arrays have this name"},
      {"overlapping", "inner: overlaps outer"},
      {"huge", "x: the file ends after 0 of 4000000000000 bytes of data"},
      {"huge_claim", "x: claims to unpack 70 bytes to 4000000000128, more than deflate can do"},
      {"too_long", "x: unpacks to more bytes than it claims"},
      {"more_after", "x: has bytes left after its compressed data"},
      {"ends_early", "x: its compressed data ends too early"},
      {"lzma", "x: is compressed by method 14; only stored and deflated members are read"},
      {"foreign", "notes.txt: is not an .npy array"},
  }));
  const auto path = corpus("refused/" + file + ".npz");
  CHECK(reason(read_npz(path), path) == expected);
}

TEST_CASE("a packed file cannot claim gibibytes") {
  const Scratch scratch;
  const Tensor t({300000});
  REQUIRE(write_npz(scratch / "x.npz", {{"t", t}}));
  std::string bytes = read_file(scratch / "x.npz", 1 << 21).value();
  const long entry = place_of(bytes, "PK\x01\x02");
  bytes = patched(patched(bytes, 8, "\x08"), entry + 10, "\x08");
  const std::uint32_t claim = 1200000000;
  bytes = patched(bytes, entry + 24, std::string(reinterpret_cast<const char*>(&claim), 4));
  REQUIRE(write_file(scratch / "x.npz", bytes));
  CHECK(reason(read_npz(scratch / "x.npz"), scratch / "x.npz") ==
        fmt::format("t: would unpack to 1200000000 bytes, too many for a file of {} bytes", bytes.size()));
}

TEST_CASE("what Headlight writes, NumPy reads") {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    test::left_out("/usr/bin/python3 has no NumPy; install python3-numpy");
    return;
  }
  const Scratch scratch;
  const Tensor z = Tensor::from({2, 3}, std::vector<float>{1, -0.0F, INFINITY, NAN, 0.1F, 1e-45F});
  const Tensor scalar = Tensor::from({}, std::vector<float>{7});
  const Tensor empty({0, 3});
  const std::vector<ArrayToWrite> arrays{{"z", z}, {"größe", scalar}, {"empty", empty}};
  REQUIRE(write_npy(scratch / "z.npy", z));
  REQUIRE(write_npz(scratch / "all.npz", arrays));
  REQUIRE(write_safetensors(scratch / "all.safetensors", arrays));
  const std::string check = HEADLIGHT_SOURCE_DIR "/tests/data/check_written.py";
  CHECK(std::system(("/usr/bin/python3 '" + check + "' '" + (scratch / "").string() + "'").c_str()) == 0);
}
