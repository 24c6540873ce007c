#include "app/formula/formula.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "app/formula/formula_boxes.h"
#include "app/formula/formula_tree.h"
#include "engine/core/utf8.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

using Kind = FormulaNode::Kind;

// Lengths that TeX's formats set, in em of the formula: plain TeX, LaTeX's article at 10pt and amsmath.
constexpr double null_delimiter = 0.12;                                // beside a fraction, and where \left. stands
constexpr double thin_space = 3.0 / 18;                                // between the dots of an ellipsis
constexpr double delimiter_factor = 0.901, delimiter_shortfall = 0.5;  // of what \left is to cover
constexpr double sized_delimiters[] = {0, 1.2, 1.8, 2.4, 3.0};         // \big, \Big, \bigg, \Bigg
constexpr double sized_slack = 0.02;                                   // the font's own are a little lower

// TeX's styles: D and T are level 0, S 1, SS 2; cramped ones raise superscripts less.
struct Style {
  int level = 0;
  bool display = false, cramped = false;

  Style tight() const { return {level, display, true}; }
  Style above() const { return {std::min(2, level + 1), false, cramped}; }  // superscript
  Style below() const { return above().tight(); }                           // subscript
  Style numerator() const { return display ? Style{0, false, cramped} : above(); }
  Style denominator() const { return numerator().tight(); }
};

// A row's nodes, marks opened.
struct Item {
  const FormulaNode* node;
  std::size_t region;
};

void unwrap_marks(const FormulaNode& row, std::size_t region, std::vector<Item>& items) {
  for (const FormulaNode& node : row.children)
    if (node.kind == Kind::mark)
      unwrap_marks(node.children.front(), node.mark, items);
    else
      items.push_back({&node, region});
}

const FormulaNode* only_child(const FormulaNode& row) {
  return row.kind == Kind::row && row.children.size() == 1 ? &row.children.front() : nullptr;
}

class FormulaSetter {
 public:
  explicit FormulaSetter(const MathFont& font) : font_(font), measures_(font.constants()) {}

  MathBox row(const FormulaNode& row, Style style, bool behind_something = false) {
    std::vector<Item> items;
    unwrap_marks(row, region_, items);
    std::vector<MathClass> classes;
    if (behind_something) classes.push_back(MathClass::ord);
    for (const Item& item : items)
      if (item.node->kind != Kind::space) classes.push_back(item.node->math_class);
    demote_binaries(classes);
    MathBox made;
    const double em = scale(style);
    const std::size_t outside = region_;
    std::size_t next = behind_something ? 1 : 0;
    for (const Item& item : items) {
      region_ = item.region;
      if (item.node->kind == Kind::space) {
        made.width += item.node->width * (item.node->in_style ? em : 1);
        continue;
      }
      if (next > 0) made.width += em * space_between(classes[next - 1], classes[next], style.level > 0);
      append(made, closed(*item.node, style));
      ++next;
    }
    region_ = outside;
    return made;
  }

  const std::optional<char32_t>& missing() const { return missing_; }

 private:
  double scale(Style style) const {
    if (style.level == 0) return 1;
    return style.level == 1 ? measures_.script_scale : measures_.script_script_scale;
  }
  double axis(Style style) const { return scale(style) * measures_.axis_height; }
  GlyphMaker glyphs(Style style) const { return {font_, scale(style), style.level, region_}; }

  static void append(MathBox& row, MathBox box) {
    const double x = row.width;
    row.width += box.width;
    add_box(row, std::move(box), x, 0);
  }

  // What the font lacks is the formula's error, and an empty box meanwhile.
  MathBox found(std::optional<MathBox> box, char32_t character) {
    if (!box && !missing_) missing_ = character;
    return box.value_or(MathBox{});
  }

  // With the room that its lean takes, as something else follows.
  MathBox closed(const FormulaNode& node, Style style) {
    MathBox made = box(node, style);
    made.width += std::exchange(made.italic, 0);
    return made;
  }

  MathBox box(const FormulaNode& node, Style style) {
    switch (node.kind) {
      case Kind::symbol:
        return symbol(node, style);
      case Kind::word:
        return word(node, style);
      case Kind::space:
        return {};
      case Kind::row:
        if (const FormulaNode* one = only_child(node); one && one->math_class == MathClass::ord)
          return box(*one, style);
        return row(node, style);
      case Kind::mark:
        return mark(node, style);
      case Kind::scripts:
        return node.limits && style.display ? limits(node, style) : scripts(node, style);
      case Kind::fraction:
        return fraction(node, style);
      case Kind::root:
        return root(node, style);
      case Kind::accent:
        return accent(node, style);
      case Kind::overline:
        return overline(node, style);
      case Kind::delimiter:
        return delimiter(node.character, sized_delimiters[node.size] - sized_slack, style);
      case Kind::fence:
        return fence(row(node.children.front(), style), node.character, node.closing, style);
      case Kind::grid:
        return grid(node, style);
    }
    return {};
  }

  MathBox mark(const FormulaNode& node, Style style) {
    const std::size_t outside = std::exchange(region_, node.mark);
    const FormulaNode& symbols = node.children.front();
    const FormulaNode* one = only_child(symbols);
    MathBox made = one ? box(*one, style) : row(symbols, style);
    region_ = outside;
    return made;
  }

  MathBox symbol(const FormulaNode& node, Style style) {
    if (node.large) return large_operator(node, style);
    if (node.character == U'…' || node.character == U'⋯') return dots(node.character == U'…' ? U'.' : U'⋅', style);
    return found(glyphs(style).character(node.character, node.alphabet), node.character);
  }

  // As TeX has them, three signs apart; the font's own are closer.
  MathBox dots(char32_t dot, Style style) {
    MathBox made;
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && style.level == 0) made.width += thin_space;
      append(made, found(glyphs(style).character(dot, MathAlphabet::upright), dot));
    }
    return made;
  }

  // Rule 13: larger in display style, its middle on the axis.
  MathBox large_operator(const FormulaNode& node, Style style) {
    const double least = style.display ? measures_.display_operator_min_height : 0;
    return centred(found(glyphs(style).at_least(node.character, least), node.character), axis(style));
  }

  MathBox word(const FormulaNode& node, Style style) {
    MathBox made;
    for (std::string_view rest = node.text; !rest.empty();) {
      const Utf8Step step = utf8_step(rest);
      rest.remove_prefix(step.size);
      MathBox next = found(glyphs(style).character(step.character, MathAlphabet::upright), step.character);
      next.width += std::exchange(next.italic, 0);
      append(made, std::move(next));
    }
    return made;
  }

  // Rule 18.
  MathBox scripts(const FormulaNode& node, Style style) {
    MathBox made = box(node.children[0], style);
    const double em = scale(style), lean = std::exchange(made.italic, 0);
    const bool has_below = !node.children[1].children.empty(), has_above = !node.children[2].children.empty();
    MathBox below = row(node.children[1], style.below()), above = row(node.children[2], style.above());
    double up = made.simple ? 0 : made.height - em * measures_.superscript_baseline_drop_max;
    double down = made.simple ? 0 : made.depth + em * measures_.subscript_baseline_drop_min;
    up = std::max({up, above.depth + em * measures_.superscript_bottom_min,
                   em * (style.cramped ? measures_.superscript_shift_up_cramped : measures_.superscript_shift_up)});
    down = std::max(down, em * measures_.subscript_shift_down);
    if (!has_above) down = std::max(down, below.height - em * measures_.subscript_top_max);
    if (has_above && has_below) part_scripts(up, down, above.depth, below.height, em);
    const double x = made.width;
    made.width = x + em * measures_.space_after_script + std::max(below.width, has_above ? above.width + lean : 0);
    if (has_below) add_box(made, std::move(below), x, down);
    if (has_above) add_box(made, std::move(above), x + lean, -up);
    made.simple = false;
    return made;
  }

  // Rules 18e and 18f.
  void part_scripts(double& up, double& down, double above_depth, double below_height, double em) const {
    const double gap = (up - above_depth) - (below_height - down);
    if (gap >= em * measures_.sub_superscript_gap_min) return;
    down += em * measures_.sub_superscript_gap_min - gap;
    const double raise = em * measures_.superscript_bottom_max_with_subscript - (up - above_depth);
    if (raise <= 0) return;
    up += raise;
    down -= raise;
  }

  // Rule 13a.
  MathBox limits(const FormulaNode& node, Style style) {
    MathBox middle = box(node.children[0], style);
    MathBox below = row(node.children[1], style.below()), above = row(node.children[2], style.above());
    const double em = scale(style), lean = middle.italic;
    MathBox made{.width = std::max({middle.width, below.width, above.width})};
    const auto x = [&](const MathBox& box) { return (made.width - box.width) / 2; };
    const double up =
        middle.height + above.depth +
        std::max(em * measures_.upper_limit_gap_min, em * measures_.upper_limit_baseline_rise_min - above.depth);
    const double down =
        middle.depth + below.height +
        std::max(em * measures_.lower_limit_gap_min, em * measures_.lower_limit_baseline_drop_min - below.height);
    const double x_middle = x(middle), x_above = x(above) + lean / 2, x_below = x(below) - lean / 2;
    add_box(made, std::move(middle), x_middle, 0);
    if (!node.children[1].children.empty()) add_box(made, std::move(below), x_below, down);
    if (!node.children[2].children.empty()) add_box(made, std::move(above), x_above, -up);
    return made;
  }

  // Rule 15.
  MathBox fraction(const FormulaNode& node, Style style) {
    if (node.style != MathStyle::of_place) style = {0, node.style == MathStyle::display, style.cramped};
    MathBox above = row(node.children[0], style.numerator()), below = row(node.children[1], style.denominator());
    const double em = scale(style), bar = em * measures_.fraction_rule_thickness;
    const double over = axis(style) + bar / 2, under = axis(style) - bar / 2;
    const bool display = style.display;
    const double gap_above =
        em * (display ? measures_.fraction_num_display_style_gap_min : measures_.fraction_numerator_gap_min);
    const double gap_below =
        em * (display ? measures_.fraction_denom_display_style_gap_min : measures_.fraction_denominator_gap_min);
    const double up = std::max(
        over + gap_above + above.depth,
        em * (display ? measures_.fraction_numerator_display_style_shift_up : measures_.fraction_numerator_shift_up));
    const double down = std::max(below.height + gap_below - under,
                                 em * (display ? measures_.fraction_denominator_display_style_shift_down
                                               : measures_.fraction_denominator_shift_down));
    const double width = std::max(above.width, below.width);
    MathBox made{.width = width + 2 * null_delimiter};
    const double x_above = null_delimiter + (width - above.width) / 2;
    const double x_below = null_delimiter + (width - below.width) / 2;
    add_box(made, std::move(above), x_above, -up);
    add_box(made, rule_box(width, bar, region_), null_delimiter, -under);
    add_box(made, std::move(below), x_below, down);
    return made;
  }

  // Rule 11.
  MathBox root(const FormulaNode& node, Style style) {
    MathBox inside = row(node.children.front(), style.tight());
    const double em = scale(style), bar = em * measures_.radical_rule_thickness;
    double gap = em * (style.display ? measures_.radical_display_style_vertical_gap : measures_.radical_vertical_gap);
    const double covered = inside.height + inside.depth;
    MathBox sign = found(glyphs(style).at_least(U'√', covered + gap + bar), U'√');
    gap = std::max(gap, (gap + sign.height + sign.depth - bar - covered) / 2);
    const double top = inside.height + gap + bar;
    MathBox made{.width = sign.width + inside.width, .height = top + em * measures_.radical_extra_ascender};
    const double x = sign.width, lower = sign.height - top;
    add_box(made, rule_box(inside.width, bar, region_), x, bar - top);
    add_box(made, std::move(sign), 0, lower);
    add_box(made, std::move(inside), x, 0);
    return made;
  }

  // Rule 12. Scripts stand as if at what is under the accent.
  MathBox accent(const FormulaNode& node, Style style) {
    const FormulaNode& under = node.children.front();
    const FormulaNode* one = only_child(under);
    MathBox made = one ? box(*one, style.tight()) : row(under, style.tight());
    const double em = scale(style), middle = made.simple ? made.accent : made.width / 2;
    MathBox sign = node.large ? found(glyphs(style).at_most(node.character, made.width), node.character)
                              : found(glyphs(style).character(node.character, MathAlphabet::upright), node.character);
    // A widened one is drawn from its own left end, and its middle is where the font says.
    const double x = middle - sign.accent;
    const double up = made.height - std::min(made.height, em * measures_.accent_base_height);
    sign.italic = 0;
    add_box(made, std::move(sign), x, -up);
    made.accent = middle;
    return made;
  }

  // Rule 9.
  MathBox overline(const FormulaNode& node, Style style) {
    MathBox made = row(node.children.front(), style.tight());
    const double em = scale(style), bar = em * measures_.overbar_rule_thickness;
    const double up = made.height + em * measures_.overbar_vertical_gap;
    add_box(made, rule_box(made.width, bar, region_), 0, -up);
    made.height += em * measures_.overbar_extra_ascender;
    return made;
  }

  // Around the axis; 0 is none, which takes a little room.
  MathBox delimiter(char32_t character, double height, Style style) {
    if (character == 0) return MathBox{.width = null_delimiter};
    MathBox made = centred(found(glyphs(style).at_least(character, height), character), axis(style));
    made.italic = 0;
    return made;
  }

  // Rule 19.
  MathBox fence(MathBox inside, char32_t opening, char32_t closing, Style style) {
    const double reach = std::max(inside.height - axis(style), inside.depth + axis(style));
    const double height = std::max(2 * reach * delimiter_factor, 2 * reach - delimiter_shortfall);
    MathBox made;
    append(made, delimiter(opening, height, style));
    append(made, std::move(inside));
    append(made, delimiter(closing, height, style));
    return made;
  }

  MathBox grid(const FormulaNode& node, Style style) {
    const Style inside{style.level, is_in_display_style(node.text), style.cramped};
    std::vector<GridLine> lines;
    for (const FormulaNode& line : node.children) {
      lines.push_back({.cells = {}, .gap = line.width});
      // The second of a pair begins with its sign, which the first stands before.
      for (const FormulaNode& cell : line.children)
        lines.back().cells.push_back(row(cell, inside, node.text == "aligned" && lines.back().cells.size() % 2 == 1));
    }
    MathBox made = centred(grid_box(std::move(lines), node.text), axis(style));
    if (node.text == "cases") return fence(std::move(made), U'{', 0, style);
    if (node.text == "pmatrix") return fence(std::move(made), U'(', U')', style);
    if (node.text == "bmatrix") return fence(std::move(made), U'[', U']', style);
    return made;
  }

  const MathFont& font_;
  const MathConstants& measures_;
  std::size_t region_ = 0;
  std::optional<char32_t> missing_;
};

constexpr FormulaBox empty_box{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void include_box(FormulaBox& box, const FormulaBox& other) {
  box = {std::min(box.left, other.left), std::min(box.top, other.top), std::max(box.right, other.right),
         std::max(box.bottom, other.bottom)};
}

// Boxes of regions, children into parents: a parent stands before its children, so backwards.
Status find_regions(Formula& formula, const FormulaTree& tree) {
  for (const FormulaMark& mark : tree.marks) formula.regions.push_back({mark.id, mark.parent, empty_box});
  for (const FormulaShape& shape : formula.shapes) include_box(formula.regions[shape.region].box, shape.ink);
  for (std::size_t i = formula.regions.size(); i-- > 0;) {
    const FormulaRegion& region = formula.regions[i];
    if (region.box.width() < 0)
      return i == 0 ? fail("formula: there is nothing to be seen in it")
                    : fail("formula: \\hl{{{}}} marks nothing that can be seen", one_line(region.id));
    if (i > 0) include_box(formula.regions[region.parent].box, region.box);
  }
  return {};
}

}  // namespace

Result<Formula> lay_out_formula(const FormulaTree& tree, const MathFont& font) {
  FormulaSetter setter(font);
  MathBox box = setter.row(tree.root, {.display = true});
  if (const auto missing = setter.missing()) {
    std::string character;
    append_utf8(character, *missing);
    return fail("formula: the font has no {} (U+{:04X})", character, static_cast<unsigned>(*missing));
  }
  Formula made{.width = box.width, .height = box.height, .depth = box.depth, .shapes = std::move(box.shapes)};
  for (FormulaShape& shape : made.shapes) {
    shape.at.y += made.height;
    shape.ink.top += made.height;
    shape.ink.bottom += made.height;
  }
  HL_CHECK(find_regions(made, tree));
  return made;
}

Result<Formula> typeset(std::string_view latex, const MathFont& font) {
  HL_TRY(const FormulaTree tree, parse_formula(latex));
  return lay_out_formula(tree, font);
}

namespace {

// From a point to the nearest of a box; 0 inside it.
double distance(const FormulaBox& box, OutlinePoint p) {
  return std::hypot(std::max({box.left - p.x, 0.0, p.x - box.right}), std::max({box.top - p.y, 0.0, p.y - box.bottom}));
}

}  // namespace

std::size_t Formula::region_at(OutlinePoint point, double margin) const {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = regions.size(); i-- > 1;) {  // backwards: of boxes equally near, the innermost
    const double away = distance(regions[i].box, point);
    if (away > margin || away >= least) continue;
    nearest = i;
    least = away;
  }
  return nearest;
}

}  // namespace headlight
