// SPDX-License-Identifier: Apache-2.0 OR MIT
// Logits of llama.cpp for given tokens: peer_logits MODEL f16|f32 TOKENS OUT. TOKENS has ids separated by spaces; OUT
// gets one row of n_vocab floats for each token. Built by compare_logits.sh against the peer, never by the project's
// own build.
#include <llama.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::ifstream in(argv[3]);
  std::vector<llama_token> tokens{std::istream_iterator<llama_token>(in), {}};
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  llama_model* model = llama_model_load_from_file(argv[1], llama_model_default_params());
  if (!model || tokens.empty()) return 1;
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(tokens.size()) + 64;
  params.n_batch = params.n_ubatch = 512;
  params.n_threads = params.n_threads_batch = 2;
  params.type_k = params.type_v = std::string(argv[2]) == "f32" ? GGML_TYPE_F32 : GGML_TYPE_F16;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  llama_context* context = llama_init_from_model(model, params);
  if (!context) return 1;
  const auto n_vocab = static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model)));
  std::ofstream out(argv[4], std::ios::binary);
  for (llama_token& token : tokens) {  // one row at a time: what its own decoding computes
    if (llama_decode(context, llama_batch_get_one(&token, 1)) != 0) return 1;
    out.write(reinterpret_cast<const char*>(llama_get_logits_ith(context, -1)),
              static_cast<std::streamsize>(n_vocab * sizeof(float)));
  }
  llama_free(context);
  llama_model_free(model);
  return out.good() ? 0 : 1;
}
