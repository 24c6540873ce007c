// What the window shows, in sentences: a step, the heads with their measures, all layers, what differs between two
// results, or a lesson's step. For a screen reader, a caption or a chat.
#pragma once

#include <string>

namespace headlight::app {

struct Model;

// Empty where there is nothing yet.
std::string describe_view(const Model& model);

}  // namespace headlight::app
