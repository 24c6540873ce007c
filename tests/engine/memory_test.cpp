#include "engine/core/memory.h"

#include <fstream>

#include "engine/base/words.h"
#include "engine/core/parallel.h"
#include "engine/core/system/memory.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

constexpr double mib = 1 << 20;

}  // namespace

TEST_CASE("free memory is the least of the machine's and of every group's above the process") {
  const Scratch scratch;
  const fs::path proc = scratch / "proc", groups = scratch / "groups";
  const auto free = [&] { return free_system_memory(0, proc, groups) / mib; };
  put(proc / "meminfo", "MemTotal: 9000000 kB\nMemAvailable: 1024000 kB\n");
  CHECK(free() == 1000);  // no group at all

  put(proc / "self/cgroup", "0::/user/one\n");
  put(groups / "user/one/memory.max", "max\n");
  CHECK(free() == 1000);
  put(groups / "user/memory.max", fmt::format("{}\n", 500 * 1048576));
  put(groups / "user/memory.current", fmt::format("{}\n", 400 * 1048576));
  CHECK(free() == 100);
  put(groups / "user/memory.stat", fmt::format("anon 5\ninactive_file {}\n", 50 * 1048576));  // given up when needed
  CHECK(free() == 150);
  // Of pages that the system lists to be given up, no more are than there are of files, and of blocks lent to it.
  put(groups / "user/memory.stat", fmt::format("file {}\ninactive_file {}\n", 10 * 1048576, 50 * 1048576));
  CHECK(free() == 110);
  CHECK(free_system_memory(25 * mib, proc, groups) / mib == 135);
  put(groups / "user/one/memory.max", fmt::format("{}\n", 30 * 1048576));
  put(groups / "user/one/memory.current", fmt::format("{}\n", 40 * 1048576));
  CHECK(free() == 0);  // over its limit already

  put(proc / "self/cgroup", "5:cpu,memory:/box\n1:name=systemd:/box\n");
  CHECK(free() == 1000);
  put(groups / "memory/memory.limit_in_bytes", fmt::format("{}\n", 80 * 1048576));
  put(groups / "memory/memory.usage_in_bytes", fmt::format("{}\n", 20 * 1048576));
  CHECK(free() == 60);

  put(proc / "self/cgroup", "");
  put(proc / "meminfo", "MemAvailable: 1024000 kB\nInactive(file): 512000 kB\nCached: 102400 kB\nBuffers: 0 kB\n");
  CHECK(free() == 600);
}

TEST_CASE("running out of memory is an error, also in a thread of a pool") {
  const auto status = within_memory([]() -> Status { throw std::bad_alloc(); });
  REQUIRE_FALSE(status);
  CHECK(status.error().message.find("not enough memory") != std::string::npos);
  ThreadPool pool(4);
  const auto thrown = within_memory([&]() -> Status {
    pool.for_each(100, 1, [](Index begin, Index) {
      if (begin == 50) throw std::bad_alloc();
    });
    return {};
  });
  CHECK_FALSE(thrown);
  std::atomic<Index> sum{0};
  pool.for_each(100, 1, [&](Index begin, Index) { sum += begin; });  // and the pool goes on
  CHECK(sum == 4950);
  CHECK_FALSE(check_memory(1e18));
  CHECK_FALSE(check_room(1e18));
  CHECK(check_room(1));
  CHECK(check_memory(1));
}

TEST_CASE("what the file system refuses is no lack of threads") {
  const auto told = [](std::errc why, const fs::path& path) {
    const Status status =
        within_memory([&]() -> Status { throw fs::filesystem_error("open", path, std::make_error_code(why)); });
    return status ? "no error" : status.error().message;
  };
  CHECK(told(std::errc::permission_denied, "/root/a.npz") ==
        "/root/a.npz: you have no right to reach it: change its rights, or choose another place");
  CHECK(told(std::errc::too_many_symbolic_link_levels, "/a") ==
        "/a: cannot be reached: Too many levels of symbolic links");
  CHECK(told(std::errc::no_such_file_or_directory, "") ==
        "the folder that the program runs in: cannot be reached: No such file or directory");
  const Status no_thread = within_memory(
      []() -> Status { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); });
  REQUIRE_FALSE(no_thread);
  CHECK(no_thread.error().message.find("ulimit") != std::string::npos);
}

TEST_CASE("at the end of a thread every exception is an error") {
  const Status status = catch_all([]() -> Status { throw std::runtime_error("odd"); });
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "odd: this is a mistake in the program");
}

TEST_CASE("messages repeat the first 80 characters of a foreign word") {
  CHECK(brief("a\nb") == "a?b");
  CHECK(brief(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(brief(std::string(1000, 'x')) == std::string(80, 'x') + "…");
  std::string snow, eighty;
  for (int i = 0; i < 100; ++i) snow += "❄";
  for (int i = 0; i < 80; ++i) eighty += "❄";
  CHECK(brief(snow) == eighty + "…");
  CHECK(brief(std::string(100000, '\x80')).size() < 400);  // no text at all
  CHECK(brief_list({"a", "b"}) == "a, b");
  CHECK(brief_list(std::vector<std::string>(60000, "w")).size() < 100);
  CHECK(brief_list(std::vector<std::string>(60000, "w")).ends_with(" and 59980 more"));
}
