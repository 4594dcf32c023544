// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "options.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>

#include "files.h"
#include "validators.h"

namespace cli {

namespace {

const std::map<std::string, uint32_t> kIsas = {{"best", NXS_ISA_BEST},
                                               {"reference", NXS_ISA_REFERENCE},
                                               {"avx2", NXS_ISA_AVX2},
                                               {"avx512", NXS_ISA_AVX512},
                                               {"neon", NXS_ISA_NEON}};

/// Calls `fill(data, capacity, &n)` twice: for the size, then for the tokens.
template <typename Fill>
std::vector<int32_t> sized(Fill&& fill) {
  size_t n = 0;
  fill(nullptr, 0, &n);
  std::vector<int32_t> tokens(n);
  if (n) fill(tokens.data(), tokens.size(), &n);
  return tokens;
}

}  // namespace

void TextInput::add_to(CLI::App& app, const char* name, const char* help) {
  auto* positional = app.add_option(name, text, help);
  auto* option = app.add_option("-f,--file", file, "Read it from FILE instead, every byte");
  option->type_name("FILE")->excludes(positional);
  app.parse_complete_callback([this, positional, option] {
    given = positional->count() > 0;
    from_file = option->count() > 0;
  });
}

std::string TextInput::read() const {
  if (from_file) {
    std::ifstream in = open_file(file);
    return read_all(in, file);
  }
  if (given && text != "-") return text;
  if (isatty(STDIN_FILENO) != 0) fputs("nxs: reading standard input until Ctrl-D\n", stderr);
  return read_all(std::cin, "standard input");
}

void SessionOptions::add_to(CLI::App& app) {
  add_whole(app, "-t,--threads", threads, "Threads; 0 = physical cores this process may use", 0U, 1024U);
  app.add_option("--isa", isa, "Instruction set; one that the CPU lacks is an error")
      ->check(CLI::IsMember({"best", "reference", "avx2", "avx512", "neon"}))
      ->capture_default_str();
  app.add_option("--page", page, "Tokens in a KV page")
      ->check(CLI::IsMember(std::set<uint32_t>{1, 2, 4, 8, 16, 32, 64, 128, 256}))
      ->transform(whole<uint32_t>())  // before the other
      ->capture_default_str();
  add_whole(app, "--prefill-chunk", prefill_chunk, "Most rows of one forward while prefilling", 1U, 65536U);
  add_whole(app, "--context", context, "Longest sequence in tokens; 0 = the model's", int64_t{0});
  add_whole(app, "--kv-tokens", kv_tokens, "Tokens that the KV pool holds; 0 = grow as needed", int64_t{0},
            int64_t{1} << 40);
}

void SessionOptions::add_kv_to(CLI::App& app) {
  app.add_option("--kv", kv, "Type of keys and values; changes the bits, and so the receipt")
      ->check(CLI::IsMember({"f16", "f32"}))
      ->capture_default_str();
}

void SamplingOptions::add_to(CLI::App& app) {
  const auto add = [&](const char* name, auto& value, const CLI::Validator& valid, const char* help) {
    app.add_option(name, value, help)->check(valid)->capture_default_str();
  };
  add("--temp", temperature, not_negative(), "Temperature; 0 = greedy");
  add_whole(app, "--top-k", top_k, "Draw from the K largest; 0 = off", 0);
  add("--top-p", top_p, from_0_to_1(), "Draw from the fewest that have this share; 1 = off");
  add("--min-p", min_p, from_0_to_1(), "Least probability beside the largest one's; 0 = off");
  add_whole(app, "--seed", seed, "Decides the draws");
  add("--repeat-penalty", repeat_penalty, positive(), "Penalty of the last tokens; 1 = off");
  add_whole(app, "--repeat-last", repeat_last, "How many last tokens it looks at", 0);
}

void SamplingOptions::apply(nxs_decode_params& params) const {
  params.temperature = temperature;
  params.top_k = top_k;
  params.top_p = top_p;
  params.min_p = min_p;
  params.seed = seed;
  params.repeat_penalty = repeat_penalty;
  params.repeat_last = repeat_last;
}

nxs_session_params SessionOptions::params() const {
  nxs_session_params params;
  nxs_session_params_init(&params, sizeof params);
  params.n_threads = threads;
  params.isa = kIsas.at(isa);
  params.kv_type = kv == "f32" ? NXS_KV_F32 : NXS_KV_F16;
  params.page_tokens = page;
  params.prefill_chunk = prefill_chunk;
  params.n_ctx = context;
  params.kv_tokens = kv_tokens;
  return params;
}

const char* isa_name(uint32_t isa) {
  for (const auto& [name, number] : kIsas) {
    if (number == isa) return name.c_str();
  }
  return "unknown";
}

OpenedModel open_model(const std::string& path, uint32_t threads) {
  const auto start = std::chrono::steady_clock::now();
  nxs_model_params params;
  nxs_model_params_init(&params, sizeof params);
  params.n_threads = threads;
  nxs_model* model = nullptr;
  nxs_error error;
  check(nxs_model_open(&model, path.c_str(), &params, &error), error);
  return {Model(model), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

Session open_session(const nxs_model* model, const nxs_session_params& params) {
  nxs_session* session = nullptr;
  nxs_error error;
  check(nxs_session_open(&session, model, &params, &error), error);
  return Session(session);
}

Seq new_sequence(nxs_session* session, const std::vector<std::string>& stops) {
  nxs_seq* seq = nullptr;
  nxs_error error;
  check(nxs_seq_new(&seq, session, &error), error);
  Seq owner(seq);
  for (const std::string& stop : stops) check(nxs_seq_add_stop(seq, stop.data(), stop.size(), &error), error);
  return owner;
}

std::vector<int32_t> tokenize(const nxs_model* model, const std::string& text, uint32_t flags) {
  return sized([&](int32_t* data, size_t capacity, size_t* n) {
    nxs_error error;
    check(nxs_tokenize(data, capacity, n, nullptr, model, text.data(), text.size(), flags, &error), error);
  });
}

std::vector<int32_t> format_chat(const nxs_model* model, const std::string* system, const std::string& user) {
  std::vector<nxs_message> messages;
  if (system) messages.push_back({"system", system->data(), system->size()});
  messages.push_back({"user", user.data(), user.size()});
  return sized([&](int32_t* data, size_t capacity, size_t* n) {
    nxs_error error;
    check(nxs_chat_format(data, capacity, n, model, messages.data(), messages.size(), NXS_CHAT_REPLY, &error), error);
  });
}

}  // namespace cli
