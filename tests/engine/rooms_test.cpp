// Reads the includes of every source file and holds the direction of the rooms (docs/architecture.md).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/scratch.h"

namespace {

namespace fs = std::filesystem;

// What panels may include that are not panels.
const std::vector<std::string> below_panels{"engine/",     "app/actions",  "app/figures", "app/lessons",
                                            "app/model",   "app/platform", "app/reading", "app/render",
                                            "app/session", "app/text",     "app/widgets", "app/worksheets"};

std::vector<std::string> above_common(const std::vector<std::string>& rooms) {
  std::vector<std::string> prefixes = below_panels;
  prefixes.emplace_back("app/panels/common/");
  for (const auto& room : rooms) prefixes.push_back("app/panels/" + room + "/");
  return prefixes;
}

// What each room may include of ours, as path prefixes. A room may always include itself and engine/base.
const std::map<std::string, std::vector<std::string>> allowed{
    {"engine/base", {}},
    {"engine/core", {}},
    {"engine/core/system", {}},
    {"engine/core/system/posix", {"engine/core/system"}},
    {"engine/core/system/web", {"engine/core/system"}},
    {"engine/math", {"engine/core"}},
    {"engine/trace", {"engine/core", "engine/math"}},
    {"engine/picture", {"engine/core", "engine/math", "engine/trace"}},
    {"engine/inputs", {"engine/core", "engine/picture"}},
    {"engine/ops", {"engine/core", "engine/math", "engine/trace"}},
    {"engine/params", {"engine/core"}},
    {"engine/variants",
     {"engine/core", "engine/math", "engine/ops", "engine/params", "engine/picture", "engine/trace"}},
    {"engine/weights",
     {"engine/core", "engine/inputs", "engine/math", "engine/params", "engine/trace", "engine/variants"}},
    {"engine/measures",
     {"engine/core", "engine/inputs", "engine/math", "engine/params", "engine/picture", "engine/trace",
      "engine/variants"}},
    {"engine/layouts", {"engine/core", "engine/io", "engine/params", "engine/variants"}},
    {"engine/models",
     {"engine/core", "engine/io", "engine/layouts", "engine/math", "engine/measures", "engine/params", "engine/picture",
      "engine/tokens", "engine/trace", "engine/variants"}},
    {"engine/code", {"engine/core", "engine/io", "engine/params", "engine/trace", "engine/variants"}},
    {"engine/io", {"engine/core", "engine/inputs", "engine/params", "engine/picture", "engine/variants"}},
    {"engine/tokens", {"engine/core", "engine/io"}},
    {"engine/expressions", {"engine/core", "engine/math", "engine/trace"}},
    {"engine/run",
     {"engine/core", "engine/inputs", "engine/io", "engine/layouts", "engine/math", "engine/measures", "engine/models",
      "engine/params", "engine/picture", "engine/tokens", "engine/trace", "engine/variants", "engine/weights"}},
    {"engine/learn", {"engine/core", "engine/io", "engine/ops", "engine/params", "engine/run", "engine/variants"}},
    {"engine/learn/tasks", {"engine/core", "engine/learn", "engine/params", "engine/variants"}},
    {"app/text", {"engine/"}},
    {"app/text/posix", {"engine/", "app/text"}},
    {"app/text/web", {"engine/", "app/text"}},
    {"app/page", {"engine/", "app/text"}},
    {"app/formula", {"engine/", "app/text"}},
    {"app/reading", {"engine/", "app/page"}},
    {"app/reading/masks", {"engine/", "app/page", "app/reading"}},
    {"app/reading/questions", {"engine/", "app/page", "app/reading"}},
    {"app/figures", {"engine/", "app/page", "app/reading", "app/text"}},
    {"app/worksheets", {"engine/", "app/formula", "app/page", "app/reading"}},
    {"app/lessons", {"engine/", "app/formula", "app/reading"}},
    {"app/model", {"engine/", "app/figures", "app/lessons", "app/page", "app/reading", "app/text", "app/worksheets"}},
    {"app/actions",
     {"engine/", "app/figures", "app/lessons", "app/model", "app/page", "app/reading", "app/text", "app/worksheets"}},
    {"app/session",
     {"engine/", "app/actions", "app/figures", "app/lessons", "app/model", "app/page", "app/reading", "app/text",
      "app/worksheets"}},
    {"app/cli",
     {"engine/", "app/actions", "app/figures", "app/lessons", "app/model", "app/page", "app/reading", "app/session",
      "app/text", "app/worksheets"}},
    {"app/platform", {"engine/", "app/render", "app/text"}},
    {"app/platform/posix", {"engine/", "app/platform", "app/render", "app/text"}},
    {"app/platform/web", {"engine/", "app/platform", "app/render", "app/text"}},
    {"app/render", {"engine/"}},
    {"app/shell",
     {"engine/", "app/actions", "app/cli", "app/lessons", "app/model", "app/panels/", "app/platform", "app/reading",
      "app/render", "app/session", "app/widgets"}},
    {"app/web",
     {"engine/core", "engine/io", "app/actions", "app/model", "app/panels/", "app/platform", "app/shell",
      "app/widgets"}},
    {"app/widgets", {"engine/", "app/formula", "app/platform", "app/render", "app/text"}},
    {"app/panels/common", below_panels},
    {"app/panels/mechanism", above_common({})},
    {"app/panels/inspector", above_common({})},
    {"app/panels/export", above_common({})},
    {"app/panels/dialogs", above_common({"export"})},
    {"app/panels/setup", above_common({"dialogs"})},
    {"app/panels/views", above_common({"mechanism"})},
    {"app/panels/heads", above_common({"views"})},
    {"app/panels/layers", above_common({"dialogs", "views"})},
    {"app/panels/masks", above_common({"inspector", "setup", "views"})},
    {"app/panels/compare", above_common({"setup", "views"})},
    {"app/panels/present", above_common({"views"})},
    {"app/panels/lesson", above_common({"inspector", "setup", "train", "views"})},
    {"app/panels/train", above_common({})},
    {"app/panels/screen", above_common({"compare", "dialogs", "export", "heads", "inspector", "layers", "lesson",
                                        "masks", "mechanism", "present", "setup", "train", "views"})},
};

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto word = line.find("#include ");
    const auto open = word == std::string::npos ? word : line.find_first_of("\"<", word);
    const auto close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close != std::string::npos) found.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) { return text.starts_with(prefix); });
}

// The rooms that know the operating system. To all others it is what C++20 says of it.
const std::vector<std::string> system_rooms{"engine/core/system/", "app/platform/"};

const std::regex system_header(
    R"(#include <((sys|linux|netinet|arpa)/.*|(unistd|fcntl|signal|malloc|pwd|grp|dirent|poll|pthread|dlfcn|sched|spawn|)"
    R"(termios|syslog|windows|io)\.h|csignal)>)");
const std::regex system_call(
    R"((^|[^\w.>])(strverscmp|localtime_r|gmtime_r|isatty|fileno|getpid|getppid|kill|flock|fsync|mallopt|madvise|mmap|)"
    R"(sysconf|getrlimit|sigaction|sigwait|pthread_\w+|geteuid|getuid|getpwuid|mkstemp|mkdtemp|fork|exec[lv]\w*|popen|)"
    R"(std::signal|std::raise|STD(IN|OUT|ERR)_FILENO|)"
    R"(::(open|openat|close|read|write|pread|stat|lstat|fstat|access|unlink|rename|link|linkat|fcntl))\b *[(,)])");
const std::regex system_path("\"/(proc|dev|sys)\\b");
// utf8() of core/system/paths.h says what a path is called.
const std::regex text_of_path(R"((\.|->)(native|string|u8string|wstring)\(\))");

// Complaints about the lines of one file.
std::vector<std::string> system_complaints(const fs::path& file) {
  std::vector<std::string> result;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string code = line.substr(0, line.find("//"));
    for (const auto* forbidden : {&system_header, &system_call, &system_path, &text_of_path})
      if (std::smatch found; std::regex_search(code, found, *forbidden))
        result.push_back(file.string() + ":" + std::to_string(number) + ": " + found.str());
  }
  return result;
}

// Complaints about one file of a room.
std::vector<std::string> complaints(const std::string& room, const fs::path& file) {
  std::vector<std::string> result;
  const bool sees_opengl = room.starts_with("app/platform") || room == "app/render";
  const bool sees_imgui =
      sees_opengl || room == "app/widgets" || room == "app/shell" || room.starts_with("app/panels/");
  for (const auto& include : includes_of(file)) {
    const bool ours = include.starts_with("engine/") || include.starts_with("app/");
    bool fine = !ours || include.starts_with(room + "/") || include.starts_with("engine/base/") ||
                starts_with_any(include, allowed.at(room));
    if (include.starts_with("imgui")) fine = sees_imgui;
    if (include.starts_with("GLFW") || include.starts_with("epoxy")) fine = sees_opengl;
    if (!fine) result.push_back(file.string() + " includes " + include);
  }
  return result;
}

}  // namespace

TEST_CASE("rooms include only what they may") {
  const fs::path source = HEADLIGHT_SOURCE_DIR;
  int files = 0;
  for (const auto& [room, ignored] : allowed) {
    if (!fs::exists(source / room)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source / room)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      ++files;
      for (const auto& complaint : complaints(room, entry.path())) FAIL_CHECK(complaint);
    }
  }
  CHECK(files > 20);
}

TEST_CASE("no room is reached again from a room that it includes") {
  const fs::path source = HEADLIGHT_SOURCE_DIR;
  std::map<std::string, std::set<std::string>> reached;
  for (const char* top : {"engine", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(source / top)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::string room = fs::relative(entry.path().parent_path(), source).generic_string();
      for (const std::string& include : includes_of(entry.path()))
        if (const std::string other = fs::path(include).parent_path().generic_string();
            other != room && (include.starts_with("engine/") || include.starts_with("app/")))
          reached[room].insert(other);
    }
  for (bool grows = true; grows;) {
    grows = false;
    for (auto& [room, rooms] : reached)
      for (const std::string& other : std::set<std::string>(rooms))
        if (const auto next = reached.find(other); next != reached.end())
          for (const std::string& further : std::set<std::string>(next->second))
            grows = rooms.insert(further).second || grows;
  }
  CHECK(reached.size() > 40);
  for (const auto& [room, rooms] : reached) {
    INFO(room);
    CHECK(!rooms.contains(room));
  }
}

TEST_CASE("every folder of code is a room with a door, none is crowded, and no file is long") {
  const fs::path source = HEADLIGHT_SOURCE_DIR;
  constexpr int most_files = 50;
  constexpr std::ptrdiff_t most_lines = 450;
  std::map<std::string, int> files;
  for (const char* top : {"engine", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(source / top)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      ++files[fs::relative(entry.path().parent_path(), source).generic_string()];
      std::ifstream in(entry.path());
      INFO(entry.path());
      CHECK(std::count(std::istreambuf_iterator<char>(in), {}, '\n') <= most_lines);
    }
  for (const auto& [name, count] : files) {
    const std::string& folder = name;
    INFO(folder << " has " << count << " files: where a room is crowded, give a subject of its own a room");
    CHECK(count <= most_files);
    const bool has_rules = std::ranges::any_of(
        allowed, [&](const auto& room) { return folder == room.first || folder.starts_with(room.first + "/"); });
    CHECK((folder == "app" || folder == "engine" || has_rules));  // main.cpp; engine.h
  }
}

TEST_CASE("nothing that was made by trying something out lies beside the rooms") {
  std::set<std::string> made;
  for (const auto& entry : fs::directory_iterator(fs::path(HEADLIGHT_SOURCE_DIR)))
    for (const char* ending : {".png", ".pdf", ".svg", ".csv", ".npz", ".headlight"})
      if (entry.path().extension() == ending) made.insert(entry.path().filename().string());
  CHECK(made == std::set<std::string>{});
}

TEST_CASE("two rooms alone know the operating system, and utf8() alone the text of a path") {
  const fs::path source = HEADLIGHT_SOURCE_DIR;
  int files = 0;
  for (const char* side : {"engine", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(source / side)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      if (starts_with_any(entry.path().lexically_relative(source).string(), system_rooms)) continue;
      ++files;
      for (const auto& complaint : system_complaints(entry.path())) FAIL_CHECK(complaint);
    }
  CHECK(files > 20);
}

TEST_CASE("a file that knows the operating system is found, by its line") {
  const headlight::Scratch scratch;
  const fs::path file = scratch / "system.cpp";
  const std::vector<std::string> bad{"#include <unistd.h>",         "#include <sys/stat.h>",
                                     "#include <csignal>",          "if (isatty(1)) return;",
                                     "int file = ::open(name, 0);", "int me = getpid();",
                                     "read(STDIN_FILENO, 0);",      "fs::path proc = \"/proc/self\";",
                                     "auto name = path.native();",  "auto name = entry->string();"};
  const std::vector<std::string> good{"#include <filesystem>", "file.open(name);", "Reader::read(name);",
                                      "skill(2);  // getpid() is not called", "std::string string();"};
  std::ofstream out(file);
  for (const auto& line : bad) out << line << "\n";
  for (const auto& line : good) out << line << "\n";
  out.close();
  const auto found = system_complaints(file);
  REQUIRE(found.size() == bad.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i].find(":" + std::to_string(i + 1) + ": ") != std::string::npos);
}

TEST_CASE("a room that reaches too far is found") {
  const headlight::Scratch scratch;
  const fs::path file = scratch / "rooms.h";
  std::ofstream(file) << "#include \"app/model/model.h\"\n#include <GLFW/glfw3.h>\n#include <vector>\n";
  CHECK(complaints("engine/core", file).size() == 2);
  CHECK(complaints("app/panels/masks", file).size() == 1);
}
