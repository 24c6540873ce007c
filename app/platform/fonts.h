// The window's type: the faces and sizes of the design, rasterised for one UI scale. Dear ImGui draws ordinary text;
// scripts that are shaped, emoji and what only the system's fonts have go through shaped_lines.h.
//
// Not for figures, which cairo draws, nor for how formulas are set: it only holds their font.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/platform/shaped_lines.h"
#include "app/text/characters.h"
#include "app/text/math_font.h"
#include "engine/base/result.h"
#include "engine/core/utf8.h"

struct ImFont;

namespace headlight::app {

// The type scale. Sizes are px at 100 %; see type_size().
enum class Type {
  title,         // 17 / 24 Inter 600
  body,          // 14 / 21 Inter 400
  body_strong,   // 14 / 21 Inter 600
  control,       // 13 / 18 Inter 500
  label,         // 13 / 18 Inter 400
  label_strong,  // 13 / 18 Inter 600
  heading,       // 12 / 16 Inter 600
  note,          // 12 / 16 Inter 400
  number,        // 13 / 18 JetBrains Mono 400
  number_note,   // 12 / 16 JetBrains Mono 400
  number_small,  // 11 / 14 JetBrains Mono 400
  result,        // 18 / 24 JetBrains Mono 600
  presenter_title,
  presenter_text,
  presenter_note,
  presenter_least,
  presenter_strong,  // 36 / 46 Inter 600
  presenter_label,   // 26 / 36 Inter 600
  presenter_number,  // 24 / 32 JetBrains Mono 400
  presenter_text_strong,
  lesson_title,   // 22 / 30 Inter 600
  lesson_text,    // 16 / 25 Inter 400
  lesson_strong,  // 16 / 25 Inter 600
  lesson_number,  // 30 / 36 JetBrains Mono 400
};
inline constexpr int type_count = static_cast<int>(Type::lesson_number) + 1;

struct TypeSize {
  float size;  // of the em
  float line;
};
TypeSize type_size(Type type);

// One style, ready to draw with.
struct FontFace {
  ImFont* font = nullptr;
  float pixels = 0;  // what ImDrawList::AddText takes as its size: ascent and descent together
  float line = 0;    // line height of the style, px
  float ascent = 0;  // from the top of the text to its baseline, px
  float cap = 0;     // height of a capital letter, px
};

class Fonts {
 public:
  // Opens the faces in a folder: Inter-{Regular,Medium,SemiBold}.otf, JetBrainsMono-{Regular,SemiBold}.ttf and
  // DejaVuSans.ttf, which fills the gaps of the others, and then, unless told not to, the system's fonts do;
  // latinmodern-math.otf is for formulas. The error names the file that is missing.
  static Result<Fonts> open(const std::filesystem::path& folder, bool system = true);
  Fonts(Fonts&&) noexcept;
  Fonts& operator=(Fonts&&) noexcept;
  ~Fonts();

  // Call between frames, with an ImGui context: builds the atlas when the scale is new or when text was asked for that
  // it lacks. True when it was built, so that the texture must be uploaded again.
  bool prepare(float scale);
  // The next prepare() builds in any case: the ImGui context is a new one.
  void invalidate();

  // A style of the presenter or of lessons is built when it is asked for first; until the next prepare() such a call
  // gives the largest other style.
  FontFace face(Type type);
  float scale() const;

  // px. A character that no font has takes the room of its code, U+XXXX.
  float width(Type type, std::string_view text);
  // With the left end of its baseline at (x, y), which are whole px. The colour is 0xAABBGGRR.
  void draw(ImDrawList& list, Type type, float x, float y, std::uint32_t color, std::string_view text,
            Direction direction = Direction::natural);
  // One for each grapheme cluster and one for the end, in the order in which the text is read: where a cursor before
  // it stands, at its left, or at its right where it runs from right to left. So x grows from left to right only in
  // text that does; where the direction changes, the last one's end and the next one's start lie apart.
  std::vector<Caret> carets(Type type, std::string_view text, Direction direction = Direction::natural);

  // Notes what a text needs; glyphs that the atlas lacks come with the next prepare(), a Unicode block at a time.
  // Whether Dear ImGui draws it: false for text that is shaped, which needs nothing.
  bool want(std::string_view text);
  // The same of a text in that style.
  bool want(Type type, std::string_view text);
  // Whether glyphs or styles wait for prepare().
  bool stale() const;

  // The system has other fonts than before, for characters that those of the program lack.
  void refresh_fonts();

  // Scripts of characters in these texts that no font here has, for missing_fonts_note().
  std::vector<Script> missing(const std::vector<std::string>& texts);

  // With the codes that are drawn for such characters in their place, so that it can be cut within one.
  std::string with_codes(std::string_view text);

  const MathFont& math() const;

  // Where glyphs of shaped text are kept to be drawn from; null for nowhere. Borrowed until the next call.
  void use(GlyphTextures* textures);
  // Call before a frame is shown: sends glyphs that are new to the textures.
  void upload();
  const ShapedLines& shaped() const;

  static std::string display_text(std::string_view token) { return headlight::display_text(token); }

 private:
  struct State;
  explicit Fonts(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
