// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_sample: a row of the caller's, through the same sampler as a run's. Needs no session, so it may run on any
// thread.
#include "decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

/// Masks are let through, anything else that is not finite is kNumeric.
void check_row(std::span<const float> row, int64_t position) {
  const auto at = static_cast<long long>(position);
  bool all_masked = true;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == -std::numeric_limits<float>::infinity()) continue;
    if (!std::isfinite(row[i])) fail(Status::kNumeric, "position %lld: logit %zu is not finite", at, i);
    all_masked = false;
  }
  if (all_masked) fail(Status::kNumeric, "position %lld: all logits are masked", at);
}

void check_context(std::span<const int32_t> context, int64_t position, const decode::Sampling& sampling,
                   size_t n_vocab) {
  const auto n = static_cast<int64_t>(context.size());
  if (n > position) {
    fail(Status::kArgument, "n_context is %lld, position %lld: more than all tokens before it",
         static_cast<long long>(n), static_cast<long long>(position));
  }
  if (sampling.repeat_penalty == 1) return;
  const int64_t needed = std::min<int64_t>(position, sampling.repeat_last);
  if (n < needed) {
    fail(Status::kArgument, "n_context is %lld, repeat_penalty looks at the last %lld tokens",
         static_cast<long long>(n), static_cast<long long>(needed));
  }
  for (size_t i = 0; i < context.size(); ++i) {
    if (context[i] < 0 || static_cast<size_t>(context[i]) >= n_vocab)
      fail(Status::kArgument, "context: token %zu is %d, the vocabulary has %zu", i, context[i], n_vocab);
  }
}

}  // namespace

nxs_status nxs_sample(int32_t* token, const nxs_model* model, const float* logits, int64_t position,
                      const int32_t* context, size_t n_context, const nxs_decode_params* params, nxs_error* err) {
  if (token != nullptr) *token = 0;
  return guarded(err, [&](uint64_t) {
    need(token, "token");
    need(model, "model");
    need(logits, "logits");
    if (position < 0) fail(Status::kArgument, "position is %lld, not 0 or more", static_cast<long long>(position));
    const size_t n_vocab = model->model->config.n_vocab;
    const decode::Params p = decode::effective(decode_params(params), static_cast<int64_t>(n_vocab));
    const std::span<const int32_t> before = array(context, n_context, "context");
    check_context(before, position, p.sampling, n_vocab);
    const std::span<const float> row(logits, n_vocab);
    check_row(row, position);
    decode::Sampler sampler;
    *token = sampler.choose(*kernels::table(kernels::Isa::kBest), row, p.sampling, position, before);
  });
}
