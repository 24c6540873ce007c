// Where the lines of a text are broken.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "app/widgets/text_editor.h"

namespace headlight::app {

// Rows no wider than `width`, broken after spaces, between ideographs, and, where a word is wider than a row, between
// its grapheme clusters. The space at a row's end hangs over it. At least one row; a line break always ends one.
std::vector<TextRow> wrapped_rows(const TextEditor& editor, float width,
                                  const std::function<float(std::u32string_view)>& width_of);

}  // namespace headlight::app
