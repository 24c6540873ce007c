#include "app/panels/common/prepared.h"

#include "app/text/characters.h"

namespace headlight::app {

const Extent& Prepared::extent(const NumbersOf& numbers, const MatrixView& cells) {
  return extents_.get(numbers, [&] { return extent_of(cells); });
}

const std::vector<std::string>& Prepared::labels(const Axis* axis) {
  static const std::vector<std::string> none;
  if (!axis || axis->labels.empty()) return none;
  return labels_.get(axis->labels, [&] {
    std::vector<std::string> labels;
    for (const std::string& token : axis->labels) labels.push_back(display_text(token));
    return labels;
  });
}

const CellTrace& Prepared::story(const Model& model, const Step& step, Index cell) {
  return stories_.get({model.shown.ticket, step.info.id, cell}, [&] { return trace_cell(*model.trace(), step, cell); });
}

Prepared::Counts Prepared::counts() const {
  return {extents_.count(), labels_.count(), stories_.count()};
}

}  // namespace headlight::app
