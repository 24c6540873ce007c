#include "engine/layouts/tables.h"

namespace headlight {

namespace {

Layouts every_layout() {
  Layouts all;
  for (const auto& some : {torch_layouts, decoder_layouts, encoder_layouts, vision_layouts, two_stack_layouts})
    for (LayoutTable& one : some()) all.push_back(std::move(one));
  return all;
}

}  // namespace

const Layouts& all_layouts() {
  static const Layouts all = every_layout();
  return all;
}

}  // namespace headlight
