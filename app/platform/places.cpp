#include "app/platform/places.h"

#include <cstdlib>

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// Empty counts as not set, and relative paths are to be ignored, says the specification.
fs::path folder_in(const char* name) {
  const char* value = std::getenv(name);
  const fs::path path = value ? value : "";
  return path.is_absolute() ? path : fs::path();
}

fs::path place(const char* own, const char* shared, const char* in_home) {
  if (const fs::path folder = folder_in(own); !folder.empty()) return folder;
  if (const fs::path folder = folder_in(shared); !folder.empty()) return folder / "headlight";
  const fs::path home = folder_in("HOME");
  return home.empty() ? fs::path() : home / in_home / "headlight";
}

}  // namespace

fs::path home_folder() {
  return folder_in("HOME");
}
fs::path config_folder() {
  return place("HEADLIGHT_CONFIG", "XDG_CONFIG_HOME", ".config");
}
fs::path state_folder() {
  return place("HEADLIGHT_STATE", "XDG_STATE_HOME", ".local/state");
}
fs::path cache_folder() {
  return place("HEADLIGHT_CACHE", "XDG_CACHE_HOME", ".cache");
}

}  // namespace headlight::app
