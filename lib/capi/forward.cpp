// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_forward: checks what the caller ordered; decode/forward.h does it.
#include "decode/forward.h"

#include <algorithm>

#include "capi/guard.h"
#include "capi/handles.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

/// The sequences of one call: of one session, all different, none in a stream.
struct Sequences {
  std::vector<std::shared_ptr<SequenceState>> states;
  std::vector<decode::TokenSequence*> pointers;
};

Sequences gather(const Core& core, nxs_seq* const* seqs, size_t n) {
  Sequences result;
  for (size_t i = 0; i < n; ++i) {
    if (seqs[i] == nullptr) fail(Status::kArgument, "seqs[%zu] is NULL", i);
    if (seqs[i]->core.get() != &core) fail(Status::kArgument, "seqs[%zu] belongs to another session than seqs[0]", i);
    result.states.push_back(usable(seqs[i]));
    result.pointers.push_back(result.states.back().get());
  }
  std::vector<decode::TokenSequence*> sorted = result.pointers;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail(Status::kArgument, "seqs has one sequence twice");
  return result;
}

/// A count below 1 would make "the last token of the sequence" mean nothing.
std::vector<int32_t> counts_of(const int32_t* counts, size_t n) {
  if (counts == nullptr) return std::vector<int32_t>(n, 1);
  for (size_t i = 0; i < n; ++i) {
    if (counts[i] < 1) fail(Status::kArgument, "counts[%zu] is %d, not 1 or more", i, counts[i]);
  }
  return {counts, counts + n};
}

}  // namespace

nxs_status nxs_forward(float* logits, size_t capacity, nxs_seq* const* seqs, const int32_t* counts, size_t n_seqs,
                       const int32_t* tokens, const uint8_t* want, nxs_error* err) {
  const nxs_seq* const first = seqs != nullptr && n_seqs != 0 ? seqs[0] : nullptr;
  return in_session(err, first, "seqs or its first sequence", [&](Core& core) {
    need(tokens, "tokens");
    array(seqs, n_seqs, "seqs");
    const Sequences sequences = gather(core, seqs, n_seqs);
    const std::vector<int32_t> each = counts_of(counts, n_seqs);
    size_t n_tokens = 0;
    for (const int32_t count : each) n_tokens += static_cast<size_t>(count);
    const decode::ForwardOrder order{sequences.pointers, each, {tokens, n_tokens}, want};
    decode::check(core, order);
    const size_t needed = decode::count_wanted(order) * core.engine.model().config.n_vocab;
    if (needed > capacity) fail(Status::kBuffer, "capacity is %zu floats, %zu are needed", capacity, needed);
    if (needed != 0) need(logits, "logits");
    decode::forward(core, order, logits);
  });
}
