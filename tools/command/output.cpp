// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace cli {

namespace {

int first_failure = 0;  // errno; stdio keeps no more than that there was one

void note_failure() {
  if (first_failure == 0) first_failure = errno;
}

std::string environment(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (vprintf(format, arguments) < 0) note_failure();
  va_end(arguments);
}

void write_bytes(const char* data, size_t size) {
  if (fwrite(data, 1, size, stdout) != size) note_failure();
}

void write_line(const std::string& text) {
  const std::string line = text + "\n";
  write_bytes(line.data(), line.size());
}

void flush_output() {
  if (fflush(stdout) != 0) note_failure();
}

bool output_failed() {
  return first_failure != 0;
}

void finish_output() {
  flush_output();
  if (output_failed())
    throw std::runtime_error(std::string("cannot write standard output: ") + strerror(first_failure));
}

std::string counted(int64_t n, const char* thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

bool can_draw(int descriptor) {
  return isatty(descriptor) != 0 && environment("TERM") != "dumb";
}

bool can_colour(int descriptor) {
  return can_draw(descriptor) && environment("NO_COLOR").empty();
}

}  // namespace cli
