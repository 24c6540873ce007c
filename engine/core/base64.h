// Bytes as text of 64 signs (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace headlight {

std::string to_base64(std::string_view bytes);

// Errors: a sign that is none of them; signs that no bytes give. The = at the end may be left out.
Result<std::string> from_base64(std::string_view text);

}  // namespace headlight
