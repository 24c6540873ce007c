#include "app/platform/chooser.h"

namespace headlight::app {

bool has_chooser() {
  return false;
}
void choose_files(bool /*folder*/) {}

}  // namespace headlight::app
