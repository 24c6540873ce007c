#include "engine/io/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/io/embedded.h"

namespace headlight {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_in_message = 200;  // bytes: a longer name would drown the reason that follows it
constexpr std::size_t largest_transfer = std::size_t{1} << 30;  // bytes a call: Linux moves at most 2 GiB

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

tl::unexpected<Error> cannot_write(const fs::path& path, const std::string& why) {
  return fail("{}: cannot be written: {}", one_line(path.native()), why);
}

constexpr int most_tries = 1000;  // leftovers of killed programs, or threads that write to the same folder

fs::path temporary_name(const fs::path& folder, int i) {
  return folder / fmt::format(".headlight-{}-{}.tmp", ::getpid(), i);
}

// Opens a new file that nobody else has, beside the one that it will become. Its mode is the user's default.
Result<int> open_temporary(const fs::path& folder, fs::path& temporary) {
  for (int i = 0; i < most_tries; ++i) {
    temporary = temporary_name(folder, i);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno == ENOENT) return fail("the folder {} does not exist", one_line(folder.native()));
    if (errno != EEXIST) return fail("the folder {}: {}", one_line(folder.native()), reason(errno));
  }
  return fail("the folder {} is full of temporary files", one_line(folder.native()));
}

// Opens a new file without a name in the folder, which goes away with the program however that ends. Nothing where the
// file system cannot do that, or where the name could not be given later.
std::optional<int> open_nameless(const fs::path& folder) {
  if (::access("/proc/self/fd", X_OK) != 0) return std::nullopt;
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  return descriptor < 0 ? std::nullopt : std::optional(descriptor);
}

// Gives a nameless file a temporary name, from which it is renamed: a name that is taken cannot be given.
Result<fs::path> name_file(int descriptor, const fs::path& folder) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor);
  for (int i = 0; i < most_tries; ++i) {
    const fs::path name = temporary_name(folder, i);
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
    if (errno != EEXIST) return fail("the folder {}: {}", one_line(folder.native()), reason(errno));
  }
  return fail("the folder {} is full of temporary files", one_line(folder.native()));
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
Result<int> open_as_it_is(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENXIO) return fail("it is a pipe that nobody reads from, or a socket");
  if (descriptor < 0) return fail("{}", reason(errno));
  static_cast<void>(::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK));
  return descriptor;
}

// The name of a file is in its folder, which is a file of its own.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}

}  // namespace

std::string one_line(std::string_view text) {
  if (const std::string_view name = embedded_name(text); !name.empty()) return one_line(name) + " (embedded)";
  std::string line(text.substr(0, longest_in_message));
  const bool cut = line.size() < text.size();
  // A character of several bytes is not left half.
  while (cut && !line.empty() && (static_cast<unsigned char>(text[line.size()]) & 0xC0U) == 0x80U) line.pop_back();
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  std::replace_if(line.begin(), line.end(), control, '?');
  return cut ? line + "…" : line;
}

Result<InputFile> InputFile::open(const fs::path& path) {
  const std::string name = one_line(path.native());
  if (auto embedded = embedded_file(path.native())) {
    InputFile file(-1, embedded->bytes.size());
    file.embedded_ = std::move(embedded);
    return file;
  }
  // O_NONBLOCK: a pipe without a writer must not hold us before we can refuse it. Regular files ignore it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) return fail("{}: does not exist", name);
  if (descriptor < 0) return fail("{}: cannot be read: {}", name, reason(errno));
  InputFile file(descriptor, 0);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return fail("{}: cannot be read: {}", name, reason(errno));
  if (S_ISDIR(info.st_mode)) return fail("{}: is a folder; a file is needed", name);
  if (!S_ISREG(info.st_mode)) return fail("{}: is not a regular file", name);
  file.size_ = static_cast<std::uint64_t>(info.st_size);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)),
      embedded_(std::move(other.embedded_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(embedded_, other.embedded_);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status InputFile::read_at(std::uint64_t offset, std::span<char> into) const {
  if (embedded_) {
    const std::string_view left = std::string_view(embedded_->bytes).substr(std::min<std::uint64_t>(offset, size_));
    if (left.size() < into.size())
      return fail("the file ends at byte {}, {} bytes too early", size_, into.size() - left.size());
    std::ranges::copy(left.substr(0, into.size()), into.begin());
    return {};
  }
  while (!into.empty()) {
    const std::size_t piece = std::min(into.size(), largest_transfer);
    const ssize_t got = ::pread(descriptor_, into.data(), piece, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail("cannot be read: {}", reason(errno));
    if (got == 0) return fail("the file ends at byte {}, {} bytes too early", offset, into.size());
    offset += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::size_t> FileStream::read(std::span<char> into) {
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), most_left()));
  HL_CHECK(file_.read_at(at_, into.first(size)));
  at_ += size;
  return size;
}

Result<std::string> read_file(const fs::path& path, std::uint64_t limit) {
  HL_TRY(const InputFile file, InputFile::open(path));
  const std::string name = one_line(path.native());
  if (file.size() > limit) return fail("{}: has {} bytes; at most {} are read here", name, file.size(), limit);
  try {
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    if (const auto status = file.read_at(0, bytes); !status) return fail_at(name, status.error());
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("{}: there is not enough memory for its {} bytes", name, file.size());
  }
}

Result<FileWriter> FileWriter::create(const fs::path& path) {
  if (path.empty()) return fail("cannot write a file without a name");
  const fs::path target = behind_links(path);
  struct stat info {};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  if (!exists && errno == ELOOP) return cannot_write(path, reason(ELOOP));
  if ((exists && S_ISDIR(info.st_mode)) || !target.has_filename()) return cannot_write(path, "it is a folder");
  if (exists && ::access(target.c_str(), W_OK) != 0) return cannot_write(path, reason(errno));
  if (exists && !S_ISREG(info.st_mode)) {
    const auto descriptor = open_as_it_is(target);
    if (!descriptor) return cannot_write(path, descriptor.error().message);
    return FileWriter(*descriptor, path, {}, false);
  }
  fs::path temporary;
  const auto nameless = open_nameless(folder_of(target));
  const auto descriptor = nameless ? Result<int>(*nameless) : open_temporary(folder_of(target), temporary);
  if (!descriptor) return cannot_write(path, descriptor.error().message);
  // A file that is replaced keeps its permissions; where the system refuses that, the user's default is no worse.
  if (exists) static_cast<void>(::fchmod(*descriptor, info.st_mode & 0777U));
  return FileWriter(*descriptor, target, std::move(temporary), true);
}

Result<FileWriter> FileWriter::standard_output() {
  const fs::path name = "standard output";
  const int descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return cannot_write(name, reason(errno));
  return FileWriter(descriptor, name, {}, false);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replaces_(other.replaces_) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(replaces_, other.replaces_);
  return *this;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), std::min(bytes.size(), largest_transfer));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return cannot_write(path_, reason(errno));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status FileWriter::commit() {
  // The bytes before the name: after a loss of power the name must not stand for an empty file.
  if (replaces_ && ::fsync(descriptor_) != 0) return cannot_write(path_, reason(errno));
  if (replaces_ && temporary_.empty()) {
    auto named = name_file(descriptor_, folder_of(path_));
    if (!named) return cannot_write(path_, named.error().message);
    temporary_ = std::move(*named);
  }
  // Some file systems only say at the close that there was no room.
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot_write(path_, reason(errno));
  if (!replaces_) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, reason(errno));
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
    const std::string name = at->path().filename().string();
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

Status write_file(const fs::path& path, std::string_view bytes) {
  HL_TRY(FileWriter writer, FileWriter::create(path));
  HL_CHECK(writer.append(bytes));
  return writer.commit();
}

}  // namespace headlight
