// SPDX-License-Identifier: Apache-2.0 OR MIT
// Options that several subcommands share, and what they open.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "handles.h"

namespace cli {

/// Exit statuses of the command.
enum Exit { kDone = 0, kFailed = 1, kUsage = 2, kRecordsDiffer = 3, kNoAnswer = 4, kCancelled = 130 };

/// A text given on the command line, in a file, or on standard input.
struct TextInput {
  std::string text, file;
  bool given = false, from_file = false;

  void add_to(CLI::App& app, const char* name, const char* help);
  /// The text itself; reads the file, or standard input for "-" and for nothing at all.
  std::string read() const;
};

/// How a session is opened. All but --kv change no bit.
struct SessionOptions {
  uint32_t threads = 0, page = 64, prefill_chunk = 256;
  int64_t context = 0, kv_tokens = 0;
  std::string isa = "best", kv = "f16";

  void add_to(CLI::App& app);
  void add_kv_to(CLI::App& app);  ///< where no record says it
  nxs_session_params params() const;
};

/// How a token is chosen from its row.
struct SamplingOptions {
  float temperature = 0, top_p = 1, min_p = 0, repeat_penalty = 1;
  int32_t top_k = 0, repeat_last = 64;
  int64_t seed = 0;

  void add_to(CLI::App& app);
  void apply(nxs_decode_params& params) const;
};

const char* isa_name(uint32_t isa);  ///< as --isa takes it

struct OpenedModel {
  Model model;
  double seconds;  ///< wall clock of opening
};

OpenedModel open_model(const std::string& path, uint32_t threads);
Session open_session(const nxs_model* model, const nxs_session_params& params);
Seq new_sequence(nxs_session* session, const std::vector<std::string>& stops);

std::vector<int32_t> tokenize(const nxs_model* model, const std::string& text, uint32_t flags);
/// One user message, and a system message when `system` is not NULL, as the model's own template renders them.
std::vector<int32_t> format_chat(const nxs_model* model, const std::string* system, const std::string& user);

}  // namespace cli
