// What gradients are of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {

struct Loss {
  const Step* of = nullptr;
  std::optional<Index> cell = {};  // flat; none: its numbers together
};
// Of the gradients among a trace's steps, read off the first of them; none where there are none.
std::optional<Loss> loss_of(const Trace& trace);

// "Head outputs, head 2, query 9, channel 0": axes of one position are left out.
std::string loss_in_words(const Step& of, const std::vector<Index>& cell);
std::string loss_in_words(const Loss& loss);

}  // namespace headlight
