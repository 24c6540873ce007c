#include "engine/io/arrays.h"

#include <unordered_set>

#include "engine/core/utf8.h"
#include "engine/io/file.h"

namespace headlight {

Status check_array_name(std::string_view name) {
  constexpr std::size_t longest = 1000;  // bytes: far over any real name, well under what a zip can hold
  if (name.empty()) return fail("an array has no name");
  if (name.size() > longest)
    return fail("{}: the name of the array has {} bytes; at most {} are allowed", one_line(name), name.size(), longest);
  for (std::string_view rest = name; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    if (!step.sound) return fail("the name of an array is not valid UTF-8");
    if (static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == 0x7F)
      return fail("{}: the name of the array has a control character in it", one_line(name));
    rest.remove_prefix(step.size);
  }
  return {};
}

Status check_arrays_to_write(const std::vector<ArrayToWrite>& arrays) {
  std::unordered_set<std::string_view> seen;
  for (const ArrayToWrite& array : arrays) {
    HL_CHECK(check_array_name(array.name));
    if (!seen.insert(array.name).second) return fail("{}: two arrays have this name", array.name);
    if (!array.values.data()) return fail("{}: there is no array to write", array.name);
  }
  return {};
}

}  // namespace headlight
