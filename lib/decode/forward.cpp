// SPDX-License-Identifier: Apache-2.0 OR MIT
// Rows are built for the whole order, then fed in parts. Tokens enter the sequences once every part has gone well.
#include "decode/forward.h"

#include <algorithm>
#include <cstring>

#include "base/status.h"
#include "decode/numeric.h"

namespace nxs::decode {

namespace {

bool is_wanted(const ForwardOrder& order, size_t token, bool last_of_sequence) {
  return order.want ? order.want[token] != 0 : last_of_sequence;
}

/// Tails and new tokens of all sequences, one after the other.
std::vector<model::Row> rows_of(const ForwardOrder& order) {
  std::vector<model::Row> rows;
  size_t next = 0;
  for (size_t i = 0; i < order.sequences.size(); ++i) {
    const TokenSequence& sequence = *order.sequences[i];
    const auto index = static_cast<uint32_t>(i);
    int64_t position = sequence.cache.length();
    for (const int32_t token : sequence.tail()) rows.push_back({token, index, position++, false});
    for (int32_t left = order.counts[i]; left > 0; --left, ++next) {
      rows.push_back({order.tokens[next], index, position++, is_wanted(order, next, left == 1)});
    }
  }
  return rows;
}

/// Before anything is computed. Pages of closed handles count after reclaiming.
void check_room(Session& session, std::span<kv::Sequence* const> caches, std::span<const int64_t> grow) {
  const kv::PagePool& pool = session.engine.pages();
  if (kv::pages_needed(caches, grow) <= pool.available()) return;
  session.reclaim();
  const size_t needed = kv::pages_needed(caches, grow);
  if (needed > pool.available()) kv::fail_full(pool, "the forward needs", needed);
}

void run_rows(Session& session, std::span<kv::Sequence* const> caches, std::span<const model::Row> rows,
              float* logits) {
  for (size_t first = 0; first < rows.size(); first += session.prefill_chunk) {
    if (session.cancel.load(std::memory_order_relaxed) != 0)
      fail(Status::kCancelled, "the session's cancel flag is up");
    const auto part = rows.subspan(first, std::min(session.prefill_chunk, rows.size() - first));
    const auto wanted =
        static_cast<size_t>(std::count_if(part.begin(), part.end(), [](const model::Row& r) { return r.want; }));
    session.engine.reserve(part.size(), wanted);
    session.engine.forward(caches, part);
    check_rows(session.engine, part);
    for (size_t i = 0; i < wanted; ++i) {
      const std::span<const float> row = session.engine.logits(i);
      std::memcpy(logits, row.data(), row.size_bytes());
      logits += row.size();
    }
  }
}

}  // namespace

void check(const Session& session, const ForwardOrder& order) {
  for (size_t i = 0; i < order.sequences.size(); ++i) {
    const int64_t length = order.sequences[i]->size() + order.counts[i];
    if (length > session.n_ctx) {
      fail(Status::kContext, "sequence %zu would have %lld tokens, the context holds %lld", i,
           static_cast<long long>(length), static_cast<long long>(session.n_ctx));
    }
  }
  const auto n_vocab = static_cast<int64_t>(session.engine.model().config.n_vocab);
  for (size_t i = 0; i < order.tokens.size(); ++i) {
    if (order.tokens[i] < 0 || order.tokens[i] >= n_vocab) {
      fail(Status::kArgument, "tokens: number %zu is %d, the vocabulary has %lld", i, order.tokens[i],
           static_cast<long long>(n_vocab));
    }
  }
}

size_t count_wanted(const ForwardOrder& order) {
  if (!order.want) return order.sequences.size();
  return static_cast<size_t>(
      std::count_if(order.want, order.want + order.tokens.size(), [](uint8_t w) { return w != 0; }));
}

void forward(Session& session, const ForwardOrder& order, float* logits) {
  const std::vector<model::Row> rows = rows_of(order);
  std::vector<kv::Sequence*> caches;
  std::vector<int64_t> cached, grow;
  for (size_t i = 0; i < order.sequences.size(); ++i) {
    TokenSequence& sequence = *order.sequences[i];
    caches.push_back(&sequence.cache);
    cached.push_back(sequence.cache.length());
    grow.push_back(sequence.size() + order.counts[i] - sequence.cache.length());
    sequence.tokens.reserve(sequence.tokens.size() + static_cast<size_t>(order.counts[i]));
  }
  check_room(session, caches, grow);
  try {
    run_rows(session, caches, rows, logits);
  } catch (...) {
    for (size_t i = 0; i < caches.size(); ++i) {
      if (caches[i]->length() > cached[i]) caches[i]->truncate(cached[i]);
    }
    throw;
  }
  auto next = order.tokens.begin();
  for (size_t i = 0; i < order.sequences.size(); ++i) {
    TokenSequence& sequence = *order.sequences[i];
    sequence.tokens.insert(sequence.tokens.end(), next, next + order.counts[i]);
    sequence.publish(sequence.size());
    next += order.counts[i];
  }
}

}  // namespace nxs::decode
