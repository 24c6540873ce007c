// The dot product of what rotary positions turned, pair by pair: how fast each turns, where its arrows point, and what
// it adds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "app/panels/inspector/parts.h"

namespace headlight::app {

namespace {

using mechanism::Arrow;

constexpr double degrees = 180 / std::numbers::pi;
constexpr std::size_t columns = 5;

// Of arrows that have a direction.
std::string angle_text(double radians, double length) {
  constexpr double no_length = 1e-9;
  return length < no_length ? std::string("–") : fmt::format("{:.1f}", std::round(radians * degrees * 10) / 10 + 0.0);
}

using Texts = std::array<std::string, columns>;

Texts texts_of(const PairRow& row) {
  const mechanism::Dial& dial = row.dial;
  const double q = dial.q_turned.length(), k = dial.k_turned.length();
  return {number_text(row.frequency), angle_text(dial.q_turned.angle(), q), angle_text(dial.k_turned.angle(), k),
          angle_text(dial.between, q * k), number_text(dial.product)};
}

// "query (2.14, −0.97) at place 8 is turned by 144.9° to (−1.20, 2.02)".
std::string turned_in_words(const char* name, const Arrow& before, const Arrow& after, Index place, double frequency) {
  return fmt::format("{} ({:.2f}, {:.2f}) at place {} is turned by {:.1f}° to ({:.2f}, {:.2f})", name, before.x,
                     before.y, place, static_cast<double>(place) * frequency * degrees, after.x, after.y);
}

std::string row_in_words(const PairTable& table, const PairRow& row, std::size_t pair) {
  return fmt::format("Pair {}, channels {} and {}: {}; {}.", pair, row.first, row.second,
                     turned_in_words("query", row.dial.q, row.dial.q_turned, table.query_place, row.frequency),
                     turned_in_words("key", row.dial.k, row.dial.k_turned, table.key_place, row.frequency));
}

struct Widths {
  std::array<float, columns> each{};
  float first = 0, bars = 0;
};

Widths widths_of(const Ui& ui, const std::vector<Texts>& rows, const Texts& headings, float room) {
  Widths widths;
  widths.first = ui.width_of(Type::number_small, std::to_string(rows.size())) + ui.px(6);
  for (std::size_t i = 0; i < columns; ++i) {
    widths.each[i] = ui.width_of(Type::heading, headings[i]);
    for (const Texts& row : rows) widths.each[i] = std::max(widths.each[i], ui.width_of(Type::number_small, row[i]));
  }
  const float taken = widths.first + std::reduce(widths.each.begin(), widths.each.end());
  const float air = std::clamp((room - taken) / (columns + 3), 0.0F, ui.px(14));
  for (float& width : widths.each) width += air;
  widths.bars = std::max(0.0F, room - taken - air * columns - ui.px(6));
  return widths;
}

}  // namespace

void draw_pairs(Form& form, const PairTable& table) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Texts headings{"θ", "q °", "k °", "angle °", "q·k"};
  const std::array colors{t.text_muted, t.query.main, t.key.main, t.score.main, t.score.main};
  constexpr std::size_t most = 24;  // rows drawn; the rest is told together
  const std::size_t drawn = std::min(most, table.rows.size());
  std::vector<Texts> texts;
  double largest = 1e-12;
  for (std::size_t r = 0; r < drawn; ++r) texts.push_back(texts_of(table.rows[r]));
  for (const PairRow& row : table.rows) largest = std::max(largest, std::abs(row.dial.product));
  const Widths widths = widths_of(ui, texts, headings, form.column.w);
  Rect line = form.line(22);
  ui.text_in(Type::note, line.take_left(widths.first), t.text_faint, "#");
  for (std::size_t i = 0; i < columns; ++i)
    ui.text_in(Type::heading, line.take_left(widths.each[i]), colors[i], headings[i], Ui::Align::right);
  for (std::size_t r = 0; r < drawn; ++r) {
    line = form.line(20);
    const std::string path = fmt::format("trace/pair/{}", r);
    ui.hit(path, line, false, fmt::format("{}", fmt::join(texts[r], " ")));
    ui.tooltip(path, line, row_in_words(table, table.rows[r], r));
    if (r % 2 == 0) ui.fill(line.inset(-ui.px(6), 0), t.sunken);
    ui.text_in(Type::number_small, line.take_left(widths.first), t.text_faint, std::to_string(r));
    for (std::size_t i = 0; i < columns; ++i)
      ui.text_in(Type::number_small, line.take_left(widths.each[i]), i == 4 ? t.score.main : t.text, texts[r][i],
                 Ui::Align::right);
    if (widths.bars < ui.px(16)) continue;
    line.take_left(ui.px(6));
    const float zero = std::round(line.x + line.w / 2);
    const auto length = static_cast<float>(table.rows[r].dial.product / largest) * (line.w / 2 - 1);
    ui.line({zero, line.y}, {zero, line.bottom()}, t.line_strong);
    ui.fill({length < 0 ? zero + length : zero + 1, line.y + ui.px(5), std::abs(length), line.h - ui.px(10)},
            length < 0 ? t.bar_negative : t.bar_positive);
  }
  double rest = 0;
  for (std::size_t r = drawn; r < table.rows.size(); ++r) rest += table.rows[r].dial.product;
  std::vector<std::string> besides;
  if (drawn < table.rows.size())
    besides.push_back(fmt::format("{} slower pairs, together {}", table.rows.size() - drawn, number_text(rest)));
  if (table.still != 0) besides.push_back(fmt::format("channels that do not turn: {}", number_text(table.still)));
  if (!besides.empty())
    ui.text_in(Type::note, form.line(20), t.text_faint, fmt::format("{}", fmt::join(besides, "; ")));
  line = form.line(28);
  ui.log("trace/pairs", line, number_text(table.sum));
  ui.text_in(Type::label, line, t.text_muted, fmt::format("sum of {} pairs", table.rows.size()));
  ui.text_in(Type::number, line, t.score.main, number_text(table.sum), Ui::Align::right);
  form.y += ui.px(6);
}

}  // namespace headlight::app
