// Shapes in symbols against shapes in numbers: who bound each symbol, and what does not agree.
//
// Not for what a symbol means: the variants declare that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/variants/variant.h"

namespace headlight {

// Matches shapes against symbols and remembers who bound each.
class Shapes {
 public:
  // `by` is where the extent was fixed, for messages: "x_q, axis 2". A symbol that is bound stays as it is.
  void bind(const std::string& symbol, Index extent, std::string by);
  void take(const Symbols& symbols, const std::string& by);

  // Binds the unbound symbols of the first alternative that fits; otherwise says what does not.
  Status match(const ArraySpec& spec, const Shape& shape, const std::string& by);

  Symbols symbols() const;

 private:
  struct Binding {
    Index extent = 0;
    std::string by;
  };

  std::string mismatch(const std::vector<std::string>& symbols, const Shape& shape) const;
  std::string wanted(const ArraySpec& spec) const;

  std::map<std::string, Binding, std::less<>> bound_;
};

}  // namespace headlight
