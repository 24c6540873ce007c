// What gradients are made of: sums that do not depend on threads, and operations that are carried out again after
// numbers have changed in place.
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/ops/picture_ops.h"
#include "engine/ops/summed_axes.h"
#include "engine/trace/derivative.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

std::vector<Axis> axes_of(const Shape& shape) {
  std::vector<Axis> axes;
  for (const Index extent : shape) axes.push_back({.symbol = "n", .name = "place", .size = extent});
  return axes;
}

// Recorded arrays, and the parts of a gradient that an operation of theirs gives.
class Recorded final : public BackwardPass {
 public:
  Array draw(const std::string& id, const Shape& shape, std::uint64_t seed) {
    return put(id, axes_of(shape), drawn(shape, seed));
  }
  Array put(const std::string& id, std::vector<Axis> axes, Tensor numbers) {
    tensors_[id] = std::make_shared<Tensor>(std::move(numbers));
    Array array{.id = id, .axes = std::move(axes), .symbol = id, .values = tensors_[id]};
    arrays_[id] = array;
    return array;
  }
  Tensor& numbers(const std::string& id) { return *tensors_.at(id); }
  double operator()(const Operand& operand) const {
    return operand.array.empty() ? operand.value : static_cast<double>((*tensors_.at(operand.array))[operand.cell]);
  }

  const Array& result() const override { return arrays_.at("result"); }
  const Array& gradient() const override { return arrays_.at("gradient"); }
  const Array* find(const std::string& id) const override {
    const auto found = arrays_.find(id);
    return found == arrays_.end() ? nullptr : &found->second;
  }
  void add(const std::string& id, Operation part) override { parts.emplace(id, std::move(part)); }
  Array helper(const std::string&, const std::string&, const std::string&, const std::string&, Operation) override {
    return {};
  }
  bool cancelled() const override { return false; }

  std::map<std::string, Operation> parts;

 private:
  std::map<std::string, Array> arrays_;
  std::map<std::string, std::shared_ptr<Tensor>> tensors_;
};

void carry_out(const Operation& operation, Compute& compute, Tensor& to) {
  operation.run(compute, to.data());
}

// The largest difference of a part of the gradient from what the explanations of the result say.
double largest_error(const Recorded& recorded, const Operation& operation, const std::string& id, const Tensor& part) {
  std::vector<double> expected(static_cast<std::size_t>(part.size()));
  for (Index cell = 0; cell < recorded.result().size(); ++cell)
    differentiate(
        operation.explain(cell), [&](const Operand& o) { return recorded(o); },
        [&](const Operand& operand, double partial) {
          if (operand.array == id)
            expected[static_cast<std::size_t>(operand.cell)] += partial * (*recorded.gradient().values)[cell];
        });
  double worst = 0;
  for (Index cell = 0; cell < part.size(); ++cell)
    worst = std::max(worst, std::abs(expected[static_cast<std::size_t>(cell)] - part[cell]));
  return worst;
}

}  // namespace

TEST_CASE("sums over axes are those of the cells that they name, with the same bits on any number of threads") {
  ThreadPool one(1), three(3);
  Compute alone(one), together(three);
  int summed = 0;
  for (const Shape& shape : {Shape{1}, {7}, {4, 1, 5}, {2, 3, 4, 5}, {3000, 9}, {9, 3000}, {3, 2, 5000}, {90, 70, 3}})
    for (unsigned mask = 0; mask < 1U << shape.size(); ++mask) {
      std::vector<bool> kept;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) kept.push_back((mask >> axis & 1U) != 0);
      INFO(to_string(shape) << " " << mask);
      const ops::SummedAxes sums(shape, kept);
      const Tensor from = drawn(shape, 7);
      std::vector<float> by_one(static_cast<std::size_t>(sums.size()), NAN), by_three = by_one;
      sums.run(alone, from.data(), by_one.data());
      sums.run(together, from.data(), by_three.data());
      CHECK(by_one == by_three);
      double worst = 0;
      for (Index number = 0; number < sums.size(); ++number) {
        double sum = 0;
        for (const Index cell : sums.cells(number)) sum += from[cell];
        worst = std::max(worst, std::abs(sum - by_one[static_cast<std::size_t>(number)]));
        ++summed;
      }
      CHECK(worst < 1e-4);
    }
  CHECK(summed > 10000);
}

TEST_CASE("positions are laid out once a pass") {
  ThreadPool pool(2);
  Compute compute(pool);
  Recorded recorded;
  const ops::Positions x(recorded.draw("x", {2, 3, 4, 5}, 1));
  const Operation operation = ops::positions_first(x, axes_of({20}).front());
  Tensor rows({2, 1, 20, 3});
  carry_out(operation, compute, rows);
  const float before = rows[0];
  recorded.numbers("x") = drawn({2, 3, 4, 5}, 2);
  carry_out(operation, compute, rows);
  CHECK(rows[0] == before);
  compute.begin_pass(compute.pass() + 1);
  carry_out(operation, compute, rows);
  CHECK(compute.pass() == 1);
  double worst = 0;
  for (Index cell = 0; cell < rows.size(); ++cell)
    worst = std::max(worst, std::abs(rows[cell] - evaluate(operation.explain(cell), recorded)));
  CHECK(worst == 0);
}

TEST_CASE("gradients that are made from explanations follow numbers that have changed, from pass to pass") {
  ThreadPool pool(2);
  Compute compute(pool);
  Recorded recorded;
  const Array q = recorded.draw("q", {1, 1, 4, 5}, 1), k = recorded.draw("k", {1, 1, 3, 5}, 2);
  const Operation operation = ops::tanh_of_sums(q, k);
  recorded.put("result", operation.axes, Tensor(shape_of(operation.axes)));
  recorded.draw("gradient", shape_of(operation.axes), 3);
  carry_out(operation, compute, recorded.numbers("result"));
  ops::by_explanation(recorded, {operation.explain, {}, {}});
  REQUIRE(recorded.parts.size() == 2);
  for (std::uint64_t pass = 0; pass < 3; ++pass) {
    for (const auto& [id, part] : recorded.parts) {
      INFO(id << " in pass " << pass);
      Tensor made(recorded.array(id).shape());
      carry_out(part, compute, made);
      CHECK(largest_error(recorded, operation, id, made) < 1e-5);
    }
    recorded.numbers("q") = drawn({1, 1, 4, 5}, 10 + pass);
    carry_out(operation, compute, recorded.numbers("result"));
    compute.begin_pass(compute.pass() + 1);
  }
}
