// Long work lets others go on from time to time, where a program has one thread only: a window its next frame, say.
//
// Not for work on a thread of its own, which nobody waits for.
#pragma once

namespace headlight {

// Called by long work between its pieces, on the thread that works. It returns when the work may go on. Null: nothing
// is called, as at first.
void set_pause(void (*pause)());

// Between two pieces of long work.
void pause_if_asked();

}  // namespace headlight
