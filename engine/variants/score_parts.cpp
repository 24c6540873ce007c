#include "engine/variants/score_parts.h"

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
  const auto covers_all_pairs = [&](const Step* step) { return step->tensor().rank() == 4; };
  for (const Step* step : parts.scaled)
    if (!covers_all_pairs(step)) return {};
  if (apart || !several || !parts.sum || parts.scaled.empty() || (parts.added && !covers_all_pairs(parts.added)))
    return {};
  const Shape& whole = parts.sum->tensor().shape();
  if (parts.scaled.front()->tensor().shape() != whole) return {};
  if (parts.added && parts.added->tensor().dim(3) != whole[3]) return {};  // windows of a picture have their own keys
  return parts;
}

}  // namespace headlight::mechanism
