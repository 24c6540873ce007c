#include "app/cli/train_heads.h"

#include <fmt/format.h>

#include "app/cli/progress.h"
#include "engine/base/words.h"
#include "engine/learn/importance.h"
#include "engine/learn/training_folder.h"

namespace headlight::app {

namespace {

using namespace learn;

// A row a set of heads that are off, a column a figure.
class ImportanceTable {
 public:
  explicit ImportanceTable(const TrainingPlan& plan) : maps_(plan.task->maps(plan.options)) {
    for (const FigureWords& figure : plan.task->figures())
      if (figure.id != "loss") figures_.push_back(figure.id);
  }

  std::string text(const HeadImportance& importance) const {
    std::string text = fmt::format("{:<28}{:>12}", "", "loss");
    for (const std::string& id : figures_) text += fmt::format("  {}", id);
    text += line("as it stands", importance.whole);
    text += "\n\nwithout one head, the one that is missed most first";
    for (const WithoutHead& without : importance.alone) text += line(words_of(without.head), without.figures);
    text += "\n\noff one after the other, always the one that is missed least";
    for (const WithoutHead& without : importance.pruned) text += line(words_of(without.head), without.figures);
    return text + "\n";
  }

  std::string csv(const HeadImportance& importance) const {
    std::string text = "what,off,loss";
    for (const std::string& id : figures_) text += "," + id;
    text += row("whole", "", importance.whole);
    for (const WithoutHead& without : importance.alone) text += row("alone", name_of(without.head), without.figures);
    std::string off;
    for (const WithoutHead& without : importance.pruned) {
      off += (off.empty() ? "" : " ") + name_of(without.head);
      text += row("pruned", off, without.figures);
    }
    return text + "\n";
  }

 private:
  std::string words_of(TrainedHead head) const {
    return fmt::format("{}  {} head {}", name_of(head), maps_[static_cast<std::size_t>(head.map)].title, head.head);
  }
  std::string line(const std::string& what, const Figures& figures) const {
    std::string text = fmt::format("\n{:<28}{:>12.4g}", what, figures.find("loss")->second);
    for (const std::string& id : figures_) text += fmt::format("  {:>{}.3f}", figures.find(id)->second, id.size());
    return text;
  }
  std::string row(const char* what, const std::string& off, const Figures& figures) const {
    std::string text = fmt::format("\n{},{},{}", what, off, figures.find("loss")->second);
    for (const std::string& id : figures_) text += fmt::format(",{}", figures.find(id)->second);
    return text;
  }

  std::vector<ShownMap> maps_;
  std::vector<std::string> figures_;
};

Status redraw(const std::string& names, Training& training) {
  HL_TRY(const TrainedHeads heads, heads_named(names));
  for (const TrainedHead head : heads) HL_CHECK(training.change(head, HeadChange::To::redrawn));
  return {};
}

Status switch_off(const std::string& names, Training& training) {
  HL_TRY(const TrainedHeads heads, heads_named(names));
  return training.set_heads_off(heads);
}

}  // namespace

Status change_heads(const TrainOptions& options, Training& training) {
  if (options.redraw)
    if (const Status done = redraw(*options.redraw, training); !done) return fail_at("--redraw", done.error());
  if (options.heads_off)
    if (const Status done = switch_off(*options.heads_off, training); !done)
      return fail_at("--heads-off", done.error());
  return {};
}

Status print_importance(const TrainOptions& options) {
  HL_TRY(const OpenedTraining opened, open_training(options.from));
  const Progress progress(true);  // Ctrl-C stops it
  ThreadPool pool(options.threads);
  Compute compute(pool, progress.stop_token());
  HL_TRY(const auto training, training_at(options.from, options.at.value_or(opened.snapshot.step), compute));
  HL_CHECK(change_heads(options, *training));
  HL_TRY(const HeadImportance importance, importance_of(*training, true, compute));
  const ImportanceTable table(training->plan());
  fmt::print("{}", options.csv ? table.csv(importance) : table.text(importance));
  return {};
}

}  // namespace headlight::app
