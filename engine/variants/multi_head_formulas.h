#pragma once
namespace headlight::formulas::multi_head {
inline constexpr const char* concat = R"tex(concat)tex";
inline constexpr const char* concat_as_output = R"tex(concat_as_output)tex";
inline constexpr const char* concat_scrambled = R"tex(concat_scrambled)tex";
inline constexpr const char* dropped_weights = R"tex(dropped_weights)tex";
inline constexpr const char* ffn_hidden = R"tex(ffn_hidden)tex";
inline constexpr const char* ffn_hidden_bias = R"tex(ffn_hidden_bias)tex";
inline constexpr const char* ffn_layer_norm = R"tex(ffn_layer_norm)tex";
inline constexpr const char* ffn_norm = R"tex(ffn_norm)tex";
inline constexpr const char* ffn_output = R"tex(ffn_output)tex";
inline constexpr const char* ffn_output_bias = R"tex(ffn_output_bias)tex";
inline constexpr const char* ffn_residual = R"tex(ffn_residual)tex";
inline constexpr const char* ffn_residual_as_output = R"tex(ffn_residual_as_output)tex";
inline constexpr const char* head_outputs = R"tex(head_outputs)tex";
inline constexpr const char* head_outputs_dropped = R"tex(head_outputs_dropped)tex";
inline constexpr const char* k_input = R"tex(k_input)tex";
inline constexpr const char* layer_norm_residual = R"tex(layer_norm_residual)tex";
inline constexpr const char* masked_scores = R"tex(masked_scores)tex";
inline constexpr const char* masked_scores_added = R"tex(masked_scores_added)tex";
inline constexpr const char* projected = R"tex(projected)tex";
inline constexpr const char* projected_bias = R"tex(projected_bias)tex";
inline constexpr const char* q_input = R"tex(q_input)tex";
inline constexpr const char* q_input_norm = R"tex(q_input_norm)tex";
inline constexpr const char* residual = R"tex(residual)tex";
inline constexpr const char* residual_as_output = R"tex(residual_as_output)tex";
inline constexpr const char* scores = R"tex(scores)tex";
inline constexpr const char* weights = R"tex(weights)tex";
inline constexpr const char* x_norm = R"tex(x_norm)tex";
}
