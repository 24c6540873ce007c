// Memory of large arrays, kept for the next one when an array is gone. Half of a large run's time was the system
// clearing pages that the run before it had just given back.
#pragma once

#include <cstddef>

namespace headlight::large_blocks {

// Arrays of so many bytes and more come from here, in huge pages where the system has them.
inline constexpr std::size_t least = std::size_t{4} << 20;

// What is kept is at most so much, and the system may take it back at any time.
inline constexpr std::size_t most_kept = std::size_t{1} << 30;

// A block of `bytes`, at a multiple of 2 MiB; what it holds is left unset. Reuses a kept block of the same size in huge
// pages; else frees as many kept bytes as it allocates, so the total does not grow. Throws std::bad_alloc.
void* allocate(std::size_t bytes);
// Gives back what allocate(bytes) gave.
void deallocate(void* block, std::size_t bytes) noexcept;

// Bytes that are kept now; release() lets all of them go.
std::size_t kept();
void release();

}  // namespace headlight::large_blocks
