// SPDX-License-Identifier: Apache-2.0 OR MIT
// Checks of option values that CLI11 lacks. Its own lets NaN through.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace cli {

CLI::Validator at_least(int64_t least);
CLI::Validator from_0_to_1();
CLI::Validator not_negative();  ///< a finite number
CLI::Validator positive();      ///< a finite number
CLI::Validator not_empty();

}  // namespace cli
