#include "engine/io/npy.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/io/element_type.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/engine/expected_arrays.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

// An .npy file of version 1.0 with any header and data.
std::string npy(const std::string& header, const std::string& data) {
  const std::string length{static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + header + data;
}

// IEEE 754 binary16 from its definition: the oracle for float_from_half.
float half_by_definition(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction == 0 ? static_cast<float>(sign * INFINITY) : NAN;
  if (exponent == 0) return static_cast<float>(sign * std::ldexp(fraction, -24));
  return static_cast<float>(sign * std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

TEST_CASE("every .npy file of NumPy's reads as NumPy reads it") {
  const auto file = GENERATE(as<std::string>(), "version_1.npy", "version_2.npy", "version_3.npy", "scalar.npy",
                             "empty.npy", "vector_fortran.npy", "matrix_fortran.npy", "halves.npy");
  CHECK(corpus_difference(file) == "");
}

TEST_CASE("every half reads as its definition says, and bfloat16 as half a float32") {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!same_value(float_from_half(half), half_by_definition(half))) FAIL("half " << bits);
    if (!same_value(float_from_bfloat16(half), std::bit_cast<float>(bits * 65536U))) FAIL("bfloat16 " << bits);
  }
}

TEST_CASE("a tensor written as .npy comes back bit for bit") {
  const Scratch scratch;
  const float inf = std::numeric_limits<float>::infinity();
  const auto shape = GENERATE(Shape{}, Shape{1}, Shape{2, 3}, Shape{0, 4}, Shape{2, 1, 1, 2, 1, 1, 1, 3});
  Tensor tensor(shape);
  const std::vector<float> values{-0.0F, 1e-45F, inf, -inf, 3.4028235e38F, 0.1F};
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = values[static_cast<std::size_t>(i) % values.size()];
  REQUIRE(write_npy(scratch / "t.npy", tensor));
  const auto array = read_npy(scratch / "t.npy");
  REQUIRE(array);
  CHECK(difference(*array, {"t", tensor, "float32", false}) == "");
  CHECK(read_file(scratch / "t.npy", 1000).value().find('\n') % 64 == 63);
}

TEST_CASE("headers that other programs write are understood") {
  const Scratch scratch;
  const auto header = GENERATE(as<std::string>(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n",
                               "{\"shape\":(2L,),\"descr\":\"=f4\",\"fortran_order\":False}",
                               " { 'fortran_order' : True , 'shape' : ( 2 ) , 'descr' : 'f4' } ");
  REQUIRE(write_file(scratch / "x.npy", npy(header, std::string("\0\0\x80\x3F\0\0\0\x40", 8))));
  const auto array = read_npy(scratch / "x.npy");
  REQUIRE(array);
  CHECK(difference(*array, {"x", Tensor::from({2}, std::vector<float>{1, 2}), "float32", false}) == "");
}

TEST_CASE("what is not a plain number is refused by name") {
  const auto [file, expected] = GENERATE(table<std::string, std::string>({
      {"complex", "holds complex numbers (dtype '<c16'); only floats, integers and booleans are read"},
      {"objects", "holds Python objects: save the arrays with np.savez(FILE, *list)"},
      {"text", "holds text (dtype '<U3'); only floats, integers and booleans are read"},
      {"bytes", "holds text (dtype '|S3'); only floats, integers and booleans are read"},
      {"records", "holds records with fields; only plain floats, integers and booleans are read"},
      {"dates", "holds dates or times (dtype '<M8[D]'); only floats, integers and booleans are read"},
      {"raw", "holds raw bytes (dtype '|V2'); only floats, integers and booleans are read"},
      {"long_double", "holds values of another type (dtype '<f16'); only floats, integers and booleans are read"},
      {"beyond", "element (1, 0) is 1e+39, beyond float32's range of ±3.4e38; use inf, or a smaller number"},
      {"beyond_fortran", "element (1, 0) is 1e+39, beyond float32's range of ±3.4e38; use inf, or a smaller number"},
  }));
  const auto path = corpus("refused/" + file + ".npy");
  CHECK(reason(read_npy(path), path) == expected);
}

TEST_CASE("a damaged .npy file is refused with its reason") {
  const Scratch scratch;
  const auto dictionary = [](const std::string& shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  const auto [bytes, expected] = GENERATE_COPY(table<std::string, std::string>({
      {npy(dictionary("(4, 256)"), std::string(100, 'x')), "the file ends after 100 of 4096 bytes of data"},
      {npy(dictionary("(1000000, 1000000)"), "xxxx"), "the file ends after 4 of 4000000000000 bytes of data"},
      {npy(dictionary("(9000000000, 9000000000)"), ""), "shape (9000000000, 9000000000) has too many elements to hold"},
      {npy(dictionary("(99999999999999999999,)"), ""), "the shape has too many elements to hold"},
      {npy(dictionary("(" + ones + ")"), "1234"), "the shape has more than 64 axes"},
      {npy(dictionary("(-1,)"), ""), "shape (-1,) has a negative extent"},
      {npy(dictionary("(1,)"), "12345"), "1 bytes too many follow the array of shape (1,)"},
      {npy(dictionary("(a,)"), ""), "the .npy header is damaged: 'shape' holds something that is not a number"},
      {npy(dictionary("[1]"), ""), "the .npy header is damaged: 'shape' does not start with ("},
      {npy(dictionary("(1 2)"), ""), "the .npy header is damaged: 'shape' does not end with )"},
      {npy(dictionary("(1,), 'x\n': 1"), ""), "the .npy header is damaged: it has a key too many, 'x?'"},
      {npy("{'descr': '<f4', 'shape': (1,)}", ""),
       "the .npy header is damaged: it lacks 'descr', 'fortran_order' or 'shape'"},
      {npy("{'descr': <f4, 'shape': (1,)}", ""), "the .npy header is damaged: a quote is missing"},
      {npy("{'fortran_order': 0}", ""), "the .npy header is damaged: 'fortran_order' is neither True nor False"},
      {npy("", ""), "the .npy header is damaged: it does not start with {"},
      {npy(dictionary("()") + "}", "1234"), "the .npy header is damaged: it goes on after its }"},
      {npy(dictionary("()"), "").substr(0, 20), "the file ends inside its .npy header"},
      {std::string("\x93NUMPY\x04\x00\x00\x00", 10), "has version 4 of the .npy format; 1 to 3 are read"},
      {std::string("\x93NUMPY\x02\x00\x00\x00\x00\x7F", 12),
       "has an .npy header of 2130706432 bytes; at most 1048576 are read"},
      {"not an array", "is not an .npy array"},
      {"", "the file ends inside its .npy header"},
  }));
  REQUIRE(write_file(scratch / "x.npy", bytes));
  CHECK(reason(read_npy(scratch / "x.npy"), scratch / "x.npy") == expected);
}

TEST_CASE("a file that is no array at all is refused") {
  const Scratch scratch;
  REQUIRE(write_file(scratch / "x", "just some words"));
  CHECK(reason(read_arrays(scratch / "x"), scratch / "x") ==
        "is not a .npz, .npy, .safetensors, .gguf, .pt or .bin file");
  REQUIRE(write_file(scratch / "x", ""));
  CHECK(reason(read_arrays(scratch / "x"), scratch / "x") ==
        "is empty; a .npz, .npy, .safetensors, .gguf, .pt or .bin file is needed");
  CHECK(reason(read_arrays(scratch / "none"), scratch / "none") == "does not exist");
}

TEST_CASE("doubles up to float32's largest are rounded, and the next are refused") {
  const Scratch scratch;
  const auto read = [&](double value) {
    const std::string data(reinterpret_cast<const char*>(&value), sizeof value);
    REQUIRE(write_file(scratch / "x.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", data)));
    return read_npy(scratch / "x.npy");
  };
  const double halfway = 0x1.ffffffp127;
  CHECK(read(std::nextafter(halfway, 0)).value().values[0] == std::numeric_limits<float>::max());
  CHECK(read(-std::nextafter(halfway, 0)).value().values[0] == std::numeric_limits<float>::lowest());
  CHECK_FALSE(read(halfway));
  CHECK_FALSE(read(-halfway));
  CHECK(std::isinf(read(-INFINITY).value().values[0]));
}
