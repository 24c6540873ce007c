// What of a session opens, exports and lists files, and reads those that are presented.
#include <algorithm>

#include "app/actions/exports.h"
#include "app/actions/slide_questions.h"
#include "app/lessons/lesson.h"
#include "app/model/browse.h"
#include "app/model/document.h"
#include "app/reading/inputs.h"
#include "app/reading/questions/other_questions.h"
#include "app/session/dump.h"
#include "app/session/session.h"
#include "app/session/session_keeping.h"
#include "app/session/thumbnails.h"
#include "engine/core/system/paths.h"
#include "engine/io/axes.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace fs = std::filesystem;

namespace {

bool is_in_folder(const fs::path& path, const fs::path& folder) {
  return !folder.empty() && same_file(path.has_parent_path() ? path.parent_path() : fs::path("."), folder);
}

// Names of inputs and weights that the mechanism has; `given` are there already.
std::vector<std::string> array_names(const Variant& variant, const ParamValues& params,
                                     const std::vector<std::string>& given) {
  const ArraySpecs specs = variant.arrays(params, {given.begin(), given.end()});
  std::vector<std::string> names;
  for (const auto* list : {&specs.inputs, &specs.weights})
    for (const auto& spec : *list) names.push_back(spec.id);
  return names;
}

}  // namespace

// ---- Opening

void Session::open(const fs::path& path, bool sure, const std::string& member) {
  if (is_lesson_file(path)) return open_lesson(path);
  reading_.run("open", [this, path, sure, member, examples = model_.examples]() -> Background::Taken {
    const FileVersion file{path, stamp_of(path), member};  // before it is read: what is written meanwhile is a change
    auto opened = std::make_shared<Opened>(read_to_open(path, examples, member));
    return [this, opened, file, sure] { take(std::move(*opened), file, sure); };
  });
}

void Session::take(Opened opened, const FileVersion& file, bool sure) {
  if (const auto* error = std::get_if<Error>(&opened)) {
    model_.notices.push_back({Notice::Level::error, error->message, true});
    return;
  }
  std::erase_if(model_.notices, [](const Notice& notice) { return notice.refuses_file; });
  if (auto* input = std::get_if<InputSpec>(&opened)) {
    model_.dialog = Dialog::none;
    const auto* picture = std::get_if<ImageInput>(input);
    if (picture && model_.shows_network()) return act(SetModelInput{ModelReads::picture, picture->path});
    if (const auto* text = std::get_if<TextInput>(input)) {
      if (model_.screen == Screen::train) return act(SetTrainText{text->text});
      if (model_.shows_network()) return act(SetModelInput{ModelReads::text, text->text});
      // In place of a text, split and embedded as that one.
      const InputSpec* before = model_.input(model_.primary_input());
      if (const auto* now = before ? std::get_if<TextInput>(before) : nullptr) {
        TextInput like = *now;
        like.text = text->text;
        *input = std::move(like);
      }
    }
    return act(SetInput{model_.primary_input(), std::move(*input)});
  }
  if (const auto* arrays = std::get_if<OpenedArrays>(&opened)) return take(*arrays);
  if (const auto* training = std::get_if<TrainingFolder>(&opened)) {
    model_.dialog = Dialog::none;
    return go_on_training(training->folder);
  }
  if (!sure && model_.may_lose_work()) return ask_to_leave({Departure::For::open, file.path, file.member});
  model_.dialog = Dialog::none;
  if (auto* experiment = std::get_if<Experiment>(&opened)) show(std::move(*experiment), file);
  if (auto* recipe = std::get_if<Recipe>(&opened)) show(std::move(*recipe), file.path);
  if (auto* network = std::get_if<OpenedNetwork>(&opened)) show(std::move(*network), file);
  if (auto* dump = std::get_if<OpenedDump>(&opened)) {
    load(model_, std::move(dump->experiment), {});
    model_.name = name_of_dump(*model_.document.experiment);
  }
  rerun();
  save_recovery();
}

// Other names that lie there are somebody's: they stay.
void Session::keep_names(const NamesToKeep& names) {
  keeping_.run("names", [this, names]() -> Background::Taken {
    std::error_code ignored;
    const bool there = fs::exists(names.path, ignored);
    const auto held = there ? read_file(names.path, names.text.size() + 1) : fail("it is not there");
    const bool same = held && *held == names.text;
    const Status kept = there ? Status() : write_file(names.path, names.text);
    return [this, kept, file = file_name(names.path), left = there && !same] {
      if (!kept) return note(Notice::Level::error, kept.error().message);
      if (left) return note(Notice::Level::warning, fmt::format("{} holds other names: it stays as it is.", file));
      note(Notice::Level::note, fmt::format("Kept the names in {}", file));
    };
  });
}

// By name where the names tell; else it is asked which of them is the input, and what its axes mean.
void Session::take(const OpenedArrays& opened) {
  model_.dialog = Dialog::none;
  const auto ask = [&] {
    model_.arrays_opened = std::make_shared<const OpenedArrays>(opened);
    model_.dialog = Dialog::arrays;
  };
  if (!opened.layers.empty() || !opened.members.empty()) return ask();
  const Experiment& experiment = *model_.document.experiment;
  const Variant& variant = *find_variant(experiment.variant);
  std::vector<std::string> held;
  for (const auto& [name, shape] : opened.arrays) held.push_back(name);
  const auto known = array_names(variant, experiment.params, held);
  const auto is_known = [&](const std::string& name) { return std::ranges::find(known, name) != known.end(); };
  if (variant.arrays(experiment.params, {}).inputs.front().layout == Layout::maps)
    return act(SetInput{model_.primary_input(), FileInput{utf8(opened.path)}});
  const bool single = opened.path.extension() == ".npy";
  if (!single && std::ranges::any_of(held, is_known)) return act(SetArrays{utf8(opened.path), held});
  if (opened.proposed) return ask();
  const auto has_axes = [](const NamedShape& array) { return !axes_of_rank(array.second.size()).empty(); };
  if (std::ranges::none_of(opened.arrays, has_axes))
    return note(Notice::Level::error,
                fmt::format("{}: {} has shape {}: an input has one to five axes", file_name(opened.path),
                            opened.arrays.front().first, to_string(opened.arrays.front().second)));
  if (single && axes_are_plain(opened.arrays.front().second, variant))
    return act(SetInput{model_.primary_input(), FileInput{utf8(opened.path)}});
  ask();
}

void Session::show(Experiment experiment, const FileVersion& file) {
  // An example is a beginning: it is saved under another name.
  if (is_in_folder(file.path, model_.examples)) {
    experiment.name.clear();
    load(model_, std::move(experiment), {});
    model_.name = utf8(file.path.stem());
    return;
  }
  load(model_, std::move(experiment), file.path);
  model_.stamp = file.stamp;
  note_files_outside();
  remember_recent(model_.recent, file.path);
  write_remembered();
}

// A model: by itself it is of no file, but its folder is opened again like one.
void Session::show(OpenedNetwork network, const FileVersion& file) {
  const std::vector<std::string> notices = network.asked.notices;
  load(model_, std::move(network.asked), network.path);
  for (const std::string& notice : notices) note(Notice::Level::warning, notice);
  model_.stamp = network.path.empty() ? std::string() : file.stamp;
  remember_recent(model_.recent, file.path);
  write_remembered();
}

// A figure that carries its recipe.
void Session::show(Recipe recipe, const fs::path& path) {
  forget_companions();
  if (recipe.model)
    load(model_, std::move(*recipe.model), {});
  else
    load(model_, std::move(recipe.experiment), {});
  model_.name = utf8(path.filename());
  model_.document.figure = std::move(recipe.request);
  model_.recipe_companions = std::move(recipe.companions);
  if (!model_.shows_network()) {
    show_figure_view(model_);
    model_.rest_view = view_of(model_.document.look);
  }
  model_.figure_files.path = utf8(path);
  if (const auto format = figure_format_of(path)) model_.figure_files.format = *format;
  model_.screen = Screen::figure;
  note_files_outside();
  if (const Status same = check_unchanged(recipe.files); !same)
    note(Notice::Level::warning, same.error().message + ".");
  note(Notice::Level::note, fmt::format("Restored from the recipe in {}", utf8(path.filename())));
}

void Session::finish_files() {
  while (reading_.busy() || saving_.busy()) {
    reading_.flush();
    saving_.flush();
    reading_.poll();
    saving_.poll();
  }
}

// Of an experiment from elsewhere: said as it is opened.
void Session::note_files_outside() {
  if (std::string text = files_outside_note(*model_.document.experiment); !text.empty())
    note(Notice::Level::warning, std::move(text));
}

// Saves, exports or asks, as what is there demands.
void Session::replace(const Replacing& replacing) {
  const bool sure = !replacing.question.empty();  // it was asked
  if (replacing.what == Replacing::What::experiment) return save(replacing.path, replacing.with_inputs, sure);
  if (replacing.what == Replacing::What::arrays) {
    const Status may = check_may_write(*model_.shown.experiment, replacing.path);
    return start_export(
        may ? Result<ExportTask>(ArraysJob{model_.shown.trace, replacing.path}) : tl::unexpected<Error>(may.error()),
        replacing.what, replacing.path, sure);
  }
  if (replacing.what == Replacing::What::heads) return save_heads(replacing.path, sure);
  const bool sheet = replacing.what == Replacing::What::sheet;
  start_export(sheet ? sheet_export(model_, replacing.path) : figure_export(model_, utf8(replacing.path)),
               replacing.what, replacing.path, sure);
}

void Session::start_export(Result<ExportTask> task, Replacing::What what, const fs::path& path, bool sure) {
  if (!task) return note(Notice::Level::error, task.error().message);
  const auto asked = std::make_shared<ExportTask>(std::move(*task));
  export_asked_ = model_.exporting.busy = true;
  saving_.run("export", [this, asked, what, path, sure, exported = model_.exported]() -> Background::Taken {
    const auto lost = sure ? std::vector<fs::path>() : files_replaced(exported, *asked);
    if (lost.empty()) remove_stale_temporaries(path.parent_path());
    return [this, asked, what, path, lost] {
      export_asked_ = false;
      const Status started = lost.empty() ? exporter_.start(std::move(*asked)) : Status();
      model_.exporting = exporter_.progress();
      if (!started) note(Notice::Level::warning, started.error().message);
      if (lost.empty()) return;
      const std::string files =
          lost.size() == 1 ? file_name(lost.front()) + " is" : fmt::format("{} of the files are", lost.size());
      model_.replacing = {what, path, fmt::format("{} there already. Replacing loses what is in it.", files)};
      model_.dialog = Dialog::replace;
    };
  });
}

// ---- Dialogs

void Session::browse(const fs::path& folder) {
  reading_.run("list", [this, folder, examples = model_.examples]() -> Background::Taken {
    auto listing = std::make_shared<const Listing>(is_in_folder(folder / "any", examples) ? list_examples(folder)
                                                                                          : list_folder(folder));
    return [this, listing] { model_.listing = listing; };
  });
}

void Session::peek(const fs::path& path) {
  reading_.run("peek", [this, path]() -> Background::Taken {
    auto preview = std::make_shared<const Preview>(preview_of(path));
    return [this, preview] { model_.preview = preview; };
  });
}

// ---- Inputs in the file

// Reads no more than how large each is.
void Session::measure_inputs() {
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

// ---- The experiments beside the open one, to present them

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

// The run of the slide with what is changed in what is asked, where it is not known.
void Session::run_changed_slide() {
  Presenter& present = model_.present;
  if (!present.on || present.slides.empty()) return;
  const std::string about = slide_question_id(model_);
  const auto& run = presented(model_).trace;
  if (!run_change(about) || !run) return;
  const ChangedRun& known = present.changed;
  const Index head = look_of_slide(model_).head;
  if (known.change == about && known.head == head && known.of_run == run) return;
  sides_.drop(changed_run);
  present.changed = {about, head, {std::shared_ptr<const Trace>(), run.get()}, {}};
  const auto experiment = changed_experiment(model_, about);
  if (experiment) return sides_.ask(changed_run, experiment, usual_pairs);
  present.changed.outcome.error = "This run cannot have that change.";
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
