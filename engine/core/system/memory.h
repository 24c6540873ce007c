// The memory that the system has for this process, and what is told to it about memory.
//
// Not for errors where there is too little: engine/core/memory.h.
#pragma once

#include <cstddef>
#include <filesystem>

namespace headlight {

// Bytes that may still be taken: of the machine, of the process's limit (RLIMIT_AS), and of each memory group (cgroup,
// version 1 or 2) that the process is in, whichever is least. Of what it has, it would give `kept` back. `proc` and
// `groups` are where Linux tells of them.
double free_system_memory(double kept, const std::filesystem::path& proc = "/proc",
                          const std::filesystem::path& groups = "/sys/fs/cgroup");

// Pieces of `large` bytes go back to the system when they are freed; of smaller ones `most_kept` stay for the next.
void set_trim_thresholds(std::size_t large, std::size_t most_kept);

// In huge pages where the system has them.
void use_huge_pages(void* block, std::size_t bytes);
// What it holds is not needed: the system may have it until it is written to again.
void lend_to_system(void* block, std::size_t bytes);

}  // namespace headlight
