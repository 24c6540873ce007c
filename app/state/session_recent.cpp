// What of a session puts inputs into the file that is saved, and keeps small pictures of recent files.
#include "app/state/session.h"
#include "app/state/session_keeping.h"
#include "app/state/thumbnails.h"
#include "app/state/to_embed.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {}  // namespace

// ---- Inputs in the file

// What the experiment reads, into itself; undo takes it out again.
Status Session::take_inputs_in(const fs::path& path) {
  auto whole = embedded(model_.document.experiment);
  if (!whole) return fail_at(one_line(path.filename().string()), whole.error());
  if (whole->files == model_.document.experiment.files) return {};
  model_.history.undo.push_back({"putting its inputs into the file", "", model_.document, {}});
  model_.history.redo.clear();
  model_.history.open = false;
  model_.document.experiment = std::move(*whole);
  return {};
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
