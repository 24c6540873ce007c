// Steps that more than one variant takes as lines of Python: what explain.h is to one number, these are to a whole
// array. `to` is the id of what the lines compute; the other names are ids of arrays recorded before.
//
// Not for the script round them: engine/code/script.h.
#pragma once

#include <optional>
#include <string>

#include "engine/math/window.h"
#include "engine/trace/explanation.h"
#include "engine/trace/step.h"
#include "engine/variants/attention_mask.h"

namespace headlight::code {

// Lines that are the same in both libraries.
Code both(const std::string& lines);

// x (B, n, d_in) · w (M, d_in, d') + b (M, d') → (B, M, n, d'). No bias: an empty id.
Code project(const std::string& to, const std::string& x, const std::string& w, const std::string& b);
// The same from a picture x (B, C, …): all positions, or one.
Code project_pixels(const std::string& to, const std::string& x, const std::string& w, const std::string& b,
                    std::optional<Index> only);
// x (B, C, …) → (B, C, n), as part of a line: all positions in a row, or one.
Code positions_of(const std::string& x, std::optional<Index> only = {});

// x (…, d_in) · w (d_in, d_out) + b (d_out) → (…, d_out), through max(0, ·) where combine is Combine::relu.
Code linear(const std::string& to, const std::string& x, const std::string& w, const std::string& b, Combine combine);

// q (B, M, n_q, d') · kᵀ (B, M, n_k, d') → (B, M, n_q, n_k); `scale` is what follows ("/ 8**0.5"), or nothing.
Code dot_products(const std::string& to, const std::string& q, const std::string& k, const std::string& scale = {});

// q (B, M, HW, d') · k (B, M, HW, d') → (B, M, HW, k²); 0 outside the picture, whatever q is: NaN too, where it is not
// `finite`.
Code window_scores(const std::string& to, const std::string& q, const std::string& k, const math::Window& window,
                   const std::string& scale, bool finite);
// scores (B, M, HW, k²) with −∞ for keys outside the picture.
Code hidden_outside(const std::string& to, const std::string& scores, const math::Window& window);
// a (B, M, HW, k²) · v (B, M, HW, d') → (B, M, HW, d').
Code window_sum(const std::string& to, const std::string& a, const std::string& v, const math::Window& window);

// The rules' masks, under their ids, as one.
Code mask(const std::string& to, const MaskRules& rules);

// scores plus the mask of mask(), −∞ where it hides, whatever the score: NaN too, where they are not `finite`.
Code masked(const std::string& to, const std::string& scores, bool finite);

// Over the last axis.
Code softmax(const std::string& to, const std::string& scores);
// The same, where rows without a visible key become zeros.
Code masked_softmax(const std::string& to, const std::string& scores);

// heads (B, M, n, d') → (B, n, M·d').
Code concatenation(const std::string& to, const std::string& heads);

// With `which`_gamma and `which`_beta.
Code layer_norm(const std::string& to, const std::string& x, const std::string& which);

}  // namespace headlight::code
