// SPDX-License-Identifier: Apache-2.0 OR MIT
// The nxs command. Results go to standard output, everything else to standard error.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sstream>

#include "commands.h"
#include "options.h"
#include "output.h"

namespace {

using Words = std::vector<std::string>;

/// Letters to add, leave out or replace to get from one word to the other.
size_t n_edits(const std::string& from, const std::string& to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// CLI11 would say that arguments were not expected.
void require_known_subcommand(const CLI::App& app, const Words& words) {
  if (words.empty() || words[0].starts_with('-')) return;
  std::string nearest;
  size_t least = 3;  // edits; at most two, and fewer than half of a word
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& name = command->get_name();
    const size_t edits = n_edits(words[0], name);
    if (edits == 0) return;
    if (edits < least && 2 * edits < name.size()) {
      nearest = name;
      least = edits;
    }
  }
  throw cli::UsageError("unknown subcommand '" + words[0] + "'" +
                        (nearest.empty() ? "; nxs help lists them" : "; did you mean '" + nearest + "'?"));
}

int run(Words words) {
  CLI::App app{
      "nxs - exact decoding with Llama-class models on CPUs\n"
      "nxs help SUBCOMMAND lists the options of one.",
      "nxs"};
  app.set_version_flag("-v,--version", std::string("nxs ") + nxs_version());
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 wrong usage, 3 records differ, 4 no answer, 130 cancelled.");
  int exit_status = cli::kDone;
  cli::add_run(app, &exit_status);
  cli::add_vote(app, &exit_status);
  cli::add_tokens(app, &exit_status);
  cli::add_info(app, &exit_status);
  cli::add_check(app, &exit_status);
  cli::add_bench(app, &exit_status);
  cli::add_selftest(app, &exit_status);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  require_known_subcommand(app, words);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    const bool asked = app.exit(e, out, err) == 0;
    cli::write_bytes(out.str().data(), out.str().size());
    fputs(err.str().c_str(), stderr);
    return asked ? cli::kDone : cli::kUsage;
  }
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int exit_status = run(Words(argv + std::min(argc, 1), argv + argc));
    cli::finish_output();
    return exit_status;
  } catch (const cli::UsageError& e) {
    fprintf(stderr, "nxs: %s\n", e.what());
    return cli::kUsage;
  } catch (const std::exception& e) {
    fprintf(stderr, "nxs: %s\n", e.what());
    return cli::kFailed;
  } catch (...) {
    return cli::kFailed;
  }
}
