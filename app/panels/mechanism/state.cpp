// Linear attention: the state that it keeps in place of a map, filling token by token where it is causal.
#include <algorithm>

#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

// The state (D, d') that the query reads.
MatrixView state_at(const mechanism::RunningState& state, const mechanism::PairOf& of, Index query) {
  const Index head = place_of_head(*state.state->axis(AxisRole::head), of.head);
  return state.causal ? matrix_at(state.state->tensor(), {of.batch, head, query})
                      : matrix_at(state.state->tensor(), {of.batch, head});
}

MapData state_map(const MechanismFrame& frame, const mechanism::RunningState& state, Index query) {
  const MatrixView cells = state_at(state, frame.of, query);
  return frame.own_map(fmt::format("mechanism/state/{}", query), cells, cells.data - state.state->tensor().data());
}

// The state after some tokens, the selected query's among them.
std::vector<Index> queries_shown(const MechanismFrame& frame) {
  const Index queries = frame.map.extent(AxisRole::query);
  const auto fit = std::max<Index>(2, static_cast<Index>(frame.box.w / frame.ui.px(78)));
  std::vector<Index> at;
  for (Index i = 0; i < std::min(fit, queries); ++i) at.push_back(queries <= fit ? i : i * (queries - 1) / (fit - 1));
  if (std::ranges::count(at, frame.of.query) == 0)
    *std::ranges::min_element(at, {}, [&](Index i) { return std::abs(i - frame.of.query); }) = frame.of.query;
  return at;
}

void draw_growing_states(MechanismFrame& frame, const mechanism::RunningState& state, const MapData& whole) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const std::vector<Index> at = queries_shown(frame);
  const float pitch = frame.box.w / static_cast<float>(std::max<std::size_t>(at.size(), 4)), side = pitch - ui.px(8);
  Rect line = frame.box.take_top(side + ui.px(18));
  const Axis& axis = *frame.map.axis(AxisRole::query);
  for (const Index i : at) {
    Rect place = line.take_left(pitch);
    place.w = side;
    const bool current = i == frame.of.query;
    ui.text_in(current ? Type::heading : Type::note, place.take_top(ui.px(18)), current ? t.query.main : t.text_muted,
               "to " + ui.fonts().display_text(label_of(&axis, i)));
    MapData data = state_map(frame, state, i);
    data.range = whole.range;
    data.colormap = whole.colormap;
    draw_framed_map(ui, place, data, current ? t.ink : t.line_strong);
  }
}

}  // namespace

void draw_state(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const mechanism::RunningState state = *mechanism::running_state(frame.trace);
  const Index queries = frame.map.extent(AxisRole::query), keys = frame.map.extent(AxisRole::key);
  const Index kept = state.features * (state.width + 1);
  frame.title("What is really kept: the running state", fmt::format("{} × {}", state.features, state.width));
  frame.words(fmt::format("Each {{key:key}} adds its features times its {{value:value}}. A head keeps these {} numbers "
                          "however long the text is; the map at the left, {} × {}, is implied by them and never "
                          "stored.",
                          kept, queries, keys),
              ui.theme().text_muted);
  frame.skip(8);
  ui.log("mechanism/state", frame.box, fmt::format("{}", kept));
  MapData whole = state_map(frame, state, state.causal ? queries - 1 : 0);
  if (state.causal) {
    draw_growing_states(frame, state, whole);
  } else {
    const float room = frame.left(ui.px(52));  // less the bar of colours
    const float side = std::min(std::clamp(room, ui.px(120), ui.px(180)), frame.box.w * 0.5F);
    draw_framed_map(ui, frame.box.take_top(side).take_left(side), whole, ui.theme().ink);
  }
  frame.skip(12);
  whole.key = "mechanism/state";
  frame.color_bar(whole, "sum of features times values, linear", frame.box.take_top(ui.px(40)).inset(ui.px(12), 0));
}

}  // namespace headlight::app
