// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/selftest.h"

#include <cinttypes>
#include <string>
#include <vector>

#include "base/source.h"
#include "base/status.h"
#include "decode/run.h"
#include "kernels/dispatch.h"
#include "selftest/kernel_trial.h"
#include "selftest/tiny_model.h"

namespace nxs::selftest {

namespace {

constexpr kernels::Isa kIsas[] = {kernels::Isa::kReference, kernels::Isa::kAvx2, kernels::Isa::kAvx512,
                                  kernels::Isa::kNeon};

/// Enters the definition's results into the digest, so that machines without any other ISA have the same one.
void check_kernel(const NamedTrial& kernel, uint64_t seed, Hasher& hasher) {
  Trial want(*kernels::portable_table(), seed);
  kernel.run(want);
  hasher.bytes(want.results.data(), want.results.size());
  for (const kernels::Isa isa : kIsas) {
    const kernels::Kernels* table = kernels::table(isa);
    if (table == nullptr) continue;
    Trial got(*table, seed);
    kernel.run(got);
    if (got.results != want.results) {
      fail(Status::kSelftest, "kernel %s, %s: differs from its definition (%s; seed %" PRIu64 ")", kernel.kernel,
           kernels::isa_name(isa), want.shape, seed);
    }
  }
}

/// How a run is computed; none of it may show.
struct Setting {
  kernels::Isa isa;
  unsigned n_threads;
  uint32_t page_tokens;
  size_t prefill_chunk, draft_max;  // 0: plain
};

std::string receipt_of(const std::shared_ptr<const model::Model>& model, const Setting& s,
                       std::span<const int32_t> prompt, int64_t max_new, std::vector<int32_t>* tokens) {
  decode::Session session(model, {s.n_threads, s.isa, false, s.page_tokens, 0}, model->config.n_ctx, s.prefill_chunk);
  const auto sequence = std::make_shared<decode::TokenSequence>(session.engine.pages());
  std::shared_ptr<decode::Drafter> drafter;
  if (s.draft_max != 0) drafter = std::make_shared<decode::LookupDrafter>(decode::LookupLimits{s.draft_max, 3, 1});
  decode::Run run(session, sequence, prompt, {max_new, true}, drafter);
  while (run.next() != nullptr) {
  }
  decode::Record record = run.record();
  *tokens = std::move(record.tokens);
  return record.receipt;
}

void check_runs(const TinyModelOptions& options, std::span<const Setting> settings, int64_t max_new, Hasher& hasher) {
  const std::vector<uint8_t> file = tiny_model(options);
  const auto model = model::Model::open(*borrow_memory(file.data(), file.size()), 1, 0);
  IntegerDraws draws(options.seed);
  std::vector<int32_t> prompt(24);
  for (int32_t& token : prompt) token = static_cast<int32_t>(draws.below(options.n_vocab));
  std::vector<int32_t> want, got;
  const Setting oracle{kernels::Isa::kReference, 1, 64, 256, 0};
  const std::string receipt = receipt_of(model, oracle, prompt, max_new, &want);
  hasher.text(receipt.data(), receipt.size());
  for (const Setting& s : settings) {
    if (kernels::table(s.isa) == nullptr) continue;
    if (receipt_of(model, s, prompt, max_new, &got) != receipt || got != want) {
      fail(Status::kSelftest,
           "decoding, %s, %u threads, pages of %u, chunks of %zu, drafts of %zu: differs from plain decoding by "
           "reference",
           kernels::isa_name(s.isa), s.n_threads, s.page_tokens, s.prefill_chunk, s.draft_max);
    }
  }
}

std::vector<Setting> settings_of(uint32_t level) {
  std::vector<Setting> settings;
  for (const kernels::Isa isa : kIsas) {
    settings.push_back({isa, 1, 16, 7, 6});
    if (level == 0) continue;
    settings.push_back({isa, 1, 64, 256, 0});
    settings.push_back({isa, 2, 1, 64, 8});
    settings.push_back({isa, 3, 256, 63, 3});
  }
  return settings;
}

}  // namespace

Digest run_selftest(uint32_t level) {
  Hasher hasher;
  const uint64_t rounds = level == 0 ? 4 : 100;
  for (const NamedTrial& kernel : kernel_trials()) {
    for (uint64_t seed = 1; seed <= rounds; ++seed) check_kernel(kernel, seed, hasher);
  }
  const std::vector<Setting> settings = settings_of(level);
  TinyModelOptions options;
  check_runs(options, settings, level == 0 ? 24 : 300, hasher);
  if (level != 0) {
    options.layers = options.head = tensor::DType::kF16;
    options.tied = false;
    check_runs(options, settings, 300, hasher);
  }
  return hasher.finish();
}

}  // namespace nxs::selftest
