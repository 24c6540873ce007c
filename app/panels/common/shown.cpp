#include "app/panels/common/shown.h"
#include "app/panels/common/prepared.h"
#include "app/reading/step_words.h"
#include "app/text/characters.h"

namespace headlight::app {

MapData CellCache::map(const Ui& ui, const Model& model, const Step& step, Index head, Index frame) {
  const Index batch = model.document.look.batch;
  Focus focus = effective_focus(model);
  focus.head = head;
  focus.frame = frame;
  const Slice slice = slice_of(step, focus);
  if (ticket_ != model.shown.ticket || batch_ != batch) {
    kept_.clear();
    ticket_ = model.shown.ticket;
    batch_ = batch;
  }
  Kept& kept = kept_[{step.info.id, head, slice.frame}];
  NumbersOf numbers = numbers_of(model.shown.ticket, step.info.id, slice);
  if (!kept.cells.data || kept.numbers != numbers) {
    kept.owner = step.values;
    kept.cells = cells_of(*model.trace(), step, focus, kept.owner);
    kept.numbers = std::move(numbers);
  }
  const ValueRange bounds = range(model, step, head);
  return {fmt::format("{}/{}", step.info.id, head),
          kept.numbers,
          kept.cells,
          kept.owner,
          bounds,
          default_colormap(bounds.is_signed(), ui.theme().dark)};
}

ValueRange CellCache::range(const Model& model, const Step& step, Index head) {
  const Look& look = model.document.look;
  const RangeOf of{model.shown.ticket,
                   step.info.id,
                   look.batch,
                   look.scaling.per_head ? head : 0,
                   query_alone(step, effective_focus(model)),
                   look.scaling};
  auto& [kept_of, kept] = ranges_[{step.info.id, of.head}];
  if (kept_of != of) {
    kept = shown_range(step, of.batch, of.head, of.scaling, of.query);
    kept_of = of;
  }
  return kept;
}

NumbersOf numbers_of(std::uint64_t run, std::string what, const Slice& slice) {
  return {run,
          std::move(what),
          slice.offset,
          slice.matrix.rows,
          slice.matrix.columns,
          slice.matrix.row_stride,
          slice.matrix.column_stride};
}

bool shows_busy(const Model& model) {
  return model.busy && model.busy_seconds >= busy_delay;
}

Selection effective_selection(const Model& model) {
  return with_only_query(model,
                         model.hover && !shows_pinned(model) ? model.hover->selection : model.document.look.selection);
}

Focus effective_focus(const Model& model) {
  Focus focus = focus_of(model.document.look);
  focus.selection = effective_selection(model);
  return focus;
}

std::optional<GridSize> size_asked(const InputSpec& input) {
  if (const auto* image = std::get_if<ImageInput>(&input)) return image->size;
  const auto* frames = std::get_if<FramesInput>(&input);
  return frames ? frames->size : std::nullopt;
}

Role role_of(const Trace& trace, const std::string& id) {
  if (role_of_symbol(id) == AxisRole::query) return Role::query;
  if (role_of_symbol(id) == AxisRole::key) return Role::key;
  const Step* step = trace.find(id);
  return step ? step->info.role : Role::none;
}

const Extent& Prepared::extent(const NumbersOf& numbers, const MatrixView& cells) {
  return extents_.get(numbers, [&] { return extent_of(cells); });
}

const std::vector<std::string>& Prepared::labels(const Axis* axis, Index item) {
  static const std::vector<std::string> none;
  if (!axis || axis->labels.empty()) return none;
  const auto& tokens = labels_of_item(*axis, item);
  return labels_.get(tokens, [&] {
    std::vector<std::string> labels;
    for (const std::string& token : tokens) labels.push_back(display_text(token));
    return labels;
  });
}

const CellTrace& Prepared::cell_trace(const Model& model, const Step& step, Index cell) {
  return stories_.get({model.shown.ticket, step.info.id, cell}, [&] { return trace_cell(*model.trace(), step, cell); });
}

const std::vector<MadeOf>& Prepared::made_of(const Model& model, const Step& step) {
  constexpr Index most_rows = 12;
  const Focus focus = effective_focus(model);
  const std::optional<Index> query = effective_selection(model).query;
  const Index head = model.document.look.head;
  return rows_.get({model.shown.ticket, step.info.id, focus.batch, head, query}, [&] {
    std::vector<MadeOf> rows;
    const Index first = query.value_or(0), end = query ? first + 1 : step.extent(AxisRole::query);
    for (Index row = first; row < std::min(end, first + most_rows); ++row) {
      auto made = app::made_of(*model.trace(), step, focus, row);
      if (!made) continue;
      if (!query) std::erase_if(made->heads, [&](const TakenShares& taken) { return taken.head != head; });
      if (!made->heads.empty()) rows.push_back(*std::move(made));
    }
    return rows;
  });
}

const std::optional<WordArrows>& Prepared::arrows(const Model& model, const Step& step) {
  const Focus focus = effective_focus(model);
  const Selection& selection = focus.selection;
  return arrows_.get({model.shown.ticket, step.info.id, focus.batch, focus.head, selection.query, selection.key},
                     [&] { return word_arrows(*model.trace(), step, focus); });
}

Prepared::Counts Prepared::counts() const {
  return {extents_.count(), labels_.count(), stories_.count()};
}

}  // namespace headlight::app
