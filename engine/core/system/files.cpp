#include "engine/core/system/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <system_error>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/core/system/process.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // bytes a call: Linux moves at most 2 GiB

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}
tl::unexpected<Error> refused(int error_number = errno) {
  return fail("{}", reason(error_number));
}
tl::unexpected<Error> cannot_read() {
  return fail("cannot be read: {}", reason(errno));
}

constexpr int most_tries = 1000;  // leftovers of killed programs, or threads that write to the same folder

fs::path temporary_name(const fs::path& folder, int i) {
  return folder / fmt::format(".headlight-{}-{}.tmp", process_number(), i);
}

// Opens a new file that nobody else has, beside the one that it will become. Its mode is the user's default.
Result<Descriptor> open_temporary(const fs::path& folder, fs::path& temporary) {
  for (int i = 0; i < most_tries; ++i) {
    temporary = temporary_name(folder, i);
    const int number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) return Descriptor(number);
    if (errno == ENOENT) return fail("the folder {} does not exist", in_one_line(utf8(folder)));
    if (errno != EEXIST) return fail("the folder {}: {}", in_one_line(utf8(folder)), reason(errno));
  }
  return fail("the folder {} is full of temporary files", in_one_line(utf8(folder)));
}

// Opens a new file without a name in the folder, which goes away with the program however that ends. Nothing where the
// file system cannot do that, or where the name could not be given later.
std::optional<Descriptor> open_nameless(const fs::path& folder) {
  if (::access("/proc/self/fd", X_OK) != 0) return std::nullopt;
  const int number = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  return number < 0 ? std::nullopt : std::optional<Descriptor>(number);
}

// Gives a nameless file a temporary name, from which it is renamed: a name that is taken cannot be given.
Result<fs::path> name_file(const Descriptor& file, const fs::path& folder) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", file.number());
  for (int i = 0; i < most_tries; ++i) {
    const fs::path name = temporary_name(folder, i);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
    if (errno != EEXIST) return fail("the folder {}: {}", in_one_line(utf8(folder)), reason(errno));
  }
  return fail("the folder {} is full of temporary files", in_one_line(utf8(folder)));
}

// The file that a link stands for, there or not, so that writing makes that file and leaves the link.
fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// A device, or a pipe that somebody reads from: one that nobody does would hold us for ever.
Result<Descriptor> open_as_it_is(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0 && errno == ENXIO) return fail("it is a pipe that nobody reads from, or a socket");
  if (file.number() < 0) return refused();
  static_cast<void>(::fcntl(file.number(), F_SETFL, ::fcntl(file.number(), F_GETFL) & ~O_NONBLOCK));
  return file;
}

// The name of a file is in its folder, which is a file of its own.
void sync_folder(const fs::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.number() >= 0) static_cast<void>(::fsync(file.number()));
}

}  // namespace

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0;
}

Result<ReadableFile> ReadableFile::open(const fs::path& path) {
  // O_NONBLOCK: a pipe without a writer must not hold us before we can refuse it. Regular files ignore it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0 && errno == ENOENT) return fail("does not exist");
  if (file.number() < 0) return cannot_read();
  struct stat info {};
  if (::fstat(file.number(), &info) != 0) return cannot_read();
  if (S_ISDIR(info.st_mode)) return fail("is a folder; a file is needed");
  if (!S_ISREG(info.st_mode)) return fail("is not a regular file");
  return ReadableFile(std::move(file), static_cast<std::uint64_t>(info.st_size));
}

Status ReadableFile::read_at(std::uint64_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const std::size_t piece = std::min(into.size(), largest_transfer);
    const ssize_t got = ::pread(file_.number(), into.data(), piece, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read();
    if (got == 0) return fail("the file ends at byte {}, {} bytes too early", offset, into.size());
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<WritableFile> WritableFile::create(const fs::path& path, Readers readers) {
  const fs::path target = behind_links(path);
  struct stat info {};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (!exists && errno == ELOOP) return refused(ELOOP);
  if ((exists && S_ISDIR(info.st_mode)) || !target.has_filename()) return fail("it is a folder");
  if (exists && ::access(target.c_str(), W_OK) != 0) return refused();
  if (exists && !S_ISREG(info.st_mode)) {
    HL_TRY(Descriptor file, open_as_it_is(target));
    return WritableFile(std::move(file), path, {}, false);
  }
  fs::path temporary;
  auto nameless = open_nameless(folder_of(target));
  HL_TRY(Descriptor file, nameless ? std::move(*nameless) : open_temporary(folder_of(target), temporary));
  // A file that is replaced keeps its permissions; where the system refuses that, the user's default is no worse.
  constexpr mode_t of_user = 0600;
  const bool alone = readers == Readers::user;
  if (exists || alone) static_cast<void>(::fchmod(file.number(), alone ? of_user : info.st_mode & 0777U));
  return WritableFile(std::move(file), target, std::move(temporary), true);
}

Result<WritableFile> WritableFile::standard_output() {
  Descriptor file(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  if (file.number() < 0) return refused();
  return WritableFile(std::move(file), {}, {}, false);
}

WritableFile::WritableFile(WritableFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replaces_(other.replaces_) {}

WritableFile& WritableFile::operator=(WritableFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(replaces_, other.replaces_);
  return *this;
}

WritableFile::~WritableFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status WritableFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.number(), bytes.data(), std::min(bytes.size(), largest_transfer));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return refused();
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status WritableFile::commit() {
  // The bytes before the name: after a loss of power the name must not stand for an empty file.
  if (replaces_ && ::fsync(file_.number()) != 0) return refused();
  if (replaces_ && temporary_.empty()) {
    HL_TRY(temporary_, name_file(file_, folder_of(path_)));
  }
  if (!file_.close()) return refused();
  if (!replaces_) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return refused();
  temporary_.clear();
  sync_folder(folder_of(path_));
  return {};
}

void remove_stale_temporaries(const fs::path& folder) {
  constexpr std::string_view begins = ".headlight-", ends = ".tmp";
  constexpr auto at_rest = std::chrono::minutes(10);  // a file that is being written is written to all the time
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = utf8(at->path().filename());
    if (!name.starts_with(begins) || !name.ends_with(ends)) continue;
    pid_t process = 0;
    const auto number = std::from_chars(name.data() + begins.size(), name.data() + name.size(), process);
    struct stat info {};
    if (number.ec != std::errc() || process <= 0 || ::lstat(at->path().c_str(), &info) != 0) continue;
    const bool lives = ::kill(process, 0) == 0 || errno != ESRCH;
    const auto since = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(info.st_mtime);
    if (S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && !lives && since > at_rest) ::unlink(at->path().c_str());
  }
}

std::optional<std::time_t> time_written(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_mtim.tv_sec;
}

std::string file_identity(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "none ";
  return fmt::format("{} {} {}.{} {}.{} ", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

}  // namespace headlight
