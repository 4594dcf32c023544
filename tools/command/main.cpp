// SPDX-License-Identifier: Apache-2.0 OR MIT
// The nxs command. Results go to standard output, everything else to standard error.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "commands.h"
#include "options.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"nxs - exact decoding with Llama-class models on CPUs", "nxs"};
  app.set_version_flag("--version", std::string("nxs ") + nxs_version());
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 wrong usage, 3 receipts differ, 4 no answer, 130 cancelled.");
  int exit_status = cli::kDone;
  cli::add_run(app, &exit_status);
  cli::add_vote(app, &exit_status);
  cli::add_tokens(app, &exit_status);
  cli::add_info(app, &exit_status);
  cli::add_check(app, &exit_status);
  cli::add_bench(app, &exit_status);
  cli::add_selftest(app, &exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e, std::cout, std::cerr) == 0 ? cli::kDone : cli::kUsage;
  }
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
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
