// Files of llama.cpp: what is said, how blocks of few bits are read, and what a header may not claim.
#include "engine/io/gguf.h"

#include <cstring>
#include <string>
#include <vector>

#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

template <typename T>
std::string bytes(T value) {
  std::string text(sizeof(T), '\0');
  std::memcpy(text.data(), &value, sizeof(T));
  return text;
}

std::string text(const std::string& words) {
  return bytes<std::uint64_t>(words.size()) + words;
}

// A pair of the header.
std::string said(const std::string& key, std::uint32_t type, const std::string& value) {
  return text(key) + bytes(type) + value;
}

struct Block {
  std::string name;
  std::vector<std::uint64_t> extents;  // the fastest first
  std::uint32_t type;
  std::string numbers;
};

// Numbers of each array begin at a multiple of 32.
std::string file_of(const std::vector<std::string>& pairs, const std::vector<Block>& arrays,
                    std::uint32_t version = 3) {
  std::string file = "GGUF" + bytes(version) + bytes<std::uint64_t>(arrays.size()) + bytes<std::uint64_t>(pairs.size());
  for (const std::string& pair : pairs) file += pair;
  std::string data;
  for (const Block& array : arrays) {
    file += text(array.name) + bytes(static_cast<std::uint32_t>(array.extents.size()));
    for (const std::uint64_t extent : array.extents) file += bytes(extent);
    data.resize((data.size() + 31) / 32 * 32);
    file += bytes(array.type) + bytes<std::uint64_t>(data.size());
    data += array.numbers;
  }
  file.resize((file.size() + 31) / 32 * 32);
  return file + data;
}

std::string why_not(const std::string& file) {
  const Scratch scratch;
  const auto path = scratch / "x.gguf";
  REQUIRE(write_file(path, file));
  const auto opened = open_gguf(path);
  if (!opened) return opened.error().message.substr(path.string().size() + 2);
  return "no error";
}

std::vector<float> numbers_of(std::uint32_t type, std::uint64_t count, const std::string& numbers) {
  const Scratch scratch;
  const auto path = scratch / "x.gguf";
  REQUIRE(write_file(path, file_of({}, {{"x", {count}, type, numbers}})));
  const auto opened = open_gguf(path);
  REQUIRE(opened);
  const auto array = opened->arrays->read(0);
  REQUIRE(array);
  return {array->values.values().begin(), array->values.values().end()};
}

const std::string half_two = bytes<std::uint16_t>(0x4000), half_one = bytes<std::uint16_t>(0x3C00);

}  // namespace

TEST_CASE("a file of llama.cpp says what it is of, and its shapes stand with the slowest extent first") {
  const Scratch scratch;
  const auto path = scratch / "x.gguf";
  const std::vector<std::string> pairs{
      said("general.architecture", 8, text("llama")), said("llama.block_count", 4, bytes<std::uint32_t>(7)),
      said("llama.eps", 6, bytes(0.5F)),
      said("words", 9, bytes<std::uint32_t>(8) + bytes<std::uint64_t>(2) + text("a") + text("b"))};
  const std::string six = bytes(0.F) + bytes(1.F) + bytes(2.F) + bytes(3.F) + bytes(4.F) + bytes(5.F);
  REQUIRE(write_file(path, file_of(pairs, {{"first", {1}, 0, bytes(9.F)}, {"blk.0.attn_q.weight", {3, 2}, 0, six}})));
  const auto opened = open_gguf(path);
  REQUIRE(opened);
  CHECK(std::get<std::string>(opened->pairs.at("general.architecture")) == "llama");
  CHECK(std::get<std::int64_t>(opened->pairs.at("llama.block_count")) == 7);
  CHECK(std::get<double>(opened->pairs.at("llama.eps")) == 0.5);
  CHECK(std::get<std::vector<std::string>>(opened->pairs.at("words")) == std::vector<std::string>{"a", "b"});
  CHECK(opened->arrays->entries()[1].shape == Shape{2, 3});
  CHECK(opened->arrays->read(1)->values.at({1, 0}) == 3);
  CHECK(open_arrays(path).value()->entries().size() == 2);
}

TEST_CASE("blocks of few bits are read number by number") {
  std::string q8 = half_two, q4 = half_two;
  for (int i = 0; i < 32; ++i) q8 += static_cast<char>(i - 16);
  const auto eights = numbers_of(8, 32, q8);
  CHECK((eights[0] == -32 && eights[16] == 0 && eights[31] == 30));
  for (int i = 0; i < 16; ++i) q4 += static_cast<char>(i | (15 - i) << 4);
  const auto fours = numbers_of(2, 32, q4);  // 2 · (q − 8)
  CHECK((fours[0] == -16 && fours[15] == 14 && fours[16] == 14 && fours[31] == -16));
  // Parts 0 to 3 have their six bits at hand, 4 to 7 in two places: S of part 4 is 5 + 16 · 2, N 9 + 16 · 3.
  std::string k = half_two + half_one, scales(12, '\0');
  scales[0] = static_cast<char>(1 | 2 << 6);
  scales[4] = static_cast<char>(3 | 3 << 6);
  scales[8] = static_cast<char>(5 | 9 << 4);
  k += scales + std::string(128, static_cast<char>(4 | 7 << 4));
  const auto ks = numbers_of(12, 256, k);
  CHECK(ks[0] == 2 * 1 * 4 - 3);            // part 0: S 1, N 3
  CHECK(ks[32] == 0);                       // part 1: S 0, N 0
  CHECK(ks[128] == 2 * (5 + 32) * 4 - 57);  // part 4
  std::string six(128, static_cast<char>(1 | 2 << 4));
  six += std::string(64, static_cast<char>(0b11'10'01'00)) + std::string(16, '\1') + half_one;
  const auto sixes = numbers_of(14, 256, six);
  CHECK((sixes[0] == 1 - 32 && sixes[32] == 17 - 32 && sixes[64] == 34 - 32 && sixes[96] == 50 - 32));
}

TEST_CASE("a header of llama.cpp that lies is refused in a line") {
  CHECK(why_not(file_of({}, {}, 1)) == "is of version 1: 2 and 3 are read");
  CHECK(why_not("GGUF" + bytes<std::uint32_t>(3) + bytes(~std::uint64_t{0}) + bytes<std::uint64_t>(0))
            .starts_with("claims 18446744073709551615 arrays"));
  CHECK(why_not(file_of({bytes(~std::uint64_t{0})}, {})).starts_with("a key of 18446744073709551615 bytes"));
  CHECK(why_not(file_of({said("a", 9, bytes<std::uint32_t>(9) + bytes<std::uint64_t>(1))}, {})) ==
        "a: a list of lists is not read");
  CHECK(why_not(file_of({said("a", 9, bytes<std::uint32_t>(0) + bytes<std::uint64_t>(1U << 30))}, {}))
            .starts_with("a: a list of 1073741824 values"));
  CHECK(why_not(file_of({said("a", 99, "")}, {})) == "a: a value is of type 99, which the format does not have");
  const std::string pair = said("a", 7, bytes<std::uint8_t>(1));
  CHECK(why_not(file_of({pair, pair}, {})) == "a is said twice");
  CHECK(why_not(file_of({}, {{"x", {4}, 10, ""}})) == "x is Q2_K: F32, F16, BF16, Q8_0, Q4_0, Q4_K and Q6_K are read");
  CHECK(why_not(file_of({}, {{"x", {4}, 0, bytes(1.F)}})) == "x: its numbers do not lie in the file");
  CHECK(why_not(file_of({}, {{"x", {33}, 8, ""}})) == "x: its rows of 33 are no whole blocks of 32");
  CHECK(why_not(file_of({}, {{"x", {std::uint64_t{1} << 60}, 0, ""}})).find("has an extent of") != std::string::npos);
  CHECK(why_not(file_of({}, {{"x", {1}, 0, bytes(1.F)}, {"x", {1}, 0, bytes(1.F)}})) == "x: two arrays have this name");
  CHECK(why_not(std::string("GGUF").append(3, '\0')) != "no error");
}
