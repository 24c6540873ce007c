// Operations on pictures, signals and videos x (B, C, …), channels first, whose positions are counted row by row, N of
// them: positions become queries, keys and values, and a query's keys may be the window round it.
//
// As in ops.h, each stands in a file with all that is said of it. An axis of positions that holds one of them says
// which (Axis::only).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/math/window.h"
#include "engine/ops/ops.h"

namespace headlight::ops {

// The positions of x as rows of channels, which several operations read, one after the other; they are laid out once a
// pass.
class Positions {
 public:
  explicit Positions(Array x);

  const Array& x() const { return x_; }
  Index count() const { return count_; }
  Index channels() const { return x_.dim(1); }
  // Whether an axis stands for all positions.
  bool all(const Axis& axis) const { return axis.size == count_; }
  // (B, N, C).
  std::shared_ptr<const Tensor> rows(Compute& compute) const;
  // (B, n, C) of the axis' positions.
  std::shared_ptr<const Tensor> rows(Compute& compute, const Axis& axis) const;
  // "\hl{x}{x_{i}}": x at a position of the axis.
  std::string written(const Axis& axis) const;
  // (B, C, n) of the axis' positions, as part of a line of Python.
  Code code(const Axis& axis) const;
  // Which cell of x holds a channel of a position. Explanations keep this and no numbers.
  struct Cells {
    std::string x;
    Index channels, count;

    Index at(Index batch, Index channel, Index position) const {
      return (batch * channels + channel) * count + position;
    }
  };
  Cells cells() const { return {x_.id, channels(), count_}; }

 private:
  Array x_;
  Index count_ = 1;
  struct LaidOut {
    Tensor rows = {};  // (B, N, C), once somebody has asked
    std::uint64_t pass = 0;
  };
  std::shared_ptr<LaidOut> laid_out_;
};

// x · w (M, C, d') + b (M, d') → (B, M, n, d').
Operation project(const Positions& x, const Array& w, const Array& b, const Axis& positions);
// x · wᵀ (C', C) + b (C') → (B, 1, n, C'): a convolution of extent 1. Wang et al. 2018, section 3.2.
Operation embedding(const Positions& x, const Array& w, const Array& b, const Axis& positions);
// x as it is → (B, 1, n, C).
Operation positions_first(const Positions& x, const Axis& positions);
// x + change (B, C, …) at the change's positions.
Operation add_at(const Positions& x, const Array& change, const Axis& positions);

// What is pooled into one: cells of a grid, on as many axes as there are.
struct Pooling {
  Grid grid, cell;
  Index dimension = 2;  // of the grid: 1 a signal, 2 a picture, 3 a video
};
// The largest number of each cell, in each channel: of `from` (B, 1, N, width), or of x, → (B, 1, n, width).
Operation max_pool(const Array& from, const Pooling& pooling, const Axis& positions);
Operation max_pool(const Positions& from, const Pooling& pooling, const Axis& positions);

// ReLU(w (2C') · [q_i; k_j]): q (B, 1, n_q, C'), k (B, 1, n_k, C') → (B, 1, n_q, n_k). Wang et al. 2018, equation 5.
Operation relu_of_pairs(const Array& q, const Array& k, const Array& w);

// What a batch norm in use knows of each channel, (C) each.
struct BatchNorm {
  Array gamma, beta, mean, variance;
};
// rows (B, 1, n, C') · wᵀ (C, C') + b (C), normalised where `norm` is not null → (B, C, …), the axes given.
// Wang et al. 2018, section 3.3; Ioffe and Szegedy 2015, Batch Normalization, algorithm 2.
Operation back_to_channels(const Array& rows, const Array& w, const Array& b, const BatchNorm* norm,
                           std::vector<Axis> axes);
// rows (B, n, d) · w (d, out) + b (out) → (B, out, …), the axes given.
Operation linear_to_picture(const Array& rows, const Array& w, const Array& b, std::vector<Axis> axes);
// heads (B, M, N, d') → (B, M·d', …), the axes given: channel m·d' + c is channel c of head m.
Operation heads_as_channels(const Array& heads, std::vector<Axis> axes);

// factor · q (B, M, HW, d') · k (B, M, HW, d') → (B, M, HW, k²); a key outside the picture is zeros.
Operation dot_products_in_neighborhood(const Array& q, const Array& k, const math::Window& window, const Factor& factor,
                                       const Axis& keys);
// scores (B, M, HW, k²) with −∞ for keys outside the picture.
Operation mask_outside(const Array& scores, const math::Window& window);
// Softmax over the keys of a window, after mask_outside().
Operation softmax_in_neighborhood(const Array& scores, const math::Window& window);
// a (B, M, HW, k²) · v (B, M, HW, d') → (B, M, HW, d'). Keys outside the picture take no part where they are `hidden`;
// otherwise their value is zeros.
Operation weighted_sum_in_neighborhood(const Array& a, const Array& v, const math::Window& window, bool hidden);

// table (2P − 1, c) → (n, n, c), the axes given: the entry for the offset from one place to another.
Operation staircase(const Array& table, std::vector<Axis> axes);
// One side of a picture, which keys lie on, and where the queries stand on it.
struct PictureSide {
  Index size = 1, columns = 1;   // of this side, and of the picture
  Index first = 0, queries = 1;  // the first pixel that asks, and how many do
  bool is_row = true;

  Index at(Index query) const {
    const Index pixel = first + query % queries;
    return is_row ? pixel / columns : pixel % columns;
  }
};
// How well queries suit the row and column offsets to keys. The vectors are read from the staircases; of a window
// (extent > 0), from the tables. Ramachandran et al. 2019, section 2.2, equation 3, the second product.
struct Offsets {
  Array rows, columns;            // what formulas and explanations read: staircases, or tables
  Array row_table, column_table;  // (2P − 1, d'/2) each
  Index picture_rows = 1, picture_columns = 1;
  Index extent = 0;  // of the window; 0 where all pixels are keys

  // Of queries q (B, M, n_q, d').
  PictureSide side(const Array& q, bool rows_of_picture) const;
};
// factor · q (B, M, n_q, d') · [row vector; column vector] → (B, M, n_q, n_k).
Operation offset_scores(const Array& q, const Offsets& offsets, const Factor& factor, const Axis& keys);
// by_a · a + by_b · b, cell by cell. Formulas call the factors λ with these indices.
Operation sum_of_two_scaled(const Array& a, double by_a, const char* index_a, const Array& b, double by_b,
                            const char* index_b);

}  // namespace headlight::ops
