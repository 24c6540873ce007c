// The formulas of the memory_block variant, as LaTeX, one for each way a step can be computed. Those of the steps that
// stand_alone_2d takes in the same way are its own.
//
// Not how they look: the shapes are prepared in assets/formulas/formulas.txt, by the very same strings. After a change
// here, run tools/typeset_formulas/typeset.mjs.
//
// \hl{id}{symbols} marks symbols as in multi_head_formulas.h; ij, ab and N_k(ij) are as in stand_alone_2d_formulas.h.
#pragma once

#include "engine/variants/stand_alone_2d_formulas.h"

namespace headlight::formulas::memory_block {

using stand_alone_2d::head_outputs_window;
using stand_alone_2d::head_outputs_zero;
using stand_alone_2d::k;
using stand_alone_2d::masked_scores;
using stand_alone_2d::q;
using stand_alone_2d::v;
using stand_alone_2d::weights_masked;
using stand_alone_2d::weights_window;

// clang-format off
inline constexpr const char* scores =
    R"(\hl{scores}{s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\hl{k}{k_{\hl{n_k}{ab}}} \qquad \hl{k}{k_{\hl{n_k}{ab}}} = 0 \text{ outside the picture})";
inline constexpr const char* scaled_scores =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = )"
    R"(\frac{\hl{scores}{s_{\hl{n_q}{ij},\hl{n_k}{ab}}}}{\sqrt{d'}})";
// Where scores are not divided.
inline constexpr const char* masked_scores_plain =
    R"(\hl{masked_scores}{\hat s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \begin{cases} )"
    R"(\hl{scores}{s_{\hl{n_q}{ij},\hl{n_k}{ab}}} & \text{inside the picture} \\ -\infty & \text{outside} \end{cases})";
inline constexpr const char* weights_plain =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{\exp(\hl{scores}{)"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{ab}}} - m_{\hl{n_q}{ij}})}{\sum_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\exp(\hl{scores}{s_{\hl{n_q}{ij},\hl{n_k}{cd}}} - m_{\hl{n_q}{ij}})} \\[0.4em] )"
    R"(m_{\hl{n_q}{ij}} = \max_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\hl{scores}{s_{\hl{n_q}{ij},\hl{n_k}{cd}}} \end{gathered})";
inline constexpr const char* output =
    R"(\hl{output}{o_{\hl{n_q}{ij}}} = \bigl[\, \hl{head_outputs}{y^1_{\hl{n_q}{ij}}} \,;\, )"
    R"(\hl{head_outputs}{y^2_{\hl{n_q}{ij}}} \,;\, \dots \,;\, \hl{head_outputs}{y^M_{\hl{n_q}{ij}}} \,\bigr])";
// clang-format on

}  // namespace headlight::formulas::memory_block
