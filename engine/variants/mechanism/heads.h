// What heads have in common: shared keys, one latent, maps that are mixed or taken from each other, a state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

// ---- Key heads that several query heads read (Shazeer 2019; Ainslie et al. 2023).

struct SharedKeys {
  Index query_heads = 1, key_heads = 1;
  Index kept = 0;       // numbers of keys and values kept for a token
  Index kept_each = 0;  // and with a key head for each query head

  Index group() const { return query_heads / key_heads; }
};
// Of every run whose heads have keys and values.
std::optional<SharedKeys> shared_keys(const Problem& problem, const Trace& trace);

// ---- Keys and values that heads unfold from one latent (DeepSeek-AI 2024, section 2.1.2).

struct Unfolded {
  const Step* latent = nullptr;                           // (B, n_k, r), all that is kept of a token besides its place
  const Step* place = nullptr;                            // (B, 1, n_k, d_R), as it was turned
  const Step *keys = nullptr, *values = nullptr;          // (B, M, n_k, ·)
  const Step *by_content = nullptr, *by_place = nullptr;  // (B, M, n_q, n_k), the two parts of a score
  Index kept = 0, kept_each = 0;                          // numbers a token, and what all keys and values would be
};
std::optional<Unfolded> unfolded(const Trace& trace);

// ---- Two maps and what is made of them.

struct MapsApart {
  const Step* maps = nullptr;    // (B, S, n_q, n_k)
  const Step* result = nullptr;  // (B, M, n_q, n_k)
  Index first = 0, second = 0;   // of the maps: those of the head
  double by = 0;                 // what the second is multiplied by
  std::string title;
};
// Of differential attention (Ye et al. 2024, equation 1): both maps of a head and its λ.
std::optional<MapsApart> two_maps(const Problem& problem, const Trace& trace, Index head);

// What each map contributes to a head's, one number a head: a column of the matrix that mixes them (Shazeer et al.
// 2020). `made` is what comes out, `of` what goes in.
struct Mixing {
  const Step *of = nullptr, *made = nullptr;  // (B, M, n_q, n_k)
  std::vector<double> shares;                 // of that head
};
std::vector<Mixing> mixing(const Trace& trace, Index head);

// ---- The state that linear attention keeps in place of a map (Katharopoulos et al. 2020, section 3).

struct RunningState {
  const Step* state = nullptr;  // (B, M, D, d'), causal (B, M, n_q, D, d')
  Index features = 0, width = 0;
  bool causal = false;
};
std::optional<RunningState> running_state(const Trace& trace);

}  // namespace headlight::mechanism
