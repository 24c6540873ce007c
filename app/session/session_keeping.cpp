// What of a session asks before work is lost, and keeps it meanwhile: departures, recovery, what is remembered.
#include <algorithm>

#include "app/model/document.h"
#include "app/model/network_run.h"
#include "app/session/session.h"
#include "app/session/session_keeping.h"

namespace headlight::app {

namespace fs = std::filesystem;

// ---- Departure

void Session::ask_to_leave(Departure departure) {
  model_.leaving = std::move(departure);
  if (model_.saving == 0) model_.dialog = Dialog::leave;  // else it is seen once that is done
}

void Session::leave(const Departure& leaving) {
  switch (leaving.what) {
    case Departure::For::nothing:
      return;
    case Departure::For::quit:
      quit_ = true;
      finish_keeping();  // nothing is kept after this
      if (place_) place_->clear();
      return;
    case Departure::For::open:
      return open(leaving.path, true, leaving.member);
    case Departure::For::fresh:
      load(model_, example_experiment(), {});
      begin_at_first_step();
      rerun();
      return save_recovery();
    case Departure::For::recover:
      return recover(leaving.path, true);
  }
}

// ---- Keeping

void Session::start_keeping() {
  if (!surroundings_.settings.empty()) {
    if (auto read = read_settings(surroundings_.settings))
      remembered_ = std::move(*read);
    else
      note(Notice::Level::warning, read.error().message);
    written_ = remembered_;
    model_.settings = remembered_.settings;
    model_.recent = remembered_.recent;
    model_.learner.progress = remembered_.lessons;
    read_thumbnails();
  }
  if (surroundings_.state.empty()) return;
  auto place = WorkPlace::take(surroundings_.state);
  if (!place) return note(Notice::Level::warning, place.error().message);
  place_ = std::move(*place);
  model_.recoverable = place_->claim();
  remove_stale_temporaries(surroundings_.state);
}

void Session::save_recovery() {
  if (!place_) return;
  const auto keep = [this, document = model_.document, path = model_.path, name = model_.name, stamp = model_.stamp,
                     of_network = model_.shows_network(), changed = model_.changed(),
                     training = kept_training()]() -> Background::Taken {
    if (!changed && !training) {
      place_->clear();
      return {};
    }
    Work work{with_view(document), document.figure, path, name, stamp, {}, training, !changed};
    if (of_network) work.network = document.network->asked;
    const Status kept = place_->keep(work);
    if (kept) return {};
    return [this, kept] {
      const std::string text = fmt::format("Unsaved work is not kept: {}", kept.error().message);
      if (std::ranges::find(model_.notices, text, &Notice::text) == model_.notices.end())
        note(Notice::Level::warning, text);
    };
  };
  keeping_.run("work", keep, keep_after);
  check_file();
}

// Says so once, and before one saves, where somebody else writes to the file that is open.
void Session::check_file() {
  if (model_.path.empty()) return;
  keeping_.run(
      "file",
      [this, path = model_.path, known = model_.stamp]() -> Background::Taken {
        const std::string stamp = stamp_of(path);
        if (stamp.empty() || stamp == known) return {};
        return [this, path, stamp] {
          const bool saved = stamp == model_.stamp || model_.saving > 0;  // meanwhile, by this window
          if (path != model_.path || saved || stamp == model_.stamp_reported) return;
          model_.stamp_reported = stamp;
          note(Notice::Level::warning, change_notice(path));
        };
      },
      keep_after);
}

void Session::finish_keeping() {
  keeping_.flush();
}

void Session::recover(const fs::path& file, bool sure) {
  if (!place_ || file.empty()) return;
  if (!sure && model_.may_lose_work()) return ask_to_leave({Departure::For::recover, file});
  finish_keeping();
  auto work = place_->adopt(file);
  std::erase_if(model_.recoverable, [&](const Recoverable& one) { return one.file == file; });
  if (!work) return note(Notice::Level::error, work.error().message);
  if (work->training) go_on_training(*work->training);
  if (work->training_alone) return;
  const auto training = model_.document.training;
  if (work->network)
    load(model_, std::move(*work->network), work->path);
  else
    load(model_, std::move(work->experiment), work->path);
  if (work->training) model_.document.training = training;
  model_.name = work->name;
  model_.stamp = work->stamp;
  model_.saved = nullptr;  // it is of no file as it is
  model_.touch();
  model_.document.figure = std::move(work->figure);
  rerun();
}

void Session::forget_recoverable(const fs::path& file) {
  if (!place_ || file.empty()) return;
  place_->discard(file);
  std::erase_if(model_.recoverable, [&](const Recoverable& one) { return one.file == file; });
}

void Session::remember(const Settings& before) {
  const Settings& now = model_.settings;
  Settings& kept = remembered_.settings;
  if (now.theme != before.theme) kept.theme = now.theme;
  if (now.scale != before.scale) kept.scale = now.scale;
  if (now.reduce_motion != before.reduce_motion) kept.reduce_motion = now.reduce_motion;
  if (now.start != before.start) kept.start = now.start;
  if (now.expert != before.expert) kept.expert = now.expert;
  if (now.notes != before.notes) kept.notes = now.notes;
  write_remembered();
}

void Session::remember_window(const WindowPlace& place) {
  if (remembered_.window == place) return;
  remembered_.window = place;
  write_remembered();
}

void Session::remember_open() {
  const bool lesson = model_.screen == Screen::lessons && model_.learner.played;
  const fs::path left = lesson ? model_.learner.path : model_.path;
  std::error_code ignored;
  const fs::path whole = left.empty() ? left : fs::absolute(left, ignored).lexically_normal();
  if (remembered_.left == whole) return;
  remembered_.left = whole;
  write_remembered();
}

void Session::begin_at_first_step() {
  app::begin_at_first_step(model_);
}

void Session::remember_folds(const Folds& folds) {
  if (remembered_.folds == folds) return;
  remembered_.folds = folds;
  write_remembered();
}

void Session::write_remembered() {
  if (surroundings_.settings.empty()) return;
  remembered_.recent = model_.recent;
  keeping_.run(
      "settings",
      [this, file = surroundings_.settings, remembered = remembered_]() -> Background::Taken {
        static_cast<void>(write_settings(file, remembered, written_));  // a home that cannot be written forgets
        written_ = remembered;
        return {};
      },
      keep_after);
}

}  // namespace headlight::app
