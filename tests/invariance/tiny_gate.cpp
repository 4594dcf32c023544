// SPDX-License-Identifier: Apache-2.0 OR MIT
// The promise on tiny models: speculative equals plain, greedy and sampled, in tokens and receipts, over the full
// product of settings.
//
//   tiny_gate [--prompts N]   N random prompts in all (2,000 by default) share out the product; the short form of CI
//   takes fewer,
//                             and then walks the product in steps, so that all values still meet.
#include <cstring>
#include <numeric>
#include <string>

#include "invariance/positions.h"
#include "invariance/settings.h"
#include "selftest/tiny_model.h"
#include "tensor/packed.h"

using namespace nxs::test;

namespace {

constexpr int64_t kContext = 2048;

/// A small counter-based generator, so that prompt number p is the same in the long and the short form.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Mostly short; every tenth crosses 512 tokens, every twentieth 1,024. Small alphabets make repeats, and so drafts.
std::vector<int32_t> random_prompt(size_t number) {
  const uint64_t seed = mix(number);
  size_t length = 1 + seed % 90;
  if (number % 10 == 9) length = 490 + seed % 40;
  if (number % 20 == 19) length = 1000 + seed % 50;
  const uint64_t alphabet = number % 3 == 0 ? 250 : 2 + (seed >> 32) % 12;
  std::vector<int32_t> prompt(length);
  for (size_t i = 0; i < length; ++i) prompt[i] = static_cast<int32_t>(mix(seed + i) % alphabet + 1);
  return prompt;
}

/// Mostly greedy; every sixteenth prompt samples, each time in another way.
nxs_decode_params params_of(size_t number) {
  nxs_decode_params params = greedy(24 + static_cast<int64_t>(number % 17));
  if (number % 16 != 5) return params;
  const uint64_t r = mix(number);
  params.seed = static_cast<int64_t>(r);
  params.temperature = static_cast<float>(r % 40) * 0.05f;  // 0 now and then
  if (r >> 8 & 1) params.top_k = static_cast<int32_t>(r >> 16 & 63);
  if (r >> 9 & 1) params.top_p = 0.9f;
  if (r >> 10 & 1) params.min_p = 0.02f;
  if (r >> 11 & 1) params.repeat_penalty = 1.1f;
  params.repeat_last = static_cast<int32_t>(r >> 24 & 127);
  return params;
}

struct Gate {
  std::vector<Runner> runners;  // one for each format of weights; prompts take turns
  std::vector<uint32_t> isas;
  std::vector<size_t> levels = factor_levels(isas.size());
  CountingLookup counting{8, 2, 1};
  size_t n_compared = 0, n_failed = 0;
  int64_t n_accepted = 0, n_drafted = 0;

  void compare(size_t number, const Settings& settings, const Outcome& expected, const Outcome& got) {
    ++n_compared;
    n_accepted += got.n_accepted;
    n_drafted += got.n_drafted;
    if (got.tokens == expected.tokens && got.receipt == expected.receipt) return;
    if (++n_failed <= 10) fprintf(stderr, "prompt %zu differs under %s\n", number, settings.text().c_str());
  }

  /// One prompt under `n_rows` rows of the product, from number `first` in steps.
  void run_prompt(size_t number, size_t first, size_t n_rows, size_t step, size_t n_product) {
    Runner& runner = runners[number % runners.size()];
    const std::vector<int32_t> prompt = random_prompt(number);
    const nxs_decode_params params = params_of(number);
    const uint32_t kv = number % 4 == 3 ? NXS_KV_F32 : NXS_KV_F16;
    const Outcome plain = runner.plain(prompt, params, kv);
    for (size_t i = 0; i < n_rows; ++i) {
      const Settings settings = settings_at(product_row((first + i) * step % n_product, levels), isas);
      compare(number, settings, plain, runner.speculative(prompt, params, kv, settings));
    }
    compare_with_scan(runner, number, prompt, params, kv, plain);
  }

  /// The scan and the index must draft the same; on the way, positions are counted.
  void compare_with_scan(Runner& runner, size_t number, const std::vector<int32_t>& prompt,
                         const nxs_decode_params& params, uint32_t kv, const Outcome& plain) {
    Settings settings = kBaseline;
    settings.draft = 8;
    settings.ngram_max = 2;
    settings.ngram_min = 1;
    counting.new_run();
    const Outcome scanned = runner.drafted(prompt, params, kv, settings, counting.drafter());
    compare(number, settings, plain, scanned);
    const Outcome indexed = runner.speculative(prompt, params, kv, settings);
    if (indexed.n_drafted == scanned.n_drafted && indexed.n_accepted == scanned.n_accepted &&
        indexed.n_rows == scanned.n_rows)
      return;
    if (++n_failed <= 10) fprintf(stderr, "prompt %zu: the index drafts otherwise than a scan\n", number);
  }
};

/// A model for each format of weights, the head in another format.
std::vector<Model> tiny_models() {
  using nxs::tensor::DType;
  std::vector<Model> models;
  for (const auto& [layers, head] : {std::pair{DType::kQ4_1, DType::kQ8_0},
                                     {DType::kF32, DType::kF32},
                                     {DType::kQ8_0, DType::kF16},
                                     {DType::kQ4_0, DType::kQ4_1},
                                     {DType::kF16, DType::kQ4_0},
                                     {DType::kQ5_0, DType::kQ5_1},
                                     {DType::kQ5_1, DType::kQ5_0},
                                     {DType::kQ4_K, DType::kQ6_K},
                                     {DType::kQ5_K, DType::kQ4_K},
                                     {DType::kQ6_K, DType::kQ5_0},
                                     {DType::kBF16, DType::kBF16}}) {
    nxs::selftest::TinyModelOptions options;
    options.layers = layers;
    options.head = head;
    if (nxs::tensor::info(layers).block_elems == nxs::tensor::kBlockK) options.n_embd = options.n_ff = 256;
    const std::vector<uint8_t> bytes = nxs::selftest::tiny_model(options);
    nxs_model* model = nullptr;
    nxs_error error;
    must(nxs_model_open_memory(&model, bytes.data(), bytes.size(), nullptr, &error), error, "nxs_model_open_memory");
    models.emplace_back(model);
  }
  return models;
}

/// A step that shares no factor with n: the walk meets every row once before it repeats.
size_t coprime_step(size_t n) {
  size_t step = n * 618 / 1000 + 1;
  while (std::gcd(step, n) != 1) ++step;
  return step;
}

}  // namespace

int main(int argc, char** argv) {
  size_t n_prompts = 2000;
  if (argc == 3 && !strcmp(argv[1], "--prompts")) n_prompts = std::stoul(argv[2]);

  const std::vector<Model> models = tiny_models();
  std::vector<Runner> runners;
  for (const Model& model : models) runners.emplace_back(model.get(), kContext);
  Gate gate{std::move(runners), usable_isas(models[0].get())};
  size_t n_product = 1;
  for (size_t n : gate.levels) n_product *= n;

  const size_t step = coprime_step(n_product);
  const size_t per_prompt = (n_product + 1999) / 2000;  // so that 2,000 prompts meet the whole product
  for (size_t p = 0; p < n_prompts; ++p) gate.run_prompt(p, p * per_prompt, per_prompt, step, n_product);

  printf("%zu prompts, %zu instruction sets, %zu comparisons, %zu different; %lld of %lld drafted tokens accepted\n",
         n_prompts, gate.isas.size(), gate.n_compared, gate.n_failed, static_cast<long long>(gate.n_accepted),
         static_cast<long long>(gate.n_drafted));
  bool met_all = true;
  for (size_t p = 0; p < 8; ++p) {
    printf("position %zu: accepted %lld times, rejected %lld times\n", p,
           static_cast<long long>(gate.counting.accepted[p]), static_cast<long long>(gate.counting.rejected[p]));
    met_all = met_all && gate.counting.accepted[p] > 0 && gate.counting.rejected[p] > 0;
  }
  if (!met_all) fprintf(stderr, "a position was never accepted or never rejected: the gate shows too little\n");
  return gate.n_failed == 0 && met_all ? 0 : 1;
}
