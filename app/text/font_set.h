// Font files and the setting of one line of text: which glyph of which file stands where.
//
// Latin, Greek and Cyrillic letters stand one after another, without kerning or ligatures. Not for how other scripts
// are ordered and joined: shaping.h.
#pragma once

#include <ft2build.h>
#include FT_FREETYPE_H

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/characters.h"
#include "app/text/font_files.h"
#include "app/text/shaping.h"
#include "engine/base/result.h"
#include "engine/picture/image.h"

struct hb_font_t;

namespace headlight {

// The fonts of FontFiles; those from `more` on are its further ones and then the system's, in the order in which they
// were first needed.
enum class Face { regular, medium, semibold, mono, mono_semibold, fallback, more };

struct Glyph {
  Face face = Face::regular;
  unsigned index = 0;
  double x = 0;  // from the left end of the line
  double y = 0;  // downward from the baseline
};

// So many bytes of what a line shows, so many glyphs that draw them, so many bytes of its own characters, and of the
// text as it was given; and the room that it takes.
struct Cluster {
  int bytes = 0, glyphs = 0, own_bytes = 0, given_bytes = 0;
  double x = 0, width = 0;
  bool right_to_left = false;
};

// Lengths in points.
struct TextLine {
  std::vector<Glyph> glyphs;
  double size = 0, width = 0;
  std::string text;  // what it was set from, uncut
  Face face = Face::regular;
  // What is to be read: `text` as far as it is not cut, with "…" after it where it is. What cannot be seen stands as
  // U+XXXX; a visible character that no font has stands for itself, though U+XXXX is drawn for it.
  std::string shown;
  // What is to be copied: all of `text`, as sound UTF-8. Characters that cannot be seen are themselves, but control
  // codes, which would tear a line apart, stand as U+XXXX.
  std::string own;
  std::vector<Cluster> clusters;  // of `shown`, `glyphs` and `own`, in the order in which they are read
  std::string cut;                // what "…" stands for; empty where nothing is cut
  bool right_to_left = false;     // its first letter with a direction is from right to left
  std::vector<Script> missing;    // of characters that no font here has; 0: of signs of no script
};

// From the baseline to the middle of a line between its capitals' height and its small letters', as a part of its size.
inline constexpr double middle_above_baseline = 0.335;

struct LineRun;  // of one font, direction and script
struct LineText;

// Belongs to one thread at a time, and so do its copies: fonts of the system are added as text needs them.
class FontSet {
 public:
  static Result<FontSet> load(const FontFiles& files);

  // Reloads the list of the system's fonts.
  void refresh_fonts();

  FT_Face face(Face face) const { return shared_face(face).get(); }
  // For who may need a face longer than this set: cairo keeps faces in caches of its own.
  const std::shared_ptr<FT_FaceRec_>& shared_face(Face face) const;
  // Its glyphs are pictures, not outlines.
  bool is_color(Face face) const;
  double units_per_em(Face face) const;

  // For text that viewers set again in fonts of their own: nothing is drawn for a visible character that none of these
  // fonts has. An East Asian one takes the em that it takes there, a mark on the letter before it no room, and any
  // other 0.6 em, about what letters take.
  void skip_missing_glyphs() { skip_missing_ = true; }

  // Sets UTF-8 as it is. A character that no font has, or that cannot be seen, appears as U+XXXX; broken UTF-8 as
  // U+FFFD. Joiners and non-joiners (U+200D, U+200C) between others are there and have no glyph, and so have variation
  // selectors.
  TextLine set(Face face, double size, std::string_view utf8, Direction direction = Direction::natural) const;
  // The same, but cut with "…" where it would be wider than `limit`.
  TextLine set_within(double limit, Face face, double size, std::string_view utf8) const;
  // How wide it is; of a text whose first part alone is wider than `limit`, how wide that is.
  double width_up_to(double limit, Face face, double size, std::string_view utf8) const;

 private:
  struct State;

  double advance(Face face, unsigned glyph, double size) const;
  std::optional<Face> face_with(Face face, char32_t character, std::string_view language) const;
  std::optional<Face> emoji_face(std::u32string_view cluster) const;
  void put(TextLine& line, const LineText& text, std::size_t i, char32_t drawn) const;
  void put_unshaped(TextLine& line, const LineText& text, std::size_t begin, std::size_t end, bool turned) const;
  void put_shaped(TextLine& line, const LineText& text, const LineRun& run) const;
  std::vector<LineRun> runs_of(const LineText& text, Face face) const;
  LineRun run_at(const LineText& text, std::size_t i, Face face, const std::vector<LineRun>& before) const;

  std::shared_ptr<State> state_;
  bool skip_missing_ = false;
};

// What no font has for these texts, each script once: for missing_fonts_note() (shaping.h).
std::vector<Script> missing_scripts(const FontSet& fonts, const std::vector<std::string>& texts);

// The direction of a text that a line or several show: its first letter's with a direction.
Direction direction_of(std::u32string_view text);

// As its family's name has it.
bool is_serif(FT_Face face);

// ---- Glyphs that are pictures in colour: emoji

// Lengths in em; from the pen to the picture's left edge, and from the baseline up to its top.
struct ColorGlyph {
  Image image;
  double left = 0, top = 0, width = 0, height = 0;
};

// At the largest size that the font has, or 128 pixels an em where it has outlines in colour; none where the glyph is
// no picture.
std::optional<ColorGlyph> color_glyph(FT_Face face, unsigned index);

}  // namespace headlight
