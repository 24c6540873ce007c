#include "app/platform/fonts.h"

#include <ft2build.h>
#include <imgui.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "app/platform/glyph_atlas.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

// By Face.
constexpr std::array<const char*, 6> file_names{"Inter-Regular.otf",          "Inter-Medium.otf",
                                                "Inter-SemiBold.otf",         "JetBrainsMono-Regular.ttf",
                                                "JetBrainsMono-SemiBold.ttf", "DejaVuSans.ttf"};

struct Style {
  Face face;
  TypeSize size;
};
constexpr std::array<Style, type_count> styles{{
    {Face::semibold, {17, 24}}, {Face::regular, {14, 21}},  {Face::semibold, {14, 21}}, {Face::medium, {13, 18}},
    {Face::regular, {13, 18}},  {Face::semibold, {13, 18}}, {Face::semibold, {12, 16}}, {Face::regular, {12, 16}},
    {Face::mono, {13, 18}},     {Face::mono, {12, 16}},     {Face::mono, {11, 14}},     {Face::mono_semibold, {18, 24}},
    {Face::semibold, {64, 76}}, {Face::regular, {32, 44}},  {Face::regular, {26, 36}},  {Face::regular, {24, 32}},
    {Face::semibold, {36, 46}}, {Face::semibold, {26, 36}}, {Face::mono, {24, 32}},     {Face::semibold, {32, 44}},
    {Face::semibold, {22, 30}}, {Face::regular, {16, 25}},  {Face::semibold, {16, 25}}, {Face::mono, {30, 36}},
}};
// From here on a style is built once a text asks for it: those of the presenter and of lessons are large.
constexpr std::size_t first_on_demand = static_cast<std::size_t>(Type::presenter_title);

struct Block {
  char32_t first, last;
};
// Unicode blocks that come in whole when one of their characters is wanted; anything else comes alone.
constexpr std::array<Block, 5> whole_blocks{
    {{0x100, 0x17F}, {0x180, 0x24F}, {0x370, 0x3FF}, {0x400, 0x4FF}, {0x1E00, 0x1EFF}}};
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

// Debian's Dear ImGui has characters of 16 bits.
constexpr char32_t end_of_drawable = 0x10000;

// How a character is drawn; `shaped` also where no font has it.
enum class Renderer : std::uint8_t { unknown, imgui, shaped };

Result<std::string> read_font(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown))
    return fail("{}: the font is missing; install the packages fonts-inter, fonts-jetbrains-mono and fonts-dejavu-core",
                utf8(path));
  constexpr std::uint64_t largest = 1 << 28;  // bytes
  return read_file(path, largest);
}

}  // namespace

struct Fonts::State {
  std::array<std::string, file_names.size()> files;  // their bytes
  FT_Library library = nullptr;
  std::array<FT_Face, file_names.size()> faces{};
  std::array<FontFace, type_count> built{};
  std::set<char32_t> characters;        // in the atlas, or waiting for it
  std::set<char32_t> large_characters;  // those of styles that are built on demand: ASCII, and what texts had
  std::vector<Renderer> renderers = std::vector<Renderer>(end_of_drawable, Renderer::unknown);
  std::map<std::string, std::vector<Script>, std::less<>> missing;  // of grapheme clusters that were asked about
  std::optional<ShapedLines> lines;
  std::optional<MathFont> math;
  std::map<std::pair<std::size_t, char32_t>, Bitmap> bitmaps;  // by style, of the scale at which they were drawn
  float scale_of_bitmaps = 0, scale = 0;
  std::array<bool, type_count> asked{};  // of the styles from first_on_demand on
  bool stale = true;

  ~State() {
    for (FT_Face face : faces)
      if (face) FT_Done_Face(face);
    if (library) FT_Done_FreeType(library);
  }
  FT_Face face(Face which) const { return faces[static_cast<std::size_t>(which)]; }
  bool wanted(std::size_t style) const { return style < first_on_demand || asked[style]; }
  bool has(Face which, char32_t c) const { return FT_Get_Char_Index(face(which), c) != 0; }
  void build();
  ImFont* add_font(const Style& style, const FontFace& metrics);
  void add_glyphs(std::size_t index, std::vector<std::pair<int, const Bitmap*>>& out);

  Renderer renderer_of(char32_t c) const {
    if (c == 0xFFFD) return Renderer::imgui;
    const bool simple = shaped_script(c) == 0 && !is_invisible(c) && !is_emoji({&c, 1});
    const bool drawable = (has(Face::regular, c) && has(Face::mono, c)) || has(Face::fallback, c);
    return simple && drawable ? Renderer::imgui : Renderer::shaped;
  }
  void add(char32_t first, char32_t last) {
    for (char32_t c = first; c <= last; ++c) {
      Renderer& renderer = renderers[c];
      if (renderer == Renderer::unknown) renderer = renderer_of(c);
      if (renderer == Renderer::imgui) characters.insert(c);
    }
  }
  void want(char32_t c) {
    const auto block =
        std::find_if(whole_blocks.begin(), whole_blocks.end(), [&](Block b) { return c >= b.first && c <= b.last; });
    block == whole_blocks.end() ? add(c, c) : add(block->first, block->last);
    stale = stale || renderers[c] == Renderer::imgui;
  }
  // Of what Dear ImGui draws of a text in that style.
  void want_in(std::size_t style, std::string_view text) {
    if (style < first_on_demand ||
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
      return;
    for (const char32_t c : code_points(text))
      if (c >= 0x80 && c < end_of_drawable && renderers[c] == Renderer::imgui && large_characters.insert(c).second)
        stale = true;
  }
  const std::vector<Script>& missing_of(std::string_view cluster) {
    if (const auto known = missing.find(cluster); known != missing.end()) return known->second;
    constexpr std::size_t most_known = 1 << 14;
    if (missing.size() >= most_known) missing.clear();
    return missing.emplace(cluster, lines->fonts().set(Face::regular, 1, cluster).missing).first->second;
  }
  // Ascent and descent are rounded apart, as browsers do, so that a baseline is a whole pixel.
  void measure(std::size_t index) {
    const Style& style = styles[index];
    FT_Face ft = face(style.face);
    const float em = style.size.size * scale;
    const auto per_unit = em / static_cast<float>(ft->units_per_EM);
    FontFace& out = built[index];
    out.ascent = std::round(static_cast<float>(ft->ascender) * per_unit);
    out.pixels = out.ascent + std::round(static_cast<float>(-ft->descender) * per_unit);
    out.line = std::round(style.size.line * scale);
    out.cap = std::round(em * 0.73F);  // cap height of Inter 0.727 em, of JetBrains Mono 0.73 em
  }
};

#if IMGUI_VERSION_NUM < 19200

// The atlas builder of ImGui 1.86 rounds advances up or leaves out hinting; so it gets one glyph a font from the file,
// and all others as rectangles that are filled here.
ImFont* Fonts::State::add_font(const Style& style, const FontFace& metrics) {
  static constexpr ImWchar only_space[] = {' ', ' ', 0};
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.OversampleH = 1;
  auto& bytes = files[static_cast<std::size_t>(style.face)];
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), metrics.pixels,
                                                    &config, only_space);
}

void Fonts::State::add_glyphs(std::size_t index, std::vector<std::pair<int, const Bitmap*>>& out) {
  const Style& style = styles[index];
  const float em = style.size.size * scale;
  for (const char32_t c : index < first_on_demand ? characters : large_characters) {
    const bool own = has(style.face, c);
    if (!own && !has(Face::fallback, c)) continue;
    const auto [drawn, fresh] = bitmaps.try_emplace({index, c});
    Bitmap& bitmap = drawn->second;
    if (fresh) {
      FT_Face ft = face(own ? style.face : Face::fallback);
      bitmap = rasterise(ft, FT_Get_Char_Index(ft, c), em);
    }
    const int rect = ImGui::GetIO().Fonts->AddCustomRectFontGlyph(
        built[index].font, static_cast<ImWchar>(c), bitmap.width, bitmap.height, bitmap.advance,
        ImVec2(bitmap.left, built[index].ascent - static_cast<float>(bitmap.top)));
    out.emplace_back(rect, &bitmap);
  }
}

void Fonts::State::build() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.TexDesiredWidth = scale > 1.6F ? 4096 : 2048;
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  if (std::exchange(scale_of_bitmaps, scale) != scale) bitmaps.clear();
  std::vector<std::pair<int, const Bitmap*>> glyphs;
  for (std::size_t i = 0; i < styles.size(); ++i) {
    if (!wanted(i)) continue;
    measure(i);
    built[i].font = add_font(styles[i], built[i]);
    add_glyphs(i, glyphs);
  }
  atlas.Build();
  for (const auto& [rect_index, bitmap] : glyphs) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(rect_index);
    for (int y = 0; y < bitmap->height; ++y)
      std::memcpy(atlas.TexPixelsAlpha8 + (rect.Y + y) * atlas.TexWidth + rect.X,
                  bitmap->coverage.data() + y * bitmap->width, static_cast<std::size_t>(bitmap->width));
  }
  for (std::size_t i = 0; i < styles.size(); ++i) {
    if (!wanted(i)) continue;
    const float samples = static_cast<float>(oversampling(styles[i].size.size * scale));
    for (ImFontGlyph& glyph : built[i].font->Glyphs)
      if (glyph.Codepoint != ' ' && glyph.Codepoint != '\t') glyph.X1 = glyph.X0 + (glyph.X1 - glyph.X0) / samples;
  }
}

#else

// ImGui 1.92 rasterises on demand at any size, so it only needs the faces in order of preference.
ImFont* Fonts::State::add_font(const Style& style, const FontFace& metrics) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  auto& bytes = files[static_cast<std::size_t>(style.face)];
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font =
      atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), metrics.pixels, &config, nullptr);
  config.MergeMode = true;
  auto& more = files[static_cast<std::size_t>(Face::fallback)];
  return atlas.AddFontFromMemoryTTF(more.data(), static_cast<int>(more.size()), metrics.pixels, &config, nullptr)
             ? font
             : nullptr;
}

void Fonts::State::build() {
  ImGui::GetIO().Fonts->Clear();
  for (std::size_t i = 0; i < styles.size(); ++i) {
    if (!wanted(i)) continue;
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

Result<Fonts> Fonts::open(const std::filesystem::path& folder, bool system) {
  auto state = std::make_unique<State>();
  if (FT_Init_FreeType(&state->library) != 0) return fail("FreeType does not start");
  for (std::size_t i = 0; i < file_names.size(); ++i) {
    const std::filesystem::path path = folder / file_names[i];
    HL_TRY(state->files[i], read_font(path));
    const auto& bytes = state->files[i];
    if (FT_New_Memory_Face(state->library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                           static_cast<FT_Long>(bytes.size()), 0, &state->faces[i]) != 0)
      return fail("{}: not a font that FreeType can read; install it again", utf8(path));
  }
  FontFiles files = font_files_in(folder);
  files.system = system;
  HL_TRY(FontSet set, FontSet::load(files));
  state->lines.emplace(std::move(set));
  HL_TRY(state->math, MathFont::open(folder / "latinmodern-math.otf"));
  for (const Block& block : base_blocks) state->add(block.first, block.last);
  for (const char32_t c : base_extras) state->add(c, c);
  for (char32_t c = 0x21; c < 0x7F; ++c) state->large_characters.insert(c);
  state->large_characters.insert(0xFFFD);
  return Fonts(std::move(state));
}

bool Fonts::prepare(float scale) {
  const float kept = std::clamp(scale, 0.3F, 4.0F);
  state_->lines->atlas().make_room();
  if (!state_->stale && kept == state_->scale) return false;
  state_->scale = kept;
  state_->build();
  state_->stale = false;
  return true;
}

FontFace Fonts::face(Type type) {
  const auto index = static_cast<std::size_t>(type);
  if (!state_->wanted(index)) state_->asked[index] = state_->stale = true;
  const FontFace& face = state_->built[index];
  return face.font ? face : state_->built[static_cast<std::size_t>(Type::title)];
}

void Fonts::invalidate() {
  state_->stale = true;
}

const MathFont& Fonts::math() const {
  return *state_->math;
}

float Fonts::scale() const {
  return state_->scale;
}
bool Fonts::stale() const {
  return state_->stale || state_->lines->atlas().needs_space();
}

bool Fonts::want(Type type, std::string_view text) {
  if (!want(text)) return false;
  state_->want_in(static_cast<std::size_t>(type), text);
  return true;
}

bool Fonts::want(std::string_view text) {
  bool plain = true;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      plain = plain && (text[at] >= 0x20 || text[at] == '\n') && text[at] != 0x7F;
      ++at;
      continue;
    }
    const auto [c, size, sound] = utf8_step(text.substr(at));
    at += size;
    const Renderer renderer = c < end_of_drawable ? state_->renderers[c] : Renderer::shaped;
    if (renderer == Renderer::unknown) state_->want(c);
    plain = plain &&
            (renderer == Renderer::imgui || (renderer == Renderer::unknown && state_->renderers[c] == Renderer::imgui));
  }
  return plain;
}

namespace {

float em_of(Type type, float scale) {
  return type_size(type).size * scale;
}
Face face_of(Type type) {
  return styles[static_cast<std::size_t>(type)].face;
}

}  // namespace

float Fonts::width(Type type, std::string_view text) {
  const FontFace style = face(type);
  if (want(type, text))
    return style.font->CalcTextSizeA(style.pixels, 1e9F, 0, text.data(), text.data() + text.size()).x;
  return state_->lines->width(face_of(type), em_of(type, scale()), text);
}

void Fonts::draw(ImDrawList& list, Type type, float x, float y, std::uint32_t color, std::string_view text,
                 Direction direction) {
  const FontFace style = face(type);
  if (want(type, text) && direction != Direction::right_to_left)
    list.AddText(style.font, style.pixels, {x, y - style.ascent}, color, text.data(), text.data() + text.size());
  else
    state_->lines->draw(list, face_of(type), em_of(type, scale()), x, y, color, text, direction);
}

std::vector<Caret> Fonts::carets(Type type, std::string_view text, Direction direction) {
  if (!want(text) || direction == Direction::right_to_left)
    return state_->lines->carets(face_of(type), em_of(type, scale()), text, direction);
  std::vector<Caret> carets;
  float x = 0;
  const std::vector<std::size_t> bounds = grapheme_bounds(text);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const float end = x + width(type, text.substr(bounds[i], bounds[i + 1] - bounds[i]));
    carets.push_back({bounds[i], x, end, false});
    x = end;
  }
  carets.push_back({text.size(), x, x, false});
  return carets;
}

void Fonts::refresh_fonts() {
  state_->missing.clear();
  state_->lines->refresh_fonts();
}

std::vector<Script> Fonts::missing(const std::vector<std::string>& texts) {
  std::set<Script> all;
  for (const std::string_view text : texts) {
    if (want(text)) continue;
    const std::vector<std::size_t> bounds = grapheme_bounds(text);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto& missing = state_->missing_of(text.substr(bounds[i], bounds[i + 1] - bounds[i]));
      all.insert(missing.begin(), missing.end());
    }
  }
  return {all.begin(), all.end()};
}

std::string Fonts::with_codes(std::string_view text) {
  const std::vector<std::size_t> bounds = grapheme_bounds(text);
  std::string coded;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const std::string_view cluster = text.substr(bounds[i], bounds[i + 1] - bounds[i]);
    if (state_->missing_of(cluster).empty())
      coded += cluster;
    else
      for (const char32_t c : code_points(cluster)) coded += code_of(c);
  }
  return coded;
}

void Fonts::use(GlyphTextures* textures) {
  if (state_) state_->lines->atlas().use(textures);  // a window may close after its fonts were moved elsewhere
}
void Fonts::upload() {
  state_->lines->atlas().upload();
}
const ShapedLines& Fonts::shaped() const {
  return *state_->lines;
}

}  // namespace headlight::app
