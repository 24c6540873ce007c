// Where a program keeps what is its user's (the XDG base directory specification).
#pragma once

#include <filesystem>

namespace headlight::app {

// $HEADLIGHT_CONFIG, else headlight in $XDG_CONFIG_HOME or ~/.config; empty where there is no home.
std::filesystem::path config_folder();
// $HEADLIGHT_STATE, else headlight in $XDG_STATE_HOME or ~/.local/state; empty where there is no home.
std::filesystem::path state_folder();
// $HEADLIGHT_CACHE, else headlight in $XDG_CACHE_HOME or ~/.cache; empty where there is no home.
std::filesystem::path cache_folder();

// $HOME; empty where there is none.
std::filesystem::path home_folder();

}  // namespace headlight::app
