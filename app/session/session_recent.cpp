// What of a session puts inputs into the file that is saved, and keeps small pictures of recent files.
#include "app/model/to_embed.h"
#include "app/session/session.h"
#include "app/session/session_keeping.h"
#include "app/session/thumbnails.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace fs = std::filesystem;

// ---- Inputs in the file

// What the experiment reads goes into itself, which undo takes out again. It is read and put into words off the
// window's thread: what is changed meanwhile is not in the file, and neither is it lost, nor what was written there
// meanwhile.
void Session::write_with_inputs(const fs::path& path) {
  struct Saving {
    Document document;
    fs::path file;  // of the document, when it was asked
    std::string asked, saved, stamp;
    Departure next;
    Result<std::string> text;
  };
  auto saving = std::make_shared<Saving>(Saving{model_.document, model_.path, text_of(model_.document), model_.saved,
                                                stamp_of(path), std::exchange(model_.leaving, {}), std::string()});
  reading_.run("embed " + utf8(path), [this, path, saving]() -> Background::Taken {
    if (auto whole = embedded(saving->document.experiment)) {
      saving->document.experiment = std::move(*whole);
      saving->text = to_json(with_view(saving->document), path.parent_path());
    } else {
      saving->text = fail_at(one_line(utf8(path.filename())), whole.error());
    }
    return [this, path, saving] {
      if (!saving->text) return note(Notice::Level::error, saving->text.error().message);
      if (stamp_of(path) != saving->stamp)
        return note(Notice::Level::warning,
                    fmt::format("{} was written meanwhile and stays as it is: save it with its inputs once more.",
                                one_line(utf8(path.filename()))));
      if (const Status written = write_file(path, *saving->text); !written)
        return note(Notice::Level::error, written.error().message);
      if (model_.path != saving->file || model_.saved != saving->saved)  // another document took its place
        return note(Notice::Level::note, fmt::format("Saved {}", one_line(utf8(path.filename()))));
      const bool as_asked = text_of(model_.document) == saving->asked;
      if (as_asked) put_inputs_in(saving->document.experiment);
      is_written(path, saving->document);
      if (as_asked) leave(saving->next);
    };
  });
}

void Session::put_inputs_in(const Experiment& whole) {
  if (whole.files == model_.document.experiment.files) return;
  model_.history.undo.push_back({"putting its inputs into the file", "", model_.document, {}});
  model_.history.redo.clear();
  model_.history.open = false;
  model_.document.experiment = whole;
}

// Reads no more than how large each is.
void Session::weigh_inputs() {
  model_.to_embed.reset();
  if (model_.shows_network()) return;
  const auto experiment = std::make_shared<const Experiment>(model_.document.experiment);
  reading_.run("weigh", [this, experiment]() -> Background::Taken {
    auto found = files_to_embed(*experiment);
    auto weighed = std::make_shared<InputsToEmbed>();
    if (found)
      weighed->files = std::move(*found);
    else
      weighed->error = found.error().message;
    return [this, weighed] { model_.to_embed = weighed; };
  });
}

// ---- Small pictures of recent files

// Of the file as it was opened or saved: what was changed since is not what opens.
void Session::keep_thumbnail() {
  if (surroundings_.cache.empty() || model_.path.empty() || model_.changed()) return;
  auto map = map_to_shrink(model_);
  if (!map) return;
  keeping_.run(
      "thumbnail",
      [map = std::move(map), cache = surroundings_.cache, of = model_.path]() -> Background::Taken {
        write_thumbnails(map, cache, of);
        return {};
      },
      keep_after);
}

void Session::read_thumbnails() {
  if (surroundings_.cache.empty()) return;
  reading_.run("thumbnails", [this, cache = surroundings_.cache, files = model_.recent]() -> Background::Taken {
    auto found = std::make_shared<const Thumbnails>(thumbnails_of(cache, files));
    return [this, found] { model_.thumbnails = found; };
  });
}

}  // namespace headlight::app
