#include "engine/core/tensor.h"

#include "engine/core/large_blocks.h"
#include "tests/catch.h"

using namespace headlight;

TEST_CASE("a tensor is zero, row-major and aligned") {
  Tensor t(Shape{2, 3, 4});
  CHECK(t.size() == 24);
  CHECK(t.dim(-1) == 4);
  for (const float v : t.values()) CHECK(v == 0.0F);
  t[1 * 12 + 2 * 4 + 3] = 5;
  CHECK(t.at({1, 2, 3}) == 5.0F);
  CHECK(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0);
}

TEST_CASE("copies are deep and moves leave the buffer in place") {
  Tensor a = Tensor::from({2}, std::vector<float>{1, 2});
  Tensor b = a;
  b[0] = 9;
  CHECK(a[0] == 1.0F);
  const float* where = b.data();
  const Tensor c = std::move(b).reshaped({1, 2});
  CHECK(c.data() == where);
  CHECK(c.shape() == Shape{1, 2});
}

TEST_CASE("the memory of a large array serves the next of its size, and no more is held than has been needed") {
  large_blocks::release();
  CHECK(large_blocks::kept() == 0);
  constexpr Index large = 3 << 20;  // 12 MiB
  const float* where = nullptr;
  {
    const Tensor first = Tensor::uninitialized({large});
    where = first.data();
    CHECK(large_blocks::kept() == 0);
  }
  CHECK(large_blocks::kept() == large * sizeof(float));
  Tensor second({3, large / 3 - 1});  // all zero, and a little smaller
  CHECK(second.data() == where);
  CHECK(large_blocks::kept() == 0);
  CHECK(std::ranges::count(second.values(), 0.0F) == second.size());
  second = Tensor();
  { const Tensor larger = Tensor::uninitialized({2 * large}); }
  CHECK(large_blocks::kept() == 2 * large * sizeof(float));  // the one before was let go for it
  {
    std::vector<Tensor> many;
    for (std::size_t held = 0; held <= large_blocks::most_kept; held += large * sizeof(float))
      many.push_back(Tensor::uninitialized({large}));
  }
  CHECK(large_blocks::kept() <= large_blocks::most_kept);
  CHECK(large_blocks::kept() > large_blocks::most_kept - large * sizeof(float));
  { const Tensor small = Tensor::uninitialized({large / 12 - 1}); }
  large_blocks::release();
  CHECK(large_blocks::kept() == 0);
}

TEST_CASE("element counts that cannot be are refused") {
  CHECK(*element_count({2, 3}) == 6);
  CHECK(*element_count({}) == 1);
  CHECK(*element_count({1LL << 40, 0}) == 0);
  CHECK_FALSE(element_count({-1, 2}));
  CHECK_FALSE(element_count({1LL << 62, 1LL << 62}));
}

TEST_CASE("flat positions and indices are inverse") {
  const Shape shape{3, 4, 5};
  for (Index flat = 0; flat < 60; ++flat) CHECK(flat_at_index(shape, index_at_flat(shape, flat)) == flat);
  CHECK(to_string(shape) == "(3, 4, 5)");
  CHECK(to_string(Shape{7}) == "(7,)");
}
