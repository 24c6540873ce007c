#include "app/web/links.h"

#include <zlib.h>

#include <algorithm>

#include "app/model/model.h"
#include "engine/core/base64.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

// RFC 4648, section 5: what an address may hold.
std::string make_url_safe(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

}  // namespace

Result<std::string> link_to(const Model& model) {
  constexpr std::string_view ending = ".lesson.md";
  if (model.learner.played) {
    std::string name = utf8(model.learner.path.filename());
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
    return fmt::format("lesson={}&step={}", name, model.learner.step + 1);
  }
  const std::string& text = *model.text();
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                text.size(), Z_BEST_COMPRESSION) != Z_OK)
    return fail("the link could not be packed: there is too little memory");
  packed.resize(size);
  std::string link = "experiment=" + make_url_safe(to_base64(packed));
  if (link.size() > longest_link)
    return fail(
        "A link would have {} KB, and 32 is the most that is sure to arrive: save the experiment and send the file",
        link.size() / 1024 + 1);
  return link;
}

}  // namespace headlight::app
