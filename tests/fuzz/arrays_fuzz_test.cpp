// Thousands of damaged array files, the same in every run: each loads or gives a one-line error, soon, and takes no
// more memory than its size allows.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "engine/io/array_source.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/pickle.h"
#include "engine/io/safetensors.h"
#include "engine/io/zip.h"
#include "tests/catch.h"
#include "tests/engine/expected_arrays.h"
#include "tests/scratch.h"

namespace {
std::atomic<std::size_t> largest_allocation{0};  // bytes, since it was last set to 0

void* allocate(std::size_t size, std::size_t alignment) {
  std::size_t seen = largest_allocation.load();
  while (size > seen && !largest_allocation.compare_exchange_weak(seen, size)) {
  }
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// Every form, because a sanitizer's runtime has each of its own.
void* operator new(std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
// Not inlined: GCC 14 inlines these and not their news, and takes the two for mismatched.
// clang-format off
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// clang-format on

namespace headlight {
namespace {

using Random = std::mt19937;  // the standard fixes its numbers; its distributions vary, so they are not used

std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

// Puts a number that sizes and places are prone to fail on over 2, 4 or 8 bytes.
void edit_number(std::string& bytes, Random& random) {
  constexpr std::uint64_t numbers[] = {0,          1,          0x7FFF,     0xFFFF,          0x7FFFFFFF,
                                       0xFFFFFFFE, 0xFFFFFFFF, 0x80000000, 0xFFFFFFFFFFULL, 0x7FFFFFFFFFFFFFFFULL,
                                       ~0ULL,      ~7ULL,      ~0ULL - 29};
  const std::uint64_t number = numbers[below(random, std::size(numbers))];
  const std::size_t width = std::size_t{2} << below(random, 3);
  const std::size_t at = below(random, bytes.size());
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(number >> (8 * i) & 0xFF);
}

// Puts another number where a decimal one stands: shapes and offsets of the headers that are text.
void edit_digits(std::string& bytes, Random& random) {
  const std::size_t at = bytes.find_first_of("0123456789", below(random, bytes.size()));
  if (at == std::string::npos) return;
  constexpr const char* numbers[] = {"0", "9", "-1", "99", "1000000000000", "18446744073709551615", "1e9", "(", ""};
  const std::size_t end = std::min(bytes.find_first_not_of("0123456789", at), bytes.size());
  bytes.replace(at, end - at, numbers[below(random, std::size(numbers))]);
}

std::string mutated(std::string bytes, const std::vector<std::string>& seeds, Random& random) {
  for (std::size_t edits = 1 + below(random, 3); edits > 0; --edits) {
    if (bytes.empty()) return bytes;
    const std::size_t at = below(random, bytes.size());
    switch (below(random, 7)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random() & 0xFF);
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        edit_number(bytes, random);
        break;
      case 4:
        edit_digits(bytes, random);
        break;
      case 5:
        bytes.erase(at, 1 + below(random, 16));
        break;
      default: {
        const std::string& other = seeds[below(random, seeds.size())];
        bytes.insert(at, other, below(random, other.size()), 1 + below(random, 64));
      }
    }
  }
  return bytes;
}

// Small files of the corpus: headers are most of them, so that most edits hit something that matters.
std::vector<std::string> seeds(const std::vector<std::string>& files) {
  std::vector<std::string> bytes;
  for (const std::string& file : files) bytes.push_back(read_file(corpus(file), 1 << 20).value());
  return bytes;
}

struct Outcome {
  int loaded = 0;
  int refused = 0;
};

// `ratio`: how many times a file's size the largest single allocation may be, beyond the fixed allowance.
template <class Read>
Outcome fuzz(const std::vector<std::string>& from, int count, std::size_t ratio, Read read) {
  constexpr std::size_t allowance = std::size_t{1} << 20;  // bytes: buffers of a fixed size
  constexpr auto soon = std::chrono::seconds(2);           // for one small file, on a busy machine with sanitizers
  const Scratch scratch;
  const auto path = scratch / "f";
  Outcome outcome;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<std::uint32_t>(i));
    const std::string bytes = mutated(from[static_cast<std::size_t>(i) % from.size()], from, random);
    // Not by write_file(), which waits for the disk.
    std::filesystem::remove(path);  // what is cut short and written again is flushed by some file systems
    std::ofstream file(path, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      FAIL("the scratch file cannot be written");
    file.close();
    largest_allocation = 0;
    const auto start = std::chrono::steady_clock::now();
    const auto result = read(path);
    const auto time = std::chrono::steady_clock::now() - start;
    const std::size_t largest = largest_allocation;
    if (largest > ratio * bytes.size() + allowance) FAIL("mutation " << i << " allocated " << largest << " bytes");
    if (time > soon) FAIL("mutation " << i << " took too long");
    ++(result ? outcome.loaded : outcome.refused);
    if (result) continue;
    const std::string& message = result.error().message;
    const bool one_clear_line =
        (message.starts_with(path.string() + ": ") || message.starts_with(path.string() + " ")) &&
        message.size() < 700 && message.find('\n') == std::string::npos && !message.ends_with(": ");
    if (!one_clear_line) FAIL("mutation " << i << ": " << message);
  }
  return outcome;
}

// A byte becomes a float32 of four.
constexpr std::size_t plain_ratio = 4;
// The same for what deflate packs at its best.
constexpr std::size_t packed_ratio = 4 * 1032;

}  // namespace

TEST_CASE("damaged .npy files load or are refused in one line") {
  const auto from = seeds({"version_1.npy", "version_2.npy", "version_3.npy", "matrix_fortran.npy", "halves.npy",
                           "scalar.npy", "empty.npy", "refused/records.npy", "refused/beyond_fortran.npy"});
  const Outcome outcome = fuzz(from, 4000, plain_ratio, [](const auto& path) { return read_npy(path); });
  CHECK(outcome.loaded > 100);
  CHECK(outcome.refused > 1000);
}

TEST_CASE("damaged .npz files load or are refused in one line") {
  const auto from = seeds({"commented.npz", "streamed.npz", "streamed_deflated.npz", "zip64.npz", "no_members.npz",
                           "large.npz", "refused/overlapping.npz", "refused/huge_claim.npz"});
  const Outcome outcome = fuzz(from, 6000, packed_ratio, [](const auto& path) { return read_npz(path); });
  CHECK(outcome.loaded > 100);
  CHECK(outcome.refused > 1000);
}

TEST_CASE("damaged safetensors files load or are refused in one line") {
  const auto from = seeds({"every_type.safetensors", "metadata.safetensors"});
  const Outcome outcome = fuzz(from, 4000, plain_ratio, [](const auto& path) { return read_safetensors(path); });
  CHECK(outcome.loaded > 100);
  CHECK(outcome.refused > 1000);
}

TEST_CASE("damaged files of torch load or are refused in one line, and nothing in them is run") {
  // An opcode of a byte makes a value of a hundred; the list of values grows by doubling.
  constexpr std::size_t pickle_ratio = 400;
  const auto from = seeds({"torch/types.pt", "torch/checkpoint.pt", "torch/nested.pt", "torch/loop.pt",
                           "torch/refused/deep.pt", "torch/refused/call.pt"});
  const Outcome outcome = fuzz(from, 6000, pickle_ratio, [](const auto& path) { return read_arrays(path); });
  CHECK(outcome.loaded > 100);
  CHECK(outcome.refused > 1000);
  CHECK_FALSE(std::filesystem::exists("headlight_was_here"));
}

TEST_CASE("any pickle is walked or refused in one line") {
  std::vector<std::string> from;
  for (const char* file : {"torch/types.pt", "torch/checkpoint.pt", "torch/nested.pt"}) {
    const auto opened = InputFile::open(corpus(file));
    const auto members = read_zip_directory(*opened);
    for (const ZipMember& member : *members) {
      if (!member.stored_name.ends_with("data.pkl")) continue;
      from.emplace_back(static_cast<std::size_t>(member.size), ' ');
      REQUIRE(opened->read_at(member.begin, from.back()));
    }
  }
  int walked = 0, refused = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    Random random(i);
    const auto pickle = read_pickle(mutated(from[i % from.size()], from, random));
    ++(pickle ? walked : refused);
    if (!pickle && (pickle.error().message.empty() || pickle.error().message.find('\n') != std::string::npos))
      FAIL("mutation " << i << ": " << pickle.error().message);
  }
  CHECK(walked > 100);
  CHECK(refused > 1000);
}

TEST_CASE("damaged files of llama.cpp load or are refused in one line") {
  // Four bits become a float32; a text of no letters costs eight bytes there and four times as many here, and lists
  // grow.
  constexpr std::size_t block_ratio = 40;
  const Outcome outcome =
      fuzz(seeds({"gguf/tiny.gguf"}), 4000, block_ratio, [](const auto& path) { return read_arrays(path); });
  CHECK(outcome.loaded > 100);
  CHECK(outcome.refused > 1000);
}

TEST_CASE("any bytes go to the right reader or are refused in one line") {
  const auto from = seeds({"version_1.npy", "streamed.npz", "metadata.safetensors"});
  const Outcome outcome = fuzz(from, 2000, packed_ratio, [](const auto& path) { return read_arrays(path); });
  CHECK(outcome.loaded > 50);
  CHECK(outcome.refused > 500);
}

}  // namespace headlight
