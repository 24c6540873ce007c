// Queries and keys of one size, codes of rows and columns, and gates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"
#include "engine/variants/mechanism/pair_of.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

// ---- Queries and keys that are brought to one size (Henry et al. 2020; Dehghani et al. 2023, section 2).

struct Norming {
  const Step *q = nullptr, *q_normed = nullptr;  // (B, heads, n_q, d'), as they were and as they are
  const Step *k = nullptr, *k_normed = nullptr;  // (B, key heads, n_k, d')
  std::string title;                             // "RMS norm"
};
std::optional<Norming> norming(const Problem& problem, const Trace& trace);
// Euclidean lengths of all queries or keys of a step in a head.
std::vector<double> lengths_of(const Step& step, Index batch, Index head);
// A query and a key over all channels, in the plane that both span: the query along the first axis.
struct Facing {
  double q = 0, k = 0;  // lengths
  double between = 0;   // radians, 0 to π; 0 where either has no length
};
Facing facing(const Step& q, const Step& k, const PairOf& of);

// ---- Codes of rows and columns (Carion et al. 2020, appendix).

struct PlaceCodes {
  const Step* codes = nullptr;  // (n, d) or (B, n, d)
  Index rows = 1, columns = 1;  // of the grid that the places lie on
};
// Of a run whose positions are sinusoidal in two directions.
std::optional<PlaceCodes> place_codes(const Problem& problem, const Trace& trace);
// How alike the code of a place is to that of each: the cosine of their angle → (rows, columns).
Tensor likeness_of_codes(const PlaceCodes& codes, Index place);

// ---- A feed-forward part whose numbers pass a gate (Shazeer 2020): (B, n_q, d_ff) each, hidden = gate · up.

struct Gating {
  const Step *gate = nullptr, *up = nullptr, *hidden = nullptr;
};
std::optional<Gating> gating(const Trace& trace);

}  // namespace headlight::mechanism
