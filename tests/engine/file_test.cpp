#include "engine/io/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file comes back as it was written, and leaves nothing beside it") {
  const Scratch scratch;
  const std::string bytes("a\0b\n", 4);
  REQUIRE(write_file(scratch / "a.bin", bytes));
  REQUIRE(read_file(scratch / "a.bin", 4).value() == bytes);
  REQUIRE(write_file(scratch / "a.bin", "second"));
  REQUIRE(read_file(scratch / "a.bin", 100).value() == "second");
  REQUIRE(files_in(scratch / "") == 1);
}

TEST_CASE("reading says which file and why not") {
  const Scratch scratch;
  REQUIRE(write_file(scratch / "a.bin", "12345"));
  const auto message = [](const auto& result) { return result ? "no error" : result.error().message; };
  REQUIRE(message(read_file(scratch / "a.bin", 4)) ==
          (scratch / "a.bin").string() + ": has 5 bytes; at most 4 are read here");
  REQUIRE(message(read_file(scratch / "none", 4)) == (scratch / "none").string() + ": does not exist");
  REQUIRE(message(read_file(scratch / "", 4)).ends_with("is a folder; a file is needed"));
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  REQUIRE(message(read_file(scratch / "pipe", 4)).ends_with("is not a regular file"));  // and does not hang
}

TEST_CASE("writing says which file and why not, and leaves the old one") {
  const Scratch scratch;
  const auto message = [](const Status& status) { return status ? "no error" : status.error().message; };
  const std::string missing = (scratch / "none").string();
  REQUIRE(message(write_file(scratch / "none/a.bin", "x")) ==
          missing + "/a.bin: cannot be written: the folder " + missing + " does not exist");
  fs::create_directory(scratch / "folder");
  REQUIRE(message(write_file(scratch / "folder", "x")).ends_with("folder: cannot be written: it is a folder"));
  REQUIRE(message(write_file(scratch / "folder/", "x")).ends_with("it is a folder"));
  REQUIRE(message(write_file("", "x")) == "cannot write a file without a name");
  REQUIRE(write_file(scratch / "folder/old", "old"));
  {
    auto writer = FileWriter::create(scratch / "folder/old");
    REQUIRE(writer);
    REQUIRE(writer->append("half of the new"));
    // Nothing that a killed program would leave behind, where the file system knows files without a name.
    REQUIRE(files_in(scratch / "folder") <= 2);
  }
  REQUIRE(files_in(scratch / "folder") == 1);
  REQUIRE(read_file(scratch / "folder/old", 100).value() == "old");
  if (::geteuid() != 0) {  // root may write everywhere
    fs::permissions(scratch / "folder/old", fs::perms::owner_read);
    REQUIRE(message(write_file(scratch / "folder/old", "x")).ends_with("cannot be written: Permission denied"));
  }
}

TEST_CASE("what killed programs left is removed, once nothing was written to it for a while") {
  const Scratch scratch;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  REQUIRE(::waitpid(dead, nullptr, 0) == dead);
  const auto leave = [&](const std::string& name, bool old) {
    REQUIRE(write_file(scratch / name, "half"));
    if (old) fs::last_write_time(scratch / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  };
  leave(fmt::format(".headlight-{}-0.tmp", dead), true);
  leave(fmt::format(".headlight-{}-1.tmp", dead), false);       // somebody may be at it, on another machine
  leave(fmt::format(".headlight-{}-0.tmp", ::getpid()), true);  // its program lives
  leave(".headlight-notes.tmp", true);                          // somebody else's
  remove_stale_temporaries(scratch / "");
  REQUIRE(files_in(scratch / "") == 3);
  REQUIRE_FALSE(fs::exists(scratch / fmt::format(".headlight-{}-0.tmp", dead)));
}

TEST_CASE("a link stays a link, a mode stays a mode, and a device is not replaced") {
  const Scratch scratch;
  REQUIRE(write_file(scratch / "real", "1"));
  fs::permissions(scratch / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", scratch / "link");
  REQUIRE(write_file(scratch / "link", "2"));
  REQUIRE(fs::is_symlink(scratch / "link"));
  REQUIRE(read_file(scratch / "real", 9).value() == "2");
  REQUIRE(fs::status(scratch / "real").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  REQUIRE(write_file(scratch / "own", "1", Readers::user));
  REQUIRE(fs::status(scratch / "own").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  fs::create_symlink("/dev/null", scratch / "null");
  REQUIRE(write_file(scratch / "null", "gone"));
  REQUIRE(fs::is_character_file("/dev/null"));
}

TEST_CASE("a link to a file that is not there yet makes that file") {
  const Scratch scratch;
  fs::create_directory(scratch / "there");
  fs::create_symlink("there/new", scratch / "first");
  fs::create_symlink("first", scratch / "second");
  REQUIRE(write_file(scratch / "second", "1"));
  CHECK(fs::is_symlink(scratch / "second"));
  CHECK(fs::is_symlink(scratch / "first"));
  CHECK(read_file(scratch / "there/new", 9).value() == "1");
  fs::create_symlink("nowhere/new", scratch / "lost");
  CHECK_FALSE(write_file(scratch / "lost", "1"));
  CHECK(fs::is_symlink(scratch / "lost"));
  fs::create_symlink("round", scratch / "round");
  CHECK_FALSE(write_file(scratch / "round", "1"));
}

TEST_CASE("a pipe that nobody reads is refused, and does not hold the program") {
  const Scratch scratch;
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  const Status status = write_file(scratch / "pipe", "1");
  REQUIRE_FALSE(status);
  CHECK(status.error().message.ends_with("cannot be written: it is a pipe that nobody reads from, or a socket"));
  const int reader = ::open((scratch / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(write_file(scratch / "pipe", "said"));
  char said[4];
  CHECK(::read(reader, said, sizeof said) == 4);
  ::close(reader);
}

TEST_CASE("a full disk is reported") {
  if (!fs::is_character_file("/dev/full")) return;
  const auto status = write_file("/dev/full", "x");
  REQUIRE_FALSE(status);
  REQUIRE(status.error().message == "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("names in messages stay on one line") {
  REQUIRE(one_line("a\nb\x1b[0m") == "a?b?[0m");
  const std::string cut = one_line(std::string(199, 'x') + "é and more");
  REQUIRE(cut == std::string(199, 'x') + "…");
}
