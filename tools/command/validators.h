// SPDX-License-Identifier: Apache-2.0 OR MIT
// Checks of option values that CLI11 lacks. Its own lets NaN through.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace cli {

/// Makes a number decimal that CLI11 would read as octal, or clamp. `type` is what --help shows.
CLI::Validator whole_number(int64_t least, int64_t most, const std::string& type);

/// A transform, for values of T. --help shows the range where the type is not its upper end.
template <typename T>
CLI::Validator whole(T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) {
  const std::string range = "INT in [" + std::to_string(least) + " - " + std::to_string(most) + "]";
  const std::string type = most == std::numeric_limits<T>::max() ? "" : (std::is_signed_v<T> ? "" : "U") + range;
  return whole_number(least, most, type);
}

/// An option with a whole number and a default.
template <typename T>
CLI::Option* add_whole(CLI::App& app, const char* names, T& value, const char* help,
                       T least = std::numeric_limits<T>::min(), T most = std::numeric_limits<T>::max()) {
  return app.add_option(names, value, help)->transform(whole(least, most))->capture_default_str();
}

CLI::Validator from_0_to_1();
CLI::Validator not_negative();  ///< a finite number
CLI::Validator positive();      ///< a finite number
CLI::Validator not_empty();

}  // namespace cli
