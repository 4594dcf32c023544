// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "files.h"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace cli {

std::ifstream open_file(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw std::runtime_error(path + ": is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  return in;
}

std::string read_all(std::istream& in, const std::string& name) {
  std::string text;
  bool failed = false;
  try {
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  } catch (const std::ios_base::failure&) {  // names a function of the standard library
    failed = true;
  }
  // Standard input says its failures to stdio alone.
  if (failed || in.bad() || (&in == &std::cin && ferror(stdin) != 0)) throw std::runtime_error("cannot read " + name);
  return text;
}

}  // namespace cli
