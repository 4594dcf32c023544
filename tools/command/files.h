// SPDX-License-Identifier: Apache-2.0 OR MIT
// Files that the command reads itself. Failures are std::runtime_error with the file's name.
#pragma once

#include <fstream>
#include <string>

namespace cli {

/// A file to be read, every byte; a directory is none, though it can be opened.
std::ifstream open_file(const std::string& path);
/// What is left of it; `name` is for messages.
std::string read_all(std::istream& in, const std::string& name);

}  // namespace cli
