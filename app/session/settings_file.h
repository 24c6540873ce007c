// What is remembered from one start of the window to the next: how it looks, where it stood, which files were open.
//
// Not for where the file is: window.cpp. Screenshots and tests have none.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/model/model.h"
#include "engine/params/params.h"

namespace headlight::app {

// On the screen, in the window system's own units.
struct WindowPlace {
  int x = 0, y = 0, width = 1600, height = 1000;
  bool maximized = false;
  bool operator==(const WindowPlace&) const = default;
};

// What of the parameters' panel is folded.
struct Folds {
  // Whose answer alone is shown: all, until one is opened.
  std::set<ParamQuestion> questions{ParamQuestion::positions, ParamQuestion::visible, ParamQuestion::keys,
                                    ParamQuestion::weights};
  bool all_parameters = false;  // else those that are asked for most
  bool operator==(const Folds&) const = default;
};

struct Remembered {
  Settings settings;
  Folds folds;
  std::optional<WindowPlace> window;
  std::filesystem::path left;                     // the lesson or file that was open last; empty: none
  std::vector<std::filesystem::path> recent;      // the newest first
  std::map<std::string, LessonProgress> lessons;  // how far one came in them, by their names
  bool operator==(const Remembered&) const = default;
};

inline constexpr std::size_t most_recent = 12;  // files

// What is not in the file, or is out of its range, is as usual; a file that is not there is no error. Errors: it cannot
// be read, or is no JSON object.
Result<Remembered> read_settings(const std::filesystem::path& file);

// What is not as it was `before`, when this window read or wrote the file last: another window may have written the
// rest. Keys that this version does not know stay. A file that is damaged is kept beside it as NAME.broken. The folder
// is made where there is none.
Status write_settings(const std::filesystem::path& file, const Remembered& remembered, const Remembered& before);

// The file first, and no file twice.
void remember_recent(std::vector<std::filesystem::path>& recent, const std::filesystem::path& file);

}  // namespace headlight::app
