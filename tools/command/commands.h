// SPDX-License-Identifier: Apache-2.0 OR MIT
// The subcommands. Each adds itself to the application; its callback stores the exit status.
#pragma once

#include <CLI/CLI.hpp>

namespace cli {

void add_run(CLI::App& app, int* exit_status);
void add_vote(CLI::App& app, int* exit_status);
void add_tokens(CLI::App& app, int* exit_status);
void add_info(CLI::App& app, int* exit_status);
void add_check(CLI::App& app, int* exit_status);
void add_bench(CLI::App& app, int* exit_status);
void add_selftest(CLI::App& app, int* exit_status);

}  // namespace cli
