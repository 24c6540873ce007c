// The formulas of the multi_head variant, as LaTeX, one for each way a step can be computed.
//
// Not how they look: the shapes are prepared in assets/formulas/formulas.txt, by the very same strings. After a change
// here, run tools/typeset_formulas/typeset.mjs.
//
// \hl{id}{symbols} marks symbols that stand for something recorded: the id of a step or source (q, w_q, scores), or
// the symbol of an axis (n_q for the query's index i, n_k for the key's indices j and t), or `this`, the step that
// shows the formula, where several steps share one. Marks may nest; the innermost one holds.
#pragma once

namespace headlight::formulas::multi_head {

// clang-format off

// Inputs
inline constexpr const char* x_norm =
    R"(\begin{gathered} \hl{x_norm}{\bar x_{\hl{n_q}{i} c}} = )"
    R"(\hl{ln_gamma}{\gamma_c}\,\frac{\hl{x_q}{x^q_{\hl{n_q}{i} c}} - )"
    R"(\mu_{\hl{n_q}{i}}}{\sqrt{\sigma_{\hl{n_q}{i}}^2 + \varepsilon}} + \hl{ln_beta}{\beta_c} \\[0.3em] )"
    R"(\mu_{\hl{n_q}{i}} = \tfrac{1}{d} \sum_c \hl{x_q}{x^q_{\hl{n_q}{i} c}} \quad \sigma_{\hl{n_q}{i}}^2 = )"
    R"(\tfrac{1}{d} \sum_c (\hl{x_q}{x^q_{\hl{n_q}{i} c}} - \mu_{\hl{n_q}{i}})^2 \end{gathered})";
inline constexpr const char* q_input =
    R"(\hl{q_input}{\tilde x^q_{\hl{n_q}{i}}} = \hl{x_q}{x^q_{\hl{n_q}{i}}} + \hl{p_q}{p^q_{\hl{n_q}{i}}})";
inline constexpr const char* q_input_norm =
    R"(\hl{q_input}{\tilde x^q_{\hl{n_q}{i}}} = \hl{x_norm}{\bar x_{\hl{n_q}{i}}} + \hl{p_q}{p^q_{\hl{n_q}{i}}})";
inline constexpr const char* k_input =
    R"(\hl{k_input}{\tilde x^k_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}} + \hl{p_k}{p^k_{\hl{n_k}{j}}})";
inline constexpr const char* k_input_self =
    R"(\hl{k_input}{\tilde x^k_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}} + \hl{p_k}{p^k_{\hl{n_k}{j}}})";
inline constexpr const char* k_input_norm =
    R"(\hl{k_input}{\tilde x^k_{\hl{n_k}{j}}} = \hl{x_norm}{\bar x_{\hl{n_k}{j}}} + \hl{p_k}{p^k_{\hl{n_k}{j}}})";

// Queries, keys, values: <projection>_from_<what it reads>, and with a bias
inline constexpr const char* q_from_x_q =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{x_q}{x^q_{\hl{n_q}{i}}}\,\hl{w_q}{W_q})";
inline constexpr const char* q_from_x_q_bias =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{x_q}{x^q_{\hl{n_q}{i}}}\,\hl{w_q}{W_q} + \hl{b_q}{b_q})";
inline constexpr const char* q_from_x_norm =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{x_norm}{\bar x_{\hl{n_q}{i}}}\,\hl{w_q}{W_q})";
inline constexpr const char* q_from_x_norm_bias =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{x_norm}{\bar x_{\hl{n_q}{i}}}\,\hl{w_q}{W_q} + \hl{b_q}{b_q})";
inline constexpr const char* q_from_q_input =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{q_input}{\tilde x^q_{\hl{n_q}{i}}}\,\hl{w_q}{W_q})";
inline constexpr const char* q_from_q_input_bias =
    R"(\hl{q}{q_{\hl{n_q}{i}}} = \hl{q_input}{\tilde x^q_{\hl{n_q}{i}}}\,\hl{w_q}{W_q} + \hl{b_q}{b_q})";
inline constexpr const char* k_from_x_q =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_from_x_q_bias =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}}\,\hl{w_k}{W_k} + \hl{b_k}{b_k})";
inline constexpr const char* k_from_x_k =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_from_x_k_bias =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}}\,\hl{w_k}{W_k} + \hl{b_k}{b_k})";
inline constexpr const char* k_from_x_norm =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_norm}{\bar x_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_from_x_norm_bias =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{x_norm}{\bar x_{\hl{n_k}{j}}}\,\hl{w_k}{W_k} + \hl{b_k}{b_k})";
inline constexpr const char* k_from_k_input =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{k_input}{\tilde x^k_{\hl{n_k}{j}}}\,\hl{w_k}{W_k})";
inline constexpr const char* k_from_k_input_bias =
    R"(\hl{k}{k_{\hl{n_k}{j}}} = \hl{k_input}{\tilde x^k_{\hl{n_k}{j}}}\,\hl{w_k}{W_k} + \hl{b_k}{b_k})";
inline constexpr const char* v_from_x_q =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}}\,\hl{w_v}{W_v})";
inline constexpr const char* v_from_x_q_bias =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_q}{x^q_{\hl{n_k}{j}}}\,\hl{w_v}{W_v} + \hl{b_v}{b_v})";
inline constexpr const char* v_from_x_k =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}}\,\hl{w_v}{W_v})";
inline constexpr const char* v_from_x_k_bias =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_k}{x^k_{\hl{n_k}{j}}}\,\hl{w_v}{W_v} + \hl{b_v}{b_v})";
inline constexpr const char* v_from_x_v =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_v}{x^v_{\hl{n_k}{j}}}\,\hl{w_v}{W_v})";
inline constexpr const char* v_from_x_v_bias =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_v}{x^v_{\hl{n_k}{j}}}\,\hl{w_v}{W_v} + \hl{b_v}{b_v})";
inline constexpr const char* v_from_x_norm =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_norm}{\bar x_{\hl{n_k}{j}}}\,\hl{w_v}{W_v})";
inline constexpr const char* v_from_x_norm_bias =
    R"(\hl{v}{v_{\hl{n_k}{j}}} = \hl{x_norm}{\bar x_{\hl{n_k}{j}}}\,\hl{w_v}{W_v} + \hl{b_v}{b_v})";

// Scores
inline constexpr const char* scores =
    R"(\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{q}{q_{\hl{n_q}{i}}} \cdot \hl{k}{k_{\hl{n_k}{j}}} = \sum_c )"
    R"(\hl{q}{q_{\hl{n_q}{i} c}}\,\hl{k}{k_{\hl{n_k}{j} c}})";
inline constexpr const char* scaled_scores =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}}}{\sqrt{d'}})";
inline constexpr const char* scaled_scores_temperature =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}}}{\tau )"
    R"(\sqrt{d'}})";
inline constexpr const char* scaled_scores_free =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} = a\,\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}})";
inline constexpr const char* scaled_scores_free_temperature =
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{a}{\tau}\,\hl{scores}{s_{\hl{n_q}{i}\hl{n_k}{j}}})";
inline constexpr const char* masked_scores =
    R"(\hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} )"
    R"(+ \hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \qquad \hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \in \{0, -\infty\})";
inline constexpr const char* masked_scores_added =
    R"(\begin{gathered} \hl{masked_scores}{\hat s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} + \hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \\[0.4em] )"
    R"(\hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} = \begin{cases} \hl{attn_mask}{A_{\hl{n_q}{i}\hl{n_k}{j}}} & )"
    R"(\text{where visible} \\ -\infty & \text{where hidden} \end{cases} \end{gathered})";

// Weights
inline constexpr const char* weights =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{\exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} \exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] m_{\hl{n_q}{i}} = \max_{\hl{n_k}{t}} )"
    R"(\hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* weights_textbook =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{\exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} \exp(\hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] \hl{scaled_scores}{\tilde )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{\hl{q}{q_{\hl{n_q}{i}}} \cdot \hl{k}{k_{\hl{n_k}{j}}}}{\sqrt{d'}} \quad )"
    R"(m_{\hl{n_q}{i}} = \max_{\hl{n_k}{t}} \hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* weights_masked =
    R"(\begin{gathered} \hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = \frac{\exp(\hl{masked_scores}{\hat )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} - m_{\hl{n_q}{i}})}{\sum_{\hl{n_k}{t}} \exp(\hl{masked_scores}{\hat )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{t}}} - m_{\hl{n_q}{i}})} \\[0.4em] \hl{masked_scores}{\hat )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{j}}} = \hl{scaled_scores}{\tilde s_{\hl{n_q}{i}\hl{n_k}{j}}} + )"
    R"(\hl{mask}{M_{\hl{n_q}{i}\hl{n_k}{j}}} \quad m_{\hl{n_q}{i}} = \max_{\hl{n_k}{t}} \hl{masked_scores}{\hat )"
    R"(s_{\hl{n_q}{i}\hl{n_k}{t}}} \end{gathered})";
inline constexpr const char* dropped_weights =
    R"(\hl{dropped_weights}{\tilde\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} = )"
    R"(\frac{\hl{dropout_mask}{z_{\hl{n_q}{i}\hl{n_k}{j}}}}{1 - p}\,\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}} )"
    R"(\qquad \hl{dropout_mask}{z_{\hl{n_q}{i}\hl{n_k}{j}}} \in \{0, 1\})";
inline constexpr const char* head_outputs =
    R"(\hl{head_outputs}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{weights}{\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{v}{v_{\hl{n_k}{j}}})";
inline constexpr const char* head_outputs_dropped =
    R"(\hl{head_outputs}{o_{\hl{n_q}{i}}} = \sum_{\hl{n_k}{j}} )"
    R"(\hl{dropped_weights}{\tilde\alpha_{\hl{n_q}{i}\hl{n_k}{j}}}\,\hl{v}{v_{\hl{n_k}{j}}})";

// Output
inline constexpr const char* concat =
    R"(\hl{concat}{c_{\hl{n_q}{i}}} = \bigl[\, \hl{head_outputs}{o^1_{\hl{n_q}{i}}} \,;\, )"
    R"(\hl{head_outputs}{o^2_{\hl{n_q}{i}}} \,;\, \dots \,;\, \hl{head_outputs}{o^M_{\hl{n_q}{i}}} \,\bigr])";
inline constexpr const char* concat_scrambled =
    R"(\hl{concat}{c} = \operatorname{reshape}\bigl(\hl{head_outputs}{o}\bigr) \colon \; M \times n \times d' \to n )"
    R"(\times M d')";
inline constexpr const char* projected =
    R"(\hl{this}{a_{\hl{n_q}{i}}} = \hl{concat}{c_{\hl{n_q}{i}}}\,\hl{w_o}{W_o})";
inline constexpr const char* projected_bias =
    R"(\hl{this}{a_{\hl{n_q}{i}}} = \hl{concat}{c_{\hl{n_q}{i}}}\,\hl{w_o}{W_o} + \hl{b_o}{b_o})";
inline constexpr const char* concat_as_output =
    R"(\hl{this}{a_{\hl{n_q}{i}}} = \hl{concat}{c_{\hl{n_q}{i}}})";
inline constexpr const char* residual =
    R"(\hl{residual}{r_{\hl{n_q}{i}}} = \hl{x_q}{x^q_{\hl{n_q}{i}}} + \hl{projected}{a_{\hl{n_q}{i}}})";
inline constexpr const char* layer_norm_residual =
    R"(\begin{gathered} \hl{this}{y_{\hl{n_q}{i} c}} = \hl{ln_gamma}{\gamma_c}\,\frac{\hl{residual}{r_{\hl{n_q}{i} )"
    R"(c}} - \mu_{\hl{n_q}{i}}}{\sqrt{\sigma_{\hl{n_q}{i}}^2 + \varepsilon}} + \hl{ln_beta}{\beta_c} \\[0.3em] )"
    R"(\mu_{\hl{n_q}{i}} = \tfrac{1}{d} \sum_c \hl{residual}{r_{\hl{n_q}{i} c}} \quad \sigma_{\hl{n_q}{i}}^2 = )"
    R"(\tfrac{1}{d} \sum_c (\hl{residual}{r_{\hl{n_q}{i} c}} - \mu_{\hl{n_q}{i}})^2 \end{gathered})";
inline constexpr const char* residual_as_output =
    R"(\hl{this}{y_{\hl{n_q}{i}}} = \hl{residual}{r_{\hl{n_q}{i}}})";

// Feed-forward part
inline constexpr const char* ffn_norm =
    R"(\begin{gathered} \hl{ffn_norm}{\bar y_{\hl{n_q}{i} c}} = )"
    R"(\hl{ln2_gamma}{\gamma_c}\,\frac{\hl{attention_output}{y_{\hl{n_q}{i} c}} - )"
    R"(\mu_{\hl{n_q}{i}}}{\sqrt{\sigma_{\hl{n_q}{i}}^2 + \varepsilon}} + \hl{ln2_beta}{\beta_c} \\[0.3em] )"
    R"(\mu_{\hl{n_q}{i}} = \tfrac{1}{d} \sum_c \hl{attention_output}{y_{\hl{n_q}{i} c}} \quad )"
    R"(\sigma_{\hl{n_q}{i}}^2 = \tfrac{1}{d} \sum_c (\hl{attention_output}{y_{\hl{n_q}{i} c}} - )"
    R"(\mu_{\hl{n_q}{i}})^2 \end{gathered})";
inline constexpr const char* ffn_hidden =
    R"(\hl{ffn_hidden}{h_{\hl{n_q}{i}}} = )"
    R"(\operatorname{ReLU}\bigl(\hl{attention_output}{y_{\hl{n_q}{i}}}\,\hl{w_1}{W_1}\bigr))";
inline constexpr const char* ffn_hidden_bias =
    R"(\hl{ffn_hidden}{h_{\hl{n_q}{i}}} = )"
    R"(\operatorname{ReLU}\bigl(\hl{attention_output}{y_{\hl{n_q}{i}}}\,\hl{w_1}{W_1} + \hl{b_1}{b_1}\bigr))";
inline constexpr const char* ffn_hidden_norm =
    R"(\hl{ffn_hidden}{h_{\hl{n_q}{i}}} = \operatorname{ReLU}\bigl(\hl{ffn_norm}{\bar )"
    R"(y_{\hl{n_q}{i}}}\,\hl{w_1}{W_1}\bigr))";
inline constexpr const char* ffn_hidden_norm_bias =
    R"(\hl{ffn_hidden}{h_{\hl{n_q}{i}}} = \operatorname{ReLU}\bigl(\hl{ffn_norm}{\bar )"
    R"(y_{\hl{n_q}{i}}}\,\hl{w_1}{W_1} + \hl{b_1}{b_1}\bigr))";
inline constexpr const char* ffn_output =
    R"(\hl{ffn_output}{f_{\hl{n_q}{i}}} = \hl{ffn_hidden}{h_{\hl{n_q}{i}}}\,\hl{w_2}{W_2})";
inline constexpr const char* ffn_output_bias =
    R"(\hl{ffn_output}{f_{\hl{n_q}{i}}} = \hl{ffn_hidden}{h_{\hl{n_q}{i}}}\,\hl{w_2}{W_2} + \hl{b_2}{b_2})";
inline constexpr const char* ffn_residual =
    R"(\hl{ffn_residual}{r'_{\hl{n_q}{i}}} = \hl{attention_output}{y_{\hl{n_q}{i}}} + )"
    R"(\hl{ffn_output}{f_{\hl{n_q}{i}}})";
inline constexpr const char* ffn_residual_as_output =
    R"(\hl{output}{y'_{\hl{n_q}{i}}} = \hl{ffn_residual}{r'_{\hl{n_q}{i}}})";
inline constexpr const char* ffn_layer_norm =
    R"(\begin{gathered} \hl{output}{y'_{\hl{n_q}{i} c}} = )"
    R"(\hl{ln2_gamma}{\gamma_c}\,\frac{\hl{ffn_residual}{r'_{\hl{n_q}{i} c}} - )"
    R"(\mu_{\hl{n_q}{i}}}{\sqrt{\sigma_{\hl{n_q}{i}}^2 + \varepsilon}} + \hl{ln2_beta}{\beta_c} \\[0.3em] )"
    R"(\mu_{\hl{n_q}{i}} = \tfrac{1}{d} \sum_c \hl{ffn_residual}{r'_{\hl{n_q}{i} c}} \quad \sigma_{\hl{n_q}{i}}^2 = )"
    R"(\tfrac{1}{d} \sum_c (\hl{ffn_residual}{r'_{\hl{n_q}{i} c}} - \mu_{\hl{n_q}{i}})^2 \end{gathered})";
// clang-format on

}  // namespace headlight::formulas::multi_head
