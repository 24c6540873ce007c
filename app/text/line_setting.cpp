// How a font set sets one line: its runs, their order, and their glyphs.
#include <utf8proc.h>

#include <utility>

#include "app/text/font_set.h"
#include "app/text/font_set_state.h"
#include "app/text/shaping.h"
#include "engine/core/utf8.h"

namespace headlight {

// What stands together, whatever is round it. `script` is 0 where it is one glyph after another.
struct LineRun {
  std::size_t begin = 0, end = 0;
  Script script = 0;
  Face face = Face::regular;
  std::int8_t level = 0;
};

// A line as it is given.
struct LineText {
  std::u32string characters;
  std::vector<int> bytes;                 // that each character was given in
  std::vector<std::size_t> cluster_ends;  // by character: 0 inside of a grapheme cluster, where one begins its end
  Levels levels;
  bool any_shaped = false;      // or ordered
  std::string_view ideographs;  // their language
};

namespace {

constexpr std::string_view ellipsis = "…";

// Between two characters they say whether these join, and are not to be seen; at an end nothing would tell of them.
// Variation selectors and the tags of flags belong to what stands before them.
bool is_inner_joiner(std::u32string_view characters, std::size_t i) {
  const char32_t c = characters[i];
  if (i > 0 && (is_variation_selector(c) || (c >= 0xE0020 && c <= 0xE007F))) return true;
  return (c == U'\u200C' || c == U'\u200D') && i > 0 && i + 1 < characters.size();
}

// What cannot be seen is drawn as U+XXXX, which runs from left to right whatever its direction would be.
Levels levels_as_drawn(std::u32string characters, Direction direction) {
  for (std::size_t i = 0; i < characters.size(); ++i)
    if (is_invisible(characters[i]) && !is_inner_joiner(characters, i)) characters[i] = U'U';
  return levels_of(characters, direction);
}

std::u32string_view cluster_at(const LineText& text, std::size_t i) {
  return std::u32string_view(text.characters).substr(i, text.cluster_ends[i] == 0 ? 0 : text.cluster_ends[i] - i);
}

bool is_in_emoji(const LineText& text, std::size_t i) {
  while (text.cluster_ends[i] == 0) --i;
  return is_emoji(cluster_at(text, i));
}

LineText line_text(std::string_view utf8, Direction direction) {
  LineText text;
  text.any_shaped = direction == Direction::right_to_left;
  GraphemeBreaks breaks;
  std::size_t begin = 0;
  while (!utf8.empty()) {
    const Utf8Step step = utf8_step(utf8);
    const std::size_t at = text.characters.size();
    if (breaks.begins(step.character) && at > 0) text.cluster_ends[std::exchange(begin, at)] = at;
    text.characters += step.character;
    text.bytes.push_back(static_cast<int>(step.size));
    text.cluster_ends.push_back(0);
    utf8.remove_prefix(step.size);
  }
  if (!text.characters.empty()) text.cluster_ends[begin] = text.characters.size();
  for (std::size_t i = 0; i < text.characters.size() && !text.any_shaped; ++i)
    text.any_shaped = shaped_script(text.characters[i]) != 0 || is_emoji(cluster_at(text, i));
  if (!text.any_shaped) return text;
  text.levels = levels_as_drawn(text.characters, direction);
  text.ideographs = language_of_ideographs(text.characters);
  return text;
}

std::string_view language_at(const LineText& text, Script script) {
  return script == ideographs_script ? text.ideographs : note_of(script).language;
}

// A character as it is read, and as it is copied.
std::pair<std::string, std::string> shown_and_source(char32_t character) {
  std::string itself;
  append_utf8(itself, character);
  const std::string shown = is_invisible(character) ? code_of(character) : itself;
  return {shown, is_control_code(character) ? shown : itself};
}

// What is surely enough of a text to see that it is too long for a line.
std::string_view first_part(std::string_view utf8) {
  constexpr std::size_t enough = 2048;  // bytes
  if (utf8.size() <= enough) return utf8;
  std::size_t end = 0;
  while (end < enough) end += utf8_step(utf8.substr(end)).size;
  return utf8.substr(0, end);
}

void add_cluster(TextLine& line, char32_t character, int bytes, std::size_t glyphs, double x) {
  const auto [shown, own] = shown_and_source(character);
  line.shown += shown;
  line.own += own;
  line.clusters.push_back({static_cast<int>(shown.size()), static_cast<int>(line.glyphs.size() - glyphs),
                           static_cast<int>(own.size()), bytes, x, line.width - x, false});
}

// What is read there and draws nothing of its own.
void add_to_last_cluster(TextLine& line, char32_t character, int bytes) {
  std::string text;
  append_utf8(text, character);
  line.shown += text;
  line.own += text;
  line.clusters.back().bytes += static_cast<int>(text.size());
  line.clusters.back().own_bytes += static_cast<int>(text.size());
  line.clusters.back().given_bytes += bytes;
}

void append(TextLine& line, const TextLine& part) {
  line.glyphs.insert(line.glyphs.end(), part.glyphs.begin(), part.glyphs.end());
  line.clusters.insert(line.clusters.end(), part.clusters.begin(), part.clusters.end());
  line.shown += part.shown;
  line.own += part.own;
  line.missing.insert(line.missing.end(), part.missing.begin(), part.missing.end());
}

// 0 where the font has none.
unsigned blank_glyph(FT_Face face) {
  const unsigned index = FT_Get_Char_Index(face, U'\u200C');
  if (index == 0 || FT_Load_Glyph(face, index, FT_LOAD_NO_SCALE) != 0) return 0;
  const FT_GlyphSlot glyph = face->glyph;
  return glyph->metrics.horiAdvance == 0 && glyph->outline.n_points == 0 ? index : 0;
}

TextLine empty_line(Face face, double size, std::string_view utf8) {
  TextLine line;
  line.size = size;
  line.text = utf8;
  line.face = face;
  return line;
}

}  // namespace

void FontSet::put(TextLine& line, const LineText& text, std::size_t i, char32_t drawn) const {
  const char32_t character = text.characters[i];
  const std::size_t before = line.glyphs.size();
  const double x = line.width;
  const auto draw = [&](Face face, char32_t letter) {
    const unsigned index = FT_Get_Char_Index(this->face(face), letter);
    line.glyphs.push_back({face, index, line.width});
    line.width += advance(face, index, line.size);
  };
  const Script script = shaped_script(character);
  if (const auto face = face_with(line.face, drawn, language_at(text, script))) {
    draw(*face, drawn);
  } else if (skip_missing_ && !is_invisible(character)) {
    line.width += usual_advance(character) * line.size;
  } else {
    if (!is_invisible(character) && is_assigned(character))
      line.missing.push_back(is_in_emoji(text, i) ? emoji_script : script);
    for (const char c : code_of(character))
      if (const auto letters = face_with(line.face, static_cast<char32_t>(c), {}))
        draw(*letters, static_cast<char32_t>(c));
  }
  add_cluster(line, character, text.bytes[i], before, x);
}

void FontSet::put_unshaped(TextLine& line, const LineText& text, std::size_t begin, std::size_t end,
                           bool turned) const {
  const std::size_t first = line.clusters.size();
  for (std::size_t i = begin; i < end; ++i)
    if (is_inner_joiner(text.characters, i) && !line.clusters.empty())
      add_to_last_cluster(line, text.characters[i], text.bytes[i]);
    else
      put(line, text, i, turned ? mirrored(text.characters[i]) : text.characters[i]);
  for (std::size_t i = first; i < line.clusters.size(); ++i) line.clusters[i].right_to_left = turned;
}

void FontSet::put_shaped(TextLine& line, const LineText& text, const LineRun& run) const {
  const double scale = line.size / units_per_em(run.face);
  const bool turned = run.level % 2 != 0;
  const std::u32string_view characters = std::u32string_view(text.characters).substr(run.begin, run.end - run.begin);
  const auto part = shaped(state_->loaded(run.face).shaping.get(), characters, run.script, turned);
  // Programs that read PDFs turn lines from right to left glyph by glyph, so that two letters of one glyph would stay
  // the wrong way round: the second gets a glyph of its own that draws nothing and takes no room.
  const unsigned blank = turned ? blank_glyph(face(run.face)) : 0;
  constexpr double overlap = 1e-3;  // points, so that it is left of the first
  std::size_t at = run.begin;
  for (const ShapedCluster& cluster : part.clusters) {
    for (const ShapedGlyph& glyph : cluster.glyphs)
      line.glyphs.push_back({run.face, glyph.index, line.width + scale * glyph.x, scale * glyph.y});
    const std::size_t clusters = blank == 0 || cluster.glyphs.empty() ? 1 : cluster.characters;
    const double width = scale * cluster.width / static_cast<double>(clusters);  // of each, from the right
    for (std::size_t i = 0; i < cluster.characters; ++i) {
      if (i > 0 && i < clusters) line.glyphs.push_back({run.face, blank, line.glyphs.back().x - overlap});
      if (i < clusters)
        line.clusters.push_back({0, i == 0 ? static_cast<int>(cluster.glyphs.size()) : 1, 0, 0,
                                 line.width + scale * cluster.x + width * static_cast<double>(clusters - 1 - i), width,
                                 turned});
      add_to_last_cluster(line, text.characters[at + i], text.bytes[at + i]);
    }
    at += cluster.characters;
  }
  line.width += scale * part.width;
}

LineRun FontSet::run_at(const LineText& text, std::size_t i, Face face, const std::vector<LineRun>& before) const {
  const char32_t character = text.characters[i];
  const std::int8_t level = text.levels.of[i];
  if (const auto emoji = emoji_face(cluster_at(text, i))) return {i, text.cluster_ends[i], emoji_script, *emoji, level};
  const bool shaped_before = !before.empty() && before.back().script != 0;
  if (shaped_before && joins_previous(character) && state_->has(before.back().face, character))
    return {i, i + 1, before.back().script, before.back().face, before.back().level};
  const Script script = shaped_script(character);
  if (script == 0) return {i, i + 1, 0, face, level};
  const auto found = face_with(face, character, language_at(text, script));
  return {i, i + 1, found ? script : 0, found.value_or(face), level};
}

// In the order in which they are read. Characters without shaping are a run each, as a line may turn at any of them.
std::vector<LineRun> FontSet::runs_of(const LineText& text, Face face) const {
  std::vector<LineRun> runs;
  for (std::size_t i = 0; i < text.characters.size(); i = runs.back().end) {
    if (is_inner_joiner(text.characters, i) && !runs.empty()) {
      runs.back().end = i + 1;
      continue;
    }
    const LineRun run = run_at(text, i, face, runs);
    const bool goes_on = !runs.empty() && run.script != 0 && run.script == runs.back().script &&
                         run.face == runs.back().face && run.level == runs.back().level;
    if (goes_on)
      runs.back().end = run.end;
    else
      runs.push_back(run);
  }
  return runs;
}

TextLine FontSet::set(Face face, double size, std::string_view utf8, Direction direction) const {
  TextLine line = empty_line(face, size, utf8);
  const LineText text = line_text(utf8, direction);
  if (!text.any_shaped) {
    put_unshaped(line, text, 0, text.characters.size(), false);
    return line;
  }
  const std::vector<LineRun> runs = runs_of(text, face);
  std::vector<std::int8_t> levels;
  for (const LineRun& run : runs) levels.push_back(run.level);
  std::vector<TextLine> parts(runs.size(), empty_line(face, size, {}));
  for (const std::size_t i : visual_order(levels)) {
    parts[i].width = line.width;
    if (runs[i].script != 0)
      put_shaped(parts[i], text, runs[i]);
    else
      put_unshaped(parts[i], text, runs[i].begin, runs[i].end, runs[i].level % 2 != 0);
    line.width = parts[i].width;
  }
  for (const TextLine& part : parts) append(line, part);
  line.right_to_left = text.levels.right_to_left;
  return line;
}

TextLine FontSet::set_within(double limit, Face face, double size, std::string_view utf8) const {
  std::string_view part = first_part(utf8);
  TextLine line = set(face, size, part);
  if (line.width <= limit && part.size() < utf8.size()) line = set(face, size, part = utf8);
  if (line.width <= limit) return line;
  line.text = utf8;
  for (std::string_view rest = utf8.substr(part.size()); !rest.empty();) {  // is read, and never drawn
    const Utf8Step step = utf8_step(rest);
    const auto [shown, own] = shown_and_source(step.character);
    line.shown += shown;
    line.own += own;
    rest.remove_prefix(step.size);
  }
  // Set anew, because what is left may join and turn in another way.
  const auto cut_after = [&](std::size_t clusters) {
    std::size_t bytes = 0, own = 0;
    for (std::size_t i = 0; i < clusters; ++i) {
      bytes += static_cast<std::size_t>(line.clusters[i].bytes);
      own += static_cast<std::size_t>(line.clusters[i].own_bytes);
    }
    TextLine cut = set(face, size, line.own.substr(0, own) + std::string(ellipsis));
    cut.text = line.text;
    cut.own = line.own;
    cut.clusters.back().own_bytes = static_cast<int>(line.own.size() - own);
    cut.cut = line.shown.substr(bytes);
    return cut;
  };
  std::size_t fits = 0;
  for (std::size_t too_many = line.clusters.size(); fits + 1 < too_many;) {
    const std::size_t middle = (fits + too_many) / 2;
    (cut_after(middle).width <= limit ? fits : too_many) = middle;
  }
  return cut_after(fits);
}

double FontSet::width_up_to(double limit, Face face, double size, std::string_view utf8) const {
  const std::string_view part = first_part(utf8);
  const double width = set(face, size, part).width;
  return part.size() == utf8.size() || width > limit ? width : set(face, size, utf8).width;
}

Direction direction_of(std::u32string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_invisible(text[i]) && !is_inner_joiner(text, i)) break;  // drawn as U+XXXX
    if (const Direction direction = strong_direction(text[i]); direction != Direction::natural) return direction;
  }
  return Direction::left_to_right;
}

}  // namespace headlight
