#include "engine/core/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>

#include "engine/core/large_blocks.h"
#include "engine/core/words.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

constexpr double no_limit = std::numeric_limits<double>::infinity();

// The number that a file of one line holds; nothing for "max" and where there is no such file.
std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

// "name 123" in a file of such lines.
double named_number(const fs::path& file, std::string_view name, double otherwise) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name) && line.size() > name.size() && (line[name.size()] == ' ' || line[name.size()] == ':'))
      return std::strtod(line.c_str() + name.size() + 1, nullptr);
  return otherwise;
}

double free_on_machine(const fs::path& proc) {
  const double half =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 2 / 1024;
  return 1024 * named_number(proc / "meminfo", "MemAvailable", half);  // kB in the file
}

// The process's own limit, less what it has taken of it.
double free_of_process(const fs::path& proc) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  const double taken = number_in(proc / "self" / "statm").value_or(0) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - taken + static_cast<double>(large_blocks::kept()));
}

// What one group leaves. Pages of files that nobody uses now count as taken there, and are given up when needed.
double free_of_group(const fs::path& folder, bool second) {
  const auto limit = number_in(folder / (second ? "memory.max" : "memory.limit_in_bytes"));
  if (!limit) return no_limit;
  const double taken = number_in(folder / (second ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
  const double given_up = named_number(folder / "memory.stat", second ? "inactive_file" : "total_inactive_file", 0);
  return std::max(0.0, *limit - std::max(0.0, taken - given_up));
}

// A group's limits are those of all groups above it too.
double free_of_groups(const fs::path& root, std::string path, bool second) {
  double least = no_limit;
  for (;;) {
    least = std::min(least, free_of_group(root / path, second));
    if (path.empty()) return least;
    const auto slash = path.rfind('/');
    path.erase(slash == std::string::npos ? 0 : slash);
  }
}

// Lines "0::/path" of version 2 and "9:memory:/path" of version 1.
double free_of_all_groups(const fs::path& proc, const fs::path& groups) {
  double least = no_limit;
  std::ifstream in(proc / "self" / "cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    while (path.starts_with('/')) path.erase(0, 1);
    if (controllers == ",,") least = std::min(least, free_of_groups(groups, path, true));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, free_of_groups(groups / "memory", path, false));
  }
  return least;
}

}  // namespace

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

double free_memory(const fs::path& proc, const fs::path& groups) {
  return std::min({free_on_machine(proc), free_of_process(proc), free_of_all_groups(proc, groups)});
}

Status check_memory(double bytes) {
  constexpr double small = 1 << 26;
  if (bytes < small) return {};
  const double free = free_memory();
  if (bytes <= free) return {};
  return fail("needs about {} of memory and {} is free", bytes_text(bytes), bytes_text(free));
}

Status check_room(double bytes) {
  if (free_memory() < bytes) return out_of_memory();
  return {};
}

void give_memory_back() {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(large_blocks::least));
  // Given back at once it would be cleared and asked for again within the next layer: a fifth of a model's pass on two
  // threads.
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(16 * large_blocks::least));
#endif
}

tl::unexpected<Error> out_of_memory() {
  return fail("there is not enough memory: {} is free; use fewer positions, fewer heads or smaller files",
              bytes_text(free_memory()));
}

tl::unexpected<Error> refused_by_file_system(const fs::filesystem_error& error) {
  const std::string where =
      error.path1().empty() ? "the folder that the program runs in" : brief(error.path1().string());
  if (error.code() == std::errc::permission_denied)
    return fail("{}: you have no right to reach it: change its rights, or choose another place", where);
  return fail("{}: cannot be reached: {}", where, error.code().message());
}

}  // namespace headlight
