// The formulas of the key_content_only variant, as LaTeX; how they are marked is said in multi_head_formulas.h.
#pragma once

namespace headlight::formulas::key_content_only {

// clang-format off
inline constexpr const char* k =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x}{x_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* v =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x}{x_{\hl{n_k}{j}}}\,\hl{w_v}{W_v})";
inline constexpr const char* scores =
    R"(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{u}{u} \cdot \hl{k}{k_{\hl{n_k}{j}}} = \sum_c )"
    R"(\hl{u}{u_c}\,\hl{k}{k_{\hl{n_k}{j} c}} \qquad \text{for every } \hl{n_q}{i})";
inline constexpr const char* weights =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} - m)}{\sum_{\hl{n_k}{t}} )"
    R"(\exp(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} - m)} \\[0.4em] )"
    R"(m = \max_{\hl{n_k}{t}} \hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* head_outputs =
    R"(\hl{head_outputs}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{v}{v_{\hl{n_k}{j}}})";
inline constexpr const char* concat =
    R"(\hl{concat}{c_{\hl{n_q}{i}}} = \bigl[\, \hl{head_outputs}{o^1_{\hl{n_q}{i}}} \,;\, )"
    R"(\dots \,;\, \hl{head_outputs}{o^M_{\hl{n_q}{i}}} \,\bigr])";
inline constexpr const char* projected =
    R"(\hl{projected}{a_{\hl{n_q}{i}}} = \hl{concat}{c_{\hl{n_q}{i}}}\,\hl{w_o}{W_o})";
inline constexpr const char* residual =
    R"(\hl{residual}{r_{\hl{n_q}{i}}} = \hl{x}{x_{\hl{n_q}{i}}} + \hl{projected}{a_{\hl{n_q}{i}}})";
inline constexpr const char* output =
    R"(\begin{gathered} \hl{output}{y_{\hl{n_q}{i} c}} = \hl{ln_gamma}{\gamma_c}\,\frac{\hl{residual}{r_{\hl{n_q}{i} )"
    R"(c}} - \mu_{\hl{n_q}{i}}}{\sqrt{\sigma_{\hl{n_q}{i}}^2 + \varepsilon}} + \hl{ln_beta}{\beta_c} \\[0.3em] )"
    R"(\mu_{\hl{n_q}{i}} = \tfrac{1}{d} \sum_c \hl{residual}{r_{\hl{n_q}{i} c}} \quad \sigma_{\hl{n_q}{i}}^2 = )"
    R"(\tfrac{1}{d} \sum_c (\hl{residual}{r_{\hl{n_q}{i} c}} - \mu_{\hl{n_q}{i}})^2 \end{gathered})";
// clang-format on

}  // namespace headlight::formulas::key_content_only
