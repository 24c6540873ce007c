// How a picture becomes what a model reads, as preprocessor_config.json says.
#include <algorithm>
#include <cmath>
#include <system_error>

#include "engine/core/system/paths.h"
#include "engine/io/file.h"
#include "engine/io/images/image_file.h"
#include "engine/io/json_fields.h"
#include "engine/models/inputs.h"

namespace headlight {

namespace {

constexpr Index largest_side = 8192;

Result<ModelConfig> read_rules(const std::filesystem::path& path) {
  constexpr std::uint64_t largest = 1'000'000;  // bytes
  const std::string name = one_line(utf8(path));
  HL_TRY(const std::string text, read_file(path, largest));
  auto fields = read_json(text);
  if (!fields) return fail("{}: {}", name, message_line(fields.error().message));
  if (!fields->is_object()) return fail("{}: is {}: an object is needed", name, kind_of(*fields));
  return ModelConfig(std::move(*fields), name);
}

struct Size {
  Index width = 0, height = 0, shortest = 0;
};

// A number is a square; {height, width}; {shortest_edge}.
Result<Size> size_in(const ModelConfig& config, const char* key, Index usual) {
  if (!config.has(key)) return Size{usual, usual, 0};
  const Json& value = config.fields().at(key);
  if (!value.is_object()) {
    HL_TRY(const Index side, config.whole(key, 1, largest_side));
    return Size{side, side, 0};
  }
  const ModelConfig fields(value, fmt::format("{}: {}", config.name(), key));
  if (fields.has("shortest_edge")) {
    HL_TRY(const Index side, fields.whole("shortest_edge", 1, largest_side));
    return Size{0, 0, side};
  }
  HL_TRY(const Index height, fields.whole("height", 1, largest_side));
  HL_TRY(const Index width, fields.whole("width", 1, largest_side));
  return Size{width, height, 0};
}

Status read_three(const ModelConfig& config, const char* key, double usual, std::array<double, 3>& into) {
  into.fill(usual);
  if (!config.has(key)) return {};
  const Json& list = config.fields().at(key);
  if (!list.is_array() || list.size() != 3 ||
      !std::ranges::all_of(list, [](const Json& number) { return number.is_number(); }))
    return fail("{}: {} must be three numbers", config.name(), key);
  for (std::size_t i = 0; i < 3; ++i) into[i] = list[i].get<double>();
  return {};
}

Result<ResizeFilter> filter_in(const ModelConfig& config) {
  HL_TRY(const Index number, config.whole("resample", 0, 5, 2));
  if (number == 0) return ResizeFilter::nearest;
  if (number == 2) return ResizeFilter::bilinear;
  if (number == 3) return ResizeFilter::bicubic;
  return fail("{}: resample {} is not one that Headlight has: 0 nearest, 2 bilinear, 3 bicubic", config.name(), number);
}

Image cropped(const Image& image, Index width, Index height) {
  Image result{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height))};
  const Index left = (image.width - width) / 2, top = (image.height - height) / 2;
  for (Index y = 0; y < height; ++y)
    std::copy_n(image.rgba.data() + 4 * ((top + y) * image.width + left), 4 * width,
                result.rgba.data() + 4 * y * width);
  return result;
}

}  // namespace

Result<PictureRules> picture_rules(const StoredModel& model) {
  PictureRules rules;
  const Index side = model.plan().image_size;
  const auto path = model.folder() / "preprocessor_config.json";
  std::error_code ignored;
  const bool there = std::filesystem::exists(path, ignored);
  if (!there)
    rules.notices.push_back(
        fmt::format("no preprocessor_config.json: assumed size {}, bilinear, mean and standard deviation 0.5", side));
  HL_TRY(const ModelConfig config,
         there ? read_rules(path) : Result<ModelConfig>(ModelConfig(Json::object(), one_line(utf8(path)))));
  HL_TRY(const bool resize, config.flag("do_resize", true));
  HL_TRY(const bool crop, config.flag("do_center_crop", false));
  HL_TRY(const bool rescale, config.flag("do_rescale", true));
  HL_TRY(const bool normalize, config.flag("do_normalize", true));
  HL_TRY(rules.filter, filter_in(config));
  if (resize) {
    HL_TRY(const Size size, size_in(config, "size", side));
    rules.width = size.width;
    rules.height = size.height;
    rules.shortest = size.shortest;
  }
  if (crop) {
    HL_TRY(const Size size, size_in(config, "crop_size", side));
    rules.crop_width = size.shortest > 0 ? size.shortest : size.width;
    rules.crop_height = size.shortest > 0 ? size.shortest : size.height;
  }
  HL_TRY(rules.scale, config.real("rescale_factor", 1.0 / 255));
  if (!rescale) rules.scale = 1;
  if (normalize) {
    HL_CHECK(read_three(config, "image_mean", 0.5, rules.mean));
    HL_CHECK(read_three(config, "image_std", 0.5, rules.deviation));
    if (std::ranges::count(rules.deviation, 0.0) > 0) return fail("{}: image_std holds 0", config.name());
  }
  return rules;
}

Result<Tensor> pixels_of(const std::filesystem::path& picture, const PictureRules& rules) {
  HL_TRY(Image image, read_image(picture));
  Index width = rules.width, height = rules.height;
  if (rules.shortest > 0) {
    const Index shorter = std::min(image.width, image.height);
    width = image.width * rules.shortest / shorter;
    height = image.height * rules.shortest / shorter;
    if (std::max(width, height) > largest_side * 16)
      return fail("{}: is {} × {}, too long for its width", one_line(utf8(picture)), image.width, image.height);
  }
  if (width > 0 && (width != image.width || height != image.height))
    image = filtered_resize(image, width, height, rules.filter);
  if (rules.crop_width > 0) {
    if (image.width < rules.crop_width || image.height < rules.crop_height)
      return fail("{}: is {} × {} once resized, less than the {} × {} that are cut out", one_line(utf8(picture)),
                  image.width, image.height, rules.crop_width, rules.crop_height);
    image = cropped(image, rules.crop_width, rules.crop_height);
  }
  Tensor pixels = Tensor::uninitialized({1, 3, image.height, image.width});
  const Index plane = image.width * image.height;
  for (Index c = 0; c < 3; ++c)
    for (Index i = 0; i < plane; ++i) {
      const auto channel = static_cast<std::size_t>(c);
      const double value = image.rgba[static_cast<std::size_t>(4 * i + c)] * rules.scale;
      pixels[c * plane + i] = static_cast<float>((value - rules.mean[channel]) / rules.deviation[channel]);
    }
  return pixels;
}

Image picture_of(const Tensor& pixels, Index item, const PictureRules& rules) {
  const Index height = pixels.dim(2), width = pixels.dim(3), plane = width * height;
  Image image = filled_image(width, height, {0, 0, 0, 255});
  for (Index c = 0; c < 3; ++c)
    for (Index i = 0; i < plane; ++i) {
      const auto channel = static_cast<std::size_t>(c);
      const double value = static_cast<double>(pixels[(item * 3 + c) * plane + i]) * rules.deviation[channel];
      const double byte = std::round((value + rules.mean[channel]) / rules.scale);
      image.rgba[static_cast<std::size_t>(4 * i + c)] = static_cast<std::uint8_t>(std::clamp(byte, 0.0, 255.0));
    }
  return image;
}

}  // namespace headlight
