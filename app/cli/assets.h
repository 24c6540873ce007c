// Where the program finds its assets, wherever it is started from.
#pragma once

#include <filesystem>

namespace headlight::app {

// HEADLIGHT_ASSETS where it is set; else `assets` beside the program, as the build lays it; else ../share/headlight of
// an installed one.
std::filesystem::path assets_folder();

}  // namespace headlight::app
