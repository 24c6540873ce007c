#include "engine/core/system/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

// Blocks that were lent to the system (lend_to_system) and taken again still stand among the pages of files that it
// could give up. Of those `listed`, no more are than there are pages of files and blocks lent.
double given_up(double listed, double files, double kept) {
  return std::min(listed, files + kept);
}

double free_on_machine(const fs::path& proc, double kept) {
  constexpr double kilobyte = 1024;
  const double half = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 2;
  const fs::path file = proc / "meminfo";  // in kB
  const auto bytes = [&](std::string_view name, double otherwise) {
    return kilobyte * named_number(file, name, otherwise / kilobyte);
  };
  const double listed = bytes("Active(file)", 0) + bytes("Inactive(file)", 0);
  const double files = bytes("Cached", no_limit) + bytes("Buffers", 0);
  return std::max(0.0, bytes("MemAvailable", half) - (listed - given_up(listed, files, kept)));
}

// The process's own limit, less what it has taken of it.
double free_of_process(const fs::path& proc, double kept) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  const double taken = number_in(proc / "self" / "statm").value_or(0) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - taken + kept);
}

// What one group leaves. Pages of files that nobody uses now count as taken there, and are given up when needed.
double free_of_group(const fs::path& folder, bool second, double kept) {
  const auto limit = number_in(folder / (second ? "memory.max" : "memory.limit_in_bytes"));
  if (!limit) return no_limit;
  const double taken = number_in(folder / (second ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
  const double listed = named_number(folder / "memory.stat", second ? "inactive_file" : "total_inactive_file", 0);
  const double files = named_number(folder / "memory.stat", second ? "file" : "total_cache", no_limit);
  return std::max(0.0, *limit - std::max(0.0, taken - given_up(listed, files, kept)));
}

// A group's limits are those of all groups above it too.
double free_of_groups(const fs::path& root, std::string path, bool second, double kept) {
  double least = no_limit;
  for (;;) {
    least = std::min(least, free_of_group(root / path, second, kept));
    if (path.empty()) return least;
    const auto slash = path.rfind('/');
    path.erase(slash == std::string::npos ? 0 : slash);
  }
}

// Lines "0::/path" of version 2 and "9:memory:/path" of version 1.
double free_of_all_groups(const fs::path& proc, const fs::path& groups, double kept) {
  double least = no_limit;
  std::ifstream in(proc / "self" / "cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    while (path.starts_with('/')) path.erase(0, 1);
    if (controllers == ",,") least = std::min(least, free_of_groups(groups, path, true, kept));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, free_of_groups(groups / "memory", path, false, kept));
  }
  return least;
}

}  // namespace

double free_system_memory(double kept, const fs::path& proc, const fs::path& groups) {
  return std::min({free_on_machine(proc, kept), free_of_process(proc, kept), free_of_all_groups(proc, groups, kept)});
}

void set_trim_thresholds([[maybe_unused]] std::size_t large, [[maybe_unused]] std::size_t most_kept) {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(large));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(most_kept));
#endif
}

void use_huge_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
}

void lend_to_system([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_FREE
  madvise(block, bytes, MADV_FREE);
#endif
}

}  // namespace headlight
