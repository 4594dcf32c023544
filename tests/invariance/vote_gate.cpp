// SPDX-License-Identifier: Apache-2.0 OR MIT
// The promise of votes on a tiny model: every sample, in every mode, batch, pool and setting, is the plain run with its
// seed. And what forks take from the pool.
//
//   vote_gate [--rounds N]   N times the pairwise array over all factors, each time with other prompts (8 by default)
#include <cstring>
#include <map>
#include <string>

#include "invariance/settings.h"
#include "invariance/votes.h"
#include "selftest/tiny_model.h"
#include "support/pairwise.h"

using namespace nxs::test;

namespace {

constexpr uint32_t kSamples[] = {1, 2, 3, 8, 33, 100};
constexpr uint32_t kPages[] = {1, 2, 4, 8, 16, 32, 64};
constexpr uint32_t kWaves[] = {0, 1, 3};  // max_batch
constexpr uint32_t kChunks[] = {256, 63, 7};
constexpr int kPools = 3;  // grows; holds three samples; holds one
/// Tokens of a prompt, by page: two or three pages and one token beside that, and beyond 512 and 1,024 tokens.
constexpr int kLengths = 6;
size_t prompt_length(int which, uint32_t page) {
  const size_t lengths[kLengths] = {3 * page, 3 * page - 1, 2 * page + 1, 520, 512, 1030};
  return lengths[which];
}

std::vector<int32_t> prompt_of(size_t number, size_t length) {
  std::vector<int32_t> prompt(length);
  uint64_t state = number * 0x9e3779b97f4a7c15u + 1;
  for (int32_t& token : prompt) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    token = static_cast<int32_t>((state >> 33) % 300);
  }
  return prompt;
}

struct Case {
  uint32_t n_samples, page, n_threads, isa, wave, chunk;
  int length, pool;
  size_t mode;
  uint32_t flags;
  std::string text() const {
    return std::to_string(n_samples) + " samples, page " + std::to_string(page) + ", threads " +
           std::to_string(n_threads) + ", isa " + std::to_string(isa) + ", batch " + std::to_string(wave) + ", chunk " +
           std::to_string(chunk) + ", prompt " + std::to_string(prompt_length(length, page)) + ", pool " +
           std::to_string(pool) + ", mode " + std::to_string(mode) + ", flags " + std::to_string(flags);
  }
};

struct Gate {
  const nxs_model* model;
  std::vector<uint32_t> isas = usable_isas(model);
  std::vector<size_t> levels = {6, 7, 4, isas.size(), 3, 3, kLengths, kPools, 3, 2};
  Session plain = SessionSettings{}.open(model);
  std::map<std::pair<size_t, size_t>, std::vector<Sample>> singles{};  // by prompt number and length
  size_t n_votes = 0, n_samples = 0, n_stopped = 0, n_skipped = 0, n_failed = 0;

  Case case_at(const std::vector<size_t>& row) const {
    return {kSamples[row[0]],
            kPages[row[1]],
            static_cast<uint32_t>(row[2] + 1),
            isas[row[3]],
            kWaves[row[4]],
            kChunks[row[5]],
            static_cast<int>(row[6]),
            static_cast<int>(row[7]),
            row[8],
            row[9] != 0 ? uint32_t{NXS_VOTE_EARLY} : 0u};
  }

  /// Sample i of a prompt, computed once by a plain run.
  const Sample& expected(size_t number, const std::vector<int32_t>& prompt, const nxs_decode_params& params, size_t i) {
    std::vector<Sample>& known = singles[{number, prompt.size()}];
    while (known.size() <= i) known.push_back(single(plain.get(), prompt, params, vote_of(1), known.size()));
    return known[i];
  }

  void run(const Case& c, size_t number) {
    const std::vector<int32_t> prompt = prompt_of(number, prompt_length(c.length, c.page));
    // Texts of a tiny model are noise: stop tokens come now and then, so samples end at any length.
    const nxs_decode_params params = sampling(12, static_cast<int64_t>(number), 0.9f);
    SessionSettings settings{c.n_threads, c.isa, c.page, c.chunk};
    if (c.pool != 0) {
      settings.kv_tokens = nxs_kv_tokens(static_cast<int64_t>(prompt.size()), 12, c.pool == 1 ? 3 : 1, c.page);
    }
    const Session session = settings.open(model);
    const Ballot ballot =
        vote(session.get(), prompt, params, vote_of(c.n_samples, c.wave, c.flags), kVoteModes[c.mode]);
    bool same = ballot.samples.size() + static_cast<size_t>(ballot.n_skipped) == c.n_samples;
    for (size_t i = 0; i < ballot.samples.size(); ++i) {
      same = same && ballot.samples[i] == expected(number, prompt, params, i);
      n_stopped += ballot.samples[i].stop == NXS_STOP_TOKEN;
    }
    ++n_votes;
    n_samples += ballot.samples.size();
    n_skipped += static_cast<size_t>(ballot.n_skipped);
    if (same) return;
    if (++n_failed <= 10) fprintf(stderr, "prompt %zu differs: %s\n", number, c.text().c_str());
  }
};

int64_t in_use(nxs_session* session) {
  nxs_session_info info;
  info.struct_size = sizeof info;
  nxs_error error;
  must(nxs_session_get_info(&info, session, &error), error, "nxs_session_get_info");
  return (info.kv_tokens - info.kv_tokens_free) / info.page_tokens;
}

/// 8 forks of a prompt, each with one token of its own: the prompt's pages and 8. In any order of the batch the same
/// logits.
bool forks_take_one_page_each(const nxs_model* model, int64_t n_prompt) {
  const Session session = SessionSettings{}.open(model);
  nxs_error error;
  const std::vector<int32_t> prompt = prompt_of(1, static_cast<size_t>(n_prompt));
  nxs_seq* parent = nullptr;
  must(nxs_seq_new(&parent, session.get(), &error), error, "nxs_seq_new");
  const Seq parent_owner(parent);
  const nxs_decode_params none = greedy(0);
  nxs_result* result = nullptr;
  must(nxs_plain_decode(&result, parent, prompt.data(), prompt.size(), &none, nullptr, nullptr, &error), error,
       "nxs_plain_decode");
  nxs_result_close(result);
  const int64_t pages = in_use(session.get());
  std::vector<float> logits[2];
  int64_t after[2];
  for (int round = 0; round < 2; ++round) {
    std::vector<Seq> forks;
    std::vector<nxs_seq*> order;
    std::vector<int32_t> tokens;
    for (int i = 0; i < 8; ++i) {
      nxs_seq* fork = nullptr;
      must(nxs_seq_fork(&fork, parent, -1, &error), error, "nxs_seq_fork");
      forks.emplace_back(fork);
    }
    for (size_t i = 0; i < 8; ++i) {
      const size_t which = round == 0 ? i : (5 * i + 3) % 8;
      order.push_back(forks[which].get());
      tokens.push_back(static_cast<int32_t>(which));
    }
    const size_t n_vocab = nxs_model_get_info(model)->n_vocab;
    std::vector<float> rows(8 * n_vocab);
    must(nxs_forward(rows.data(), rows.size(), order.data(), nullptr, 8, tokens.data(), nullptr, &error), error,
         "nxs_forward");
    logits[round].resize(rows.size());
    for (size_t i = 0; i < 8; ++i) {
      memcpy(&logits[round][static_cast<size_t>(tokens[i]) * n_vocab], &rows[i * n_vocab], n_vocab * sizeof(float));
    }
    after[round] = in_use(session.get());
  }
  printf("prompt of %lld tokens: %lld pages, with 8 forks of one more token %lld\n", static_cast<long long>(n_prompt),
         static_cast<long long>(pages), static_cast<long long>(after[0]));
  return pages == (n_prompt + 63) / 64 && after[0] == pages + 8 && after[1] == pages + 8 &&
         memcmp(logits[0].data(), logits[1].data(), logits[0].size() * sizeof(float)) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc == 3 && !strcmp(argv[1], "--rounds") ? std::stoul(argv[2]) : 8;
  const std::vector<uint8_t> bytes = nxs::selftest::tiny_model({});
  nxs_model* opened = nullptr;
  nxs_error error;
  must(nxs_model_open_memory(&opened, bytes.data(), bytes.size(), nullptr, &error), error, "nxs_model_open_memory");
  const Model model(opened);
  Gate gate{opened};
  const auto rows = pairwise_array(gate.levels);
  for (size_t round = 0; round < rounds; ++round) {
    for (const auto& row : rows) gate.run(gate.case_at(row), round);
    fprintf(stderr, "round %zu of %zu: %zu votes, %zu different\n", round + 1, rounds, gate.n_votes, gate.n_failed);
  }
  printf(
      "%zu votes over %zu rows, %zu samples (%zu ended by a stop token, %zu skipped), %zu instruction sets: "
      "%zu votes different\n",
      gate.n_votes, rows.size(), gate.n_samples, gate.n_stopped, gate.n_skipped, gate.isas.size(), gate.n_failed);
  const bool memory = forks_take_one_page_each(opened, 600) && forks_take_one_page_each(opened, 640);
  if (!memory) fprintf(stderr, "forks take other pages than they should, or depend on their order\n");
  const bool met = gate.n_stopped > 0 && gate.n_skipped > 0;
  if (!met) fprintf(stderr, "no sample stopped early, or none was skipped: the gate shows too little\n");
  return gate.n_failed == 0 && memory && met ? 0 : 1;
}
