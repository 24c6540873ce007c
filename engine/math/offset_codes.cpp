#include "engine/math/offset_codes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace headlight::math {

namespace {

// The waves that codes are made of, a sine and a cosine for each pair of channels, over distances from 0 on. They are
// slower from pair to pair. The first `fast` are taken as they are; the others are so smooth that few points say all of
// them, between which they are interpolated.
struct Waves {
  Index channels;
  double farthest;  // distance
  Index pairs = channels / 2;
  Index fast = pairs;
  std::vector<double> points = {}, weights = {};  // Chebyshev's of the first kind

  Waves(Index distances, Index of_channels) : channels(of_channels), farthest(static_cast<double>(distances - 1)) {
    Index count = 0;
    const auto price = [&](Index first, Index at) {  // a wave at a point costs about as much as a row of products
      return distances * (first + at) + 2 * at * (pairs - first);
    };
    for (Index first = pairs / 8 * 8; first > 0; first -= 8)
      if (const Index at = points_for(first); price(first, at) < price(fast, count)) fast = first, count = at;
    for (Index i = 0; i < count; ++i) {
      const double angle = static_cast<double>(2 * i + 1) / static_cast<double>(2 * count) * std::numbers::pi;
      points.push_back(farthest / 2 * (1 - std::cos(angle)));
      weights.push_back((i % 2 == 0 ? 1 : -1) * std::sin(angle));
    }
  }

  double frequency(Index pair) const {
    return std::pow(10000.0, -2 * static_cast<double>(pair) / static_cast<double>(channels));
  }

  // So many that this wave and slower ones are right to less than a rounding: of n points on a stretch of length L, a
  // wave of frequency ω is off by at most 2 (ωL/4)ⁿ / n!.
  Index points_for(Index pair) const {
    const double ratio = frequency(pair) * farthest / 4;
    Index count = 1;
    for (double off = 2 * ratio; off > 1e-8; off *= ratio / static_cast<double>(count)) ++count;
    return count;
  }

  // sines, cosines (points, pairs − fast): one of the slow waves at each point.
  void at_points(Index slow, float* sines, float* cosines) const {
    const Index count = static_cast<Index>(points.size()), step = pairs - fast;
    const double speed = frequency(fast + slow), sine = std::sin(speed * farthest / 2),
                 cosine = std::cos(speed * farthest / 2);
    for (Index i = 0; 2 * i < count; ++i) {  // and its opposite, as far from the middle
      const double away = speed * (farthest / 2 - points[static_cast<std::size_t>(i)]), s = std::sin(away),
                   c = std::cos(away);
      const Index here = i * step + slow, there = (count - 1 - i) * step + slow;
      sines[here] = static_cast<float>(sine * c - cosine * s);
      cosines[here] = static_cast<float>(cosine * c + sine * s);
      sines[there] = static_cast<float>(sine * c + cosine * s);
      cosines[there] = static_cast<float>(cosine * c - sine * s);
    }
  }

  // to (points): what the value at each counts at that distance.
  // Berrut and Trefethen 2004, Barycentric Lagrange interpolation, equation 4.2 with the weights of section 5.
  void shares(Index distance, float* to) const {
    std::vector<double> counts;
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double from = static_cast<double>(distance) - points[i];
      if (std::abs(from) < 1e-12 * farthest) {
        std::fill_n(to, points.size(), 0.0F);
        to[i] = 1;
        return;
      }
      sum += counts.emplace_back(weights[i] / from);
    }
    for (const double count : counts) *to++ = static_cast<float>(count / sum);
  }
};

}  // namespace

void project_codes(Compute& compute, const float* codes, Index last, Index count, Index d, const float* w, Index heads,
                   Index width, float* out, const Kernels& set) {
  const Index least = last - count + 1;
  if (d <= few_terms || d % 2 != 0 || least >= 0 || last <= 0)  // few terms are added up in their order
    return project(compute, codes, w, nullptr, 1, count, d, heads, width, out, set);
  // Of each place and its opposite, the one on the longer side.
  const Index side = last >= -least ? 1 : -1, distances = std::max(last, -least) + 1;
  const Waves waves(distances, d);
  const Index fast = waves.fast, slow = waves.pairs - fast, points = static_cast<Index>(waves.points.size());
  // Sines and cosines: of the fast waves at each distance, and of the others at each point.
  Tensor near[2], far[2], shares = Tensor::uninitialized({distances, points});
  for (Tensor& part : near) part = Tensor::uninitialized({distances, fast});
  for (Tensor& part : far) part = Tensor::uninitialized({points, slow});
  compute.parallel(distances + slow, 32, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (i >= distances) {
        waves.at_points(i - distances, far[0].data(), far[1].data());
        continue;
      }
      const float* code = codes + (last - side * i) * d;
      for (Index c = 0; c < fast; ++c) {
        near[0][i * fast + c] = static_cast<float>(side) * code[2 * c];
        near[1][i * fast + c] = code[2 * c + 1];
      }
      waves.shares(i, shares.data() + i * points);
    }
  });
  constexpr Index together = 64;  // columns
  const Index parts = (width + together - 1) / together;
  compute.parallel(heads * parts, 1, [&](Index begin, Index end) {
    std::vector<float> products[2], at_points(static_cast<std::size_t>(points * together));
    for (auto& part : products) part.resize(static_cast<std::size_t>(distances * together));
    for (Index piece = begin; piece < end; ++piece) {
      const Index m = piece / parts, column = piece % parts * together, columns = std::min(together, width - column);
      for (Index odd : {0, 1}) {
        float* to = products[odd].data();
        const float* rows = w + (m * d + odd) * width + column;  // every second one
        const auto multiply = [&](const Tensor& a, const float* b, Index stride, bool adds, float* into) {
          set.multiply_narrow({.a = {a.data(), a.dim(1)},
                               .b = {b, stride},
                               .rows = a.dim(0),
                               .inner = a.dim(1),
                               .columns = columns,
                               .adds = adds,
                               .out = into,
                               .out_stride = columns});
        };
        multiply(near[odd], rows, 2 * width, false, to);
        if (points == 0) continue;
        multiply(far[odd], rows + 2 * fast * width, 2 * width, false, at_points.data());
        multiply(shares, at_points.data(), columns, true, to);
      }
      for (Index t = 0; t < count; ++t) {
        const Index place = last - t, from = std::abs(place) * columns;
        const float *sine = products[0].data() + from, *cosine = products[1].data() + from;
        float* to = out + (m * count + t) * width + column;
        if (place < 0)
          for (Index c = 0; c < columns; ++c) to[c] = cosine[c] - sine[c];
        else
          for (Index c = 0; c < columns; ++c) to[c] = cosine[c] + sine[c];
      }
    }
  });
}

}  // namespace headlight::math
