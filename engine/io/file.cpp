#include "engine/io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace headlight {

namespace {

std::string reason(int error) {
  switch (error) {
    case ENOENT: return "there is no such file or folder";
    case EACCES: return "permission is denied";
    case EISDIR: return "it is a folder";
    case ENOSPC: return "the disk is full";
    case ENOTDIR: return "part of the path is not a folder";
    case EROFS: return "the file system is read-only";
    default: return std::strerror(error);
  }
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return fail("{}: cannot be read: {}", path.string(), reason(errno));
  if (S_ISDIR(info.st_mode)) return fail("{}: cannot be read: it is a folder", path.string());
  if (!S_ISREG(info.st_mode)) return fail("{}: cannot be read: it is not a regular file", path.string());
  if (static_cast<std::uint64_t>(info.st_size) > most)
    return fail("{}: is {} bytes long, more than the {} allowed here", path.string(), info.st_size, most);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return fail("{}: cannot be read: {}", path.string(), reason(errno));
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  if (got != bytes.size()) return fail("{}: ended after {} of {} bytes while being read", path.string(), got, bytes.size());
  return bytes;
}

Status write_file_in_pieces(const std::filesystem::path& path, const std::function<void(const Put&)>& fill) {
  if (path.filename().empty()) return fail("{}: cannot be written: name a file", path.string());
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return fail("{}: cannot be written: it is a folder", path.string());
  std::string temporary = (path.parent_path() / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return fail("{}: cannot be written: {}", path.string(), reason(errno));
  std::FILE* file = fdopen(descriptor, "wb");
  int error = 0;
  fill([&](std::string_view bytes) {
    if (error == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) error = errno ? errno : EIO;
  });
  const mode_t mask = umask(0);
  umask(mask);
  if (error == 0 && fchmod(fileno(file), 0666 & ~mask) != 0) error = errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(temporary.c_str());
  return fail("{}: cannot be written: {}", path.string(), reason(error));
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  return write_file_in_pieces(path, [&](const Put& put) { put(bytes); });
}

}  // namespace headlight
