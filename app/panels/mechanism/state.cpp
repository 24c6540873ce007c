// Linear attention: the state that it keeps in place of a map, filling token by token where it is causal.
#include <algorithm>

#include "app/panels/mechanism/parts.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

// The state (D, d') that the query reads.
MatrixView state_at(const mechanism::RunningState& state, const mechanism::PairOf& of, Index query) {
  const Index head = place_of_head(*state.state->axis(AxisRole::head), of.head);
  return state.causal ? matrix_at(state.state->tensor(), {of.batch, head, query})
                      : matrix_at(state.state->tensor(), {of.batch, head});
}

void draw_state(Ui& ui, Rect box, const MechanismFrame& frame, const mechanism::RunningState& state, Index query,
                const ValueRange& range) {
  MapData data;
  data.key = fmt::format("mechanism/state/{}", query);
  data.cells = state_at(state, frame.of, query);
  data.numbers = {.run = frame.model.shown.ticket,
                  .what = "state",
                  .offset = data.cells.data - state.state->tensor().data(),
                  .rows = data.cells.rows,
                  .columns = data.cells.columns};
  data.range = range;
  data.colormap = default_colormap(range.is_signed(), ui.theme().dark);
  draw_map(ui, data, box, MapSize::small);
  ui.frame(box.inset(-1), query == frame.of.query || !state.causal ? ui.theme().ink : ui.theme().line_strong);
}

float draw_beside(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory&, Actions&) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const mechanism::RunningState state = *mechanism::running_state(frame.trace);
  const Index queries = frame.map.extent(AxisRole::query), keys = frame.map.extent(AxisRole::key);
  const Index kept = state.features * (state.width + 1);
  picture_title(ui, box, "What is really kept: the running state", fmt::format("{} × {}", state.features, state.width));
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, t.text_muted,
                         fmt::format("Each {{key:key}} adds its features times its {{value:value}}. A head keeps these "
                                     "{} numbers however long the text is; the map at the left, {} × {}, is implied by "
                                     "them and never stored.",
                                     kept, queries, keys),
                         true, Type::note) +
               ui.px(8));
  ui.log("mechanism/state", box, fmt::format("{}", kept));
  const ValueRange range =
      value_range(Kind::score, extent_of(state_at(state, frame.of, state.causal ? queries - 1 : 0)));
  if (!state.causal) {
    const float room = top + frame.share - box.y - ui.px(52);  // less the bar of colours
    const float side = std::min(std::clamp(room, ui.px(120), ui.px(180)), box.w * 0.5F);
    draw_state(ui, box.take_top(side).take_left(side), frame, state, 0, range);
  } else {
    // The state after some tokens, the selected query's among them.
    const auto fit = std::max<Index>(2, static_cast<Index>(box.w / ui.px(78)));
    std::vector<Index> at;
    for (Index i = 0; i < std::min(fit, queries); ++i) at.push_back(queries <= fit ? i : i * (queries - 1) / (fit - 1));
    if (std::ranges::count(at, frame.of.query) == 0) {
      const auto near = std::ranges::min_element(at, {}, [&](Index i) { return std::abs(i - frame.of.query); });
      *near = frame.of.query;
    }
    const float pitch = box.w / static_cast<float>(std::max<std::size_t>(at.size(), 4)), side = pitch - ui.px(8);
    Rect line = box.take_top(side + ui.px(18));
    const Axis& axis = *frame.map.axis(AxisRole::query);
    for (const Index i : at) {
      Rect place = line.take_left(pitch);
      place.w = side;
      const bool current = i == frame.of.query;
      const Rect name = place.take_top(ui.px(18));
      ui.text_in(current ? Type::heading : Type::note, name, current ? t.query.main : t.text_muted,
                 ui.fitted(Type::note, "to " + ui.fonts().display_text(label_of(&axis, i)), name.w));
      draw_state(ui, place, frame, state, i, range);
    }
  }
  box.take_top(ui.px(12));
  ColorBarData bar;
  bar.key = "mechanism/state bar";
  bar.range = range;
  bar.colormap = default_colormap(range.is_signed(), t.dark);
  bar.words = "sum of features times values, linear";
  color_bar(ui, box.take_top(ui.px(40)).inset(ui.px(12), 0), bar);
  return box.y - top;
}

}  // namespace

const MechanismPicture& state_picture() {
  static const MechanismPicture picture{
      "state", "the running state",
      [](const Problem&, const Trace& trace) { return mechanism::running_state(trace).has_value(); }, draw_beside};
  return picture;
}

}  // namespace headlight::app
