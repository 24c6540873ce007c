// The committed formulas against the constants the variants use, and the reader, drawing and plain text of formulas.
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "app/widgets/formula_data.h"
#include "app/widgets/formula_draw.h"
#include "app/widgets/formula_plain.h"
#include "engine/variants/multi_head_formulas.h"
#include "tests/catch.h"

namespace tex = headlight::formulas::multi_head;
using namespace headlight::app;

namespace {

namespace fs = std::filesystem;

const fs::path source = HEADLIGHT_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Constant {
  std::string name, latex;
};

// The constants of a header of formulas: adjacent raw literals are one formula.
std::vector<Constant> constants_of(const std::string& header) {
  std::vector<Constant> found;
  const std::string opening = "const char* ";
  for (std::size_t at = header.find(opening); at != std::string::npos; at = header.find(opening, at)) {
    at += opening.size();
    Constant constant{header.substr(at, header.find(' ', at) - at), {}};
    const std::size_t end = header.find(")\";", at);
    while (at < end) {
      const std::size_t begin = header.find("R\"(", at) + 3, stop = header.find(")\"", begin);
      constant.latex += header.substr(begin, stop - begin);
      at = stop + 2;
      if (stop == end) break;
    }
    found.push_back(std::move(constant));
  }
  return found;
}

// Every constant of every variant's header.
std::vector<Constant> all_constants() {
  std::vector<Constant> all;
  std::set<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(source / "engine/variants"))
    if (entry.path().filename().string().ends_with("_formulas.h")) headers.insert(entry.path());
  for (const fs::path& header : headers)
    for (Constant& constant : constants_of(text_of(header))) all.push_back(std::move(constant));
  return all;
}

const FormulaBook& book() {
  static const FormulaBook read = read_formulas(text_of(source / "assets/formulas/formulas.txt")).value();
  return read;
}

// The ids in \hl{id}{...}, as often as they come.
std::multiset<std::string> marks_in(const std::string& latex) {
  std::multiset<std::string> ids;
  for (std::size_t at = latex.find("\\hl{"); at != std::string::npos; at = latex.find("\\hl{", at + 1))
    ids.insert(latex.substr(at + 4, latex.find('}', at) - at - 4));
  return ids;
}

std::multiset<std::string> ids_of(const Formula& formula) {
  std::multiset<std::string> ids;
  for (std::size_t i = 1; i < formula.regions.size(); ++i) ids.insert(formula.regions[i].id);
  return ids;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// One glyph "1" and a rule under it, in the file's own language.
const std::string small =
    "headlight-formulas 1\n"
    "outline 31 M0 0H500V700L250 750Q0 750 0 375T100 100Z\n"
    "formula \\hl{one}{1}\n"
    "size 600 800 200\n"
    "region 0 one\n"
    "glyph 1 31 50 0 1000\n"
    "rule 0 0 -100 600 40\n"
    "end\n";

std::string error_of(const std::string& text) {
  const auto read = read_formulas(text);
  return read ? "" : read.error().message;
}

Ink ink_of_id(const std::string& id) {
  if (id == "n_q" || id.starts_with("q") || id == "x_q" || id == "w_q") return {0.08, 0.35, 0.75};
  if (id == "n_k" || id.starts_with("k") || id == "x_k" || id == "w_k") return {0.76, 0.25, 0.05};
  if (id.starts_with("v") || id == "x_v" || id == "w_v") return {0.02, 0.48, 0.31};
  if (id.ends_with("scores")) return {0.66, 0.08, 0.42};
  if (id.ends_with("weights")) return {0.31, 0.16, 0.62};
  return id.empty() ? Ink{0.1, 0.1, 0.1} : Ink{0.35, 0.35, 0.38};
}

}  // namespace

TEST_CASE("every formula constant is prepared, and nothing else") {
  std::set<std::string> wanted;
  for (const auto& [name, latex] : all_constants()) {
    INFO(name);
    CHECK(book().find(latex) != nullptr);
    wanted.insert(latex);
  }
  CHECK(wanted.count(tex::weights) == 1);  // the header was read as the compiler reads it
  CHECK(wanted.count(tex::masked_scores_added) == 1);
  CHECK(book().formulas().size() == wanted.size());
}

TEST_CASE("a formula's regions are its marks, inside its box and drawn") {
  for (const auto& [latex, formula] : book().formulas()) {
    INFO(latex);
    CHECK(ids_of(formula) == marks_in(latex));
    const double slack = 0.06;  // em; italics lean out of their box
    for (const FormulaRegion& region : formula.regions) {
      INFO(region.id);
      CHECK(region.box.left >= -slack);
      CHECK(region.box.top >= -slack);
      CHECK(region.box.right <= formula.width + slack);
      CHECK(region.box.bottom <= formula.height + formula.depth + slack);
    }
    const auto image = rasterise(formula, 20);
    REQUIRE(image);
    std::vector<int> ink(formula.regions.size());
    for (std::size_t i = 0; i < image->coverage.size(); ++i) ink.at(image->region[i]) += image->coverage[i];
    for (std::size_t i = 1; i < ink.size(); ++i) {
      INFO(i << " " << formula.regions[i].id);
      CHECK(ink[i] > 255);
    }
    // The margins are wide enough: no ink is cut off at the image's sides.
    for (int x = 0; x < image->width; ++x) CHECK(image->coverage[static_cast<std::size_t>(x)] == 0);
  }
}

TEST_CASE("the innermost region is found under a point") {
  const Formula& weights = *book().find(tex::weights);
  CHECK(weights.regions[1].id == "weights");
  CHECK(weights.regions[2].id == "n_q");
  CHECK(weights.regions[2].parent == 1);
  const FormulaBox index = weights.regions[2].box;
  CHECK(weights.region_at({(index.left + index.right) / 2, (index.top + index.bottom) / 2}) == 2);
  CHECK(weights.region_at({weights.regions[1].box.left + 0.1, index.top - 0.1}) == 1);
  CHECK(weights.region_at({-1, -1}) == 0);
}

TEST_CASE("a formula file is read to the letter") {
  const auto read = read_formulas(small);
  REQUIRE(read);
  const Formula* one = read->find("\\hl{one}{1}");
  REQUIRE(one != nullptr);
  CHECK(one->height == Approx(0.8));
  CHECK(one->depth == Approx(0.2));
  REQUIRE(one->shapes.size() == 2);
  const Outline& glyph = *one->shapes[0].outline;
  REQUIRE(glyph.size() == 7);
  CHECK(glyph[1].to.x == Approx(0.5));       // H
  CHECK(glyph[2].to.y == Approx(-0.7));      // V, y now down
  CHECK(glyph[5].control.y == Approx(0.0));  // T mirrors (0, 750) at (0, 375)
  CHECK(one->regions[1].box.left == Approx(0.05));
  CHECK(one->regions[1].box.top == Approx(0.05));
  CHECK(one->regions[0].box.bottom == Approx(0.9));  // the rule's lower edge
  CHECK(read->find("1") == nullptr);
}

TEST_CASE("a damaged formula file is refused with its line") {
  const std::string whole = small;
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    INFO(whole.substr(0, length));
    CHECK(error_of(whole.substr(0, length)).starts_with("formulas"));
  }
  CHECK(error_of("PNG\x89\x01").find("line 1: expected `headlight-formulas 1`") != std::string::npos);
  CHECK(error_of(with(whole, "headlight-formulas 1", "headlight-formulas 2")).find("line 1") != std::string::npos);
  CHECK(error_of(with(whole, "M0 0H500", "M0 0A500")).find("line 2: expected `outline") != std::string::npos);
  CHECK(error_of(with(whole, "M0 0H500", "M0 0H5e99")).find("line 2") != std::string::npos);
  CHECK(error_of(with(whole, "Q0 750 0 375", "Q0 750 0")).find("line 2") != std::string::npos);
  CHECK(error_of(with(whole, "600 800 200", "nan 800 200")).find("line 4") != std::string::npos);
  CHECK(error_of(with(whole, "region 0 one", "region 1 one")).find("line 5") != std::string::npos);
  CHECK(error_of(with(whole, "glyph 1 31", "glyph 2 31")).find("line 6") != std::string::npos);
  CHECK(error_of(with(whole, "glyph 1 31", "glyph 1 32")).find("line 6") != std::string::npos);
  CHECK(error_of(with(whole, "glyph 1 31 50 0 1000\n", "")).find("ink in region 1") != std::string::npos);
  CHECK(error_of(whole + "more\n").find("nothing may follow") != std::string::npos);
}

TEST_CASE("a margin reaches past a symbol but never over its neighbour") {
  const auto book = read_formulas(
      "headlight-formulas 1\nformula ab\nsize 1000 500 0\nregion 0 a\nregion 1 i\nregion 0 b\n"
      "rule 1 0 0 300 500\nrule 2 300 0 200 200\nrule 3 540 0 400 500\nend\n");
  REQUIRE(book);
  const Formula& ab = *book->find("ab");
  CHECK(ab.region_at({0.1, 0.25}, 0.1) == 1);
  CHECK(ab.region_at({0.29, 0.45}, 0.1) == 1);  // i is 0.01 away
  CHECK(ab.region_at({0.49, 0.4}, 0.1) == 2);   // b is 0.05 away
  CHECK(ab.region_at({0.53, 0.4}, 0.1) == 3);
  CHECK(ab.region_at({0.99, 0.4}, 0.1) == 3);
  CHECK(ab.region_at({0.99, 0.4}) == 0);
}

TEST_CASE("rules stay sharp and the baseline whole at any size") {
  const auto book = read_formulas(small);
  const Formula& one = *book->find("\\hl{one}{1}");
  for (const double em : {4.0, 11.0, 17.3, 31.0, 200.0}) {
    INFO(em);
    const auto image = rasterise(one, em);
    REQUIRE(image);
    const int column = image->left + static_cast<int>(0.3 * em);
    int full = 0, partial = 0;
    for (int y = image->baseline; y < image->height; ++y) {
      const int ink = image->coverage[static_cast<std::size_t>(y * image->width + column)];
      full += ink == 255;
      partial += ink > 0 && ink < 255;
    }
    CHECK(full == std::max(1, static_cast<int>(std::round(0.04 * em))));
    CHECK(partial == 0);
  }
  CHECK_FALSE(rasterise(one, 3));
  CHECK_FALSE(rasterise(one, 1e9));
  CHECK_FALSE(rasterise(one, std::nan("")));
  CHECK_FALSE(rasterise(Formula{}, 20));
}

TEST_CASE("each region takes its own colour") {
  const auto book = read_formulas(small);
  const Formula& one = *book->find("\\hl{one}{1}");
  const auto image = rasterise(one, 100);
  REQUIRE(image);
  const auto rgba = tinted(*image, [](std::size_t region) { return region == 1 ? Ink{1, 0, 0, 0.5} : Ink{0, 0, 1}; });
  REQUIRE(rgba.size() == 4 * image->coverage.size());
  const auto at = [&](double x, double y) {
    const auto pixel = static_cast<std::size_t>((image->top + static_cast<int>(100 * y)) * image->width + image->left +
                                                static_cast<int>(100 * x));
    return std::vector<int>(rgba.begin() + static_cast<long>(4 * pixel),
                            rgba.begin() + static_cast<long>(4 * pixel) + 4);
  };
  CHECK(at(0.4, 0.5) == std::vector{255, 0, 0, 128});
  CHECK(at(0.3, 0.88) == std::vector{0, 0, 255, 255});
  CHECK(at(0.58, 0.5)[3] == 0);
}

TEST_CASE("formulas read as plain text") {
  CHECK(plain_formula("\\operatorname{softmax}(q\\,k^\\top / \\sqrt{d'})") == "softmax(q kᵀ / √d′)");
  CHECK(plain_formula(tex::q_from_q_input_bias) == "qᵢ = x̃^q_i W_q + b_q");
  CHECK(plain_formula(tex::weights) == "αᵢⱼ = exp(s̃ᵢⱼ − mᵢ)/(Σₜ exp(s̃ᵢₜ − mᵢ)); mᵢ = maxₜ s̃ᵢₜ");
  CHECK(plain_formula(tex::scaled_scores_temperature) == "s̃ᵢⱼ = sᵢⱼ/(τ √d′)");
  CHECK(plain_formula(tex::masked_scores_added) == "ŝᵢⱼ = s̃ᵢⱼ + Mᵢⱼ; Mᵢⱼ = { Aᵢⱼ where visible; −∞ where hidden }");
  CHECK(plain_formula(tex::concat) == "cᵢ = [o¹ᵢ; o²ᵢ; …; oᴹᵢ]");
  CHECK(plain_formula(tex::ffn_norm) ==
        "ȳ_ic = γ_c (y_ic − μᵢ)/√(σ²ᵢ + ε) + β_c; μᵢ = 1/d Σ_c y_ic; σ²ᵢ = 1/d Σ_c (y_ic − μᵢ)²");
}

TEST_CASE("plain text takes anything") {
  CHECK(plain_formula("").empty());
  CHECK(plain_formula("\\softmax x") == "softmax x");
  for (const char* broken : {"\\", "{", "}", "}}}{", "\\frac", "\\frac{a", "x_", "x^", "\\hl{q", "\\hl", "\\begin",
                             "\\text{a", "_^_^", "\\sqrt", "\xF0\x9F", "a_\xE2"})
    plain_formula(broken);
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\\frac{x_";
  CHECK_FALSE(plain_formula(deep).empty());
}

// Pastes what the window would show: coverage, tinted by region.
void paste(cairo_surface_t* page, const Formula& formula, int x, int baseline, double em) {
  const auto image = rasterise(formula, em);
  REQUIRE(image);
  const auto rgba = tinted(*image, [&](std::size_t region) { return ink_of_id(formula.regions[region].id); });
  unsigned char* pixels = cairo_image_surface_get_data(page);
  for (int row = 0; row < image->height; ++row)
    for (int column = 0; column < image->width; ++column) {
      const std::uint8_t* from = &rgba[static_cast<std::size_t>(4 * (row * image->width + column))];
      unsigned char* to = pixels + (baseline - image->baseline + row) * cairo_image_surface_get_stride(page) +
                          4 * (x - image->left + column);
      for (const int channel : {0, 1, 2})
        to[2 - channel] =
            static_cast<unsigned char>((to[2 - channel] * (255 - from[3]) + from[channel] * from[3]) / 255);
    }
}

// Pages to be looked at: every formula as paths, and again as tinted pixels.
TEST_CASE("contact sheets can be drawn") {
  const double em = 22;
  const int width = 1230, row = 148, rows = 13;
  for (const bool pixels : {false, true}) {
    cairo_surface_t* page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, row * rows);
    cairo_t* cairo = cairo_create(page);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    int x = 20, y = 84;
    for (const auto& [name, latex] : constants_of(text_of(source / "engine/variants/multi_head_formulas.h"))) {
      const Formula* formula = book().find(latex);
      INFO(latex);
      REQUIRE(formula != nullptr);
      if (x + formula->width * em > width - 20) x = 20, y += row;
      REQUIRE(y < row * rows);
      const auto ink = [&](std::size_t region) { return ink_of_id(formula->regions[region].id); };
      if (pixels)
        paste(page, *formula, x, y, em);
      else
        draw(cairo, *formula, x, y, em, ink);
      x += static_cast<int>((formula->width + 2) * em);
    }
    cairo_destroy(cairo);
    cairo_surface_mark_dirty(page);
    CHECK(cairo_surface_write_to_png(page, pixels ? "formulas_pixels.png" : "formulas_paths.png") ==
          CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(page);
  }
}
