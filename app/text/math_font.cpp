#include "app/text/math_font.h"

#include <ft2build.h>
#include <hb-ot.h>

#include <algorithm>
#include <map>

#include "app/text/shaping.h"
#include "engine/core/system/paths.h"
#include FT_FREETYPE_H
#include FT_OUTLINE_H

namespace headlight {

struct MathFont::State {
  std::shared_ptr<FT_LibraryRec_> library;
  std::shared_ptr<FT_FaceRec_> face;
  std::shared_ptr<hb_font_t> font;  // its lengths are units
  std::shared_ptr<hb_set_t> script_lookups;
  double units = 0;  // of an em
  MathConstants constants{};
  std::map<unsigned, MathGlyph> glyphs;  // that were asked for

  double em(hb_position_t length) const { return length / units; }
};

namespace {

// Which constant of the table is which of ours.
struct Constant {
  hb_ot_math_constant_t name;
  double MathConstants::*value;
};
constexpr Constant lengths[] = {
    {HB_OT_MATH_CONSTANT_DISPLAY_OPERATOR_MIN_HEIGHT, &MathConstants::display_operator_min_height},
    {HB_OT_MATH_CONSTANT_AXIS_HEIGHT, &MathConstants::axis_height},
    {HB_OT_MATH_CONSTANT_ACCENT_BASE_HEIGHT, &MathConstants::accent_base_height},
    {HB_OT_MATH_CONSTANT_SUBSCRIPT_SHIFT_DOWN, &MathConstants::subscript_shift_down},
    {HB_OT_MATH_CONSTANT_SUBSCRIPT_TOP_MAX, &MathConstants::subscript_top_max},
    {HB_OT_MATH_CONSTANT_SUBSCRIPT_BASELINE_DROP_MIN, &MathConstants::subscript_baseline_drop_min},
    {HB_OT_MATH_CONSTANT_SUPERSCRIPT_SHIFT_UP, &MathConstants::superscript_shift_up},
    {HB_OT_MATH_CONSTANT_SUPERSCRIPT_SHIFT_UP_CRAMPED, &MathConstants::superscript_shift_up_cramped},
    {HB_OT_MATH_CONSTANT_SUPERSCRIPT_BOTTOM_MIN, &MathConstants::superscript_bottom_min},
    {HB_OT_MATH_CONSTANT_SUPERSCRIPT_BASELINE_DROP_MAX, &MathConstants::superscript_baseline_drop_max},
    {HB_OT_MATH_CONSTANT_SUB_SUPERSCRIPT_GAP_MIN, &MathConstants::sub_superscript_gap_min},
    {HB_OT_MATH_CONSTANT_SUPERSCRIPT_BOTTOM_MAX_WITH_SUBSCRIPT, &MathConstants::superscript_bottom_max_with_subscript},
    {HB_OT_MATH_CONSTANT_SPACE_AFTER_SCRIPT, &MathConstants::space_after_script},
    {HB_OT_MATH_CONSTANT_UPPER_LIMIT_GAP_MIN, &MathConstants::upper_limit_gap_min},
    {HB_OT_MATH_CONSTANT_UPPER_LIMIT_BASELINE_RISE_MIN, &MathConstants::upper_limit_baseline_rise_min},
    {HB_OT_MATH_CONSTANT_LOWER_LIMIT_GAP_MIN, &MathConstants::lower_limit_gap_min},
    {HB_OT_MATH_CONSTANT_LOWER_LIMIT_BASELINE_DROP_MIN, &MathConstants::lower_limit_baseline_drop_min},
    {HB_OT_MATH_CONSTANT_FRACTION_NUMERATOR_SHIFT_UP, &MathConstants::fraction_numerator_shift_up},
    {HB_OT_MATH_CONSTANT_FRACTION_NUMERATOR_DISPLAY_STYLE_SHIFT_UP,
     &MathConstants::fraction_numerator_display_style_shift_up},
    {HB_OT_MATH_CONSTANT_FRACTION_DENOMINATOR_SHIFT_DOWN, &MathConstants::fraction_denominator_shift_down},
    {HB_OT_MATH_CONSTANT_FRACTION_DENOMINATOR_DISPLAY_STYLE_SHIFT_DOWN,
     &MathConstants::fraction_denominator_display_style_shift_down},
    {HB_OT_MATH_CONSTANT_FRACTION_NUMERATOR_GAP_MIN, &MathConstants::fraction_numerator_gap_min},
    {HB_OT_MATH_CONSTANT_FRACTION_NUM_DISPLAY_STYLE_GAP_MIN, &MathConstants::fraction_num_display_style_gap_min},
    {HB_OT_MATH_CONSTANT_FRACTION_RULE_THICKNESS, &MathConstants::fraction_rule_thickness},
    {HB_OT_MATH_CONSTANT_FRACTION_DENOMINATOR_GAP_MIN, &MathConstants::fraction_denominator_gap_min},
    {HB_OT_MATH_CONSTANT_FRACTION_DENOM_DISPLAY_STYLE_GAP_MIN, &MathConstants::fraction_denom_display_style_gap_min},
    {HB_OT_MATH_CONSTANT_OVERBAR_VERTICAL_GAP, &MathConstants::overbar_vertical_gap},
    {HB_OT_MATH_CONSTANT_OVERBAR_RULE_THICKNESS, &MathConstants::overbar_rule_thickness},
    {HB_OT_MATH_CONSTANT_OVERBAR_EXTRA_ASCENDER, &MathConstants::overbar_extra_ascender},
    {HB_OT_MATH_CONSTANT_RADICAL_VERTICAL_GAP, &MathConstants::radical_vertical_gap},
    {HB_OT_MATH_CONSTANT_RADICAL_DISPLAY_STYLE_VERTICAL_GAP, &MathConstants::radical_display_style_vertical_gap},
    {HB_OT_MATH_CONSTANT_RADICAL_RULE_THICKNESS, &MathConstants::radical_rule_thickness},
    {HB_OT_MATH_CONSTANT_RADICAL_EXTRA_ASCENDER, &MathConstants::radical_extra_ascender},
};

MathConstants constants_of(hb_font_t* font, double units) {
  const auto of = [&](hb_ot_math_constant_t name) { return static_cast<double>(hb_ot_math_get_constant(font, name)); };
  MathConstants made{};
  for (const Constant& constant : lengths) made.*constant.value = of(constant.name) / units;
  made.script_scale = of(HB_OT_MATH_CONSTANT_SCRIPT_PERCENT_SCALE_DOWN) / 100;
  made.script_script_scale = of(HB_OT_MATH_CONSTANT_SCRIPT_SCRIPT_PERCENT_SCALE_DOWN) / 100;
  made.min_connector_overlap = hb_ot_math_get_min_connector_overlap(font, HB_DIRECTION_BTT) / units;
  return made;
}

// FreeType's calls while it walks an outline; it closes contours without saying so.
struct Walk {
  Outline outline;
  OutlinePoint at;
  double units;

  OutlinePoint point(const FT_Vector* p) const {
    return {static_cast<double>(p->x) / units, -static_cast<double>(p->y) / units};
  }
  void add(PathVerb verb, OutlinePoint control1, OutlinePoint control2, OutlinePoint to) {
    outline.push_back({verb, control1, control2, to});
    at = to;
  }
  void close() {
    if (!outline.empty()) outline.push_back({PathVerb::close, {}, {}, at});
  }
};

int move_to(const FT_Vector* to, void* user) {
  auto& walk = *static_cast<Walk*>(user);
  walk.close();
  walk.add(PathVerb::move, {}, {}, walk.point(to));
  return 0;
}
int line_to(const FT_Vector* to, void* user) {
  auto& walk = *static_cast<Walk*>(user);
  walk.add(PathVerb::line, {}, {}, walk.point(to));
  return 0;
}
int quadratic_to(const FT_Vector* control, const FT_Vector* to, void* user) {
  auto& walk = *static_cast<Walk*>(user);
  const OutlinePoint from = walk.at, c = walk.point(control), end = walk.point(to);
  walk.add(PathVerb::cubic, {from.x + 2 * (c.x - from.x) / 3, from.y + 2 * (c.y - from.y) / 3},
           {end.x + 2 * (c.x - end.x) / 3, end.y + 2 * (c.y - end.y) / 3}, end);
  return 0;
}
int cubic_to(const FT_Vector* control1, const FT_Vector* control2, const FT_Vector* to, void* user) {
  auto& walk = *static_cast<Walk*>(user);
  walk.add(PathVerb::cubic, walk.point(control1), walk.point(control2), walk.point(to));
  return 0;
}

std::vector<GlyphVariant> variants_of(hb_font_t* font, unsigned glyph, hb_direction_t direction, double units) {
  unsigned count = 0;
  const unsigned all = hb_ot_math_get_glyph_variants(font, glyph, direction, 0, &count, nullptr);
  std::vector<hb_ot_math_glyph_variant_t> found(all);
  count = all;
  hb_ot_math_get_glyph_variants(font, glyph, direction, 0, &count, found.data());
  std::vector<GlyphVariant> made;
  for (const auto& variant : found) made.push_back({variant.glyph, variant.advance / units});
  return made;
}

}  // namespace

std::shared_ptr<const Outline> outline_of(FT_FaceRec_* face, unsigned glyph, double units) {
  Walk walk{{}, {}, units};
  if (FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE) == 0 && face->glyph->format == FT_GLYPH_FORMAT_OUTLINE) {
    const FT_Outline_Funcs calls{move_to, line_to, quadratic_to, cubic_to, 0, 0};
    FT_Outline_Decompose(&face->glyph->outline, &calls, &walk);
    walk.close();
  }
  return std::make_shared<const Outline>(std::move(walk.outline));
}

Result<MathFont> MathFont::open(const std::filesystem::path& file) {
  auto state = std::make_shared<State>();
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return fail("FreeType could not be started");
  state->library = {library, FT_Done_FreeType};
  FT_Face face = nullptr;
  if (FT_New_Face(library, file.c_str(), 0, &face) != 0)
    return fail("{}: not a font that can be read: check that the file is there", utf8(file));
  state->face = {face, [owner = state->library](FT_Face done) { FT_Done_Face(done); }};
  state->font = shaping_font(face);
  hb_face_t* tables = hb_font_get_face(state->font.get());
  if (!hb_ot_math_has_data(tables)) return fail("{}: a font without measures of formulas (MATH)", utf8(file));
  state->units = hb_face_get_upem(tables);
  state->constants = constants_of(state->font.get(), state->units);
  state->script_lookups = {hb_set_create(), hb_set_destroy};
  const hb_tag_t script_forms[] = {HB_TAG('s', 's', 't', 'y'), HB_TAG_NONE};
  hb_ot_layout_collect_lookups(tables, HB_OT_TAG_GSUB, nullptr, nullptr, script_forms, state->script_lookups.get());
  MathFont font;
  font.state_ = std::move(state);
  return font;
}

const MathConstants& MathFont::constants() const {
  return state_->constants;
}

std::optional<unsigned> MathFont::glyph_of(char32_t character) const {
  hb_codepoint_t glyph = 0;
  if (!hb_font_get_nominal_glyph(state_->font.get(), character, &glyph)) return std::nullopt;
  return glyph;
}

unsigned MathFont::script_form(unsigned glyph, int level) const {
  if (level <= 0) return glyph;
  hb_face_t* tables = hb_font_get_face(state_->font.get());
  for (hb_codepoint_t lookup = HB_SET_VALUE_INVALID; hb_set_next(state_->script_lookups.get(), &lookup);) {
    hb_codepoint_t forms[2] = {};
    unsigned count = 2;
    hb_ot_layout_lookup_get_glyph_alternates(tables, lookup, glyph, 0, &count, forms);
    if (count > 0) return forms[std::min<unsigned>(count, static_cast<unsigned>(level)) - 1];
  }
  return glyph;
}

const MathGlyph& MathFont::glyph(unsigned index) const {
  State& state = *state_;
  const auto [entry, fresh] = state.glyphs.try_emplace(index);
  MathGlyph& made = entry->second;
  if (!fresh) return made;
  hb_font_t* font = state.font.get();
  made.index = index;
  made.advance = state.em(hb_font_get_glyph_h_advance(font, index));
  hb_glyph_extents_t ink{};
  hb_font_get_glyph_extents(font, index, &ink);
  made.height = state.em(ink.y_bearing);
  made.depth = -state.em(ink.y_bearing + ink.height);
  made.left = state.em(ink.x_bearing);
  made.right = state.em(ink.x_bearing + ink.width);
  made.italic = state.em(hb_ot_math_get_glyph_italics_correction(font, index));
  made.accent = state.em(hb_ot_math_get_glyph_top_accent_attachment(font, index));
  made.outline = outline_of(state.face.get(), index, state.units);
  return made;
}

std::vector<GlyphVariant> MathFont::taller(unsigned glyph) const {
  return variants_of(state_->font.get(), glyph, HB_DIRECTION_BTT, state_->units);
}

std::vector<GlyphVariant> MathFont::wider(unsigned glyph) const {
  return variants_of(state_->font.get(), glyph, HB_DIRECTION_LTR, state_->units);
}

std::vector<GlyphPart> MathFont::parts(unsigned glyph) const {
  unsigned count = 0;
  hb_position_t italic = 0;
  hb_font_t* font = state_->font.get();
  const unsigned all = hb_ot_math_get_glyph_assembly(font, glyph, HB_DIRECTION_BTT, 0, &count, nullptr, &italic);
  std::vector<hb_ot_math_glyph_part_t> found(all);
  count = all;
  hb_ot_math_get_glyph_assembly(font, glyph, HB_DIRECTION_BTT, 0, &count, found.data(), &italic);
  std::vector<GlyphPart> made;
  for (const auto& part : found)
    made.push_back({part.glyph, state_->em(part.full_advance), state_->em(part.start_connector_length),
                    state_->em(part.end_connector_length), (part.flags & HB_OT_MATH_GLYPH_PART_FLAG_EXTENDER) != 0});
  return made;
}

}  // namespace headlight
