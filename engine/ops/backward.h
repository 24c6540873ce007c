// What an operation says of its gradient: by how much the loss L changes with each array that it reads, given by how
// much it changes with the result, as operations like any other. Baydin et al. 2018, Automatic Differentiation in
// Machine Learning: a Survey, section 3.2.
//
// An operation that says nothing of it has one nevertheless, made from its explanations (by_explanation below); what it
// says is for speed and for better formulas, and a test holds it to the explanations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/ops/array.h"

namespace headlight {

struct Operation;

// The gradient of one operation while it is made.
class BackwardPass {
 public:
  virtual ~BackwardPass() = default;
  virtual const Array& result() const = 0;
  virtual const Array& gradient() const = 0;  // ∂L/∂ result: of its shape
  // An array of the run, as it was first read or recorded; null where there is none.
  virtual const Array* find(const std::string& id) const = 0;
  const Array& array(const std::string& id) const { return *find(id); }
  // Adds a part of ∂L/∂ that array, of its shape. An empty id takes no part.
  virtual void add(const std::string& id, Operation part) = 0;
  // Records a step that the parts read; `symbol` is LaTeX.
  virtual Array helper(const std::string& id, const std::string& title, const std::string& symbol,
                       const std::string& note, Operation made) = 0;
  virtual bool cancelled() const = 0;
};

// Captures ids and numbers of its own, never arrays: a run without gradients pays nothing for it.
using Backward = std::function<void(BackwardPass&)>;

namespace ops {

// The parts for everything that the explanations of a result read, each a number times a cell of ∂L/∂ result.
struct ExplainedResult {
  Explain explain;
  std::string code;                // lines of PyTorch that make it, where it may go by {to}
  std::vector<std::string> reads;  // ids that `code` names: what is read, as far as a dry run can tell
};
void by_explanation(BackwardPass& pass, const ExplainedResult& explained);

// LaTeX: "\sum_{over} a\,b".
std::string summed_product(const Array& a, const Array& b, const std::string& over);

// a ⊙ b, summed over the last axis: (…, n) → (…, 1).
Operation row_products(const Array& a, const Array& b);
// a ⊙ (g − of_row), a and g (…, n), of_row (…, 1): ∂L/∂s of a = softmax(s).
Operation softmax_gradient(const Array& a, const Array& g, const Array& of_row);
// Of a = sparsemax(s) or entmax 1.5: s ⊙ (g − Σ s g / Σ s), s being 1 where a weight is above 0, or its root.
Operation threshold_gradient(const Array& a, const Array& g, bool root);
// −Σ of_sink ⊙ of_row over the rows of each head, both (B, S, n_q, 1) → (M), S/M consecutive maps being one head's.
Operation sink_gradient(const Array& of_sink, const Array& of_row, const Array& like);
// aᵀ x of a (B, M, n_q, n_k) and x (B, M, n_q, d), summed over heads that share one of `like` (B, G, n_k, d).
Operation sum_over_queries(const Array& a, const Array& x, const Array& like);
// g (B, M, n, d') · wᵀ (M, d_in, d'), summed over heads → (B, n, d_in); w (d_in, d') is one head.
Operation project_back(const Array& g, const Array& w, const Array& like);
// xᵀ g, summed over the batch, of x (B, n, d_in) and g (B, M, n, d') → (M, d_in, d').
Operation products_by_head(const Array& x, const Array& g, const Array& like);
// g summed over batch and positions: (B, M, n, d') → (M, d').
Operation sum_by_head(const Array& g, const Array& like);
// g (B, S, n_q, n_k), summed over the S/M maps that share a head of `like` (1|B, M, n_q, n_k), and over the batch where
// `like` has one item.
Operation sum_to_heads(const Array& g, const Array& like);
// g ⊙ x, summed over the maps of each head, g (B, S, n_q, n_k) and x (1|B, M, n_q, n_k) → (H), S/H consecutive maps
// being a head's, and S/M reading one of x.
Operation products_by_map(const Array& g, const Array& x, const Array& like);
// g, read under a shape of the same size, summed over one axis of that; `axes` are those of the sum.
Operation sum_over(const Array& g, const Shape& shape, std::size_t axis, std::vector<Axis> axes);
// g (…, d_out) · wᵀ (d_in, d_out) → (…, d_in).
Operation linear_back(const Array& g, const Array& w, const Array& like);
// xᵀ g, summed over all rows, of x (…, d_in) and g (…, d_out) → (d_in, d_out).
Operation products_of_rows(const Array& x, const Array& g, const Array& like);
// g (…) times each number of w (h) → (…, h), and x (…, h) times g (…), summed over all rows → (h).
Operation products_with_vector(const Array& g, const Array& w, const Array& like);
Operation sum_of_weighted_rows(const Array& g, const Array& x, const Array& like);
// g, summed over what `like` has not: its axes are the last of g, of the same extents or 1.
Operation sum_to_size(const Array& g, const Array& like);
// g as it is, with the axes of `like`.
Operation pass_through(const Array& g, const Array& like);
// The same, 0 where the mask is −∞.
Operation pass_where_visible(const Array& g, const Array& mask);
// (B, n, M·d') → (B, M, n, d'), the way back from concatenation().
Operation split_heads(const Array& g, const Array& like);
// All of them, cell by cell.
Operation sum_of(const std::vector<Array>& parts);
// What L is made of: 1 for one cell of `of`, or so much of each.
Operation seed(const Array& of, std::optional<Index> cell, const std::shared_ptr<const Tensor>& weights);
// g ⊙ (1 − f²): the slope of tanh where f came out.
Operation times_slope_of_tanh(const Array& g, const Array& f);
// g ⊙ the slope of the rule at x. `activated`: the rule of z, in a line of PyTorch.
Operation times_slope(const Array& g, const Array& x, Combine rule, const std::string& activated);

}  // namespace ops

}  // namespace headlight
