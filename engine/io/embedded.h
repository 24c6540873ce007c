// Files that stand in an experiment itself, read like files on the disk as long as somebody holds them.
//
// Each has a path at which nothing can lie on a disk; InputFile::open() knows it, so every reader of a format reads
// them. Not for how they stand in an experiment: experiment_inputs.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace headlight {

struct EmbeddedFile {
  std::string name;    // "pictures/cat.png": relative, within the folder
  std::string bytes;   // as on a disk
  std::string path;    // absolute; another one for other bytes or another name
  std::string base64;  // of the bytes: experiments are written again and again
};

// The same file where there is one of that name and those bytes.
std::shared_ptr<const EmbeddedFile> embed_file(std::string name, std::string bytes);

// What lies at a path; null where that is no path of an embedded file, or nobody holds it any more.
std::shared_ptr<const EmbeddedFile> embedded_file(std::string_view path);

// The name of an embedded file by its path, whether anybody holds it or not; empty for a path on a disk.
std::string_view embedded_name(std::string_view path);

}  // namespace headlight
