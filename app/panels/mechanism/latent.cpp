// Latent attention: what is kept of all tokens, the keys and values that each head unfolds from it, and a score as what
// content and place add to it.
#include <algorithm>

#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

// One array of tokens × channels, the selected key's row framed; what it is called stands above. Returns its right end.
float draw_rows(const MechanismFrame& frame, Rect box, const Step& step, const std::string& name, Color32 color,
                float cell) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
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
                  t.line_strong);
  const float line = place.h / static_cast<float>(std::max<Index>(1, cells.rows));
  ui.frame({place.x - ui.px(1), place.y + line * static_cast<float>(frame.of.key), place.w + ui.px(2),
            std::max(line, ui.px(3))},
           t.key.main, 0, ui.px(1.5F));
  return std::max(place.right(), above.right());
}

}  // namespace

void draw_latent(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const mechanism::Unfolded u = *mechanism::unfolded(frame.trace);
  const std::string kept = fmt::format("{} cached per token, not {}", u.kept, u.kept_each);
  frame.title("What is kept and unfolded", kept);
  ui.log("mechanism/kept", frame.box, kept);
  const auto width = [](const Step& step) { return static_cast<float>(step.tensor().dim(-1)); };
  const float columns = width(*u.latent) + width(*u.place) + width(*u.keys) + width(*u.values);
  const float cell = std::clamp((frame.box.w - ui.px(110)) / std::max(1.0F, columns), ui.px(1), ui.px(16));
  const float usual = std::min(ui.px(200), ui.px(14) * static_cast<float>(u.latent->tensor().dim(1)));
  const float room = frame.left(ui.px(48));  // less the names above and the sum below
  Rect rows = frame.box.take_top(ui.px(18) + std::clamp(room, std::min(usual, ui.px(84)), usual));
  rows.x = draw_rows(frame, rows, *u.latent, "latent", t.key.main, cell) + ui.px(4);
  rows.x = draw_rows(frame, rows, *u.place, "place", t.key.main, cell);
  const Rect arrow{rows.x, rows.y + ui.px(18), ui.px(36), rows.h - ui.px(18)};
  ui.text_in(Type::heading, arrow, t.text_muted, "→", Ui::Align::center);
  rows.x = arrow.right();
  const std::string name = fmt::format("keys, head {}", place_of_head(*u.keys, frame.of.head) + 1);
  rows.x = draw_rows(frame, rows, *u.keys, name, t.key.main, cell) + ui.px(14);
  draw_rows(frame, rows, *u.values, "values", t.value.main, cell);
  frame.skip(10);
  const double content = frame.pair_value(*u.by_content), place = frame.pair_value(*u.by_place);
  const std::string sum = fmt::format("content {:+.3f}, place {:+.3f}: score {:.3f}", content, place, content + place);
  ui.text_in(Type::label, frame.box.take_top(ui.px(20)), t.text_muted,
             fmt::format("{} → {}: {}", frame.query, frame.key, sum));
  ui.log("mechanism/score parts", frame.box, sum);
}

}  // namespace headlight::app
