#include "app/session/lesson_pictures.h"

#include <filesystem>

#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/images/image_file.h"
#include "engine/picture/resize.h"

namespace headlight::app {

namespace {

Result<Image> picture_in(const std::filesystem::path& folder, const std::string& name) {
  const auto path = path_of_utf8(name);
  if (lies_outside(folder, path))
    return fail("{} lies outside of the lesson's folder, and a lesson reads nothing there", brief(name));
  std::error_code error;
  if (!std::filesystem::is_regular_file(folder / path, error))
    return fail("there is no picture called {} beside the lesson", brief(name));
  HL_TRY(const Image image, read_image(folder / path));
  const PictureSize size = size_within(image.width, image.height, longest_lesson_picture);
  return resized(image, size.width, size.height);
}

}  // namespace

void read_pictures(PlayedLesson& played) {
  const auto see = [&](const LessonText& text) {
    for (const auto& piece : text) {
      if (piece.kind != LessonPiece::Kind::picture || played.pictures.contains(piece.text)) continue;
      auto image = picture_in(played.lesson->folder, piece.text);
      if (image)
        played.pictures[piece.text] = std::make_shared<const Image>(*std::move(image));
      else
        played.mistakes.push_back({piece.at, image.error().message});
    }
  };
  for_each_text(*played.lesson, see);
}

}  // namespace headlight::app
