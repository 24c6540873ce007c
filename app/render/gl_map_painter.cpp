#include "app/render/gl_map_painter.h"

#include <cstdlib>
#include <map>
#include <vector>

#include "app/render/gl.h"
#include "embedded_shaders.h"
#include "engine/io/file.h"
#include "engine/picture/pooling.h"

namespace headlight::app {

namespace {

constexpr std::uint64_t frames_kept = 100;
constexpr std::uint64_t longest_shader = 1 << 20;

// What a texture shows; it is painted again when any of this changes.
struct Shown {
  NumbersOf numbers;        // of a map
  MapLook look;             // of a map
  std::uint64_t stamp = 0;  // of a picture made elsewhere
  int width = 0;
  int height = 0;
  bool operator==(const Shown&) const = default;
};

struct Entry {
  gl::Texture texture;
  Shown shown;
  std::uint64_t last_used = 0;
};

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

struct GlMapPainter::State {
  gl::Program program;
  gl::VertexArray vertices;
  std::map<Colormap, gl::Texture> tables;
  std::map<std::string, Entry> entries;
  std::uint64_t frame = 0;
  std::uint64_t painted = 0;

  GLint at(const char* uniform) const { return glGetUniformLocation(program.get(), uniform); }
  void set(const char* uniform, Color c) const {
    glUniform3f(at(uniform), static_cast<float>(c.r) / 255, static_cast<float>(c.g) / 255,
                static_cast<float>(c.b) / 255);
  }

  const gl::Texture& table(Colormap map) {
    gl::Texture& texture = tables[map];
    if (!texture) {
      const ColorTable colors = color_table(map);
      texture = gl::make_texture(GL_RGBA8, color_table_size, 1, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
    }
    return texture;
  }

  void draw(const MatrixView& cells, int width, int height, const MapLook& look, const gl::Texture& target) {
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
    glUseProgram(program.get());
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
    glBindVertexArray(vertices.get());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    gl::set_pixels_changed(target.get());
    ++painted;
  }
};

GlMapPainter::GlMapPainter(std::unique_ptr<State> state) : state_(std::move(state)) {}
GlMapPainter::~GlMapPainter() = default;

Result<std::unique_ptr<GlMapPainter>> GlMapPainter::create() {
  auto state = std::make_unique<State>();
  HL_TRY(const std::string vertex, shader_source("map.vert", embedded::map_vert));
  HL_TRY(const std::string fragment, shader_source("map.frag", embedded::map_frag));
  HL_TRY(state->program, gl::make_program(vertex, fragment));
  state->vertices = gl::make_vertex_array();
  return std::unique_ptr<GlMapPainter>(new GlMapPainter(std::move(state)));
}

std::uintptr_t GlMapPainter::paint(const std::string& key, const NumbersOf& numbers, const MatrixView& cells, int width,
                                   int height, const MapLook& look) {
  if (cells.empty() || width < 1 || height < 1) return 0;
  Entry& entry = state_->entries[key];
  entry.last_used = state_->frame;
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
      placed = spaced(drawn, look.range);
      drawn = matrix_at(placed, {});
      linear.range = spaced_range(look.range);
    }
    state_->draw(drawn, width, height, linear, entry.texture);
    entry.shown = shown;
  }
  return entry.texture.get();
}

std::uintptr_t GlMapPainter::picture(const std::string& key, std::uint64_t stamp, int width, int height,
                                     const std::uint32_t* rgba) {
  if (width < 1 || height < 1) return 0;
  Entry& entry = state_->entries[key];
  entry.last_used = state_->frame;
  const Shown shown{{}, {}, stamp, width, height};
  if (!entry.texture || !(entry.shown == shown)) {
    entry.texture = gl::make_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    entry.shown = shown;
  }
  return entry.texture.get();
}

void GlMapPainter::end_frame() {
  ++state_->frame;
  std::erase_if(state_->entries, [&](const auto& item) { return item.second.last_used + frames_kept < state_->frame; });
}

std::uint64_t GlMapPainter::painted() const {
  return state_->painted;
}

}  // namespace headlight::app
