// The document that is open: loading another, going back over that, telling whether it has unsaved changes.
//
// Not for files: session.h reads and writes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>

#include "app/model/model.h"

namespace headlight::app {

// Of one layer, or of a model of many.
using AnyExperiment = std::variant<Experiment, ModelExperiment>;
// Shows the experiment in place of what is open. Undo brings that back, its file with it.
void load(Model& model, AnyExperiment experiment, std::filesystem::path path);
// Looks at its first input with nothing pinned, as a window does that opens on the built-in example.
void begin_at_first_step(Model& model);
// The same as the first that is shown: nothing to go back to.
void load_first(Model& model, AnyExperiment experiment, std::filesystem::path path);

// Shows a part of a network that learns; what is to be learned stays. `before`: what Compare holds as A.
void show_trained(Model& model, Experiment part, const std::string& called,
                  std::shared_ptr<const Experiment> before = nullptr);

// Shows a layer of the network that is open, or the network again. Undo goes back over it.
void show_layer(Model& model, Experiment layer, const std::string& called);
void show_network_again(Model& model);

// What Model::text() is.
std::string text_of(const Document& document);
// The network as it is saved, with its view.
ModelExperiment with_view(const Network& network);

// Takes the newest entry of `from`, which leaves what was shown in `to`.
void go(Model& model, std::deque<HistoryEntry>& from, std::deque<HistoryEntry>& to);

// What a file keeps of a look, and the look that a file asks for.
View view_of(const Look& look);
Look look_of(const View& view);

// The document as it is saved, with its view.
Experiment with_view(const Document& document);

// Tells one state of a file from another: when it was written, and how long it is; empty where there is none.
std::string stamp_of(const std::filesystem::path& path);

// Whether both are the same file, be it by another path.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// What undo keeps, and how much memory that may take.

inline constexpr std::size_t longest_history = 4000;                    // entries
inline constexpr std::size_t largest_history = std::size_t{256} << 20;  // bytes

// Adds the newest entry, which stays whatever it holds, and drops the oldest beyond those bounds. Nothing is left to
// redo.
void push(Model& model, HistoryEntry entry, bool open);

// Bytes that entries of undo hold besides the document; what they share is counted once.
std::size_t bytes_held(const Model& model);

}  // namespace headlight::app
