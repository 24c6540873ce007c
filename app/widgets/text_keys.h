// What a key does to the text of a field.
#pragma once

#include "app/platform/input.h"
#include "app/widgets/text_field.h"

namespace headlight::app {

// One key; false where it is none of the field's.
bool edit_by_key(TextEditor& editor, const KeyChange& key, const TextRows& rows, const TextUse& use);

}  // namespace headlight::app
