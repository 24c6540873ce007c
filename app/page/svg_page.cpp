#include "app/page/formats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "app/page/cells.h"
#include "app/page/notes.h"
#include "engine/core/base64.h"
#include "engine/io/images/png.h"

namespace headlight {

namespace {

// A map with more cells becomes a picture: below, one path a colour is smaller and stays sharp in every program.
constexpr Index most_vector_cells = 20'000;
// A program that smooths pictures in spite of image-rendering blurs one pixel: each cell gets this many, while the
// picture stays under so many pixels.
constexpr Index svg_pixels_per_cell = 16;
constexpr Index most_picture_pixels = 1 << 24;

// To a thousandth of a point, without trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

void write_rect(std::string& svg, const Box& box, std::string_view paint) {
  fmt::format_to(std::back_inserter(svg), "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", number(box.x),
                 number(box.y), number(box.width), number(box.height), paint);
}

// ---- maps

// One path a colour, in cells; crispEdges leaves no seam between neighbours.
void write_merged_cells(std::string& svg, const MapItem& map, const std::vector<CellRun>& runs) {
  std::map<std::string, std::string> paths;
  for (const CellRun& run : runs)
    fmt::format_to(std::back_inserter(paths[hex(run.color)]), "M{} {}h{}v1H{}z", run.column, run.row, run.length,
                   run.column);
  svg += fmt::format("<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({:.9g} {:.9g})\">\n",
                     number(map.box.x), number(map.box.y), map.cell_width(), map.cell_height());
  for (const auto& [color, path] : paths)
    fmt::format_to(std::back_inserter(svg), "<path fill=\"{}\" d=\"{}\"/>\n", color, path);
  svg += "</g>\n";
}

void write_single_cells(std::string& svg, const MapItem& map, const std::vector<CellRun>& runs) {
  svg += "<g shape-rendering=\"crispEdges\">\n";
  for (const CellRun& run : runs) write_rect(svg, box_of(map, run), fmt::format(" fill=\"{}\"", hex(run.color)));
  svg += "</g>\n";
}

Status write_picture(std::string& svg, const MapItem& map, const ColorTable& table) {
  const auto [width, height] = picture_size(map);
  const double cells = static_cast<double>(width) * static_cast<double>(height);
  const auto fits = static_cast<Index>(std::sqrt(static_cast<double>(most_picture_pixels) / cells));
  HL_TRY(const std::string png, encode_png(image_of(map, table, std::clamp<Index>(fits, 1, svg_pixels_per_cell))));
  svg += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" xlink:href=\"data:image/png;base64,",
      number(map.box.x), number(map.box.y), number(map.box.width), number(map.box.height));
  svg += to_base64(png) + "\"/>\n";
  return {};
}

void write_hatching(std::string& svg, const MapItem& map, const std::vector<CellRun>& runs, CellLook look,
                    const std::string& id) {
  if (!any_has(runs, look)) return;
  svg += fmt::format("<clipPath id=\"{}\"><path d=\"", id);
  for (const CellRun& run : runs) {
    if (run.look != look) continue;
    const Box box = box_of(map, run);
    fmt::format_to(std::back_inserter(svg), "M{} {}h{}v{}h{}z", number(box.x), number(box.y), number(box.width),
                   number(box.height), number(-box.width));
  }
  svg += fmt::format("\"/></clipPath>\n<path clip-path=\"url(#{})\" stroke=\"{}\" stroke-width=\"{}\" d=\"", id,
                     hex(hatch_color(look)), number(hatch_width(look)));
  for (const auto& [from, to] : hatching(map.box, look))
    fmt::format_to(std::back_inserter(svg), "M{} {}L{} {}", number(from.x), number(from.y), number(to.x), number(to.y));
  svg += "\"/>\n";
}

Status write_map(std::string& svg, const MapItem& map, const ColorTable& table, std::size_t index) {
  if (map.picture) return write_picture(svg, map, table);
  const std::vector<CellRun> runs = runs_of(map, table);
  if (map.gaps)
    write_single_cells(svg, map, runs);
  else if (map.cells.rows * map.cells.columns <= most_vector_cells)
    write_merged_cells(svg, map, runs);
  else
    HL_CHECK(write_picture(svg, map, table));
  write_hatching(svg, map, runs, CellLook::masked, fmt::format("masked{}", index));
  write_hatching(svg, map, runs, CellLook::broken, fmt::format("broken{}", index));
  return {};
}

// ---- text

// "'Inter', ", or empty: the name must stand in quotation marks, and they must not end in it.
std::string quoted_family(FT_Face face) {
  const std::string name = face->family_name ? face->family_name : "";
  return name.empty() || name.find_first_of("'\\") != std::string::npos ? "" : fmt::format("'{}', ", name);
}

// The font that the page was laid out with, the further ones that its text needed, and what to take where they are not
// installed.
std::string family_list(FT_Face face, const std::string& further) {
  const std::string list = quoted_family(face) + further;
  if (FT_IS_FIXED_WIDTH(face)) return list + "'DejaVu Sans Mono', monospace";
  if (is_serif(face)) return list + "'Latin Modern Roman', 'CMU Serif', 'Times New Roman', serif";
  return list + "Helvetica, Arial, 'DejaVu Sans', sans-serif";
}

std::string_view style_of(FT_Face face) {
  return face->style_name ? face->style_name : "";
}

// Of further fonts of the machine, in the order in which the page has them.
std::string further_families(const Page& page, const FontSet& fonts) {
  std::string list;
  for (const TextItem& text : page.texts)
    for (const Glyph& glyph : text.line.glyphs) {
      if (glyph.face < Face::more) continue;
      const std::string family = quoted_family(fonts.face(glyph.face));
      if (list.find(family) == std::string::npos) list += family;
    }
  return list;
}

std::string style_sheet(const Page& page, const FontSet& fonts) {
  const std::string further = further_families(page, fonts);
  std::string css = "text{white-space:pre}";
  const std::string_view plain = style_of(fonts.face(Face::regular));
  const bool bold = style_of(fonts.face(Face::semibold)) != plain;
  for (const auto& [face, name] : {std::pair(Face::regular, 'r'), {Face::semibold, 's'}, {Face::mono, 'm'}})
    css += fmt::format(".{}{{font-family:{};font-weight:{}}}", name, xml_text(family_list(fonts.face(face), further)),
                       bold && face == Face::semibold ? 600 : 400);
  return css;
}

void write_svg_text(std::string& svg, const TextItem& text) {
  const TextLine& line = text.line;
  // The start of a line from right to left is its right end.
  const Align start = line.right_to_left ? Align::right : Align::left;
  std::string anchor = line.right_to_left ? " direction=\"rtl\"" : "";
  if (text.align != start) anchor += text.align == Align::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  char name = line.face == Face::mono ? 'm' : 'r';
  if (line.face == Face::semibold) name = 's';
  const std::string x = number(text.anchor().x), y = number(text.anchor().y);
  const std::string turn = text.upward ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "";
  fmt::format_to(std::back_inserter(svg), "<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}>{}",
                 name, x, y, number(line.size), hex(text.color), anchor, turn, xml_text(line.shown));
  if (line.shown != line.own) svg += "<title>" + xml_text(line.own) + "</title>";
  svg += "</text>\n";
}

std::string svg_head(const Page& page, const FontSet& fonts, const Figure& figure) {
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" width=\"{0}pt\" height=\"{1}pt\" "
      "viewBox=\"0 0 {0} {1}\" xml:space=\"preserve\" role=\"img\">\n",
      number(page.width), number(page.height));
  svg += "<title>" + xml_text(figure.title.empty() ? "Figure" : figure.title) + "</title>\n";
  if (!figure.description.empty()) svg += "<desc>" + xml_text(figure.description) + "</desc>\n";
  if (!figure.recipe.empty() || figure.time) {
    svg += "<metadata>";
    if (figure.time)
      svg += "<dc:date xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" + iso_time(*figure.time) + "</dc:date>";
    if (!figure.recipe.empty())
      svg += std::string(svg_recipe_begin) + xml_text(figure.recipe) + std::string(svg_recipe_end);
    svg += "</metadata>\n";
  }
  return svg + "<style>" + style_sheet(page, fonts) + "</style>\n";
}

}  // namespace

Result<std::string> svg_of(const Page& page, const FontSet& fonts, const Figure& figure) {
  std::string svg = svg_head(page, fonts, figure);
  if (!page.transparent) write_rect(svg, {0, 0, page.width, page.height}, " fill=\"#ffffff\"");
  for (std::size_t i = 0; i < page.maps.size(); ++i)
    HL_CHECK(write_map(svg, page.maps[i], color_table(page.maps[i].colormap), i));
  for (const FillItem& fill : page.fills) write_rect(svg, fill.box, fmt::format(" fill=\"{}\"", hex(fill.color)));
  for (const LineItem& line : page.lines)
    fmt::format_to(std::back_inserter(svg),
                   "<path d=\"M{} {}L{} {}\" stroke=\"{}\" stroke-width=\"{}\" stroke-opacity=\"{}\"/>\n",
                   number(line.from.x), number(line.from.y), number(line.to.x), number(line.to.y), hex(line.color),
                   number(line.width), number(line.opacity));
  for (const TextItem& text : page.texts) write_svg_text(svg, text);
  return svg + "</svg>\n";
}

}  // namespace headlight
