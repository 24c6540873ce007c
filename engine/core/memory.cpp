#include "engine/core/memory.h"

#include <iterator>

#include "engine/base/words.h"
#include "engine/core/large_blocks.h"
#include "engine/core/system/memory.h"
#include "engine/core/system/paths.h"

namespace headlight {

namespace fs = std::filesystem;

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 || bytes >= 100 ? fmt::format("{:.0f} {}", bytes, units[unit])
                                   : fmt::format("{:.1f} {}", bytes, units[unit]);
}

double free_memory() {
  return free_system_memory(static_cast<double>(large_blocks::kept()));
}

Status check_memory(double bytes, const std::string& of) {
  constexpr double small = 1 << 26;
  if (bytes < small) return {};
  const double free = free_memory();
  if (bytes <= free) return {};
  return fail("{}needs about {} of memory and {} is free", of.empty() ? "" : of + ": ", bytes_text(bytes),
              bytes_text(free));
}

Status check_room(double bytes) {
  if (free_memory() < bytes) return out_of_memory();
  return {};
}

void configure_allocator() {
  // Given back at once it would be cleared and asked for again within the next layer: a fifth of a model's pass on two
  // threads.
  set_trim_thresholds(large_blocks::least, 16 * large_blocks::least);
}

tl::unexpected<Error> out_of_memory() {
  return fail("there is not enough memory: {} is free; use fewer positions, fewer heads or smaller files",
              bytes_text(free_memory()));
}

tl::unexpected<Error> refused_by_file_system(const fs::filesystem_error& error) {
  const std::string where =
      error.path1().empty() ? "the folder that the program runs in" : in_one_line(utf8(error.path1()));
  if (error.code() == std::errc::permission_denied)
    return fail("{}: you have no right to reach it: change its rights, or choose another place", where);
  return fail("{}: cannot be reached: {}", where, error.code().message());
}

}  // namespace headlight
