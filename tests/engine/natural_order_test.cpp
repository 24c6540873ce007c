#include "engine/core/natural_order.h"

#include <string.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.h"

using headlight::natural_order;

TEST_CASE("names with numbers stand in the order of the numbers") {
  CHECK(natural_order("arr_9", "arr_10") < 0);
  CHECK(natural_order("layer_2.x", "layer_1.x") > 0);
  CHECK(natural_order("a", "a") == 0);
  std::vector<std::string> names{"10", "9", "1", "0", "09", "010", "01", "00", "000"};
  std::ranges::sort(names, [](const auto& a, const auto& b) { return natural_order(a, b) < 0; });
  CHECK(names == std::vector<std::string>{"000", "00", "01", "010", "09", "0", "1", "9", "10"});
}

TEST_CASE("names stand in the order of the C library's strverscmp") {
  const auto sign = [](int order) { return (order > 0) - (order < 0); };
  std::mt19937 random(1);
  const std::string letters = "00019a.\xC3";
  const auto name = [&] {
    std::string text;
    for (auto i = random() % 7; i > 0; --i) text += letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::string a = name(), b = name();
    if (sign(natural_order(a, b)) == sign(::strverscmp(a.c_str(), b.c_str()))) continue;
    FAIL("\"" << a << "\" and \"" << b << "\"");
  }
}
