// The process that runs, the terminal that it may write to, and Ctrl-C there.
//
// Not for signals that end a window: app/platform/posix/signals.h.
#pragma once

namespace headlight {

// No other process has the number now.
int process_number();

bool standard_output_is_terminal();
bool standard_error_is_terminal();

// From here on Ctrl-C, or being told to end, ends nothing by itself: was_interrupted() says that it came. A second one
// ends the program. Where they are ignored (nohup), they stay so.
void catch_interrupts();
// From here on it ends the program again.
void release_interrupts();
bool was_interrupted();

// A file that may not grow is an error of writing, not the end of the program.
void survive_full_files();

}  // namespace headlight
