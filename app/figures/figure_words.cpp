// What is said of a figure, and its numbers as text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "app/figures/figure_of.h"
#include "app/page/notes.h"
#include "app/reading/greatest.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The same but for how single precision rounds.
bool is_same(float value, float other) {
  return std::isfinite(value) && std::abs(value - other) <= 2e-6F * std::abs(other);
}

// Whether all cells are the same but for how single precision rounds.
bool is_even(const MatrixView& cells, float value) {
  for (Index r = 0; r < cells.rows; ++r)
    for (Index c = 0; c < cells.columns; ++c)
      if (std::isfinite(cells.at(r, c)) && !is_same(cells.at(r, c), value)) return false;
  return true;
}

// As value_text has it, and with as many more digits as it takes where that would say a whole number which it is not:
// 0.99991 is not 1.
std::string exact_value_text(float value) {
  std::string text = value_text(value);
  const auto is_whole = [](float x) { return std::abs(x - std::round(x)) <= 2e-7F * std::max(1.0F, std::abs(x)); };
  if (is_whole(value) || text.find_first_of(".eE⁻") != std::string::npos) return text;
  for (int digits = 3; digits < 8; ++digits) {
    text = fmt::format("{:.{}f}", std::abs(value), digits);
    if (std::strtod(text.c_str(), nullptr) != std::round(std::abs(value))) break;
  }
  return (value < 0 ? "−" : "") + text;
}

// Whether what a token does with itself hides what it does with others: the numbers named are then off the diagonal.
bool skips_diagonal(const Figure& figure) {
  if (figure.row_axis.role != Role::query || figure.column_axis.role != Role::key) return false;
  return std::ranges::any_of(figure.panels, [](const Panel& panel) {
    const MatrixView& cells = panel.cells;
    const bool pairs = panel.kind == PanelKind::map || panel.kind == PanelKind::lines;
    if (!pairs || cells.rows != cells.columns || cells.rows < 2) return false;
    const Greatest all = greatest_of(cells, false), off = greatest_of(cells, true);
    return off.found && std::abs(off.value) < std::abs(all.value) && std::abs(off.value) > std::abs(all.value) / 4;
  });
}

// “cat”, and where it is where there are several: “the” (5).
std::string label_at(const std::vector<std::string>& labels, Index position, Index first) {
  if (position >= static_cast<Index>(labels.size())) return signed_text(first + position);
  const std::string& label = labels[static_cast<std::size_t>(position)];
  return std::ranges::count(labels, label) > 1 ? fmt::format("“{}” ({})", label, position) : fmt::format("“{}”", label);
}

// "21, 13" of a cell of a picture, or of the block of cells that a pooled key is.
std::string place_on_picture(const Panel& panel, Index row, Index column) {
  const Index down = panel.place.row + row * panel.place.block_rows,
              across = panel.place.column + column * panel.place.block_columns;
  const bool inside = panel.kind != PanelKind::picture || (down >= 0 && across >= 0 && down < panel.picture_grid.rows &&
                                                           across < panel.picture_grid.columns);
  return fmt::format("{}, {}{}", signed_text(down), signed_text(across), inside ? "" : ", outside the picture");
}

// "14 (1, 2)": what stands at the side of the map, and where that lies.
std::string with_place(const std::string& label, const std::string& place) {
  return place.empty() || place == label ? label : fmt::format("{} ({})", label, place);
}

std::string place_in_words(const Figure& figure, const Panel& panel, const Greatest& cell) {
  const std::string &rows = figure.row_axis.name, &columns = figure.column_axis.name;
  const auto [row_place, column_place] =
      panel.places ? panel.places(cell.row, cell.column) : std::pair<std::string, std::string>();
  const bool picture = panel.kind == PanelKind::picture || (rows == "row" && columns == "column");
  if (picture) return column_place.empty() ? place_on_picture(panel, cell.row, cell.column) : column_place;
  const bool by_place = panel.other_keys && panel.kind == PanelKind::bars;
  const std::string column_label = label_at(panel.column_labels, cell.column, panel.first_column);
  const std::string column = fmt::format("{} {}", columns.empty() ? "column" : columns,
                                         by_place ? column_place : with_place(column_label, column_place));
  if (panel.kind == PanelKind::bars) return column;
  return fmt::format("{} {}, {}", rows.empty() ? "row" : rows,
                     with_place(label_at(panel.row_labels, cell.row, panel.first_row), row_place), column);
}

Extent extent_of(const Figure& figure) {
  Extent all;
  for (const Panel& panel : figure.panels) all = united(all, extent_of(panel.cells));
  return all;
}

std::string name_of(const Panel& panel) {
  if (panel.title.empty()) return panel.mark.empty() ? std::string() : fmt::format("({})", panel.mark);
  return panel.mark.empty() ? panel.title : fmt::format("({}) {}", panel.mark, panel.title);
}

namespace {

const char* scale_subject(const Figure& figure) {
  if (figure.panels.size() > 1) return "All panels share one";
  switch (figure.panels.front().kind) {
    case PanelKind::bars:
      return "The bars stand on a";
    case PanelKind::lines:
      return "The lines' strength is on a";
    default:
      return "The colours run on a";
  }
}

}  // namespace

std::string scale_in_words(const Figure& figure) {
  const auto range_of = [&](const Panel& panel) { return panel.range.value_or(figure.range); };
  const ValueRange range = range_of(figure.panels.front());
  if (std::ranges::any_of(figure.panels, [&](const Panel& panel) { return range_of(panel) != range; }))
    return "Scales differ from panel to panel; each has its bar.";
  if (range.spacing == Spacing::row_max) return "Each row is scaled to its own greatest number.";
  const bool logarithmic = range.spacing == Spacing::logarithmic;
  const std::string text =
      fmt::format("{} {} scale from {} to {}", scale_subject(figure), logarithmic ? "logarithmic" : "linear",
                  value_text(range.low), value_text(range.high));
  if (is_clipped(figure)) return text + "; numbers beyond it are drawn as its ends.";
  const bool below = logarithmic && extent_of(figure).least < range.low;
  return text + (below ? "; smaller numbers are drawn as its lower end." : ".");
}

// As softmax leaves them: every row of every panel adds up to 1, but for those in which nothing is visible.
bool rows_add_up(const Figure& figure) {
  const bool pairs = figure.row_axis.role == Role::query && figure.column_axis.role == Role::key;
  if (figure.quantity != "weight" || !pairs) return false;
  return std::ranges::all_of(figure.panels, [](const Panel& panel) {
    for (Index r = 0; r < panel.cells.rows; ++r) {
      double sum = 0;
      for (Index c = 0; c < panel.cells.columns; ++c)
        if (!is_masked(panel.cells.at(r, c))) sum += static_cast<double>(panel.cells.at(r, c));
      if (!(std::abs(sum - 1) < 1e-3)) return false;
    }
    return true;
  });
}

// "queries", or of somebody's own word “source”.
std::string plural(const AxisName& axis, const char* otherwise) {
  if (axis.by_hand && !axis.name.empty()) return fmt::format("“{}”", axis.name);
  return headlight::plural(axis.name.empty() ? std::string(otherwise) : axis.name);
}

std::string counted(Index count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool same_size(const Figure& figure) {
  const MatrixView& first = figure.panels.front().cells;
  return std::ranges::all_of(figure.panels, [&](const Panel& panel) {
    return panel.cells.rows == first.rows && panel.cells.columns == first.columns;
  });
}

// ", for the query at 2, 4": whose keys a map of a picture's rows and columns shows; empty of other maps.
std::string asker_in_words(const Figure& figure) {
  if (figure.query.empty()) return "";
  return fmt::format(", {} {}", figure.query.starts_with("its ") ? "each for" : "for", figure.query);
}

// What rows and columns are, or what stands for them.
std::string shape_in_words(const Figure& figure) {
  const Panel& first = figure.panels.front();
  const MatrixView& cells = first.cells;
  const std::string rows = figure.row_axis.name, columns = figure.column_axis.name;
  switch (first.kind) {
    case PanelKind::picture:
      if (!figure.key.empty() && figure.quantity == "weight")
        return fmt::format(" Colour shows how strongly each place of the picture looks at {}. Places are row, column.",
                           figure.key);
      if (figure.query.empty())
        return fmt::format(" Colour shows the {} at each place of the picture. Places are row, column.",
                           figure.quantity);
      if (figure.quantity == "weight")
        return fmt::format(" Colour shows how strongly {} looks at each place of the picture. Places are row, column.",
                           figure.query);
      return fmt::format(" Colour shows, for {}, the {} of each place of the picture. Places are row, column.",
                         figure.query, figure.quantity);
    case PanelKind::bars:
      return fmt::format(" Bars are {} over {}.",
                         figure.query.empty() ? "one row" : fmt::format("the row of {}", figure.query),
                         counted(cells.columns, columns, plural(figure.column_axis, "")));
    case PanelKind::lines:
      return fmt::format(
          " Lines go from {} at the left to {} at the right, as strong as their numbers{}; those below a fiftieth of "
          "the "
          "scale are left out.",
          plural(figure.row_axis, "row"), plural(figure.column_axis, "column"),
          figure.panels.front().range.value_or(figure.range).is_signed() ? ", in the scale's other colour below 0"
                                                                         : "");
    case PanelKind::map:
      break;
  }
  if (first.first_row < 0 && first.first_column < 0)
    return fmt::format(" Rows and columns are how far a key lies below and to the right of {}.",
                       figure.query.empty() ? "the query" : figure.query);
  if (rows == "row" && columns == "column" && first.place.block_rows * first.place.block_columns > 1)
    return fmt::format(" Rows and columns are those of {} × {} keys, each of {} × {} places of the picture{}.",
                       cells.rows, cells.columns, first.place.block_rows, first.place.block_columns,
                       asker_in_words(figure));
  if (rows == "row" && columns == "column")
    return fmt::format(" Rows and columns are those of the picture ({} × {}){}.", cells.rows, cells.columns,
                       asker_in_words(figure));
  if (rows.empty() || columns.empty()) return "";
  return fmt::format(" Rows are {} and columns are {}{}{}{}.", plural(figure.row_axis, ""),
                     first.other_keys ? "the places of each one's window" : plural(figure.column_axis, ""),
                     same_size(figure) ? fmt::format(" ({} × {})", cells.rows, cells.columns) : "",
                     rows_add_up(figure) ? ", so every row adds up to 1" : "", asker_in_words(figure));
}

// Its word, else where it lies on the picture.
std::string solid_row_in_words(const Panel& panel) {
  const std::string place = panel.places ? panel.places(*panel.solid_row, 0).first : "";
  return place.empty() ? label_at(panel.row_labels, *panel.solid_row, panel.first_row) : place;
}

// What a frame or a solid line marks, as the first panel that has one.
std::string highlights_in_words(const Figure& figure) {
  for (const Panel& panel : figure.panels) {
    if (panel.kind == PanelKind::lines && panel.solid_row)
      return fmt::format(" The line of {} {} is solid, the others are faint.",
                         figure.row_axis.name.empty() ? "row" : figure.row_axis.name, solid_row_in_words(panel));
    if (panel.highlights.empty() || panel.kind == PanelKind::lines || panel.kind == PanelKind::bars) continue;
    if (panel.kind == PanelKind::picture && panel.highlights.size() < (panel.query_marked ? 2U : 1U))
      continue;  // the query alone, which other words name
    CellPlace cell = panel.highlights.back();
    if (panel.kind == PanelKind::picture) {  // which has its marks on the picture's own grid
      cell.row = (cell.row - panel.place.row) / panel.place.block_rows;
      cell.column = (cell.column - panel.place.column) / panel.place.block_columns;
    }
    const auto place = place_in_words(figure, panel, {cell.row, cell.column, 0, true, 1});
    if (panel.kind != PanelKind::picture) return fmt::format(" The frame marks {}.", place);
    return fmt::format(" The key at {} is framed{}.", place, panel.query_marked ? " too" : "");
  }
  return "";
}

// What is drawn otherwise than by the scale. Lines have no cells.
std::string exceptions_in_words(const Figure& figure) {
  const Extent extent = extent_of(figure);
  const bool cells = figure.panels.front().kind != PanelKind::lines;
  std::string text;
  if (figure.quantity.starts_with("difference")) text += " Numbers above 0 are where the first is greater.";
  if (extent.masked > 0 && cells)
    text += fmt::format(" {} cells are {}.", figure.blank_masked ? "Blank" : "Hatched", figure.masked);
  text += highlights_in_words(figure);
  if (extent.broken > 0)
    text += fmt::format(" {} not a number{}.", counted(extent.broken, "cell is", "cells are"),
                        cells ? ", and crossed out" : "");
  if (skips_diagonal(figure)) text += " Numbers named here lie off the diagonal.";
  return text;
}

// "greatest is 0.9 at query …", or how far from 0 where there are negative ones.
std::string greatest_in_words(const Figure& figure, const Panel& panel, const Greatest& greatest) {
  const Extent extent = extent_of(panel.cells);
  const std::string value = exact_value_text(greatest.value), place = place_in_words(figure, panel, greatest);
  if (extent.finite > 1 && is_even(panel.cells, greatest.value)) return fmt::format("{} everywhere", value);
  const char* kind = extent.least < 0 ? "furthest from 0 is" : "greatest is";
  if (greatest.cells > 1) return fmt::format("{} {} in {} cells, first at {}", kind, value, greatest.cells, place);
  return fmt::format("{} {} at {}", kind, value, place);
}

// "Head 3: greatest is 0.9 at query …."
std::string greatest_sentence(const Figure& figure, const Panel& panel, const Greatest& greatest) {
  const std::string name = name_of(panel);
  std::string words = greatest.found ? greatest_in_words(figure, panel, greatest) : "no number";
  return name.empty() ? capitalized(std::move(words)) + "." : fmt::format("{}: {}.", name, words);
}

// "3 layers × 4 heads"
std::string grid_in_words(const Figure& figure) {
  return fmt::format(
      "{} × {}",
      counted(static_cast<Index>(figure.row_titles.size()), figure.rows_are, headlight::plural(figure.rows_are)),
      counted(figure.grid_columns, figure.columns_are, headlight::plural(figure.columns_are)));
}

}  // namespace

std::string caption_of(const Figure& figure) {
  std::string text = figure.title.empty() ? "Attention" : figure.title;
  if (!figure.rows_are.empty())
    text += ", " + grid_in_words(figure);
  else if (figure.panels.size() > 1)
    text += fmt::format(" in {} panels", figure.panels.size());
  text += fmt::format(".{}{}", shape_in_words(figure), exceptions_in_words(figure));
  // One number, of the panel where it stands out most.
  const bool off_diagonal = skips_diagonal(figure);
  const Panel* best_panel = nullptr;
  Greatest best;
  for (const Panel& panel : figure.panels) {
    const Greatest greatest = greatest_of(panel.cells, off_diagonal);
    if (!greatest.found || (best_panel && !(std::abs(greatest.value) > std::abs(best.value)))) continue;
    best_panel = &panel;
    best = greatest;
  }
  if (best_panel) text += " " + greatest_sentence(figure, *best_panel, best);
  if (!figure.remark.empty()) text += " " + figure.remark;
  return fmt::format("{} {}", text, scale_in_words(figure));
}

std::string alt_of(const Figure& figure) {
  constexpr std::size_t most = 1900;  // bytes; descriptions of figures are asked to stay below 2000 characters
  const Panel& first = figure.panels.front();
  const bool many = figure.panels.size() > 1, off_diagonal = skips_diagonal(figure);
  const bool lines = first.kind == PanelKind::lines, bars = first.kind == PanelKind::bars;
  std::pair<const char*, const char*> kind{"Heatmap", "heatmaps"};
  if (lines) kind = {"Lines", "line plots"};
  if (bars) kind = {"Bar chart", "bar charts"};
  std::string text = many ? fmt::format("Grid of {} {}", figure.panels.size(), kind.second) : kind.first;
  if (!figure.title.empty()) text += fmt::format(" of {}", figure.title);
  if (!figure.rows_are.empty()) text += ", " + grid_in_words(figure);
  if (!same_size(figure))
    text += ", of several sizes";
  else if (bars)
    text += fmt::format(", {}{}", counted(first.cells.columns, "bar", "bars"), many ? " each" : "");
  else
    text += fmt::format(", {} by {}{}", counted(first.cells.rows, "row", "rows"),
                        counted(first.cells.columns, "column", "columns"), many ? " each" : "");
  if (first.kind == PanelKind::picture) text += ", over the picture";
  if (!figure.key.empty() && figure.title.find(figure.key) == std::string::npos)
    text += fmt::format(", of the weights on {}", figure.key);
  if (!figure.query.empty() && figure.title.find(figure.query) == std::string::npos)  // which says it
    text += fmt::format(", for {}", figure.query);
  text += fmt::format(".{} ", exceptions_in_words(figure));
  const std::string end = (figure.remark.empty() ? "" : figure.remark + " ") + scale_in_words(figure);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const std::string line = greatest_sentence(figure, panel, greatest_of(panel.cells, off_diagonal)) + " ";
    if (text.size() + line.size() + end.size() + 24 > most) {
      text += fmt::format("And {} more panels. ", figure.panels.size() - i);
      break;
    }
    text += line;
  }
  return text + end;
}

namespace {

void add_number(std::string& out, float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;  // "inf", "-inf" and "nan" too
  out.append(digits, end);
}

std::string csv_label(const std::vector<std::string>& labels, Index position, Index first) {
  return position < static_cast<Index>(labels.size()) ? csv_field(labels[static_cast<std::size_t>(position)])
                                                      : fmt::format("{}", first + position);
}

}  // namespace

std::string csv_of(const Figure& figure) {
  std::string out;
  for (const Panel& panel : figure.panels) {
    if (!out.empty()) out += "\r\n";
    out += csv_field(figure.panels.size() > 1 ? name_of(panel) : figure.title);
    for (Index c = 0; c < panel.cells.columns; ++c)
      out.append(",").append(csv_label(panel.column_labels, c, panel.first_column));
    out += "\r\n";
    for (Index r = 0; r < panel.cells.rows; ++r) {
      out += csv_label(panel.row_labels, r, panel.first_row);
      for (Index c = 0; c < panel.cells.columns; ++c) {
        out += ",";
        add_number(out, numbers_of(panel).at(r, c));
      }
      out += "\r\n";
    }
  }
  return out;
}

}  // namespace headlight::app
