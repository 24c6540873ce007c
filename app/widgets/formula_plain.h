// A formula as one line of readable Unicode text, for terminals, alternative texts and tests.
//
// Not typeset: what Unicode has no sign for stays readable ASCII, as the script in x^q_i.
#pragma once

#include <string>
#include <string_view>

namespace headlight::app {

// "\frac{q_i \cdot k_j}{\sqrt{d'}}" gives "(qᵢ · kⱼ)/√d′". Rows are parted by "; "; \hl marks are dropped; a command it
// does not know loses its backslash. Any text is taken, well formed or not.
std::string plain_formula(std::string_view latex);

}  // namespace headlight::app
