// A font with a MATH table (OpenType 1.9, "MATH"): its measures of formulas, its glyphs with their outlines, and the
// larger ones of brackets, roots and sums.
//
// Not how a formula is set with them: app/formula/formula.h.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/picture/geometry.h"

struct FT_FaceRec_;

namespace headlight {

// All lengths are in em and y points down.
using OutlinePoint = PointOf<double>;

enum class PathVerb { move, line, cubic, close };

struct PathPart {
  PathVerb verb = PathVerb::move;
  OutlinePoint control1, control2;  // of a cubic
  OutlinePoint to;
};

// Round its own origin on the baseline.
using Outline = std::vector<PathPart>;

// Of any font with so many units in an em; empty where the glyph draws nothing or is a picture.
std::shared_ptr<const Outline> outline_of(FT_FaceRec_* face, unsigned glyph, double units);

struct MathGlyph {
  unsigned index = 0;
  double advance = 0;
  double height = 0, depth = 0;  // of the ink, from the baseline
  double left = 0, right = 0;    // of the ink, from the origin
  double italic = 0;             // how far it leans out at the top
  double accent = 0;             // where an accent's middle stands
  std::shared_ptr<const Outline> outline;
};

// A larger form of a glyph, along the direction it grows in.
struct GlyphVariant {
  unsigned glyph = 0;
  double size = 0;
};

// Of a glyph put together from parts, from the bottom up; extenders come as often as they are needed.
struct GlyphPart {
  unsigned glyph = 0;
  double size = 0;
  double start_overlap = 0, end_overlap = 0;  // at most, with the part before and behind
  bool extender = false;
};

// As the table names them, in em of the size that they are used at.
struct MathConstants {
  double script_scale, script_script_scale;  // of 1
  double display_operator_min_height, axis_height, accent_base_height;
  double subscript_shift_down, subscript_top_max, subscript_baseline_drop_min;
  double superscript_shift_up, superscript_shift_up_cramped, superscript_bottom_min, superscript_baseline_drop_max;
  double sub_superscript_gap_min, superscript_bottom_max_with_subscript, space_after_script;
  double upper_limit_gap_min, upper_limit_baseline_rise_min, lower_limit_gap_min, lower_limit_baseline_drop_min;
  double fraction_numerator_shift_up, fraction_numerator_display_style_shift_up;
  double fraction_denominator_shift_down, fraction_denominator_display_style_shift_down;
  double fraction_numerator_gap_min, fraction_num_display_style_gap_min, fraction_rule_thickness;
  double fraction_denominator_gap_min, fraction_denom_display_style_gap_min;
  double overbar_vertical_gap, overbar_rule_thickness, overbar_extra_ascender;
  double radical_vertical_gap, radical_display_style_vertical_gap, radical_rule_thickness, radical_extra_ascender;
  double min_connector_overlap;
};

// Belongs to one thread at a time, and so do its copies: glyphs are read as they are needed.
class MathFont {
 public:
  // Errors: it cannot be read, or has no MATH table.
  static Result<MathFont> open(const std::filesystem::path& file);

  const MathConstants& constants() const;
  std::optional<unsigned> glyph_of(char32_t character) const;
  // The form that is drawn for scripts (level 1) and scripts of scripts (level 2); itself where it has none.
  unsigned script_form(unsigned glyph, int level) const;
  // Stays where it is as long as the font.
  const MathGlyph& glyph(unsigned index) const;
  // By growing size, the glyph itself among them.
  std::vector<GlyphVariant> taller(unsigned glyph) const;
  std::vector<GlyphVariant> wider(unsigned glyph) const;
  // None where the font has none.
  std::vector<GlyphPart> parts(unsigned glyph) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headlight
