// The files of one figure: itself with its recipe, and beside it, where asked for, its numbers and its words.
#pragma once

#include <filesystem>
#include <vector>

#include "app/figures/figure_of.h"
#include "app/figures/figure_recipe.h"
#include "app/page/figure.h"
#include "engine/io/experiment.h"

namespace headlight::app {

// In the format of the output's extension. The request's font is a bundled one in `fonts` or a file.
// Errors: as of figure_of() and render_figure().
Result<std::vector<FigureFile>> figure_files(const Trace& trace, const Problem& problem, const FiguredOf& of,
                                             const FigureRequest& request, const std::filesystem::path& output,
                                             const FigureExtras& extras, const std::filesystem::path& fonts,
                                             const Companions& companions = {});

// One line on what no font has, of the tokens and of further texts, with the packages that have it; or empty. Errors:
// as of font_files_named().
Result<std::string> missing_fonts_of(const Problem& problem, std::vector<std::string> texts, const std::string& font,
                                     const std::filesystem::path& fonts);

// All files that a figure is made from: none of them may be written over.
std::vector<std::filesystem::path> files_read_for(const FiguredOf& of, const Companions& companions,
                                                  const FigureRequest& request);

// Beside each other in the output's folder, which is made if there is none; each to a temporary name first. Errors: one
// of them is among those that were `read`, and none is written then.
Status write_figure_files(const std::vector<FigureFile>& files, const std::filesystem::path& output,
                          const std::vector<std::filesystem::path>& read);

}  // namespace headlight::app
