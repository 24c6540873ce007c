#include "engine/io/safetensors.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/engine/expected_arrays.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

std::string safetensors(const std::string& header, const std::string& data) {
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<std::uint64_t>(header.size()));
  return std::string(length.data(), length.size()) + header + data;
}

// A header of one array.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

}  // namespace

TEST_CASE("every type of safetensors reads as NumPy reads its bytes") {
  const auto file = GENERATE(as<std::string>(), "every_type.safetensors", "metadata.safetensors");
  CHECK(corpus_difference(file) == "");
}

TEST_CASE("arrays written as safetensors come back in order") {
  const Scratch scratch;
  const Tensor a = Tensor::from({2, 2}, std::vector<float>{1, -0.0F, INFINITY, NAN});
  const Tensor b = Tensor::from({}, std::vector<float>{7});
  const Tensor c({0, 3});
  const std::vector<ArrayToWrite> arrays{{"z", a}, {"\"quoted\\ größe\"", b}, {"empty", c}};
  REQUIRE(write_safetensors(scratch / "x", arrays));
  const auto back = read_arrays(scratch / "x");
  REQUIRE(back);
  REQUIRE(back->size() == arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    CHECK(difference((*back)[i], {arrays[i].name, arrays[i].values, "float32", false}) == "");
  REQUIRE(write_safetensors(scratch / "none", {}));
  CHECK(read_arrays(scratch / "none").value().empty());
  CHECK(reason(write_safetensors(scratch / "y", {{"__metadata__", a}}), scratch / "y") ==
        "__metadata__ cannot be the name of an array");
  CHECK(reason(write_safetensors(scratch / "y", {{"a", a}, {"a", a}}), scratch / "y") ==
        "a: two arrays have this name");
}

TEST_CASE("a damaged safetensors file is refused with its reason") {
  const Scratch scratch;
  const std::string damaged = "the header is damaged: ";
  const std::string entry = R"({"dtype":"U8","shape":[2],"data_offsets":)";
  std::string ones;
  for (int i = 0; i < 64; ++i) ones += "1,";
  const std::string deep(200000, '[');
  const auto [bytes, expected] = GENERATE_COPY(table<std::string, std::string>({
      {"{}", "has 2 bytes, too few for a safetensors file"},
      {safetensors("{}", "").substr(0, 9), "the file ends after 1 of 2 bytes of its header"},
      {std::string(7, '\x01') + std::string("\0{}", 3),
       "claims a header of 282578800148737 bytes; at most 100000000 are read"},
      {safetensors(one("F32", "[2,3]", "[0,24]"), std::string(10, 'x')),
       "x: the file ends after 10 of 24 bytes of data"},
      {safetensors(one("F32", "[2,3]", "[0,20]"), std::string(20, 'x')),
       "x: has 20 bytes, but F32 of shape (2, 3) needs 24"},
      {safetensors(one("F32", "[1000000,1000000]", "[0,4000000000000]"), "xxxx"),
       "x: the file ends after 4 of 4000000000000 bytes of data"},
      {safetensors(one("F32", "[9000000000,9000000000]", "[0,4]"), "xxxx"),
       "x: shape (9000000000, 9000000000) has too many elements to hold"},
      {safetensors(one("F32", "[1]", "[18446744073709551612,0]"), "xxxx"),
       "x: its bytes end at 0, before they begin at 18446744073709551612"},
      {safetensors(one("F32", "[1]", "[18446744073709551611,18446744073709551615]"), "xxxx"),
       "x: the file ends after 0 of 4 bytes of data"},
      {safetensors(one("F8_E4M3", "[1]", "[0,1]"), "x"),
       "x: holds values of type F8_E4M3; only floats of 2 to 8 bytes, integers and booleans are read"},
      {safetensors(one("U8", "[1]", "[0,1]"), "xyz"), "2 bytes too many follow the arrays"},
      {safetensors(R"({"a":)" + entry + R"([0,2]},"b":)" + entry + "[1,3]}}", "xyz"),
       "b: its bytes overlap those of another array"},
      {safetensors(R"({"a":)" + entry + R"([0,2]},"b":)" + entry + "[3,5]}}", "vwxyz"),
       "b: 1 bytes before it belong to no array"},
      {safetensors(R"({"a":)" + entry + R"([0,2]},"a":)" + entry + "[2,4]}}", "wxyz"),
       damaged + "it gives the name 'a' twice"},
      {safetensors(R"({"":)" + entry + "[0,2]}}", "yz"), "an array has no name"},
      {safetensors(R"({"a\n":)" + entry + "[0,2]}}", "yz"), "a?: the name of the array has a control character in it"},
      {safetensors(one("U8", "[-1]", "[0,1]"), "x"), damaged + "x has -1 where none belongs"},
      {safetensors(one("U8", "[1.5]", "[0,1]"), "x"), damaged + "x has 1.5 where none belongs"},
      {safetensors(one("U8", "[99999999999999999999]", "[0,1]"), "x"),
       damaged + "x has 99999999999999999999 where none belongs"},
      {safetensors(one("U8", "[9999999999999999999]", "[0,1]"), "x"), damaged + "x has too large a shape"},
      {safetensors(one("U8", "[" + ones + "1]", "[0,1]"), "x"), damaged + "x has more than 64 axes"},
      {safetensors(one("U8", "1", "[0,1]"), "x"), damaged + "x has a number where none belongs"},
      {safetensors(one("U8", "[1]", "[0]"), "x"), damaged + "x lacks 'dtype', 'shape' or 'data_offsets'"},
      {safetensors(one("U8", "[1]", "[0,1,2]"), "x"), damaged + "x has more than two 'data_offsets'"},
      {safetensors(R"({"x":{"dtype":"U8","dtype":"U8"}})", ""), damaged + "x has a key too many, 'dtype'"},
      {safetensors(R"({"x":null})", ""), damaged + "x has null where none belongs"},
      {safetensors(R"({"__metadata__":{"a":1}})", ""), damaged + "it has a number where none belongs"},
      {safetensors("{\"x\":" + deep, ""), damaged + "x has a list where none belongs"},
      {safetensors("{\"x\":", ""), damaged + "it is not JSON from byte 13 on"},
      {safetensors("{\"\xFF\":1}", ""), damaged + "it is not JSON from byte 10 on"},
  }));
  REQUIRE(write_file(scratch / "x", bytes));
  CHECK(reason(read_safetensors(scratch / "x"), scratch / "x") == expected);
}
