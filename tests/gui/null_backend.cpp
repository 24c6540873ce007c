#include "tests/gui/null_backend.h"

#include <imgui.h>

#include <algorithm>
#include <cfloat>

namespace headlight::app {

NullBackend::NullBackend(Fonts& fonts, float width, float height, float scale)
    : fonts_(fonts), scale_(scale), context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.DisplaySize = ImVec2(width, height);
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  input_.clock = [this] { return now_; };
  input_.attach();
  fonts_.invalidate();
  send_mouse(-FLT_MAX, -FLT_MAX);
}

NullBackend::~NullBackend() {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::SetCurrentContext(context_);
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
#endif
  ImGui::DestroyContext(context_);
}

void NullBackend::resize(float width, float height) {
  ImGui::SetCurrentContext(context_);
  ImGui::GetIO().DisplaySize = ImVec2(width, height);
}

void NullBackend::begin_frame(double seconds) {
  ImGui::SetCurrentContext(context_);
  fonts_.prepare(scale_);
  ImGui::GetIO().DeltaTime = static_cast<float>(std::max(seconds, 1e-6));
  now_ += seconds;
  input_.begin_frame();
  ImGui::NewFrame();
}

const ImDrawData& NullBackend::end_frame() {
  ImGui::Render();
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID(1));
    texture->SetStatus(ImTextureStatus_OK);
  }
#endif
  return *ImGui::GetDrawData();
}

}  // namespace headlight::app
