// What is said of a head beside its name: whether it has anything to look at.
#pragma once

#include <string>

#include "app/reading/slice.h"

namespace headlight::app {

// Where the focus's query finds none of the keys that its head looks for: what that row is then, in words. Empty where
// it finds some, where the head wants nothing of the kind, and where no query is chosen.
std::string silence_of(const Trace& trace, const Step& weights, const Focus& focus);

}  // namespace headlight::app
