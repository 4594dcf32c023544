// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_session_*: its settings, what it says of itself, and the cancel flag. What its handles share is the Core.
#include <algorithm>
#include <bit>

#include "base/worker_pool.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"

using namespace nxs;
using namespace nxs::capi;

static_assert(static_cast<int>(kernels::Isa::kNeon) == NXS_ISA_NEON &&
              static_cast<int>(kernels::Isa::kAvx512) == NXS_ISA_AVX512);

namespace {

// Far beyond what makes sense, and small enough that no size derived from them overflows.
constexpr uint32_t kMostThreads = 1024, kMostPageTokens = 256, kMostChunk = 1 << 16;
constexpr int64_t kMostTokens = int64_t{1} << 40;

void check_params(const nxs_session_params& p, int64_t model_ctx) {
  if (p.n_threads > kMostThreads) fail(Status::kArgument, "n_threads is %u, the most is %u", p.n_threads, kMostThreads);
  if (p.isa > NXS_ISA_NEON) fail(Status::kArgument, "isa is %u, no NXS_ISA_*", p.isa);
  if (p.kv_type > NXS_KV_F32) fail(Status::kArgument, "kv_type is %u, no NXS_KV_*", p.kv_type);
  if (!std::has_single_bit(p.page_tokens) || p.page_tokens > kMostPageTokens) {
    fail(Status::kArgument, "page_tokens is %u, no power of two from 1 to %u", p.page_tokens, kMostPageTokens);
  }
  if (p.prefill_chunk == 0 || p.prefill_chunk > kMostChunk) {
    fail(Status::kArgument, "prefill_chunk is %u, not within 1 and %u", p.prefill_chunk, kMostChunk);
  }
  if (p.n_ctx < 0) fail(Status::kArgument, "n_ctx is negative");
  if (p.n_ctx > model_ctx) {
    fail(Status::kContext, "n_ctx is %lld, the model was trained for %lld", static_cast<long long>(p.n_ctx),
         static_cast<long long>(model_ctx));
  }
  if (p.kv_tokens < 0 || p.kv_tokens > kMostTokens) fail(Status::kArgument, "kv_tokens is out of range");
}

int64_t as_tokens(size_t pages, size_t page_tokens) {
  return static_cast<int64_t>(pages * page_tokens);
}

void fill_info(nxs_session_info& info, Core& core) {
  model::Engine& engine = core.engine;
  const kv::PagePool& pool = engine.pages();
  const size_t page = pool.layout().page_tokens;
  info.n_threads = engine.workers().size();
  info.isa = static_cast<uint32_t>(engine.kernels().isa);
  info.page_tokens = static_cast<uint32_t>(page);
  info.n_ctx = core.n_ctx;
  info.kv_tokens = as_tokens(pool.n_pages(), page);
  info.kv_tokens_free = as_tokens(pool.n_free(), page);
  info.kv_tokens_peak = as_tokens(pool.n_used_peak(), page);
  info.kv_bytes = static_cast<int64_t>(pool.bytes());
  info.scratch_bytes = static_cast<int64_t>(engine.scratch_bytes() + core.sampler.bytes());
}

/// a + b and a * b of numbers that are not negative; the largest number instead of wrapping.
int64_t add(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}
int64_t multiply(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

}  // namespace

void nxs_session_params_init(nxs_session_params* params, uint32_t struct_size) {
  init_params(params, struct_size);
}

nxs_status nxs_session_open(nxs_session** out, const nxs_model* model, const nxs_session_params* params,
                            nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    *out = nullptr;
    need(model, "model");
    const nxs_session_params p = read_params(params, "nxs_session_params");
    const int64_t model_ctx = model->model->config.n_ctx;
    check_params(p, model_ctx);
    const model::EngineOptions options{p.n_threads != 0 ? p.n_threads : usable_cores(),
                                       static_cast<kernels::Isa>(p.isa), p.kv_type == NXS_KV_F32, p.page_tokens,
                                       p.kv_tokens};
    *out = new nxs_session(
        std::make_shared<Core>(model->model, options, p.n_ctx != 0 ? p.n_ctx : model_ctx, p.prefill_chunk));
  });
}

void nxs_session_close(nxs_session* session) {
  if (session != nullptr) Core::close(session);
}

nxs_status nxs_session_get_info(nxs_session_info* out, nxs_session* session, nxs_error* err) {
  return in_session(err, session, "session", [&](Core& core) {
    need(out, "out");
    const uint32_t size = out->struct_size;
    check_struct_size(size, alignof(nxs_session_info), "nxs_session_info");
    Lent<nxs_session_info> info;
    fill_info(info.get(), core);
    init_params(out, size, &info.get(), sizeof(nxs_session_info));
  });
}

/// The pages of the prompt; and for each sample those from the one on that has the prompt's last row, which a fork
/// feeds again and so copies, be the page full or not.
int64_t nxs_kv_tokens(int64_t n_prompt, int64_t max_new, int64_t n_samples, uint32_t page_tokens) {
  if (n_prompt < 0 || max_new < 0 || n_samples < 0 || !std::has_single_bit(page_tokens) ||
      page_tokens > kMostPageTokens)
    return 0;
  const int64_t page = page_tokens;
  const auto pages = [page](int64_t tokens) { return tokens / page + (tokens % page != 0 ? 1 : 0); };
  const int64_t prompt_pages = pages(n_prompt);
  const int64_t own = pages(add(n_prompt, max_new)) - (n_prompt != 0 ? (n_prompt - 1) / page : 0);
  return multiply(add(prompt_pages, multiply(own, n_samples)), page);
}

/// A store to an atomic and nothing else: legal in signal handlers.
void nxs_session_cancel(nxs_session* session, int32_t on) {
  if (session != nullptr) session->core->cancel.store(on != 0 ? 1 : 0, std::memory_order_relaxed);
}
