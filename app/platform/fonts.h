// The window's type: the faces and sizes of the design, rasterised for one UI scale, and what to show for text that no
// face can draw.
//
// Not for formulas (prepared paths) and not for figures, which cairo draws.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

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
};
inline constexpr int type_count = static_cast<int>(Type::presenter_least) + 1;

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
  // DejaVuSans.ttf, which fills the gaps of the others. The error names the file that is missing.
  static Result<Fonts> open(const std::filesystem::path& folder);
  Fonts(Fonts&&) noexcept;
  Fonts& operator=(Fonts&&) noexcept;
  ~Fonts();

  // Call between frames, with an ImGui context: builds the atlas when the scale is new or when text was asked for that
  // it lacks. True when it was built, so that the texture must be uploaded again.
  bool prepare(float scale);
  // The next prepare() builds in any case: the ImGui context is a new one.
  void invalidate();

  // The Presenter's four styles are built from the first call on that asks for one; until the next prepare() such a
  // call gives the largest other style.
  FontFace face(Type type);
  float scale() const;

  // Notes what a text needs; glyphs that the atlas lacks come with the next prepare(), a Unicode block at a time.
  void want(std::string_view text);
  // Whether glyphs or styles wait for prepare().
  bool stale() const;
  // Whether some face can draw the character.
  bool covers(char32_t character) const;

  // A token as it is shown: leading and trailing spaces as "·", a tab or line break as its symbol, a character that no
  // face has as "U+XXXX", a byte that is not UTF-8 as "\xNN".
  std::string display_text(std::string_view token) const;

 private:
  struct State;
  explicit Fonts(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The next character of UTF-8 text and how many bytes it took (at least 1); size 1 and value U+FFFD where the text is
// not UTF-8. The text must not be empty.
struct Utf8Step {
  char32_t character;
  std::size_t size;
};
Utf8Step utf8_step(std::string_view text);
void append_utf8(std::string& text, char32_t character);

}  // namespace headlight::app
