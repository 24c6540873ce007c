// What was typed into a field whose undo is the document's.
#pragma once

#include "app/actions/action.h"
#include "app/widgets/text_field.h"

namespace headlight::app {

// `set(text)` is the action that sets the text, going on. Each step of the typing is one entry of undo. `given` is the
// text as the field got it: to set it again would only spoil what is written by itself.
template <class Set>
void push_typed(std::vector<Action>& actions, const Typed& typed, const std::string& given, const std::string& now,
                const Set& set) {
  for (const auto& before : typed.before) {
    if (before != given) actions.push_back(set(before));
    actions.push_back(EndEdit{});
  }
  if (typed.changed) actions.push_back(set(now));
  if (typed.ended) actions.push_back(EndEdit{});
}

}  // namespace headlight::app
