#include <imgui.h>

#include <cmath>
#include <utility>

#include "app/platform/input.h"
#include "app/widgets/controls.h"

namespace headlight::app {

namespace {

ImVec2 vec(Point p) {
  return {p.x, p.y};
}
Point snapped(Point p) {
  return {std::round(p.x), std::round(p.y)};
}

}  // namespace

Ui::Ui(UiMemory& memory, Fonts& fonts, const Theme& theme, MapPainter& painter, float scale, double now, WidgetLog* log)
    : memory_(memory),
      fonts_(fonts),
      theme_(theme),
      painter_(painter),
      scale_(scale),
      now_(now),
      log_(log),
      list_(ImGui::GetWindowDrawList()) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  mouse_ = {mouse.x, mouse.y};
  if (memory_.editing) memory_.editing->drawn = false;
  if (!memory_.open.empty()) covered_ = memory_.open_card;
}

void Ui::finish() {
  drawing_top_ = true;
  covered_ = {};
  const auto show_tip = [this] {
    if (const auto tip = std::exchange(tip_, {})) message(tip->rect, tip->text, tip->side);
  };
  show_tip();
  for (std::size_t i = 0; i < on_top_.size(); ++i) {
    on_top_[i]();
    show_tip();
  }
  if (ImGui::IsMouseReleased(0) || !ImGui::IsMouseDown(0)) {
    memory_.pressed.clear();
    memory_.chip_drag = {};
  }
  if (memory_.hovered != hovered_) memory_.hovered_since = now_;
  memory_.hovered = hovered_;
  if (!rest_asked_) memory_.resting_on.clear();
  memory_.focus_order = std::move(focus_order_);
  if (ImGui::IsMouseClicked(0) && !memory_.focus.empty() && hovered_ != memory_.focus) memory_.focus.clear();
  if (memory_.editing && !memory_.editing->drawn) {  // its field is gone
    if (memory_.focus == memory_.editing->path) memory_.focus.clear();
    memory_.editing.reset();
  }
  if (!open_drawn_) memory_.open.clear();
  if (!revealed_) memory_.reveal.clear();
  if (revealed_) redraw_at(now_);
  move_focus();
  set_text_focus(memory_.editing && memory_.editing->path == memory_.focus);
}

void Ui::move_focus() {
  const auto& order = memory_.focus_order;
  if (order.empty()) return;
  const bool back = take_key(Key::tab, {.shift = true});
  if (!back && !take_key(Key::tab)) return;
  const auto at = std::find(order.begin(), order.end(), memory_.focus);
  const auto count = static_cast<std::ptrdiff_t>(order.size());
  std::ptrdiff_t next = (at - order.begin()) + (back ? -1 : 1);
  if (at == order.end()) next = back ? count - 1 : 0;
  memory_.focus = memory_.reveal = order[static_cast<std::size_t>((next % count + count) % count)];
  redraw_at(now_);
}

float Ui::glide(const std::string& path, float target, double seconds, bool jump) {
  auto [found, fresh] = memory_.glides.try_emplace(path, Glide{target, target, -1});
  Glide& glide = found->second;
  const auto at = [&] {
    const double t = std::clamp((now_ - glide.since) / seconds, 0.0, 1.0);
    return static_cast<float>(glide.to + (glide.from - glide.to) * std::pow(1 - t, 3));
  };
  if (jump || fresh || memory_.reduce_motion) glide = {target, target, -1};
  if (target != glide.to) glide = {at(), target, now_};
  if (now_ - glide.since < seconds) redraw_at(now_);
  return at();
}

void Ui::fill(Rect r, Color32 color, float radius) {
  if (log_ && color >> 24 == 0xFF) log_->fills.push_back({r, color});
  list_->AddRectFilled({std::round(r.x), std::round(r.y)}, {std::round(r.right()), std::round(r.bottom())}, color,
                       radius);
}

void Ui::frame(Rect r, Color32 color, float radius, float thickness) {
  const float half = thickness / 2;
  list_->AddRect({std::round(r.x) + half, std::round(r.y) + half},
                 {std::round(r.right()) - half, std::round(r.bottom()) - half}, color, radius, 0, thickness);
}

void Ui::line(Point from, Point to, Color32 color, float thickness) {
  if (from.x == to.x || from.y == to.y) {  // along an axis: a filled strip is sharp
    const float half = thickness / 2;
    const Rect r{
        std::min(from.x, to.x) - (from.x == to.x ? half : 0), std::min(from.y, to.y) - (from.y == to.y ? half : 0),
        from.x == to.x ? thickness : std::abs(to.x - from.x), from.y == to.y ? thickness : std::abs(to.y - from.y)};
    fill(r, color);
    return;
  }
  list_->AddLine(vec(from), vec(to), color, thickness);
}

Rect Ui::screen() const {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  return {0, 0, size.x, size.y};
}

float Ui::baseline(Type type) const {
  const FontFace face = fonts_.face(type);
  return std::round((face.line - face.pixels) / 2) + face.ascent;
}

void Ui::draw_text(Type type, Point at, Color32 color, std::string_view text, Direction direction) {
  const Point pen = snapped(at);
  fonts_.draw(*list_, type, pen.x, pen.y + baseline(type), color, text, direction);
}

float Ui::text(Type type, Point at, Color32 color, std::string_view text, Direction direction) {
  draw_text(type, at, color, text, direction);
  const float width = width_of(type, text);
  log_text(type, {at.x, at.y, width, line_height(type)}, color, text, false);
  return width;
}

void Ui::log_text(Type type, Rect rect, Color32 color, std::string_view text, bool cut) {
  if (explains_ && mouse_in(rect) && clip_rect().contains(mouse_)) pointed_ = {std::string(text), type, rect};
  if (!log_ || text.empty()) return;
  const auto& fills = log_->fills;
  const auto ground = std::find_if(fills.rbegin(), fills.rend(),
                                   [&](const LoggedFill& fill) { return fill.rect.contains(rect.middle()); });
  log_->texts.push_back(
      {std::string(text), type, rect, clip_rect(), layer(), cut, color, ground == fills.rend() ? 0 : ground->color});
}

Rect Ui::clip_rect() const {
  const ImVec2 low = list_->GetClipRectMin(), high = list_->GetClipRectMax();
  return {low.x, low.y, std::max(0.0F, high.x - low.x), std::max(0.0F, high.y - low.y)};
}

std::string Ui::fitted(Type type, std::string_view text, float width) const {
  if (width_of(type, text) <= width + 0.75F) return std::string(text);  // boxes are whole pixels, text is not
  const std::vector<std::size_t> ends = grapheme_bounds(text);
  std::size_t low = 0, high = ends.size() - 1;  // the longest beginning that fits with "…"
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (width_of(type, std::string(text.substr(0, ends[middle])) + "…") <= width)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == 0 && text.size() > 1 && !fonts_.want(text))
    if (const std::string coded = fonts_.with_codes(text); coded != text) return fitted(type, coded, width);
  return std::string(text.substr(0, ends[low])) + "…";
}

void Ui::text_in(Type type, Rect box, Color32 color, std::string_view whole, Align align) {
  const std::string shown = fitted(type, whole, box.w);
  const float width = width_of(type, shown);
  float x = box.x;
  if (align == Align::center) x = box.x + (box.w - width) / 2;
  if (align == Align::right) x = box.right() - width;
  const Point at{x, box.y + (box.h - line_height(type)) / 2};
  draw_text(type, at, color, shown);
  log_text(type, {at.x, at.y, width, line_height(type)}, color, whole, shown != whole);
}

void Ui::text_upwards(Type type, Rect box, Color32 color, std::string_view whole) {
  const std::string shown = fitted(type, whole, box.h);
  const Point pivot = snapped({box.x + (box.w - line_height(type)) / 2, box.bottom()});
  const int first = list_->VtxBuffer.Size;
  list_->PushClipRectFullScreen();  // glyphs are culled before they are turned
  draw_text(type, pivot, color, shown);
  list_->PopClipRect();
  const float length = width_of(type, shown);
  log_text(type, {pivot.x, pivot.y - length, line_height(type), length}, color, whole, shown != whole);
  for (int i = first; i < list_->VtxBuffer.Size; ++i) {
    ImVec2& p = list_->VtxBuffer[i].pos;
    p = {pivot.x + (p.y - pivot.y), pivot.y - (p.x - pivot.x)};
  }
}

void Ui::hatch(Rect r) {
  fill(r, theme_.hatch_ground);
  clip(r);
  const float step = px(6);
  for (float x = r.x - r.h + step / 2; x < r.right(); x += step)
    list_->AddLine({x, r.bottom()}, {x + r.h, r.y}, theme_.hatch_line, std::max(1.0F, scale_));
  unclip();
}

void Ui::clip(Rect r) {
  list_->PushClipRect({r.x, r.y}, {r.right(), r.bottom()}, true);
}
void Ui::unclip() {
  list_->PopClipRect();
}

void Ui::draw_above(const std::function<void()>& draw) {
  const Rect covered = std::exchange(covered_, Rect{});
  focus_order_.clear();  // Tab stays inside
  drawing_above_ = true;
  draw();
  drawing_above_ = false;
  covered_ = covered;
}

bool Ui::mouse_in(Rect rect) const {
  if (!rect.contains(mouse_)) return false;
  if (!drawing_top_ && covered_.contains(mouse_)) return false;
  const ImVec2 low = list_->GetClipRectMin(), high = list_->GetClipRectMax();
  return mouse_.x >= low.x && mouse_.y >= low.y && mouse_.x < high.x && mouse_.y < high.y;
}

bool Ui::mouse_down() const {
  return ImGui::IsMouseDown(0);
}
bool Ui::mouse_released() const {
  return ImGui::IsMouseReleased(0);
}
bool Ui::mouse_moved() const {
  const ImVec2 by = ImGui::GetIO().MouseDelta;
  return by.x != 0 || by.y != 0;
}
bool Ui::double_clicked(Rect rect) const {
  return mouse_in(rect) && clicks() == 2;
}
float Ui::take_wheel(Rect rect) {
  if (wheel_taken_ || !mouse_in(rect)) return 0;
  wheel_taken_ = ImGui::GetIO().MouseWheel != 0;
  return ImGui::GetIO().MouseWheel;
}

void Ui::log(const std::string& path, Rect rect, std::string value, std::string state) {
  if (log_) (*log_)[path] = {rect, std::move(state), std::move(value), intersection(rect, clip_rect()), layer()};
}

Ui::Hit Ui::hit(const std::string& path, Rect rect, bool focusable, std::string value, std::string state) {
  Hit result;
  if (focusable && memory_.focus == path && state.empty()) state = "focused";
  log(path, rect, std::move(value), std::move(state));
  if (log_) (*log_)[path].pressable = true;
  if (focusable) focus_order_.push_back(path);
  result.hovered = mouse_in(rect) && (memory_.pressed.empty() || memory_.pressed == path);
  if (result.hovered) hovered_ = path;
  if (result.hovered && ImGui::IsMouseClicked(0)) memory_.pressed = path;
  result.menu = result.hovered && ImGui::IsMouseClicked(1);
  result.held = memory_.pressed == path;
  result.focused = focusable && memory_.focus == path;
  result.clicked = result.held && result.hovered && ImGui::IsMouseReleased(0);
  if (result.focused && memory_.reveal == path) focused_rect_ = rect;
  const bool typing = memory_.editing && memory_.editing->path == path;
  if (result.focused && !typing && (take_key(Key::enter, {}, false) || take_key(Key::space, {}, false)))
    result.clicked = true;
  return result;
}

void Ui::focus_ring(Rect rect, float radius) {
  frame(rect.inset(-px(3)), theme_.query.main, radius + px(3), px(2));
}

bool Ui::rests_on(const std::string& what) {
  constexpr double delay = 0.3;
  rest_asked_ = true;
  if (memory_.resting_on != what) {
    memory_.resting_on = what;
    memory_.resting_since = now_;
  }
  if (now_ >= memory_.resting_since + delay) return true;
  redraw_at(memory_.resting_since + delay);
  return false;
}

bool Ui::is_open(const std::string& path) {
  if (memory_.open != path) return false;
  open_drawn_ = true;
  return true;
}

void Ui::open_list(const std::string& path) {
  memory_.open = path;
  memory_.open_card = {};
  open_drawn_ = true;
  redraw_at(now_);
}

void Ui::cover_by_list(Rect card) {
  cover(card);
  memory_.open_card = card;
}

void Ui::close_list() {
  memory_.open.clear();
  redraw_at(now_);
}

void Ui::tooltip(const std::string& path, Rect rect, std::string_view text, Side side) {
  if (memory_.hovered != path || text.empty() || !memory_.open.empty()) return;
  constexpr double delay = 0.3;
  if (now_ < memory_.hovered_since + delay) return redraw_at(memory_.hovered_since + delay);
  tip_ = {rect, std::string(text), side};
}

std::string Ui::take_tooltip() {
  const auto tip = std::exchange(tip_, {});
  return tip ? tip->text : "";
}

void Ui::message(Rect rect, std::string_view text, Side side) {
  on_top([this, rect, side, shown = std::string(text)] {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float gap = px(6), pad = px(8), row = line_height(Type::note);
    // As wide as it has to be, and wrapped where that is more than there is room for.
    const float widest = std::min(px(420), screen.x - 2 * (pad + gap));
    const bool one_row = width_of(Type::note, shown) <= widest;
    const float width = (one_row ? width_of(Type::note, shown) : widest) + 2 * pad;
    const float height = (one_row ? row : paragraph(*this, {}, widest, 0, shown, false, Type::note)) + 2 * gap;
    const auto inside = [](float at, float size, float all) {
      return std::clamp(at, 4.0F, std::max(4.0F, all - size - 4));
    };
    Rect card{rect.middle().x - width / 2, rect.bottom() + gap, width, height};
    if (side == Side::right && rect.right() + gap + width < screen.x)
      card = {rect.right() + gap, rect.middle().y - height / 2, width, height};
    else if (card.bottom() >= screen.y)
      card.y = rect.y - height - gap;
    card.x = std::round(inside(card.x, width, screen.x));
    card.y = std::round(inside(card.y, height, screen.y));
    fill(card, theme_.ink, px(6));
    if (one_row)
      text_in(Type::note, card, theme_.on_ink, shown, Align::center);
    else
      paragraph(*this, {card.x + pad, card.y + gap}, widest, theme_.on_ink, shown, true, Type::note);
    log("message", card, shown);
  });
}

}  // namespace headlight::app
