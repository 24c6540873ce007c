#include "app/page/pgf_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "app/page/formats.h"
#include "app/page/notes.h"
#include "app/text/characters.h"
#include "app/text/math_font.h"
#include "engine/core/utf8.h"

namespace headlight {

const std::string_view latex_line_commands =
    R"(\protected\def\hlfit#1#2{\sbox0{#2}\ifdim\wd0>#1 \resizebox{#1}{\height}{\usebox0}\else\usebox0\fi}%
\protected\def\hlcyrillic#1#2{#2}%
\ifdefined\Umathcode\else\ifcsname T@T2A\endcsname
  \protected\def\hlcyrillic#1#2{{\fontencoding{T2A}\fontfamily{\hlfamily}\selectfont #1}}%
\fi\fi
\makeatletter
\def\hlM#1 #2 {\pgfsys@moveto{#1pt}{#2pt}}%
\def\hlL#1 #2 {\pgfsys@lineto{#1pt}{#2pt}}%
\def\hlC#1 #2 #3 #4 #5 #6 {\pgfsys@curveto{#1pt}{#2pt}{#3pt}{#4pt}{#5pt}{#6pt}}%
\def\hlZ{\pgfsys@closepath}%
\def\hlglyph#1#2{\expandafter\def\csname hl:#1\endcsname{#2}}%
\protected\def\hlput#1#2#3#4{\pgfsys@beginscope\pgfsys@transformcm{#1}{0}{0}{#1}{#2bp}{#3bp}%
  \csname hl:#4\endcsname\pgfsys@fill\pgfsys@endscope}%
\protected\def\hldrawn#1#2{\pgfpicture\pgfsetbaseline{0pt}\pgfpathrectangle{\pgfpointorigin}{\pgfpoint{#1bp}{0pt}}%
  \pgfusepath{use as bounding box}#2\endpgfpicture}%
\makeatother
)";

namespace {

// What a letter is in LaTeX, where it is not itself: behind a backslash, raised, or another.
constexpr std::u32string_view escaped = U"_&%#${}", raised = U"⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
constexpr std::array<std::pair<char32_t, std::string_view>, 23> latex_letters{{
    {U'~', "\\textasciitilde{}"},
    {U'^', "\\textasciicircum{}"},
    {U'\\', "\\textbackslash{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "\\textquotedbl{}"},
    {U'\'', "\\textquotesingle{}"},
    {U'`', "\\`{}"},
    {U'-', "-{}"},  // two of them would be a dash
    {U',', ",{}"},  // and two of these a quotation mark
    {U' ', "\\ "},
    {U'Ġ', "\\.G"},  // these three stand for spaces and line ends in many vocabularies
    {U'Ċ', "\\.C"},
    {U'▁', "\\_"},
    {U'·', "\\ensuremath{\\cdot}"},  // in a paper of Computer Modern a letter of TS1 would be a bitmap
    {U'×', "\\ensuremath{\\times}"},
    {U'…', "\\ldots{}"},
    {U'−', "\\ensuremath{-}"},
    {U'→', "\\ensuremath{\\rightarrow}"},
    {U'↓', "\\ensuremath{\\downarrow}"},
    {U'⟨', "\\ensuremath{\\langle}"},
    {U'⟩', "\\ensuremath{\\rangle}"},
}};

// Letters that T1 fonts have: ASCII and those of Latin-1.
bool is_western(char32_t letter) {
  return (letter >= 0x20 && letter < 0x7F) || (letter >= 0xC0 && letter <= 0xFF && letter != 0xD7 && letter != 0xF7);
}

bool is_cyrillic(char32_t letter) {
  return letter >= U'А' && letter <= U'я';
}

// Empty where LaTeX's usual fonts have none.
std::string latex_letter(char32_t letter, std::string_view utf8) {
  const auto* known = std::ranges::find(latex_letters, letter, &std::pair<char32_t, std::string_view>::first);
  if (known != latex_letters.end()) return std::string(known->second);
  if (escaped.find(letter) != escaped.npos) return fmt::format("\\{}", utf8);
  if (const std::size_t at = raised.find(letter); at != raised.npos)
    return fmt::format("\\ensuremath{{^{{{}}}}}", "-0123456789"[at]);
  return is_western(letter) ? std::string(utf8) : "";
}

// Who has the letters of a text.
enum class Letters { latex, cyrillic, drawn, coded };

Letters letters_of(std::string_view utf8) {
  bool all_cyrillic = true, all_latex = true;
  for (std::string_view rest = utf8; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    all_cyrillic = all_cyrillic && is_cyrillic(step.character);
    all_latex = all_latex && !latex_letter(step.character, rest.substr(0, step.size)).empty();
    rest.remove_prefix(step.size);
  }
  if (all_latex) return Letters::latex;
  return all_cyrillic ? Letters::cyrillic : Letters::drawn;
}

constexpr double units_of_em = 1000, points_of_big_point = 72.27 / 72;

// In thousandths of an em, upward.
std::string path_in_latex(const Outline& outline) {
  std::string path;
  const auto add = [&](OutlinePoint p) {
    fmt::format_to(std::back_inserter(path), "{} {} ", std::lround(units_of_em * p.x), std::lround(-units_of_em * p.y));
  };
  for (const PathPart& part : outline) {
    constexpr std::array verbs{"\\hlM ", "\\hlL ", "\\hlC ", "\\hlZ "};  // in the order of PathVerb
    path += verbs[static_cast<std::size_t>(part.verb)];
    if (part.verb == PathVerb::cubic) {
      add(part.control1);
      add(part.control2);
    }
    if (part.verb != PathVerb::close) add(part.to);
  }
  return path;
}

}  // namespace

// A part of a line whose letters are all of one kind, and the glyphs that draw it.
struct LatexLines::Piece {
  Letters letters = Letters::latex;
  std::size_t begin = 0, end = 0;  // bytes of what the line shows
  std::size_t first_glyph = 0, last_glyph = 0;
  double x = 0, width = 0;
};

std::vector<LatexLines::Piece> LatexLines::pieces_of(const TextLine& line) const {
  std::vector<Piece> pieces;
  const bool turned = std::ranges::any_of(line.clusters, &Cluster::right_to_left);
  std::size_t byte = 0, glyph = 0;
  for (const Cluster& cluster : line.clusters) {
    Piece next{.begin = byte, .first_glyph = glyph, .x = cluster.x, .width = cluster.width};
    next.end = byte += static_cast<std::size_t>(cluster.bytes);
    next.last_glyph = glyph += static_cast<std::size_t>(cluster.glyphs);
    // LaTeX would have to be told of directions: such a line is drawn as a whole.
    next.letters = turned ? Letters::drawn : letters_of(std::string_view(line.shown).substr(next.begin, cluster.bytes));
    for (std::size_t i = next.first_glyph; i < next.last_glyph; ++i)
      if (fonts_.is_color(line.glyphs[i].face)) next.letters = Letters::coded;
    if (pieces.empty() || pieces.back().letters != next.letters) {
      pieces.push_back(next);
      continue;
    }
    Piece& last = pieces.back();
    const double right = std::max(last.x + last.width, next.x + next.width);
    last.x = std::min(last.x, next.x);
    last.width = right - last.x;
    last.end = next.end;
    last.last_glyph = next.last_glyph;
  }
  if (turned) std::ranges::stable_sort(pieces, {}, &Piece::x);  // emoji part such a line
  return pieces;
}

std::string LatexLines::drawn(const TextLine& line, const Piece& piece) {
  std::string latex = fmt::format("\\hldrawn{{{:.3f}}}{{", piece.width);
  for (std::size_t i = piece.first_glyph; i < piece.last_glyph; ++i) {
    const Glyph& glyph = line.glyphs[i];
    const std::pair key{glyph.face, glyph.index};
    auto known = outlines_.find(key);
    if (known == outlines_.end()) {
      const auto outline = outline_of(fonts_.face(glyph.face), glyph.index, fonts_.units_per_em(glyph.face));
      known = outlines_.emplace(key, path_in_latex(*outline)).first;
    }
    if (known->second.empty()) continue;
    fmt::format_to(std::back_inserter(latex), "\\hlput{{{:.6f}}}{{{:.3f}}}{{{:.3f}}}{{{}-{}}}",
                   line.size / units_of_em * points_of_big_point, glyph.x - piece.x, -glyph.y,
                   static_cast<int>(glyph.face), glyph.index);
  }
  return latex + "}";
}

std::string LatexLines::of(const TextLine& line) {
  std::string latex;
  for (const Piece& piece : pieces_of(line)) {
    const std::string text = line.shown.substr(piece.begin, piece.end - piece.begin);
    switch (piece.letters) {
      case Letters::latex:
        latex += latex_text(text);
        break;
      case Letters::cyrillic:
        latex += fmt::format("\\hlcyrillic{{{}}}{{{}}}", text, drawn(line, piece));
        break;
      case Letters::drawn:
        latex += drawn(line, piece);
        break;
      case Letters::coded:
        latex += fmt::format("\\hlfit{{{:.3f}bp}}{{{}}}", piece.width, latex_text(text));
        break;
    }
  }
  return latex;
}

std::string LatexLines::glyphs() const {
  std::string latex;
  for (const auto& [key, path] : outlines_)
    if (!path.empty())
      latex += fmt::format("\\hlglyph{{{}-{}}}{{{}}}%\n", static_cast<int>(key.first), key.second, path);
  return latex;
}

std::string latex_text(std::string_view utf8) {
  const std::string sound = sanitized(utf8);
  std::string latex;
  for (std::string_view rest = sound; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    const std::string letter = latex_letter(step.character, rest.substr(0, step.size));
    latex += letter.empty() ? code_of(step.character) : letter;
    rest.remove_prefix(step.size);
  }
  return latex;
}

std::string latex_letters_note(const std::vector<std::string>& texts) {
  const auto first = std::ranges::find_if(
      texts, [](const std::string& text) { return letters_of(sanitized(text)) == Letters::drawn; });
  if (first == texts.end()) return "";
  return fmt::format(
      "LaTeX's fonts have no letters for {}: such words are drawn as outlines, and emoji are numbers; "
      "in a PDF or an SVG they are text that can be copied",
      *first);
}

}  // namespace headlight
