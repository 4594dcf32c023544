// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two engines in one process: libnxs, by dlopen, beside a linked libllama, on the same file. Each decodes alone, both
// by turns, both at once from two threads; each must give what it gives alone, and closing one leaves the other at
// work.
//   together LIBNXS MODEL
// Built by together.sh against the peer, never by the project's own build.
#include <dirent.h>
#include <dlfcn.h>
#include <llama.h>
#include <nxs.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kNew = 24;
const std::vector<int32_t> kPrompt = {504, 2644, 314, 260, 1829, 30, 378, 2644, 314, 260, 1829, 30, 378, 2644};

void expect(bool good, const std::string& what) {
  if (good) return;
  fprintf(stderr, "together: %s\n", what.c_str());
  exit(1);
}

size_t count_threads() {
  size_t n = 0;
  DIR* folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) n += entry->d_name[0] != '.';
  closedir(folder);
  return n;
}

class Llama {
 public:
  explicit Llama(const char* file) {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_backend_init();
    model_ = llama_model_load_from_file(file, llama_model_default_params());
    expect(model_ != nullptr, "libllama opens no model");
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 512;
    params.n_threads = params.n_threads_batch = 2;
    context_ = llama_init_from_model(model_, params);
    expect(context_ != nullptr, "libllama makes no context");
  }
  ~Llama() {
    llama_free(context_);
    llama_model_free(model_);
    llama_backend_free();
  }

  /// The greedy continuation; between tokens calls `turn`.
  template <typename Turn>
  std::vector<int32_t> decode(Turn turn) {
    llama_memory_clear(llama_get_memory(context_), true);
    std::vector<llama_token> tokens = kPrompt, out;
    while (out.size() < kNew) {
      const auto n = static_cast<int32_t>(tokens.size());
      expect(llama_decode(context_, llama_batch_get_one(tokens.data(), n)) == 0, "llama_decode failed");
      const float* logits = llama_get_logits_ith(context_, -1);
      const int32_t n_vocab = llama_vocab_n_tokens(llama_model_get_vocab(model_));
      llama_token best = 0;
      for (llama_token t = 1; t < n_vocab; ++t) best = logits[t] > logits[best] ? t : best;
      out.push_back(best);
      tokens = {best};
      turn();
    }
    return out;
  }

 private:
  llama_model* model_;
  llama_context* context_;
};

/// The library by its path, and one session.
class Nxs {
 public:
  Nxs(const char* library, const char* file) : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    expect(library_ != nullptr, library);
    call<decltype(nxs_model_open)>("nxs_model_open", &model_, file, nullptr, &error_);
    call<decltype(nxs_session_open)>("nxs_session_open", &session_, model_, nullptr, &error_);
  }
  ~Nxs() {
    symbol<decltype(nxs_session_close)>("nxs_session_close")(session_);
    symbol<decltype(nxs_model_close)>("nxs_model_close")(model_);
    expect(dlclose(library_) == 0, "dlclose");
  }

  /// The receipt of a speculative run.
  std::string decode() {
    nxs_decode_params params;
    symbol<decltype(nxs_decode_params_init)>("nxs_decode_params_init")(&params, sizeof params);
    params.max_new = kNew;
    nxs_seq* seq = nullptr;
    nxs_result* result = nullptr;
    call<decltype(nxs_seq_new)>("nxs_seq_new", &seq, session_, &error_);
    call<decltype(nxs_spec_decode)>("nxs_spec_decode", &result, seq, kPrompt.data(), kPrompt.size(), &params, nullptr,
                                    nullptr, nullptr, &error_);
    const std::string receipt = symbol<decltype(nxs_result_receipt)>("nxs_result_receipt")(result);
    symbol<decltype(nxs_result_close)>("nxs_result_close")(result);
    symbol<decltype(nxs_seq_close)>("nxs_seq_close")(seq);
    return receipt;
  }

 private:
  template <typename F>
  F* symbol(const char* name) const {
    void* found = dlsym(library_, name);
    expect(found != nullptr, name);
    F* function;
    memcpy(&function, &found, sizeof function);
    return function;
  }
  template <typename F, typename... Arguments>
  void call(const char* name, Arguments... arguments) {
    expect(symbol<F>(name)(arguments...) == NXS_OK, std::string(name) + ": " + error_.message);
  }

  void* library_;
  nxs_model* model_ = nullptr;
  nxs_session* session_ = nullptr;
  nxs_error error_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Llama llama(argv[2]);
  const std::vector<int32_t> tokens = llama.decode([] {});
  const size_t threads = count_threads();
  {
    Nxs nxs(argv[1], argv[2]);
    const std::string receipt = nxs.decode();
    expect(llama.decode([&] { expect(nxs.decode() == receipt, "nxs differs by turns"); }) == tokens,
           "libllama differs by turns");
    std::thread other([&] {
      for (int i = 0; i < 8; ++i) expect(nxs.decode() == receipt, "nxs differs beside libllama");
    });
    for (int i = 0; i < 4; ++i) expect(llama.decode([] {}) == tokens, "libllama differs beside nxs");
    other.join();
  }
  expect(count_threads() == threads, "nxs left a thread");
  expect(llama.decode([] {}) == tokens, "libllama differs after nxs is gone");
  printf("libnxs and libllama in one process: each as alone, no thread left\n");
}
