#include "tests/gui/driver.h"

#include <imgui.h>

#include <stdexcept>
#include <string_view>

#include "app/panels/present/parts.h"
#include "app/panels/screen/parts.h"

namespace headlight::app {

namespace {

Fonts open_fonts() {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  if (!fonts) throw std::runtime_error(fonts.error().message);
  return std::move(*fonts);
}

Surroundings surroundings(const std::shared_ptr<std::string>& clipboard) {
  Surroundings s;
  s.set_clipboard = [clipboard](const std::string& text) { *clipboard = text; };
  s.clipboard = [clipboard] { return *clipboard; };
  s.examples = HEADLIGHT_SOURCE_DIR "/assets/examples";
  s.fonts = HEADLIGHT_FONT_FOLDER;
  return s;
}

class NullGround final : public Ground {
 public:
  NullGround(Fonts& fonts, float width, float height, float scale)
      : backend_(fonts, width, height, scale), scale_(scale) {}
  void begin_frame() override { backend_.begin_frame(); }
  void end_frame(Color32) override { backend_.end_frame(); }
  void resize(int width, int height) override {
    backend_.resize(static_cast<float>(width), static_cast<float>(height));
  }
  void set_ui_scale(float scale) override { backend_.set_scale(scale * scale_); }
  double now() const override { return backend_.now(); }
  MapPainter& painter() override { return painter_; }

 private:
  NullBackend backend_;
  float scale_;
  NullPainter painter_;
};

// Of all that the last frame drew.
std::size_t last_drawn() {
  std::size_t sum = 0;
  const ImDrawData& data = *ImGui::GetDrawData();
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const auto& vertices = data.CmdLists[i]->VtxBuffer;
    const std::string_view bytes(reinterpret_cast<const char*>(vertices.Data),
                                 static_cast<std::size_t>(vertices.size_in_bytes()));
    sum = sum * 31 + std::hash<std::string_view>()(bytes);
  }
  return sum;
}

}  // namespace

Driver::Driver(float width, float height, float scale, Experiment experiment)
    : Driver([=](Fonts& fonts) { return std::make_unique<NullGround>(fonts, width, height, scale); }, width, height,
             scale, std::move(experiment)) {}

Driver::Driver(const MakeGround& make, float width, float height, float scale, Experiment experiment)
    : fonts_(open_fonts()),
      ground_(make(fonts_)),
      clipboard_(std::make_shared<std::string>()),
      session_(std::move(experiment), {}, surroundings(clipboard_)),
      width_(width),
      height_(height),
      scale_(scale) {
  session_.act(SetReduceMotion{true});  // unless a test is about motion
  settle();
}

const LoggedWidget& Driver::widget(const std::string& path) const {
  const auto found = log_.find(path);
  if (found == log_.end()) throw std::runtime_error("no widget is logged as " + path);
  return found->second;
}

void Driver::resize(int width, int height) {
  width_ = static_cast<float>(width);
  height_ = static_cast<float>(height);
  ground_->resize(width, height);
}

void Driver::frame() {
  frame_of(session_, memory_, ground_->painter());
}

void Driver::frame_of(Session& session, PanelMemory& memory, MapPainter& painter) {
  session.poll(ground_->now());
  const Model& shown = session.model();
  const Theme& colors = theme(theme_shown(shown));
  const float scale = scale_shown(shown, height_, scale_ * shown.settings.scale);
  ground_->set_ui_scale(scale / scale_);
  ground_->begin_frame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({std::max(width_, notes_.right()), std::max(height_, notes_.bottom())});
  ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove);
  log_.clear();
  Actions actions;
  {
    Ui ui(memory.ui, fonts_, colors, painter, scale, ground_->now(), &log_);
    actions = draw_screen(ui, {0, 0, width_, height_}, session.model(), memory, notes_);
    next_redraw_ = ui.next_redraw();
    ui.finish();
  }
  ImGui::End();
  ground_->end_frame(colors.canvas);
  for (const auto& action : actions) session.act(action);
}

bool Driver::waiting() const {
  return static_cast<const Input*>(ImGui::GetIO().UserData)->waiting();
}

void Driver::empty_queue() {
  do frame();
  while (waiting());
  settle();
}

void Driver::settle() {
  frame();
  for (std::size_t i = 0, before = last_drawn(); i < 5; ++i) {
    if (!session_.settle()) throw std::runtime_error("the run did not finish");
    memory_.background.flush();
    frame();
    const std::size_t drawn = last_drawn();
    if (drawn == before) return;
    before = drawn;
  }
}

void act(Driver& driver, const Action& action) {
  driver.session().act(action);
  driver.settle();
}

void Driver::move_to(Point at) {
  send_mouse(at.x, at.y);
  frame();
}

void Driver::click_at(Point at) {
  move_to(at);
  send_mouse_button(0, true);
  frame();
  send_mouse_button(0, false);
  frame();
  settle();
}

void Driver::click(const std::string& path) {
  // What a panel has scrolled away is scrolled to, as Tab does it.
  if (const LoggedWidget& there = widget(path); !there.seen.contains(there.rect.middle())) {
    memory_.ui.reveal = path;
    memory_.ui.focus = path;
    for (int i = 0; i < 3; ++i) frame();
  }
  click_at(widget(path).rect.middle());
}

Point Driver::cell(Index row, Index column) const {
  const LoggedWidget& map = widget("heatmap");
  long long rows = 1, columns = 1;
  std::sscanf(map.value.c_str(), "%lld×%lld", &rows, &columns);
  return {map.rect.x + map.rect.w * (static_cast<float>(column) + 0.5F) / static_cast<float>(columns),
          map.rect.y + map.rect.h * (static_cast<float>(row) + 0.5F) / static_cast<float>(rows)};
}

void Driver::press(Key key, Modifiers held) {
  send_modifiers(held);
  send_key(key, true);
  frame();
  send_key(key, false);
  send_modifiers({});
  frame();
  settle();
}

void Driver::type(const std::string& text) {
  send_text(text);
  frame();
  settle();
}

}  // namespace headlight::app
