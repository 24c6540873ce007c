// The config.json of a model's folder: its fields as types, with errors that name the file and the field.
//
// Not for what the fields mean to an architecture: plan.h.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace headlight {

class ModelConfig {
 public:
  // FOLDER/config.json; errors begin with its path.
  static Result<ModelConfig> read(const std::filesystem::path& folder);
  ModelConfig(nlohmann::ordered_json fields, std::string name) : fields_(std::move(fields)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }  // of the file, for messages
  // model_type; empty where it says none.
  std::string type() const;
  // Whether it says anything but null.
  bool has(const char* key) const { return fields_.contains(key) && !fields_.at(key).is_null(); }
  const nlohmann::ordered_json& fields() const { return fields_; }

  // A field as a type; without a fallback it must be there.
  Result<Index> whole(const char* key, Index least, Index most, std::optional<Index> fallback = {}) const;
  // Above 0.
  Result<double> real(const char* key, double fallback) const;
  Result<bool> flag(const char* key, bool fallback) const;
  Result<std::string> word(const char* key, const char* fallback) const;
  // The parameter ffn_activation for what frameworks call their activations.
  Result<std::string> activation(const char* key, const char* fallback) const;
  // Numbers and words that were asked for and are not there, with what stands in their place: "rope_theta 10000".
  const std::vector<std::string>& assumed() const { return assumed_; }
  // An error where a flag is set that means something this program does not run.
  Status refuse(const char* key) const;

 private:
  nlohmann::ordered_json fields_;
  std::string name_;
  mutable std::vector<std::string> assumed_;
};

// Extents that no model reaches: beyond them a config is false.
inline constexpr Index most_layers_of_model = 512, most_heads = 1024, widest = Index{1} << 20,
                       largest_vocabulary = (Index{1} << 24) - 1, most_tokens = 65536;

}  // namespace headlight
