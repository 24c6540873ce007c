// The formulas of the non_local variant, as LaTeX, one for each way a step can be computed.
//
// Not how they look: the shapes are prepared in assets/formulas/formulas.txt, by the very same strings. After a change
// here, run tools/typeset_formulas/typeset.mjs.
//
// \hl{id}{symbols} marks symbols as in multi_head_formulas.h. i and j count queries and keys; p counts the positions
// behind the keys before pooling, and P(j) are those that key j was pooled from.
#pragma once

namespace headlight::formulas::non_local {

// clang-format off

// Queries, keys, values
inline constexpr const char* q =
    R"(\hl{q}{\theta_{\hl{n_q}{i}}} = \hl{w_theta}{W_\theta}\,\hl{x}{x_{\hl{n_q}{i}}})";
inline constexpr const char* q_bias =
    R"(\hl{q}{\theta_{\hl{n_q}{i}}} = \hl{w_theta}{W_\theta}\,\hl{x}{x_{\hl{n_q}{i}}} + \hl{b_theta}{b_\theta})";
inline constexpr const char* q_gaussian =
    R"(\hl{q}{\theta_{\hl{n_q}{i}}} = \hl{x}{x_{\hl{n_q}{i}}})";
inline constexpr const char* phi =
    R"(\hl{phi}{\phi'_p} = \hl{w_phi}{W_\phi}\,\hl{x}{x_p})";
inline constexpr const char* phi_bias =
    R"(\hl{phi}{\phi'_p} = \hl{w_phi}{W_\phi}\,\hl{x}{x_p} + \hl{b_phi}{b_\phi})";
inline constexpr const char* g =
    R"(\hl{g}{g'_p} = \hl{w_g}{W_g}\,\hl{x}{x_p})";
inline constexpr const char* g_bias =
    R"(\hl{g}{g'_p} = \hl{w_g}{W_g}\,\hl{x}{x_p} + \hl{b_g}{b_g})";
inline constexpr const char* k =
    R"(\hl{k}{\phi_{\hl{n_k}{j}}} = \hl{w_phi}{W_\phi}\,\hl{x}{x_{\hl{n_k}{j}}})";
inline constexpr const char* k_bias =
    R"(\hl{k}{\phi_{\hl{n_k}{j}}} = \hl{w_phi}{W_\phi}\,\hl{x}{x_{\hl{n_k}{j}}} + \hl{b_phi}{b_\phi})";
inline constexpr const char* k_pooled =
    R"(\hl{k}{\phi_{\hl{n_k}{j} c}} = \max_{p \in P(\hl{n_k}{j})} \hl{phi}{\phi'_{p c}})";
inline constexpr const char* k_gaussian =
    R"(\hl{k}{\phi_{\hl{n_k}{j}}} = \hl{x}{x_{\hl{n_k}{j}}})";
inline constexpr const char* k_gaussian_pooled =
    R"(\hl{k}{\phi_{\hl{n_k}{j} c}} = \max_{p \in P(\hl{n_k}{j})} \hl{x}{x_{p c}})";
inline constexpr const char* v =
    R"(\hl{v}{g_{\hl{n_k}{j}}} = \hl{w_g}{W_g}\,\hl{x}{x_{\hl{n_k}{j}}})";
inline constexpr const char* v_bias =
    R"(\hl{v}{g_{\hl{n_k}{j}}} = \hl{w_g}{W_g}\,\hl{x}{x_{\hl{n_k}{j}}} + \hl{b_g}{b_g})";
inline constexpr const char* v_pooled =
    R"(\hl{v}{g_{\hl{n_k}{j} c}} = \max_{p \in P(\hl{n_k}{j})} \hl{g}{g'_{p c}})";

// Scores and weights
inline constexpr const char* scores =
    R"(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{q}{\theta_{\hl{n_q}{i}}} \cdot \hl{k}{\phi_{\hl{n_k}{j}}} = \sum_c )"
    R"(\hl{q}{\theta_{\hl{n_q}{i} c}}\,\hl{k}{\phi_{\hl{n_k}{j} c}})";
inline constexpr const char* scores_concatenation =
    R"(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} = \operatorname{ReLU}\bigl(\hl{w_concat}{w_f} \cdot )"
    R"([\, \hl{q}{\theta_{\hl{n_q}{i}}} \,;\, \hl{k}{\phi_{\hl{n_k}{j}}} \,]\bigr))";
inline constexpr const char* weights =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} )"
    R"(\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] m_{\hl{n_q}{i}} = )"
    R"(\max_{\hl{n_k}{t}} \hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* weights_divided =
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{1}{N}\,\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}})";
inline constexpr const char* head_outputs =
    R"(\hl{head_outputs}{y_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{v}{g_{\hl{n_k}{j}}})";

// Output
inline constexpr const char* projected =
    R"(\hl{projected}{a_{\hl{n_q}{i}}} = \hl{w_z}{W_z}\,\hl{head_outputs}{y_{\hl{n_q}{i}}})";
inline constexpr const char* projected_bias =
    R"(\hl{projected}{a_{\hl{n_q}{i}}} = \hl{w_z}{W_z}\,\hl{head_outputs}{y_{\hl{n_q}{i}}} + \hl{b_z}{b_z})";
inline constexpr const char* projected_norm =
    R"(\begin{gathered} \hl{projected}{a_{\hl{n_q}{i} c}} = \hl{bn_gamma}{\gamma_c}\,\frac{u_{\hl{n_q}{i} c} - )"
    R"(\hl{bn_mean}{\mu_c}}{\sqrt{\hl{bn_var}{\sigma_c^2} + \varepsilon}} + \hl{bn_beta}{\beta_c} \\[0.3em] )"
    R"(u_{\hl{n_q}{i}} = \hl{w_z}{W_z}\,\hl{head_outputs}{y_{\hl{n_q}{i}}} \end{gathered})";
inline constexpr const char* projected_norm_bias =
    R"(\begin{gathered} \hl{projected}{a_{\hl{n_q}{i} c}} = \hl{bn_gamma}{\gamma_c}\,\frac{u_{\hl{n_q}{i} c} - )"
    R"(\hl{bn_mean}{\mu_c}}{\sqrt{\hl{bn_var}{\sigma_c^2} + \varepsilon}} + \hl{bn_beta}{\beta_c} \\[0.3em] )"
    R"(u_{\hl{n_q}{i}} = \hl{w_z}{W_z}\,\hl{head_outputs}{y_{\hl{n_q}{i}}} + \hl{b_z}{b_z} \end{gathered})";
inline constexpr const char* output =
    R"(\hl{output}{z_{\hl{n_q}{i}}} = \hl{projected}{a_{\hl{n_q}{i}}} + \hl{x}{x_{\hl{n_q}{i}}})";
// clang-format on

}  // namespace headlight::formulas::non_local
