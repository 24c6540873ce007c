// Small problems for tests: a variant, its parameters and some arrays, made into a Problem without files or JSON.
//
// Not the way the application prepares a run: numbers that nobody gives come from a generator of the test's own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/variants/variant.h"

namespace headlight::test {

struct Sketch {
  std::string name;  // what a failing test prints
  std::string variant;
  std::map<std::string, ParamValue> params;  // the others are at their defaults
  std::map<std::string, Shape> drawn;        // arrays given with numbers drawn for them
  std::map<std::string, Tensor> arrays;      // arrays given with these numbers
};

// Small problems of every variant, chosen so that each optional step runs in one of them. A new variant adds its own.
std::vector<Sketch> all_sketches();

// The problem, or the error of whoever refused it.
Result<Problem> make_problem(const Sketch& sketch);

// Runs it on a few threads.
Result<Trace> run(const Problem& problem, int threads = 2);
Result<Trace> run(const Sketch& sketch);

// Numbers in [−1, 1) that depend on the seed and the cell alone.
Tensor drawn(Shape shape, std::uint64_t seed);

// The first cell of a recorded array that its explanation, carried out in double, does not give back; empty when all
// agree. Arrays of more cells than `most` are sampled.
std::string first_disagreement(const Trace& trace, Index most = 400);

}  // namespace headlight::test
