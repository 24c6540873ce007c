// Unicode's normal forms of signs that remember where they came from. Source: Unicode Standard Annex 15.
//
// Not for plain text: engine/core/utf8.h has composed().
#pragma once

#include "engine/tokens/signs.h"

namespace headlight {

// NFD, or NFKD where `compatible`. Every character that one is parted into has its bytes.
void decompose(Signs& signs, bool compatible);
// NFC, or NFKC. A character that is put together has the bytes of all that it was made of.
void compose(Signs& signs, bool compatible);

}  // namespace headlight
