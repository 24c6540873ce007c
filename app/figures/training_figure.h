// A training as a figure: a head's map after several steps side by side, and below it the loss and the task's figures
// over all steps, with the steps of the maps marked.
#pragma once

#include <string>
#include <vector>

#include "app/page/figure.h"
#include "engine/learn/film.h"

namespace headlight::app {

struct TrainingFigure {
  Index map = 0, head = 0;
  double width = 396;  // points
};

// Steps that were kept and tell it in short: the first, where the task's figure has come a quarter, half and nine
// tenths of its way, and the last.
std::vector<Index> milestone_steps(const learn::Film& film);

// What a file's name asks for. Errors: not .pdf, .svg or .png.
Result<FigureFormat> training_figure_format(const std::filesystem::path& file);
// One file of such a format. Errors: no such map or head; a font that cannot be read.
Result<std::string> training_figure(const learn::Film& film, const TrainingFigure& asked, const FontFiles& fonts,
                                    FigureFormat format);

}  // namespace headlight::app
