#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "app/page/cells.h"
#include "app/page/figure.h"
#include "app/page/notes.h"
#include "engine/picture/heatmap_constants.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const FontFiles fonts = font_files_in(HEADLIGHT_FONT_FOLDER);
const std::string odd_recipe = R"({"headlight":1,"note":"(a) \\ <b> & \"ключ\" 😀"})";

Tensor ramp(Index rows, Index columns) {
  Tensor tensor(Shape{rows, columns});
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(i) / static_cast<float>(tensor.size());
  return tensor;
}

Figure figure_of(const Tensor& tensor) {
  Figure figure;
  figure.title = "Weights <&> \"two\"";
  figure.description = "Described";
  figure.recipe = odd_recipe;
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.mark = std::string(1, 'a');
  figure.panels.push_back(panel);
  return figure;
}

std::string rendered(const Figure& figure, FigureFormat format, const PageOptions& options = {}) {
  const auto files = render_figure(figure, options, fonts, format, "fig");
  if (!files) FAIL(files.error().message);
  return files->front().bytes;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

constexpr std::array with_recipe = all_figure_formats;

// A PDF followed by what each of its streams unpacks to.
std::string with_streams_unpacked(std::string pdf) {
  const std::string packed = pdf;
  for (std::size_t at = packed.find("stream\n"); at != std::string::npos; at = packed.find("stream\n", at)) {
    at += std::size("stream\n") - 1;
    std::string bytes(1 << 20, '\0');
    auto size = static_cast<uLongf>(bytes.size());
    const auto* from = reinterpret_cast<const Bytef*>(packed.data() + at);
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, from, packed.size() - at) == Z_OK)
      pdf += bytes.substr(0, size);
  }
  return pdf;
}

}  // namespace

TEST_CASE("SVG text is text, escaped, and a cut label says all of itself") {
  const Tensor tensor = ramp(3, 2);
  Figure figure = figure_of(tensor);
  figure.panels[0].row_labels = {"<a & 'b'>", "x\ny", std::string(200, 'w')};
  const std::string svg = rendered(figure, FigureFormat::svg);
  CHECK(has(svg, ">&lt;a &amp; &apos;b&apos;&gt;</text>"));
  CHECK(has(svg, ">x⏎y</text>"));
  CHECK(has(svg, "…<title>" + std::string(200, 'w') + "</title></text>"));
  CHECK(has(svg, "<title>Weights &lt;&amp;&gt; &quot;two&quot;</title>"));
  CHECK(has(svg, "<desc>Described</desc>"));
  CHECK_FALSE(has(svg, "dc:date"));
  figure.time = 86400;
  CHECK(has(rendered(figure, FigureFormat::svg), ">1970-01-02T00:00:00Z</dc:date>"));
}

TEST_CASE("an SVG names fonts of the same kind for those who lack its own") {
  const Tensor tensor = ramp(2, 2);
  const FontFiles serif = *font_files_named(HEADLIGHT_FONT_FOLDER, "serif");
  const std::string with_serif = render_figure(figure_of(tensor), {}, serif, FigureFormat::svg, "f")->front().bytes;
  CHECK(has(with_serif, "&apos;Latin Modern Roman&apos;"));
  CHECK(has(with_serif, ", serif;"));
  CHECK_FALSE(has(with_serif, "sans-serif"));
  const std::string sans = rendered(figure_of(tensor), FigureFormat::svg);
  CHECK(has(sans, "font-family:&apos;Inter&apos;, Helvetica"));
  CHECK(has(sans, "sans-serif;font-weight:600"));
  CHECK(has(sans, "monospace;font-weight:400"));
}

TEST_CASE("SVG cells are paths up to 20 000, a picture above, and hatched only where masked") {
  const Tensor few = ramp(20, 20);
  Figure figure = figure_of(few);
  CHECK_FALSE(has(rendered(figure, FigureFormat::svg), "<image"));
  CHECK_FALSE(has(rendered(figure, FigureFormat::svg), "clipPath"));
  const Tensor many = ramp(150, 150);
  CHECK(has(rendered(figure_of(many), FigureFormat::svg), "data:image/png;base64,iVBORw0KGgo"));
  Tensor masked = ramp(20, 20);
  masked[7] = masked_value;
  CHECK(count_of(rendered(figure_of(masked), FigureFormat::svg), "<clipPath") == 2);  // and the legend's
}

TEST_CASE("runs cover every cell once in its colour") {
  Tensor tensor = ramp(3, 4);
  tensor[1] = tensor[2] = masked_value;
  tensor[4] = tensor[5] = tensor[6] = 0.5F;
  const ColorTable table = color_table(Colormap::dusk);
  MapItem map{{10, 20, 8, 6}, matrix_at(tensor, {}), nullptr, {0, 1}, false};
  const std::vector<CellRun> runs = runs_of(map, table);
  std::vector<int> times(12);
  for (const CellRun& run : runs) {
    for (Index i = 0; i < run.length; ++i) {
      const float value = tensor[run.row * 4 + run.column + i];
      ++times[static_cast<std::size_t>(run.row * 4 + run.column + i)];
      CHECK(run.color == (is_masked(value) ? light_hatch_ground : color_at(table, value)));
    }
  }
  CHECK(times == std::vector<int>(12, 1));
  CHECK(runs.size() == 9);
  CHECK(runs[1].look == CellLook::masked);
  const Box box = box_of(map, runs[1]);
  CHECK(box.x == Approx(12));
  CHECK(box.width == Approx(4));
  const Image image = image_of(map, table, 3);
  CHECK(image.at(11, 8) == color_at(table, tensor[11]));
  CHECK(image.at(3, 0) == light_hatch_ground);
  map.gaps = true;
  CHECK(runs_of(map, table).size() == 12);
  CHECK(box_of(map, runs_of(map, table)[0]).width == Approx(2 - gap_points));
}

TEST_CASE("hatching stays on its map and covers it from corner to corner") {
  for (const CellLook look : {CellLook::masked, CellLook::broken}) {
    const Box map{10, 20, 30, 11};
    const std::vector<Segment> lines = hatching(map, look);
    CHECK(lines.size() == 10);
    for (const auto& [from, to] : lines) {
      for (const Point& point : {from, to}) {
        CHECK((point.x >= 10 && point.x <= 40 && point.y >= 20 - 1e-9 && point.y <= 31 + 1e-9));
      }
      CHECK(std::abs(to.x - from.x) == Approx(std::abs(to.y - from.y)).margin(1e-9));
      CHECK((to.y < from.y) == (look == CellLook::masked));
    }
  }
}

TEST_CASE("every format gives the same bytes again, and its recipe back") {
  const Tensor tensor = ramp(5, 5);
  Figure figure = figure_of(tensor);
  for (const FigureFormat format : with_recipe) {
    INFO(static_cast<int>(format));
    const std::string bytes = rendered(figure, format);
    CHECK(bytes == rendered(figure, format));
    const auto recipe = recipe_of(bytes);
    REQUIRE(recipe);
    CHECK(*recipe == odd_recipe);
    Figure plain = figure;
    plain.recipe = R"({"plain":"\n (x"})";
    CHECK(recipe_of(rendered(plain, format)).value_or("") == plain.recipe);
    plain.recipe.clear();
    const auto none = recipe_of(rendered(plain, format));
    REQUIRE_FALSE(none);
    CHECK(has(none.error().message, "no recipe"));
    plain.time = 1'700'000'000;
    CHECK(rendered(plain, format) != rendered(figure, format));
  }
}

TEST_CASE("a PDF's date is the figure's, or none of the clock's") {
  const Tensor tensor = ramp(2, 2);
  Figure figure = figure_of(tensor);
  // Newer cairos pack the dictionary, and write "(D:" and the zone, which older ones forget.
  const auto dated = [&](const std::string& date) {
    const std::string text = with_streams_unpacked(rendered(figure, FigureFormat::pdf));
    return has(text, "/CreationDate (" + date) || has(text, "/CreationDate (D:" + date);
  };
  CHECK(dated("19700101000000"));
  figure.time = 1'700'000'000;
  CHECK(dated("20231114221320"));
}

TEST_CASE("recipes are looked for in broken files without harm") {
  CHECK_FALSE(recipe_of(""));
  CHECK_FALSE(recipe_of("GIF89a"));
  CHECK_FALSE(recipe_of("%PDF-1.5 /Keywords (Headlight: without an end \\"));
  CHECK_FALSE(recipe_of("%PDF-1.5 /Keywords "));
  CHECK_FALSE(recipe_of("%PDF-1.5 /ObjStm stream\n\x78\x9c\x01"));
  CHECK_FALSE(recipe_of("<svg><headlight:recipe xmlns:headlight=\"urn:headlight\">"));
  const Tensor tensor = ramp(2, 2);
  for (const FigureFormat format : with_recipe) {
    const std::string bytes = rendered(figure_of(tensor), format);
    for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 64) {
      const auto cut = recipe_of(std::string_view(bytes).substr(0, length));
      CHECK((!cut || *cut == odd_recipe));
    }
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at / 64) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
      const auto read = recipe_of(damaged);
      if (!read) CHECK(read.error().message.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a recipe is found in a PDF whose dictionaries are packed, as newer writers pack them") {
  const std::string dictionary = "<< /Keywords (Headlight: {}) >>";
  // A zlib stream with one stored block; its checksum is not looked at.
  const auto length = static_cast<char>(dictionary.size());
  std::string pdf = "%PDF-1.5\n1 0 obj << /Type /ObjStm >> stream\n\x78\x01\x01";
  pdf += {length, '\0', static_cast<char>(~length), '\xFF'};
  CHECK(recipe_of(pdf + dictionary).value_or("") == "{}");
}

TEST_CASE("times and the environment's date") {
  CHECK(iso_time(951'782'400) == "2000-02-29T00:00:00Z");
  CHECK(iso_time(-5) == "1970-01-01T00:00:00Z");
  ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  CHECK(source_date().value() == 1'700'000'000);
  ::setenv("SOURCE_DATE_EPOCH", "17x", 1);
  CHECK_FALSE(source_date());
  ::unsetenv("SOURCE_DATE_EPOCH");
  REQUIRE(source_date());
  CHECK_FALSE(source_date().value().has_value());
}

TEST_CASE("a figure's name chooses its format") {
  CHECK(figure_format_of("a/b.svg").value() == FigureFormat::svg);
  const auto none = figure_format_of("a/b.gif");
  REQUIRE_FALSE(none);
  CHECK(has(none.error().message, ".png, .svg, .pdf, .tex"));
}
