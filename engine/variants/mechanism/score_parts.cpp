#include "engine/variants/mechanism/score_parts.h"

#include <algorithm>

namespace headlight::mechanism {

ScoreParts score_parts(const Trace& trace) {
  ScoreParts parts;
  parts.added = trace.find("position_bias");
  for (const char* id : {"scores", "position_scores", "key_scores", "offset_scores"})
    if (const Step* step = trace.find(id)) parts.scaled.push_back(step);
  parts.sum = trace.find("scaled_scores");
  // A score of content and place is one of these parts where each has its own width (DeepSeek-AI 2024).
  const bool apart = trace.find("content_scores") != nullptr;
  const bool several = parts.added || parts.scaled.size() > 1;
  if (apart || !several || !parts.sum || parts.scaled.empty()) return {};
  // Of windows of a picture all queries share one table of places.
  const Shape& whole = parts.sum->tensor().shape();
  const auto of_all_pairs = [&](const Step* step) {
    const Shape& shape = step->tensor().shape();
    return shape.size() == 4 && std::equal(shape.begin() + 2, shape.end(), whole.begin() + 2, whole.end());
  };
  if (whole.size() != 4 || !std::ranges::all_of(parts.scaled, of_all_pairs) ||
      (parts.added && !of_all_pairs(parts.added)))
    return {};
  return parts;
}

}  // namespace headlight::mechanism
