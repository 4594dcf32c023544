// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the groups of `nxs bench` share: the options, an open model with one session, and the record that each round
// of each group writes into. A group is a function that measures once; rounds of all groups alternate, so that a busy
// moment of the machine meets all of them, and ratios are taken within a round.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "handles.h"
#include "options.h"
#include "record.h"

namespace cli::bench {

struct Options {
  std::string model, prompt_file;
  std::vector<std::string> only;  ///< groups; none = all
  SessionOptions session;
  uint32_t rounds = 5, max_new = 64;
  std::vector<uint32_t> keys = {256}, sequences = {8, 32}, samples = {3, 8, 32};
  bool json = false;
};

struct Environment {
  const Options& options;
  const nxs_model* model;
  nxs_session* session;
  uint32_t n_threads;
};

/// Named values, one a round, in the order in which the names first came.
class Measures {
 public:
  void add(const std::string& name, const char* unit, double value);
  double last(const std::string& name) const;  ///< of this round; throws when there is none
  Json to_json() const;                        ///< name -> unit, median, least, most, rounds
  void print() const;                          ///< a table on standard output
  void keep(size_t n_rounds);                  ///< forgets what came after these

 private:
  struct Series {
    std::string name, unit;
    std::vector<double> values;
  };
  std::vector<Series> series_;
};

using Round = std::function<void(Measures&)>;

Round load_round(const Environment& env);       ///< opening the file again, in a warm cache
Round bandwidth_round(const Environment& env);  ///< what the machine reads per second
Round decode_round(const Environment& env);     ///< one sequence; needs bandwidth_round in the same round
Round prefill_round(const Environment& env);
Round rows_round(const Environment& env);   ///< k rows in one forward against one row
Round spec_round(const Environment& env);   ///< speculative against plain decoding
Round batch_round(const Environment& env);  ///< sequences with a shared prompt in lockstep
Round vote_round(const Environment& env);   ///< self-consistency: reset, paged, batched

constexpr const char* kBandwidth = "bandwidth/read";  ///< the name under which a round's bandwidth is found

/// `n` tokens of the vocabulary, scattered; the same for one n and model.
std::vector<int32_t> some_tokens(const nxs_model* model, size_t n);
/// A new sequence that holds `tokens`, all cached.
Seq cached_sequence(const Environment& env, const std::vector<int32_t>& tokens);
Seq fork(const Seq& parent);
/// Greedy, stop tokens emitted like any other.
nxs_decode_params greedy(int64_t max_new);
/// On a new sequence; `mode` as DecodeMode has it.
Result decode_fresh(const Environment& env, const std::vector<int32_t>& prompt, const nxs_decode_params& params,
                    const char* mode = "plain");

/// Wall-clock seconds of `work`.
template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace cli::bench
