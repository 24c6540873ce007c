#include "app/figures/figure_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "engine/core/system/paths.h"
#include "engine/core/words.h"
#include "engine/io/file.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// Eight bytes at a time; what tells files apart, not what keeps anybody from making two alike.
std::optional<std::uint64_t> hash_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto read = static_cast<std::size_t>(file.gcount());
    std::fill(block.begin() + static_cast<std::ptrdiff_t>(read),
              block.begin() + static_cast<std::ptrdiff_t>((read + 7) / 8 * 8), '\0');
    for (std::size_t at = 0; at < read; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + at, sizeof word);
      hash = (hash ^ word) * 0xFF51AFD7ED558CCD;
      hash ^= hash >> 32;
    }
  }
  return file.eof() ? std::optional(hash) : std::nullopt;
}

std::string sum_of(const fs::path& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> kept;
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  if (error) return {};
  const std::string key = fmt::format("{} {} {}", utf8(path), size, time);
  const std::scoped_lock lock(mutex);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  const auto hash = hash_of(path);
  return hash ? kept[key] = fmt::format("{} {:016x}", size, *hash) : std::string();
}

void add_file(std::set<fs::path>& files, const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) files.insert(fs::absolute(path, error).lexically_normal());
}

}  // namespace

std::vector<DataFile> data_files(const std::vector<fs::path>& read) {
  std::set<fs::path> files;
  for (const fs::path& path : read) {
    add_file(files, path);
    std::error_code error;
    if (!fs::is_directory(path, error)) continue;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      add_file(files, at->path());
  }
  std::vector<DataFile> found;
  for (const fs::path& path : files)
    if (std::string sum = sum_of(path); !sum.empty()) found.push_back({path, std::move(sum)});
  return found;
}

Status check_unchanged(const std::vector<DataFile>& files) {
  std::vector<std::string> changed;
  for (const DataFile& file : files)
    if (const std::string sum = sum_of(file.path); !sum.empty() && sum != file.sum)
      changed.push_back(one_line(utf8(file.path.filename())));
  if (changed.empty()) return {};
  return fail("{} {} changed since the figure was made, and its numbers with it", brief_list(changed),
              changed.size() == 1 ? "has" : "have");
}

}  // namespace headlight::app
