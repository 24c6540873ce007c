#include "app/figures/figure_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "app/figures/figure_choices.h"
#include "app/figures/figure_layers.h"
#include "app/reading/slice.h"
#include "app/text/font_set.h"
#include "app/text/shaping.h"
#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/core/pause.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"

namespace headlight::app {

namespace {

// (panels, rows, columns).
Result<std::string> npy_of(const Figure& figure) {
  const MatrixView first = numbers_of(figure.panels.front());
  for (const Panel& panel : figure.panels)
    if (panel.cells.rows != first.rows || panel.cells.columns != first.columns)
      return fail("the panels differ in size, {} × {} and {} × {}: they make no one array, so save a CSV instead",
                  first.rows, first.columns, panel.cells.rows, panel.cells.columns);
  Tensor all({static_cast<Index>(figure.panels.size()), first.rows, first.columns});
  float* out = all.data();
  for (const Panel& panel : figure.panels)
    for (Index r = 0; r < first.rows; ++r)
      for (Index c = 0; c < first.columns; ++c) *out++ = numbers_of(panel).at(r, c);
  std::string bytes = npy_header(all.shape());
  bytes.append(bytes_of(all));
  return bytes;
}

}  // namespace

Result<std::vector<FigureFile>> figure_files(const Trace& trace, const Problem& problem, const FigureSubject& of,
                                             const FigureRequest& asked, const std::filesystem::path& output,
                                             const FigureExtras& extras, const std::filesystem::path& fonts,
                                             const Companions& companions) {
  HL_TRY(const FigureFormat format, figure_format_of(output));
  const FigureRequest request = with_layer_names(asked, of.name());
  HL_TRY(OwnedFigure owned, figure_of(trace, problem, request, companions));
  Figure& figure = owned.figure;
  if (request.recipe) figure.recipe = recipe_text(of, request, companions, output.parent_path());
  HL_TRY(figure.time, source_date());
  HL_TRY(const PageOptions page, page_options(request));
  HL_TRY(const FontFiles font_files, font_files_named(fonts, request.font));
  const std::string stem = utf8(output.stem());
  HL_TRY(auto files, render_figure(figure, page, font_files, format, stem));
  files.front().name = utf8(output.filename());  // also where it ends in .PDF
  if (extras.csv) files.push_back({stem + ".csv", csv_of(figure)});
  if (extras.npy) {
    HL_TRY(std::string bytes, npy_of(figure));
    files.push_back({stem + ".npy", std::move(bytes)});
  }
  const std::string& note = files.front().note;
  const std::string caption = caption_of(figure) + (note.empty() ? "" : " " + note);
  if (extras.words)
    files.push_back({stem + ".txt", fmt::format("Caption\n{}\n\nAlternative text\n{}\n",
                                                request.caption.value_or(caption), figure.description)});
  return files;
}

std::vector<std::string> texts_of(const Problem& problem, std::vector<std::string> others) {
  for (const auto& [axis, labels] : problem.labels) others.insert(others.end(), labels.begin(), labels.end());
  return others;
}

Result<std::string> missing_fonts_of(const Problem& problem, std::vector<std::string> texts, const std::string& font,
                                     const std::filesystem::path& fonts) {
  HL_TRY(const FontFiles files, font_files_named(fonts, font));
  HL_TRY(const FontSet set, FontSet::load(files));
  return missing_fonts_note(missing_scripts(set, texts_of(problem, std::move(texts))));
}

std::vector<std::filesystem::path> files_read_for(const FigureSubject& of, const Companions& companions,
                                                  const FigureRequest& request) {
  std::vector<std::filesystem::path> read = of.files();
  for (const auto& [path, companion] : companions)
    if (const auto other = figure_subject(companion))
      for (auto& file : other->files()) read.push_back(std::move(file));
  for (auto& file : font_files_read(request.font)) read.push_back(std::move(file));
  return read;
}

Status write_figure_files(const std::vector<FigureFile>& files, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& read) {
  const std::filesystem::path folder = output.parent_path();
  for (const FigureFile& file : files) HL_CHECK(check_not_input(read, folder / file.name));
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return fail("{}: this folder cannot be made: {}", utf8(folder), error.message());
  for (const FigureFile& file : files) HL_CHECK(write_file(folder / file.name, file.bytes));
  return {};
}

namespace {

namespace fs = std::filesystem;

// ---- Names --------------------------------------------------------------------------------------------------------

// The values of the placeholders in an output's name.
using Places = std::map<std::string, std::string, std::less<>>;

// "{step}", "{head:02}": a number may be given a width. Errors: a placeholder that is not known.
Result<std::string> name_of(const std::string& pattern, const Places& places) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto end = pattern[i] == '{' ? pattern.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      if (pattern[i] == '{' || pattern[i] == '}')
        return fail("-o {}: there is a {} without its other half", pattern, pattern[i]);
      out.push_back(pattern[i]);
      continue;
    }
    const std::string inside = pattern.substr(i + 1, end - i - 1);
    const auto colon = inside.find(':');
    const std::string place = inside.substr(0, colon);
    const auto found = places.find(place);
    if (found == places.end() && std::ranges::find(figure_places, place) == figure_places.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : places) known.push_back("{" + name + "}");
      return fail("-o {}: {{{}}} is not known: it may hold {}", pattern, inside, fmt::join(known, ", "));
    }
    std::size_t width = 0;
    if (colon != std::string::npos) {
      constexpr std::size_t most = 9;
      width = parse_number<std::size_t>(std::string_view(inside).substr(colon + 1)).value_or(0);
      if (width < 1 || width > most)
        return fail("-o {}: {{{}}}: after the colon stands how many digits, 1 to {}, as in {{head:02}}", pattern,
                    inside, most);
    }
    if (found == places.end())
      return fail("-o {}: {{{}}} is known only with --each {}, which draws a file for each", pattern, inside, place);
    out.append(width - std::min(width, found->second.size()), '0');
    out += found->second;
    i = end;
  }
  return out;
}

// Where "{head}" or "{head:02}" is, and how long; npos where it is not.
std::pair<std::size_t, std::size_t> place_in(const std::string& pattern, const std::string& name) {
  for (auto at = pattern.find("{" + name); at != std::string::npos; at = pattern.find("{" + name, at + 1)) {
    const char next = at + name.size() + 1 < pattern.size() ? pattern[at + name.size() + 1] : '\0';
    const auto end = pattern.find('}', at);
    if ((next == '}' || next == ':') && end != std::string::npos) return {at, end + 1 - at};
  }
  return {std::string::npos, 0};
}

Status reserve_names(const std::vector<FigureJob>& jobs, std::set<fs::path>& reserved,
                     const std::vector<std::string>& each, const std::string& pattern) {
  for (const FigureJob& job : jobs)
    if (!reserved.insert(job.output).second)
      return fail("-o {}: several figures would be called {}: put {} into the name", pattern, utf8(job.output),
                  each.empty() ? "{experiment}" : fmt::format("{{{}}}", fmt::join(each, "} and {")));
  return {};
}

// ---- What there is a figure for each of ---------------------------------------------------------------------------

// The head of a figure that has one alone.
std::optional<Index> head_drawn(const Trace& trace, const FigureRequest& request) {
  if (request.heads.size() == 1) return request.heads.front();
  const Step* step = first_step(trace, request);
  return step && heads_of(*step) == 1 ? std::optional<Index>(0) : std::nullopt;
}

// The texts that one of `each` goes through.
Result<std::vector<std::string>> values_of(const std::string& each, const Trace& trace, const FigureRequest& request) {
  std::vector<std::string> values;
  if (std::ranges::find(figure_places, each) == figure_places.end())
    return fail("--each is {}: it must be one of {}", each, fmt::join(figure_places, ", "));
  if (each == "step") {
    if (!request.steps.empty()) return request.steps;
    for (const auto& recorded : trace.steps) {
      std::string id = is_of_layers(request) ? without_layer(recorded.info.id) : recorded.info.id;
      if (std::ranges::find(values, id) == values.end()) values.push_back(std::move(id));
    }
    return values;
  }
  if (each == "layer") {
    if (layers_of(trace) == 0) return fail("--each layer is of a run of several layers, and this one has none");
    HL_TRY(const auto layers, requested_layers(trace, request));
    for (const Index layer : layers) values.push_back(fmt::format("{}", layer));
    return values;
  }
  const Step* step = first_step(trace, request);
  if (!step) return values;
  if (each == "head" && count_of(*step, each) > 1) {
    FigureRequest one = request;
    HL_CHECK(set_figure(one, each, "0"));
    if (const Status told = check_choices(trace, one, {each}); !told)
      return fail("--each {}: all of them would be alike: {}", each, told.error().message);
  }
  if (each == "head" && !request.heads.empty()) {
    for (const Index head : request.heads) values.push_back(fmt::format("{}", head));
    return values;
  }
  for (Index i = 0; i < count_of(*step, each); ++i) values.push_back(fmt::format("{}", i));
  return values;
}

// Bytes for its stack, for the addresses that malloc sets aside for it, and for a page.
constexpr double room_of_a_thread = 256 << 20;

// One pattern, and what its combinations go through.
struct Plan {
  const Trace& trace;
  const std::vector<std::string>& each;
  const std::string& pattern;
  std::vector<FigureJob> jobs;
};

Status add_jobs(Plan& plan, FigureRequest request, Places places, std::size_t at) {
  if (at == plan.each.size()) {
    std::ranges::replace(places["step"], '/', '-');  // "layer3/weights" is no folder
    HL_TRY(const std::string name, name_of(plan.pattern, places));
    plan.jobs.push_back({std::move(request), name});
    return {};
  }
  const std::string& each = plan.each[at];
  HL_TRY(const auto values, values_of(each, plan.trace, request));
  for (const auto& value : values) {
    HL_CHECK(set_figure(request, each == "layer" ? "layers" : each, value));
    places[each] = value;
    HL_CHECK(add_jobs(plan, request, places, at + 1));
  }
  return {};
}

}  // namespace

Index count_of(const Step& step, std::string_view place) {
  if (place == "head") return heads_served(step);
  if (place == "batch") return batches_of(step);
  if (place == "frame") return frames_of(step);
  if (place == "query") return step.extent(AxisRole::query);
  return 1;
}

FigureRequest with_defaults(FigureRequest request, const View& view, const std::vector<std::string>& each,
                            const Trace& trace) {
  const auto for_each = [&](const char* place) { return std::ranges::find(each, place) != each.end(); };
  const bool each_step = for_each("step");
  if (for_each("layer") && !request.run_layers) request.run_layers.emplace();
  if (is_of_layers(request)) {
    // Which layers is said, and so the view's step is of one of them.
  } else if (request.steps.empty() && !each_step && (view.step || trace.default_step()))
    request.steps.push_back(view.step ? *view.step : trace.default_step()->info.id);
  if (!request.batch && view.batch.value_or(0) > 0) request.batch = view.batch;
  if (!request.query) request.query = view.query;
  if (request.kind == FigureKind::automatic && view.mode == "matrix") request.kind = FigureKind::matrix;
  return request;
}

Result<std::vector<FigureJob>> figure_jobs(const Trace& trace, const FigureRequest& request,
                                           std::vector<std::string> each, const std::string& pattern,
                                           const std::string& experiment, std::set<fs::path>& reserved) {
  std::stable_partition(each.begin(), each.end(), [](const std::string& one) { return one == "step"; });
  Places places{{"experiment", experiment}, {"step", fmt::format("{}", fmt::join(request.steps, "+"))}};
  if (const Step* step = first_step(trace, request); step && request.steps.empty())
    places["step"] = is_of_layers(request) ? without_layer(step->info.id) : step->info.id;
  if (request.run_layers && request.run_layers->size() == 1)
    places["layer"] = fmt::format("{}", request.run_layers->front());
  if (const auto head = head_drawn(trace, request)) places["head"] = fmt::format("{}", *head);
  Plan plan{trace, each, pattern, {}};
  HL_CHECK(add_jobs(plan, request, places, 0));
  // A recipe holds what is drawn alone, so that a window and a command write the same.
  for (FigureJob& job : plan.jobs) job.request = without_idle_choices(std::move(job.request), trace);
  HL_CHECK(reserve_names(plan.jobs, reserved, each, pattern));
  return std::move(plan.jobs);
}

Status draw_figures(const std::vector<FigureJob>& jobs, const FigureSource& source, const FigureExtras& extras,
                    const fs::path& fonts, const std::stop_token& stop, const FigureDrawn& drawn) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Status status;
  const auto draw = [&](std::size_t at) -> Status {
    const FigureJob& job = jobs[at];
    HL_TRY(const auto files, figure_files(*source.trace, *source.problem, source.of(), job.request, job.output, extras,
                                          fonts, source.companions));
    if (stop.stop_requested()) return {};
    HL_CHECK(write_figure_files(files, job.output, source.read));
    const std::scoped_lock lock(mutex);
    if (drawn) drawn(at, files);
    return {};
  };
  const auto work = [&] {
    while (!stop.stop_requested()) {
      pause_if_asked();
      const std::size_t at = next++;
      if (at >= jobs.size()) return;
      const Status done = catch_all([&] { return draw(at); });
      if (done) continue;
      const std::scoped_lock lock(mutex);
      if (status) status = done;
      next = jobs.size();
    }
  };
  std::vector<std::thread> threads;
  const auto count = std::min<std::size_t>({std::max(1U, std::thread::hardware_concurrency()), jobs.size(),
                                            1 + static_cast<std::size_t>(free_memory() / room_of_a_thread)});
  try {
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  } catch (const std::exception&) {
    // The system has no room for more threads: those that there are draw all of it.
  }
  work();
  for (auto& thread : threads) thread.join();
  return status;
}

std::string with_places(const std::string& pattern, const std::vector<std::string>& each) {
  const fs::path path = pattern;
  std::string stem = utf8(path.stem());
  for (const auto& name : each)
    if (place_in(pattern, name).second == 0) stem += (stem.empty() ? "{" : "_{") + name + "}";
  return utf8(path.parent_path() / (stem + utf8(path.extension())));
}

std::string without_places(const std::string& pattern, const std::vector<std::string>& each, const std::string& name) {
  std::string text = pattern;
  for (const auto& one : each)
    for (auto [at, length] = place_in(text, one); length > 0; std::tie(at, length) = place_in(text, one)) {
      const auto joins = [&](std::size_t i) { return i < text.size() && (text[i] == '_' || text[i] == '-'); };
      if (at > 0 && joins(at - 1))
        text.erase(at - 1, length + 1);
      else
        text.erase(at, length + (joins(at + length) ? 1 : 0));
    }
  if (text == pattern) return text;
  const fs::path path = path_of_utf8(text).lexically_normal();
  if (!utf8(path.stem()).empty() && !utf8(path.stem()).starts_with(".")) return utf8(path);
  return utf8(path.parent_path() / (name + utf8(path_of_utf8(pattern).extension())));
}

}  // namespace headlight::app
