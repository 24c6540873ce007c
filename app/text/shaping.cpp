#include "app/text/shaping.h"

#include <fmt/core.h>
#include <fribidi.h>
#include <hb-ft.h>
#include <hb.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

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

bool joins_previous(char32_t character) {
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
  FriBidiParType base = line_direction == Direction::left_to_right ? FRIBIDI_PAR_LTR : FRIBIDI_PAR_RTL;
  if (line_direction == Direction::natural) base = FRIBIDI_PAR_ON;
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

namespace {

constexpr Script tag(const char (&name)[5]) {
  const auto byte = [&](int i) { return static_cast<Script>(static_cast<unsigned char>(name[i])); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

constexpr std::string_view cjk = "fonts-noto-cjk", core = "fonts-noto-core", unifont = "fonts-unifont";

constexpr std::array known{
    std::pair{ideographs_script, ScriptNote{"Chinese", "zh-cn", cjk}},
    std::pair{tag("Hira"), ScriptNote{"Japanese", "ja", cjk}},
    std::pair{tag("Kana"), ScriptNote{"Japanese", "ja", cjk}},
    std::pair{tag("Hang"), ScriptNote{"Korean", "ko", cjk}},
    std::pair{tag("Bopo"), ScriptNote{"Bopomofo", "zh-tw", cjk}},
    std::pair{tag("Deva"), ScriptNote{"Devanagari (Hindi)", "hi", core}},
    std::pair{tag("Thai"), ScriptNote{"Thai", "th", core}},
    std::pair{tag("Arab"), ScriptNote{"Arabic", "ar", core}},
    std::pair{tag("Hebr"), ScriptNote{"Hebrew", "he", core}},
    std::pair{tag("Beng"), ScriptNote{"Bengali", "bn", core}},
    std::pair{tag("Guru"), ScriptNote{"Gurmukhi", "pa", core}},
    std::pair{tag("Gujr"), ScriptNote{"Gujarati", "gu", core}},
    std::pair{tag("Orya"), ScriptNote{"Odia", "or", core}},
    std::pair{tag("Taml"), ScriptNote{"Tamil", "ta", core}},
    std::pair{tag("Telu"), ScriptNote{"Telugu", "te", core}},
    std::pair{tag("Knda"), ScriptNote{"Kannada", "kn", core}},
    std::pair{tag("Mlym"), ScriptNote{"Malayalam", "ml", core}},
    std::pair{tag("Sinh"), ScriptNote{"Sinhala", "si", core}},
    std::pair{tag("Khmr"), ScriptNote{"Khmer", "km", core}},
    std::pair{tag("Laoo"), ScriptNote{"Lao", "lo", core}},
    std::pair{tag("Mymr"), ScriptNote{"Burmese", "my", core}},
    std::pair{tag("Tibt"), ScriptNote{"Tibetan", "bo", core}},
    std::pair{tag("Ethi"), ScriptNote{"Ethiopic", "am", core}},
    std::pair{tag("Geor"), ScriptNote{"Georgian", "ka", core}},
    std::pair{tag("Armn"), ScriptNote{"Armenian", "hy", core}},
    std::pair{emoji_script, ScriptNote{"emoji", "und-zsye", "fonts-noto-color-emoji"}},
    std::pair{Script{0}, ScriptNote{"signs and symbols", "", unifont}},
};

bool has_script(std::u32string_view line, Script script) {
  return std::ranges::any_of(line, [&](char32_t character) { return shaped_script(character) == script; });
}

// "a", "a and b", "a, b and c"; each once.
std::string list_of(const std::vector<std::string_view>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " and " : ", ";
    list += words[i];
  }
  return list;
}

void add_once(std::vector<std::string_view>& words, std::string_view word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

}  // namespace

ScriptNote note_of(Script script) {
  for (const auto& [of, note] : known)
    if (of == script) return note;
  return {"a rare script", "", core};
}

std::string_view language_of_ideographs(std::u32string_view line) {
  if (has_script(line, tag("Hira")) || has_script(line, tag("Kana"))) return "ja";
  return has_script(line, tag("Hang")) ? "ko" : note_of(ideographs_script).language;
}

std::string missing_fonts_note(const std::vector<Script>& missing) {
  if (missing.empty()) return {};
  std::vector<std::string_view> names, packages;
  for (const auto& [script, note] : known)  // in one order, whatever came first
    if (std::ranges::find(missing, script) != missing.end()) {
      add_once(names, note.name);
      add_once(packages, note.package);
    }
  if (names.empty()) {
    names.push_back(note_of(missing.front()).name);
    packages.push_back(note_of(missing.front()).package);
  }
  return fmt::format("Some characters of {} are in no font here: they are shown by their codes, U+XXXX. {}",
                     list_of(names), font_advice(list_of(packages)));
}

}  // namespace headlight
