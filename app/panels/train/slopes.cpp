// Why the pinned weight grows or shrinks: by how much the loss of the example grows with it and with its score, and
// with those of the other keys of its row.
#include <cmath>

#include "app/panels/train/parts.h"
#include "app/reading/step_words.h"
#include "app/widgets/formula_view.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr std::size_t keys_with_slopes = 6;  // of the row

// A key of the row. Slopes are 0 where there are none.
struct KeySlope {
  Index key = 0;
  float weight = 0, of_weight = 0, of_score = 0;
};

// What the query does not hide, by weight.
struct RowSlopes {
  std::vector<KeySlope> keys;
  int decimals_of_weight = 2, decimals_of_score = 3;  // that the largest slopes of the row ask for
  bool scores = false;                                // its weights are a softmax of them
  double weighted = 0;                                // Σ weight · ∂L/∂weight
  double scores_together = 0;                         // Σ ∂L/∂score

  const KeySlope& of(Index key) const { return *std::ranges::find(keys, key, &KeySlope::key); }
};

// So many that the largest has three digits that count.
int decimals_for(const std::vector<KeySlope>& keys, float KeySlope::*slope) {
  float largest = 0;
  for (const KeySlope& key : keys) largest = std::max(largest, std::abs(key.*slope));
  return largest > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(largest))), 1, 5) : 2;
}

RowSlopes row_slopes(const FilmView& now, const TrainCell& cell) {
  const learn::Slopes::OfMap& slopes = now.frame.slopes->maps[static_cast<std::size_t>(cell.map)];
  const Tensor& map = *now.frame.maps[static_cast<std::size_t>(cell.map)];
  RowSlopes row{.keys = {}, .scores = slopes.scores != nullptr};
  const Index first = (cell.head * map.dim(1) + cell.query) * map.dim(2);
  for (Index key = 0; key < map.dim(2); ++key) {
    const Index at = first + key;
    if (is_masked(map[at])) continue;
    const KeySlope slope{key, map[at], (*slopes.weights)[at], slopes.scores ? (*slopes.scores)[at] : 0.0F};
    row.weighted += static_cast<double>(slope.weight) * slope.of_weight;
    row.scores_together += slope.of_score;
    row.keys.push_back(slope);
  }
  std::ranges::stable_sort(row.keys, std::ranges::greater{}, &KeySlope::weight);
  row.decimals_of_weight = decimals_for(row.keys, &KeySlope::of_weight);
  row.decimals_of_score = decimals_for(row.keys, &KeySlope::of_score);
  return row;
}

std::string signed_number(double value, int decimals) {
  const std::string number = with_minus_signs(fmt::format("{:.{}f}", value, decimals));
  const bool is_zero = number.find_first_of("123456789") == std::string::npos;
  return is_zero ? fmt::format("{:.{}f}", 0.0, decimals) : number;
}

// What L is there: of the place's own answer, and of all.
std::string loss_in_words(const FilmView& now, const TrainCell& cell) {
  const learn::FilmExample& example = now.example;
  if (!example.shares)
    return fmt::format("L, the squares of all that is asked added up, is {:.4g}.", now.frame.slopes->loss);
  const auto asked = std::ranges::count_if(example.right->values(), [](float answer) { return answer >= 0; });
  const std::string all = fmt::format("L, over all {} answers, is {:.2f}.", asked, now.frame.slopes->loss);
  const bool answers_here =
      example.maps[static_cast<std::size_t>(cell.map)].by_answers == !example.words.answered.empty();
  const auto right = answers_here ? static_cast<Index>((*example.right)[cell.query]) : -1;
  if (right < 0) return "Nothing is asked at this place. " + all;
  const float share = (*now.frame.prediction)[cell.query * now.frame.prediction->dim(-1) + right];
  return fmt::format("Right there is {}: it gets {:.2f}, a loss of {:.2f}. {}",
                     example.words.answers[static_cast<std::size_t>(right)], share, -std::log(share), all);
}

void draw_why_formula(Form& form, const RowSlopes& row) {
  if (!row.scores) return;
  static const std::string latex =
      "\\frac{\\partial L}{\\partial \\hl{score}{s_{ij}}} = \\hl{weight}{\\alpha_{ij}}\\left(g_{ij} - "
      "\\sum_{t} \\hl{weight}{\\alpha_{it}}\\,g_{it}\\right)";
  const float em = 19;
  const FormulaSize size = formula_size(form.ui, latex, em, form.column.w);
  const Rect box{form.column.x, form.y, form.column.w, size.height + form.ui.px(12)};
  form.y += box.h + form.ui.px(4);
  const auto role = [](const std::string& id) { return id == "score" ? Role::score : Role::weight; };
  formula_view(form.ui, "train/why formula", box, latex, em, role, {});
}

struct SlopeColumns {
  Rect key, weight, of_weight, of_score, bar;
};

SlopeColumns columns_of(const Ui& ui, Rect line, bool scores) {
  SlopeColumns columns;
  columns.key = line.take_left(ui.px(54));
  if (scores) {
    columns.bar = line.take_right(ui.px(50));
    line.take_right(ui.px(4));
    columns.of_score = line.take_right(line.w * 0.34F);
  }
  columns.of_weight = line.take_right(line.w * 0.58F);
  columns.weight = line;
  return columns;
}

// To the left of its middle below 0, to the right above.
void draw_signed_bar(Ui& ui, Rect box, float value, float largest) {
  const Theme& t = ui.theme();
  const float middle = std::round(box.middle().x), half = box.w / 2 - ui.px(4);
  const float length = largest > 0 ? half * std::abs(value) / largest : 0;
  const Rect bar{value < 0 ? middle - length : middle, box.y + ui.px(6), length, box.h - ui.px(12)};
  ui.fill(bar, value < 0 ? t.bar_negative : t.bar_positive);
  ui.line({middle, box.y}, {middle, box.bottom()}, t.line_strong);
}

void draw_key(Form& form, const FilmView& now, const KeySlope& key, const RowSlopes& row, bool pinned, float largest) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Rect line = form.line(24);
  if (pinned) ui.fill(line, t.key.soft, ui.px(4));
  SlopeColumns columns = columns_of(ui, line.inset(ui.px(4), 0), row.scores);
  const std::string place = fmt::format("{}", key.key), name = key_name(now, key.key);
  if (name != place) words_at_right(ui, Type::number_small, columns.key, t.text_faint, place, 4);
  ui.text_in(pinned ? Type::label_strong : Type::label, columns.key, pinned ? t.key.main : t.text,
             ui.fitted(Type::label, name, columns.key.w));
  const auto number = [&](Rect at, double value, int decimals) {
    ui.text_in(Type::number_note, at, t.text, signed_number(value, decimals), Ui::Align::right);
  };
  number(columns.weight, key.weight, 3);
  number(columns.of_weight, key.of_weight, row.decimals_of_weight);
  if (!row.scores) return;
  number(columns.of_score, key.of_score, row.decimals_of_score);
  draw_signed_bar(ui, columns.bar, key.of_score, largest);
}

void draw_keys(Form& form, const FilmView& now, const TrainCell& cell, const RowSlopes& row) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const SlopeColumns columns = columns_of(ui, form.line(22).inset(ui.px(4), 0), row.scores);
  ui.text_in(Type::note, columns.key, t.key.main, "key");
  ui.text_in(Type::note, columns.weight, t.weight.main, "weight", Ui::Align::right);
  ui.text_in(Type::note, columns.of_weight, t.text_muted, "∂L/∂weight", Ui::Align::right);
  if (row.scores) ui.text_in(Type::note, columns.of_score, t.score.main, "∂L/∂score", Ui::Align::right);
  float largest = 0;
  for (const KeySlope& key : row.keys) largest = std::max(largest, std::abs(key.of_score));
  std::vector<KeySlope> shown(row.keys);
  shown.resize(std::min(keys_with_slopes, shown.size()));
  if (std::ranges::find(shown, cell.key, &KeySlope::key) == shown.end()) shown.back() = row.of(cell.key);
  for (const KeySlope& key : shown) draw_key(form, now, key, row, key.key == cell.key, largest);
}

// The rule's own numbers, what they come to, and what the whole row does.
void draw_product(Form& form, const RowSlopes& row, const KeySlope& pinned) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  Rect sum = form.line(24).inset(ui.px(4), 0);
  ui.text_in(Type::number_note, sum, t.text, signed_number(row.weighted, row.decimals_of_weight + 1), Ui::Align::right);
  ui.text_in(Type::label, sum, t.text_muted, "Σ weight · ∂L/∂weight of the row");
  const std::string weight =
      pinned.weight < 0.001F ? fmt::format("{:.2e}", pinned.weight) : fmt::format("{:.4f}", pinned.weight);
  const std::string product =
      fmt::format("{} · ({} − ({}))", weight, signed_number(pinned.of_weight, row.decimals_of_weight + 1),
                  signed_number(row.weighted, row.decimals_of_weight + 1));
  const Rect line = form.line(22, 4).inset(ui.px(4), 0);
  ui.log("train/slope product", line, product);
  ui.text_in(Type::number_note, line, t.text_muted, product);
  Rect result = form.line(36, 8);
  ui.fill(result, t.score.soft, ui.px(6));
  result = result.inset(ui.px(12), 0);
  const std::string slope = signed_number(pinned.of_score, row.decimals_of_score + 1);
  ui.log("train/slope", result, slope);
  badge(ui, {result.x, result.y + ui.px(9)}, Role::score);
  ui.text_in(Type::result, result, t.score.main, slope, Ui::Align::right);
  result.take_left(ui.px(badge_size + 8));
  ui.text_in(Type::body, result, t.text, "∂L/∂score");
  Rect check = form.line(20, 6).inset(ui.px(4), 0);
  draw_icon(ui, Icon::check, {check.x + ui.px(6), check.middle().y}, t.ok);
  check.take_left(ui.px(18));
  const std::string together =
      fmt::format("Slopes of the row's scores add up to {}", signed_number(row.scores_together, 5));
  ui.log("train/slopes together", check, together);
  ui.text_in(Type::note, check, t.ok, together);
}

// Whether it is pushed more than the others of its row, and what became of it.
std::string push_in_words(const FilmView& now, const TrainCell& cell, const RowSlopes& row) {
  const float slope = row.of(cell.key).of_score;
  if (slope == 0) return "Nothing pushes this score.";
  const bool up = slope < 0;
  const bool most = std::ranges::all_of(
      row.keys, [&](const KeySlope& key) { return up ? key.of_score >= slope : key.of_score <= slope; });
  std::string words = fmt::format("This example pushes the score {}{}.", up ? "up" : "down",
                                  most ? ", more than any other of its row" : "");
  constexpr Index ahead = 5;
  if (const auto later = now.film.frame_at(now.frame.step + ahead))
    words += fmt::format(" Five steps later its weight is {:.2f}: a step follows all examples of its batch.",
                         weight_in(*later, cell).value_or(0));
  return words;
}

std::string title_of(const RowSlopes& row, const KeySlope& pinned) {
  const float slope = row.scores ? pinned.of_score : pinned.of_weight;
  if (slope == 0) return "Why it stays";
  return slope < 0 ? "Why it grows" : "Why it shrinks";
}

}  // namespace

void draw_train_slopes(Form& form, const FilmView& now, const TrainCell& cell) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const RowSlopes row = row_slopes(now, cell);
  const KeySlope& pinned = row.of(cell.key);
  const Rect heading = form.line(24, 2);
  const std::string note =
      fmt::format("g = ∂L/∂weight · {} of {} keys", std::min(keys_with_slopes, row.keys.size()), row.keys.size());
  ui.text_in(Type::note, heading, t.text_faint, note, Ui::Align::right);
  ui.text_in(Type::heading, heading, t.text, title_of(row, pinned));
  draw_why_formula(form, row);
  const std::string pushed = row.scores ? "A {score:score} with a negative slope is pushed up."
                                        : "Where the slope is negative, a larger {weight:weight} would help.";
  form.log_words("train/loss words", t.text, loss_in_words(now, cell) + " " + pushed, Type::label, 8);
  draw_keys(form, now, cell, row);
  form.y += ui.px(4);
  if (!row.scores) return;
  draw_product(form, row, pinned);
  form.log_words("train/push", t.text, push_in_words(now, cell, row), Type::label);
}

}  // namespace headlight::app
