// Where the program finds its assets, wherever it is started from.
#pragma once

#include <filesystem>

namespace headlight::app {

// HEADLIGHT_ASSETS where it is set; else `assets` beside the program, as the build lays it; else where an installed one
// has them, seen from the program: ../share/headlight.
std::filesystem::path assets_folder();

}  // namespace headlight::app
