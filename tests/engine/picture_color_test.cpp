#include <cmath>
#include <limits>

#include "engine/picture/colormap.h"
#include "engine/picture/value_range.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Extent extent_of_values(std::vector<float> values) {
  return extent_of(std::span<const float>(values));
}

double lightness(Color color) {
  return lab_at_color(color).lightness;
}

std::vector<std::string> tick_texts(float low, float high) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks({low, high})) texts.push_back(tick.text);
  return texts;
}

}  // namespace

TEST_CASE("Lab agrees with published values and inverts") {
  const Lab red = lab_at_color(rgb(0xFF0000));  // Lindbloom's calculator: 53.24, 80.09, 67.20
  CHECK(red.lightness == Approx(53.24).margin(0.01));
  CHECK(red.a == Approx(80.09).margin(0.01));
  CHECK(red.b == Approx(67.20).margin(0.01));
  for (std::uint32_t hex = 0; hex <= 0xFFFFFF; hex += 4093) CHECK(color_at_lab(lab_at_color(rgb(hex))) == rgb(hex));
  CHECK(contrast_ratio(rgb(0x000000), rgb(0xFFFFFF)) == Approx(21));
}

TEST_CASE("sequential maps are monotone in lightness") {
  for (const Colormap map : all_colormaps) {
    if (is_signed(map)) continue;
    INFO(to_string(map));
    const ColorTable table = color_table(map);
    const bool rises =
        map == Colormap::beam || map == Colormap::viridis || map == Colormap::cividis || map == Colormap::magma;
    const double direction = rises ? 1 : -1;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
      // A byte's rounding may turn one step back by a part of it; eight steps outweigh that.
      CHECK(direction * (lightness(table[i + 1]) - lightness(table[i])) > -0.3);
      if (i + 8 < table.size()) CHECK(direction * (lightness(table[i + 8]) - lightness(table[i])) > 0);
    }
  }
}

TEST_CASE("maps begin and end where the design says") {
  CHECK(color_table(Colormap::dusk).front() == rgb(0xFFFFFF));
  CHECK(color_table(Colormap::dusk).back() == rgb(0x2C184F));
  CHECK(lightness(color_table(Colormap::dusk).back()) == Approx(14).margin(0.5));
  CHECK(color_table(Colormap::dusk)[4 * 144] == rgb(0x8F5EDC));
  CHECK(color_table(Colormap::beam).back() == rgb(0xFFF4C5));
  CHECK(color_table(Colormap::viridis)[504] == rgb(0x21908C));
  CHECK(color_table(Colormap::magma)[504] == rgb(0xB63679));
  CHECK(colormap_named("magma") == Colormap::magma);
}

TEST_CASE("signed maps have zero in the middle and equal lightness either side") {
  for (const Colormap map : {Colormap::tide, Colormap::tide_dark}) {
    INFO(to_string(map));
    const ColorTable table = color_table(map);
    const ValueRange range{-3.7F, 3.7F};
    CHECK(color_at(table, normalise(0.0F, range)) == (map == Colormap::tide ? rgb(0xFAF9F7) : rgb(0x151519)));
    for (std::size_t i = 0; i < table.size() / 2; ++i) {
      CHECK(std::abs(lightness(table[i]) - lightness(table[table.size() - 1 - i])) < 0.9);  // under one is not seen
    }
  }
}

TEST_CASE("neighbouring entries differ by at most one in each byte") {
  for (const Colormap map : all_colormaps) {
    INFO(to_string(map));
    const ColorTable table = color_table(map);
    int most = 0;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
      most = std::max({most, std::abs(table[i].r - table[i + 1].r), std::abs(table[i].g - table[i + 1].g),
                       std::abs(table[i].b - table[i + 1].b)});
    }
    CHECK(most <= 1);
  }
}

TEST_CASE("text on any entry of any map can be read") {
  for (const Colormap map : all_colormaps) {
    for (const Color& color : color_table(map)) CHECK(contrast_ratio(color, readable_text_on(color)) >= 4.5);
  }
}

TEST_CASE("the nearest entry is looked up, and values outside are clamped") {
  CHECK(table_entry_at(0.5F) == 504);
  CHECK(table_entry_at(0.49F / 1008) == 0);
  CHECK(table_entry_at(0.51F / 1008) == 1);
  CHECK(table_entry_at(-infinity) == 0);
  CHECK(table_entry_at(infinity) == 1008);
  for (const Colormap map : all_colormaps) CHECK(colormap_named(to_string(map)) == map);
  CHECK_FALSE(colormap_named("jet"));
}

TEST_CASE("ranges follow the kind of a step") {
  const Extent signed_values = extent_of_values({-1, 0.5F, 3, -infinity, not_a_number});
  CHECK(signed_values.finite == 3);
  CHECK(signed_values.masked == 1);
  CHECK(signed_values.broken == 1);
  for (const Kind kind : {Kind::score, Kind::activation, Kind::input, Kind::weight}) {
    CHECK(value_range(kind, signed_values).low == -3);
    CHECK(value_range(kind, signed_values).high == 3);
  }
  const ValueRange weights = value_range(Kind::probability, extent_of_values({0.1F, 0.4F}));
  CHECK(weights.low == 0);
  CHECK(weights.high == 1);
  CHECK_FALSE(weights.is_signed());
  CHECK(value_range(Kind::probability, extent_of_values({0.1F, 1.25F})).high == 1.25F);
  CHECK(value_range(Kind::probability, extent_of_values({-0.1F, 0.25F})).low == -0.25F);
}

TEST_CASE("ranges of nothing, of one value and of extremes are defined") {
  for (const auto& values : {std::vector<float>{}, std::vector<float>{0, 0}, std::vector<float>(3, -infinity)}) {
    const Extent extent = extent_of_values(values);
    CHECK(value_range(Kind::score, extent).low == -1);
    CHECK(value_range(Kind::score, extent).high == 1);
    CHECK(value_range(Kind::probability, extent).high == 1);
  }
  CHECK(value_range(Kind::score, extent_of_values({-2, -2})).high == 2);
  for (const float extreme : {std::numeric_limits<float>::max(), 1e-42F}) {
    const ValueRange range = value_range(Kind::score, extent_of_values({extreme}));
    CHECK(std::isfinite(normalise(extreme, range)));
    CHECK(normalise(0, range) == 0.5F);
    CHECK(ticks(range).size() >= 3);
  }
  const Extent both = united(extent_of_values({}), extent_of_values({4, 5}));
  CHECK(both.least == 4);
  CHECK(united(both, extent_of_values({-1})).least == -1);
}

TEST_CASE("ticks are round, inside, and at least three") {
  using Texts = std::vector<std::string>;
  CHECK(tick_texts(0, 1) == Texts{"0", "0.5", "1"});
  CHECK(tick_texts(-3.71F, 3.71F) == Texts{"−2", "0", "2"});
  CHECK(tick_texts(-0.1F, 0.1F) == Texts{"−0.1", "0", "0.1"});
  CHECK(tick_texts(-250000, 250000) == Texts{"−2e5", "0", "2e5"});
  for (float bound = 1.3e-20F; bound < 1e20F; bound *= 1.7F) {
    const auto all = ticks({-bound, bound});
    CHECK((all.size() >= 3 && all.size() <= 9));
    CHECK(all.front().value >= -bound * 1.0001);
    CHECK(all.back().value <= bound * 1.0001);
  }
}

TEST_CASE("numbers are short and typeset") {
  CHECK(value_text(3.71234) == "3.71");
  CHECK(value_text(-12345.6) == "−12346");
  CHECK(value_text(2e-7) == "2e−7");
  CHECK(value_text(1.5e10) == "1.5e10");
  CHECK(cell_text(0.8649F, {0, 1}) == ".86");
  CHECK(cell_text(0.9999F, {0, 1}) == "1.00");
  CHECK(cell_text(-0.001F, {-1, 1}) == ".00");
  CHECK(cell_text(-0.42F, {-1, 1}) == "−.42");
  CHECK(cell_text(-3.14F, {-5, 5}) == "−3.1");
  CHECK(cell_text(5, {-20000, 20000}) == "5e0");
  CHECK(cell_text(-infinity, {0, 1}).empty());
  CHECK(cell_text(not_a_number, {0, 1}) == "NaN");
}
