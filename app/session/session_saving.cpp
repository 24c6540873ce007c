// What of a session saves the document: off the window's thread, one after another. What is changed meanwhile is not in
// the file, and is not lost.

#include "app/model/document.h"
#include "app/model/network_run.h"
#include "app/session/session.h"
#include "app/session/session_keeping.h"
#include "engine/core/memory.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/run/embed.h"

namespace headlight::app {

namespace fs = std::filesystem;

// What is saved, as it was when that was asked for, and what became of it.
struct Session::Saving {
  fs::path path;
  bool with_inputs = false, sure = false;
  std::uint64_t number = 0, before = 0;  // of this saving, and of the last that had ended then
  Document document;
  std::uint64_t file_id = 0;                 // of the document
  fs::path own;                              // the document's path
  std::string stamp;                         // of the file there, as far as it was known; then as it was written
  std::shared_ptr<const std::string> asked;  // Model::text()
  std::vector<fs::path> read;                // files of a model, which are not written over

  Status status;
  Replacing replacing;                       // with a question, where one is to be asked first
  std::shared_ptr<const std::string> saved;  // Model::text() of what the file holds
  bool was_gone = false;                     // somebody had deleted it
  bool shows_network() const { return document.network && !document.layer_open; }
};

namespace {

std::string question_before(const fs::path& path, bool own) {
  return own ? fmt::format(
                   "{} has changed on disk since it was opened here. Saving over it loses what was written "
                   "there. Reloading it gives up what was changed here; Ctrl Z brings that back as long as "
                   "this window is open.",
                   file_name(path))
             : fmt::format("{} is there already. Replacing it loses what it holds.", file_name(path));
}

}  // namespace

void Session::save(const fs::path& path, bool with_inputs, bool sure) {
  auto saving = std::make_shared<Saving>();
  saving->path = path;
  saving->with_inputs = with_inputs && !model_.shows_network();
  saving->sure = sure;
  saving->before = saves_asked_ - model_.saving;
  saving->number = ++saves_asked_;
  saving->document = model_.document;
  saving->file_id = model_.file_id;
  saving->own = model_.path;
  saving->stamp = model_.stamp;
  saving->asked = saving->saved = model_.text();
  if (model_.shows_network()) {
    ModelExperiment asked = model_.document.network->asked;
    asked.name.clear();  // its own file may be written
    saving->read = input_files(asked);
  }
  ++model_.saving;
  saving_.run(fmt::format("save {}", saving->number), [this, saving]() -> Background::Taken {
    saving->status = catch_all([&] { return write(*saving); });
    return [this, saving] { take_saved(*saving); };
  });
}

// On the thread that saves.
Status Session::write(Saving& saving) {
  const fs::path& path = saving.path;
  Document& document = saving.document;
  if (saving.shows_network()) {
    HL_CHECK(check_not_input(saving.read, path));
  } else {
    Experiment experiment = *document.experiment;
    experiment.name.clear();  // its own file may be written
    HL_CHECK(check_may_write(experiment, path));
  }
  std::error_code ignored;
  const std::string there = stamp_of(path);
  const bool own = same_file(path, saving.own);
  const bool known = (own && there == saving.stamp) ||
                     (last_write_.number > saving.before && last_write_.stamp == there && last_write_.path == path);
  if (!saving.sure && !known && fs::exists(path, ignored)) {
    saving.replacing = {Replacing::What::experiment, path, question_before(path, own), own, saving.with_inputs};
    return {};
  }
  saving.was_gone = path == saving.own && !saving.stamp.empty() && !fs::exists(path, ignored);
  remove_stale_temporaries(path.parent_path());
  if (saving.with_inputs) {
    auto whole = embedded(*document.experiment);
    if (!whole) return fail_at(file_name(path), whole.error());
    if (stamp_of(path) != there)
      return fail("{} was written meanwhile and stays as it is: save it with its inputs once more.", file_name(path));
    document.experiment = std::make_shared<const Experiment>(std::move(*whole));
    saving.saved = std::make_shared<const std::string>(text_of(document));
  }
  HL_CHECK(saving.shows_network() ? write_model_experiment(with_view(*document.network), path)
                                  : write_experiment(with_view(document), path));
  saving.stamp = stamp_of(path);
  last_write_ = {path, saving.stamp, saving.number};
  if (place_) place_->clear();  // what was kept is older than the file
  return {};
}

void Session::take_saved(const Saving& saving) {
  --model_.saving;
  if (!saving.status) {
    model_.leaving = {};
    return note(Notice::Level::error, saving.status.error().message);
  }
  const bool open = model_.file_id == saving.file_id;  // no other document took its place
  if (!saving.replacing.question.empty()) {
    if (!open) return note(Notice::Level::warning, saving.replacing.question);
    model_.replacing = saving.replacing;
    model_.dialog = Dialog::replace;
    return;
  }
  if (open)
    take_file(saving);
  else
    note(Notice::Level::note, fmt::format("Saved {}", file_name(saving.path)));
  const Departure next = model_.leaving;
  if (next.what == Departure::For::nothing || model_.saving > 0) return;
  if (model_.changed()) return ask_to_leave(next);
  model_.leaving = {};
  leave(next);
}

// The file is the document's from here on.
void Session::take_file(const Saving& saving) {
  if (saving.with_inputs && *model_.text() == *saving.asked) store_inputs(saving.document.experiment);
  model_.path = saving.path;
  model_.name.clear();
  model_.file_view = model_.rest_view = view_of(saving.document.look);
  model_.saved = saving.saved;
  model_.touch();
  model_.stamp = saving.stamp;
  std::erase_if(model_.notices, [&](const Notice& notice) { return notice.text == change_notice(saving.path); });
  if (saving.was_gone)
    note(Notice::Level::note, fmt::format("{} had been deleted: it was written anew", file_name(saving.path)));
  if (model_.dialog == Dialog::save || model_.dialog == Dialog::save_with_inputs) model_.dialog = Dialog::none;
  remember_recent(model_.recent, saving.path);
  write_remembered();
  save_recovery();
  keep_thumbnail();
}

// Puts all files that it reads into the experiment; undo takes them out again.
void Session::store_inputs(const std::shared_ptr<const Experiment>& whole) {
  if (whole->files == model_.document.experiment->files) return;
  push(model_, {"putting its inputs into the file", "", model_.document, {}}, false);
  model_.document.experiment = whole;
}

}  // namespace headlight::app
