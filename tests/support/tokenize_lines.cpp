// SPDX-License-Identifier: Apache-2.0 OR MIT
// tokenize_lines MODEL [special]: reads strings from standard input, each behind its length (u32, little-endian), and
// prints one line of token ids for each. Bytes that the vocabulary lacks are dropped. The peer test compares the lines
// with another tokenizer's.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/status.h"
#include "gguf/gguf.h"
#include "text/tokenizer.h"

namespace {

bool read_string(std::string& text) {
  unsigned char head[4];
  if (std::fread(head, 1, 4, stdin) != 4) return false;
  text.resize(static_cast<size_t>(head[0]) | static_cast<size_t>(head[1]) << 8 | static_cast<size_t>(head[2]) << 16 |
              static_cast<size_t>(head[3]) << 24);
  return std::fread(text.data(), 1, text.size(), stdin) == text.size();
}

void run(const char* path, bool special) {
  const auto source = nxs::open_file(path);
  const nxs::text::Tokenizer tokenizer(nxs::text::Vocabulary::read(nxs::gguf::File::parse(*source)));
  std::string text;
  std::vector<int32_t> tokens;
  while (read_string(text)) {
    tokens.clear();
    tokenizer.encode(tokens, text, {.special = special, .bos = false, .drop = true});
    for (const int32_t token : tokens) std::printf("%d ", token);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    run(argv[1], argc > 2 && std::strcmp(argv[2], "special") == 0);
    return 0;
  } catch (const nxs::Error& error) {
    std::fprintf(stderr, "%s\n", error.message);
    return 1;
  }
}
