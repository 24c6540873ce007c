#include "app/figure/fonts.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "app/figure/shaping.h"
#include "engine/io/file.h"

namespace headlight {

// What stands together, whatever is round it. `script` is 0 where it is one glyph after another.
struct LineRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  Script script = 0;
  Face face = Face::regular;
  std::int8_t level = 0;
};

namespace {

constexpr char32_t replacement_character = 0xFFFD;
constexpr std::string_view ellipsis = "…";

std::u32string code_points(std::string_view utf8) {
  std::u32string points;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  auto left = static_cast<utf8proc_ssize_t>(utf8.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, left, &point);
    points += length > 0 ? static_cast<char32_t>(point) : replacement_character;
    at += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  return points;
}

std::string utf8_of(char32_t character) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

// Controls, format characters and the like, which have no look of their own even where a font has a glyph for them.
bool is_invisible(char32_t character) {
  const auto point = static_cast<utf8proc_int32_t>(character);
  const utf8proc_category_t category = utf8proc_category(point);
  const bool separates = category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
  const bool variation_selector = point >= 0xFE00 && point <= 0xFE0F;
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || separates || variation_selector;
}

bool is_control_code(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character)) == UTF8PROC_CATEGORY_CC;
}

// In em, the room of a visible character in fonts that are not known here.
double usual_advance(char32_t character) {
  const auto point = static_cast<utf8proc_int32_t>(character);
  const utf8proc_category_t category = utf8proc_category(point);
  if (category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME) return 0;
  return utf8proc_charwidth(point) == 2 ? 1 : 0.6;
}

std::string code_of(char32_t character) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(character));
}

// Between two characters they say whether these join, and are not to be seen; at an end nothing would tell of them.
bool is_inner_joiner(const std::u32string& characters, std::size_t i) {
  return (characters[i] == U'\u200C' || characters[i] == U'\u200D') && i > 0 && i + 1 < characters.size();
}

// What cannot be seen is drawn as U+XXXX, which runs from left to right whatever its direction would be.
Levels levels_as_drawn(std::u32string characters) {
  for (std::size_t i = 0; i < characters.size(); ++i)
    if (is_invisible(characters[i]) && !is_inner_joiner(characters, i)) characters[i] = U'U';
  return levels_of(characters);
}

void add_cluster(TextLine& line, char32_t character, std::size_t glyphs) {
  const std::string itself = utf8_of(character);
  const std::string shown = is_invisible(character) ? code_of(character) : itself;
  const std::string own = is_control_code(character) ? shown : itself;
  line.shown += shown;
  line.own += own;
  line.clusters.push_back(
      {static_cast<int>(shown.size()), static_cast<int>(line.glyphs.size() - glyphs), static_cast<int>(own.size())});
}

// What is read there and draws nothing of its own.
void add_to_last_cluster(TextLine& line, char32_t character) {
  const std::string text = utf8_of(character);
  line.shown += text;
  line.own += text;
  line.clusters.back().bytes += static_cast<int>(text.size());
  line.clusters.back().own_bytes += static_cast<int>(text.size());
}

void append(TextLine& line, const TextLine& part) {
  line.glyphs.insert(line.glyphs.end(), part.glyphs.begin(), part.glyphs.end());
  line.clusters.insert(line.clusters.end(), part.clusters.begin(), part.clusters.end());
  line.shown += part.shown;
  line.own += part.own;
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

Result<FontSet> FontSet::load(const FontFiles& files) {
  FontSet fonts;
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return fail("FreeType could not be started");
  const std::shared_ptr<FT_LibraryRec_> owner(library, FT_Done_FreeType);
  const std::array paths{&files.regular, &files.semibold, &files.mono, &files.fallback};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    FT_Face face = nullptr;
    if (FT_New_Face(library, paths[i]->c_str(), 0, &face) != 0) {
      return fail("{}: not a font that can be read: check that the file is there", paths[i]->string());
    }
    fonts.faces_[i] = {face, [owner](FT_Face done) { FT_Done_Face(done); }};
    if (!FT_IS_SCALABLE(face)) return fail("{}: a font of pixels: use one of outlines", paths[i]->string());
    fonts.shaping_[i] = shaping_font(face);
  }
  return fonts;
}

double FontSet::advance(Face face, unsigned glyph, double size) const {
  FT_Face font = this->face(face);
  if (FT_Load_Glyph(font, glyph, FT_LOAD_NO_SCALE) != 0) return 0;
  return static_cast<double>(font->glyph->metrics.horiAdvance) * size / font->units_per_EM;
}

std::optional<Face> FontSet::face_with(Face face, char32_t character) const {
  if (is_invisible(character)) return std::nullopt;
  for (const Face candidate : {face, Face::fallback})
    if (FT_Get_Char_Index(this->face(candidate), character) != 0) return candidate;
  return std::nullopt;
}

void FontSet::put(TextLine& line, char32_t character, char32_t drawn) const {
  const std::size_t before = line.glyphs.size();
  const auto draw = [&](Face face, char32_t letter) {
    const unsigned index = FT_Get_Char_Index(this->face(face), letter);
    line.glyphs.push_back({face, index, line.width});
    line.width += advance(face, index, line.size);
  };
  if (const auto face = face_with(line.face, drawn)) {
    draw(*face, drawn);
  } else if (missing_to_viewers_ && !is_invisible(character)) {
    line.width += usual_advance(character) * line.size;
  } else {
    for (const char c : code_of(character))
      if (const auto letters = face_with(line.face, static_cast<char32_t>(c))) draw(*letters, static_cast<char32_t>(c));
  }
  add_cluster(line, character, before);
}

void FontSet::put_shaped(TextLine& line, const std::u32string& characters, const LineRun& run) const {
  const double scale = line.size / face(run.face)->units_per_EM;
  const std::u32string_view text = std::u32string_view(characters).substr(run.begin, run.end - run.begin);
  const auto part = shaped(shaping_[static_cast<std::size_t>(run.face)].get(), text, run.script, run.level % 2 != 0);
  // Programs that read PDFs turn lines from right to left glyph by glyph, so that two letters of one glyph would stay
  // the wrong way round: the second gets a glyph of its own that draws nothing and takes no room.
  const unsigned blank = blank_glyph(face(run.face));
  constexpr double overlap = 1e-3;  // points, so that it is left of the first
  std::size_t at = run.begin;
  for (const ShapedCluster& cluster : part.clusters) {
    for (const ShapedGlyph& glyph : cluster.glyphs)
      line.glyphs.push_back({run.face, glyph.index, line.width + scale * glyph.x, scale * glyph.y});
    line.clusters.push_back({0, static_cast<int>(cluster.glyphs.size()), 0});
    add_to_last_cluster(line, characters[at]);
    for (std::size_t i = 1; i < cluster.characters; ++i) {
      if (blank != 0 && run.level % 2 != 0 && !cluster.glyphs.empty()) {
        line.glyphs.push_back({run.face, blank, line.glyphs.back().x - overlap});
        line.clusters.push_back({0, 1, 0});
      }
      add_to_last_cluster(line, characters[at + i]);
    }
    at += cluster.characters;
  }
  line.width += scale * part.width;
}

// In the order in which they are read. Characters without shaping are a run each, as a line may turn at any of them.
std::vector<LineRun> FontSet::runs_of(const std::u32string& characters, Face face) const {
  const Levels levels = levels_as_drawn(characters);
  std::vector<LineRun> runs;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char32_t character = characters[i];
    const bool joiner = is_inner_joiner(characters, i);
    LineRun run{i, i + 1, shaped_script(character), face, levels.of[i]};
    if (!runs.empty() && runs.back().script != 0 && goes_with_last(character) &&
        FT_Get_Char_Index(this->face(runs.back().face), character) != 0)
      run = {i, i + 1, runs.back().script, runs.back().face, runs.back().level};
    else if (const auto found = face_with(face, character); found && run.script != 0)
      run.face = *found;
    else
      run.script = 0;
    const bool goes_on = !runs.empty() && run.script != 0 && run.script == runs.back().script &&
                         run.face == runs.back().face && run.level == runs.back().level;
    if (goes_on || joiner)
      runs.back().end = i + 1;
    else
      runs.push_back(run);
  }
  return runs;
}

TextLine FontSet::set(Face face, double size, std::string_view utf8) const {
  TextLine line = empty_line(face, size, utf8);
  const std::u32string characters = code_points(utf8);
  const auto put_singly = [&](TextLine& to, std::size_t begin, std::size_t end, bool turned) {
    for (std::size_t i = begin; i < end; ++i)
      if (is_inner_joiner(characters, i))
        add_to_last_cluster(to, characters[i]);
      else
        put(to, characters[i], turned ? mirrored(characters[i]) : characters[i]);
  };
  if (std::ranges::none_of(characters, shaped_script)) {
    put_singly(line, 0, characters.size(), false);
    return line;
  }
  const std::vector<LineRun> runs = runs_of(characters, face);
  std::vector<std::int8_t> levels;
  for (const LineRun& run : runs) levels.push_back(run.level);
  std::vector<TextLine> parts(runs.size(), empty_line(face, size, {}));
  for (const std::size_t i : visual_order(levels)) {
    parts[i].width = line.width;
    if (runs[i].script != 0)
      put_shaped(parts[i], characters, runs[i]);
    else
      put_singly(parts[i], runs[i].begin, runs[i].end, runs[i].level % 2 != 0);
    line.width = parts[i].width;
  }
  for (const TextLine& part : parts) append(line, part);
  line.right_to_left = levels_as_drawn(characters).right_to_left;
  return line;
}

TextLine FontSet::set_within(double limit, Face face, double size, std::string_view utf8) const {
  TextLine line = set(face, size, utf8);
  if (line.width <= limit) return line;
  // Set anew, because what is left may join and turn in another way.
  const auto cut_after = [&](std::size_t clusters) {
    std::size_t bytes = 0;
    std::size_t own = 0;
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

bool is_serif(FT_Face face) {
  const std::string_view name = face->family_name ? face->family_name : "";
  return name.find("Roman") != std::string_view::npos || name.find("Serif") != std::string_view::npos ||
         name.find("Times") != std::string_view::npos;
}

std::string display_text(std::string_view token) {
  std::string text(token);
  // utf8proc gives nothing for broken UTF-8, which set() shows character by character.
  if (auto* composed = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()))) {
    if (text.find('\0') == std::string::npos) text = reinterpret_cast<const char*>(composed);
    std::free(composed);
  }
  std::string shown;
  std::size_t spaces = 0;
  while (spaces < text.size() && text[spaces] == ' ') ++spaces;
  for (std::size_t i = 0; i < spaces; ++i) shown += "·";
  return shown + text.substr(spaces);
}

FontFiles font_files_in(const std::filesystem::path& folder) {
  return {folder / "Inter-Regular.otf", folder / "Inter-SemiBold.otf", folder / "JetBrainsMono-Regular.ttf",
          folder / "DejaVuSans.ttf"};
}

Result<FontFiles> font_files_named(const std::filesystem::path& folder, const std::string& name) {
  FontFiles files = font_files_in(folder);
  if (name == "sans") return files;
  if (name == "serif") {
    files.regular = files.mono = folder / "lmroman10-regular.otf";
    files.semibold = folder / "lmroman10-bold.otf";
    return files;
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) {
    return fail("font: {} is neither sans, nor serif, nor a font file", one_line(name));
  }
  files.regular = files.semibold = files.mono = name;
  return files;
}

}  // namespace headlight
