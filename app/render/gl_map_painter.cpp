#include "app/render/gl_map_painter.h"

#include <cstdlib>
#include <vector>

#include "embedded_shaders.h"
#include "engine/io/file.h"
#include "engine/picture/pooling.h"

namespace headlight::app {

namespace {

constexpr std::uint64_t frames_kept = 100;
constexpr std::uint64_t longest_shader = 1 << 20;

Result<std::string> shader_source(const char* name, std::string_view embedded) {
  const char* folder = std::getenv("HEADLIGHT_SHADERS");
  if (!folder) return std::string(embedded);
  return read_file(std::filesystem::path(folder) / name, longest_shader);
}

// The cells row by row without strides, as a texture wants them.
std::vector<float> packed(const MatrixView& m) {
  std::vector<float> cells(static_cast<std::size_t>(m.rows * m.columns));
  for (Index row = 0; row < m.rows; ++row)
    for (Index column = 0; column < m.columns; ++column)
      cells[static_cast<std::size_t>(row * m.columns + column)] = m.at(row, column);
  return cells;
}

}  // namespace

void GlMapPainter::set(const char* uniform, Color color) const {
  const auto share = [](std::uint8_t byte) { return static_cast<float>(byte) / 255; };
  glUniform3f(at(uniform), share(color.r), share(color.g), share(color.b));
}

GlMapPainter::Entry& GlMapPainter::entry_of(const std::string& key) {
  Entry& entry = entries_[key];
  entry.last_used = frame_;
  return entry;
}

const gl::Texture& GlMapPainter::table(Colormap map) {
  gl::Texture& texture = tables_[map];
  if (!texture) {
    const ColorTable colors = color_table(map);
    texture = gl::make_texture(GL_RGBA8, color_table_size, 1, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
  }
  return texture;
}

void GlMapPainter::draw(const MatrixView& cells, int width, int height, const MapLook& look,
                        const gl::Texture& target) {
  const gl::StateGuard guard;
  auto framebuffer = gl::make_framebuffer(target);
  if (!framebuffer) return;
  const auto numbers = packed(cells);
  const gl::Texture values = gl::make_texture(GL_R32F, static_cast<int>(cells.columns), static_cast<int>(cells.rows),
                                              GL_RED, GL_FLOAT, numbers.data());
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer->get());
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_BLEND);
  glUseProgram(program_.get());
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, table(look.colormap).get());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, values.get());
  glUniform1i(at("cells"), 0);
  glUniform1i(at("colors"), 1);
  glUniform2i(at("size"), width, height);
  glUniform2i(at("extent"), static_cast<int>(cells.columns), static_cast<int>(cells.rows));
  const Normalisation line = normalisation(look.range);
  glUniform1f(at("scale"), line.scale);
  glUniform1f(at("offset"), line.offset);
  glUniform1i(at("gap"), static_cast<int>(look.style.gap));
  glUniform1i(at("period"), look.style.period);
  glUniform1f(at("hatch_width"), look.style.hatch_width);
  glUniform1f(at("stripe_width"), look.style.stripe_width);
  set("canvas", look.style.canvas);
  set("hatch_line", look.style.hatch_line);
  set("hatch_ground", look.style.hatch_ground);
  set("stripe_line", look.style.stripe_line);
  set("stripe_ground", look.style.stripe_ground);
  glBindVertexArray(vertices_.get());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  gl::set_pixels_changed(target.get());
  ++painted_;
}

Result<std::unique_ptr<GlMapPainter>> GlMapPainter::create() {
  auto painter = std::make_unique<GlMapPainter>();
  HL_TRY(const std::string vertex, shader_source("map.vert", embedded_files::map_vert));
  HL_TRY(const std::string fragment, shader_source("map.frag", embedded_files::map_frag));
  HL_TRY(painter->program_, gl::make_program(vertex, fragment));
  painter->vertices_ = gl::make_vertex_array();
  return painter;
}

std::uintptr_t GlMapPainter::paint(const std::string& key, const NumbersOf& numbers, const MatrixView& cells, int width,
                                   int height, const MapLook& look) {
  if (cells.empty() || width < 1 || height < 1) return 0;
  Entry& entry = entry_of(key);
  const Shown shown{numbers, look, 0, width, height};
  if (!entry.texture || !(entry.shown == shown)) {
    if (!entry.texture || entry.shown.width != width || entry.shown.height != height)
      entry.texture = gl::make_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    const Block block = block_for_pixels(cells.rows, cells.columns, width, height);
    MatrixView drawn = cells;
    Tensor coarse, placed;
    if (!block.single()) {
      coarse = pooled(cells, block, look.range.is_signed() ? Pooling::magnitude : Pooling::maximum);
      drawn = matrix_at(coarse, {});
    }
    // The shader knows straight lines alone: other spacings are laid out before it.
    MapLook linear = look;
    if (look.range.spacing != Spacing::linear) {
      placed = apply_spacing(drawn, look.range);
      drawn = matrix_at(placed, {});
      linear.range = spacing_range(look.range);
    }
    draw(drawn, width, height, linear, entry.texture);
    entry.shown = shown;
  }
  return entry.texture.get();
}

std::uintptr_t GlMapPainter::picture(const std::string& key, std::uint64_t stamp, int width, int height,
                                     const std::uint32_t* rgba) {
  if (width < 1 || height < 1) return 0;
  Entry& entry = entry_of(key);
  const Shown shown{{}, {}, stamp, width, height};
  if (!entry.texture || !(entry.shown == shown)) {
    entry.texture = gl::make_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    entry.shown = shown;
  }
  return entry.texture.get();
}

void GlMapPainter::end_frame() {
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) { return item.second.last_used + frames_kept < frame_; });
}

}  // namespace headlight::app
