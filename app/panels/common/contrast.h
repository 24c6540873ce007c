// Two runs as the panels show them: for what is shown of B, the step and position of A that match it, and maps of their
// differences. Cached until a run or what is looked at changes.
//
// The arithmetic is app/reading/difference.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/model/model.h"
#include "app/reading/difference.h"
#include "app/widgets/views.h"

namespace headlight::app {

// What is shown of the model, and the same of another run. Good for a frame.
struct SideBySide {
  const Outcome* a = nullptr;  // has a trace
  const Step* step_a = nullptr;
  const Step* step_b = nullptr;
  Focus focus_a, focus_b;
  std::shared_ptr<const PositionMatch> positions;
  std::string why_not;  // one line; nothing of the above but the run counts then
};

// What the numbers of a difference depend on.
struct ContrastKey {
  NumbersOf a, b;
  Contrast contrast = Contrast::difference;
  bool operator==(const ContrastKey&) const = default;
};

// One for each head that both have; where there are too many numbers for that, of the head that is shown alone.
struct ContrastMaps {
  ContrastKey of;
  Index first = 0;  // the head of the first
  std::vector<std::shared_ptr<const Difference>> heads;
  std::string why_not;
  float greatest = 0;  // magnitude in all of them
  bool all_heads = true;
  bool rounding = false;  // no more than that is between them

  const Difference* of_head(Index head) const;
  Index most_changed() const;  // the head of which the sum of all changes is the largest; there must be heads
};

// What both runs come to, over all heads.
struct RunNumbers {
  std::uint64_t run_a = 0, run_b = 0;
  Index batch = -1;
  std::optional<MapMeans> a, b;
  std::optional<double> output;  // ‖B − A‖ / ‖A‖
  std::optional<Index> most_at;  // the position of the output, in B, that changes most
  double most = 0;               // its change, relative to its size
  bool output_rounded = false;   // the output is the same but for rounding
  std::string first_changed;     // the first step of B that is not as it is in A; empty: none
};

// Lasts between frames.
class ContrastMemory {
 public:
  SideBySide side_by_side(const Model& model, const Outcome& a);
  const ContrastMaps& maps(const Model& model, const SideBySide& both, Contrast contrast);
  const RunNumbers& numbers(const Model& model, const Outcome& a);
  // Of one head, on the scale of all; nothing where they cannot be compared.
  std::optional<MapData> map(const Ui& ui, const Model& model, const SideBySide& both, Contrast contrast, Index head);
  // A's own, as B's is drawn.
  MapData map_of_a(const Ui& ui, const SideBySide& both, const MapData& map_of_b);

 private:
  std::uint64_t matched_a_ = 0, matched_b_ = 0;
  Index matched_item_ = 0;
  std::shared_ptr<const PositionMatch> positions_;
  ContrastMaps maps_;
  RunNumbers numbers_;
  NumbersOf of_a_;
  MatrixView cells_a_;
  std::shared_ptr<const Tensor> owner_a_;
};

// Leaves the rows and columns of a map of B that A has as well: their labels, and what is selected.
void keep_partners(HeatmapData& of_b, const Difference& d);
// Whether a difference of the step's numbers is no more than a few units in the last place of the largest of them.
bool is_rounding(float difference, const Step& step);
// "+0.27", "−0.08", "×1.5", "÷43": a cell of such a map; masked in one alone: "A" or "B".
std::string contrast_text(float value, const ValueRange& range, Contrast contrast);
// The same where there is room for a number of any length: "+0.2717".
std::string change_text(double value);

}  // namespace headlight::app
