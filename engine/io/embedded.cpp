#include "engine/io/embedded.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "engine/core/base64.h"
#include "engine/core/system/paths.h"

namespace headlight {

namespace {

constexpr std::size_t number_digits = 16;  // of the number that stands between `nowhere` and the name

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const EmbeddedFile>, std::less<>> files;
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

std::shared_ptr<const EmbeddedFile> embed_file(std::string name, std::string bytes) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.files, [](const auto& entry) { return entry.second.expired(); });
  for (std::uint64_t number = std::hash<std::string_view>()(bytes);; ++number) {
    std::string path = fmt::format("{}{:0{}x}/{}", nowhere, number, number_digits, name);
    auto& entry = all.files[path];
    const auto there = entry.lock();
    if (there && there->bytes == bytes) return there;
    if (there) continue;  // other bytes of the same number
    auto made = std::make_shared<EmbeddedFile>(EmbeddedFile{std::move(name), std::move(bytes), std::move(path), {}});
    made->base64 = to_base64(made->bytes);
    entry = made;
    return made;
  }
}

std::shared_ptr<const EmbeddedFile> embedded_file(std::string_view path) {
  if (embedded_name(path).empty()) return nullptr;
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.files.find(path);
  return found == all.files.end() ? nullptr : found->second.lock();
}

std::string_view embedded_name(std::string_view path) {
  const std::size_t name = nowhere.size() + number_digits + 1;
  return path.starts_with(nowhere) && path.size() > name ? path.substr(name) : std::string_view();
}

}  // namespace headlight
