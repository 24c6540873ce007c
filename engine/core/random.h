// Random numbers that are the same on every machine: nothing here depends on the C library's mathematics.
//
// Not for secrets.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace headlight {

// xoshiro256** 1.0 (Blackman and Vigna 2018), its state filled by SplitMix64 from a seed and a name. A name for each
// array makes its numbers independent of the order in which arrays are drawn.
class Random {
 public:
  Random(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  // In [0, 1), with 53 bits.
  double uniform();
  // Mean 0, variance 1: the inverse of the normal distribution (Wichura 1988, Algorithm AS 241) at a uniform number.
  double normal();

 private:
  std::uint64_t state_[4];
};

// The numbers from 0 on, each once, in an order drawn by Fisher and Yates, as in Knuth, The Art of Computer
// Programming, volume 2, algorithm 3.4.2P.
std::vector<std::int64_t> shuffled(std::int64_t count, Random& random);

}  // namespace headlight
