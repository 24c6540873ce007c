// Every task: a line for each, in the order in which they are shown.
#include <algorithm>

#include "engine/learn/task.h"

namespace headlight::learn {

const Task& repeat_task();
const Task& order_task();
const Task& positions_task();
const Task& dates_task();
const Task& picture_task();
const Task& frames_task();
const Task& text_task();

std::span<const Task* const> all_tasks() {
  static const Task* const tasks[] = {&repeat_task(),  &order_task(),  &positions_task(), &dates_task(),
                                      &picture_task(), &frames_task(), &text_task()};
  return tasks;
}

const Task* find_task(std::string_view id) {
  const auto tasks = all_tasks();
  const auto found = std::ranges::find(tasks, id, [](const Task* task) { return std::string_view(task->info().id); });
  return found == tasks.end() ? nullptr : *found;
}

}  // namespace headlight::learn
