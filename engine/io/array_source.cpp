#include "engine/io/array_source.h"

#include <algorithm>
#include <utility>

#include "engine/core/memory.h"
#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight {

std::size_t ArraySource::find(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(entries_, name, &ArrayEntry::name) - entries_.begin());
}

Result<std::vector<NamedArray>> read_all(const ArraySource& source) {
  double bytes = 0;
  for (const ArrayEntry& entry : source.entries())
    if (const auto count = element_count(entry.shape)) bytes += sizeof(float) * static_cast<double>(*count);
  if (const auto status = check_memory(bytes); !status)
    return fail_at(one_line(utf8(source.files().front())), status.error());
  std::vector<NamedArray> arrays;
  arrays.reserve(source.entries().size());
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    HL_TRY(NamedArray array, source.read(i));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace headlight
