// How much the calling thread has read from files, as the system counts it.
#pragma once

#include <fstream>
#include <optional>
#include <string>

namespace headlight::test {

// Bytes since the thread began; nothing where the system does not count them.
inline std::optional<long> bytes_read() {
  std::ifstream counters("/proc/thread-self/io");
  std::string name;
  long value = 0;
  if (counters >> name >> value && name == "rchar:") return value;
  return std::nullopt;
}

}  // namespace headlight::test
