// What of a session looks at inputs that would go into the file, and keeps small pictures of recent files.
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

// Reads no more than how large each is.
void Session::weigh_inputs() {
  model_.to_embed.reset();
  if (model_.shows_network()) return;
  reading_.run("weigh", [this, experiment = model_.document.experiment]() -> Background::Taken {
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
