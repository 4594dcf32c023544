// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: write_tiny_model PATH [NAME=VALUE...]. Writes a tiny model as a GGUF file, for tests that see only the
// library's header. Names: seed, n_vocab, n_ctx, echo, type (f32, f16, q8_0, q4_0, q4_1, q5_0, q5_1; q4_k, q5_k and
// q6_k make it wider).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/status.h"
#include "selftest/tiny_model.h"

namespace {

using nxs::tensor::DType;

bool set_type(nxs::selftest::TinyModelOptions& options, const std::string& value) {
  constexpr std::pair<const char*, DType> kTypes[] = {
      {"f32", DType::kF32},   {"f16", DType::kF16},   {"q8_0", DType::kQ8_0}, {"q4_0", DType::kQ4_0},
      {"q4_1", DType::kQ4_1}, {"q5_0", DType::kQ5_0}, {"q5_1", DType::kQ5_1}, {"q4_k", DType::kQ4_K},
      {"q5_k", DType::kQ5_K}, {"q6_k", DType::kQ6_K}};
  for (const auto& [name, type] : kTypes) {
    if (value != name) continue;
    options.layers = options.head = type;
    if (nxs::tensor::info(type).block_elems == 256) options.n_embd = options.n_ff = 256;
    return true;
  }
  return false;
}

bool set_option(nxs::selftest::TinyModelOptions& options, const char* argument) {
  const char* equals = std::strchr(argument, '=');
  if (equals == nullptr) return false;
  const std::string name(argument, equals), value(equals + 1);
  if (name == "type") return set_type(options, value);
  if (name == "echo") {
    options.echo = std::strtof(value.c_str(), nullptr);
    return true;
  }
  const auto number = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
  if (name == "seed") options.seed = number;
  if (name == "n_vocab") options.n_vocab = number;
  if (name == "n_ctx") options.n_ctx = number;
  return name == "seed" || name == "n_vocab" || name == "n_ctx";
}

}  // namespace

int main(int argc, char** argv) {
  nxs::selftest::TinyModelOptions options;
  bool good = argc >= 2;
  for (int i = 2; i < argc && good; ++i) good = set_option(options, argv[i]);
  if (!good) {
    std::fprintf(stderr, "usage: write_tiny_model PATH [NAME=VALUE...]\n");
    return 2;
  }
  std::vector<uint8_t> bytes;
  try {
    bytes = nxs::selftest::tiny_model(options);
  } catch (const nxs::Error& e) {
    std::fprintf(stderr, "write_tiny_model: %s\n", e.message);
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
