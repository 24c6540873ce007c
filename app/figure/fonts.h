// Font files and the setting of one line of text: which glyph of which file stands where.
//
// Not for complex scripts: glyphs stand one after another from left to right, without kerning or ligatures.
#pragma once

#include <ft2build.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include FT_FREETYPE_H

#include "app/figure/figure.h"

namespace headlight {

enum class Face { regular, semibold, mono, fallback };

struct Glyph {
  Face face = Face::regular;
  unsigned index = 0;
  double x = 0;  // from the start of the line
};

// So many bytes of a line's text, and so many glyphs that draw them.
struct Cluster {
  int bytes = 0;
  int glyphs = 0;
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
  std::vector<Cluster> clusters;  // of `shown` and `glyphs`, in order
  std::string cut;                // what "…" stands for; empty where nothing is cut
};

// From the baseline to the middle of a line between its capitals' height and its small letters', as a part of its size.
inline constexpr double middle_above_baseline = 0.335;

class FontSet {
 public:
  static Result<FontSet> load(const FontFiles& files);

  FT_Face face(Face face) const { return faces_[static_cast<std::size_t>(face)].get(); }
  // For who may need a face longer than this set: cairo keeps faces in caches of its own.
  std::shared_ptr<FT_FaceRec_> shared_face(Face face) const { return faces_[static_cast<std::size_t>(face)]; }

  // Sets UTF-8 as it is. A character that no font has, or that cannot be seen, appears as U+XXXX; broken UTF-8 as
  // U+FFFD.
  TextLine set(Face face, double size, std::string_view utf8) const;
  // The same, but cut with "…" where it would be wider than `limit`.
  TextLine set_within(double limit, Face face, double size, std::string_view utf8) const;

 private:
  double advance(Face face, unsigned glyph, double size) const;
  bool append(TextLine& line, Face face, char32_t character) const;
  void append_code(TextLine& line, char32_t character) const;

  std::array<std::shared_ptr<FT_FaceRec_>, 4> faces_;  // each keeps the library
};

// As its family's name has it.
bool is_serif(FT_Face face);

// A token as it is shown: composed (NFC), and its leading spaces as "·".
std::string display_text(std::string_view token);

}  // namespace headlight
