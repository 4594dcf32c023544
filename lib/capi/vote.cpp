// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_selfconsist_*, and nxs_vote_*: what a vote left, independent of session and model. Ranks and receipt follow from
// the answers, which may be set again: they are made when they are asked for.
#include "base/status.h"
#include "capi/callback.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"
#include "decode/self_consistency.h"

using namespace nxs;
using namespace nxs::capi;

static_assert(static_cast<int>(decode::Extractor::kLastInteger) == NXS_EXTRACT_LAST_INTEGER &&
              static_cast<int>(decode::Extractor::kLastNumber) == NXS_EXTRACT_LAST_NUMBER &&
              static_cast<int>(decode::Extractor::kBoxed) == NXS_EXTRACT_BOXED);

namespace {

/// Element i of a list, NULL when there is none.
template <typename List>
auto at(List& list, int32_t i) -> decltype(list.data()) {
  return i >= 0 && static_cast<size_t>(i) < list.size() ? &list[static_cast<size_t>(i)] : nullptr;
}

std::unique_ptr<nxs_vote> make_vote(decode::VoteRecord record) {
  auto vote = std::make_unique<nxs_vote>();
  nxs_stats& stats = vote->stats.get();
  for (decode::Record& sample : record.samples) {
    stats.n_emitted += static_cast<int64_t>(sample.tokens.size());
    vote->samples.emplace_back(make_result(std::move(sample)));
  }
  vote->samples.resize(record.tally.size());
  fill_stats(stats, record.stats);
  stats.stop = static_cast<uint32_t>(record.stop);
  vote->n_skipped = record.n_skipped;
  vote->tally = std::move(record.tally);
  vote->unbegun = std::move(record.unbegun);
  return vote;
}

/// Borrowed until an answer is set, which no reader may be beside.
std::span<const decode::Ranked* const> ranks_of(const nxs_vote& vote) {
  const std::lock_guard lock(vote.mutex);
  return vote.tally.ranks();
}

const decode::Ranked* ranked(const nxs_vote* vote, int32_t rank) {
  if (vote == nullptr) return nullptr;
  const auto ranks = ranks_of(*vote);
  const auto* found = at(ranks, rank);
  return found ? *found : nullptr;
}

/// Allocates nothing, so it cannot fail.
void make_receipt(const nxs_vote& vote) noexcept {
  vote.hasher.begin(vote.samples.size());
  for (size_t s = 0; s < vote.samples.size(); ++s) {
    const std::string* answer = vote.tally.answer(s);
    if (vote.samples[s]) {
      vote.hasher.add(vote.samples[s]->record.receipt, answer);
    } else {
      vote.hasher.add(vote.unbegun->receipt(s).data(), answer);
    }
  }
  vote.receipt = vote.hasher.finish();
}

/// What the three entries have in common: all but the mode.
struct Order {
  nxs_vote** out;
  nxs_seq* seq;
  const int32_t* prompt;
  size_t n_prompt;
  const nxs_decode_params* params;
  const nxs_vote_params* vote;
  nxs_event_fn on_event;
  void* user;
  nxs_error* err;
};

nxs_status selfconsist(decode::VoteMode mode, const Order& order) {
  if (order.out != nullptr) *order.out = nullptr;
  return in_session(order.err, order.seq, "seq", [&](Core& core) {
    need(order.out, "out");
    Lent<nxs_event> lent;
    decode::SelfConsistency::Listener listener;
    if (order.on_event != nullptr) {
      listener = [&](int32_t sample, const decode::Event& event) {
        fill_event(lent.get(), event, sample);
        return tell(order.on_event, order.user, lent.get(), core.caller_word);
      };
    }
    decode::SelfConsistency vote(core, usable(order.seq), prompt_of(order.prompt, order.n_prompt),
                                 sample_params(order.params), vote_params(order.vote), mode, listener);
    auto made = make_vote(vote.run());
    vote.commit();
    *order.out = made.release();
  });
}

}  // namespace

void nxs_vote_params_init(nxs_vote_params* params, uint32_t struct_size) {
  init_params(params, struct_size);
}

nxs_status nxs_selfconsist_reset(nxs_vote** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                                 const nxs_decode_params* params, const nxs_vote_params* vote, nxs_event_fn on_event,
                                 void* user, nxs_error* err) {
  return selfconsist(decode::VoteMode::kReset, {out, seq, prompt, n_prompt, params, vote, on_event, user, err});
}

nxs_status nxs_selfconsist_paged(nxs_vote** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                                 const nxs_decode_params* params, const nxs_vote_params* vote, nxs_event_fn on_event,
                                 void* user, nxs_error* err) {
  return selfconsist(decode::VoteMode::kPaged, {out, seq, prompt, n_prompt, params, vote, on_event, user, err});
}

nxs_status nxs_selfconsist_batched(nxs_vote** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                                   const nxs_decode_params* params, const nxs_vote_params* vote, nxs_event_fn on_event,
                                   void* user, nxs_error* err) {
  return selfconsist(decode::VoteMode::kBatched, {out, seq, prompt, n_prompt, params, vote, on_event, user, err});
}

int32_t nxs_vote_n_samples(const nxs_vote* vote) {
  return vote ? static_cast<int32_t>(vote->samples.size()) : 0;
}

int32_t nxs_vote_n_skipped(const nxs_vote* vote) {
  return vote ? vote->n_skipped : 0;
}

const nxs_result* nxs_vote_sample(const nxs_vote* vote, int32_t sample) {
  if (vote == nullptr) return nullptr;
  const std::lock_guard lock(vote->mutex);
  auto* found = at(vote->samples, sample);
  if (found == nullptr) return nullptr;
  try {
    if (!*found) found->reset(make_result(vote->unbegun->record(static_cast<size_t>(sample))));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return found->get();
}

const char* nxs_vote_sample_answer(const nxs_vote* vote, int32_t sample) {
  if (vote == nullptr || at(vote->samples, sample) == nullptr) return nullptr;
  const std::string* found = vote->tally.answer(static_cast<size_t>(sample));
  return found ? found->c_str() : nullptr;
}

int32_t nxs_vote_n_answers(const nxs_vote* vote) {
  return vote ? static_cast<int32_t>(vote->tally.n_answers()) : 0;
}

const char* nxs_vote_answer(const nxs_vote* vote, int32_t rank) {
  const decode::Ranked* found = ranked(vote, rank);
  return found ? found->answer.c_str() : nullptr;
}

int32_t nxs_vote_answer_count(const nxs_vote* vote, int32_t rank) {
  const decode::Ranked* found = ranked(vote, rank);
  return found ? found->votes : 0;
}

int32_t nxs_vote_is_tie(const nxs_vote* vote) {
  return vote && decode::is_tie(ranks_of(*vote)) ? 1 : 0;
}

nxs_status nxs_vote_winner_int64(int64_t* out, const nxs_vote* vote, nxs_error* err) {
  if (out != nullptr) *out = 0;
  return guarded(err, [&](uint64_t) {
    need(out, "out");
    need(vote, "vote");
    *out = decode::winner_int64(ranks_of(*vote));
  });
}

nxs_status nxs_vote_set_answer(nxs_vote* vote, int32_t sample, const char* answer, nxs_error* err) {
  return guarded(err, [&](uint64_t) {
    need(vote, "vote");
    if (at(vote->samples, sample) == nullptr)
      fail(Status::kArgument, "sample is %d, the vote has %zu", sample, vote->samples.size());
    vote->tally.set(static_cast<size_t>(sample), answer != nullptr ? decode::Answer(answer) : std::nullopt);
    vote->receipt = {};
  });
}

const nxs_stats* nxs_vote_stats(const nxs_vote* vote) {
  return vote ? &vote->stats.get() : nullptr;
}

const char* nxs_vote_receipt(const nxs_vote* vote) {
  if (vote == nullptr) return nullptr;
  const std::lock_guard lock(vote->mutex);
  if (vote->receipt[0] == 0) make_receipt(*vote);
  return vote->receipt.data();
}

void nxs_vote_close(nxs_vote* vote) {
  delete vote;
}

nxs_status nxs_extract(char* answer, size_t capacity, size_t* n, uint32_t extractor, const char* text, size_t text_len,
                       nxs_error* err) {
  if (n != nullptr) *n = 0;
  return guarded(err, [&](uint64_t) {
    need(n, "n");
    if (capacity != 0) need(answer, "answer");
    if (text_len != 0) need(text, "text");
    if (extractor > NXS_EXTRACT_BOXED) fail(Status::kArgument, "extractor is %u, no NXS_EXTRACT_*", extractor);
    const decode::Answer found = decode::extract(static_cast<decode::Extractor>(extractor), {text, text_len});
    if (found) copy_out(answer, capacity, n, found->data(), found->size());
  });
}
