// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sequences with a shared prompt: decoding in lockstep through nxs_forward, and votes in the three ways.
#include <cstring>

#include "bench/bench.h"
#include "vote_record.h"

namespace cli::bench {

namespace {

constexpr size_t kSharedPrompt = 128, kVotePrompt = 200;  // tokens

/// Tokens a second of n forks of `parent`, each advanced by max_new tokens that are given, not chosen.
double lockstep_rate(const Environment& env, const Seq& parent, uint32_t n) {
  std::vector<Seq> owners;
  std::vector<nxs_seq*> seqs;
  for (uint32_t i = 0; i < n; ++i) seqs.push_back(owners.emplace_back(fork(parent)).get());
  const std::vector<int32_t> tokens = some_tokens(env.model, size_t{n} * env.options.max_new);
  std::vector<float> logits(size_t{n} * nxs_model_get_info(env.model)->n_vocab);
  nxs_error error;
  const double time = seconds([&] {
    for (size_t step = 0; step < env.options.max_new; ++step) {
      check(
          nxs_forward(logits.data(), logits.size(), seqs.data(), nullptr, n, tokens.data() + step * n, nullptr, &error),
          error);
    }
  });
  return static_cast<double>(tokens.size()) / time;
}

Job vote_job(const Environment& env) {
  Job job;
  job.prompt = some_tokens(env.model, kVotePrompt);
  job.params = greedy(env.options.max_new);
  job.params.temperature = 0.7f;
  job.params.top_k = 40;
  return job;
}

double timed_vote(const Environment& env, const Job& job, const nxs_vote_params& params, const char* mode, Vote& vote) {
  return seconds([&] { vote = decode_vote(env.session, job, params, mode, nullptr, nullptr); });
}

}  // namespace

Round batch_round(const Environment& env) {
  const auto prompt = std::make_shared<Seq>(cached_sequence(env, some_tokens(env.model, kSharedPrompt)));
  return [env, prompt](Measures& out) {
    const double single = lockstep_rate(env, *prompt, 1);
    out.add("batch/1", "tokens/s", single);
    for (const uint32_t n : env.options.sequences) {
      const std::string name = "batch/" + std::to_string(n);
      const double rate = lockstep_rate(env, *prompt, n);
      out.add(name, "tokens/s", rate);
      out.add(name + "/ratio", "times one sequence", rate / single);
    }
  };
}

Round vote_round(const Environment& env) {
  return [env](Measures& out) {
    const Job job = vote_job(env);
    nxs_vote_params params;
    nxs_vote_params_init(&params, sizeof params);
    params.extractor = NXS_EXTRACT_NONE;
    for (const uint32_t n : env.options.samples) {
      params.n_samples = n;
      const std::string name = "vote/" + std::to_string(n) + "/";
      Vote reset, other;
      const double reset_time = timed_vote(env, job, params, "reset", reset);
      out.add(name + "reset", "s", reset_time);
      for (const char* mode : {"paged", "batched"}) {
        const double time = timed_vote(env, job, params, mode, other);
        if (strcmp(nxs_vote_receipt(reset.get()), nxs_vote_receipt(other.get())) != 0) {
          throw std::runtime_error("the ways to vote differ; please run nxs selftest");
        }
        out.add(name + mode, "s", time);
        out.add(name + mode + "/ratio", "times as fast as reset", reset_time / time);
      }
    }
  };
}

}  // namespace cli::bench
