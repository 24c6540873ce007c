// The formulas of the stand_alone_2d variant, as LaTeX, one for each way a step can be computed.
//
// Not how they look: the shapes are prepared in assets/formulas/formulas.txt, by the very same strings. After a change
// here, run tools/typeset_formulas/typeset.mjs.
//
// \hl{id}{symbols} marks symbols as in multi_head_formulas.h. As in the paper, a query is the pixel in row i and column
// j, a key the one in row a and column b, and N_k(ij) is the window round a query; cd counts keys in a sum.
#pragma once

namespace headlight::formulas::stand_alone_2d {

// clang-format off

// Queries, keys, values
inline constexpr const char* q =
    R"(\hl{q}{q_{\hl{n_q}{ij}}} = \hl{x}{x_{\hl{n_q}{ij}}}\,\hl{w_q}{W_q})";
inline constexpr const char* q_bias =
    R"(\hl{q}{q_{\hl{n_q}{ij}}} = \hl{x}{x_{\hl{n_q}{ij}}}\,\hl{w_q}{W_q} + \hl{b_q}{b_q})";
inline constexpr const char* k =
    R"(\hl{k}{k_{\hl{n_k}{ab}}} = \hl{x}{x_{\hl{n_k}{ab}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_bias =
    R"(\hl{k}{k_{\hl{n_k}{ab}}} = \hl{x}{x_{\hl{n_k}{ab}}}\,\hl{w_k}{W_k} + \hl{b_k}{b_k})";
inline constexpr const char* v =
    R"(\hl{v}{v_{\hl{n_k}{ab}}} = \hl{x}{x_{\hl{n_k}{ab}}}\,\hl{w_v}{W_v})";
inline constexpr const char* v_bias =
    R"(\hl{v}{v_{\hl{n_k}{ab}}} = \hl{x}{x_{\hl{n_k}{ab}}}\,\hl{w_v}{W_v} + \hl{b_v}{b_v})";

// Positions
inline constexpr const char* row_embedding =
    R"(\hl{row_embedding}{r^{\mathrm{row}}_{a - i}} = \hl{row_table}{R^{\mathrm{row}}_{a - i + P - 1}})";
inline constexpr const char* col_embedding =
    R"(\hl{col_embedding}{r^{\mathrm{col}}_{b - j}} = \hl{col_table}{R^{\mathrm{col}}_{b - j + P - 1}})";
inline constexpr const char* position_scores_in_channels =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{C}}\,\hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\bigl[\, \hl{row_embedding}{r^{\mathrm{row}}_{a - i}} \,;\, \hl{col_embedding}{r^{\mathrm{col}}_{b - j}} \,\bigr])";
inline constexpr const char* position_scores =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\bigl[\, \hl{row_embedding}{r^{\mathrm{row}}_{a - i}} \,;\, \hl{col_embedding}{r^{\mathrm{col}}_{b - j}} \,\bigr])";
inline constexpr const char* position_scores_window =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\bigl[\, \hl{row_table}{R^{\mathrm{row}}_{a - i + P - 1}} \,;\, )"
    R"(\hl{col_table}{R^{\mathrm{col}}_{b - j + P - 1}} \,\bigr])";
inline constexpr const char* position_scores_d_head =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{\mathrm{mid}}}\,\hl{q}{q_{\hl{n_q}{ij}}} )"
    R"(\cdot \bigl[\, \hl{row_embedding}{r^{\mathrm{row}}_{a - i}} \,;\, )"
    R"(\hl{col_embedding}{r^{\mathrm{col}}_{b - j}} \,\bigr])";
inline constexpr const char* position_scores_window_in_channels =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{C}}\,\hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\bigl[\, \hl{row_table}{R^{\mathrm{row}}_{a - i + P - 1}} \,;\, )"
    R"(\hl{col_table}{R^{\mathrm{col}}_{b - j + P - 1}} \,\bigr])";
inline constexpr const char* position_scores_window_d_head =
    R"(\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{\mathrm{mid}}}\,\hl{q}{q_{\hl{n_q}{ij}}} )"
    R"(\cdot \bigl[\, \hl{row_table}{R^{\mathrm{row}}_{a - i + P - 1}} \,;\, )"
    R"(\hl{col_table}{R^{\mathrm{col}}_{b - j + P - 1}} \,\bigr])";

// Scores
inline constexpr const char* content_scores_in_channels =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{C}}\,\hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\hl{k}{k_{\hl{n_k}{ab}}})";
inline constexpr const char* content_scores =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \hl{q}{q_{\hl{n_q}{ij}}} \cdot \hl{k}{k_{\hl{n_k}{ab}}})";
inline constexpr const char* content_scores_window =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\hl{k}{k_{\hl{n_k}{ab}}} \qquad \hl{k}{k_{\hl{n_k}{ab}}} = 0 \text{ outside the picture})";
inline constexpr const char* content_scores_d_head =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{\mathrm{mid}}}\,\hl{q}{q_{\hl{n_q}{ij}}} )"
    R"(\cdot \hl{k}{k_{\hl{n_k}{ab}}})";
inline constexpr const char* content_scores_window_in_channels =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{C}}\,\hl{q}{q_{\hl{n_q}{ij}}} \cdot )"
    R"(\hl{k}{k_{\hl{n_k}{ab}}} \qquad \hl{k}{k_{\hl{n_k}{ab}}} = 0 \text{ outside the picture})";
inline constexpr const char* content_scores_window_d_head =
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{1}{\sqrt{\mathrm{mid}}}\,\hl{q}{q_{\hl{n_q}{ij}}} )"
    R"(\cdot \hl{k}{k_{\hl{n_k}{ab}}} \qquad \hl{k}{k_{\hl{n_k}{ab}}} = 0 \text{ outside the picture})";
inline constexpr const char* scaled_scores =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = )"
    R"(\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} + \hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}})";
inline constexpr const char* scaled_scores_balanced =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = )"
    R"(\lambda_c\,\hl{content_scores}{c_{\hl{n_q}{ij},\hl{n_k}{ab}}} + )"
    R"(\lambda_p\,\hl{position_scores}{p_{\hl{n_q}{ij},\hl{n_k}{ab}}})";
inline constexpr const char* masked_scores =
    R"(\hl{masked_scores}{\hat s_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \begin{cases} \hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{ab}}} & \text{inside the picture} \\ -\infty & \text{outside} \end{cases})";

// Weights
inline constexpr const char* weights =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{\exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{ab}}} - m_{\hl{n_q}{ij}})}{\sum_{\hl{n_k}{cd}} \exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{cd}}} - m_{\hl{n_q}{ij}})} \\[0.4em] m_{\hl{n_q}{ij}} = \max_{\hl{n_k}{cd}} )"
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{cd}}} \end{gathered})";
inline constexpr const char* weights_window =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{\exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{ab}}} - m_{\hl{n_q}{ij}})}{\sum_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\exp(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{cd}}} - m_{\hl{n_q}{ij}})} \\[0.4em] )"
    R"(m_{\hl{n_q}{ij}} = \max_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{ij},\hl{n_k}{cd}}} \end{gathered})";
inline constexpr const char* weights_masked =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}} = \frac{\exp(\hl{masked_scores}{\hat )"
    R"(s_{\hl{n_q}{ij},\hl{n_k}{ab}}} - m_{\hl{n_q}{ij}})}{\sum_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\exp(\hl{masked_scores}{\hat s_{\hl{n_q}{ij},\hl{n_k}{cd}}} - m_{\hl{n_q}{ij}})} \\[0.4em] )"
    R"(m_{\hl{n_q}{ij}} = \max_{\hl{n_k}{cd} \in N_k(\hl{n_q}{ij})} )"
    R"(\hl{masked_scores}{\hat s_{\hl{n_q}{ij},\hl{n_k}{cd}}} \end{gathered})";

// Output
inline constexpr const char* head_outputs =
    R"(\hl{head_outputs}{y_{\hl{n_q}{ij}}} = \sum_{\hl{n_k}{ab}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}}\,\hl{v}{v_{\hl{n_k}{ab}}})";
inline constexpr const char* head_outputs_window =
    R"(\hl{head_outputs}{y_{\hl{n_q}{ij}}} = \sum_{\hl{n_k}{ab} \in N_k(\hl{n_q}{ij})} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}}\,\hl{v}{v_{\hl{n_k}{ab}}})";
inline constexpr const char* head_outputs_zero =
    R"(\hl{head_outputs}{y_{\hl{n_q}{ij}}} = \sum_{\hl{n_k}{ab} \in N_k(\hl{n_q}{ij})} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{ij},\hl{n_k}{ab}}}\,\hl{v}{v_{\hl{n_k}{ab}}} \qquad )"
    R"(\hl{v}{v_{\hl{n_k}{ab}}} = 0 \text{ outside the picture})";
inline constexpr const char* concat =
    R"(\hl{concat}{z_{\hl{n_q}{ij}}} = \bigl[\, \hl{head_outputs}{y^1_{\hl{n_q}{ij}}} \,;\, )"
    R"(\hl{head_outputs}{y^2_{\hl{n_q}{ij}}} \,;\, \dots \,;\, \hl{head_outputs}{y^M_{\hl{n_q}{ij}}} \,\bigr])";
inline constexpr const char* output =
    R"(\hl{output}{o_{\hl{n_q}{ij}}} = \hl{concat}{z_{\hl{n_q}{ij}}}\,\hl{w_o}{W_o})";
inline constexpr const char* output_bias =
    R"(\hl{output}{o_{\hl{n_q}{ij}}} = \hl{concat}{z_{\hl{n_q}{ij}}}\,\hl{w_o}{W_o} + \hl{b_o}{b_o})";
// clang-format on

}  // namespace headlight::formulas::stand_alone_2d
