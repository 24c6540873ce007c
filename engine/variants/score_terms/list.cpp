// The terms that there are. Explicit, because a linker drops objects of a library that only register themselves.
#include <array>

#include "engine/variants/score_term.h"

namespace headlight {

// Each is defined in the file of its name.
const ScoreTerm& alibi();
const ScoreTerm& t5();
const ScoreTerm& shaw();
const ScoreTerm& shaw_keys();
const ScoreTerm& transformer_xl();

std::span<const ScoreTerm* const> score_terms() {
  static const auto terms = std::to_array<const ScoreTerm*>({
      &alibi(),
      &t5(),
      &shaw(),
      &shaw_keys(),
      &transformer_xl(),
  });
  return terms;
}

const ScoreTerm* score_term(const ParamValues& params) {
  for (const ScoreTerm* term : score_terms())
    if (term->choice().id == params.choice("relative")) return term;
  return nullptr;
}

}  // namespace headlight
