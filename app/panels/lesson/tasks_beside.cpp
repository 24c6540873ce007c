// Beside the path of lessons: what a network can learn here, and what one has.
#include "app/panels/lesson/parts.h"
#include "app/panels/train/parts.h"
#include "engine/learn/task.h"

namespace headlight::app {

float draw_task_column(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  Form form{ui, box.inset(ui.px(18), 0), box.y + ui.px(16)};
  Rect head = form.line(28, 6);
  const auto tasks = learn::all_tasks();
  ui.text_in(Type::label, head, t.text_muted, fmt::format("{} tasks", tasks.size()), Ui::Align::right);
  ui.text_in(Type::title, head, t.text, "Train");
  form.words(t.text, "Attention starts as noise. Watch it become a head, and stop it anywhere.", Type::body, 12);
  for (const learn::Task* task : tasks) {
    const learn::TaskInfo& info = task->info();
    const float words = form.column.w - ui.px(136);
    const float height =
        std::max(ui.px(64), ui.px(30) + paragraph(ui, {}, words, t.text, info.lesson, false, Type::note));
    Rect line = form.line(height / ui.scale(), 10);
    const std::string path = "lessons/task/" + info.id;
    const auto hit = ui.hit(path, line, true, info.title);
    if (hit.hovered) ui.fill(line.inset(-ui.px(6), -ui.px(4)), mix(t.panel, t.text, 0.04F), ui.px(8));
    const Rect picture = line.take_left(ui.px(122));
    ui.fill({picture.x, picture.y, picture.w, ui.px(56)}, t.canvas, ui.px(6));
    ui.frame({picture.x, picture.y, picture.w, ui.px(56)}, t.line_strong, ui.px(6));
    draw_task_example(ui, Rect{picture.x, picture.y, picture.w, ui.px(56)}.inset(ui.px(9), ui.px(8)), *task, memory);
    line.take_left(ui.px(14));
    ui.text_in(Type::label_strong, line.take_top(ui.px(22)), t.text, info.title);
    paragraph(ui, {line.x, line.y}, line.w, t.text_muted, info.lesson, true, Type::note);
    if (hit.focused) ui.focus_ring(line, ui.px(8));
    if (!hit.clicked) continue;
    actions.push_back(ShowScreen{Screen::train});
    actions.push_back(ChooseTask{info.id});
  }
  form.divider(box.x, box.w);
  const auto& film = model.training.film;
  form.heading("Last run");
  std::string last = "None yet: choose a task, and press Space.";
  if (film) last = fmt::format("{}, step {}", film->plan->task->info().title, last_viewable_step(*film));
  form.log_words("lessons/last-run", t.text_muted, last, Type::label, 12);
  if (button(ui, "lessons/train", form.line(32, 12).take_left(ui.px(150)), film ? "Open the run" : "Open the page"))
    actions.push_back(ShowScreen{Screen::train});
  return form.y - box.y;
}

}  // namespace headlight::app
