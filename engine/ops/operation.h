// One operation, declared once: how its numbers are made, where one of them came from, its line of Python, its formula
// and what it costs. engine/ops/ops.h lists those there are; Recorder::step() carries one out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/math/extent.h"
#include "engine/ops/array.h"
#include "engine/ops/backward.h"
#include "engine/trace/rule.h"

namespace headlight {

// The formula of a step, put together by whoever records it: <symbol of the step> = right aside, and the lines below.
struct LatexFormula {
  std::string right;            // what stands on the right of "="
  std::string aside = {};       // what is said after it: "\qquad M \in \{0, -\infty\}"
  std::string below = {};       // a line under it that says what it uses: the row's maximum
  std::string gap = "0.4em";    // to that line
  bool by_channel = false;      // it says what one channel is
  bool all_at_once = false;     // it says what the whole array is: no indices
  std::string definition = {};  // what it was made as, for a formula that reads the result
};

struct Operation {
  // Rows of the last axis that come from the same rows of one array: they can be made as soon as those are.
  struct Rows {
    using Run = std::function<void(Index begin, Index end, float* out)>;
    std::string of = {};  // its id
    Run run = {};         // writes rows begin to end − 1 of the result, which begins at `out`, on the calling thread
    Code code_where_broken =
        {};  // in place of `code`, where that array holds NaN, or infinities that no mask put there
    // Of a product of matrices: `sharing` rows in turn use the same matrix, and each reads or writes `length` numbers.
    // Work is divided by these alone, so that the bits of a row do not depend on threads.
    Index sharing = 1;
    Index length = 0;
  };

  std::vector<Axis> axes;                              // of the result
  std::function<void(Compute&, float* out)> run = {};  // writes every number of the result; or it is made by `rows`
  Rows rows = {};
  Explain explain = {};
  Code code = {};  // an expression; or lines in which {to} stands for the result
  LatexFormula formula = {};
  double operations = 0;  // for each number of the result; a multiply-add counts as two
  Kind kind = Kind::activation;
  Role role = Role::none;
  bool minus_infinity_masks = false;
  // Of a map: what its rows see. All that one does not see is one number: −∞ of scores, 0 of weights, or NaN.
  std::shared_ptr<const math::VisibleBlocks> seen = {};
  std::string warning = {};
  std::shared_ptr<const MaskRules> rules = {};  // of a mask: what it is put together from
  bool shares_input = false;        // the result is an array that it reads, number for number: it is shared, not copied
  std::optional<Index> layer = {};  // of several, which the result belongs to
  std::shared_ptr<const Tensor> same_as = {};  // that array, where there are numbers
  Backward backward = {};                      // its gradient; empty: made from its explanations

  // The same operation, whose result plays another part.
  Operation as(Role other) && {
    role = other;
    return std::move(*this);
  }
};

// The same in both libraries.
inline Code both(const std::string& lines) {
  return {lines, lines};
}

// A sum of n products, and perhaps a bias.
inline double linear_operations(Index n, bool bias) {
  return 2.0 * static_cast<double>(n) + (bias ? 1 : 0);
}

}  // namespace headlight
