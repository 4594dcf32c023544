// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "invariance/votes.h"

#include "invariance/settings.h"

namespace nxs::test {

namespace {

Sample sample_of(const nxs_result* result) {
  size_t n = 0, length = 0;
  const int32_t* tokens = nxs_result_tokens(result, &n);
  const char* text = nxs_result_text(result, &length);
  Sample sample;
  sample.tokens.assign(tokens, tokens + n);
  sample.text.assign(text, length);
  sample.receipt = nxs_result_receipt(result);
  sample.stop = nxs_result_stats(result)->stop;
  return sample;
}

}  // namespace

nxs_decode_params sampling(int64_t max_new, int64_t seed, float temperature) {
  nxs_decode_params params;
  nxs_decode_params_init(&params, sizeof params);
  params.max_new = max_new;
  params.seed = seed;
  params.temperature = temperature;
  params.top_k = 40;
  return params;
}

nxs_vote_params vote_of(uint32_t n_samples, uint32_t max_batch, uint32_t flags) {
  nxs_vote_params params;
  nxs_vote_params_init(&params, sizeof params);
  params.n_samples = n_samples;
  params.max_batch = max_batch;
  params.flags = flags;
  return params;
}

Ballot vote(nxs_session* session, const std::vector<int32_t>& prompt, const nxs_decode_params& params,
            const nxs_vote_params& votes, VoteFunction mode) {
  const Seq seq = new_seq(session);
  nxs_vote* made = nullptr;
  nxs_error error;
  must(mode(&made, seq.get(), prompt.data(), prompt.size(), &params, &votes, nullptr, nullptr, &error), error, "vote");
  const std::unique_ptr<nxs_vote, Closer<nxs_vote_close>> owner(made);
  Ballot ballot;
  for (int32_t s = 0; s < nxs_vote_n_samples(made); ++s) {
    Sample sample = sample_of(nxs_vote_sample(made, s));
    const char* answer = nxs_vote_sample_answer(made, s);
    sample.has_answer = answer != nullptr;
    if (answer != nullptr) sample.answer = answer;
    ballot.samples.push_back(std::move(sample));
  }
  ballot.n_skipped = nxs_vote_n_skipped(made);
  if (nxs_vote_n_answers(made) > 0) ballot.winner = nxs_vote_answer(made, 0);
  ballot.receipt = nxs_vote_receipt(made);
  const nxs_stats& stats = *nxs_vote_stats(made);
  ballot.prefill_seconds = stats.prefill_seconds;
  ballot.decode_seconds = stats.decode_seconds;
  ballot.n_emitted = stats.n_emitted;
  return ballot;
}

Sample single(nxs_session* session, const std::vector<int32_t>& prompt, nxs_decode_params params,
              const nxs_vote_params& votes, size_t index) {
  params.seed += static_cast<int64_t>(index) * votes.seed_stride;
  const Seq seq = new_seq(session);
  nxs_result* result = nullptr;
  nxs_error error;
  must(nxs_plain_decode(&result, seq.get(), prompt.data(), prompt.size(), &params, nullptr, nullptr, &error), error,
       "nxs_plain_decode");
  const Result owner(result);
  Sample sample = sample_of(result);
  size_t n = 0;
  sample.answer.resize(sample.text.size() + 4);
  must(nxs_extract(sample.answer.data(), sample.answer.size(), &n, votes.extractor, sample.text.data(),
                   sample.text.size(), &error),
       error, "nxs_extract");
  sample.answer.resize(n);
  sample.has_answer = n != 0;
  return sample;
}

}  // namespace nxs::test
