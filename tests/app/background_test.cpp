// Work off the window's thread: what becomes of it, and of work that throws. Runs under the thread sanitizer too.
#include "app/state/background.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

void finish(Background& background) {
  for (int i = 0; i < 20000 && background.busy(); ++i) {
    background.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE_FALSE(background.busy());
}

}  // namespace

TEST_CASE("work that throws ends with an error under its name, and the next is done") {
  Names failed;
  Background background({},
                        [&](const std::string& name, const Error& error) { failed.emplace_back(name, error.message); });
  bool done = false;
  background.run("odd", []() -> Background::Taken { throw std::runtime_error("odd"); });
  finish(background);
  background.run("rights", []() -> Background::Taken {
    throw std::filesystem::filesystem_error("open", "/a", std::make_error_code(std::errc::permission_denied));
  });
  finish(background);
  background.run("memory", []() -> Background::Taken { throw std::bad_alloc(); });
  background.flush();
  finish(background);
  background.run("next", [&]() -> Background::Taken { return [&] { done = true; }; });
  finish(background);
  CHECK(done);
  REQUIRE(failed.size() == 3);
  CHECK(failed[0] == std::pair<std::string, std::string>("odd", "odd: this is a mistake in the program"));
  CHECK(failed[1].first == "rights");
  CHECK(failed[1].second.find("/a: you have no right") == 0);
  CHECK(failed[2].first == "memory");
  CHECK(failed[2].second.find("not enough memory") != std::string::npos);
}

TEST_CASE("of work that was dropped no error is told") {
  Names failed;
  std::atomic<bool> begun = false, go_on = false;
  Background background({},
                        [&](const std::string& name, const Error& error) { failed.emplace_back(name, error.message); });
  background.run("odd", [&]() -> Background::Taken {
    begun = true;
    while (!go_on) std::this_thread::yield();
    throw std::runtime_error("odd");
  });
  while (!begun) std::this_thread::yield();
  background.drop("odd");
  go_on = true;
  finish(background);
  CHECK(failed.empty());
}
