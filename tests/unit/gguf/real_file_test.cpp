// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: gguf_real_file MODEL. The header of SmolLM2-135M-Instruct in Q4_1, against what other readers say of it.
#include <cstdio>

#include "gguf/gguf.h"
#include "support/error_of.h"

namespace {

int failures = 0;

void check(bool ok, const char* what) {
  std::printf("%s: %s\n", ok ? "ok" : "FAILED", what);
  if (!ok) ++failures;
}

void check_header(const nxs::gguf::File& file) {
  check(file.values().size() == 33, "33 key-value pairs");
  check(file.tensors().size() == 272, "272 tensors");
  check(file.required_string("general.architecture") == "llama", "general.architecture");
  check(file.required_uint("llama.context_length") == 8192, "llama.context_length");
  check(file.real("llama.rope.freq_base") == 100000.0, "llama.rope.freq_base");
  check(file.boolean("tokenizer.ggml.add_bos_token") == false, "tokenizer.ggml.add_bos_token");
  check(file.required_strings("tokenizer.ggml.tokens").size() == 49152, "49152 tokens");
  check(file.required_strings("tokenizer.ggml.merges").size() == 48900, "48900 merges");
  check(file.integers("tokenizer.ggml.token_type")->front() == 3, "the first token is a control token");
  const nxs::gguf::TensorInfo* embedding = file.find_tensor("token_embd.weight");
  check(embedding != nullptr && embedding->bytes == 30081024, "bytes of token_embd.weight");
  const nxs::gguf::TensorInfo* down = file.find_tensor("blk.0.ffn_down.weight");
  check(embedding != nullptr && down != nullptr && down->offset - embedding->offset == 30083328,
        "distance of blk.0.ffn_down.weight from it");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const nxs::test::Thrown thrown =
      nxs::test::error_of([&] { check_header(nxs::gguf::File::parse(*nxs::open_file(argv[1]))); });
  if (thrown.status != nxs::Status::kOk) std::printf("FAILED: %s\n", thrown.message.c_str());
  return failures == 0 && thrown.status == nxs::Status::kOk ? 0 : 1;
}
