#include "engine/math/key_states.h"

#include <algorithm>
#include <vector>

namespace headlight::math {

namespace {

// The sum over keys of one plane, as far as it has come: that of keys since the last 32nd apart from the others.
class RunningSum {
 public:
  RunningSum(const float* k, const float* v, Index features, Index width, const Kernels& set)
      : k_(k),
        v_(v),
        set_(set),
        features_(features),
        width_(width),
        precise_(static_cast<std::size_t>(features * width)),
        before_(precise_.size()),
        since_(precise_.size()) {}

  Index next() const { return next_; }

  // Takes the next key in and writes the sum.
  void add_key(float* out) {
    set_.add_outer_product(k_ + next_ * features_, v_ + next_ * width_, before_.data(), features_, width_,
                           since_.data(), out);
    if (++next_ % some == 0) settle();
  }

 private:
  static constexpr Index some = 32;

  void settle() {
    for (std::size_t i = 0; i < since_.size(); ++i) {
      precise_[i] += since_[i];
      before_[i] = static_cast<float>(precise_[i]);
    }
    std::ranges::fill(since_, 0.0F);
  }

  const float* k_;
  const float* v_;
  const Kernels& set_;
  Index features_, width_;
  Index next_ = 0;
  std::vector<double> precise_;
  std::vector<float> before_, since_;  // precise_, rounded, and what is not in it yet
};

}  // namespace

void key_states(Compute& compute, const float* k, const float* v, Index planes, Index n, Index features, Index width,
                float* out, const Kernels& set) {
  Tensor turned = Tensor::uninitialized({planes, features, n});
  transpose(compute, k, planes, n, features, turned.data());
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    weighted_sum(turned.data(), v, begin * features, end * features, features, n, width, out, set);
  });
}

void running_key_states(Compute& compute, const float* k, const float* v, Index planes, Index n, Index features,
                        Index width, Index first, Index rows, float* out, const StateMade& made, const Kernels& set) {
  const Index area = features * width;
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    std::vector<float> state(static_cast<std::size_t>(area));  // near, while it is written far away
    for (Index plane = begin; plane < end; ++plane) {
      RunningSum sum(k + plane * n * features, v + plane * n * width, features, width, set);
      for (Index row = 0; row < rows; ++row) {
        while (sum.next() <= std::min(first + row, n - 1)) sum.add_key(state.data());
        if (made) made(plane * rows + row, state.data());
        set.copy_past_caches(state.data(), area, out + (plane * rows + row) * area);
      }
    }
  });
}

void read_key_state(Compute& compute, const float* q, const float* state, Index planes, Index rows, Index features,
                    Index width, float* out, const Kernels& set) {
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    weighted_sum(q, state, begin * rows, end * rows, rows, features, width, out, set);
  });
}

void read_one_key_state(const float* q, const float* state, Index features, Index width, float* out,
                        const Kernels& set) {
  set.multiply_unfused({.a = {q, features},
                        .b = {state, width},
                        .rows = 1,
                        .inner = features,
                        .columns = width,
                        .out = out,
                        .out_stride = width});
}

void read_key_states(Compute& compute, const float* q, const float* states, Index rows, Index features, Index width,
                     float* out, const Kernels& set) {
  compute.parallel(rows, 16, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      read_one_key_state(q + row * features, states + row * features * width, features, width, out + row * width, set);
  });
}

}  // namespace headlight::math
