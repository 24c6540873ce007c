// What the axes of a given array mean: every order of letters lays the same numbers in the same places, and what does
// not go together is refused.
#include "engine/io/axes.h"

#include <algorithm>

#include "engine/io/npy.h"
#include "engine/run/inputs.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

const std::map<char, Index> extents{{'b', 2}, {'c', 3}, {'n', 30}, {'t', 2}, {'h', 3}, {'w', 5}};

// Each element tells where it is, whatever the order of the axes: a digit for each letter.
Tensor telling(const std::string& axes) {
  Shape shape;
  for (const char letter : axes) shape.push_back(extents.at(letter));
  Tensor tensor(shape);
  for (Index i = 0; i < tensor.size(); ++i) {
    const auto at = index_at_flat(shape, i);
    double told = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const double digit = axes[axis] == 'b'   ? 10000
                           : axes[axis] == 'c' ? 1000
                           : axes[axis] == 't' ? 100
                           : axes[axis] == 'h' ? 10
                                               : 1;
      told += digit * static_cast<double>(at[axis]);
    }
    tensor[i] = static_cast<float>(told);
  }
  return tensor;
}

ArraySpec rows() {
  return {.id = "x", .title = "", .help = "", .shapes = {{"B", "n", "d"}}, .layout = Layout::rows};
}
ArraySpec grid(std::size_t rank) {
  const std::vector<std::vector<std::string>> shapes{{"B", "C", "L"}, {"B", "C", "H", "W"}, {"B", "C", "T", "H", "W"}};
  return {.id = "x", .title = "", .help = "", .shapes = {shapes[rank - 3]}, .layout = Layout::grid};
}

}  // namespace

TEST_CASE("every order of the axes puts each number in its place") {
  std::string axes = "bchw";
  std::ranges::sort(axes);
  do {
    INFO(axes);
    REQUIRE(check_axes(axes));
    const Tensor given = telling(axes);
    const Tensor picture = laid_out(given, axes, grid(4)), list = laid_out(given, axes, rows());
    REQUIRE(picture.shape() == Shape{2, 3, 3, 5});
    CHECK(picture.at({1, 2, 1, 4}) == 12014);
    CHECK(picture.at({0, 1, 2, 0}) == 1020);
    REQUIRE(list.shape() == Shape{2, 15, 3});
    CHECK(list.at({1, 1 * 5 + 4, 2}) == 12014);
    CHECK(laid_out(given, axes, grid(5)).shape() == Shape{2, 3, 1, 3, 5});
  } while (std::ranges::next_permutation(axes).found);
}

TEST_CASE("frames are a volume, or items of a mechanism of pictures") {
  for (const std::string axes : {"btchw", "bcthw", "bthwc"}) {
    INFO(axes);
    const Tensor given = telling(axes);
    CHECK(laid_out(given, axes, grid(5)).at({1, 2, 1, 2, 3}) == 12123);
    const Tensor pictures = laid_out(given, axes, grid(4));
    REQUIRE(pictures.shape() == Shape{4, 3, 3, 5});
    CHECK(pictures.at({1 * 2 + 1, 2, 2, 3}) == 12123);
    CHECK(laid_out(given, axes, rows()).at({1, (1 * 3 + 2) * 5 + 3, 2}) == 12123);
  }
}

TEST_CASE("what is left out has one element") {
  CHECK(laid_out(telling("hw"), "hw", grid(4)).shape() == Shape{1, 1, 3, 5});
  CHECK(laid_out(telling("cn"), "cn", rows()).shape() == Shape{1, 30, 3});
  CHECK(laid_out(telling("cn"), "cn", rows()).at({0, 29, 2}) == 2029);
  CHECK(laid_out(telling("nc"), "nc", grid(3)).at({0, 2, 29}) == 2029);
}

TEST_CASE("axes are a letter each, and positions go together") {
  for (const char* wrong : {"", "c", "bc", "hc", "nh", "nhw", "tc", "tn", "bchww", "bcxy", "NCHW"}) {
    INFO(wrong);
    CHECK_FALSE(check_axes(wrong));
  }
  CHECK(check_axes("nchw").error().message ==
        "\"nchw\" has n, positions in a row, beside rows and columns: items of a batch are b");
  for (std::size_t rank = 1; rank <= 5; ++rank)
    for (const auto& axes : axes_of_rank(rank)) {
      INFO(axes);
      CHECK(axes.size() == rank);
      CHECK(check_axes(axes));
    }
  CHECK(axes_of_rank(0).empty());
  CHECK(axes_of_rank(6).empty());
  CHECK(check_axes("chw", Shape{1, 2, 3, 4}).error().message ==
        "\"chw\" names 3 axes, but the array has 4, (1, 2, 3, 4)");
  CHECK(axes_in_words("chw", {16, 7, 1}) == "16 channels · 7 rows · 1 column");
}

TEST_CASE("an experiment says what an array's axes mean, and the mechanism gets it in its own order") {
  const Scratch folder;
  REQUIRE(write_npy(folder / "hwc.npy", telling("hwc")));
  const auto prepared = [&](const std::string& variant, const std::string& id, const std::string& axes,
                            const std::string& more = "") {
    const auto experiment =
        parse_experiment(R"({"variant":")" + variant + R"(","inputs":{")" + id + R"(":{"npy":"hwc.npy","axes":")" +
                             axes + "\"}}" + more + R"(,"weights":{"init":"normal"}})",
                         folder / "", "");
    REQUIRE(experiment);
    auto problem = prepare(*experiment, Budget{1e9});
    return problem ? std::pair(std::move(*problem), std::string()) : std::pair(Problem(), problem.error().message);
  };
  const auto [rows, rows_error] = prepared("multi_head", "x_q", "hwc");
  REQUIRE(rows_error.empty());
  CHECK(rows.find("x_q")->shape() == Shape{1, 15, 3});
  CHECK(rows.labels.at("n_q").at(7) == "1, 2");
  CHECK(rows.grids.at("n_k").columns == 5);
  const auto [picture, picture_error] = prepared("non_local", "x", "hwc");
  REQUIRE(picture_error.empty());
  CHECK(picture.find("x")->shape() == Shape{1, 3, 3, 5});  // and the block is of two dimensions by itself
  CHECK(picture.find("x")->at({0, 2, 1, 4}) == 2014);
  CHECK(prepared("non_local", "x", "hwc", R"(,"params":{"dimension":1})").second.starts_with("inputs.x is a picture"));
  CHECK(prepared("multi_head", "x_q", "bhwc").second ==
        "inputs.x_q.axes: \"bhwc\" names 4 axes, but the array has 3, (3, 5, 3)");
  const auto wrong =
      parse_experiment(R"({"variant":"multi_head","inputs":{"x_q":{"npy":"a.npy","axes":"xyz"}}})", "", "e");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.starts_with("e: inputs.x_q.axes: \"xyz\" must be a letter for each axis"));
}
