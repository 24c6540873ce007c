#include "app/page/formats.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numbers>

#include "app/page/cairo_objects.h"
#include "app/page/cells.h"
#include "app/page/notes.h"

namespace headlight {

namespace {

// Programs that smooth pictures in spite of "Interpolate false" blur one pixel of them: each cell gets this many, where
// a map's longer side stays under so many pixels.
constexpr Index pixels_per_cell = 16;
constexpr Index picture_side = 512;

using FontFace = std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)>;

// The faces of the page's text for cairo. cairo caches them for longer than any page, so each keeps its font.
class CairoFaces {
 public:
  explicit CairoFaces(const FontSet& fonts) : fonts_(fonts) {}

  cairo_font_face_t* face(Face face) {
    FontFace& made = faces_.try_emplace(face, nullptr, cairo_font_face_destroy).first->second;
    if (made) return made.get();
    static const cairo_user_data_key_t key{};
    auto owner = std::make_unique<std::shared_ptr<FT_FaceRec_>>(fonts_.shared_face(face));
    made.reset(cairo_ft_font_face_create_for_ft_face(owner->get(), FT_LOAD_NO_HINTING));
    const auto let_go = [](void* kept) { delete static_cast<std::shared_ptr<FT_FaceRec_>*>(kept); };
    // On failure cairo does not take the owner; the context reports the error when the face is used.
    if (cairo_font_face_set_user_data(made.get(), &key, owner.get(), let_go) == CAIRO_STATUS_SUCCESS) owner.release();
    return made.get();
  }

 private:
  const FontSet& fonts_;
  std::map<Face, FontFace> faces_;
};

void add_box(cairo_t* context, const Box& box) {
  cairo_rectangle(context, box.x, box.y, box.width, box.height);
}

// ---- maps

// One picture: cells drawn one beside the other would show seams where a program smooths edges.
void paint_picture(cairo_t* context, const MapItem& map, const ColorTable& table) {
  const PictureSize size = picture_size(map);
  const Index longest = std::max(size.width, size.height);
  const Image image = image_of(map, table, std::clamp<Index>(picture_side / longest, 1, pixels_per_cell));
  const CairoSurface surface = surface_of(image, CAIRO_FORMAT_RGB24);
  cairo_save(context);
  cairo_translate(context, map.box.x, map.box.y);
  cairo_scale(context, map.box.width / static_cast<double>(image.width),
              map.box.height / static_cast<double>(image.height));
  cairo_set_source_surface(context, surface.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
  cairo_rectangle(context, 0, 0, static_cast<double>(image.width), static_cast<double>(image.height));
  cairo_fill(context);
  cairo_restore(context);
}

void paint_hatching(cairo_t* context, const MapItem& map, const std::vector<CellRun>& runs, CellLook look) {
  if (!any_has(runs, look)) return;
  cairo_save(context);
  for (const CellRun& run : runs)
    if (run.look == look) add_box(context, box_of(map, run));
  cairo_clip(context);
  for (const auto& [from, to] : hatching(map.box, look)) {
    cairo_move_to(context, from.x, from.y);
    cairo_line_to(context, to.x, to.y);
  }
  set_color(context, hatch_color(look));
  cairo_set_line_width(context, hatch_width(look));
  cairo_stroke(context);
  cairo_restore(context);
}

// Rectangles, sharp at any size. Each reaches a cell further, below those that are painted after it, so that no seam
// shows between them where a program smooths edges.
void paint_cells(cairo_t* context, const MapItem& map, const std::vector<CellRun>& runs) {
  for (const CellRun& run : runs) {
    Box box = box_of(map, run);
    if (!map.gaps && run.column + run.length < map.cells.columns) box.width += map.cell_width();
    if (!map.gaps && run.row + 1 < map.cells.rows) box.height += map.cell_height();
    set_color(context, run.color);
    add_box(context, box);
    cairo_fill(context);
  }
}

// Cells that are few and large enough to be told apart at their edges. Programs smooth pictures of them.
bool has_edges(const MapItem& map) {
  constexpr Index most = 5000;
  constexpr double least = 0.75;
  return map.cells.rows * map.cells.columns <= most && std::min(map.cell_width(), map.cell_height()) >= least;
}

void paint_map(cairo_t* context, const MapItem& map, const ColorTable& table) {
  if (map.picture) return paint_picture(context, map, table);
  const std::vector<CellRun> runs = runs_of(map, table);
  if (map.gaps || has_edges(map))
    paint_cells(context, map, runs);
  else
    paint_picture(context, map, table);
  paint_hatching(context, map, runs, CellLook::masked);
  paint_hatching(context, map, runs, CellLook::broken);
}

// ---- text

struct Pens {
  const FontSet& fonts;
  CairoFaces faces;
  ColorGlyphs emoji;
};

// Glyphs of one face that follow each other, with the text that they stand for.
struct TextRun {
  Face face = Face::regular;
  double stretch = 1;  // of their widths
  std::string utf8;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
};

// What a cluster draws, and what it stands for.
struct DrawnCluster {
  const Glyph* glyphs = nullptr;
  int count = 0;
  std::string utf8;
  double width = 0;
};

// From left to right, whatever way they are read: programs that read text aloud or copy it turn it themselves.
std::vector<DrawnCluster> drawn_clusters(const TextLine& line) {
  std::vector<DrawnCluster> drawn;
  std::size_t glyph = 0, byte = 0;
  for (const Cluster& cluster : line.clusters) {
    const std::string utf8 = line.own.substr(byte, static_cast<std::size_t>(cluster.own_bytes));
    byte += utf8.size();
    if (cluster.glyphs > 0) drawn.push_back({&line.glyphs[glyph], cluster.glyphs, sanitized(utf8), cluster.width});
    glyph += static_cast<std::size_t>(cluster.glyphs);
  }
  std::ranges::stable_sort(drawn, {}, [](const DrawnCluster& cluster) { return cluster.glyphs->x; });
  return drawn;
}

// Stands below an emoji's picture, so that it is found and copied: a space as wide as the picture. As fonts of colour
// would be of Type 3, or their text lost.
TextRun text_below(const FontSet& fonts, const DrawnCluster& emoji, double size) {
  FT_Face font = fonts.face(Face::fallback);
  const unsigned space = FT_Get_Char_Index(font, U' ');
  TextRun run{Face::fallback, 1, emoji.utf8, {{space, emoji.glyphs->x, emoji.glyphs->y}}, {}};
  run.clusters.push_back({static_cast<int>(emoji.utf8.size()), 1});
  if (FT_Load_Glyph(font, space, FT_LOAD_NO_SCALE) == 0 && font->glyph->metrics.horiAdvance > 0)
    run.stretch = emoji.width * font->units_per_EM / (size * static_cast<double>(font->glyph->metrics.horiAdvance));
  return run;
}

// A line says all of its own text where it is selected or read aloud: "…" stands for what is cut.
std::vector<TextRun> runs_of(const FontSet& fonts, const TextLine& line) {
  std::vector<TextRun> runs;
  for (const DrawnCluster& cluster : drawn_clusters(line)) {
    const Face face = cluster.glyphs->face;
    if (fonts.is_color(face)) {
      runs.push_back(text_below(fonts, cluster, line.size));
      continue;
    }
    if (runs.empty() || runs.back().face != face || runs.back().stretch != 1) runs.push_back({face, 1, {}, {}, {}});
    TextRun& run = runs.back();
    run.utf8 += cluster.utf8;
    run.clusters.push_back({static_cast<int>(cluster.utf8.size()), cluster.count});
    for (const Glyph& glyph : std::span(cluster.glyphs, static_cast<std::size_t>(cluster.count)))
      run.glyphs.push_back({glyph.index, glyph.x, glyph.y});
  }
  return runs;
}

void paint_text(cairo_t* context, Pens& pens, const TextItem& text) {
  const double size = text.line.size;
  cairo_save(context);
  cairo_translate(context, text.origin.x, text.origin.y);
  if (text.upward) cairo_rotate(context, -std::numbers::pi / 2);
  for (const Glyph& glyph : text.line.glyphs)
    if (pens.fonts.is_color(glyph.face)) pens.emoji.paint(context, glyph, size);
  set_color(context, text.color);
  for (const TextRun& run : runs_of(pens.fonts, text.line)) {
    cairo_matrix_t matrix;
    cairo_matrix_init_scale(&matrix, size * run.stretch, size);
    cairo_set_font_face(context, pens.faces.face(run.face));
    cairo_set_font_matrix(context, &matrix);
    cairo_show_text_glyphs(context, run.utf8.data(), static_cast<int>(run.utf8.size()), run.glyphs.data(),
                           static_cast<int>(run.glyphs.size()), run.clusters.data(),
                           static_cast<int>(run.clusters.size()), cairo_text_cluster_flags_t{});
  }
  cairo_restore(context);
}

// ---- the file

cairo_status_t append_bytes(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void set_notes(cairo_surface_t* surface, const Figure& figure) {
  const auto set = [&](cairo_pdf_metadata_t what, const std::string& text) {
    if (!text.empty()) cairo_pdf_surface_set_metadata(surface, what, text.c_str());
  };
  set(CAIRO_PDF_METADATA_TITLE, sanitized(figure.title));
  set(CAIRO_PDF_METADATA_SUBJECT, sanitized(figure.description));
  set(CAIRO_PDF_METADATA_CREATOR, "Headlight");
  if (!figure.recipe.empty())
    set(CAIRO_PDF_METADATA_KEYWORDS, std::string(pdf_recipe_begin) + sanitized(figure.recipe));
  // cairo writes a date in any case, that of the moment where none is given.
  set(CAIRO_PDF_METADATA_CREATE_DATE, iso_time(figure.time.value_or(0)));
}

void paint(cairo_t* context, const Page& page, Pens& pens) {
  set_color(context, rgb(0xFFFFFF));
  if (!page.transparent) cairo_paint(context);
  for (const MapItem& map : page.maps) paint_map(context, map, color_table(map.colormap));
  paint_fills_and_lines(context, page);
  for (const TextItem& text : page.texts) paint_text(context, pens, text);
}

}  // namespace

Result<std::string> pdf_of(std::span<const Page> pages, const FontSet& fonts, const Figure& figure) {
  std::string bytes;
  const CairoSurface surface(
      cairo_pdf_surface_create_for_stream(append_bytes, &bytes, pages.front().width, pages.front().height));
  set_notes(surface.get(), figure);
  Pens pens{fonts, CairoFaces(fonts), ColorGlyphs(fonts)};
  {
    const CairoContext context(cairo_create(surface.get()));
    for (const Page& page : pages) {
      if (&page != &pages.front()) {
        cairo_show_page(context.get());
        cairo_pdf_surface_set_size(surface.get(), page.width, page.height);
      }
      paint(context.get(), page, pens);
    }
    if (const auto status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS)
      return fail("page: cannot be drawn as PDF: {}", cairo_status_to_string(status));
  }
  cairo_surface_finish(surface.get());
  if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
    return fail("page: cannot be written as PDF: {}", cairo_status_to_string(status));
  return bytes;
}

}  // namespace headlight
