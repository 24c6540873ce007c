#include "app/panels/shown.h"

#include "app/model/figure_of.h"

namespace headlight::app {

MapData CellCache::map(const Ui& ui, const Model& model, const Step& step, Index head) {
  const Index batch = model.document.look.batch;
  if (ticket_ != model.shown.ticket || batch_ != batch) {
    kept_.clear();
    ranges_.clear();
    ticket_ = model.shown.ticket;
    batch_ = batch;
  }
  Kept& kept = kept_[{step.info.id, head}];
  if (!kept.cells.data) kept.cells = cells_of(*model.trace(), step, batch, head, kept.owner);
  auto range = ranges_.find(step.info.id);
  if (range == ranges_.end()) range = ranges_.emplace(step.info.id, range_of(step, batch)).first;
  MapData data;
  data.key = fmt::format("{}/{}", step.info.id, head);
  data.revision = model.shown.ticket * 4096 + static_cast<std::uint64_t>(batch);
  data.cells = kept.cells;
  data.range = range->second;
  data.colormap = default_colormap(data.range.is_signed(), ui.theme().dark);
  return data;
}

Selection effective_selection(const Model& model) {
  if (!model.document.look.pinned && model.hover) return model.hover->selection;
  return model.document.look.selection;
}

std::vector<std::string> shown_labels(Ui& ui, const Axis* axis) {
  std::vector<std::string> labels;
  if (!axis) return labels;
  for (const auto& label : axis->labels) labels.push_back(ui.fonts().display_text(label));
  return labels;
}

Role role_of(const Trace& trace, const std::string& id) {
  if (id == "n_q") return Role::query;
  if (id == "n_k") return Role::key;
  const Step* step = trace.find(id);
  return step ? step->info.role : Role::none;
}

}  // namespace headlight::app
