// A folder with the smallest GPT-2 of the reference cases, and a tokenizer of its eleven tokens.
#pragma once

#include <fstream>

#include "app/session/opening.h"
#include "tests/scratch.h"

namespace headlight::app {

struct ModelFolder : Scratch {
  std::filesystem::path model = *this / "gpt2";

  ModelFolder() {
    namespace fs = std::filesystem;
    fs::create_directory(model);
    for (const char* name : {"config.json", "model.safetensors"})
      fs::copy_file(fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models/gpt2" / name, model / name);
    // Letters, and one for a space.
    std::ofstream(model / "tokenizer.json")
        << R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7,
               "i": 8, "j": 9, "Ġ": 10}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel",
               "add_prefix_space": false, "use_regex": true}, "decoder": {"type": "ByteLevel"}})";
  }
  ModelExperiment reads(const char* text) const { return *experiment_of_folder(model, GivenInput{text, {}, "", ""}); }
};

}  // namespace headlight::app
