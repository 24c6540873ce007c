// The parts of a score as maps that add up: content, and what each term of places adds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "engine/variants/mechanism/score_parts.h"

namespace headlight::app {

namespace {

double cell_of(const Step& step, const MechanismFrame& frame) {
  const Tensor& x = step.tensor();  // (1|B, M, n_q, n_k)
  const Index batch = x.dim(0) == 1 ? 0 : frame.of.batch,
              head = place_of_head(*step.axis(AxisRole::head), frame.of.head);
  return static_cast<double>(x[((batch * x.dim(1) + head) * x.dim(2) + frame.of.query) * x.dim(3) + frame.of.key]);
}

// "the to mat: 0.3536 · (169.7056 + 8.4103) = 62.9735".
std::string sum_in_words(const mechanism::ScoreParts& parts, const MechanismFrame& frame) {
  const auto then = [](double number) {  // what follows another number
    return fmt::format(" {} {:.4g}", number < 0 ? "−" : "+", std::abs(number));
  };
  std::string inside;
  for (const Step* step : parts.scaled) {
    const double number = cell_of(*step, frame);
    inside += inside.empty() ? fmt::format("{:.4g}", number) : then(number);
  }
  const double scale = mechanism::scale_of_scores(frame.trace, frame.of);
  std::string words = fmt::format("{} to {}: ", frame.query, frame.key);
  const std::string whole = parts.scaled.size() > 1 && scale != 1 ? "(" + inside + ")" : inside;
  words += scale == 1 ? whole : fmt::format("{:.4g} · {}", scale, whole);
  if (parts.added) words += then(cell_of(*parts.added, frame));
  return words + fmt::format(" = {:.4g}", cell_of(*parts.sum, frame));
}

std::string first_word(const std::string& title) {
  return title.substr(0, title.find(' '));
}

float draw_parts(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions&) {
  const float top = box.y;
  const mechanism::ScoreParts parts = mechanism::score_parts(frame.trace);
  std::vector<const Step*> maps = parts.scaled;
  if (parts.added) maps.push_back(parts.added);
  maps.push_back(parts.sum);
  const auto count = static_cast<float>(maps.size());
  const float between = ui.px(24), usual = std::min(ui.px(120), (box.w - between * (count - 1)) / count);
  // The sum stands under the maps; where there is little room, and it is short, beside the title.
  const std::string title = "A score, part by part", words = sum_in_words(parts, frame);
  const float above = ui.px(42);
  const float below = ui.px(8) + paragraph(ui, {}, box.w, ui.theme().text, words, false, Type::number_note);
  const bool short_words = ui.width_of(Type::note, words) < box.w - ui.width_of(Type::label_strong, title) - ui.px(16);
  const bool beside = short_words && frame.share < above + usual + below;
  float least = ui.px(44);  // and as wide as the names' first words
  for (const Step* map : maps) least = std::max(least, ui.width_of(Type::note, first_word(map->info.title)) + ui.px(1));
  const float side = std::clamp(frame.share - above - (beside ? 0 : below), std::min(usual, least), usual);
  picture_title(ui, box, title, beside ? words : "each on a scale of its own");
  Rect line = box.take_top(side + ui.px(18));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (i > 0) {
      Rect gap = line.take_left(between);
      gap.take_top(ui.px(18));
      ui.text_in(Type::body_strong, gap, ui.theme().text, i + 1 == maps.size() ? "=" : "+", Ui::Align::center);
    }
    MapData data = memory.cells.map(ui, frame.model, *maps[i], frame.of.head);
    data.key = "mechanism/part/" + data.key;
    std::string name = maps[i]->info.title;  // its first word where there is no room for more
    if (ui.width_of(Type::note, name) > side) name = first_word(name);
    draw_named_map(ui, line.take_left(side), data, frame, name);
  }
  ui.log("mechanism/parts", box, words);
  if (beside) return box.y - top;
  box.take_top(ui.px(8));
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, ui.theme().text, words, true, Type::number_note));
  return box.y - top;
}

}  // namespace

const MechanismPicture& score_parts_picture() {
  static const MechanismPicture picture{
      "parts", "a score, part by part",
      [](const Problem&, const Trace& trace) { return mechanism::score_parts(trace).sum != nullptr; }, draw_parts};
  return picture;
}

}  // namespace headlight::app
