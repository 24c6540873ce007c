// The chooser of files that a browser has. On a desktop there is none: the program's own dialog lists what there is.
#pragma once

namespace headlight::app {

bool has_chooser();
// Lets whoever looks choose files, or a folder with all that is in it. What is chosen is taken as if it were dropped.
void choose_files(bool folder);

}  // namespace headlight::app
