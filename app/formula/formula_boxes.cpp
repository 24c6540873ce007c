#include "app/formula/formula_boxes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace headlight {

namespace {

constexpr double rounding = 0.003;  // em; fonts give sizes in whole units, the one or the other rounded up
constexpr int most_extenders = 400;

// Of one joint between two parts: overlaps that are allowed.
double most_overlap(const GlyphPart& below, const GlyphPart& above) {
  return std::min({below.end_overlap, above.start_overlap, above.size});
}

std::vector<GlyphPart> repeated(const std::vector<GlyphPart>& parts, int times) {
  std::vector<GlyphPart> all;
  for (const GlyphPart& part : parts) all.insert(all.end(), part.extender ? static_cast<std::size_t>(times) : 1, part);
  return all;
}

double longest_of(const std::vector<GlyphPart>& parts, double least_overlap) {
  double size = parts.empty() ? 0 : least_overlap;
  for (const GlyphPart& part : parts) size += part.size - least_overlap;
  return size;
}

// The share of the overlaps' freedom that brings the parts down to a size.
double overlap_share(const std::vector<GlyphPart>& parts, double least_overlap, double size) {
  double freedom = 0;
  for (std::size_t i = 1; i < parts.size(); ++i)
    freedom += std::max(0.0, most_overlap(parts[i - 1], parts[i]) - least_overlap);
  return freedom > 0 ? std::clamp((longest_of(parts, least_overlap) - size) / freedom, 0.0, 1.0) : 0;
}

struct AlphabetHole {
  char32_t letter;
  MathAlphabet alphabet;
  char32_t instead;
};
// Letters that Unicode had before it had the alphabets.
constexpr AlphabetHole holes[] = {
    {U'h', MathAlphabet::italic, U'ℎ'},       {U'C', MathAlphabet::blackboard, U'ℂ'},
    {U'H', MathAlphabet::blackboard, U'ℍ'},   {U'N', MathAlphabet::blackboard, U'ℕ'},
    {U'P', MathAlphabet::blackboard, U'ℙ'},   {U'Q', MathAlphabet::blackboard, U'ℚ'},
    {U'R', MathAlphabet::blackboard, U'ℝ'},   {U'Z', MathAlphabet::blackboard, U'ℤ'},
    {U'B', MathAlphabet::calligraphic, U'ℬ'}, {U'E', MathAlphabet::calligraphic, U'ℰ'},
    {U'F', MathAlphabet::calligraphic, U'ℱ'}, {U'H', MathAlphabet::calligraphic, U'ℋ'},
    {U'I', MathAlphabet::calligraphic, U'ℐ'}, {U'L', MathAlphabet::calligraphic, U'ℒ'},
    {U'M', MathAlphabet::calligraphic, U'ℳ'}, {U'R', MathAlphabet::calligraphic, U'ℛ'},
};

// Where an alphabet's A, a and 0 are; 0 where it has none of them.
struct AlphabetStart {
  char32_t capitals, smalls, digits;
};
constexpr AlphabetStart alphabet_start(MathAlphabet alphabet) {
  switch (alphabet) {
    case MathAlphabet::italic:
      return {0x1D434, 0x1D44E, 0};
    case MathAlphabet::bold:
      return {0x1D400, 0x1D41A, 0x1D7CE};
    case MathAlphabet::blackboard:
      return {0x1D538, 0x1D552, 0x1D7D8};
    case MathAlphabet::calligraphic:
      return {0x1D49C, 0, 0};
    case MathAlphabet::upright:
      break;
  }
  return {0, 0, 0};
}

char32_t italic_greek(char32_t letter) {
  if (letter >= U'α' && letter <= U'ω') return 0x1D6FC + (letter - U'α');
  constexpr std::pair<char32_t, char32_t> others[] = {{U'∂', 0x1D715}, {U'ϵ', 0x1D716}, {U'ϑ', 0x1D717},
                                                      {U'ϰ', 0x1D718}, {U'ϕ', 0x1D719}, {U'ϱ', 0x1D71A},
                                                      {U'ϖ', 0x1D71B}};
  for (const auto& [upright, italic] : others)
    if (letter == upright) return italic;
  return letter;
}

}  // namespace

char32_t in_alphabet(char32_t letter, MathAlphabet alphabet) {
  for (const AlphabetHole& hole : holes)
    if (hole.letter == letter && hole.alphabet == alphabet) return hole.instead;
  const auto [capitals, smalls, digits] = alphabet_start(alphabet);
  if (capitals && letter >= U'A' && letter <= U'Z') return capitals + (letter - U'A');
  if (smalls && letter >= U'a' && letter <= U'z') return smalls + (letter - U'a');
  if (digits && letter >= U'0' && letter <= U'9') return digits + (letter - U'0');
  return alphabet == MathAlphabet::upright ? letter : italic_greek(letter);
}

void add_box(MathBox& into, MathBox box, double x, double y) {
  for (FormulaShape& shape : box.shapes) {
    shape.at.x += x;
    shape.at.y += y;
    shape.ink = {shape.ink.left + x, shape.ink.top + y, shape.ink.right + x, shape.ink.bottom + y};
  }
  into.height = std::max(into.height, box.height - y);
  into.depth = std::max(into.depth, box.depth + y);
  into.shapes.insert(into.shapes.end(), std::make_move_iterator(box.shapes.begin()),
                     std::make_move_iterator(box.shapes.end()));
}

MathBox rule_box(double width, double thickness, std::size_t region) {
  MathBox box{.width = width, .height = thickness};
  box.shapes.push_back({.region = region,
                        .outline = nullptr,
                        .at = {0, -thickness},
                        .ink = {.left = 0, .top = -thickness, .right = width, .bottom = 0}});
  return box;
}

MathBox GlyphMaker::glyph(unsigned index) const {
  const MathGlyph& glyph = font.glyph(index);
  MathBox box{.width = scale * glyph.advance,
              .height = std::max(0.0, scale * glyph.height),
              .depth = std::max(0.0, scale * glyph.depth),
              .italic = scale * glyph.italic,
              .accent = scale * glyph.accent,
              .simple = true};
  if (glyph.outline->empty()) return box;  // a space
  box.shapes.push_back({.region = region,
                        .outline = glyph.outline,
                        .at = {},
                        .scale = scale,
                        .ink = {.left = scale * glyph.left,
                                .top = -scale * glyph.height,
                                .right = scale * glyph.right,
                                .bottom = scale * glyph.depth},
                        .glyph = index});
  return box;
}

std::optional<MathBox> GlyphMaker::character(char32_t character, MathAlphabet alphabet) const {
  const auto index = font.glyph_of(in_alphabet(character, alphabet));
  if (!index) return std::nullopt;
  return glyph(font.script_form(*index, level));
}

std::optional<MathBox> GlyphMaker::at_least(char32_t character, double height) const {
  const auto index = font.glyph_of(character);
  if (!index) return std::nullopt;
  const double wanted = height / scale;
  const auto variants = font.taller(*index);
  for (const GlyphVariant& variant : variants)
    if (variant.size + rounding >= wanted) return glyph(variant.glyph);
  const auto parts = font.parts(*index);
  if (parts.empty()) return glyph(variants.empty() ? *index : variants.back().glyph);
  const double least_overlap = font.constants().min_connector_overlap;
  std::vector<GlyphPart> all;
  for (int times = 0; times < most_extenders; ++times) {
    all = repeated(parts, times);
    if (longest_of(all, least_overlap) >= wanted) break;
  }
  const double share = overlap_share(all, least_overlap, wanted);
  MathBox made;
  double top = 0;  // of what stands so far, upward from the lower end
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) top -= least_overlap + share * std::max(0.0, most_overlap(all[i - 1], all[i]) - least_overlap);
    MathBox part = glyph(all[i].glyph);
    made.width = std::max(made.width, part.width);
    add_box(made, std::move(part), 0, -scale * (top + font.glyph(all[i].glyph).depth));
    top += all[i].size;
  }
  return made;
}

std::optional<MathBox> GlyphMaker::at_most(char32_t character, double width) const {
  const auto index = font.glyph_of(character);
  if (!index) return std::nullopt;
  unsigned chosen = *index;
  for (const GlyphVariant& variant : font.wider(*index))
    if (scale * variant.size <= width) chosen = variant.glyph;
  return glyph(chosen);
}

MathBox centred(MathBox box, double axis) {
  const double down = (box.height - box.depth) / 2 - axis;
  MathBox made{.width = box.width, .height = box.height - down, .depth = box.depth + down, .italic = box.italic};
  add_box(made, std::move(box), 0, down);
  return made;
}

namespace {

// Lengths that LaTeX's article at 10pt and amsmath set, in em of the formula.
constexpr double strut_height = 0.84, strut_depth = 0.36;  // of a line of text
constexpr double cases_stretch = 1.2;
constexpr double column_gap = 1, pair_gap = 2;
constexpr double line_distance = 1.5, least_line_gap = 0.3, crowded_line_gap = 0.4;  // of gathered and aligned lines

struct Extent {
  double height = 0, depth = 0;
};

std::vector<Extent> extents_of(const std::vector<GridLine>& lines, double stretch) {
  std::vector<Extent> made;
  for (const GridLine& line : lines) {
    Extent extent{stretch * strut_height, stretch * strut_depth};
    for (const MathBox& cell : line.cells)
      extent = {std::max(extent.height, cell.height), std::max(extent.depth, cell.depth)};
    made.push_back(extent);
  }
  return made;
}

std::vector<double> widths_of(const std::vector<GridLine>& lines) {
  std::vector<double> made;
  for (const GridLine& line : lines)
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (made.size() <= i) made.push_back(0);
      made[i] = std::max(made[i], line.cells[i].width);
    }
  return made;
}

// From one baseline to the next.
double distance(Extent upper, Extent lower, bool display) {
  const double touching = upper.depth + lower.height;
  if (!display) return touching;
  return line_distance - touching < least_line_gap ? touching + crowded_line_gap : line_distance;
}

double gap_before(std::size_t column, std::string_view environment) {
  if (column == 0) return 0;
  if (environment != "aligned") return column_gap;
  return column % 2 == 0 ? pair_gap : 0;
}

// The share of a column's free width that is left of a cell.
double share_before(std::size_t column, std::string_view environment) {
  if (environment == "cases") return 0;
  if (environment == "aligned") return column % 2 == 0 ? 1 : 0;
  return 0.5;
}

}  // namespace

bool is_in_display_style(std::string_view environment) {
  return environment == "gathered" || environment == "aligned";
}

MathBox grid_box(std::vector<GridLine> lines, std::string_view environment) {
  const std::vector<double> widths = widths_of(lines);
  const std::vector<Extent> extents = extents_of(lines, environment == "cases" ? cases_stretch : 1);
  MathBox made;
  double y = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (line > 0)
      y += lines[line - 1].gap + distance(extents[line - 1], extents[line], is_in_display_style(environment));
    double x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      x += gap_before(i, environment);
      if (i < lines[line].cells.size()) {
        MathBox& cell = lines[line].cells[i];
        const double left = x + share_before(i, environment) * (widths[i] - cell.width);
        add_box(made, std::move(cell), left, y);
      }
      x += widths[i];
    }
    made.width = x;
  }
  made.height = extents.front().height;
  made.depth = y + extents.back().depth;
  return made;
}

}  // namespace headlight
