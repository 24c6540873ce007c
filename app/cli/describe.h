// headlight describe: a step of an experiment in a few sentences.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight::app {

struct DescribeOptions {
  std::filesystem::path experiment;
  std::string step;  // empty: the view's
  std::optional<Index> head, batch, query, key, channel;
  bool quiet = false;
};

void add_describe(CLI::App* command, DescribeOptions& options);
// Prints the sentences. Errors: as of runs; no such step, head, item, query, key or channel.
Status describe_command(const DescribeOptions& options);

}  // namespace headlight::app
