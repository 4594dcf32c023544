// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "invariance/settings.h"

#include <array>

namespace nxs::test {

namespace {

struct NgramLimits {
  uint32_t max, min;
};

constexpr std::array<uint32_t, 9> kDrafts = {0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::array<NgramLimits, 5> kNgrams = {{{3, 2}, {2, 1}, {1, 1}, {4, 2}, {5, 3}}};
constexpr std::array<uint32_t, 4> kThreads = {1, 2, 3, 4};
constexpr std::array<uint32_t, 4> kPages = {1, 16, 64, 256};
constexpr std::array<uint32_t, 5> kChunks = {1, 7, 63, 64, 4096};  // the last takes any prompt here whole

// Sessions that a runner keeps: of all settings there are hundreds, each with threads and megabytes of its own.
constexpr size_t kMostSessions = 24;

Outcome outcome_of(const nxs_result* result) {
  size_t n = 0;
  const int32_t* tokens = nxs_result_tokens(result, &n);
  const nxs_stats& s = *nxs_result_stats(result);
  return {
      {tokens, tokens + n}, nxs_result_receipt(result), s.n_drafted, s.n_accepted, s.n_emitted, s.n_rows, s.n_forwards,
      s.decode_seconds};
}

}  // namespace

Session SessionSettings::open(const nxs_model* model) const {
  nxs_session_params params;
  nxs_session_params_init(&params, sizeof params);
  params.n_threads = n_threads;
  params.isa = isa;
  params.page_tokens = page;
  params.prefill_chunk = chunk;
  params.kv_type = kv;
  params.n_ctx = n_ctx;
  params.kv_tokens = kv_tokens;
  nxs_session* session = nullptr;
  nxs_error error;
  must(nxs_session_open(&session, model, &params, &error), error, "nxs_session_open");
  return Session(session);
}

Seq new_seq(nxs_session* session) {
  nxs_seq* seq = nullptr;
  nxs_error error;
  must(nxs_seq_new(&seq, session, &error), error, "nxs_seq_new");
  return Seq(seq);
}

std::string Settings::text() const {
  return "draft " + std::to_string(draft) + ", n-grams " + std::to_string(ngram_max) + ".." +
         std::to_string(ngram_min) + ", threads " + std::to_string(n_threads) + ", isa " + std::to_string(isa) +
         ", page " + std::to_string(page) + ", chunk " + std::to_string(chunk) + ", adaptive " +
         std::to_string(adaptive);
}

std::vector<uint32_t> usable_isas(const nxs_model* model) {
  std::vector<uint32_t> usable;
  for (uint32_t isa : {NXS_ISA_REFERENCE, NXS_ISA_AVX2, NXS_ISA_AVX512, NXS_ISA_NEON}) {
    nxs_session_params params;
    nxs_session_params_init(&params, sizeof params);
    params.n_threads = 1;
    params.isa = isa;
    nxs_session* session = nullptr;
    nxs_error error;
    const nxs_status status = nxs_session_open(&session, model, &params, &error);
    const Session owner(session);
    if (status == NXS_ERR_UNSUPPORTED) continue;
    must(status, error, "nxs_session_open");
    nxs_session_info info = {};
    info.struct_size = sizeof info;
    must(nxs_session_get_info(&info, session, &error), error, "nxs_session_get_info");
    if (info.isa != isa) {
      fprintf(stderr, "asked for instruction set %u, got %u\n", isa, info.isa);
      exit(1);
    }
    usable.push_back(isa);
  }
  return usable;
}

std::vector<size_t> factor_levels(size_t n_isas) {
  return {kDrafts.size(), kNgrams.size(), kThreads.size(), n_isas, kPages.size(), kChunks.size(), 2};
}

Settings settings_at(const std::vector<size_t>& values, const std::vector<uint32_t>& isas) {
  const NgramLimits ngram = kNgrams[values[1]];
  return {kDrafts[values[0]], ngram.max,         ngram.min,          kThreads[values[2]],
          isas[values[3]],    kPages[values[4]], kChunks[values[5]], static_cast<uint32_t>(values[6])};
}

std::vector<size_t> product_row(size_t index, const std::vector<size_t>& levels) {
  std::vector<size_t> row(levels.size());
  for (size_t f = 0; f < levels.size(); ++f) {
    row[f] = index % levels[f];
    index /= levels[f];
  }
  return row;
}

nxs_decode_params greedy(int64_t max_new) {
  nxs_decode_params params;
  nxs_decode_params_init(&params, sizeof params);
  params.max_new = max_new;
  return params;
}

nxs_session* Runner::session(const Settings& settings, uint32_t kv) {
  const std::vector<uint32_t> key = {settings.n_threads, settings.isa, settings.page, settings.chunk, kv};
  if (sessions_.count(key) == 0 && sessions_.size() >= kMostSessions) sessions_.clear();
  Session& slot = sessions_[key];
  if (!slot)
    slot = SessionSettings{settings.n_threads, settings.isa, settings.page, settings.chunk, kv, n_ctx_}.open(model_);
  return slot.get();
}

Outcome Runner::plain(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                      const Settings& settings) {
  const Seq seq = new_seq(session(settings, kv));
  nxs_result* result = nullptr;
  nxs_error error;
  must(nxs_plain_decode(&result, seq.get(), prompt.data(), prompt.size(), &params, nullptr, nullptr, &error), error,
       "nxs_plain_decode");
  const Result owner(result);
  return outcome_of(result);
}

Outcome Runner::speculative(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                            const Settings& settings) {
  nxs_lookup_params limits;
  nxs_lookup_params_init(&limits, sizeof limits);
  limits.draft_max = settings.draft;
  limits.ngram_max = settings.ngram_max;
  limits.ngram_min = settings.ngram_min;
  limits.adaptive = settings.adaptive;
  nxs_drafter* drafter = nullptr;
  nxs_error error;
  must(nxs_drafter_lookup(&drafter, &limits, &error), error, "nxs_drafter_lookup");
  const Drafter owner(drafter);
  return drafted(prompt, params, kv, settings, drafter);
}

Outcome Runner::drafted(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                        const Settings& settings, nxs_drafter* drafter) {
  const Seq seq = new_seq(session(settings, kv));
  nxs_result* result = nullptr;
  nxs_error error;
  must(nxs_spec_decode(&result, seq.get(), prompt.data(), prompt.size(), &params, drafter, nullptr, nullptr, &error),
       error, "nxs_spec_decode");
  const Result owner(result);
  return outcome_of(result);
}

}  // namespace nxs::test
