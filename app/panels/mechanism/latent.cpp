// Latent attention: what is kept of all tokens, the keys and values that each head unfolds from it, and a score as what
// content and place add to it.
#include <algorithm>

#include "app/panels/mechanism/parts.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

// One array of tokens × channels, the selected key's row framed; what it is called stands above. Returns its right end.
float draw_rows(Ui& ui, Rect box, const MechanismFrame& frame, const Step& step, Index head, const std::string& name,
                Color32 color, float cell) {
  const Theme& t = ui.theme();
  MapData data;
  data.cells = step.tensor().rank() == 3 ? matrix_at(step.tensor(), {frame.of.batch})
                                         : matrix_at(step.tensor(), {frame.of.batch, head});
  data.key = fmt::format("mechanism/latent/{}/{}", step.info.id, head);
  data.numbers = {.run = frame.model.shown.ticket,
                  .what = "latent",
                  .offset = data.cells.data - step.tensor().data(),
                  .rows = data.cells.rows,
                  .columns = data.cells.columns};
  data.range = value_range(Kind::score, extent_of(data.cells));
  data.colormap = default_colormap(data.range.is_signed(), t.dark);
  box.w = cell * static_cast<float>(data.cells.columns);
  const Rect above{box.x, box.y, std::max(box.w, ui.px(44)), ui.px(18)};
  ui.text_in(Type::note, above, color, ui.fitted(Type::note, name, above.w));
  const Rect place{box.x, box.y + ui.px(18), box.w, box.h - ui.px(18)};
  draw_map(ui, data, place, MapSize::small);
  ui.frame(place.inset(-1), t.line_strong);
  const float line = place.h / static_cast<float>(std::max<Index>(1, data.cells.rows));
  ui.frame({place.x - ui.px(1), place.y + line * static_cast<float>(frame.of.key), place.w + ui.px(2),
            std::max(line, ui.px(3))},
           t.key.main, 0, ui.px(1.5F));
  return std::max(place.right(), above.right());
}

double part_of_score(const Step& step, const mechanism::PairOf& of) {
  const Index head = place_of_head(*step.axis(AxisRole::head), of.head);
  return static_cast<double>(step.tensor().at({of.batch, head, of.query, of.key}));
}

float draw_beside(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory&, Actions&) {
  const float top = box.y;
  const Theme& t = ui.theme();
  const mechanism::Unfolded u = *mechanism::unfolded(frame.trace);
  const std::string kept = fmt::format("{} numbers a token, not {}", u.kept, u.kept_each);
  picture_title(ui, box, "What is kept and unfolded", kept);
  ui.log("mechanism/kept", box, kept);
  const Index head = place_of_head(*u.keys->axis(AxisRole::head), frame.of.head);
  const auto width_of = [](const Step& step) { return static_cast<float>(step.tensor().dim(-1)); };
  const float columns = width_of(*u.latent) + width_of(*u.place) + width_of(*u.keys) + width_of(*u.values);
  const float cell = std::clamp((box.w - ui.px(110)) / std::max(1.0F, columns), ui.px(1), ui.px(16));
  const float usual = std::min(ui.px(200), ui.px(14) * static_cast<float>(u.latent->tensor().dim(1)));
  const float room = top + frame.share - box.y - ui.px(48);  // less the names above and the sum below
  Rect rows = box.take_top(ui.px(18) + std::clamp(room, std::min(usual, ui.px(84)), usual));
  rows.x = draw_rows(ui, rows, frame, *u.latent, 0, "latent", t.key.main, cell) + ui.px(4);
  rows.x = draw_rows(ui, rows, frame, *u.place, 0, "place", t.key.main, cell);
  const Rect arrow{rows.x, rows.y + ui.px(18), ui.px(36), rows.h - ui.px(18)};
  ui.text_in(Type::heading, arrow, t.text_muted, "→", Ui::Align::center);
  rows.x = arrow.right();
  const std::string of = fmt::format("keys, head {}", head + 1);
  rows.x = draw_rows(ui, rows, frame, *u.keys, head, of, t.key.main, cell) + ui.px(14);
  draw_rows(ui, rows, frame, *u.values, head, "values", t.value.main, cell);
  box.take_top(ui.px(10));
  const double content = part_of_score(*u.by_content, frame.of), place = part_of_score(*u.by_place, frame.of);
  const std::string sum = fmt::format("content {:+.3f}, place {:+.3f}: score {:.3f}", content, place, content + place);
  ui.text_in(Type::label, box.take_top(ui.px(20)), t.text_muted,
             ui.fitted(Type::label, fmt::format("{} → {}: {}", frame.query, frame.key, sum), box.w));
  ui.log("mechanism/score parts", box, sum);
  return box.y - top;
}

}  // namespace

const MechanismPicture& latent_picture() {
  static const MechanismPicture picture{
      "latent", "what is kept",
      [](const Problem&, const Trace& trace) { return mechanism::unfolded(trace).has_value(); }, draw_beside};
  return picture;
}

}  // namespace headlight::app
