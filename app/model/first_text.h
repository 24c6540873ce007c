// The text that a network learns where nobody has given one yet.
#pragma once

#include <string_view>

namespace headlight::app {

// Some 4,600 letters of English, written for this program.
std::string_view first_text_to_learn();

}  // namespace headlight::app
