#include "engine/weights/textbook.h"

#include <array>
#include <string_view>

#include "engine/weights/described_heads.h"
#include "engine/weights/text_heads.h"

namespace headlight {

namespace {

// Who makes weights for a variant; several are asked in order, each for the inputs that it knows.
struct Maker {
  std::string_view variant;
  bool (*fill)(Problem& problem);
};

constexpr std::array makers{
    Maker{"multi_head", fill_text_heads},
    Maker{"multi_head", fill_textbook_described_heads},
    Maker{"additive", fill_text_additive},
    Maker{"additive", fill_textbook_described_additive},
    Maker{"key_content_only", fill_text_keys},
    Maker{"key_content_only", fill_textbook_described_keys},
    Maker{"stand_alone_2d", fill_textbook_stand_alone},
    Maker{"memory_block", fill_textbook_memory_block},
    Maker{"non_local", fill_textbook_non_local},
};

}  // namespace

bool fill_textbook(Problem& problem) {
  for (const Maker& maker : makers)
    if (maker.variant == problem.variant->info().id && maker.fill(problem)) return true;
  return false;
}

}  // namespace headlight
