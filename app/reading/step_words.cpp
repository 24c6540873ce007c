#include "app/reading/step_words.h"

#include <algorithm>

namespace headlight::app {

namespace {

// Empty where it has none.
std::string given_name(const Trace& trace, Index head) {
  const auto at = static_cast<std::size_t>(head);
  return at < trace.heads.size() ? trace.heads[at].name : "";
}

}  // namespace

std::string head_name(const Trace& trace, Index head) {
  const std::string name = given_name(trace, head);
  return name.empty() ? fmt::format("Head {}", head + 1) : name;
}

std::string head_number(const Trace& trace, Index head) {
  return given_name(trace, head).empty() ? "" : fmt::format("{}", head + 1);
}

std::string quantity_of(const Step& step) {
  if (step.info.id == "weights") return "weight";  // also those that no softmax made
  switch (step.info.kind) {
    case Kind::probability:
      return "weight";
    case Kind::score:
      return "score";
    case Kind::mask:
      return "mask";
    case Kind::weight:
      return "learned weight";
    default:
      return "value";
  }
}

std::string sharing_of(const Step& step) {
  return heads_of(step) > 1 && has_heads(step) ? "shared by all heads" : "";
}

ValueRange range_of(const Step& step, Index batch) {
  const auto last = static_cast<Index>(step.extents.size()) - 1;
  return value_range(step.info.kind, step.extents[static_cast<std::size_t>(std::clamp<Index>(batch, 0, last))]);
}

MatrixView cells_of(const Trace& trace, const Step& step, const Focus& focus, std::shared_ptr<const Tensor>& owner) {
  const Slice slice = slice_of(step, focus);
  const Step* masked = step.info.kind == Kind::probability ? trace.find("masked_scores") : nullptr;
  if (!masked || masked->tensor().shape() != step.tensor().shape()) return slice.matrix;
  owner = std::make_shared<const Tensor>(hide_masked(slice.matrix, slice_of(*masked, focus).matrix));
  return matrix_at(*owner, {});
}

}  // namespace headlight::app
