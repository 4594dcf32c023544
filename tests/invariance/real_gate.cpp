// SPDX-License-Identifier: Apache-2.0 OR MIT
// The promise on a real model: each prompt of a Spec-Bench file (first turns, 128 new tokens), plain under the baseline
// against speculative under one row of a pairwise array over all settings.
//
//   real_gate MODEL PROMPTS.jsonl [--prompts N]   N of the prompts, evenly spread (all by default)
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "invariance/positions.h"
#include "invariance/prompts.h"
#include "invariance/settings.h"
#include "support/pairwise.h"

using namespace nxs::test;

namespace {

constexpr int64_t kMaxNew = 128;
constexpr int64_t kContext = 4096;

struct Prompt {
  std::string name;
  std::string text;
};

std::vector<Prompt> read_prompts(const char* path, size_t wanted) {
  std::ifstream in(path);
  std::vector<Prompt> all;
  for (std::string line; std::getline(in, line);) {
    const auto object = nlohmann::json::parse(line);
    all.push_back({object.at("category").get<std::string>() + " " + std::to_string(object.at("question_id").get<int>()),
                   object.at("turns").at(0).get<std::string>()});
  }
  return evenly_spread(std::move(all), wanted);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: real_gate MODEL PROMPTS.jsonl [--prompts N]\n");
    return 2;
  }
  const size_t wanted = argc == 5 && !strcmp(argv[3], "--prompts") ? std::stoul(argv[4]) : 0;
  nxs_model* opened = nullptr;
  nxs_error error;
  must(nxs_model_open(&opened, argv[1], nullptr, &error), error, argv[1]);
  const Model model(opened);
  const std::vector<Prompt> prompts = read_prompts(argv[2], wanted);
  const std::vector<uint32_t> isas = usable_isas(opened);
  std::vector<size_t> levels = factor_levels(isas.size());
  levels.push_back(2);  // KV type
  const auto rows = pairwise_array(levels);
  const nxs_decode_params params = greedy(kMaxNew);
  Runner runner(opened, kContext);
  CountingLookup counting(8, 3, 1);

  size_t n_failed = 0;
  int64_t n_long = 0, n_accepted = 0, n_drafted = 0;
  for (size_t p = 0; p < prompts.size(); ++p) {
    const auto& row = rows[p * rows.size() / std::min(prompts.size(), rows.size()) % rows.size()];
    const Settings settings = settings_at(row, isas);
    const auto kv = static_cast<uint32_t>(row.back());
    const std::vector<int32_t> tokens = chat_tokens(opened, prompts[p].text);
    const Outcome plain = runner.plain(tokens, params, kv);
    const Outcome spec = runner.speculative(tokens, params, kv, settings);
    counting.new_run();
    const Outcome scan = runner.drafted(tokens, params, kv, kBaseline, counting.drafter());
    n_long += static_cast<int64_t>(tokens.size()) + plain.n_emitted > 512;
    n_accepted += spec.n_accepted;
    n_drafted += spec.n_drafted;
    const bool same = plain.tokens == spec.tokens && plain.receipt == spec.receipt && plain.receipt == scan.receipt;
    if (!same) {
      ++n_failed;
      fprintf(stderr, "%s (%zu tokens, kv %u) differs under %s\n", prompts[p].name.c_str(), tokens.size(), kv,
              settings.text().c_str());
    }
    fprintf(stderr, "\r%zu of %zu prompts, %zu different", p + 1, prompts.size(), n_failed);
  }
  fputc('\n', stderr);
  printf(
      "%zu prompts (%lld crossing 512 tokens), %zu rows in the pairwise array, %zu instruction sets: %zu different; "
      "%lld of %lld drafted tokens accepted\n",
      prompts.size(), static_cast<long long>(n_long), rows.size(), isas.size(), n_failed,
      static_cast<long long>(n_accepted), static_cast<long long>(n_drafted));
  bool met_all = true;
  for (size_t position = 0; position < 8; ++position) {
    printf("position %zu: accepted %lld times, rejected %lld times\n", position,
           static_cast<long long>(counting.accepted[position]), static_cast<long long>(counting.rejected[position]));
    met_all = met_all && counting.accepted[position] > 0 && counting.rejected[position] > 0;
  }
  if (!met_all) fprintf(stderr, "a position was never accepted or never rejected: the gate shows too little\n");
  return n_failed == 0 && met_all ? 0 : 1;
}
