// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes on a real model: questions of GSM8K under one row each of a pairwise array over settings; reset, paged and
// batched must give the same samples and receipts, and one sample of each question is held against a single run. Prints
// what greedy decoding and the vote got right.
//
//   real_vote_gate MODEL QUESTIONS.jsonl [--questions N] [--samples N] [--max-new N]
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "invariance/prompts.h"
#include "invariance/settings.h"
#include "invariance/votes.h"
#include "support/pairwise.h"

using namespace nxs::test;

namespace {

struct Question {
  std::string text, answer;
};

struct Options {
  size_t questions = 0;
  uint32_t samples = 8;
  int64_t max_new = 256;
};

std::vector<Question> read_questions(const char* path, size_t wanted) {
  std::ifstream in(path);
  std::vector<Question> all;
  for (std::string line; std::getline(in, line);) {
    const auto object = nlohmann::json::parse(line);
    all.push_back({object.at("question").get<std::string>(), object.at("answer").get<std::string>()});
  }
  return evenly_spread(std::move(all), wanted);
}

/// A share and its 95 % interval (Wilson's).
void print_share(const char* what, size_t right, size_t n) {
  const double p = static_cast<double>(right) / static_cast<double>(n), z = 1.96, zz = z * z / static_cast<double>(n);
  const double middle = (p + zz / 2) / (1 + zz);
  const double half =
      z / (1 + zz) * std::sqrt(p * (1 - p) / static_cast<double>(n) + zz / (4 * static_cast<double>(n)));
  printf("%s: %zu of %zu right, %.1f %% (%.1f to %.1f)\n", what, right, n, 100 * p, 100 * (middle - half),
         100 * (middle + half));
}

constexpr uint32_t kPages[] = {64, 16, 1, 256};
constexpr uint32_t kChunks[] = {256, 64, 7};
constexpr uint32_t kWaves[] = {0, 3, 5};

struct Totals {
  size_t n = 0, failed = 0, greedy_right = 0, vote_right = 0;
  double seconds[3] = {};
  int64_t emitted = 0;
};

void ask(const nxs_model* model, const Question& question, const Options& options, const std::vector<size_t>& row,
         const std::vector<uint32_t>& isas, Totals& totals) {
  const std::vector<int32_t> prompt = chat_tokens(model, question.text);
  const SessionSettings settings{static_cast<uint32_t>(row[0] + 1), isas[row[1]], kPages[row[2]], kChunks[row[3]],
                                 static_cast<uint32_t>(row[4])};
  const Session session = settings.open(model);
  const nxs_decode_params params = sampling(options.max_new, static_cast<int64_t>(totals.n));
  const nxs_vote_params votes = vote_of(options.samples, kWaves[row[5]]);
  Ballot ballots[3];
  for (size_t mode = 0; mode < 3; ++mode) {
    ballots[mode] = vote(session.get(), prompt, params, votes, kVoteModes[mode]);
    totals.seconds[mode] += ballots[mode].prefill_seconds + ballots[mode].decode_seconds;
  }
  const Session alone = SessionSettings{1, NXS_ISA_BEST, 64, 256, settings.kv}.open(model);
  const size_t index = totals.n % options.samples;
  const bool same = ballots[0].samples == ballots[1].samples && ballots[0].samples == ballots[2].samples &&
                    ballots[0].receipt == ballots[1].receipt && ballots[0].receipt == ballots[2].receipt &&
                    ballots[0].samples[index] == single(alone.get(), prompt, params, votes, index);
  const nxs_vote_params early = vote_of(options.samples, kWaves[row[5]], NXS_VOTE_EARLY);
  const bool same_winner =
      vote(session.get(), prompt, params, early, nxs_selfconsist_batched).winner == ballots[0].winner;
  if (!same || !same_winner) {
    ++totals.failed;
    fprintf(stderr, "question %zu differs (threads %u, isa %u, page %u, chunk %u, kv %u, batch %u)\n", totals.n,
            settings.n_threads, settings.isa, settings.page, settings.chunk, settings.kv, votes.max_batch);
  }
  const Sample one = single(session.get(), prompt, greedy(options.max_new), votes, 0);
  totals.greedy_right += one.has_answer && one.answer == question.answer;
  totals.vote_right += ballots[0].winner == question.answer;
  totals.emitted += ballots[0].n_emitted;
  ++totals.n;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 3; i + 1 < argc; i += 2) {
    const long value = std::stol(argv[i + 1]);
    if (!strcmp(argv[i], "--questions")) options.questions = static_cast<size_t>(value);
    if (!strcmp(argv[i], "--samples")) options.samples = static_cast<uint32_t>(value);
    if (!strcmp(argv[i], "--max-new")) options.max_new = value;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: real_vote_gate MODEL QUESTIONS.jsonl [--questions N] [--samples N] [--max-new N]\n");
    return 2;
  }
  const Options options = read_options(argc, argv);
  nxs_model* opened = nullptr;
  nxs_error error;
  must(nxs_model_open(&opened, argv[1], nullptr, &error), error, argv[1]);
  const Model model(opened);
  const std::vector<Question> questions = read_questions(argv[2], options.questions);
  // The portable definitions take minutes for one question; the gate on the tiny model has them.
  std::vector<uint32_t> isas = usable_isas(opened);
  if (isas.size() > 1) isas.erase(isas.begin());
  const auto rows = pairwise_array({4, isas.size(), 4, 3, 2, 3});
  Totals totals;
  for (size_t i = 0; i < questions.size(); ++i) {
    // A few questions are spread over the array, many go through it again and again.
    const size_t row = questions.size() < rows.size() ? i * rows.size() / questions.size() : i % rows.size();
    ask(opened, questions[i], options, rows[row], isas, totals);
    fprintf(stderr, "%zu of %zu questions, %zu different\n", i + 1, questions.size(), totals.failed);
  }
  printf("%zu questions, %u samples, %lld tokens; %zu rows in the pairwise array: %zu different\n", totals.n,
         options.samples, static_cast<long long>(totals.emitted), rows.size(), totals.failed);
  print_share("greedy", totals.greedy_right, totals.n);
  print_share("vote", totals.vote_right, totals.n);
  printf("seconds: reset %.1f, paged %.1f (%.2f x), batched %.1f (%.2f x)\n", totals.seconds[0], totals.seconds[1],
         totals.seconds[0] / totals.seconds[1], totals.seconds[2], totals.seconds[0] / totals.seconds[2]);
  return totals.failed == 0 && totals.n > 0 ? 0 : 1;
}
