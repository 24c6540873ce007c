// The formulas of the additive variant, as LaTeX; how they are marked is said in multi_head_formulas.h.
#pragma once

namespace headlight::formulas::additive {

// clang-format off
inline constexpr const char* q =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{x_q}{x^q_{\hl{n_q}{i}}}\,\hl{w_q}{W_q})";
inline constexpr const char* k_from_x_k =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_from_x_q =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* features =
    R"(\hl{features}{f_{\hl{n_q}{i}\hl{n_k}{j}}} = \tanh\bigl(\hl{q}{q_{\hl{n_q}{i}}} + \hl{k}{k_{\hl{n_k}{j}}}\bigr))";
inline constexpr const char* scores =
    R"(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{w_score}{w} \cdot \hl{features}{f_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\sum_c \hl{w_score}{w_c}\,\hl{features}{f_{\hl{n_q}{i}\hl{n_k}{j} c}})";
inline constexpr const char* masked_scores =
    R"(\hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} )"
    R"(+ \hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \qquad \hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \in \{0, -\infty\})";
inline constexpr const char* weights =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} )"
    R"(\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] )"
    R"(m_{\hl{n_q}{i}} = \max_{\hl{n_k}{t}} \hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* weights_masked =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\exp(\hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} )"
    R"(\exp(\hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] )"
    R"(m_{\hl{n_q}{i}} = \max_{\hl{n_k}{t}} \hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* output_from_x_v =
    R"(\hl{output}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{x_v}{x^v_{\hl{n_k}{j}}})";
inline constexpr const char* output_from_x_k =
    R"(\hl{output}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{x_k}{x^k_{\hl{n_k}{j}}})";
inline constexpr const char* output_from_x_q =
    R"(\hl{output}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{x_q}{x^q_{\hl{n_k}{j}}})";
// clang-format on

}  // namespace headlight::formulas::additive
