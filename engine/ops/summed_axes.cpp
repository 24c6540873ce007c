#include "engine/ops/summed_axes.h"

#include <algorithm>

namespace headlight::ops {

namespace {

constexpr Index piece_of_work = Index{1} << 14;  // numbers read
constexpr Index enough_pieces = 64;
constexpr Index longest_stretch = Index{1} << 12;  // whose sums stay in cache

Index parts_of(Index count, Index each) {
  return (count + each - 1) / each;
}

}  // namespace

SummedAxes::SummedAxes(const Shape& shape, const std::vector<bool>& kept) {
  struct Axes {
    Index extent;
    bool is_kept;
  };
  std::vector<Axes> merged;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    if (!merged.empty() && merged.back().is_kept == kept[axis])
      merged.back().extent *= shape[axis];
    else
      merged.push_back({shape[axis], kept[axis]});
  }
  if (merged.empty()) merged.push_back({1, true});
  width_ = merged.back().extent;
  last_is_kept_ = merged.back().is_kept;
  merged.pop_back();
  Index stride = 1;
  for (auto axes = merged.rbegin(); axes != merged.rend(); ++axes) {
    (axes->is_kept ? kept_ : summed_).push_back({axes->extent, stride});
    (axes->is_kept ? rows_ : terms_) *= axes->extent;
    stride *= axes->extent;
  }
  length_ = last_is_kept_ ? std::min(width_, longest_stretch) : 1;
  stretches_ = last_is_kept_ ? parts_of(width_, length_) : 1;
  if (rows_ * stretches_ >= enough_pieces) return;
  const Index read = last_is_kept_ ? length_ : width_;
  in_parts_ = std::max<Index>(1, std::min({terms_ * read / piece_of_work, terms_, enough_pieces}));
}

// In rows; the parts stand from the last to the first.
Index SummedAxes::at(const std::vector<Part>& parts, Index number) {
  Index row = 0;
  for (const Part& part : parts) {
    row += number % part.extent * part.stride;
    number /= part.extent;
  }
  return row;
}

std::vector<Index> SummedAxes::cells(Index number) const {
  const Index row = last_is_kept_ ? number / width_ : number, start = at(kept_, row);
  std::vector<Index> all;
  for (Index term = 0; term < terms_; ++term) {
    const Index first = (start + at(summed_, term)) * width_;
    if (last_is_kept_) all.push_back(first + number % width_);
    for (Index column = 0; column < width_ && !last_is_kept_; ++column) all.push_back(first + column);
  }
  return all;
}

SummedAxes::Piece SummedAxes::piece(Index number) const {
  const Index part = number % in_parts_, stretch = number / in_parts_ % stretches_;
  return {.row = number / (in_parts_ * stretches_),
          .begin = stretch * length_,
          .end = std::min((stretch + 1) * length_, last_is_kept_ ? width_ : 1),
          .first = terms_ * part / in_parts_,
          .last = terms_ * (part + 1) / in_parts_};
}

void SummedAxes::add(const float* from, const Piece& of, double* sums) const {
  const Index start = at(kept_, of.row), count = of.end - of.begin;
  std::fill_n(sums, count, 0.0);
  for (Index term = of.first; term < of.last; ++term) {
    const float* row = from + (start + at(summed_, term)) * width_;
    if (last_is_kept_) {
      for (Index i = 0; i < count; ++i) sums[i] += static_cast<double>(row[of.begin + i]);
      continue;
    }
    double sum = 0;
    for (Index i = 0; i < width_; ++i) sum += static_cast<double>(row[i]);
    *sums += sum;
  }
}

void SummedAxes::run(Compute& compute, const float* from, float* to) const {
  const Index pieces = rows_ * stretches_ * in_parts_;
  const Index read = terms_ * (last_is_kept_ ? length_ : width_) / in_parts_;
  const bool whole = in_parts_ == 1;
  const Index row_length = last_is_kept_ ? width_ : 1;
  std::vector<double> sums(static_cast<std::size_t>(whole ? 0 : pieces * length_));
  compute.parallel(pieces, std::max<Index>(1, piece_of_work / std::max<Index>(1, read)), [&](Index begin, Index end) {
    std::vector<double> own(static_cast<std::size_t>(whole ? length_ : 0));
    for (Index number = begin; number < end; ++number) {
      const Piece p = piece(number);
      double* const made = whole ? own.data() : sums.data() + number * length_;
      add(from, p, made);
      if (whole)
        std::transform(made, made + (p.end - p.begin), to + p.row * row_length + p.begin,
                       [](double sum) { return static_cast<float>(sum); });
    }
  });
  if (!whole) add_up(compute, sums, to);
}

// What the parts of each sum came to, one after the other.
void SummedAxes::add_up(Compute& compute, const std::vector<double>& sums, float* to) const {
  const Index row_length = last_is_kept_ ? width_ : 1;
  compute.parallel_each(rows_ * stretches_, 1, [&](Index number) {
    const Piece p = piece(number * in_parts_);
    const double* parts = sums.data() + number * in_parts_ * length_;
    for (Index i = 0; i < p.end - p.begin; ++i) {
      double sum = 0;
      for (Index part = 0; part < in_parts_; ++part) sum += parts[part * length_ + i];
      to[p.row * row_length + p.begin + i] = static_cast<float>(sum);
    }
  });
}

}  // namespace headlight::ops
