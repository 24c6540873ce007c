// Words in which a table of names is written: a linear layer, a norm, an attention.
//
// Not for what becomes of each array: tables.h.
#pragma once

#include "engine/layouts/tables.h"

namespace headlight::pieces {

Pieces joined(std::initializer_list<Pieces> lists);
// NAME.weight → w_WHICH, and NAME.bias → b_WHICH where it is there. A bias is cut as its weight is, and else as it is.
Pieces linear(const char* which, const std::string& name, How how);
// NAME.weight → WHICH_gamma, NAME.bias → WHICH_beta; or NAME.gamma and NAME.beta.
Pieces norm(const char* which, const std::string& name);
// The same, whose bias is 0 where it is not there.
Pieces norm_perhaps_without_bias(const char* which, const std::string& name);
// NAME.weight → WHICH_gamma.
Pieces root_norm(const char* which, const std::string& name, How how = How::as_is);
// Queries, keys and values of one matrix; `first` is how the queries are cut from it.
Pieces one_matrix(const std::string& name, How first);
struct AttentionNames {
  std::string q = "q_proj", k = "k_proj", v = "v_proj", o = "out_proj";
};
// Each matrix (out, in) by itself, after `at`.
Pieces attention(const std::string& at, const AttentionNames& names = {});
// (out, in): w_1 and w_2, and w_3 of a gate where it is named.
Pieces feed_forward(const std::string& up, const std::string& down, const std::string& linear = {});

// Of torch.nn.MultiheadAttention, after `at`, and of its layers.
Pieces torch_attention(const std::string& at);
Pieces torch_encoder();
Pieces torch_decoder(bool cross);

Settings joined(Settings settings, const Settings& more);

}  // namespace headlight::pieces
