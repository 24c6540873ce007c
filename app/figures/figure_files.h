// The files of one figure: itself with its recipe, and beside it, where asked for, its numbers and its words; and many
// figures of one run.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/figure_of.h"
#include "app/figures/figure_recipe.h"
#include "app/page/figure.h"
#include "engine/io/experiment.h"

namespace headlight::app {

// In the format of the output's extension. The request's font is a bundled one in `fonts` or a file.
// Errors: as of figure_of() and render_figure().
Result<std::vector<FigureFile>> figure_files(const Trace& trace, const Problem& problem, const FigureSubject& of,
                                             const FigureRequest& request, const std::filesystem::path& output,
                                             const FigureExtras& extras, const std::filesystem::path& fonts,
                                             const Companions& companions = {});

// Its tokens, and these further texts.
std::vector<std::string> texts_of(const Problem& problem, std::vector<std::string> others);

// One line on what no font has, of the tokens and of further texts, with the packages that have it; or empty. Errors:
// as of font_files_named().
Result<std::string> missing_fonts_of(const Problem& problem, std::vector<std::string> texts, const std::string& font,
                                     const std::filesystem::path& fonts);

// All files that a figure is made from: none of them may be written over.
std::vector<std::filesystem::path> files_read_for(const FigureSubject& of, const Companions& companions,
                                                  const FigureRequest& request);

// Beside each other in the output's folder, which is made if there is none; each to a temporary name first. Errors: one
// of them is among those that were `read`, and none is written then.
Status write_figure_files(const std::vector<FigureFile>& files, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& read);

// ---- Many figures of one run: what they go through, what each is called, and drawing them on all processors

// One figure of one run, and its file.
struct FigureJob {
  FigureRequest request;
  std::filesystem::path output;
};

// What figures are drawn from. None of them is null but the model's experiment, where it is of another.
struct FigureSource {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Experiment> experiment;
  Companions companions = {};
  std::vector<std::filesystem::path> read = {};  // files that are not written over
  std::shared_ptr<const ModelExperiment> model = {};

  FigureSubject of() const { return model ? FigureSubject(*model) : FigureSubject(*experiment); }
};

// What there may be a figure for each of, and the places of their values in a name: "{head}", or "{head:02}" for two
// digits.
inline constexpr std::array<std::string_view, 6> figure_places{"step", "layer", "head", "batch", "query", "frame"};

// How many an index of `figure_places` but steps goes through in a step; 1 where there is nothing to go through.
Index count_of(const Step& step, std::string_view place);

// What the settings of a command leave open is as the experiment's file looks at it, but for steps where there is a
// figure for each. The view's key is no wish to have it framed.
FigureRequest with_defaults(FigureRequest request, const View& view, const std::vector<std::string>& each,
                            const Trace& trace);

// A figure for every combination of what `each` names, called after `pattern`; `experiment` stands in its
// {experiment}. Steps come first: how many heads there are is theirs to say. The names are added to `reserved`.
// Errors: a place that is not known, one that there is no figure for each of, a name that is reserved.
Result<std::vector<FigureJob>> figure_jobs(const Trace& trace, const FigureRequest& request,
                                           std::vector<std::string> each, const std::string& pattern,
                                           const std::string& experiment, std::set<std::filesystem::path>& reserved);

// What is called after each figure that is written, by one thread at a time: which job, and its files.
using FigureDrawn = std::function<void(std::size_t job, const std::vector<FigureFile>& files)>;

// Draws and writes on all processors. The first error stops the rest; so does `stop`, and what is drawn by then but not
// written is dropped: that is no error.
Status draw_figures(const std::vector<FigureJob>& jobs, const FigureSource& source, const FigureExtras& extras,
                    const std::filesystem::path& fonts, const std::stop_token& stop, const FigureDrawn& drawn);

// The same pattern with a place for all that `each` names: "fig.pdf" becomes "fig_{step}_{head}.pdf".
std::string with_places(const std::string& pattern, const std::vector<std::string>& each);
// The same pattern without those places; `name` where nothing else is left of the file's name.
std::string without_places(const std::string& pattern, const std::vector<std::string>& each, const std::string& name);

}  // namespace headlight::app
