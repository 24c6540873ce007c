// OpenGL objects that free themselves. Need a current OpenGL 3.3 context for as long as they live.
#pragma once

#include <epoxy/gl.h>

#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/result.h"

namespace headlight::app::gl {

// The name of one object; `Delete` frees it.
template <void (*Delete)(GLuint)>
class Name {
 public:
  Name() = default;
  explicit Name(GLuint name) : name_(name) {}
  Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Name& operator=(Name&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~Name() {
    if (name_ != 0) Delete(name_);
  }
  GLuint get() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

void delete_texture(GLuint name);
void delete_framebuffer(GLuint name);
void delete_program(GLuint name);
void delete_vertex_array(GLuint name);

using Texture = Name<delete_texture>;
using Framebuffer = Name<delete_framebuffer>;
using Program = Name<delete_program>;
using VertexArray = Name<delete_vertex_array>;

// A texture with nearest filtering and clamped edges; `data` may be null.
Texture make_texture(GLint internal_format, int width, int height, GLenum format, GLenum type, const void* data);

// How often the pixels of a texture of this name were said to be others, by whoever set them.
std::uint64_t version_of(GLuint texture);
void set_pixels_changed(GLuint texture);

// A framebuffer that draws into a texture.
Result<Framebuffer> make_framebuffer(const Texture& color);

// Compiles and links sources without a #version; the error carries the compiler's first line.
Result<Program> make_program(const std::string& vertex_source, const std::string& fragment_source);

VertexArray make_vertex_array();

// Puts bindings, viewport, scissor and blending back as they were, for drawing in the middle of somebody else's frame.
class StateGuard {
 public:
  StateGuard();
  ~StateGuard();
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  GLint framebuffer_ = 0, program_ = 0, vertex_array_ = 0, texture_ = 0, texture_1_ = 0, active_ = 0;
  GLint viewport_[4] = {}, unpack_row_ = 0, unpack_align_ = 0;
  GLboolean scissor_ = GL_FALSE, blend_ = GL_FALSE;
};

}  // namespace headlight::app::gl
