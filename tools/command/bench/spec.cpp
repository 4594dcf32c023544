// SPDX-License-Identifier: Apache-2.0 OR MIT
// Speculative against plain decoding of one prompt: a text to be repeated, or the user's.
#include <algorithm>
#include <cstring>

#include "bench/bench.h"
#include "files.h"

namespace cli::bench {

namespace {

constexpr int64_t kMostNew = 128;
constexpr const char* kEcho =
    "Repeat the list below, line for line, without any change.\n\n"
    "1. The red lamp stands beside the window of the kitchen.\n"
    "2. The blue lamp stands beside the window of the bedroom.\n"
    "3. The green lamp stands beside the door of the kitchen.\n"
    "4. The white lamp stands beside the door of the bedroom.\n"
    "5. The old lamp stands in the hall, below the picture of the harbour.\n"
    "6. The new lamp stands in the hall, below the picture of the garden.\n"
    "7. The small lamp stands on the table, beside the book about the harbour.\n"
    "8. The large lamp stands on the floor, beside the book about the garden.\n";

std::string prompt_text(const std::string& file) {
  if (file.empty()) return kEcho;
  std::ifstream in = open_file(file);
  return read_all(in, file);
}

/// As a chat's message; as it is where the model has no chat format that is known.
std::vector<int32_t> prompt_tokens(const nxs_model* model, const std::string& text) {
  const nxs_message message = {"user", text.data(), text.size()};
  size_t n = 0;
  if (nxs_chat_format(nullptr, 0, &n, model, &message, 1, NXS_CHAT_REPLY, nullptr) == NXS_ERR_TEMPLATE) {
    return tokenize(model, text, NXS_TEXT_BOS);
  }
  return format_chat(model, nullptr, text);
}

}  // namespace

Round spec_round(const Environment& env) {
  const std::vector<int32_t> prompt = prompt_tokens(env.model, prompt_text(env.options.prompt_file));
  return [env, prompt](Measures& out) {
    nxs_decode_params params = greedy(kMostNew);
    params.flags = 0;  // a repetition ends where the text does
    const Result plain = decode_fresh(env, prompt, params), spec = decode_fresh(env, prompt, params, "spec");
    if (strcmp(nxs_result_receipt(plain.get()), nxs_result_receipt(spec.get())) != 0) {
      throw std::runtime_error("plain and speculative decoding differ; please run nxs selftest");
    }
    const nxs_stats &p = *nxs_result_stats(plain.get()), &s = *nxs_result_stats(spec.get());
    if (s.n_emitted < 1) throw std::runtime_error("the model's reply to the prompt is empty");
    const auto n = static_cast<double>(s.n_emitted);
    out.add("spec/plain", "tokens/s", n / p.decode_seconds);
    out.add("spec/spec", "tokens/s", n / s.decode_seconds);
    out.add("spec/ratio", "times plain", p.decode_seconds / s.decode_seconds);
    const auto rows = static_cast<double>(s.n_rows - (s.n_prompt - s.n_reused));
    const double forwards = std::max(1.0, rows - static_cast<double>(s.n_drafted));
    out.add("spec/tokens", "a forward", n / forwards);
    out.add("spec/rows", "a forward", rows / forwards);
    out.add("spec/accepted", "of those drafted",
            static_cast<double>(s.n_accepted) / std::max(1.0, static_cast<double>(s.n_drafted)));
  };
}

}  // namespace cli::bench
