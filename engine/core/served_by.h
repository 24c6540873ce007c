// Who carries out what waits in a queue: a thread of its own, or, where a program has one thread only, whoever calls
// pump() from time to time.
#pragma once

namespace headlight {

enum class ServedBy { own_thread, caller };

}  // namespace headlight
