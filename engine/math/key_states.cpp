#include "engine/math/key_states.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace headlight::math {

namespace {

// The sum over the keys of one plane, as far as it has come.
class RunningSum {
 public:
  explicit RunningSum(Index area)
      : precise_(static_cast<std::size_t>(area)), rounded_(precise_.size()), added_(precise_.size()) {}

  // Takes these in after those before them.
  void take(KeysTaken keys, const Kernels& set) {
    keys.before = rounded_.data();
    keys.added = added_.data();
    keys.least = least_;
    keys.greatest = greatest_;
    set.take_keys(keys);
    least_ = keys.least;
    greatest_ = keys.greatest;
    for (std::size_t i = 0; i < added_.size(); ++i) {
      precise_[i] += added_[i];
      rounded_[i] = static_cast<float>(precise_[i]);
    }
  }

  // What all states until now span, which are those. A number that is not finite leaves a sum that is not finite for
  // good, but for an infinity that the keys taken together with it take back: that was the least or the greatest.
  Extent extent(std::span<const float> states) const {
    const bool finite = std::isfinite(least_) && std::isfinite(greatest_) &&
                        std::ranges::all_of(rounded_, [](float sum) { return std::isfinite(sum); });
    return finite ? Extent{static_cast<Index>(states.size()), 0, 0, least_, greatest_} : extent_of(states);
  }

 private:
  std::vector<double> precise_;
  std::vector<float> rounded_, added_;
  float least_ = std::numeric_limits<float>::infinity(), greatest_ = -least_;
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

std::vector<Extent> running_key_states(Compute& compute, const RunningStates& r, const Kernels& set) {
  constexpr Index together = 32;  // keys whose sum is made in single precision
  const Index area = r.features * r.width;
  std::vector<Extent> extents(static_cast<std::size_t>(r.planes));
  compute.parallel(r.planes, 1, [&](Index begin, Index end) {
    for (Index plane = begin; plane < end; ++plane) {
      RunningSum sum(area);
      Index done = 0;  // rows
      for (Index key = 0; key < r.n && done < r.rows; key += together) {
        KeysTaken taken{.keys = std::min(together, r.n - key), .features = r.features, .width = r.width};
        Index rows_until[together];
        for (Index i = 0; i < taken.keys; ++i)
          rows_until[i] = (key + i == r.n - 1 ? r.rows : std::clamp<Index>(key + i + 1 - r.first, 0, r.rows)) - done;
        const Index row = plane * r.rows + done;
        taken.key = r.k + (plane * r.n + key) * r.features;
        taken.value = r.v + (plane * r.n + key) * r.width;
        taken.rows_until = rows_until;
        taken.query = r.q + row * r.features;
        taken.states = r.states + row * area;
        taken.read = r.read + row * r.width;
        done += rows_until[taken.keys - 1];
        sum.take(taken, set);
      }
      extents[static_cast<std::size_t>(plane)] =
          sum.extent({r.states + plane * r.rows * area, static_cast<std::size_t>(r.rows * area)});
    }
  });
  return extents;
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
