// Which query heads read each key head, as in Ainslie et al. 2023, figure 2: under the number of key heads.
#include <fmt/format.h>

#include <algorithm>

#include "app/panels/common/form.h"
#include "app/panels/setup/parts.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

namespace {

constexpr Index most_heads = 16;  // more are too narrow for their numbers

void draw_head(Ui& ui, Rect box, const std::string& name, const RoleColors& role, bool current) {
  const float radius = ui.px(4);
  ui.fill(box, current ? role.soft : ui.theme().canvas, radius);
  ui.frame(box, role.main, radius, current ? ui.px(2) : 1);
  const Type type = ui.width_of(Type::label_strong, name) <= box.w ? Type::label_strong : Type::number_small;
  ui.text_in(type, box, role.main, name, Ui::Align::center);
}

}  // namespace

void draw_shared_heads(Form& form, const Model& model) {
  const Trace* trace = model.trace();
  if (!trace || !model.shown.problem) return;
  const auto shared = mechanism::shared_keys(*model.shown.problem, *trace);
  if (!shared || shared->group() < 2) return;
  Ui& ui = form.ui;
  form.y += ui.px(4);
  if (shared->query_heads <= most_heads) {
    const Index now = model.document.look.head;
    const float gap = ui.px(shared->query_heads > 8 ? 3 : 6), high = ui.px(20);
    const float pitch = (form.column.w + gap) / static_cast<float>(shared->query_heads);
    const float keys_y = form.y + high + ui.px(18);
    for (Index key = 0; key < shared->key_heads; ++key) {
      const Index first = key * shared->group();
      const float left = form.column.x + pitch * static_cast<float>(first);
      const float middle = left + (pitch * static_cast<float>(shared->group()) - gap) / 2;
      const std::string name = fmt::format("k v {}", key + 1);
      const float width = std::min(ui.px(48), pitch * static_cast<float>(shared->group()) - gap);
      for (Index i = 0; i < shared->group(); ++i) {
        const Rect box{left + pitch * static_cast<float>(i), form.y, pitch - gap, high};
        ui.line({box.middle().x, box.bottom()}, {middle, keys_y}, ui.theme().line_strong);
        draw_head(ui, box, fmt::format("{}", first + i + 1), ui.theme().query, first + i == now);
        ui.log(fmt::format("params/query head/{}", first + i), box, name);
      }
      const Rect box{middle - width / 2, keys_y, width, high};
      draw_head(ui, box, name, ui.theme().key, now / shared->group() == key);
    }
    form.y = keys_y + high + ui.px(6);
  }
  const std::string words = fmt::format("{} numbers cached per token, not {}.", shared->kept, shared->kept_each);
  ui.text_in(Type::note, {form.column.x, form.y, form.column.w, ui.px(18)}, ui.theme().text_muted, words);
  ui.log("params/kept", {form.column.x, form.y, form.column.w, ui.px(18)}, words);
  form.y += ui.px(22);
}

}  // namespace headlight::app
