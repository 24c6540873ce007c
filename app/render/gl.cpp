#include "app/render/gl.h"

#include <array>
#include <unordered_map>

namespace headlight::app::gl {

namespace {

// Names are given again to others: a version never goes back.
std::unordered_map<GLuint, std::uint64_t>& versions() {
  static std::unordered_map<GLuint, std::uint64_t> all;
  return all;
}

// What OpenGL ES wants to be told, and OpenGL passes over.
constexpr const char* header =
    "#version " HEADLIGHT_GLSL "\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";

Result<GLuint> compile(GLenum kind, const std::string& source) {
  const GLuint shader = glCreateShader(kind);
  const std::string whole = header + source;
  const char* text = whole.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  std::array<char, 512> log{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  glDeleteShader(shader);
  const std::string all(log.data());
  return fail("{} shader: {}", kind == GL_VERTEX_SHADER ? "vertex" : "fragment", all.substr(0, all.find('\n')));
}

}  // namespace

void delete_texture(GLuint name) {
  glDeleteTextures(1, &name);
}
void delete_framebuffer(GLuint name) {
  glDeleteFramebuffers(1, &name);
}
void delete_program(GLuint name) {
  glDeleteProgram(name);
}
void delete_vertex_array(GLuint name) {
  glDeleteVertexArrays(1, &name);
}

Texture make_texture(GLint internal_format, int width, int height, GLenum format, GLenum type, const void* data) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, internal_format, width, height, 0, format, type, data);
  set_pixels_changed(name);
  return Texture(name);
}

std::uint64_t version_of(GLuint texture) {
  const auto found = versions().find(texture);
  return found == versions().end() ? 0 : found->second;
}
void set_pixels_changed(GLuint texture) {
  ++versions()[texture];
}

Result<Framebuffer> make_framebuffer(const Texture& color) {
  GLuint name = 0;
  glGenFramebuffers(1, &name);
  Framebuffer framebuffer(name);
  glBindFramebuffer(GL_FRAMEBUFFER, name);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color.get(), 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    return fail("the graphics driver refuses a framebuffer of this size; make the window smaller");
  return framebuffer;
}

Result<Program> make_program(const std::string& vertex_source, const std::string& fragment_source) {
  HL_TRY(const GLuint vertex, compile(GL_VERTEX_SHADER, vertex_source));
  auto fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  if (!fragment) {
    glDeleteShader(vertex);
    return tl::unexpected<Error>(fragment.error());
  }
  Program program(glCreateProgram());
  glAttachShader(program.get(), vertex);
  glAttachShader(program.get(), *fragment);
  glLinkProgram(program.get());
  glDeleteShader(vertex);
  glDeleteShader(*fragment);
  GLint ok = GL_FALSE;
  glGetProgramiv(program.get(), GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) return fail("the shaders do not link");
  return program;
}

VertexArray make_vertex_array() {
  GLuint name = 0;
  glGenVertexArrays(1, &name);
  return VertexArray(name);
}

StateGuard::StateGuard() {
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
  glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertex_array_);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &active_);
  glActiveTexture(GL_TEXTURE1);
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture_1_);
  glActiveTexture(GL_TEXTURE0);
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture_);
  glGetIntegerv(GL_VIEWPORT, viewport_);
  glGetIntegerv(GL_UNPACK_ROW_LENGTH, &unpack_row_);
  glGetIntegerv(GL_UNPACK_ALIGNMENT, &unpack_align_);
  scissor_ = glIsEnabled(GL_SCISSOR_TEST);
  blend_ = glIsEnabled(GL_BLEND);
}

StateGuard::~StateGuard() {
  const auto toggle = [](GLenum what, GLboolean on) { on ? glEnable(what) : glDisable(what); };
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
  glUseProgram(static_cast<GLuint>(program_));
  glBindVertexArray(static_cast<GLuint>(vertex_array_));
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_1_));
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
  glActiveTexture(static_cast<GLenum>(active_));
  glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, unpack_row_);
  glPixelStorei(GL_UNPACK_ALIGNMENT, unpack_align_);
  toggle(GL_SCISSOR_TEST, scissor_);
  toggle(GL_BLEND, blend_);
}

}  // namespace headlight::app::gl
