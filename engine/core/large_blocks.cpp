#include "engine/core/large_blocks.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

#include "engine/core/system/memory.h"

#ifdef HEADLIGHT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace headlight::large_blocks {

namespace {

constexpr std::size_t huge_page = 2 << 20;  // bytes

// The address sanitizer sees an array come and go all the same, and where it ends.
void close_to_readers([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef HEADLIGHT_ADDRESS_SANITIZER
  __asan_poison_memory_region(block, bytes);
#endif
}
void open_to_readers([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef HEADLIGHT_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(block, bytes);
#endif
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

void* fresh(std::size_t bytes) {
  void* block = ::operator new[](bytes, std::align_val_t(huge_page));
  use_huge_pages(block, bytes);
  return block;
}

struct Block {
  void* at;
  std::size_t bytes;
};

void free_block(const Block& block) {
  open_to_readers(block.at, block.bytes);
  ::operator delete[](block.at, std::align_val_t(huge_page));
}

class Store {
 public:
  // Null where none of that size is kept.
  void* find(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(blocks_, bytes, &Block::bytes);
    if (found == blocks_.end()) return nullptr;
    void* at = found->at;
    kept_ -= bytes;
    blocks_.erase(found);
    return at;
  }

  void keep(Block block) {
    const std::scoped_lock lock(mutex_);
    blocks_.push_back(block);
    kept_ += block.bytes;
    if (kept_ > most_kept) let_go(kept_ - most_kept);
  }

  // So many bytes or more, the oldest first.
  void free(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    let_go(bytes);
  }

  std::size_t kept() {
    const std::scoped_lock lock(mutex_);
    return kept_;
  }

 private:
  void let_go(std::size_t bytes) {
    for (std::size_t gone = 0; gone < bytes && !blocks_.empty(); blocks_.pop_front()) {
      gone += blocks_.front().bytes;
      kept_ -= blocks_.front().bytes;
      free_block(blocks_.front());
    }
  }

  std::mutex mutex_;
  std::deque<Block> blocks_;
  std::size_t kept_ = 0;
};

// Never destroyed: arrays may be gone after everything else.
Store& store() {
  static Store& all = *new Store;
  return all;
}

}  // namespace

void* allocate(std::size_t wanted) {
  const std::size_t bytes = whole_pages(wanted);
  void* block = store().find(bytes);
  if (!block) {
    store().free(bytes);
    try {
      block = fresh(bytes);
    } catch (const std::bad_alloc&) {
      release();
      block = fresh(bytes);
    }
    close_to_readers(block, bytes);
  }
  open_to_readers(block, wanted);
  return block;
}

void deallocate(void* block, std::size_t bytes) noexcept {
  bytes = whole_pages(bytes);
  if (bytes > most_kept) return free_block({block, bytes});
  lend_to_system(block, bytes);
  close_to_readers(block, bytes);
  try {
    store().keep({block, bytes});
  } catch (const std::bad_alloc&) {
    free_block({block, bytes});
  }
}

std::size_t kept() {
  return store().kept();
}

void release() {
  store().free(kept());
}

}  // namespace headlight::large_blocks
