// What the presenter keeps between frames: the question that is asked and the map that is shown, put together once.
#pragma once

#include <memory>
#include <optional>

#include "app/reading/question.h"
#include "engine/trace/trace.h"

namespace headlight::app {

struct Model;

struct PresentMemory {
  struct Of {
    const Trace* trace = nullptr;  // that `scene` keeps
    Index batch = 0, head = 0;
    std::optional<Index> query;
    bool operator==(const Of&) const = default;
  };
  std::optional<Of> of;
  std::shared_ptr<const Model> scene;  // the slide's run and look as the panels of the window take them
  Question question;
};

}  // namespace headlight::app
