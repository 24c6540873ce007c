// The parts of a score as maps that add up: content, and what each term of places adds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

namespace {

// "the to mat: 0.3536 · (169.7056 + 8.4103) = 62.9735".
std::string sum_in_words(const mechanism::ScoreParts& parts, const MechanismFrame& frame) {
  const auto then = [](double number) {  // what follows another number
    return fmt::format(" {} {:.4g}", number < 0 ? "−" : "+", std::abs(number));
  };
  std::string inside;
  for (const Step* step : parts.scaled) {
    const double number = frame.pair_value(*step);
    inside += inside.empty() ? fmt::format("{:.4g}", number) : then(number);
  }
  const double scale = mechanism::scale_of_scores(frame.trace, frame.of);
  std::string words = fmt::format("{} to {}: ", frame.query, frame.key);
  const std::string whole = parts.scaled.size() > 1 && scale != 1 ? "(" + inside + ")" : inside;
  words += scale == 1 ? whole : fmt::format("{:.4g} · {}", scale, whole);
  if (parts.added) words += then(frame.pair_value(*parts.added));
  return words + fmt::format(" = {:.4g}", frame.pair_value(*parts.sum));
}

std::string first_word(const std::string& title) {
  return title.substr(0, title.find(' '));
}

}  // namespace

void draw_score_parts(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const float wide = frame.box.w;
  const mechanism::ScoreParts parts = mechanism::score_parts(frame.trace);
  std::vector<const Step*> maps = parts.scaled;
  if (parts.added) maps.push_back(parts.added);
  maps.push_back(parts.sum);
  const auto count = static_cast<float>(maps.size());
  const float between = ui.px(24), usual = std::min(ui.px(120), (wide - between * (count - 1)) / count);
  // The sum stands under the maps; where there is little room, and it is short, beside the title.
  const std::string title = "A score, part by part", words = sum_in_words(parts, frame);
  const float above = ui.px(42), below = ui.px(8) + frame.height_of(words, Type::number_note);
  const bool short_words = ui.width_of(Type::note, words) < wide - ui.width_of(Type::label_strong, title) - ui.px(16);
  const bool beside = short_words && frame.share < above + usual + below;
  float least = ui.px(44);  // and as wide as the names' first words
  for (const Step* map : maps) least = std::max(least, ui.width_of(Type::note, first_word(map->info.title)) + ui.px(1));
  const float side = std::clamp(frame.share - above - (beside ? 0 : below), std::min(usual, least), usual);
  frame.title(title, beside ? words : "each on a scale of its own");
  Rect line = frame.box.take_top(side + ui.px(18));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (i > 0) draw_sign(ui, line.take_left(between), i + 1 == maps.size() ? "=" : "+");
    std::string name = maps[i]->info.title;  // its first word where there is no room for more
    if (ui.width_of(Type::note, name) > side) name = first_word(name);
    draw_named_map(frame, line.take_left(side), frame.head_map("part", *maps[i], frame.of.head), name);
  }
  ui.log("mechanism/parts", frame.box, words);
  if (beside) return;
  frame.skip(8);
  frame.words(words, ui.theme().text, Type::number_note);
}

}  // namespace headlight::app
