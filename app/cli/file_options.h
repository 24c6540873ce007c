// Options that several commands have: what stands beside a file of attention, and what a model reads, sizes
// of pictures; and those of the ones that measure heads and train.
#pragma once

#include <CLI/CLI.hpp>

#include "app/session/dump.h"
#include "app/session/opening.h"

namespace headlight::app {

// Of a file of attention, for the commands that open one as it is. `draws`: where --grid is lines between cells.
void add_dump(CLI::App* command, DumpOptions& dump, bool draws = false);

// Of a model's folder, for the commands that open one.
void add_given(CLI::App* command, GivenInput& given, const char* text = "--text");

// "1600x1000" → the size of a window in pixels; false where it is none that can be drawn.
bool parse_size(const std::string& text, int& width, int& height);
CLI::Validator size_validator();

struct HeadsOptions;
void add_measuring(CLI::App* command, HeadsOptions& heads);

struct WorksheetOptions;
// `paper`: a4 or letter.
void add_sheet(CLI::App* command, WorksheetOptions& worksheet, std::string& paper, bool& no_key);

struct TrainOptions;
void add_training(CLI::App* command, TrainOptions& train);

}  // namespace headlight::app
