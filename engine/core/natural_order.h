// The order of names with numbers in them, as people count: "f2" before "f10".
//
// Not for letters: they compare by their bytes.
#pragma once

#include <string_view>

namespace headlight {

// Below 0, 0 or above 0: the order of the C library's strverscmp(). Numbers compare by their size; those that begin
// with a 0 compare like decimals, "000" < "00" < "01" < "010" < "09" < "0" < "1" < "9" < "10".
int natural_order(std::string_view a, std::string_view b);

}  // namespace headlight
