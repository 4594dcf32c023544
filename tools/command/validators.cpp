// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "validators.h"

#include <charconv>
#include <cstdlib>

namespace cli {

namespace {

using Limits = std::numeric_limits<float>;

/// `type` is what --help shows, `wanted` what a message says.
CLI::Validator number(float least, float most, const char* type, const std::string& wanted) {
  const auto complaint = [=](const std::string& text) -> std::string {
    char* end = nullptr;
    const float value = strtof(text.c_str(), &end);
    const bool good = !text.empty() && *end == '\0' && value >= least && value <= most;
    return good ? "" : text + " is not " + wanted;
  };
  return CLI::Validator(complaint, type);
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most, const std::string& type) {
  const auto make_decimal = [=](std::string& text) -> std::string {
    const size_t sign = text.starts_with('+') ? 1 : 0;  // from_chars takes '-' alone
    int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + sign, end, value);
    const bool good = error == std::errc() && rest == end && !text.starts_with("+-");
    if (!good || value < least || value > most) {
      return text + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    }
    text = std::to_string(value);
    return "";
  };
  return CLI::Validator(make_decimal, type);
}

CLI::Validator from_0_to_1() {
  return number(0, 1, "FLOAT in [0 - 1]", "a number from 0 to 1");
}

CLI::Validator not_negative() {
  return number(0, Limits::max(), "NONNEGATIVE", "a finite number from 0 up");
}

CLI::Validator positive() {
  return number(Limits::denorm_min(), Limits::max(), "POSITIVE", "a finite number above 0");
}

CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return std::string(text.empty() ? "an empty text" : ""); }, "");
}

}  // namespace cli
