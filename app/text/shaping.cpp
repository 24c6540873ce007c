#include "app/text/shaping.h"

#include <fribidi.h>
#include <hb-ft.h>
#include <hb.h>

#include <algorithm>
#include <numeric>

namespace headlight {

namespace {

using Buffer = std::unique_ptr<hb_buffer_t, decltype(&hb_buffer_destroy)>;

hb_script_t script_of(char32_t character) {
  return hb_unicode_script(hb_unicode_funcs_get_default(), character);
}

}  // namespace

Script shaped_script(char32_t character) {
  switch (const hb_script_t script = script_of(character)) {
    case HB_SCRIPT_COMMON:
    case HB_SCRIPT_INHERITED:
    case HB_SCRIPT_UNKNOWN:
    case HB_SCRIPT_LATIN:
    case HB_SCRIPT_GREEK:
    case HB_SCRIPT_CYRILLIC:
      return 0;
    default:
      return script;
  }
}

bool goes_with_last(char32_t character) {
  return script_of(character) == HB_SCRIPT_INHERITED;
}

Direction strong_direction(char32_t character) {
  const FriBidiCharType type = fribidi_get_bidi_type(character);
  if (!FRIBIDI_IS_STRONG(type)) return Direction::natural;
  return FRIBIDI_IS_RTL(type) ? Direction::right_to_left : Direction::left_to_right;
}

Levels levels_of(const std::u32string& characters, Direction line_direction) {
  static_assert(sizeof(FriBidiChar) == sizeof(char32_t) && sizeof(FriBidiLevel) == sizeof(std::int8_t));
  const std::vector<FriBidiChar> line(characters.begin(), characters.end());
  const auto count = static_cast<FriBidiStrIndex>(line.size());
  std::vector<FriBidiCharType> types(line.size());
  std::vector<FriBidiBracketType> brackets(line.size());
  fribidi_get_bidi_types(line.data(), count, types.data());
  fribidi_get_bracket_types(line.data(), count, types.data(), brackets.data());
  Levels levels{std::vector<std::int8_t>(line.size(), 0), false};
  FriBidiParType base = line_direction == Direction::natural         ? FRIBIDI_PAR_ON
                        : line_direction == Direction::left_to_right ? FRIBIDI_PAR_LTR
                                                                     : FRIBIDI_PAR_RTL;
  // It fails where memory runs out, and then leaves all from left to right.
  if (fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), count, &base, levels.of.data()) == 0)
    std::ranges::fill(levels.of, std::int8_t{0});
  levels.right_to_left = FRIBIDI_IS_RTL(base);
  return levels;
}

std::vector<std::size_t> visual_order(const std::vector<std::int8_t>& levels) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const int highest = levels.empty() ? 0 : *std::ranges::max_element(levels);
  for (int level = highest; level > 0; --level)
    for (std::size_t begin = 0; begin < order.size(); ++begin) {
      std::size_t end = begin;
      while (end < order.size() && levels[order[end]] >= level) ++end;
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
      begin = std::max(begin, end);
    }
  return order;
}

char32_t mirrored(char32_t character) {
  FriBidiChar turned = character;
  fribidi_get_mirror_char(character, &turned);
  return turned;
}

std::shared_ptr<hb_font_t> shaping_font(FT_Face face) {
  const std::unique_ptr<hb_face_t, decltype(&hb_face_destroy)> tables(hb_ft_face_create_referenced(face),
                                                                      hb_face_destroy);
  std::shared_ptr<hb_font_t> font(hb_font_create(tables.get()), hb_font_destroy);  // scaled to the font's units
  if (const auto instance = static_cast<unsigned>(face->face_index) >> 16; instance > 0)
    hb_font_set_var_named_instance(font.get(), instance - 1);
  return font;
}

ShapedPart shaped(hb_font_t* font, std::u32string_view characters, Script script, bool right_to_left) {
  const Buffer buffer(hb_buffer_create(), hb_buffer_destroy);
  const std::vector<std::uint32_t> points(characters.begin(), characters.end());
  const auto count = static_cast<int>(points.size());
  hb_buffer_add_utf32(buffer.get(), points.data(), count, 0, count);
  hb_buffer_set_direction(buffer.get(), right_to_left ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_set_script(buffer.get(), static_cast<hb_script_t>(script));
  hb_buffer_set_language(buffer.get(), hb_language_from_string("und", -1));  // the same whatever the machine's is
  hb_buffer_set_flags(buffer.get(), HB_BUFFER_FLAG_REMOVE_DEFAULT_IGNORABLES);
  hb_shape(font, buffer.get(), nullptr, 0);
  unsigned glyphs = 0;
  const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer.get(), &glyphs);
  const hb_glyph_position_t* positions = hb_buffer_get_glyph_positions(buffer.get(), nullptr);
  ShapedPart part;
  std::vector<ShapedCluster> from(points.size());  // by the first character of their cluster
  for (unsigned i = 0; i < glyphs; ++i) {
    ShapedCluster& cluster = from[infos[i].cluster];
    if (cluster.glyphs.empty()) cluster.x = part.width;
    cluster.glyphs.push_back(
        {infos[i].codepoint, part.width + positions[i].x_offset, -static_cast<double>(positions[i].y_offset)});
    cluster.width += positions[i].x_advance;
    part.width += positions[i].x_advance;
  }
  for (ShapedCluster& cluster : from) {
    if (!cluster.glyphs.empty() || part.clusters.empty()) part.clusters.push_back(std::move(cluster));
    ++part.clusters.back().characters;
  }
  return part;
}

}  // namespace headlight
