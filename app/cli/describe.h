// headlight describe: a step of an experiment, its heads or what it differs by from another, or a model, in a few
// sentences.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "engine/base/result.h"
#include "engine/core/tensor.h"

namespace headlight::app {

struct DescribeOptions {
  std::filesystem::path experiment;
  std::string step;  // empty: the view's
  std::optional<Index> head, batch, query, key, channel;
  bool heads = false;             // what heads do, by their measures, in place of a step
  std::filesystem::path against;  // A, which the experiment is compared with; empty: none
  GivenInput given;               // what a model reads
  bool quiet = false;
};

void add_describe(CLI::App* command, DescribeOptions& options);
// Prints the sentences. Errors: as of runs; no such step, head, item, query, key or channel.
Status describe_command(const DescribeOptions& options);

}  // namespace headlight::app
