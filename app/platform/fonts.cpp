#include "app/platform/fonts.h"

#include <fmt/format.h>
#include <ft2build.h>
#include <imgui.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace headlight::app {

namespace {

enum class File { inter_regular, inter_medium, inter_semibold, mono_regular, mono_semibold, fallback };
constexpr std::array<const char*, 6> file_names{"Inter-Regular.otf",          "Inter-Medium.otf",
                                                "Inter-SemiBold.otf",         "JetBrainsMono-Regular.ttf",
                                                "JetBrainsMono-SemiBold.ttf", "DejaVuSans.ttf"};

struct Style {
  File file;
  TypeSize size;
};
constexpr std::array<Style, type_count> styles{{
    {File::inter_semibold, {17, 24}},
    {File::inter_regular, {14, 21}},
    {File::inter_semibold, {14, 21}},
    {File::inter_medium, {13, 18}},
    {File::inter_regular, {13, 18}},
    {File::inter_semibold, {13, 18}},
    {File::inter_semibold, {12, 16}},
    {File::inter_regular, {12, 16}},
    {File::mono_regular, {13, 18}},
    {File::mono_regular, {12, 16}},
    {File::mono_regular, {11, 14}},
    {File::mono_semibold, {18, 24}},
    {File::inter_semibold, {64, 76}},
    {File::inter_regular, {32, 44}},
    {File::inter_regular, {26, 36}},
    {File::inter_regular, {24, 32}},
}};
constexpr int first_presenter = static_cast<int>(Type::presenter_title);

struct Block {
  char32_t first, last;
};
// Unicode blocks that come in whole when one of their characters is wanted; anything else comes alone.
constexpr std::array<Block, 9> whole_blocks{{{0x100, 0x17F},
                                             {0x180, 0x24F},
                                             {0x370, 0x3FF},
                                             {0x400, 0x4FF},
                                             {0x530, 0x58F},
                                             {0x590, 0x5FF},
                                             {0x600, 0x6FF},
                                             {0x10A0, 0x10FF},
                                             {0x1E00, 0x1EFF}}};
// In the atlas from the start, where a face has them.
constexpr std::array<Block, 10> base_blocks{{{0x21, 0x7E},
                                             {0xA0, 0x17F},
                                             {0x391, 0x3C9},
                                             {0x400, 0x45F},
                                             {0x2010, 0x2027},
                                             {0x2030, 0x203A},
                                             {0x2070, 0x209C},
                                             {0x2190, 0x21FF},
                                             {0x2200, 0x226F},
                                             {0x27E8, 0x27E9}}};
// Single characters of the interface: modifier and superscript letters, fractions, keys, marks.
constexpr std::array<char32_t, 14> base_extras{0x1D40, 0x1D48, 0x1D4F, 0x2032, 0x2033, 0x20AC, 0x2122,
                                               0x23CE, 0x2308, 0x2309, 0x25BC, 0x25B2, 0x2026, 0xFFFD};

constexpr char32_t largest_drawable = IM_UNICODE_CODEPOINT_MAX;

Result<std::vector<unsigned char>> read_font(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail("{}: the font is missing; install the packages fonts-inter, fonts-jetbrains-mono and fonts-dejavu-core",
                path.string());
  }
  return std::vector<unsigned char>{std::istreambuf_iterator<char>(file), {}};
}

// Rasterised text is as wide as the design only with unrounded advances, and sharp at such positions only when it is
// finer than a pixel across: so many samples to a pixel.
int oversampling(float em_pixels) {
  return em_pixels < 28 ? 3 : 2;
}

struct Bitmap {
  int width = 1;   // in samples
  int height = 1;  // in pixels
  float left = 0;  // px from the pen to the first sample
  int top = 0;     // px from the baseline up to the first row
  float advance = 0;
  std::vector<unsigned char> coverage;
};

// Each sample becomes the mean over one pixel's width: what a box-shaped pixel sees at that position.
void box_filter(Bitmap& bitmap, int samples) {
  const int wide = bitmap.width + samples - 1;
  std::vector<unsigned char> out(static_cast<std::size_t>(wide * bitmap.height), 0);
  for (int y = 0; y < bitmap.height; ++y) {
    for (int x = 0; x < wide; ++x) {
      int sum = 0;
      for (int s = std::max(0, x - samples + 1); s <= std::min(x, bitmap.width - 1); ++s) {
        sum += bitmap.coverage[static_cast<std::size_t>(y * bitmap.width + s)];
      }
      out[static_cast<std::size_t>(y * wide + x)] = static_cast<unsigned char>(sum / samples);
    }
  }
  // The window of a sample reaches half a pixel to either side of its centre.
  bitmap.left -= static_cast<float>(samples - 1) / (2.0F * static_cast<float>(samples));
  bitmap.width = wide;
  bitmap.coverage = std::move(out);
}

Bitmap rasterise(FT_Face face, unsigned glyph, float em_pixels) {
  const int samples = oversampling(em_pixels);
  Bitmap bitmap{.coverage = {0}};
  FT_Set_Char_Size(face, 0, std::lround(em_pixels * 64), 72, 72);
  FT_Matrix stretch{static_cast<FT_Fixed>(samples) << 16, 0, 0, 1L << 16};
  FT_Set_Transform(face, nullptr, nullptr);
  // Light hinting moves outlines to whole pixels vertically and leaves their widths alone.
  if (FT_Load_Glyph(face, glyph, FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP) != 0) return bitmap;
  bitmap.advance = static_cast<float>(face->glyph->linearHoriAdvance) / 65536.0F;
  FT_Outline_Transform(&face->glyph->outline, &stretch);
  if (FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL) != 0) return bitmap;
  const FT_Bitmap& drawn = face->glyph->bitmap;
  if (drawn.width == 0 || drawn.rows == 0) return bitmap;
  bitmap.width = static_cast<int>(drawn.width);
  bitmap.height = static_cast<int>(drawn.rows);
  bitmap.left = static_cast<float>(face->glyph->bitmap_left) / static_cast<float>(samples);
  bitmap.top = face->glyph->bitmap_top;
  bitmap.coverage.resize(static_cast<std::size_t>(bitmap.width * bitmap.height));
  for (int y = 0; y < bitmap.height; ++y) {
    std::memcpy(bitmap.coverage.data() + y * bitmap.width, drawn.buffer + y * drawn.pitch, drawn.width);
  }
  box_filter(bitmap, samples);
  return bitmap;
}

}  // namespace

struct Fonts::State {
  std::array<std::vector<unsigned char>, file_names.size()> files;
  FT_Library library = nullptr;
  std::array<FT_Face, file_names.size()> faces{};
  std::array<FontFace, type_count> built{};
  std::set<char32_t> characters;  // in the atlas, or waiting for it
  std::set<char32_t> refused;     // asked for and in no face
  float scale = 0;
  bool presenter = false;
  bool stale = true;
  std::vector<ImWchar> ranges;  // must outlive the atlas

  ~State() {
    for (FT_Face face : faces) {
      if (face) FT_Done_Face(face);
    }
    if (library) FT_Done_FreeType(library);
  }
  FT_Face face(File file) const { return faces[static_cast<std::size_t>(file)]; }
  bool has(File file, char32_t c) const { return FT_Get_Char_Index(face(file), c) != 0; }
  void add(char32_t first, char32_t last);
  void build();
  void measure(std::size_t index);
  ImFont* add_font(const Style& style, const FontFace& metrics);
  void add_glyphs(std::size_t index, std::vector<std::pair<int, Bitmap>>& out);
};

void Fonts::State::add(char32_t first, char32_t last) {
  for (char32_t c = first; c <= last; ++c) {
    if (has(File::inter_regular, c) || has(File::mono_regular, c) || has(File::fallback, c)) characters.insert(c);
  }
}

// Ascent and descent are rounded apart, as browsers do, so that a baseline is a whole pixel.
void Fonts::State::measure(std::size_t index) {
  const Style& style = styles[index];
  FT_Face ft = face(style.file);
  const float em = style.size.size * scale;
  const auto per_unit = em / static_cast<float>(ft->units_per_EM);
  FontFace& out = built[index];
  out.ascent = std::round(static_cast<float>(ft->ascender) * per_unit);
  out.pixels = out.ascent + std::round(static_cast<float>(-ft->descender) * per_unit);
  out.line = std::round(style.size.line * scale);
  out.cap = std::round(em * 0.73F);  // cap height of Inter 0.727 em, of JetBrains Mono 0.73 em
}

#if IMGUI_VERSION_NUM < 19200

// The atlas builder of ImGui 1.86 rounds advances up or leaves out hinting; so it gets one glyph a font from the file,
// and all others as rectangles that are filled here.
ImFont* Fonts::State::add_font(const Style& style, const FontFace& metrics) {
  static constexpr ImWchar only_space[] = {' ', ' ', 0};
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 1;
  auto& bytes = files[static_cast<std::size_t>(style.file)];
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), metrics.pixels,
                                                    &config, only_space);
}

void Fonts::State::add_glyphs(std::size_t index, std::vector<std::pair<int, Bitmap>>& out) {
  const Style& style = styles[index];
  const float em = style.size.size * scale;
  for (const char32_t c : characters) {
    const bool own = has(style.file, c);
    if (!own && !has(File::fallback, c)) continue;
    FT_Face ft = face(own ? style.file : File::fallback);
    Bitmap bitmap = rasterise(ft, FT_Get_Char_Index(ft, c), em);
    const int rect = ImGui::GetIO().Fonts->AddCustomRectFontGlyph(
        built[index].font, static_cast<ImWchar>(c), bitmap.width, bitmap.height, bitmap.advance,
        ImVec2(bitmap.left, built[index].ascent - static_cast<float>(bitmap.top)));
    out.emplace_back(rect, std::move(bitmap));
  }
}

void Fonts::State::build() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.TexDesiredWidth = scale > 1.6F ? 4096 : 2048;
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  std::vector<std::pair<int, Bitmap>> glyphs;
  const std::size_t count = presenter ? styles.size() : first_presenter;
  for (std::size_t i = 0; i < count; ++i) {
    measure(i);
    built[i].font = add_font(styles[i], built[i]);
    add_glyphs(i, glyphs);
  }
  atlas.Build();
  for (const auto& [rect_index, bitmap] : glyphs) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(rect_index);
    for (int y = 0; y < bitmap.height; ++y) {
      std::memcpy(atlas.TexPixelsAlpha8 + (rect.Y + y) * atlas.TexWidth + rect.X,
                  bitmap.coverage.data() + y * bitmap.width, static_cast<std::size_t>(bitmap.width));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const float samples = static_cast<float>(oversampling(styles[i].size.size * scale));
    for (ImFontGlyph& glyph : built[i].font->Glyphs) {
      if (glyph.Codepoint != ' ' && glyph.Codepoint != '\t') glyph.X1 = glyph.X0 + (glyph.X1 - glyph.X0) / samples;
    }
  }
}

#else

// ImGui 1.92 rasterises on demand at any size, so it only needs the faces in order of preference.
ImFont* Fonts::State::add_font(const Style& style, const FontFace& metrics) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  auto& bytes = files[static_cast<std::size_t>(style.file)];
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font =
      atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), metrics.pixels, &config, nullptr);
  config.MergeMode = true;
  auto& more = files[static_cast<std::size_t>(File::fallback)];
  return atlas.AddFontFromMemoryTTF(more.data(), static_cast<int>(more.size()), metrics.pixels, &config, nullptr)
             ? font
             : nullptr;
}

void Fonts::State::build() {
  ImGui::GetIO().Fonts->Clear();
  const std::size_t count = presenter ? styles.size() : first_presenter;
  for (std::size_t i = 0; i < count; ++i) {
    measure(i);
    built[i].font = add_font(styles[i], built[i]);
  }
}

#endif

TypeSize type_size(Type type) {
  return styles[static_cast<std::size_t>(type)].size;
}

Fonts::Fonts(std::unique_ptr<State> state) : state_(std::move(state)) {}
Fonts::Fonts(Fonts&&) noexcept = default;
Fonts& Fonts::operator=(Fonts&&) noexcept = default;
Fonts::~Fonts() = default;

Result<Fonts> Fonts::open(const std::filesystem::path& folder) {
  auto state = std::make_unique<State>();
  if (FT_Init_FreeType(&state->library) != 0) return fail("FreeType does not start");
  for (std::size_t i = 0; i < file_names.size(); ++i) {
    const std::filesystem::path path = folder / file_names[i];
    HL_TRY(state->files[i], read_font(path));
    const auto& bytes = state->files[i];
    if (FT_New_Memory_Face(state->library, bytes.data(), static_cast<FT_Long>(bytes.size()), 0, &state->faces[i]) !=
        0) {
      return fail("{}: not a font that FreeType can read; install it again", path.string());
    }
  }
  for (const Block& block : base_blocks) state->add(block.first, block.last);
  for (const char32_t c : base_extras) state->add(c, c);
  return Fonts(std::move(state));
}

bool Fonts::prepare(float scale) {
  const float kept = std::clamp(scale, 0.5F, 4.0F);
  if (!state_->stale && kept == state_->scale) return false;
  state_->scale = kept;
  state_->build();
  state_->stale = false;
  return true;
}

FontFace Fonts::face(Type type) {
  const auto index = static_cast<int>(type);
  if (index >= first_presenter && !state_->presenter) {
    state_->presenter = true;
    state_->stale = true;
  }
  const FontFace& face = state_->built[static_cast<std::size_t>(index)];
  return face.font ? face : state_->built[static_cast<std::size_t>(Type::title)];
}

void Fonts::invalidate() {
  state_->stale = true;
}

float Fonts::scale() const {
  return state_->scale;
}
bool Fonts::stale() const {
  return state_->stale;
}

void Fonts::want(std::string_view text) {
  while (!text.empty()) {
    const auto [c, size] = utf8_step(text);
    text.remove_prefix(size);
    if (c < 0x80 || c > largest_drawable || state_->characters.contains(c) || state_->refused.contains(c)) continue;
    if (!covers(c)) {
      state_->refused.insert(c);
      continue;
    }
    const auto block =
        std::find_if(whole_blocks.begin(), whole_blocks.end(), [&](Block b) { return c >= b.first && c <= b.last; });
    block == whole_blocks.end() ? state_->add(c, c) : state_->add(block->first, block->last);
    state_->stale = true;
  }
}

bool Fonts::covers(char32_t character) const {
  if (character > largest_drawable) return false;
  return state_->has(File::inter_regular, character) || state_->has(File::fallback, character);
}

std::string Fonts::display_text(std::string_view token) const {
  const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
  const std::size_t last = token.find_last_not_of(' ');
  std::string shown;
  for (std::size_t at = 0; at < token.size();) {
    const auto [c, size] = utf8_step(token.substr(at));
    const bool edge = at < first || last == std::string_view::npos || at > last;
    if (c == 0xFFFD && size == 1) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(token[at]));
    } else if (c == ' ') {
      shown += edge ? "·" : " ";
    } else if (c == '\n') {
      shown += "⏎";
    } else if (c == '\t') {
      shown += "⇥";
    } else if (c < 0x20 || c == 0x7F || !covers(c)) {
      shown += fmt::format("U+{:04X}", static_cast<unsigned>(c));
    } else {
      shown.append(token.substr(at, size));
    }
    at += size;
  }
  return shown;
}

Utf8Step utf8_step(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 ? 2 : 1;
  constexpr Utf8Step wrong{0xFFFD, 1};
  if (size == 1 || lead >= 0xF5 || text.size() < size) return wrong;
  auto c = static_cast<char32_t>(lead & (0xFFU >> (size + 1)));
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return wrong;
    c = (c << 6) | (next & 0x3FU);
  }
  const bool overlong = (size == 3 && c < 0x800) || (size == 4 && c < 0x10000);
  if (overlong || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return wrong;
  return {c, size};
}

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

}  // namespace headlight::app
