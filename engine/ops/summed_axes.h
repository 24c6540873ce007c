// Sums over some axes of an array: each number by one order of adding up, whatever the threads.
#pragma once

#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/tensor.h"

namespace headlight::ops {

class SummedAxes {
 public:
  // `kept`: of each axis of `shape`, whether the sum has it too.
  SummedAxes(const Shape& shape, const std::vector<bool>& kept);

  // Numbers of the result.
  Index size() const { return last_is_kept_ ? rows_ * width_ : rows_; }
  // The cells that a number of the result is the sum of.
  std::vector<Index> cells(Index number) const;
  void run(Compute& compute, const float* from, float* to) const;

 private:
  // Of the axes before the last, counted in rows of that.
  struct Part {
    Index extent, stride;
  };
  // A stretch of a result's row, and a part of the rows that it is the sum of.
  struct Piece {
    Index row, begin, end;
    Index first, last;
  };
  static Index at(const std::vector<Part>& parts, Index number);
  Piece piece(Index number) const;
  void add(const float* from, const Piece& of, double* sums) const;
  void add_up(Compute& compute, const std::vector<double>& sums, float* to) const;

  // Axes beside each other that are kept both, or summed both, are one.
  std::vector<Part> kept_, summed_;
  Index width_ = 1;  // of the last
  bool last_is_kept_ = true;
  Index rows_ = 1, terms_ = 1;          // of the result, and how many rows make each
  Index stretches_ = 1, in_parts_ = 1;  // of each row of the result, and of each of its sums
  Index length_ = 1;                    // of a stretch, at most
};

}  // namespace headlight::ops
