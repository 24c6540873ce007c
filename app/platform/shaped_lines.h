// Lines of text that Dear ImGui cannot set: any script, ordered, joined and in colour, as figures set them.
//
// Not for ordinary text, which Dear ImGui draws faster: fonts.h decides.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "app/platform/glyph_atlas.h"
#include "app/text/font_set.h"

struct ImDrawList;

namespace headlight::app {

// Where a line's characters as a reader counts them (grapheme clusters) lie: the byte before which one stands, and px
// from the line's left end to where it starts and where it ends.
struct Caret {
  std::size_t byte = 0;
  float x = 0, end = 0;
  bool right_to_left = false;  // it starts at its right
};

class ShapedLines {
 public:
  explicit ShapedLines(FontSet fonts) : fonts_(std::move(fonts)) {}

  const FontSet& fonts() const { return fonts_; }
  GlyphAtlas& atlas() { return atlas_; }
  void refresh_fonts() {
    fonts_.refresh_fonts();
    lines_.clear();
  }

  float width(Face face, float em_pixels, std::string_view text);
  // The pen starts at x on the baseline y; both are whole.
  void draw(ImDrawList& list, Face face, float em_pixels, float x, float y, std::uint32_t color, std::string_view text,
            Direction direction);
  // As Fonts::carets() has them.
  std::vector<Caret> carets(Face face, float em_pixels, std::string_view text, Direction direction);
  std::size_t kept() const { return lines_.size(); }

  static constexpr std::size_t most_kept = 8192;  // lines

 private:
  const TextLine& line(Face face, float em_pixels, std::string_view text, Direction direction = Direction::natural);

  FontSet fonts_;
  GlyphAtlas atlas_;
  std::unordered_map<std::string, TextLine> lines_;
  std::string key_;  // kept for its room
};

}  // namespace headlight::app
