// What the panels show of the model, put together once a frame: which step, which cells, which colours.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include "app/actions/action.h"
#include "app/session/background.h"
#include "app/widgets/controls.h"
#include "app/widgets/views.h"

namespace headlight::app {

using Actions = std::vector<Action>;

// Lasts between frames: copies of cells whose masked weights are hatched, kept until there is a new trace.
class CellCache {
 public:
  // The map of a step's picture, with the range and colours of all its heads.
  MapData map(const Ui& ui, const Model& model, const Step& step, Index head) {
    return map(ui, model, step, head, model.document.look.frame);
  }
  // The same of another frame of a video.
  MapData map(const Ui& ui, const Model& model, const Step& step, Index head, Index frame);
  // The bounds of its numbers, as they were chosen.
  ValueRange range(const Model& model, const Step& step, Index head);

 private:
  // All that bounds depend on.
  struct RangeOf {
    std::uint64_t run = 0;
    std::string step;
    Index batch = 0, head = 0;
    std::optional<Index> query;  // whose row alone is shown
    Scaling scaling;
    bool operator==(const RangeOf&) const = default;
  };
  struct Kept {
    std::shared_ptr<const Tensor> owner;
    MatrixView cells;
    NumbersOf numbers;
  };
  std::uint64_t ticket_ = 0;
  Index batch_ = 0;
  std::map<std::tuple<std::string, Index, Index>, Kept> kept_;                      // by step, head and frame
  std::map<std::pair<std::string, Index>, std::pair<RangeOf, ValueRange>> ranges_;  // by step and head
};

// What the panels remember from frame to frame. What only one of them needs is a struct of its own, beside it, which is
// made when it is first asked for.
class PanelMemory {
 public:
  UiMemory ui;
  CellCache cells;
  std::optional<Hover> hover;  // found in this frame

  PanelMemory() : PanelMemory(ServedBy::own_thread) {}
  explicit PanelMemory(ServedBy served_by) : background({}, {}, served_by) {}
  PanelMemory(const PanelMemory&) = delete;
  PanelMemory& operator=(const PanelMemory&) = delete;

  template <class Own>
  Own& get() {
    std::shared_ptr<void>& kept = kept_[typeid(Own)];
    if (!kept) kept = std::make_shared<Own>();
    return *static_cast<Own*>(kept.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> kept_;

 public:
  Background background;  // what panels make off the window's thread; it ends before what it is made for
};

// The numbers of a slice, in the result of that ticket.
NumbersOf numbers_of(std::uint64_t run, std::string what, const Slice& slice);

// A run that takes longer than a blink says so, and that Esc cancels it.
inline constexpr double busy_delay = 0.15;  // s
bool shows_busy(const Model& model);

// What is looked at: the pinned cell, else the one under the pointer, else the one selected last.
Selection effective_selection(const Model& model);

// The same within the look's batch, head, frame and mode.
Focus effective_focus(const Model& model);

// The grid that an image or frames are to be brought to, where one is asked for.
std::optional<GridSize> size_asked(const InputSpec& input);

// Role of a recorded array or axis symbol, for formulas and tables.
Role role_of(const Trace& trace, const std::string& id);

}  // namespace headlight::app
