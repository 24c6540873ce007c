// What of a session reads and runs the experiments beside the open one, to present them.
#include <algorithm>

#include "app/model/browse.h"
#include "app/model/document.h"
#include "app/session/session.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

// The experiments of a folder in the order of its list, the open one among them as it is.
std::vector<Slide> slides_of(const Listing& listing, const Slide& open) {
  std::vector<Slide> slides;
  bool there = false;
  for (const Listed& file : listing.files) {
    const fs::path path = listing.folder / file.name;
    if (file.kind != FileKind::experiment || path.extension() != ".headlight") continue;
    const bool own = !there && same_file(path, open.path);
    there = there || own;
    slides.push_back(own ? open : Slide{.path = path, .name = utf8(path.stem())});
  }
  if (!there) slides.insert(slides.begin(), open);
  return slides;
}

}  // namespace

void Session::list_slides(const fs::path& path) {
  reading_.run("slides", [this, path]() -> Background::Taken {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return {};  // it was never saved
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    auto listing = std::make_shared<const Listing>(list_folder(folder));
    return [this, listing] {
      Presenter& present = model_.present;
      if (!present.on || present.slides.size() != 1) return;  // it was left meanwhile
      present.slides = slides_of(*listing, present.slides.front());
      const auto open = std::ranges::find_if(present.slides, &Slide::open);
      present.at = static_cast<std::size_t>(open - present.slides.begin());
    };
  });
}

// The slide that is shown, where its run is not known.
void Session::run_presented() {
  const Presenter& present = model_.present;
  const bool wanted = present.on && !present.slides.empty() && !slide_of(model_).open;
  const fs::path path = wanted ? slide_of(model_).path : fs::path();
  if (path == slide_asked_) return;
  const bool known = wanted && path == present.other_from;
  if (known && slide_asked_.empty()) return;
  reading_.drop(slide_run);
  sides_.drop(slide_run);
  slide_asked_ = known ? fs::path() : path;
  if (!wanted || known) return;
  reading_.run(slide_run, [this, path]() -> Background::Taken {
    auto read = std::make_shared<Result<Experiment>>(read_experiment(path));
    return [this, path, read] {
      if (path != slide_asked_) return;
      if (*read) return sides_.ask(slide_run, std::make_shared<const Experiment>(std::move(**read)), usual_pairs);
      slide_asked_.clear();
      model_.present.other = {};
      model_.present.other.error = read->error().message;
      model_.present.other_from = path;
    };
  });
}

}  // namespace headlight::app
