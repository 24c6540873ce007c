// What is said of a figure, and its numbers as text.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/model/figure_of.h"

namespace headlight::app {

namespace {

struct Greatest {
  Index row = 0, column = 0;
  float value = 0;
  bool found = false;
};

Index finite_in_row(const MatrixView& cells, Index row) {
  Index count = 0;
  for (Index c = 0; c < cells.columns; ++c) count += std::isfinite(cells.at(row, c)) ? 1 : 0;
  return count;
}

// The number that stands out most. A row with a single visible key says nothing, nor does what a token does with
// itself, where there is anything else.
Greatest greatest_of(const MatrixView& cells) {
  Greatest best, of_all;
  const bool square = cells.rows == cells.columns && cells.rows > 1;
  for (Index r = 0; r < cells.rows; ++r) {
    const bool open = cells.columns == 1 || finite_in_row(cells, r) > 1;
    for (Index c = 0; c < cells.columns; ++c) {
      const float value = cells.at(r, c);
      if (!std::isfinite(value)) continue;
      if (!of_all.found || std::abs(value) > std::abs(of_all.value)) of_all = {r, c, value, true};
      if (!open || (square && r == c)) continue;
      if (!best.found || std::abs(value) > std::abs(best.value)) best = {r, c, value, true};
    }
  }
  return best.found ? best : of_all;
}

std::string label_at(const std::vector<std::string>& labels, Index position, Index first) {
  return position < static_cast<Index>(labels.size())
             ? fmt::format("“{}”", labels[static_cast<std::size_t>(position)])
             : fmt::format("{}{}", first + position < 0 ? "−" : "", std::abs(first + position));
}

// "21, 13" of a cell of a picture, or of the block of cells that a pooled key is.
std::string place_on_picture(const Panel& panel, Index row, Index column) {
  return fmt::format("{}, {}", panel.place.row + row * panel.place.block_rows,
                     panel.place.column + column * panel.place.block_columns);
}

std::string cell_in_words(const Figure& figure, const Panel& panel, const Greatest& cell) {
  if (panel.kind == PanelKind::picture)
    return fmt::format("{} at {}", value_text(cell.value), place_on_picture(panel, cell.row, cell.column));
  const std::string row = figure.row_axis.name.empty() ? "row" : figure.row_axis.name,
                    column = figure.column_axis.name.empty() ? "column" : figure.column_axis.name;
  return fmt::format("{} at {} {}, {} {}", value_text(cell.value), row,
                     label_at(panel.row_labels, cell.row, panel.first_row), column,
                     label_at(panel.column_labels, cell.column, panel.first_column));
}

bool has_masked(const Figure& figure) {
  return std::ranges::any_of(figure.panels, [](const Panel& panel) { return extent_of(panel.cells).masked > 0; });
}

std::string name_of(const Panel& panel) {
  if (panel.title.empty()) return panel.mark.empty() ? std::string() : fmt::format("({})", panel.mark);
  return panel.mark.empty() ? panel.title : fmt::format("({}) {}", panel.mark, panel.title);
}

std::string scale_in_words(const Figure& figure) {
  const auto spacing = [](const ValueRange& range) {
    return range.spacing == Spacing::logarithmic ? "logarithmic" : "linear";
  };
  if (figure.panels.front().range && figure.panels.size() > 1) return "Each panel has a scale of its own.";
  const ValueRange& range = figure.panels.front().range.value_or(figure.range);
  if (range.spacing == Spacing::row_max) return "Each row is scaled to its own greatest number.";
  return fmt::format("{} {} scale from {} to {}.",
                     figure.panels.size() > 1 ? "All panels share one" : "The colours run on one", spacing(range),
                     value_text(range.low), value_text(range.high));
}

bool rows_add_up(const Figure& figure) {
  return figure.quantity == "weight" && figure.row_axis.role == Role::query && figure.column_axis.role == Role::key;
}

}  // namespace

std::string caption_of(const Figure& figure) {
  const Panel& first = figure.panels.front();
  std::string text = figure.title.empty() ? "Attention" : figure.title;
  if (figure.panels.size() > 1) text += fmt::format(" in {} panels", figure.panels.size());
  text += ".";
  if (first.kind == PanelKind::picture) {
    text += " Colour shows how strongly the query looks at each place of the picture";
    for (const Panel& panel : figure.panels)
      if (!panel.highlights.empty()) {
        text += fmt::format("; the query is at {}, {} (blue)", panel.highlights[0].row, panel.highlights[0].column);
        break;
      }
    text += ". Places are row, column.";
  } else if (first.first_row < 0) {
    text += " Rows and columns are how far a key lies below and to the right of the query.";
  } else if (!figure.row_axis.name.empty() && !figure.column_axis.name.empty())
    text += fmt::format(" Rows are {} positions and columns are {} positions ({} × {}){}.", figure.row_axis.name,
                        figure.column_axis.name, first.cells.rows, first.cells.columns,
                        rows_add_up(figure) ? ", so every row adds up to 1" : "");
  if (figure.quantity.starts_with("difference")) text += " Numbers above 0 are where the first is greater.";
  if (has_masked(figure)) text += fmt::format(" Hatched cells are {}.", figure.masked);
  // One number, of the panel where it stands out most.
  const Panel* told = nullptr;
  Greatest best;
  for (const Panel& panel : figure.panels) {
    const Greatest greatest = greatest_of(panel.cells);
    if (!greatest.found || (told && !(std::abs(greatest.value) > std::abs(best.value)))) continue;
    told = &panel;
    best = greatest;
  }
  if (told) {
    const std::string name = name_of(*told);
    const std::string cell = cell_in_words(figure, *told, best);
    text +=
        name.empty() ? fmt::format(" The greatest number is {}.", cell) : fmt::format(" {}: greatest {}.", name, cell);
  }
  return fmt::format("{} {}", text, scale_in_words(figure));
}

std::string alt_of(const Figure& figure) {
  constexpr std::size_t most = 1900;  // bytes; descriptions of figures are asked to stay below 2000 characters
  const Panel& first = figure.panels.front();
  std::string text = figure.panels.size() > 1 ? fmt::format("Grid of {} heatmaps", figure.panels.size()) : "Heatmap";
  if (!figure.title.empty()) text += fmt::format(" of {}", figure.title);
  const bool picture = first.kind == PanelKind::picture;
  text += fmt::format(", {} rows by {} columns{}{}. ", first.cells.rows, first.cells.columns,
                      figure.panels.size() > 1 ? " each" : "", picture ? ", over the picture" : "");
  const std::string end = scale_in_words(figure);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const Greatest greatest = greatest_of(panel.cells);
    const std::string name = name_of(panel);
    const std::string cell = greatest.found ? cell_in_words(figure, panel, greatest) : std::string("none");
    const std::string line =
        name.empty() ? fmt::format("Greatest: {}. ", cell) : fmt::format("{}: greatest {}. ", name, cell);
    if (text.size() + line.size() + end.size() + 24 > most) {
      text += fmt::format("And {} more panels. ", figure.panels.size() - i);
      break;
    }
    text += line;
  }
  return text + end;
}

namespace {

// Quoted where a comma, a quote or a line break asks for it (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out(1, '"');
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

void add_number(std::string& out, float value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;  // "inf", "-inf" and "nan" too
  out.append(digits, end);
}

std::string csv_label(const std::vector<std::string>& labels, Index position, Index first) {
  return position < static_cast<Index>(labels.size()) ? field(labels[static_cast<std::size_t>(position)])
                                                      : fmt::format("{}", first + position);
}

}  // namespace

std::string csv_of(const Figure& figure) {
  std::string out;
  for (const Panel& panel : figure.panels) {
    if (!out.empty()) out += "\r\n";
    out += field(figure.panels.size() > 1 ? name_of(panel) : figure.title);
    for (Index c = 0; c < panel.cells.columns; ++c)
      out.append(",").append(csv_label(panel.column_labels, c, panel.first_column));
    out += "\r\n";
    for (Index r = 0; r < panel.cells.rows; ++r) {
      out += csv_label(panel.row_labels, r, panel.first_row);
      for (Index c = 0; c < panel.cells.columns; ++c) {
        out += ",";
        add_number(out, panel.cells.at(r, c));
      }
      out += "\r\n";
    }
  }
  return out;
}

}  // namespace headlight::app
