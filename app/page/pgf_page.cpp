#include "app/page/formats.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "app/page/cells.h"
#include "app/page/notes.h"
#include "app/page/pgf_text.h"
#include "engine/base/words.h"
#include "engine/io/images/png.h"

namespace headlight {

namespace {

// pdflatex takes about two seconds for so many cells, and its memory ends at about twice as many.
constexpr Index most_cells = 5'000;
constexpr int colormap_stops = 64;  // every 16th entry of the table

// To a thousandth of a point; "bp" is the point of 1/72 inch.
std::string at(double x, double y) {
  return fmt::format("({:.3f}bp,{:.3f}bp)", x, -y);
}

std::string rectangle(const Box& box) {
  return at(box.x, box.y) + " rectangle " + at(box.x + box.width, box.y + box.height);
}

std::string rgb255(Color color) {
  return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", color.r, color.g, color.b);
}

std::string font(const TextLine& line) {
  return fmt::format("\\fontsize{{{0:.2f}bp}}{{{0:.2f}bp}}\\selectfont{1}", line.size,
                     line.face == Face::semibold ? "\\bfseries" : "");
}

// ---- the file's head

// Between both names stands what a file of its own has before its figure; a paper that takes it by \input passes over
// it. Class article on paper of the figure's size: class standalone, made for it, is in none of TeX Live's smaller
// sets.
constexpr std::string_view preamble = R"(\let\hlbegin\relax
\expandafter\ifx\csname @nodocument\endcsname\relax
  \long\def\hlpreamble#1\hlbegin{}%
  \let\hlend\relax
\else
  \let\hlpreamble\relax
  \def\hlend{\end{document}}%
\fi
\hlpreamble
\documentclass{article}
\usepackage{iftex}
\usepackage{pgfplots}
\pgfplotsset{compat=1.16}
\ifPDFTeX
  \IfFileExists{cmap.sty}{\usepackage{cmap}}{}
  \IfFileExists{t2aenc.def}{\usepackage[T2A,T1]{fontenc}}{\usepackage[T1]{fontenc}}
  \usepackage{lmodern}
\else
  \usepackage{fontspec}
\fi
)";

// What the figure itself takes, alone or in a paper, gone with its group. A file that is read from a folder has its
// data there.
constexpr std::string_view begin = R"(\hlbegin
\ifdefined\pgfplotsset\else\errmessage{This figure needs \string\usepackage{pgfplots} before \string\begin{document}}\endinput\fi
\begingroup
\def\hlpath{}%
\ifdefined\CurrentFilePath\ifx\CurrentFilePath\hlpath\else\edef\hlpath{\CurrentFilePath/}\fi\fi
)";

// Text is measured in the letters that Latin Modern has for 10 points; those that LaTeX takes at 5 points are a third
// wider.
constexpr std::string_view serif_letters = R"(\def\hlfamily{cmr}%
\ifdefined\Umathcode
  \ifdefined\fontspec
    \IfFontExistsTF{lmroman10-regular.otf}{\fontspec{lmroman10-regular.otf}[BoldFont=lmroman10-bold.otf]}{}%
  \fi
\else
  \DeclareFontFamily{T1}{hlm}{}%
  \DeclareFontShape{T1}{hlm}{m}{n}{<-> ec-lmr10}{}%
  \DeclareFontShape{T1}{hlm}{b}{n}{<-> ec-lmbx10}{}%
  \DeclareFontShape{T1}{hlm}{bx}{n}{<-> ec-lmbx10}{}%
  \fontencoding{T1}\fontfamily{hlm}\fontseries{m}\fontshape{n}\selectfont
\fi
)";
constexpr std::string_view sans_letters = R"(\def\hlfamily{cmss}%
\ifdefined\Umathcode\else\fontencoding{T1}\fi\fontfamily{lmss}\fontseries{m}\fontshape{n}\selectfont
)";

std::string one_line_of(const std::string& text) {
  std::string line = sanitized(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

// TeX's names are letters.
std::string name_of(Colormap colormap) {
  std::string name = "hl";
  for (const char c : to_string(colormap))
    if (c != '_') name.push_back(c);
  return name;
}

void write_colormap(std::string& tex, Colormap colormap) {
  const ColorTable table = color_table(colormap);
  tex += fmt::format("\\pgfplotsset{{colormap={{{}}}{{", name_of(colormap));
  for (int i = 0; i < colormap_stops; ++i) {
    const Color color = table[static_cast<std::size_t>(i * (color_table_size - 1) / (colormap_stops - 1))];
    tex += fmt::format("{}rgb255=({},{},{})", i % 6 == 0 ? "\n  " : " ", color.r, color.g, color.b);
  }
  tex += "}}%\n";
}

std::string head_of(const Page& page, const FontSet& fonts, const Figure& figure, const std::string& glyphs) {
  std::string tex(tex_begin);
  tex += "% In a paper: \\usepackage{pgfplots} before \\begin{document}, and \\input this file where it is to stand.\n";
  if (!figure.title.empty()) tex += "% Title: " + one_line_of(figure.title) + "\n";
  if (!figure.description.empty()) tex += "% Description: " + one_line_of(figure.description) + "\n";
  if (figure.time) tex += "% Date: " + iso_time(*figure.time) + "\n";
  if (!figure.recipe.empty()) tex += std::string(tex_recipe_begin) + one_line_of(figure.recipe) + "\n";
  tex += preamble;
  tex +=
      fmt::format("\\usepackage[papersize={{{:.3f}bp,{:.3f}bp}}, margin=0pt]{{geometry}}\n", page.width, page.height);
  tex += "\\pagestyle{empty}\n\\setlength{\\parindent}{0pt}\n\\setlength{\\topskip}{0pt}\n\\begin{document}\n";
  tex += begin;
  tex += latex_line_commands;
  tex += is_serif(fonts.face(Face::regular)) ? serif_letters : sans_letters;
  tex += glyphs;
  std::set<Colormap> used;
  for (const MapItem& map : page.maps)
    if (used.insert(map.colormap).second) write_colormap(tex, map.colormap);
  tex += "\\begin{tikzpicture}\n";
  const Box whole{0, 0, page.width, page.height};
  if (!page.transparent) tex += "\\fill[white] " + rectangle(whole) + ";\n";
  return tex + "\\useasboundingbox " + rectangle(whole) + ";\n";
}

// ---- maps

std::string data_of(const MapItem& map) {
  std::string data = "x y value\n";
  for (Index row = 0; row < map.cells.rows; ++row)
    for (Index column = 0; column < map.cells.columns; ++column) {
      const float value = map.cells.at(row, column);
      const bool shown = !is_masked(value) && !is_broken(value);
      fmt::format_to(std::back_inserter(data), "{} {} {}\n", column, row,
                     shown ? fmt::format("{:.6g}", value) : std::string("nan"));
    }
  return data;
}

// "xtick={0,2}, xticklabels={{a},{b}}, …" of the labels along one side of a map; "" where it has none.
std::string ticks_of(const Page& page, std::size_t map, bool of_rows, LatexLines& lines) {
  std::string positions, labels;
  const TextItem* first = nullptr;
  for (const TextItem& text : page.texts) {
    if (!text.label || text.label->map != map || text.label->of_row != of_rows) continue;
    if (!first) first = &text;
    positions += fmt::format("{}{}", positions.empty() ? "" : ",", text.label->position);
    labels += (labels.empty() ? "{" : ",{") + lines.of(text.line) + "}";
  }
  if (!first) return of_rows ? "ytick=\\empty" : "xtick=\\empty";
  const double gap =
      of_rows ? page.maps[map].box.x - first->origin.x - first->line.width : page.maps[map].box.y - first->origin.y;
  return fmt::format(
      "{0}tick={{{1}}}, {0}ticklabels={{{2}}},\n  {0}ticklabel style={{font={3}, text={4}, inner sep=0pt, "
      "outer sep=0pt, {5}}}",
      of_rows ? "y" : "x", positions, labels, font(first->line), rgb255(first->color),
      of_rows ? fmt::format("anchor=mid east, xshift=-{:.2f}bp", gap)
              : fmt::format("rotate=90, anchor=mid west, xshift={:.2f}bp", gap));
}

void write_axis(std::string& tex, const Page& page, std::size_t index, const std::string& plot, LatexLines& lines) {
  const MapItem& map = page.maps[index];
  tex += fmt::format(
      "\\begin{{axis}}[at={{{}}}, anchor=north west, scale only axis, width={:.3f}bp, height={:.3f}bp,\n"
      "  xmin=-0.5, xmax={}.5, ymin=-0.5, ymax={}.5, y dir=reverse, enlargelimits=false, axis on top,\n"
      "  axis line style={{draw=none}}, tick style={{draw=none}}, major tick length=0pt, xticklabel pos=upper,\n"
      "  {},\n  {},\n"
      "  colormap name={}, point meta min={:.9g}, point meta max={:.9g}]\n{}\\end{{axis}}\n",
      at(map.box.x, map.box.y), map.box.width, map.box.height, map.cells.columns - 1, map.cells.rows - 1,
      ticks_of(page, index, false, lines), ticks_of(page, index, true, lines), name_of(map.colormap), map.range.low,
      map.range.high, plot);
}

void write_fills(std::string& tex, const MapItem& map, const std::vector<CellRun>& runs) {
  for (const CellRun& run : runs)
    if (run.look == CellLook::value)
      tex += fmt::format("\\fill[fill={}] {};\n", rgb255(run.color), rectangle(box_of(map, run)));
}

// PGFPlots' cells touch: white lines part them.
void write_gaps(std::string& tex, const MapItem& map) {
  tex += "\\fill[white]";
  for (Index column = 1; column < map.cells.columns; ++column) {
    const double right = map.box.x + static_cast<double>(column) * map.cell_width();
    tex += fmt::format(" {}", rectangle({right - gap_points, map.box.y, gap_points, map.box.height}));
  }
  for (Index row = 1; row < map.cells.rows; ++row) {
    const double bottom = map.box.y + static_cast<double>(row) * map.cell_height();
    tex += fmt::format(" {}", rectangle({map.box.x, bottom - gap_points, map.box.width, gap_points}));
  }
  tex += ";\n";
}

void write_runs(std::string& tex, const MapItem& map, const std::vector<CellRun>& runs, CellLook look) {
  if (!any_has(runs, look)) return;
  std::string path;
  Color ground;
  for (const CellRun& run : runs) {
    if (run.look != look) continue;
    path += "\n  " + rectangle(box_of(map, run));
    ground = run.color;
  }
  tex += fmt::format("\\begin{{scope}}\n\\path[clip, preaction={{fill={}}}]{};\n\\draw[draw={}, line width={:.2f}bp]",
                     rgb255(ground), path, rgb255(hatch_color(look)), hatch_width(look));
  for (const auto& [from, to] : hatching(map.box, look)) tex += "\n  " + at(from.x, from.y) + " -- " + at(to.x, to.y);
  tex += ";\n\\end{scope}\n";
}

Status write_map(std::string& tex, const Page& page, std::size_t index, const std::string& stem, bool picture,
                 LatexLines& lines, std::vector<FigureFile>& files) {
  const MapItem& map = page.maps[index];
  const ColorTable table = color_table(map.colormap);
  const auto picture_plot = [&](Result<std::string> png) -> Result<std::string> {
    if (!png) return png;
    files.push_back({fmt::format("{}.{}.png", stem, index + 1), std::move(*png)});
    return fmt::format("\\addplot graphics[xmin=-0.5, xmax={}.5, ymin=-0.5, ymax={}.5] {{\\hlpath {}}};\n",
                       map.cells.columns - 1, map.cells.rows - 1, files.back().name);
  };
  if (map.picture) {
    HL_TRY(const std::string plot, picture_plot(encode_png(*map.picture)));
    write_axis(tex, page, index, plot, lines);
    return {};
  }
  const std::vector<CellRun> runs = runs_of(map, table);
  const bool any = any_has(runs, CellLook::value);
  // PGFPlots' matrices have two rows and two columns at least.
  const bool matrix = map.cells.rows > 1 && map.cells.columns > 1;
  std::string plot;
  if (any && matrix && picture) {
    HL_TRY(plot, picture_plot(encode_png(image_of(map, table, 1))));
  } else if (any && matrix) {
    files.push_back({fmt::format("{}.{}.dat", stem, index + 1), data_of(map)});
    plot = fmt::format(
        "\\addplot[matrix plot*, mesh/cols={}, mesh/ordering=x varies, point meta=explicit]\n"
        "  table[x=x, y=y, meta=value] {{\\hlpath {}}};\n",
        map.cells.columns, files.back().name);
  } else {
    write_fills(tex, map, runs);
  }
  write_axis(tex, page, index, plot, lines);
  if (map.gaps) write_gaps(tex, map);
  write_runs(tex, map, runs, CellLook::masked);
  write_runs(tex, map, runs, CellLook::broken);
  return {};
}

// ---- text that is no tick's

void write_text(std::string& tex, const TextItem& text, LatexLines& lines) {
  const TextLine& line = text.line;
  if (line.shown.find_first_not_of(' ') == std::string::npos) return;  // LaTeX has no font of size 0, no width of 0
  std::string latex = lines.of(line);
  // The words along a colour bar: LaTeX's small fonts are wider than the large ones that they were laid out in.
  if (text.upward && text.align == Align::middle) latex = fmt::format("\\hlfit{{{:.2f}bp}}{{{}}}", line.width, latex);
  constexpr std::array anchors{"base west", "base", "base east"};
  tex += fmt::format("\\node[anchor={}, inner sep=0pt, outer sep=0pt, text={}, font={}{}] at {} {{{}}};\n",
                     anchors[static_cast<std::size_t>(text.align)], rgb255(text.color), font(line),
                     text.upward ? ", rotate=90" : "", at(text.anchor().x, text.anchor().y), latex);
}

std::string file_stem(const std::string& stem) {
  std::string safe = stem.substr(stem.find_last_of('/') + 1);
  for (char& c : safe) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
    if (!plain) c = '-';
  }
  return safe;
}

}  // namespace

Result<std::vector<FigureFile>> pgf_of(const Page& page, const FontSet& fonts, const Figure& figure,
                                       const std::string& stem) {
  std::vector<FigureFile> files{{stem + ".tex", {}}};
  LatexLines lines(fonts);
  std::string tex;
  Index cells = 0;
  for (const MapItem& map : page.maps) cells += map.cells.rows * map.cells.columns;
  for (std::size_t i = 0; i < page.maps.size(); ++i)
    HL_CHECK(write_map(tex, page, i, file_stem(stem), cells > most_cells, lines, files));
  for (const FillItem& fill : page.fills)
    tex += fmt::format("\\fill[fill={}] {};\n", rgb255(fill.color), rectangle(fill.box));
  for (const LineItem& line : page.lines)
    tex += fmt::format("\\draw[draw={}, line width={:.2f}bp, opacity={:.3f}] {} -- {};\n", rgb255(line.color),
                       line.width, line.opacity, at(line.from.x, line.from.y), at(line.to.x, line.to.y));
  for (const TextItem& text : page.texts)
    if (!text.label) write_text(tex, text, lines);
  files[0].bytes = head_of(page, fonts, figure, lines.glyphs()) + tex + "\\end{tikzpicture}%\n\\endgroup\n\\hlend\n";
  return files;
}

}  // namespace headlight
