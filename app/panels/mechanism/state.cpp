// What is cached in place of keys and values: the latent that each head unfolds, and the state of linear attention,
// filling token by token where it is causal.

#include "app/panels/mechanism/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// One array of tokens × channels, the selected key's row framed; what it is called stands above. Returns its right end.
float draw_rows(const MechanismFrame& frame, Rect box, const Step& step, const std::string& name, Color32 color,
                float cell) {
  Ui& ui = frame.ui;
  const Index head = place_of_head(step, frame.of.head);
  const MatrixView cells = step.tensor().rank() == 3 ? matrix_at(step.tensor(), {frame.of.batch})
                                                     : matrix_at(step.tensor(), {frame.of.batch, head});
  box.w = cell * static_cast<float>(cells.columns);
  const Rect above{box.x, box.y, std::max(box.w, ui.px(44)), ui.px(18)};
  ui.text_in(Type::note, above, color, name);
  const Rect place{box.x, box.y + ui.px(18), box.w, box.h - ui.px(18)};
  draw_framed_map(ui, place,
                  frame.own_map(fmt::format("mechanism/latent/{}/{}", step.info.id, head), cells,
                                cells.data - step.tensor().data()),
                  ui.theme().line_strong);
  const float line = place.h / static_cast<float>(std::max<Index>(1, cells.rows));
  ui.frame({place.x - ui.px(1), place.y + line * static_cast<float>(frame.of.key), place.w + ui.px(2),
            std::max(line, ui.px(3))},
           ui.theme().key.main, 0, ui.px(1.5F));
  return std::max(place.right(), above.right());
}

// The state (D, d') that the query reads.
MatrixView state_at(const mechanism::RunningState& state, const mechanism::PairIndex& of, Index query) {
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
               "to " + ui.fonts().display_text(label_of(&axis, i, frame.of.batch)));
    MapData data = state_map(frame, state, i);
    data.range = whole.range;
    data.colormap = whole.colormap;
    draw_framed_map(ui, place, data, current ? t.ink : t.line_strong);
  }
}

}  // namespace

void draw_latent(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const mechanism::LatentKeys u = *mechanism::latent_keys(frame.trace);
  const std::string kept = fmt::format("{} numbers cached per token, not {}", u.kept, u.kept_each);
  frame.title("What is kept and unfolded", kept);
  ui.log("mechanism/kept", frame.box, kept);
  const auto width = [](const Step& step) { return static_cast<float>(step.tensor().dim(-1)); };
  const float columns = width(*u.latent) + width(*u.place) + width(*u.keys) + width(*u.values);
  const float cell = std::clamp((frame.box.w - ui.px(110)) / std::max(1.0F, columns), ui.px(1), ui.px(16));
  const float usual = std::min(ui.px(200), ui.px(14) * static_cast<float>(u.latent->tensor().dim(1)));
  const float room = frame.height_left(ui.px(48));  // less the names above and the sum below
  Rect rows = frame.box.take_top(ui.px(18) + std::clamp(room, std::min(usual, ui.px(84)), usual));
  rows.x = draw_rows(frame, rows, *u.latent, "latent", t.key.main, cell) + ui.px(4);
  rows.x = draw_rows(frame, rows, *u.place, "place", t.key.main, cell);
  const Rect arrow{rows.x, rows.y + ui.px(18), ui.px(36), rows.h - ui.px(18)};
  ui.text_in(Type::heading, arrow, t.text_muted, "→", Ui::Align::center);
  rows.x = arrow.right();
  const std::string name = fmt::format("keys, head {}", place_of_head(*u.keys, frame.of.head));
  rows.x = draw_rows(frame, rows, *u.keys, name, t.key.main, cell) + ui.px(14);
  draw_rows(frame, rows, *u.values, "values", t.value.main, cell);
  frame.skip(10);
  const double content = frame.pair_value(*u.by_content), place = frame.pair_value(*u.by_place);
  const std::string sum =
      with_minus_signs(fmt::format("content {:+.3f}, place {:+.3f}: score {:.3f}", content, place, content + place));
  ui.text_in(Type::label, frame.box.take_top(ui.px(20)), t.text_muted,
             fmt::format("{} → {}: {}", frame.query, frame.key, sum));
  ui.log("mechanism/score parts", frame.box, sum);
}

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
    const float room = frame.height_left(ui.px(52));  // less the bar of colours
    const float side = std::min(std::clamp(room, ui.px(120), ui.px(180)), frame.box.w * 0.5F);
    draw_framed_map(ui, frame.box.take_top(side).take_left(side), whole, ui.theme().ink);
  }
  frame.skip(12);
  whole.key = "mechanism/state";
  frame.color_bar(whole, "sum of features times values, linear", frame.box.take_top(ui.px(40)).inset(ui.px(12), 0));
}

}  // namespace headlight::app
