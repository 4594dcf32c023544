// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/round.h"

#include <numeric>

#include "decode/choose.h"

namespace nxs::decode {

/// The last page is the one that may be copied: when it is not full, or its last row is fed again.
void Round::keep_shared() {
  const kv::Sequence& cache = sequence.cache;
  if (cache.length() != 0 && cache.pool().refs(cache.pages().back()) > 1) shared = cache.fork(cache.length());
}

namespace {

/// Pages of handles closed during this run count only after reclaiming. `shared` is let go when all that still have its
/// last page are itself and n_own of this run's.
template <typename Needed>
bool find_room(Round& run, size_t n_own, Needed needed) {
  const kv::PagePool& pool = run.session.engine.pages();
  if (needed() <= pool.available()) return true;
  run.session.reclaim();
  if (run.shared && pool.refs(run.shared->pages().back()) == 1 + n_own) run.shared.reset();
  return needed() <= pool.available();
}

}  // namespace

/// The run has a copy of the shared page, or will make one.
bool Round::has_room(int64_t n) {
  return find_room(*this, 0, [&] { return sequence.cache.pages_needed(n); });
}

size_t Round::pages_to_refeed() const {
  return sequence.cache.pool().refs(sequence.cache.pages().back()) > 1 ? 1 : 0;
}

bool Round::has_room_to_refeed() {
  return find_room(*this, 1, [&] { return pages_to_refeed(); });
}

void Round::feed(std::span<const int32_t> tokens, size_t wanted) {
  rows.clear();
  const int64_t first = sequence.cache.length();
  for (size_t i = 0; i < tokens.size(); ++i) {
    rows.push_back({tokens[i], 0, first + static_cast<int64_t>(i), i + wanted >= tokens.size()});
  }
  kv::Sequence* const caches[] = {&sequence.cache};
  session.engine.forward(caches, rows);
  ++stats.n_forwards;
  stats.n_rows += static_cast<int64_t>(tokens.size());
}

bool Round::is_good(size_t row, int64_t position) {
  const int32_t layer = session.engine.bad_layer(row);
  if (layer < 0) return true;
  output.fail_numeric(position, layer);
  return false;
}

int32_t Round::choose(size_t row) {
  return decode::choose(session.engine, row, sequence.tokens, params.sampling, session.sampler);
}

int32_t Round::choose(std::span<const float> logits) {
  return session.sampler.choose(session.engine.kernels(), logits, params.sampling, sequence.size(), sequence.tokens);
}

bool Round::take(int32_t token, bool drafted) {
  sequence.tokens.push_back(token);
  return output.take(token, drafted);
}

/// The workers hash the segments, so a row costs little beside its forward.
void Round::keep_rows(size_t n) {
  std::vector<size_t> wanted(n);
  std::iota(wanted.begin(), wanted.end(), size_t{0});
  std::vector<Digest> digests(n);
  session.engine.digest_rows(wanted, digests.data());
  output.add_rows(digests);
  if (!params.logprobs) return;
  std::vector<float> logprobs(n);
  const auto chosen = std::span(sequence.tokens).last(n);
  for (size_t i = 0; i < n; ++i) {
    logprobs[i] = session.sampler.logprob(session.engine.kernels(), session.engine.logits(i), chosen[i]);
  }
  output.add_logprobs(logprobs);
}

void Round::keep_row(std::span<const float> logits, const Digest& digest) {
  output.add_rows({&digest, 1});
  if (!params.logprobs) return;
  const float logprob = session.sampler.logprob(session.engine.kernels(), logits, sequence.tokens.back());
  output.add_logprobs({&logprob, 1});
}

}  // namespace nxs::decode
