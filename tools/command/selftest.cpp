// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs selftest: proves the promise on this CPU, without a file.
#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "record.h"
#include "validators.h"

namespace cli {

namespace {

struct SelftestOptions {
  uint32_t level = 0;
  bool json = false;
};

int run(const SelftestOptions& options) {
  char digest[33] = {};
  nxs_error error;
  check(nxs_selftest(digest, options.level, &error), error);
  if (options.json) {
    write_line(
        dump({{"schema", "nxs.selftest/1"}, {"version", nxs_version()}, {"level", options.level}, {"digest", digest}}));
  } else {
    print("nxs %s: every kernel equals its definition here; digest %s\n", nxs_version(), digest);
  }
  return kDone;
}

}  // namespace

void add_selftest(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<SelftestOptions>();
  CLI::App* command = app.add_subcommand("selftest", "Prove the promise on this CPU");
  add_whole(*command, "--level", options->level, "0: below a second; 1: below a minute", 0U, 1U);
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
