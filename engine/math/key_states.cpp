#include "engine/math/key_states.h"

#include <algorithm>
#include <vector>

namespace headlight::math {

namespace {

// The sum over keys of one plane, as far as it has come: that of keys since the last 32nd apart from the others.
class RunningSum {
 public:
  RunningSum(const float* k, const float* v, Index features, Index width)
      : k_(k),
        v_(v),
        features_(features),
        width_(width),
        precise_(static_cast<std::size_t>(features * width)),
        before_(precise_.size()),
        since_(precise_.size()) {}

  Index next() const { return next_; }

  // Takes the next key in and writes the sum.
  void add_key(float* __restrict out) {
    const float* value = v_ + next_ * width_;
    const float* before = before_.data();
    float* __restrict since = since_.data();
    for (Index f = 0; f < features_; ++f, since += width_, before += width_, out += width_) {
      const float feature = k_[next_ * features_ + f];
      for (Index c = 0; c < width_; ++c) {
        since[c] += feature * value[c];
        out[c] = before[c] + since[c];
      }
    }
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
                        Index width, Index first, Index rows, float* out) {
  const Index area = features * width;
  compute.parallel(planes, 1, [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane) {
      RunningSum sum(k + plane * n * features, v + plane * n * width, features, width);
      float* state = out + plane * rows * area;
      for (Index row = 0; row < rows; ++row, state += area) {
        if (row > 0 && first + row >= n) std::copy_n(state - area, area, state);
        while (sum.next() <= std::min(first + row, n - 1)) sum.add_key(state);
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

void read_key_states(Compute& compute, const float* q, const float* states, Index rows, Index features, Index width,
                     float* out, const Kernels& set) {
  compute.parallel(rows, 16, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      set.multiply_unfused({.a = {q + row * features, features},
                            .b = {states + row * features * width, width},
                            .rows = 1,
                            .inner = features,
                            .columns = width,
                            .out = out + row * width,
                            .out_stride = width});
  });
}

}  // namespace headlight::math
