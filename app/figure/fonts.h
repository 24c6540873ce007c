// Font files and the setting of one line of text: which glyph of which file stands where.
//
// Latin, Greek and Cyrillic letters stand one after another, without kerning or ligatures. Not for how other scripts
// are ordered and joined: shaping.h.
#pragma once

#include <ft2build.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include FT_FREETYPE_H

#include "app/figure/figure.h"

struct hb_font_t;

namespace headlight {

enum class Face { regular, semibold, mono, fallback };

struct Glyph {
  Face face = Face::regular;
  unsigned index = 0;
  double x = 0;  // from the left end of the line
  double y = 0;  // downward from the baseline
};

// So many bytes of what a line shows, so many glyphs that draw them, and so many bytes of its own characters.
struct Cluster {
  int bytes = 0;
  int glyphs = 0;
  int own_bytes = 0;
};

// Lengths in points.
struct TextLine {
  std::vector<Glyph> glyphs;
  double size = 0;
  double width = 0;
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
};

// From the baseline to the middle of a line between its capitals' height and its small letters', as a part of its size.
inline constexpr double middle_above_baseline = 0.335;

struct LineRun;  // of one font, direction and script

class FontSet {
 public:
  static Result<FontSet> load(const FontFiles& files);

  FT_Face face(Face face) const { return faces_[static_cast<std::size_t>(face)].get(); }
  // For who may need a face longer than this set: cairo keeps faces in caches of its own.
  std::shared_ptr<FT_FaceRec_> shared_face(Face face) const { return faces_[static_cast<std::size_t>(face)]; }

  // For text that viewers set again in fonts of their own: nothing is drawn for a visible character that none of these
  // fonts has. An East Asian one takes the em that it takes there, a mark on the letter before it no room, and any
  // other 0.6 em, about what letters take.
  void leave_missing_to_viewers() { missing_to_viewers_ = true; }

  // Sets UTF-8 as it is. A character that no font has, or that cannot be seen, appears as U+XXXX; broken UTF-8 as
  // U+FFFD. Joiners and non-joiners (U+200D, U+200C) between others are there and have no glyph.
  TextLine set(Face face, double size, std::string_view utf8) const;
  // The same, but cut with "…" where it would be wider than `limit`.
  TextLine set_within(double limit, Face face, double size, std::string_view utf8) const;

 private:
  double advance(Face face, unsigned glyph, double size) const;
  std::optional<Face> face_with(Face face, char32_t character) const;
  void put(TextLine& line, char32_t character, char32_t drawn) const;
  void put_shaped(TextLine& line, const std::u32string& characters, const LineRun& run) const;
  std::vector<LineRun> runs_of(const std::u32string& characters, Face face) const;

  std::array<std::shared_ptr<FT_FaceRec_>, 4> faces_;  // each keeps the library
  std::array<std::shared_ptr<hb_font_t>, 4> shaping_;
  bool missing_to_viewers_ = false;
};

// As its family's name has it.
bool is_serif(FT_Face face);

// A token as it is shown: composed (NFC), and its leading spaces as "·".
std::string display_text(std::string_view token);

}  // namespace headlight
